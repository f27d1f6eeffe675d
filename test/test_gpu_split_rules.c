/* SPDX-License-Identifier: BSD-3-Clause
 * Tests how products by both kinds of core are divided: the rules as functions, and plans whose
 * times a test makes up. These fall back to either side, and move pieces of the rows through all
 * positions; results are exact wherever the pieces are. */
#include <math.h>
#include <stdio.h>

#include "both/both.h"
#include "support/lengths.h"
#include "support/rows.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct lengths m;
static struct rng rng = {5};

/* ---- The rule of balance --------------------------------------------------------------------- */

/* Follows the rule on a machine where the device takes device[k] seconds for k pieces, and the
 * processor host[k]. Every run but the first with a number of pieces is disturbed. Returns the
 * number of runs until the end. */
static int follow(eki_balance *b, const double *device, const double *host)
{
	int runs = 0;

	for (; !b->settled; runs++) {
		const int k = b->now;
		const double disturbed = b->at[k].runs ? 1.5 : 1;
		const double all = fmax(device[k], host[k]);

		assert_in_range(k, b->least, b->most);
		eki_balance_note(b, disturbed * all, fmax(0, device[k] - host[k]));
		assert_true(runs < 100);
	}
	return runs;
}

static void test_balance(void **state)
{
	double device[EKI_PIECES + 1], host[EKI_PIECES + 1];

	(void)state;
	for (int round = 0; round < 2000; round++)
		for (int start = 1; start < EKI_PIECES; start++) {
			eki_balance b = {.least = 1, .most = EKI_PIECES - 1, .now = start};
			int best = 1;

			device[0] = 0.01 + rng_below(&rng, 100);
			host[0] = 0.01 + rng_below(&rng, 1000);
			for (int k = 1; k <= EKI_PIECES; k++) {
				device[k] = device[k - 1] + 1 + rng_below(&rng, 50);
				host[k] = fmax(0, host[k - 1] - 1 - rng_below(&rng, 50));
			}
			for (int k = 2; k < EKI_PIECES; k++)
				if (fmax(device[k], host[k]) < fmax(device[best], host[best]))
					best = k;
			assert_true(follow(&b, device, host) <= EKI_PIECES * EKI_BALANCE_RUNS);
			/* Waits of less than 2 percent do not count. */
			assert_true(0.98 * fmax(device[b.now], host[b.now]) <=
			            fmax(device[best], host[best]));
			b.settled = true;
			eki_balance_note(&b, 1e-9, 0); /* nothing moves any more */
			assert_true(b.settled);
		}
}

/* ---- The rule of shares ---------------------------------------------------------------------- */

static int cut_of(eki_speeds speeds, int most_lines, double *seconds)
{
	eki_above above[EKI_SHARES + 1];

	for (int k = 0; k <= EKI_SHARES; k++) {
		const double part = (double)k / EKI_SHARES;

		above[k] = (eki_above){.work = part, .lines = part, .rows = part};
		if (most_lines) /* the first rows read all lines */
			above[k].lines = k > 0;
	}
	return eki_best_cut(&speeds, above, seconds);
}

static void test_shares(void **state)
{
	double near, far, none;
	int at, later;

	(void)state;
	assert_int_equal(cut_of((eki_speeds){.device = 1, .host = 1}, 0, &none), EKI_SHARES / 2);
	assert_true(fabs(none - 0.5) < 1e-9);
	assert_int_equal(cut_of((eki_speeds){.device = 1, .host = 3}, 0, &none),
	                 EKI_SHARES * 3 / 4);
	/* Copies take work from the device, the more so if the first rows need all of x. */
	at = cut_of((eki_speeds){.device = 1, .to = 0.5, .host = 1}, 0, &near);
	later = cut_of((eki_speeds){.device = 1, .to = 0.5, .host = 1}, 1, &far);
	assert_true(later < at && at < EKI_SHARES / 2);
	assert_true(0.5 < near && near < far && far < 1);
	/* A device that is far too slow gets the least, one that is far faster nearly all. */
	assert_int_equal(cut_of((eki_speeds){.device = 1e6, .host = 1}, 0, &none), 1);
	assert_int_equal(cut_of((eki_speeds){.device = 1e-6, .host = 1}, 0, &none), EKI_SHARES - 1);
	assert_true(eki_both_pays(0.5, 1));
	assert_false(eki_both_pays(0.99, 1));
	assert_false(eki_both_pays(NAN, 1));
}

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

static void make_random(int64_t rows)
{
	static int len[LENGTHS_ROWS];

	for (int64_t i = 0; i < rows; i++)
		len[i] = (int)rng_below(&rng, 9);
	lengths_make(&m, rows, len, &rng);
}

/* Makes a plan, with hints.measure = `measure` and `calls` announced calls. */
static ek_plan *plan_of(ek_matrix *A, int measure, int64_t calls)
{
	const ek_hints hints = {.size = sizeof hints, .measure = measure, .calls = calls};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	assert_string_equal(ek_plan_method(plan), "spmv.csr.split.gpu");
	return plan;
}

