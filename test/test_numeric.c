/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the checks of results: they must accept right results and catch wrong ones, from a plain
 * product in this file, with one kind of error at a time. */
#include <math.h>

#include "support/support.h"
#include "support/bound.h"

enum error { NONE, DROPPED, DOUBLED, SWAPPED, NARROW, MOVED, NOT_A_NUMBER, ERRORS };

/* Computes y = alpha A x + beta y0 in f64, with an error in row `at` (NARROW: in all rows). */
static void faulty(const struct typed *t, double alpha, const double *x, double beta,
                   const double *y0, enum error error, int64_t at, double *y)
{
	for (int64_t i = 0; i < t->rows; i++) {
		int64_t begin = typed_ptr(t, i), end = typed_ptr(t, i + 1);
		const double *val = t->val;
		double sum = 0;
		float narrow = 0;

		for (int64_t k = begin; k < end; k++) {
			bool here = i == at && k == begin + (end - begin) / 2;
			int64_t j = typed_idx(t, here && error == SWAPPED ? k - 1 : k);

			narrow += (float)(val[k] * x[j]);
			sum += here && error == DROPPED ? 0 : val[k] * x[j];
			sum += here && error == DOUBLED ? val[k] * x[j] : 0;
		}
		sum = error == NARROW ? narrow : sum;
		sum = error == NOT_A_NUMBER && i == at ? (double)NAN : sum;
		y[i] = alpha * sum + (beta == 0 ? 0 : beta * y0[i]);
	}
	if (error == MOVED) {
		double y1 = y[at];

		y[at] = y[at + 1];
		y[at + 1] = y1;
	}
}

/* Returns the number of the shape called `name` with `row` entries in row 0. */
static int find_shape(const char *name, int64_t row)
{
	int count = shape_count();

	for (int k = 0; k < count; k++) {
		struct shape s;
		int64_t n;

		shape_make(&s, k, DATA_EXACT);
		n = s.rows > 1 ? s.ptr[1] : 0;
		shape_free(&s);
		if (strcmp(shape_name(k), name) == 0 && n == row)
			return k;
	}
	fail_msg("no shape %s", name);
	return -1;
}

static void check_errors(enum data data, double alpha, double beta)
{
	struct rng rng = {42};
	struct shape s;
	struct typed t;
	struct reference r;
	double x[200], y0[200], y[200];

	shape_make(&s, find_shape("equal", 16), data);
	typed_make(&t, &s, EK_F64, EK_I32, 1);
	assert_in_range(s.cols, 2, 200);
	for (int i = 0; i < 200; i++) {
		x[i] = data == DATA_EXACT ? rng_integer(&rng, SHAPE_X) : rng_real(&rng, 4);
		y0[i] = data == DATA_EXACT ? rng_integer(&rng, SHAPE_Y) : rng_real(&rng, 4);
	}
	reference_make(&r, &t, EK_OP_N, x);
	for (int error = NONE; error < ERRORS; error++) {
		int64_t at = 11, row = -2;
		double ratio = 0;

		if (error == NARROW && data == DATA_EXACT)
			continue; /* these integers are exact in f32 too */
		faulty(&t, alpha, x, beta, y0, (enum error)error, at, y);
		if (data == DATA_EXACT)
			row = exact_fault(&r, alpha, beta, y0, y);
		else
			ratio = bound_ratio(&r, alpha, beta, y0, y, &row);
		if (error == NONE && (ratio > 1 || (data == DATA_EXACT && row != -1)))
			fail_msg("a right result was refused in row %lld, ratio %g", (long long)row,
			         ratio);
		if (error != NONE && data == DATA_EXACT && row != at)
			fail_msg("error %d was not seen by comparison", error);
		if (error != NONE && data == DATA_REAL && !(ratio > 1))
			fail_msg("error %d was not seen by the bound: ratio %g", error, ratio);
	}
	reference_free(&r);
	typed_free(&t);
	shape_free(&s);
}

static void test_exact(void **state)
{
	(void)state;
	check_errors(DATA_EXACT, 1, 0);
	check_errors(DATA_EXACT, 2.5, -1);
}

static void test_bound(void **state)
{
	(void)state;
	check_errors(DATA_REAL, 1, 0);
	check_errors(DATA_REAL, 0.1, 2.5);
}

/* Checks that in a row with one entry, an error of one unit in the last place is beyond the bound
 * for alpha = 1 and beta = 0. */
static void test_last_place(void **state)
{
	double x[100], y[100];
	struct shape s;
	struct typed t;
	struct reference r;
	int64_t row;

	(void)state;
	shape_make(&s, find_shape("equal", 1), DATA_EXACT);
	typed_make(&t, &s, EK_F64, EK_I64, 0);
	for (int i = 0; i < 100; i++)
		x[i] = 1;
	reference_make(&r, &t, EK_OP_N, x);
	for (int64_t i = 0; i < t.rows; i++)
		y[i] = value_at(EK_F64, t.val, i);
	assert_true(bound_ratio(&r, 1, 0, NULL, y, &row) == 0);
	y[5] *= 1 + 0x1p-52;
	assert_true(bound_ratio(&r, 1, 0, NULL, y, &row) > 1);
	assert_int_equal(row, 5);
	reference_free(&r);
	typed_free(&t);
	shape_free(&s);
}

/* Checks that y0 is not read if beta = 0, and that empty rows give 0 then, else beta y0. */
static void test_empty_rows(void **state)
{
	double x[507] = {0}, y[8] = {0}, y0[8];
	struct shape s = {0};
	struct typed t;
	struct reference r;
	int64_t row;

	(void)state;
	shape_make(&s, find_shape("no-entries", 0), DATA_REAL);
	typed_make(&t, &s, EK_F64, EK_I32, 0);
	poison(EK_F64, y0, 8);
	reference_make(&r, &t, EK_OP_N, x);
	assert_true(bound_ratio(&r, 1, 0, y0, y, &row) == 0);
	assert_int_equal(exact_fault(&r, 1, 0, y0, y), -1);
	y[0] = 0x1p-1000;
	if (s.rows > 0)
		assert_true(bound_ratio(&r, 1, 0, y0, y, &row) > 1);
	reference_free(&r);
	typed_free(&t);
	shape_free(&s);
}

/* Checks that with the integers of DATA_EXACT, every partial sum is at most 2^22. As alpha and beta
 * may be 2.5, sums are multiples of 1/2, which are exact in f32 up to 2^23. */
static void test_exact_data_is_exact(void **state)
{
	int count = shape_count();

	(void)state;
	for (int k = 0; k < count; k++)
		for (int op = 0; op < 2; op++) {
			struct shape s, o;

			shape_make(&s, k, DATA_EXACT);
			if (op) {
				shape_transpose(&s, &o);
				shape_free(&s);
				s = o;
			}
			for (int64_t i = 0; i < s.rows; i++) {
				double sum = 0;

				for (int64_t e = s.ptr[i]; e < s.ptr[i + 1]; e++) {
					assert_true(s.val[e] != 0 && s.val2[e] != 0);
					assert_in_range(s.col[e], 0, s.cols - 1);
					sum += fabs(s.val[e]) > fabs(s.val2[e]) ? fabs(s.val[e])
					                                        : fabs(s.val2[e]);
				}
				assert_true(sum * SHAPE_X * 2.5 + 2.5 * SHAPE_Y <= 0x1p22);
			}
			shape_free(&s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_last_place),
		cmocka_unit_test(test_empty_rows),
		cmocka_unit_test(test_exact_data_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
