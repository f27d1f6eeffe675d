/* SPDX-License-Identifier: BSD-3-Clause
 * Tests Inf and NaN in x and in A. By IEEE arithmetic, an x_j that is not finite must reach the
 * rows with an entry in column j, and no other row, whatever a format pads or fills in. All methods
 * of the table are tested, and all formats with several parameters. A new row of the table is
 * tested without a change here. */
#include <math.h>

#include "plan/plan.h"
#include "support/contexts.h"
#include "support/devices.h"

enum { ROWS = 300, COLS = 211, MOST = 20 * ROWS };

static struct rng draw = {5};

/* The matrix and the vectors under test. Numbers are small integers, some of them 0. One row is
 * long; others have 0 to 12 entries, near a line or anywhere. */
static struct {
	int32_t row_ptr[ROWS + 1], col_idx[MOST];
	double val[MOST], x[2][ROWS]; /* x[0] for op N, x[1] for op T */
} A;

static void make_matrix(void)
{
	int32_t k = 0;

	for (int i = 0; i < ROWS; i++) {
		const bool all = i == 130;
		const int64_t want = all ? 160 : i % 7 == 3 ? 0 : rng_below(&draw, 13);
		int64_t left = want;

		A.row_ptr[i] = k;
		for (int j = 0; j < COLS && left > 0; j++) {
			const bool near = i / 2 < COLS && abs(j - i / 2) < 6;

			/* Near the line j = i / 2, entries are so dense that they form blocks and
			 * diagonals. */
			if (rng_below(&draw, all ? COLS - j : near ? 2 : 40) >= (all ? left : 1))
				continue;
			A.col_idx[k] = j;
			A.val[k++] = (double)rng_below(&draw, 9) - 4;
			left--;
		}
	}
	A.row_ptr[ROWS] = k;
}

/* Draws x. Makes some elements of x infinite or NaN if `where` is 1, or of A if it is 2. */
static void make_values(int where)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};

	for (int op = 0; op < 2; op++)
		for (int j = 0; j < ROWS; j++)
			A.x[op][j] = (double)rng_below(&draw, 9) - 4;
	for (int k = 0; k < 6 && where == 1; k++)
		for (int op = 0; op < 2; op++)
			A.x[op][rng_below(&draw, op ? ROWS : COLS)] = bad[k % 3];
	for (int k = 0; k < 6 && where == 2; k++)
		A.val[rng_below(&draw, A.row_ptr[ROWS])] = bad[k % 3];
}

/* Computes y = op(A) x + y0. The order of summation does not matter: sums of small integers are
 * exact, and a sum that is not finite is the same in any order. */
static void reference(int op, double y0, double *y)
{
	for (int i = 0; i < ROWS; i++)
		y[i] = y0;
	for (int i = 0; i < ROWS; i++)
		for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
			if (op)
				y[A.col_idx[k]] += A.val[k] * A.x[1][i];
			else
				y[i] += A.val[k] * A.x[0][A.col_idx[k]];
}

static ek_status typed_matrix(ek_context *ctx, ek_value value, ek_matrix **M)
{
	static float val[MOST];

	for (int k = 0; k < A.row_ptr[ROWS]; k++)
		val[k] = (float)A.val[k];
	return ek_matrix_from_csr(ctx, value, EK_I32, ROWS, COLS, A.row_ptr, A.col_idx,
	                          value == EK_F64 ? (void *)A.val : val, EK_COPY, M);
}

static double at(ek_value value, const void *v, int i)
{
	return value == EK_F64 ? ((const double *)v)[i] : (double)((const float *)v)[i];
}

static void check_run(ek_plan *plan, ek_value value, int op, double y0, const char *name)
{
	const int in = op ? ROWS : COLS, out = op ? COLS : ROWS;
	double x[ROWS] = {0}, y[ROWS], right[ROWS];
	const ek_dense X = ek_vector(value, in, x), Y = ek_vector(value, out, y);

	for (int j = 0; j < in; j++)
		if (value == EK_F64)
			x[j] = A.x[op][j];
		else
			((float *)x)[j] = (float)A.x[op][j];
	for (int i = 0; i < out; i++)
		if (value == EK_F64)
			y[i] = y0;
		else
			((float *)y)[i] = (float)y0;
	reference(op, y0, right);
	expect_status(ek_spmv(plan, 1, &X, y0 != 0, &Y), EK_OK);
	for (int i = 0; i < out; i++) {
		const double is = at(value, y, i);

		if (!(is == right[i] || (isnan(is) && isnan(right[i]))))
			fail_msg("%s op %c %s: y[%d] is %g instead of %g", name, op ? 'T' : 'N',
			         ek_value_name(value), i, is, right[i]);
	}
}

/* Checks op N and op T with a method, a format, or both. NULL leaves the choice to the library. No
 * format or method has a reason to refuse this matrix. */
