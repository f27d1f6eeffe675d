/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sparse products that device and processor do together (spgemm.csr.split.gpu): cuts at
 * awkward places, the choice by times that the test makes up, pieces that move, the thread of the
 * device, and drivers that run out of memory or fail. Results must have the bits of the plain
 * method of the processor. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "both/sparse.h"
#include "support/held.h"
#include "support/lengths.h"
#include "support/rows.h"
#include "support/sparse.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

#define ON_EACH_DEVICE(test)                    \
	static void test_##test(void **state) \
	{                                     \
		(void)state;                  \
		each_device(test);            \
	}

enum { ROWS = 1500, LONG = 40, NNZ = 2 * ROWS + LONG };

/* A square matrix, of which most rows have two entries, as few kernels need to be compiled then.
 * Rows at both ends have none, and one row has many. */
static struct square {
	int32_t ptr[ROWS + 1], col[NNZ];
	double val[NNZ];
	ek_matrix *A;
} sq;

static void square_make(ek_context *ctx, double factor)
{
	int32_t at = 0;

	for (int32_t i = 0; i < ROWS; i++) {
		const int n = i < 40 || i >= ROWS - 30 ? 0 : i == ROWS / 2 ? LONG : 2;

		sq.ptr[i] = at;
		for (int32_t j = 0; j < n; j++, at++) {
			sq.col[at] = n == LONG ? 100 + 20 * j : j ? i + 9 : i - 20;
			sq.val[at] = factor * (1 + (i + 3 * j) % 7);
		}
	}
	sq.ptr[ROWS] = at;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, ROWS, ROWS, sq.ptr, sq.col, sq.val,
	                                 EK_COPY, &sq.A),
	              EK_OK);
}

/* Makes a plan for A A, or A A + A. */
static ek_plan *plan_of(const char *method, bool with_d, int64_t calls, int measure)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = sq.A,
	                        .D = with_d ? sq.A : NULL,
	                        .calls = calls,
	                        .measure = measure};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, sq.A, &hints, &plan), EK_OK);
	return plan;
}

