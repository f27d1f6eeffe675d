/* SPDX-License-Identifier: BSD-3-Clause
 * Tests formats of dense blocks on devices, in all 64 block sizes. Rows and columns are no
 * multiples of the block size. In some matrices a block row extends over several groups; in others
 * many block rows end in one tile, or some are empty. Where a column has no entries, x is NaN or
 * infinity, by which fill must not be multiplied. Sums are exact, and each plan runs twice. */
#include "support/devices.h"
#include "support/random.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* Formats, to which the block size is added, and the methods for them. */
static const struct {
	const char *format, *method;
} formats[] = {
	{"bccoo:", "spmv.bccoo.gpu"},
	{"bcoo:", "spmv.bcoo.gpu"},
	{"bcsr:", "spmv.bcsr.gpu"},
	{"bccoo:deltas=1,", "spmv.bccoo.gpu"},
	{"bccoo:deltas=2,", "spmv.bccoo.gpu"},
	{"bell:", "spmv.bell.gpu"},
	{"sbell:", "spmv.sbell.gpu"},
};

enum { ROWS = 1501, COLS = 907, KINDS = 4, MOST = 60000, RUNS = 2 };
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static struct rng draw = {11};
static int64_t ptr[ROWS + 1], col[MOST];
static double val[MOST], x[COLS], right[ROWS];

static int64_t length(int kind, int64_t i)
{
	switch (kind) {
	case 0: return 1 + i % 4; /* no empty row */
	case 1: return i / 16 % 3 == 1 ? 0 : i % 100 == 50 ? 400 : i % 7;
	case 2: return i >= 900 && i < 916 ? 700 : 0; /* entries in a few block rows only */
	default: return i < 30 ? 500 : 2;             /* long rows, then short rows, no empty row */
	}
}

static void make(int kind)
{
	int64_t nnz = 0;

	for (int64_t j = 0; j < COLS; j++)
		x[j] = j % 9 != 4 ? (double)rng_integer(&draw, 5) : j % 2 ? NAN : INFINITY;
	for (int64_t i = 0; i < ROWS; i++) {
		const int64_t n = length(kind, i), first = 9 * rng_below(&draw, COLS / 9);

		right[i] = 0;
		for (int64_t k = 0; k < n; k++) {
			const int64_t j = (first + k * (n > 90 ? 1 : 5)) % COLS;

			if (j % 9 == 4)
				continue;
			col[nnz] = j;
			val[nnz] = rng_integer(&draw, 5);
			right[i] += val[nnz] * x[j];
			nnz++;
		}
		ptr[i + 1] = nnz;
	}
	assert_true(nnz <= MOST);
}

static void check_run(ek_plan *plan, ek_value value, double alpha, double beta, const void *in,
                      const char *what)
{
	const ek_dense X = ek_vector(value, COLS, (void *)in);
	double room[ROWS]; /* room for y of either value type */
	const ek_dense Y = ek_vector(value, ROWS, room);

	for (int64_t i = 0; i < ROWS; i++)
		value_set(value, room, i, beta == 0 ? NAN : (double)(i % 5));
	expect_status(ek_spmv(plan, alpha, &X, beta, &Y), EK_OK);
	for (int64_t i = 0; i < ROWS; i++) {
		const double want = alpha * right[i] + beta * (double)(i % 5);

		if (value_at(value, room, i) != want)
			fail_msg("%s: y[%lld] is %g; %g is expected", what, (long long)i,
			         value_at(value, room, i), want);
	}
}

static void check_matrix(const struct device_context *on, const ek_matrix *A, ek_value value, int r,
                         int c, int kind)
{
	double in[COLS];

	for (int64_t j = 0; j < COLS; j++)
		value_set(value, in, j, x[j]);
	for (int k = 0; k < COUNT(formats); k++) {
		/* The programs of the last two are compiled for each r and c, and test_bccoo has
		 * some of the two before. */
		if (k >= 3 && test_tier() <= TIER_QUICK && (k < 5 || (3 * r + c) % 8))
			continue;

		char format[40], what[200];
		const ek_hints hints = {
			.size = sizeof hints, .method = formats[k].method, .format = format};
		ek_plan *plan;

		snprintf(format, sizeof format, "%sr=%d,c=%d", formats[k].format, r, c);
		snprintf(what, sizeof what, "%s %s on %s, kind %d", format, ek_value_name(value),
		         on->text, kind);
		const ek_status status = ek_plan_create(EK_SPMV, A, &hints, &plan);

		if (k == 5 && status == EK_ELIMIT) /* one long block row makes bell too large */
			continue;
		expect_status(status, EK_OK);
		for (int run = 0; run < RUNS; run++)
			check_run(plan, value, run ? -2 : 0.5, run ? 0.5 : 0, in, what);
		ek_plan_destroy(plan);
	}
}

static void check_size(int r, int c, unsigned turn)
{
	const struct device_context *on = &devices.of[turn % (unsigned)devices.count];
	const int kind = (int)(turn % KINDS);
	/* Few types, since compiling, once for every c and type, takes most of the time. */
	const unsigned type = test_tier() <= TIER_QUICK ? (unsigned)c % 2 : (unsigned)(r + c) % 6;
	ek_matrix *wide, *A;

	make(kind);
	expect_status(ek_matrix_from_csr(on->ctx, EK_F64, EK_I64, ROWS, COLS, ptr, col, val,
	                                 EK_BORROW, &wide),
	              EK_OK);
	expect_status(convert_types(wide, type % 2 ? EK_F32 : EK_F64, (ek_index)(1 + type % 3), &A),
	              EK_OK);
	check_matrix(on, A, type % 2 ? EK_F32 : EK_F64, r, c, kind);
	ek_matrix_destroy(A);
	ek_matrix_destroy(wide);
}

static void test_sizes(void **state)
{
	const unsigned kinds = test_tier() <= TIER_QUICK ? 1 : KINDS;
	unsigned turn = 0;

	(void)state;
	need_device();
	for (int r = 1; r <= 8; r++)
		for (int c = 1; c <= 8; c++, turn++)
			for (unsigned k = 0; k < kinds; k++)
				check_size(r, c, turn + k + (unsigned)r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
