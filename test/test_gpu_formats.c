/* SPDX-License-Identifier: BSD-3-Clause
 * Tests formats other than CSR on devices. Parameters of formats and methods are at or near their
 * limits, so that small matrices reach every branch: slices of one row and of all rows, rows cut
 * into pieces, each part of a cocktail. There are no duplicates, since some formats refuse them.
 * Data are small integers, so results must equal those of a loop over rows bit for bit. */
#include "support/devices.h"
#include "support/exact.h"
#include "support/random.h"
#include "support/support.h"

static const struct {
	const char *name, *format; /* method and format; NULL means the method's default format */
	int from;                  /* first kind of matrix that the format is not too large for */
} methods[] = {
	{"spmv.scoo.gpu", NULL, 0},
	{"spmv.scoo.gpu", "scoo:height=1", 0},
	{"spmv.scoo.gpu", "scoo:height=67", 0},
	{"spmv.scoo.gpu:sums=66", "scoo:height=67", 0},
	{"spmv.scoo.gpu", "scoo:height=65536", 0},
	{"spmv.scoo.gpu:sums=1", "scoo:height=65536", 0},
	{"spmv.scoo.gpu:sums=1", "scoo:height=1000", 0},
	{"spmv.brc.gpu", NULL, 0},
	{"spmv.brc.gpu", "brc:height=1,width=1", 0},
	{"spmv.brc.gpu", "brc:height=32,width=7,window=1073741824", 0},
	{"spmv.brc.gpu", "brc:height=3,width=1048576,window=256", 0},
	{"spmv.brc.gpu", "brc:height=64,width=100", 0},
	{"spmv.cocktail.gpu", NULL, 0},
	{"spmv.cocktail.gpu", "cocktail", 0},
	{"spmv.bell.gpu", "bell:r=3,c=5", 4},
	{"spmv.sbell.gpu", NULL, 3},
	{"spmv.sbell.gpu", "sbell:r=8,c=8,h=64", 4},
	{"spmv.sbell.gpu", "sbell:r=1,c=2,h=1", 0},
	{"spmv.bdia.gpu", NULL, 5},
	{"spmv.csr.padded.gpu", NULL, 0},
	{"spmv.csr.padded.gpu:pad=8", NULL, 0},
};

enum { COLS = 12007 };                        /* a prime, so that equal steps reach every column */
enum { KINDS = 6, BAND = 10450, WIDE = 300 }; /* kind 5 has a band of so many diagonals */

static struct rng draw;
static int64_t rows, nnz, *ptr, *col;
static double *val, x[COLS], *y;

/* Returns the length of row i in a matrix of kind 0 to 5. */
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
	case 5: return i >= COLS - BAND ? 1 : 1 + (COLS - BAND - i < WIDE ? COLS - BAND - i : WIDE);
	default: return 28 + (luck < 50 ? luck % 9 : 0); /* entries for each part of a cocktail */
	}
}

/* Returns the column of entry n of row i, which differs for all n. In kind 4, a row has entries on
 * 12 diagonals, then in two blocks of 8 x 8, then in columns after the blocks. In kind 5 it has one
 * on the main diagonal, then those of a band that leaves the matrix on the right. In other kinds,
 * entries can be in any column. */
static int64_t column(int kind, int64_t i, int64_t n, int64_t start, int64_t step)
{
	if (kind < 4)
		return (start + n * step) % COLS;
	if (kind == 5)
		return n == 0 ? i : i + BAND + n - 1;
	return n < 12   ? i + 7 * n
	       : n < 28 ? 7000 + i / 8 * 37 % 300 * 8 + n - 12
	                : 9500 + start % 2400 + n;
}

static void make(int kind)
{
	rows = kind == 2 || kind == 4 ? 6000 : 1500;
	ptr = calloc((size_t)rows + 1, sizeof *ptr);
	for (int64_t i = 0; i < rows; i++)
		ptr[i + 1] = ptr[i] + length(kind, i);
	nnz = ptr[rows];
	col = malloc((size_t)nnz * sizeof *col);
	val = malloc((size_t)nnz * sizeof *val);
	y = malloc((size_t)rows * sizeof *y);
	for (int64_t i = 0; i < rows; i++) {
		const int64_t start = rng_below(&draw, COLS - 20);
		const int64_t step = 1 + rng_below(&draw, COLS - 1);

		for (int64_t k = ptr[i]; k < ptr[i + 1]; k++) {
			col[k] = column(kind, i, k - ptr[i], start, step);
			val[k] = rng_integer(&draw, 9);
		}
	}
	for (int j = 0; j < COLS; j++)
		x[j] = rng_integer(&draw, 9);
	for (int64_t i = 0; i < rows; i++) {
		y[i] = 0;
		for (int64_t k = ptr[i]; k < ptr[i + 1]; k++)
			y[i] += val[k] * x[col[k]];
	}
}

static void drop(void)
{
	free(ptr);
	free(col);
	free(val);
	free(y);
}

static void check(const struct device_context *on, size_t m, ek_value value, ek_index index)
{
	const char *method = methods[m].name, *format = methods[m].format;
	const ek_hints hints = {.size = sizeof hints, .method = method, .format = format};
	const ek_convert_options types = {.size = sizeof types, .value = value, .index = index};
	ek_matrix *A, *B;
	ek_plan *plan;
	char text[200];

	snprintf(text, sizeof text, "%s %s on %s, %s, index %s", method, format ? format : "",
	         on->text, ek_value_name(value), ek_index_name(index));
	expect_status(ek_matrix_from_csr(on->ctx, EK_F64, EK_I64, rows, COLS, ptr, col, val,
	                                 EK_BORROW, &A),
	              EK_OK);
	expect_status(ek_matrix_convert(A, "csr", &types, &B), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
	check_exact(plan, value, COLS, x, rows, y, text);
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

static void test_formats_on_devices(void **state)
{
	(void)state;
	need_device();
	for (int kind = 0; kind < KINDS; kind++) {
		make(kind);
		/* Only one pair of types per method, since compiling takes most of the time. */
		for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
			if (kind >= methods[m].from)
				check(&devices.of[(m + (size_t)kind) % (size_t)devices.count], m,
				      (ek_value)(1 + m % 2), (ek_index)(1 + m % 3));
		drop();
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats_on_devices)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