/* Runs a plan twice, into a new matrix and into that again, and compares with csr.serial. */
static void check_runs(ek_plan *plan, bool with_d)
{
	ek_plan *plain = plan_of("csr.serial", with_d, 0, 0);
	ek_matrix *C = NULL, *expected = NULL;

	expect_status(ek_spgemm(plain, 2, -3, &expected), EK_OK);
	for (int again = 0; again < 2; again++) {
		expect_status(ek_spgemm(plan, 2, -3, &C), EK_OK);
		assert_null(different_array(C, expected));
		if (!again) /* these values must be overwritten */
			poison(EK_F64, C->store.array[CSR_VAL], C->store.nnz);
	}
	ek_matrix_destroy(C);
	ek_matrix_destroy(expected);
	ek_plan_destroy(plain);
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

static void every_cut(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {"csr.split.gpu:share=1",   "csr.split.gpu:share=250",
	                                   "csr.split.gpu:share=500", "csr.split.gpu:share=999",
	                                   "csr.split.gpu:side=1",    "csr.split.gpu:side=2",
	                                   "csr.split.gpu"};

	(void)memory;
	square_make(ctx, 1);
	for (size_t k = 0; k < sizeof with / sizeof *with; k++)
		for (int with_d = 0; with_d < 2; with_d++) {
			ek_plan *plan = plan_of(with[k], with_d, 0, 0);

			check_runs(plan, with_d);
			ek_plan_destroy(plan);
		}
	ek_matrix_destroy(sq.A);
}

ON_EACH_DEVICE(every_cut)

/* ---- Made-up times --------------------------------------------------------------------------- */

/* Nanoseconds of a product by the device, by the processor, and by both, and the part of the last
 * in which the processor waits. */
static double device_ns, host_ns, both_ns, waited_ns;

static double made_up(const ek_method *method, bool prepares, double ns)
{
	(void)ns;
	if (prepares)
		return waited_ns;
	return uses_both(method) ? both_ns : needs_device(method) ? device_ns : host_ns;
}

/* Makes a plan with made-up times, and checks what it says, whether the device works and, unless
 * it is negative, the share of the rows above the cut. */
static void check_choice(ek_context *ctx, double device, double host, double both, const char *says,
                         double above)
{
	const bool works = !strstr(says, "the processor alone");
	const eki_sparse_both *s;
	ek_plan *plan;
	int64_t before;

	device_ns = device;
	host_ns = host;
	both_ns = both;
	plan = plan_of("csr.split.gpu", false, 64, 0);
	expect_explained(plan, says);
	s = plan->root.state;
	before = launches_on(ctx);
	check_runs(plan, false);
	assert_int_equal(launches_on(ctx) > before, works);
	if (above >= 0)
		assert_true(fabs((double)s->piece[1].begin / ROWS - above) < 0.05);
	ek_plan_destroy(plan);
}

static void choices(ek_context *ctx, eki_memory memory)
{
	const double s = 1e9;
	ek_hints hints = {.size = sizeof hints, .memory = 1 << 20};
	ek_plan *plan;

	(void)memory;
	square_make(ctx, 1);
	ctx->timing = made_up;
	check_choice(ctx, s, s / 100, s, "the processor alone, since both together would not", -1);
	check_choice(ctx, s / 100, s, s, "the device alone, since both together would not", -1);
	check_choice(ctx, s, s, 0.98 * s, "the processor alone", -1);
	check_choice(ctx, s, s, 0.6 * s, "both at once, by the speeds measured", 0.5);
	check_choice(ctx, 3 * s, s, 0.8 * s, "both at once, by the speeds measured", 0.25);
	check_choice(ctx, s, 4 * s, 0.8 * s, "both at once, by the speeds measured", 0.8);
	ctx->timing = NULL;
	hints.B = sq.A;
	hints.method = "csr.split.gpu";
	expect_status(ek_plan_create(EK_SPGEMM, sq.A, &hints, &plan), EK_OK);
	expect_explained(plan, "the processor alone, since the parts of C");
	check_runs(plan, false);
	ek_plan_destroy(plan);
	ek_matrix_destroy(sq.A);
}

ON_EACH_DEVICE(choices)

/* Changes the kind of device that the library takes the context's device for. */
static void call_it(ek_context *ctx, const char *kind)
{
	ek_device_info *info = &ctx->device->info;

	snprintf(info->kind, sizeof info->kind, "%s", kind);
}

/* Checks that a context whose name asks for both kinds of core uses both, unless the device is a
 * processor. */
static void by_name(ek_context *ctx, eki_memory memory)
{
	const ek_device_info info = ctx->device->info;
	ek_plan *plan;

	(void)memory;
	square_make(ctx, 1);
	ctx->together = true;
	for (int gpu = 0; gpu < 2; gpu++) {
		call_it(ctx, gpu ? "gpu" : "cpu");
		plan = plan_of(NULL, false, 1, 0);
		assert_int_equal(strcmp(ek_plan_method(plan), "spgemm.csr.split.gpu") == 0, gpu);
		if (gpu)
			expect_explained(plan, "by a sample");
		check_runs(plan, false);
		ek_plan_destroy(plan);
	}
	ctx->device->info = info;
	ctx->together = false;
	ek_matrix_destroy(sq.A);
}

ON_EACH_DEVICE(by_name)

/* Lets pieces move in one direction as far as they go, with new values meanwhile. */
static void moves(ek_context *ctx, eki_memory memory)
{
	const ek_device_info info = ctx->device->info;
	const eki_sparse_both *s;
	ek_plan *plan;

	(void)memory;
	ctx->together = true;
	ctx->timing = made_up;
	call_it(ctx, "gpu");
	for (int to_device = 0; to_device < 2; to_device++) {
		square_make(ctx, 1);
		device_ns = host_ns = 1e9;
		both_ns = 0.6e9;
		plan = plan_of(NULL, true, 64, 1);
		s = plan->root.state;
		assert_true(s->moves);
		for (int k = 0; k < 12; k++) {
			double *val = sq.A->store.array[CSR_VAL];

			for (int64_t e = 0; k == 6 && e < sq.A->store.nnz; e++)
				val[e] *= 3;
			if (k == 6)
				expect_status(ek_matrix_values_changed(sq.A), EK_OK);
			both_ns = 1e8 * (2 + (to_device ? EKI_PIECES - s->first : s->first));
			waited_ns = to_device ? 0 : both_ns / 2;
			check_runs(plan, true);
		}
		assert_true(s->balance.settled);
		assert_int_equal(s->first, to_device ? EKI_PIECES - 1 : 1);
		expect_explained(plan, "and nothing moves any more");
		ek_plan_destroy(plan);
		ek_matrix_destroy(sq.A);
	}
	ctx->device->info = info;
	ctx->timing = NULL;
	ctx->together = false;
}

ON_EACH_DEVICE(moves)

/* ---- Drivers that are watched, or fail ------------------------------------------------------- */

static struct watch {
	const eki_driver *real;
	eki_driver driver;
	pthread_t caller;
	int there, elsewhere; /* launches in the caller's thread, and in others */
	int64_t most;         /* largest block that `alloc` gives, or 0 for any size */
	long fail_launch;     /* number of the launch that fails, counted down, or negative */
} watch;

static ek_status watched_alloc(eki_device *d, eki_memory memory, int64_t size, void **device,
                               void **host)
{
	if (watch.most && size > watch.most)
		return eki_fail(EK_ENOMEM, "no room for %lld bytes", (long long)size);
	return watch.real->alloc(d, memory, size, device, host);
}

static ek_status watched_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                                const eki_arg *args, int count)
{
	if (pthread_equal(pthread_self(), watch.caller))
		watch.there++;
	else
		watch.elsewhere++;
	if (watch.fail_launch >= 0 && watch.fail_launch-- == 0)
		return eki_fail(EK_EDEVICE, "a launch failed");
	return watch.real->launch(d, kernel, groups, group_size, args, count);
}

