/* SPDX-License-Identifier: BSD-3-Clause
 * Times plans. Other programs only make a run longer, so the least time of many short runs counts:
 * one run that nobody interrupted is enough. The passes over all measurements (eki_effort.rounds)
 * are seconds apart, so a disturbance that lasts longer than one product's turn does not spoil its
 * time. Runs on a device are timed by its own clock, in batches, since a call only puts a command
 * into a queue.
 *
 * Contexts for measurements ignore the environment, since EK_ISA, EK_METHOD and EK_DEVICE say what
 * to use, not what the processor can do. */
#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "tune/tune.h"

double eki_tune_now(void)
{
	return (double)eki_now_ns();
}

ek_status eki_tune_context(int threads, ek_isa isa, ek_context **ctx)
{
	const ek_options options = {.size = sizeof options,
	                            .threads = threads,
	                            .isa_limit = EK_ISA_LIMIT(isa),
	                            .device = "cpu"};

	EK_RETURN_IF(ek_context_create(&options, ctx));
	(*ctx)->isa = isa;
	(*ctx)->machine = eki_machine_family();
	return EK_OK;
}

/* Makes a vector of n zeros where the product has its vectors. */
static ek_status make_vector(const eki_timed *t, int64_t n, size_t size, void **data)
{
	void *zeros = NULL;
	ek_status status;

	if (!t->there)
		return eki_calloc(t->ctx, n, size, data);
	EK_TRY(eki_calloc(t->ctx, n, size, &zeros));
	EK_TRY(ek_device_alloc(t->ctx, n * (int64_t)size, data));
	EK_TRY(ek_device_write(t->ctx, *data, zeros, n * (int64_t)size));
done:
	eki_free(t->ctx, zeros, n, size);
	return status;
}

static void free_vector(const eki_timed *t, void *data, int64_t n, size_t size)
{
	if (t->there)
		ek_device_free(t->ctx, data);
	else
		eki_free(t->ctx, data, n, size);
}

static ek_dense vector(const eki_timed *t, void *data, int64_t n)
{
	ek_dense v = ek_vector(t->A->store.value, n, data);

	v.where = t->there ? EK_ON_DEVICE : v.where;
	return v;
}

ek_status eki_timed_make(ek_context *ctx, const eki_pattern *pattern, ek_value value,
                         const char *method, const char *format, ek_op op, eki_timed *t)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .format = format,
	                        .op = op,
	                        .calls = INT64_C(1) << 40,
	                        .memory = -1};
	eki_timed new = {.ctx = ctx, .ns = INFINITY, .there = *eki_device_name(ctx)};
	ek_status status;

	EK_TRY(eki_pattern_make(ctx, pattern, value, &new.A));
	EK_TRY(ek_plan_create(EK_SPMV, new.A, &hints, &new.plan));
	new.x_len = op == EK_OP_T ? new.A->store.rows : new.A->store.cols;
	new.y_len = op == EK_OP_T ? new.A->store.cols : new.A->store.rows;
	EK_TRY(make_vector(&new, new.x_len, ek_value_size(value), &new.x));
	EK_TRY(make_vector(&new, new.y_len, ek_value_size(value), &new.y));
	*t = new;
	return EK_OK;
done:
	eki_timed_free(&new);
	return status;
}

void eki_timed_free(eki_timed *t)
{
	if (!t->A)
		return;
	const size_t size = ek_value_size(t->A->store.value);

	free_vector(t, t->x, t->x_len, size);
	free_vector(t, t->y, t->y_len, size);
	ek_plan_destroy(t->plan);
	ek_matrix_destroy(t->A);
	memset(t, 0, sizeof *t);
}

ek_status eki_timed_run(eki_timed *t, double budget)
{
	const ek_dense x = vector(t, t->x, t->x_len), y = vector(t, t->y, t->y_len);
	const double end = eki_tune_now() + budget;
	const double clock = fmin(20e3, budget); /* many times a look at the clock */
	int64_t calls = 1;

	for (int k = 0; k < 3 || eki_tune_now() < end; k++) {
		const double start = eki_tune_now();

		for (int64_t c = 0; c < calls; c++)
			EK_RETURN_IF(ek_spmv(t->plan, 1, &x, 0, &y));
		const double all = eki_tune_now() - start, one = all / (double)calls;

		/* The first runs bring the data to the cache, and say how many fill `clock`. */
		if (k > 0 && one < t->ns)
			t->ns = one;
		if (all < clock && calls < 1000)
			calls = all > 0 ? 1 + (int64_t)(clock / one) : 1000;
	}
	return EK_OK;
}

/* Times a batch of runs, in nanoseconds of the device. */
static ek_status clock_batch(const eki_timed *t, int64_t calls, double *ns)
{
	const ek_dense x = vector(t, t->x, t->x_len), y = vector(t, t->y, t->y_len);
	double seconds;

	EK_RETURN_IF(ek_device_timer_start(t->ctx));
	for (int64_t c = 0; c < calls; c++)
		EK_RETURN_IF(ek_spmv(t->plan, 1, &x, 0, &y));
	EK_RETURN_IF(ek_device_timer_stop(t->ctx, &seconds));
	*ns = 1e9 * seconds;
	return EK_OK;
}

ek_status eki_timed_clock(eki_timed *t, double batch)
{
	enum { BATCHES = 5, MOST_CALLS = 1000 };
	int64_t calls = 1;

	for (int k = 0; k <= BATCHES; k++) {
		double all;

		EK_RETURN_IF(clock_batch(t, calls, &all));
		if (!(all > 0))
			return eki_fail(EK_EDEVICE, "device %s: its clock gives no times",
			                eki_device_name(t->ctx));
		const double one = all / (double)calls;

		/* The first run brings the data there, and says how many fill a batch. */
		if (k > 0)
			t->ns = fmin(t->ns, one);
		calls = (int64_t)fmin(MOST_CALLS, 1 + batch / one);
	}
	return EK_OK;
}

ek_status eki_timed_predict(const eki_timed *t, const eki_machine *m, double *ns)
{
	const ek_store *held = t->plan->root.in[0];
	eki_step step = t->plan->root;
	eki_features f;

	step.in[0] = &t->A->store;
	step.bytes = eki_moved_bytes(step.problem, step.in[0]);
	EK_RETURN_IF(eki_step_features(&step, INFINITY, &f));
	f.machine = m;
	f.threads = 1;
	f.store = held->format == step.in[0]->format ? NULL : held;
	*ns = step.method->cost(&f);
	return EK_OK;
}
