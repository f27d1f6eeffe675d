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
#include "support/square.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

#define ON_EACH_DEVICE(test)                  \
	static void test_##test(void **state) \
	{                                     \
		(void)state;                  \
		each_device(test);            \
	}

/* ---- Cuts ------------------------------------------------------------------------------------ */

static void every_cut(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {"csr.split.gpu:share=1",
	                                   "csr.split.gpu:share=250",
	                                   "csr.split.gpu:share=500",
	                                   "csr.split.gpu:share=999",
	                                   "csr.split.gpu:side=1",
	                                   "csr.split.gpu:side=2",
	                                   "csr.split.gpu:share=400,batch=20000",
	                                   "csr.split.gpu"};

	(void)memory;
	square_make(ctx);
	for (size_t k = 0; k < sizeof with / sizeof *with; k++)
		for (int with_d = 0; with_d < 2; with_d++) {
			ek_plan *plan = square_plan(with[k], with_d, 0, 0);

			square_check(plan, with_d);
			ek_plan_destroy(plan);
		}
	ek_matrix_destroy(square.A);
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
	plan = square_plan("csr.split.gpu", false, 64, 0);
	expect_explained(plan, says);
	s = plan->root.state;
	before = launches_on(ctx);
	square_check(plan, false);
	assert_int_equal(launches_on(ctx) > before, works);
	if (above >= 0)
		assert_true(fabs((double)s->piece[1].begin / SQUARE_ROWS - above) < 0.05);
	ek_plan_destroy(plan);
}