static void check_run(ek_plan *plan, double factor)
{
	static double x[LENGTHS_COLS], y[LENGTHS_ROWS];
	const ek_dense xv = ek_vector(EK_F64, LENGTHS_COLS, x), yv = ek_vector(EK_F64, m.rows, y);

	for (int j = 0; j < LENGTHS_COLS; j++)
		x[j] = j - 4;
	for (int64_t i = 0; i < m.rows; i++)
		y[i] = (double)(i % 5);
	expect_status(ek_spmv(plan, 2, &xv, -1, &yv), EK_OK);
	for (int64_t i = 0; i < m.rows; i++) {
		double sum = 0;

		for (int64_t k = m.ptr[i]; k < m.ptr[i + 1]; k++)
			sum += factor * m.val[k] * x[m.col[k]];
		if (y[i] != 2 * sum - (double)(i % 5))
			fail_msg("y[%lld] is %g, %g is expected", (long long)i, y[i],
			         2 * sum - (double)(i % 5));
	}
}

/* Makes a plan with made-up times, and checks what it says and whether the device works. */
static void check_choice(ek_context *ctx, double device, double host, double both, const char *says,
                         bool launches_some)
{
	ek_matrix *A;
	ek_plan *plan;
	int64_t before;

	device_ns = device;
	host_ns = host;
	both_ns = both;
	make_random(3000);
	expect_status(lengths_matrix(&m, ctx, EK_F64, EK_I32, &A), EK_OK);
	plan = plan_of(A, 0, 0);
	expect_explained(plan, says);
	before = launches_on(ctx);
	check_run(plan, 1);
	assert_int_equal(launches_on(ctx) > before, launches_some);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

static void choices(ek_context *ctx, eki_memory memory)
{
	const double s = 1e9; /* copies, which are measured, take next to nothing of a second */
	ek_matrix *A;
	ek_plan *plan;

	(void)memory;
	ctx->together = true;
	ctx->timing = made_up;
	check_choice(ctx, s, s / 100, s, "the processor alone", false);
	check_choice(ctx, s / 100, s, s, "the device alone", true);
	check_choice(ctx, s, s, 0.98 * s, "the processor alone", false);
	check_choice(ctx, 0.9 * s, s, 0.89 * s, "the device alone", true);
	check_choice(ctx, s, s, 0.6 * s, "both at once, by the speeds measured", true);
	check_choice(ctx, 3 * s, s, 0.8 * s, "both at once, by the speeds measured", true);
	ctx->timing = NULL;
	make_random(100);
	expect_status(lengths_matrix(&m, ctx, EK_F64, EK_I32, &A), EK_OK);
	plan = plan_of(A, 1, 5);
	expect_explained(plan, "as predicted");
	check_run(plan, 1);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ctx->together = false;
}

static void test_choices(void **state)
{
	(void)state;
	each_device(choices);
}

/* Checks what the device is predicted to take for batches if few products are announced: not
 * nothing, even if memory is shared, since A goes to the device in each run. */
static void predicted(ek_context *ctx, eki_memory memory)
{
	static const char device[] = "a product takes, as predicted: the device ";
	const int64_t has = ctx->device->info.memory;
	ek_matrix *A;
	char text[4096];
	ek_plan *plan;

	(void)memory;
	make_random(3000);
	expect_status(lengths_matrix(&m, ctx, EK_F64, EK_I32, &A), EK_OK);
	ctx->together = true;
	ctx->device->info.memory = 50000;
	plan = plan_of(A, 0, 5);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, device));
	assert_true(strtod(strstr(text, device) + sizeof device - 1, NULL) > 0);
	check_run(plan, 1);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ctx->device->info.memory = has;
	ctx->together = false;
}

static void test_predicted(void **state)
{
	(void)state;
	each_device(predicted);
}

/* Lets pieces move in one direction as far as they go. */
static void move_all(ek_context *ctx, bool to_device, int64_t rows)
{
	const int end = to_device ? EKI_PIECES - 1 : 1;
	const eki_both *s;
	int seen = 0, last = 0;
	ek_matrix *A;
	ek_plan *plan;

	device_ns = host_ns = 1e9;
	both_ns = 0.6e9;
	waited_ns = 0;
	make_random(rows);
	expect_status(lengths_matrix(&m, ctx, EK_F64, EK_I32, &A), EK_OK);
	plan = plan_of(A, 1, 0);
	s = plan->root.state;
	assert_true(s->moves);
	for (int k = 0; k < 40; k++) {
		const double factor = k < 10 ? 1 : 3;

		if (k == 10) { /* new values, while pieces move */
			double *val = A->store.array[CSR_VAL];

			for (int64_t e = 0; e < m.nnz; e++)
				val[e] *= factor;
			expect_status(ek_matrix_values_changed(A), EK_OK);
		}
		seen += s->first != last;
		last = s->first;
		both_ns = 1e8 * (2 + (to_device ? EKI_PIECES - last : last));
		waited_ns = to_device ? 0 : both_ns / 2;
		check_run(plan, factor);
	}
	assert_true(s->balance.settled);
	assert_int_equal(s->first, end);
	assert_int_equal(seen, EKI_PIECES / 2);
	expect_explained(plan, "and nothing moves any more");
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

static void moves(ek_context *ctx, eki_memory memory)
{
	(void)memory;
	ctx->together = true;
	ctx->timing = made_up;
	for (int to_device = 0; to_device < 2; to_device++) {
		move_all(ctx, to_device, 5000);
		move_all(ctx, to_device, 12); /* some pieces have no rows */
	}
	ctx->timing = NULL;
	ctx->together = false;
}

static void test_moves(void **state)
{
	(void)state;
	each_device(moves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance), cmocka_unit_test(test_shares),
		cmocka_unit_test(test_choices), cmocka_unit_test(test_predicted),
		cmocka_unit_test(test_moves),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
