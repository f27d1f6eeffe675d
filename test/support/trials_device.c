/* SPDX-License-Identifier: BSD-3-Clause
 * Plans with hints.measure on a device whose driver is watched. */
#include "support/trials_device.h"

#ifndef EK_NO_GPU

enum { NONE = -1 };

/* A driver that counts, and whose calls fail on request. */
static eki_driver watched;
static const eki_driver *real;
struct trials_watch trials_watch;
double trials_scale = TRIALS_SCALE;

static ek_status watched_launch(eki_device *d, void *kernel, int64_t groups, int size,
                                const eki_arg *args, int count)
{
	if (trials_watch.first) {
		trials_watch.before = trials_watch.pending;
		trials_watch.first = false;
	}
	if (trials_watch.launches++ == trials_watch.launch_at)
		return eki_fail(EK_EDEVICE, "a launch was made to fail");
	trials_watch.pending++;
	return real->launch(d, kernel, groups, size, args, count);
}

static ek_status watched_wait(eki_device *d)
{
	trials_watch.pending = 0;
	return real->wait(d);
}

static ek_status watched_alloc(eki_device *d, eki_memory memory, int64_t bytes, void **device,
                               void **host)
{
	const long n = trials_watch.allocs++;

	if (trials_watch.alloc_at != NONE &&
	    (trials_watch.persistent ? n >= trials_watch.alloc_at : n == trials_watch.alloc_at))
		return eki_fail(EK_ENOMEM, "memory was made to run out");
	return real->alloc(d, memory, bytes, device, host);
}

void trials_watch_reset(void)
{
	memset(&trials_watch, 0, sizeof trials_watch);
	trials_watch.launch_at = trials_watch.alloc_at = NONE;
}

/* Tells whether a run is the first one of a method, and is to take longer therefore. */
static bool loads(const ek_method *m)
{
	int k = 0;

	while (k < NAMED - 1 && trials_watch.loaded[k] && trials_watch.loaded[k] != m)
		k++;
	const bool first = trials_watch.loads && trials_watch.loaded[k] != m;

	trials_watch.loaded[k] = m;
	return first;
}

static double timed(const ek_method *m, bool prepares, double ns)
{
	assert_int_equal(trials_watch.pending, 0); /* the work that was timed is done */
	return trials_scale * (prepares || !loads(m) ? 1 : 300) * fake_time(m, prepares, ns);
}

/* Makes the context and A, with values of small integers. */
void trials_open(const char *name, ek_device_memory memory)
{
	static double val[N * 64];
	ek_options o = heap_options(&heap, 2);
	ek_matrix_info of_A = {.size = sizeof of_A};

	o.device = name;
	o.device_memory = memory;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	trials_machine(ctx);
	ctx->timing = timed;
	expect_status(
		ek_matrix_generate(ctx, "uniform:rows=6000,cols=6000,k=9", EK_F64, EK_I32, &A),
		EK_OK);
	expect_status(ek_matrix_get_info(A, &of_A), EK_OK);
	for (int k = 0; k < of_A.nnz; k++)
		val[k] = k % 9 - 4;
	expect_status(ek_matrix_set_values(A, of_A.nnz, val), EK_OK);
	exact_x();
	fake_reset();
	trials_watch_reset();
	if (!ctx->device)
		return;
	real = ctx->device->driver;
	watched = *real;
	watched.launch = watched_launch;
	watched.wait = watched_wait;
	watched.alloc = watched_alloc;
	ctx->device->driver = &watched;
}

void trials_close(void)
{
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	A = NULL; /* trials_teardown destroys those of a test that failed */
	ctx = NULL;
}

ek_plan *trials_plan(ek_operation operation, ek_op op, int64_t calls)
{
	const ek_hints h = {.size = sizeof h,
	                    .op = op,
	                    .calls = calls,
	                    .width = operation == EK_SPMV ? 0 : WIDTH,
	                    .measure = 1};
	ek_plan *plan;

	expect_status(ek_plan_create(operation, A, &h, &plan), EK_OK);
	return plan;
}

/* Fills z with the right result. */
void trials_right(ek_operation operation, ek_op op, double beta)
{
	ek_plan *oracle = make_plan(A, operation, op, false,
	                            operation == EK_SPMV ? "csr.serial" : "spmm.csr.serial", NULL);

	run(oracle, beta, z);
	ek_plan_destroy(oracle);
}

/* Returns the number of the candidate with a method, or 0. */
int trials_find(const eki_trials *t, const char *method)
{
	for (int k = 1; k < t->count; k++)
		if (strcmp(t->list[k].method->name, method) == 0)
			return k;
	return 0;
}

void trials_fail(trials_call call, long n, bool persistent)
{
	trials_watch.launches = trials_watch.allocs = 0;
	trials_watch.persistent = persistent;
	if (call == TRIALS_LAUNCH)
		trials_watch.launch_at = n;
	else if (call == TRIALS_ALLOC)
		trials_watch.alloc_at = n;
	else
		heap_fail(&heap, n, persistent);
}

bool trials_failed(trials_call call, long n)
{
	const long calls[] = {trials_watch.launches, trials_watch.allocs, heap.calls};

	trials_watch.launch_at = trials_watch.alloc_at = NONE;
	heap_fail(&heap, NONE, false);
	return calls[call] > n;
}

int trials_given_up(const eki_trials *t, const char *why)
{
	int count = 0;

	for (int k = 1; k < t->count; k++)
		count += t->list[k].out && strcmp(t->list[k].out, why) == 0;
	return count;
}

int trials_find_beside(const eki_trials *t)
{
	for (int k = 1; k < t->count; k++)
		if (eki_trial_beside(t, &t->list[k]))
			return k;
	return 0;
}

#endif
