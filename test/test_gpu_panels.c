/* SPDX-License-Identifier: BSD-3-Clause
 * Tests panels of columns on devices: all columns in panels, and none; columns at the edges of
 * panels; one column, one row with nearly all entries, rows in many panels, empty rows at both
 * ends, columns with the counts of a power law; parameters at their limits. Sums of integers are
 * exact, and sums of reals must have the same bits in each run and in each plan. NaN and infinity
 * in x must not reach rows that do not have its column, although places without an entry stand
 * for a column. */
#include <math.h>

#include "support/devices.h"
#include "support/exact.h"
#include "support/random.h"
#include "support/support.h"

enum columns { ANY, ONCE, POWER, APART };

/* Row i has `usual` entries, row `which` has `longest`, and the first and last `empty` rows have
 * none. `panels` is the number that the plan must report, or -1 if it is the method's choice. */
static const struct kind {
	const char *name, *method;
	int64_t rows, cols, usual, which, longest, empty;
	enum columns columns;
	int panels;
} kinds[] = {
	{"all columns hot", "", 3000, 500, 9, 0, 9, 0, ANY, 1},
	{"no column hot", "", 5000, 5000, 1, 0, 1, 0, ONCE, 0},
	{"one column", "", 5000, 1, 1, 0, 1, 7, ANY, 0},
	{"one column, narrow panels", ":width=16,panels=4096", 3000, 1, 1, 0, 1, 0, ANY, 1},
	{"one entry", ":panels=1", 9, 9, 0, 5, 1, 0, ANY, 1},
	{"one entry in no panel", "", 9, 9, 0, 5, 1, 0, ANY, 0},
	{"width - 1 columns", ":width=64,panels=9", 700, 63, 12, 3, 900, 0, ANY, 1},
	{"width columns", ":width=64,panels=9", 700, 64, 12, 3, 900, 0, ANY, 1},
	{"width + 1 columns", ":width=64,panels=9", 700, 65, 12, 3, 900, 0, ANY, 2},
	{"width + 1 columns, one panel", ":width=64,panels=1", 700, 65, 12, 3, 900, 0, ANY, 1},
	{"2 width + 1 columns", ":width=16,panels=9", 700, 33, 12, 3, 900, 0, ANY, 3},
	{"the widest panels", ":width=32768,panels=2", 900, 40000, 30, 0, 9000, 0, ANY, 2},
	{"one row", "", 4001, 40000, 0, 2000, 90000, 0, POWER, -1},
	{"one row among short ones", ":width=64,panels=20", 4001, 9000, 3, 1, 90000, 1, ANY, 20},
	{"a row in many panels", ":width=16,panels=200", 3000, 3200, 1, 7, 3200, 1, APART, 200},
	{"rows in many panels", ":width=16,panels=70", 300, 1400, 100, 7, 100, 1, APART, 70},
	{"empty rows at both ends", ":width=64,panels=2", 5000, 5000, 11, 9, 3, 1700, ANY, 2},
	{"power law", "", 9000, 60000, 11, 40, 5000, 0, POWER, -1},
	{"power law, two panels", ":panels=2,width=64", 9000, 60000, 11, 40, 5000, 3, POWER, 2},
	{"power law, many panels", ":panels=40,width=64", 9000, 60000, 11, 40, 5000, 0, POWER, 40},
	{"a full tile", ":panels=1", 2048, 2048, 1, 0, 1, 0, ANY, 1},
	{"a full tile and an entry", ":panels=1", 2049, 2048, 1, 0, 1, 0, ANY, 1},
	{"a full cold tile", "", 2048, 2048, 1, 0, 1, 0, ONCE, 0},
	{"a full cold tile and an entry", "", 2049, 2049, 1, 0, 1, 0, ONCE, 0},
	{"one column, the most panels", ":width=16,panels=65535", 3000, 1, 1, 0, 1, 0, ANY, 1},
};

static struct rng draw = {11};
static int64_t nnz, *ptr, *col;
static double *val, *x, *y;

static int64_t length(const struct kind *k, int64_t i)
{
	if (i < k->empty || i >= k->rows - k->empty)
		return 0;
	return i == k->which + k->empty ? k->longest : k->usual;
}