static void watch_driver(ek_context *ctx)
{
	watch = (struct watch){.real = ctx->device->driver,
	                       .driver = *ctx->device->driver,
	                       .caller = pthread_self(),
	                       .fail_launch = -1};
	watch.driver.alloc = watched_alloc;
	watch.driver.launch = watched_launch;
	ctx->device->driver = &watch.driver;
}

static void in_turn(void *user, int threads, int parts, void (*part)(void *arg, int part),
                    void *arg)
{
	(void)user;
	(void)threads;
	for (int k = 0; k < parts; k++)
		part(arg, k);
}

/* Checks that the device's work is launched by a thread of its own, but with an executor of the
 * caller's by the caller. */
static void own_thread(ek_context *ctx, eki_memory memory)
{
	ek_plan *plan;

	(void)memory;
	square_make(ctx, 1);
	plan = plan_of("csr.split.gpu:share=300", false, 0, 0);
	watch_driver(ctx);
	check_runs(plan, false);
	assert_true(watch.elsewhere > 0);
	assert_int_equal(watch.there, 0);
	watch.elsewhere = 0;
	ctx->options.parallel = in_turn;
	check_runs(plan, false);
	ctx->options.parallel = NULL;
	assert_int_equal(watch.elsewhere, 0);
	assert_true(watch.there > 0);
	ctx->device->driver = watch.real;
	ek_plan_destroy(plan);
	ek_matrix_destroy(sq.A);
}

ON_EACH_DEVICE(own_thread)

/* Checks that the processor does what the device has no memory for. */
static void too_large(ek_context *ctx, eki_memory memory)
{
	ek_plan *plan;

	if (memory == EKI_MEMORY_SHARED) /* then the driver allocates nothing for the operands */
		return;
	square_make(ctx, 1);
	watch_driver(ctx);
	watch.most = 1000;
	plan = plan_of("csr.split.gpu", false, 64, 0);
	expect_explained(plan, "the processor alone, since the device has too little memory");
	check_runs(plan, false);
	ctx->device->driver = watch.real;
	ek_plan_destroy(plan);
	ek_matrix_destroy(sq.A);
}

ON_EACH_DEVICE(too_large)

/* Makes each launch of a run fail in turn. C must stay as it was, and the plan must work
 * afterwards. */
static void failures(ek_context *ctx, eki_memory memory)
{
	ek_matrix *C = NULL;
	ek_plan *plan;
	int failed = 0;

	(void)memory;
	square_make(ctx, 1);
	plan = plan_of("csr.split.gpu:share=400", false, 0, 0);
	watch_driver(ctx);
	for (;; failed++) {
		watch.fail_launch = failed;
		if (ek_spgemm(plan, 1, 0, &C) == EK_OK)
			break;
		assert_non_null(strstr(ek_error_text(), "a launch failed"));
		assert_null(C);
	}
	assert_true(failed >= 3);
	ctx->device->driver = watch.real;
	check_runs(plan, false);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	ek_matrix_destroy(sq.A);
}

ON_EACH_DEVICE(failures)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cut), cmocka_unit_test(test_choices),
		cmocka_unit_test(test_by_name),   cmocka_unit_test(test_moves),
		cmocka_unit_test(test_own_thread),
		cmocka_unit_test(test_too_large),  cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