static void check(ek_context *ctx, const char *method, const char *format, int turn)
{
	const ek_value value = turn % 2 ? EK_F32 : EK_F64;

	for (int op = 0; op < 2; op++) {
		if (method && !ek_method_supports(ek_method_find(method), op ? EK_OP_T : EK_OP_N,
		                                  EK_REPRO_RUN))
			continue;

		const ek_hints hints = {.size = sizeof hints,
		                        .method = method,
		                        .format = format,
		                        .op = op ? EK_OP_T : EK_OP_N};
		ek_matrix *M;
		ek_plan *plan;

		expect_status(typed_matrix(ctx, value, &M), EK_OK);
		if (ek_plan_create(EK_SPMV, M, &hints, &plan) != EK_OK)
			fail_msg("%s op %c: no plan: %s", method ? method : format, op ? 'T' : 'N',
			         ek_error_text());
		check_run(plan, value, op, 0, method ? method : format);
		check_run(plan, value, op, 3, method ? method : format);
		ek_plan_destroy(plan);
		ek_matrix_destroy(M);
	}
}

static void test_methods(void **state)
{
	(void)state;
	for (int turn = 0; turn < 24; turn++) {
		make_matrix();
		make_values(turn % 3);
		for (const ek_method *m = NULL; (m = matrix_method_next(m));)
			check(contexts_turn(turn), ek_method_name(m), NULL, turn / 2);
	}
}

/* Writes the name of a format with all its parameters, each 1, 2, 4 or 8 times its least value, but
 * at most its largest. */
static void format_text(const ek_format *f, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", ek_format_name(f));
	const ek_format_param *p;

	for (int k = 0; (p = ek_format_get_param(f, k)); k++) {
		const int64_t v = p->min << rng_below(&draw, 4);

		used += (size_t)snprintf(text + used, size - used, "%c%s=%lld", k ? ',' : ':',
		                         p->name, (long long)(v < p->max ? v : p->max));
	}
}

static void test_formats(void **state)
{
	(void)state;
	for (int turn = 0; turn < 40; turn++) {
		make_matrix();
		make_values(turn % 3);
		for (const ek_format *f = NULL; (f = ek_format_next(f));) {
			char text[128];

			format_text(f, text, sizeof text);
			if (f != &ek_format_csc) /* CSC has no kernels of its own */
				check(contexts_turn(turn), NULL, text, turn / 2);
		}
	}
}

/* Tests methods of devices in the same way, also with random parameters of their formats. */
static void test_devices(void **state)
{
	(void)state;
	need_device();
	for (int turn = 0; turn < 18; turn++) {
		ek_context *ctx = devices.of[turn / 3 % devices.count].ctx;

		make_matrix();
		make_values(turn % 3);
		for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPMV));) {
			char text[128];

			check(ctx, ek_method_name(m), NULL, turn / 2);
			format_text(m->format[0], text, sizeof text);
			if (m->format[0] != &ek_format_csr)
				check(ctx, ek_method_name(m), text, turn / 2);
		}
	}
}

/* Tells whether this build has the format that `format` names, with or without parameters, and the
 * method `method`, unless that is NULL. */
static bool exists(const char *format, const char *method)
{
	const size_t length = strcspn(format, ":");
	const ek_format *f = NULL;

	while ((f = ek_format_next(f)))
		if (strncmp(ek_format_name(f), format, length) == 0 && !ek_format_name(f)[length])
			break;
	return f && (!method || ek_method_find(method));
}

/* Checks that with alpha = Inf, a row without entries and in no block gives beta y, wherever work
 * is divided between threads. */
static void test_alpha(void **state)
{
	static const char *const format[] = {"csr",      "coo",          "csr5:omega=4,sigma=4",
	                                     "bcsr:r=1", "bcoo:r=1,c=2", "bccoo:r=1,c=3"};
	static const double beta[] = {0, 0.5, 1};

	(void)state;
	for (int turn = 0; turn < 54; turn++) {
		const ek_hints hints = {.size = sizeof hints,
		                        .method = turn % 6 ? NULL : "spmv.csr.acsr",
		                        .format = format[turn % 6]};
		double x[COLS], y[ROWS];
		const ek_dense X = ek_vector(EK_F64, COLS, x), Y = ek_vector(EK_F64, ROWS, y);
		ek_matrix *M;
		ek_plan *plan;

		if (!exists(hints.format, hints.method))
			continue;
		make_matrix();
		for (int j = 0; j < COLS; j++)
			x[j] = 1;
		for (int i = 0; i < ROWS; i++)
			y[i] = 3;
		expect_status(typed_matrix(contexts_turn(turn / 6), EK_F64, &M), EK_OK);
		expect_status(ek_plan_create(EK_SPMV, M, &hints, &plan), EK_OK);
		expect_status(ek_spmv(plan, (double)INFINITY, &X, beta[turn / 6 % 3], &Y), EK_OK);
		for (int i = 0; i < ROWS; i++)
			if (A.row_ptr[i] == A.row_ptr[i + 1] && y[i] != 3 * beta[turn / 6 % 3])
				fail_msg("%s: y[%d] is %g", hints.format, i, y[i]);
		ek_plan_destroy(plan);
		ek_matrix_destroy(M);
	}
}

static int setup(void **state)
{
	return contexts_setup_isas(state) || devices_setup(state);
}

static int teardown(void **state)
{
	return devices_teardown(state) || contexts_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_alpha),
		cmocka_unit_test(test_devices),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