/* Returns the column of entry e of row i. */
static int64_t column(const struct kind *k, int64_t i, int64_t e)
{
	const int64_t any = rng_below(&draw, k->cols);

	switch (k->columns) {
	case ONCE: return (i + e) * 7919 % k->cols; /* 7919 is prime */
	case APART: return (i + e * (k->cols / length(k, i))) % k->cols;
	case POWER:
		return (int64_t)((double)k->cols * pow((double)any / (double)k->cols, 3)) * 37 %
		       k->cols;
	default: return any;
	}
}

static void make(const struct kind *k, bool real)
{
	ptr = calloc((size_t)k->rows + 1, sizeof *ptr);
	y = calloc((size_t)k->rows, sizeof *y);
	x = calloc((size_t)k->cols, sizeof *x);
	for (int64_t i = 0; i < k->rows; i++)
		ptr[i + 1] = ptr[i] + length(k, i);
	nnz = ptr[k->rows];
	col = malloc((size_t)nnz * sizeof *col);
	val = malloc((size_t)nnz * sizeof *val);
	for (int64_t j = 0; j < k->cols; j++)
		x[j] = real ? rng_real(&draw, 20) : rng_integer(&draw, 4);
	for (int64_t i = 0; i < k->rows; i++)
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) {
			col[e] = column(k, i, e - ptr[i]);
			val[e] = real ? rng_real(&draw, 20) : rng_integer(&draw, 4);
		}
}

static void drop(void)
{
	free(ptr);
	free(col);
	free(val);
	free(x);
	free(y);
}

/* Sets y to A x, or with op T x to A^T y, which is of integers, too. */
static void multiply(const struct kind *k, ek_op op)
{
	if (op == EK_OP_T)
		for (int64_t i = 0; i < k->rows; i++)
			y[i] = rng_integer(&draw, 4);
	for (int64_t j = 0; op == EK_OP_T && j < k->cols; j++)
		x[j] = 0;
	for (int64_t i = 0; i < k->rows; i++) {
		if (op == EK_OP_N)
			y[i] = 0;
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
			if (op == EK_OP_T)
				x[col[e]] += val[e] * y[i];
			else
				y[i] += val[e] * x[col[e]];
	}
}

static const char *method_of(const struct kind *k)
{
	static char name[80];

	snprintf(name, sizeof name, "spmv.csr.panels.gpu%s", k->method);
	return name;
}

/* Returns the context for a kind. Compiling takes most of the time, so the quick tier uses one
 * context and one pair of types for each width. */
static const struct device_context *context_of(const struct kind *k, int turn)
{
	const char *width = strstr(k->method, "width=");

	if (test_tier() <= TIER_QUICK)
		turn = width ? atoi(width + 6) / 16 : 1;
	return &devices.of[turn % devices.count];
}

static ek_matrix *matrix(const struct kind *k, const struct device_context *on, ek_value value,
                         ek_index index)
{
	const ek_convert_options types = {.size = sizeof types, .value = value, .index = index};
	ek_matrix *A, *B;

	expect_status(
		ek_matrix_from_csr(on->ctx, EK_F64, EK_I64, k->rows, k->cols, ptr, col, val, 0, &A),
		EK_OK);
	expect_status(ek_matrix_convert(A, "csr", &types, &B), EK_OK);
	ek_matrix_destroy(A);
	return B;
}

/* Makes a plan, and checks how many panels it reports. Returns NULL if the device has too little
 * local memory. */
