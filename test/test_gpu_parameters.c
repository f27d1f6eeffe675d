/* SPDX-License-Identifier: BSD-3-Clause
 * Tests methods of devices with their parameters at and near the limits, so that small matrices
 * reach every branch. Rows have very different lengths; in some matrices, successive rows have
 * equal lengths. Data are small integers, so results must equal those of a loop over rows bit for
 * bit. Each plan runs twice, since some plans keep counters on the device between runs. */
#include "support/devices.h"
#include "support/exact.h"
#include "support/random.h"
#include "support/support.h"

static const char *const methods[] = {
	"spmv.csr.classes.gpu",
	"spmv.csr.classes.gpu:u=1",
	"spmv.csr.classes.gpu:u=1,s=1",
	"spmv.csr.classes.gpu:u=1,w=32,s=12,columns=32",
	"spmv.csr.classes.gpu:u=3,w=64,s=30,columns=32",
	"spmv.csr.classes.gpu:u=16,s=2147483647",
	"spmv.csr.classes.gpu:w=512,u=1,s=5",
	"spmv.csr.classes.gpu:columns=16",
	"spmv.csr.classes.gpu:u=1,w=32,s=12,columns=16",
	"spmv.csr.classes.gpu:u=3,w=64,s=30,columns=16",
	"spmv.csr.classes.gpu:u=16,s=2147483647,columns=16",
	"spmv.csr.classes.gpu:u=1,w=32,s=1,columns=16",
	"spmv.csr.patterns.gpu",
	"spmv.csr.patterns.gpu:u=3,w=32,columns=16", /* refused by devices that are processors */
	"spmv.csr.patterns.gpu:u=3,w=32",
	"spmv.csr.patterns.gpu:u=16,w=32,s=20",
	"spmv.csr.patterns.gpu:u=2,w=512",
	"spmv.csr.merge.gpu",
	"spmv.csr.merge.gpu:u=1",
	"spmv.csr.merge.gpu:u=2",
	"spmv.csr.merge.gpu:u=12",
};

enum { COLS = 300001 };

static struct rng draw;
static int64_t rows, nnz, *ptr, *col;
static double *val, x[COLS], *y;

/* Returns the length of row i in a matrix of kind 0 to 4. */
static int64_t length(int kind, int64_t i)
{
	const int64_t luck = rng_below(&draw, 1000);

	switch (kind) {
	case 0: /* short rows with some long ones among them */
		return luck < 5 ? 3000 + 5 * luck : luck < 60 ? 17 * luck : luck % 11;
	case 1: /* runs of rows of equal length */
		return i < 500 ? 4 : i < 600 ? 70 : i < 700 ? 513 : i < 900 ? 33 : 1;
	case 2: /* one long row, all other rows empty */ return i == 4000 ? 9000 : 0;
	case 3: return luck < 900 ? 40 + luck % 7 : 0;
	default: /* runs of rows of equal length; shared_column gives the rows of a run one shape */
		return (const int[]){5, 1, 9, 27, 0, 300, 70, 7}[i / 61 % 8];
	}
}

/* Returns a random column for an entry of row i. Most columns of a row are close together; the
 * others are anywhere, so that some are outside any window of 2^16 columns. */
static int64_t column(int64_t i)
{
	return rng_below(&draw, 8) > 0 ? i * 180 + rng_below(&draw, 3000) : rng_below(&draw, COLS);
}

/* Returns the column of entry k of row i. Each row of a run is the one before, shifted by -2 or by
 * 0 to 3 columns. */
static int64_t shared_column(int64_t i, int64_t k)
{
	const int64_t step = i / 37 % 5 < 4 ? i / 37 % 5 : -2;

	return 1000 + step * (i % 300) + k * (1 + i / 61 % 3);
}

static void make(int kind)
{
	rows = kind == 2 ? 6000 : 1500;
	ptr = calloc((size_t)rows + 1, sizeof *ptr);
	for (int64_t i = 0; i < rows; i++)
		ptr[i + 1] = ptr[i] + length(kind, i);
	nnz = ptr[rows];
	col = malloc((size_t)nnz * sizeof *col);
	val = malloc((size_t)nnz * sizeof *val);
	y = malloc((size_t)rows * sizeof *y);
	for (int64_t k = 0; k < nnz; k++) {
		val[k] = rng_integer(&draw, 9);
	}
	for (int j = 0; j < COLS; j++)
		x[j] = rng_integer(&draw, 9);
	for (int64_t i = 0; i < rows; i++) {
		y[i] = 0;
		for (int64_t k = ptr[i]; k < ptr[i + 1]; k++) {
			col[k] = kind == 4 ? shared_column(i, k - ptr[i])
			                   : column(kind == 2 ? i / 6 : i);
			y[i] += val[k] * x[col[k]];
		}
	}
}

static void drop(void)
{
	free(ptr);
	free(col);
	free(val);
	free(y);
}

static bool is_processor(const struct device_context *on)
{
	ek_device_info info = {.size = sizeof info};

	expect_status(ek_context_get_device(on->ctx, &info), EK_OK);
	return strcmp(info.kind, "cpu") == 0;
}

static void check(const struct device_context *on, const char *method, ek_value value,
                  ek_index index)
{
	const ek_hints hints = {.size = sizeof hints, .method = method};
	const ek_convert_options types = {.size = sizeof types, .value = value, .index = index};
	ek_matrix *A, *B;
	ek_plan *plan;
	char text[200];

	snprintf(text, sizeof text, "%s on %s, %s, index %s", method, on->text,
	         ek_value_name(value), ek_index_name(index));
	expect_status(ek_matrix_from_csr(on->ctx, EK_F64, EK_I64, rows, COLS, ptr, col, val,
	                                 EK_BORROW, &A),
	              EK_OK);
	expect_status(ek_matrix_convert(A, "csr", &types, &B), EK_OK);
	if (strstr(method, "patterns") && strstr(method, "columns=16") && is_processor(on)) {
		expect_error(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_EUNSUPPORTED,
		             "columns is 16");
	} else {
		expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
		check_exact(plan, value, COLS, x, rows, y, text);
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

static void test_parameters(void **state)
{
	(void)state;
	need_device();
	for (int kind = 0; kind < 5; kind++) {
		make(kind);
		/* Test one pair of types for each method, since compiling takes most of the
		 * time. */
		for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
			check(&devices.of[(m + (size_t)kind) % (size_t)devices.count], methods[m],
			      (ek_value)(1 + m % 2), (ek_index)(1 + m % 3));
		drop();
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameters)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