static void choices(ek_context *ctx, eki_memory memory)
{
	const double s = 1e9;
	ek_hints hints = {.size = sizeof hints, .memory = 1 << 20};
	ek_plan *plan;

	(void)memory;
	square_make(ctx);
	ctx->timing = made_up;
	check_choice(ctx, s, s / 100, s, "the processor alone, since both together would not", -1);
	check_choice(ctx, s / 100, s, s, "the device alone, since both together would not", -1);
	check_choice(ctx, s, s, 0.98 * s, "the processor alone", -1);
	check_choice(ctx, s, s, 0.6 * s, "both at once, by the speeds measured", 0.5);
	check_choice(ctx, 3 * s, s, 0.8 * s, "both at once, by the speeds measured", 0.25);
	check_choice(ctx, s, 4 * s, 0.8 * s, "both at once, by the speeds measured", 0.8);
	ctx->timing = NULL;
	hints.B = square.A;
	hints.method = "csr.split.gpu";
	expect_status(ek_plan_create(EK_SPGEMM, square.A, &hints, &plan), EK_OK);
	expect_explained(plan, "the processor alone, since the parts of C");
	square_check(plan, false);
	ek_plan_destroy(plan);
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(choices)

/* Computes A B and compares it with csr.serial. Checks what the plan says. */
static void check_product(const ek_matrix *A, const ek_matrix *B, const char *says)
{
	ek_hints hints = {.size = sizeof hints, .method = "csr.split.gpu", .B = B, .calls = 64};
	ek_matrix *C[2] = {NULL};

	for (int k = 0; k < 2; k++) {
		ek_plan *plan;

		expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
		if (k == 0)
			expect_explained(plan, says);
		expect_status(ek_spgemm(plan, 1, 0, &C[k]), EK_OK);
		ek_plan_destroy(plan);
		hints.method = "csr.serial";
	}
	assert_null(different_array(C[0], C[1]));
	ek_matrix_destroy(C[0]);
	ek_matrix_destroy(C[1]);
}

/* Checks samples and cuts where one row has most of the products, so both sides together may not
 * be worth it. */
static void long_rows(ek_context *ctx, eki_memory memory)
{
	static const struct {
		int64_t length[5];
		const char *says;
	} matrix[] = {{{60}, "the processor alone"},
	              {{0, 0, 0, 0, 60}, "both at once"}, /* the device has the empty rows */
	              {{1, 1, 60, 1, 1}, "both at once"},
	              {{40, 60}, "both at once, by the speeds measured"},
	              {{1, 0, 0, 30, 60}, "both at once, by the speeds measured"},
	              {{60, 1, 1, 1, 1}, "both at once"}};
	ek_matrix *B = rows_stairs(ctx, 60, 1, 2);

	(void)memory;
	ctx->timing = made_up;
	device_ns = host_ns = 1e9;
	both_ns = 0.6e9;
	for (size_t k = 0; k < sizeof matrix / sizeof *matrix; k++) {
		ek_matrix *A = rows_of_lengths(ctx, k ? 5 : 1, 60, NULL, matrix[k].length);

		check_product(A, B, matrix[k].says);
		ek_matrix_destroy(A);
	}
	ctx->timing = NULL;
	ek_matrix_destroy(B);
}

ON_EACH_DEVICE(long_rows)

/* Checks that a context whose name asks for both kinds of core uses both, unless the device is a
 * processor. */
static void by_name(ek_context *ctx, eki_memory memory)
{
	const ek_device_info info = ctx->device->info;
	ek_plan *plan;

	(void)memory;
	square_make(ctx);
	ctx->together = true;
	for (int gpu = 0; gpu < 2; gpu++) {
		call_device(ctx, gpu ? "gpu" : "cpu");
		plan = square_plan(NULL, false, 1, 0);
		assert_int_equal(strcmp(ek_plan_method(plan), "spgemm.csr.split.gpu") == 0, gpu);
		if (gpu)
			expect_explained(plan, "by a sample");
		square_check(plan, false);
		ek_plan_destroy(plan);
	}
	ctx->device->info = info;
	ctx->together = false;
	ek_matrix_destroy(square.A);
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
	call_device(ctx, "gpu");
	for (int to_device = 0; to_device < 2; to_device++) {
		square_make(ctx);
		if (to_device)
			ctx->device->info.memory = 200000; /* then A goes there in batches */
		device_ns = host_ns = 1e9;
		both_ns = 0.6e9;
		plan = square_plan(NULL, true, 64, 1);
		if (to_device)
			expect_explained(plan, "in batches, since it does not fit there");
		s = plan->root.state;
		assert_true(s->moves);
		for (int k = 0; k < 12; k++) {
			double *val = square.A->store.array[CSR_VAL];

			for (int64_t e = 0; k == 6 && e < square.A->store.nnz; e++)
				val[e] *= 3;
			if (k == 6)
				expect_status(ek_matrix_values_changed(square.A), EK_OK);
			both_ns = 1e8 * (2 + (to_device ? EKI_PIECES - s->first : s->first));
			waited_ns = to_device ? 0 : both_ns / 2;
			square_check(plan, true);
		}
		assert_true(s->balance.settled);
		assert_int_equal(s->first, to_device ? EKI_PIECES - 1 : 1);
		expect_explained(plan, "and nothing moves any more");
		ek_plan_destroy(plan);
		ek_matrix_destroy(square.A);
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

/* Checks that the device's work is launched by a thread of its own, but by the caller if functions
 * of the caller's might be called in that thread. */
static void own_thread(ek_context *ctx, eki_memory memory)
{
	const bool hooks = ctx->hooks;
	ek_plan *plan;

	(void)memory;
	square_make(ctx);
	plan = square_plan("csr.split.gpu:share=300", false, 0, 0);
	watch_driver(ctx);
	square_check(plan, false);
	assert_int_equal(watch.elsewhere > 0, !hooks);
	assert_int_equal(watch.there > 0, hooks);
	watch.elsewhere = 0;
	ctx->options.parallel = in_turn;
	square_check(plan, false);
	ctx->options.parallel = NULL;
	assert_int_equal(watch.elsewhere, 0);
	assert_true(watch.there > 0);
	ctx->device->driver = watch.real;
	ek_plan_destroy(plan);
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(own_thread)

/* Checks that the processor does what the device has no memory for. */
static void too_large(ek_context *ctx, eki_memory memory)
{
	ek_plan *plan;

	if (memory == EKI_MEMORY_SHARED) /* then the driver allocates nothing for the operands */
		return;
	square_make(ctx);
	watch_driver(ctx);
	watch.most = 1000;
	plan = square_plan("csr.split.gpu", false, 64, 0);
	expect_explained(plan, "the processor alone, since the device has too little memory");
	square_check(plan, false);
	ctx->device->driver = watch.real;
	ek_plan_destroy(plan);
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(too_large)

/* Makes each launch of a run fail in turn: first of one that makes a new C, then of one into it. A
 * new C is not made, and the plan must work afterwards. */
static void failures(ek_context *ctx, eki_memory memory)
{
	ek_matrix *C = NULL;
	ek_plan *plan;

	(void)memory;
	square_make(ctx);
	plan = square_plan("csr.split.gpu:share=400", false, 0, 0);
	watch_driver(ctx);
	for (int again = 0; again < 2; again++) {
		int failed = 0;

		for (;; failed++) {
			watch.fail_launch = failed;
			if (ek_spgemm(plan, 1, 0, &C) == EK_OK)
				break;
			assert_non_null(strstr(ek_error_text(), "a launch failed"));
			assert_int_equal(C != NULL, again);
		}
		assert_true(failed >= 1);
	}
	ctx->device->driver = watch.real;
	square_check(plan, false);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(failures)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cut),  cmocka_unit_test(test_choices),
		cmocka_unit_test(test_by_name),    cmocka_unit_test(test_moves),
		cmocka_unit_test(test_own_thread), cmocka_unit_test(test_long_rows),
		cmocka_unit_test(test_too_large),  cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