static ek_plan *plan_for(const struct kind *k, const ek_matrix *A, ek_op op)
{
	const ek_hints hints = {.size = sizeof hints, .method = method_of(k), .op = op};
	char text[2000], expected[40];
	ek_plan *plan;
	ek_status status;

	status = ek_plan_create(EK_SPMV, A, &hints, &plan);
	if (status == EK_EUNSUPPORTED && strstr(ek_error_text(), "bytes of local memory"))
		return NULL;
	expect_status(status, EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	snprintf(expected, sizeof expected, "\n%d panels of ", k->panels);
	if (op == EK_OP_N && k->panels >= 0 && !strstr(text, expected))
		fail_msg("%s: not %d panels: %s", k->name, k->panels, text);
	return plan;
}

/* Checks products with integers, before and after the values change. */
static void check_sums(const struct kind *k, const struct device_context *on, ek_value value,
                       ek_index index, ek_op op)
{
	const bool t = op == EK_OP_T;
	char text[160];
	ek_matrix *A;
	ek_plan *plan;

	make(k, false);
	snprintf(text, sizeof text, "%s, op %c on %s, %s, index %s", k->name, t ? 'T' : 'N',
	         on->text, ek_value_name(value), ek_index_name(index));
	A = matrix(k, on, value, index);
	plan = plan_for(k, A, op);
	for (int pass = 0; plan && pass < 2; pass++) {
		void *values = malloc((size_t)nnz * ek_value_size(value));

		for (int64_t e = 0; e < nnz; e++) {
			val[e] = pass ? rng_integer(&draw, 4) : val[e];
			value_set(value, values, e, val[e]);
		}
		expect_status(ek_matrix_set_values(A, nnz, values), EK_OK);
		multiply(k, op);
		check_exact(plan, value, t ? k->rows : k->cols, t ? y : x, t ? k->cols : k->rows,
		            t ? x : y, text);
		free(values);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	drop();
}

static void test_sums(void **state)
{
	const int count = (int)(sizeof kinds / sizeof *kinds);

	(void)state;
	need_device();
	for (int k = 0; k < count; k++) {
		const int turn = test_tier() > TIER_QUICK ? k : 1;

		check_sums(&kinds[k], context_of(&kinds[k], k), (ek_value)(1 + turn % 2),
		           (ek_index)(1 + turn / 2 % 3), k % 4 == 3 ? EK_OP_T : EK_OP_N);
	}
}

static void run_into(ek_plan *plan, const struct kind *k, double *out)
{
	ek_dense vx = ek_vector(EK_F64, k->cols, x), vy = ek_vector(EK_F64, k->rows, out);

	expect_status(ek_spmv(plan, 1, &vx, 0, &vy), EK_OK);
}

/* Checks that runs and plans give the same bits, with and without NaN and infinity in x. */
static void test_bits(void **state)
{
	static const struct kind *const of[] = {&kinds[12], &kinds[17], &kinds[19]};

	(void)state;
	need_device();
	for (int c = 0; c < 3; c++) {
		const struct kind *k = of[c];
		const size_t bytes = (size_t)k->rows * sizeof(double);
		double *one = malloc(bytes), *two = malloc(bytes);
		ek_matrix *A;

		make(k, true);
		x[col[ptr[k->rows / 2]]] = INFINITY; /* in the longest row, or in few rows */
		x[col[0]] = x[0] = NAN;
		A = matrix(k, context_of(k, c), EK_F64, EK_I32);
		for (int again = 0; again < 2; again++) {
			ek_plan *plan = plan_for(k, A, EK_OP_N);

			run_into(plan, k, again ? two : one);
			for (int run = 0; run < 3; run++) {
				run_into(plan, k, two);
				assert_memory_equal(one, two, bytes);
			}
			ek_plan_destroy(plan);
		}
		for (int64_t i = 0; i < k->rows; i++) {
			bool all = true;

			for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
				all &= isfinite(x[col[e]]) != 0;
			if (all != (isfinite(one[i]) != 0))
				fail_msg("%s: y[%lld] is %g", k->name, (long long)i, one[i]);
		}
		ek_matrix_destroy(A);
		drop();
		free(one);
		free(two);
	}
}

/* Checks that parameters that a device cannot have are refused. */
static void test_refused(void **state)
{
	const struct kind k = {"refused", ":width=15", 9, 9, 1, 0, 1, 0, ANY, 0};
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.panels.gpu:width=15"};
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	need_device();
	make(&k, false);
	A = matrix(&k, &devices.of[0], EK_F64, EK_I32);
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EINVAL, "width");
	ek_matrix_destroy(A);
	drop();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_refused),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
