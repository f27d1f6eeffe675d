/* SPDX-License-Identifier: BSD-3-Clause
 * Tests which rows of sparse products device and processor take when they do them together
 * (spgemm.csr.split.gpu): the choice by times that the test makes up, samples that mislead, long
 * rows, pieces that move, and slices of B that are the same for all. Results must have the bits of
 * the plain method of the processor. */
#include <math.h>
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

/* ---- Made-up times --------------------------------------------------------------------------- */

/* Nanoseconds of a product by the device, by the processor, and by both, and the part of the last
 * in which the processor waits. */
static double device_ns, host_ns, both_ns, waited_ns;
/* Products that were timed by each, the first of which are of a sample, and the nanoseconds of
 * these if the sample is unlike the other rows. */
static int timed_device, timed_host, timed_both;
static double sample_device_ns, sample_host_ns;
enum { TIMED = 3, SAMPLE = 16 }; /* products by each for one time; 1 / part of the sample */

static double made_up_side(int *timed, double sample_ns, double all_ns)
{
	return (*timed)++ >= TIMED ? all_ns : sample_ns > 0 ? sample_ns : all_ns / SAMPLE;
}

static double made_up(const ek_method *method, bool prepares, double ns)
{
	(void)ns;
	if (prepares)
		return waited_ns;
	if (uses_both(method))
		return timed_both++, both_ns;
	return needs_device(method) ? made_up_side(&timed_device, sample_device_ns, device_ns)
	                            : made_up_side(&timed_host, sample_host_ns, host_ns);
}

static void make_up(double device, double host, double both)
{
	timed_device = timed_host = timed_both = 0;
	device_ns = device;
	host_ns = host;
	both_ns = both;
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

	make_up(device, host, both);
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

/* Checks that a sample that is unlike the other rows does not decide when many products are
 * announced, and that it alone does when they are not. */
static void wrong_samples(ek_context *ctx, eki_memory memory)
{
	static const struct {
		double sample_device, sample_host, device, host, both;
		const char *says;
		int device_runs, host_runs, both_runs; /* timed, in units of TIMED */
	} of[] = {
		/* The device is faster in the sample, the processor with all rows. */
		{0.1, 0.2, 3, 1, 2, "the processor alone", 2, 2, 1},
		/* The processor is, and then the device. */
		{0.2, 0.1, 1, 3, 2, "the device alone", 2, 2, 1},
		/* The sample says that one would not help, so that is not tried. */
		{0.001, 1, 1, 2, 0.6, "the device alone", 1, 1, 0},
		{1, 0.001, 2, 1, 0.6, "the processor alone", 1, 1, 0},
		/* One is far slower in the sample, and the other with all rows. */
		{0.01, 0.1, 9, 1, 2, "the processor alone", 2, 2, 1},
	};
	const double s = 1e9;

	(void)memory;
	square_make(ctx);
	ctx->timing = made_up;
	for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
		sample_device_ns = of[k].sample_device * s;
		sample_host_ns = of[k].sample_host * s;
		check_choice(ctx, of[k].device * s, of[k].host * s, of[k].both * s, of[k].says, -1);
		assert_int_equal(timed_device, TIMED * of[k].device_runs);
		assert_int_equal(timed_host, TIMED * of[k].host_runs);
		assert_int_equal(timed_both, TIMED * of[k].both_runs);
	}
	for (int64_t calls = 0; calls < 2; calls++) { /* none are announced, or few */
		make_up(s, s, s);
		ek_plan *plan = square_plan("csr.split.gpu", false, 63 * calls, 0);

		expect_explained(plan, "(by a sample)");
		assert_int_equal(timed_device, TIMED);
		assert_int_equal(timed_host, TIMED);
		assert_int_equal(timed_both, 0);
		square_check(plan, false);
		ek_plan_destroy(plan);
	}
	sample_device_ns = sample_host_ns = 0;
	ctx->timing = NULL;
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(wrong_samples)

/* Computes A B by a plan, which it destroys, and compares it with csr.serial. */
static void check_result(ek_plan *plan, const ek_matrix *A, const ek_matrix *B)
{
	const ek_hints plain = {.size = sizeof plain, .method = "csr.serial", .B = B};
	ek_matrix *C = NULL, *expected = NULL;

	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	ek_plan_destroy(plan);
	expect_status(ek_plan_create(EK_SPGEMM, A, &plain, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &expected), EK_OK);
	ek_plan_destroy(plan);
	assert_null(different_array(C, expected));
	ek_matrix_destroy(C);
	ek_matrix_destroy(expected);
}

/* Checks what a plan for A B says and computes. */
static void check_product(const ek_matrix *A, const ek_matrix *B, const char *says)
{
	const ek_hints hints = {
		.size = sizeof hints, .method = "csr.split.gpu", .B = B, .calls = 64};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_explained(plan, says);
	check_result(plan, A, B);
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
	make_up(1e9, 1e9, 0.6e9);
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
		make_up(1e9, 1e9, 0.6e9);
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

/* Checks that B has as many slices in all pieces if one of them, that of the long row, has room for
 * slices of B only, beside its rows, and the others have room for all of B. */
static void same_slices(ek_context *ctx, eki_memory memory)
{
	enum { LENGTH = 60, ROWS = 1 + LENGTH, EACH = 40, ROOM = 12000 /* bytes beside B */ };
	const ek_device_info info = ctx->device->info;
	int64_t lengths[ROWS], on_device = 0;
	const eki_sparse_both *s;
	ek_plan *plan;

	(void)memory;
	for (int i = 0; i < ROWS; i++)
		lengths[i] = i ? 1 : LENGTH;
	ek_matrix *A = rows_of_lengths(ctx, ROWS, LENGTH, NULL, lengths);
	ek_matrix *B = rows_stairs(ctx, LENGTH, EACH, EACH);
	const ek_hints hints = {.size = sizeof hints, .B = B, .calls = 64, .measure = 1};

	ctx->together = true;
	ctx->timing = made_up;
	make_up(1e9, 1e9, 0.6e9);
	call_device(ctx, "gpu");
	/* A tenth is left for other use. */
	ctx->device->info.memory = (eki_store_bytes(&B->store) + ROOM) * 10 / 9;
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	s = plan->root.state;
	assert_true(s->moves);
	for (int k = 0; k < s->pieces; k++) {
		const eki_step *child = s->piece[k].step[EKI_DEVICE_SIDE];

		if (child)
			assert_int_equal(child->param[EKI_BATCHED_SLICES], 2);
		on_device += child != NULL;
	}
	assert_true(on_device > 2);
	check_result(plan, A, B);
	ctx->device->info = info;
	ctx->timing = NULL;
	ctx->together = false;
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

ON_EACH_DEVICE(same_slices)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices),   cmocka_unit_test(test_wrong_samples),
		cmocka_unit_test(test_by_name),   cmocka_unit_test(test_moves),
		cmocka_unit_test(test_long_rows), cmocka_unit_test(test_same_slices),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
