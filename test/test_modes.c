/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that the contents of files do not depend on the program's floating-point mode: the rounding
 * mode, and flush-to-zero and denormals-are-zero (which -ffast-math sets). In each mode the same
 * text must be written and the same bits read. Conversions to another value type, in memory or from
 * a file, must also give the same bits. */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "io/io.h"
#include "io/number.h"
#include "support/folder.h"
#include "support/modes.h"
#include "support/random.h"
#include "support/support.h"

enum { N = 64 };

/* Fills x and f with denormal numbers: the least, the largest, their neighbours, and random ones;
 * unless denormal_only, also with numbers that directed rounding would change. */
static void fill(double *x, float *f, bool denormal_only)
{
	static const double edge[] = {0x1p-1074,
	                              -0x1p-1074,
	                              0x1p-1073,
	                              0x1.8p-1073,
	                              0x0.fffffffffffffp-1022,
	                              -0x0.fffffffffffffp-1022,
	                              0x0.8p-1022,
	                              0x1.23456p-1050};
	static const float edge32[] = {0x1p-149F,   -0x1p-149F,       0x1p-148F,
	                               0x1.8p-148F, 0x0.fffffep-126F, -0x0.fffffep-126F,
	                               0x0.8p-126F, 0x1.23p-140F};
	static const double usual[] = {DBL_MIN, -DBL_MIN, DBL_MAX, 0.1, -0.3, 1e23, 9.5e-7, -0.0};
	static const float usual32[] = {FLT_MIN, -FLT_MIN, FLT_MAX, 0.1F,
	                                -0.3F,   1e23F,    9.5e-7F, -0.0F};
	struct rng r = {7};

	for (int k = 0; k < N; k++) {
		uint64_t bits = rng_next(&r) & 0x800fffffffffffff;
		uint32_t bits32 = (uint32_t)rng_next(&r) & 0x807fffff;

		memcpy(&x[k], &bits, sizeof bits);
		memcpy(&f[k], &bits32, sizeof bits32);
		if (k < 8) {
			x[k] = edge[k];
			f[k] = edge32[k];
		} else if (k < 16 && !denormal_only) {
			x[k] = usual[k - 8];
			f[k] = usual32[k - 8];
		}
	}
}

static void check_values(const ek_matrix *A, const void *expected, size_t bytes)
{
	ek_view v = {.size = sizeof v};

	expect_status(ek_matrix_array(A, "val", &v), EK_OK);
	assert_memory_equal(v.data, expected, bytes);
}

/* Writes and reads a matrix of one row, and a vector, in mode `mode`. The text of the matrix's file
 * must equal `text` or, if that is empty, is copied to it. */
static void check_matrix(ek_context *ctx, int mode, ek_value value, const void *val, char *text)
{
	const size_t bytes = N * ek_value_size(value);
	int32_t ptr[2] = {0, N}, col[N];
	int64_t rows = 0, cols = 0;
	char now[8192] = "";
	ek_status status[5];
	ek_matrix *A, *B = NULL;
	void *y = NULL;

	for (int k = 0; k < N; k++)
		col[k] = k;
	in_folder("a.mtx");
	mode_set(mode);
	status[0] = ek_matrix_from_csr(ctx, value, EK_I32, 1, N, ptr, col, val, EK_COPY, &A);
	status[1] = ek_matrix_write(A, path, NULL);
	status[2] = ek_matrix_read(ctx, path, value, EK_I32, NULL, &B);
	mode_set(0);
	for (int k = 0; k < 3; k++)
		expect_status(status[k], EK_OK);
	FILE *f = fopen(path, "r");

	assert_true(fread(now, 1, sizeof now - 1, f) > 0);
	fclose(f);
	assert_non_null(strstr(now, "coordinate real general"));
	if (!*text)
		memcpy(text, now, sizeof now);
	assert_string_equal(now, text);
	check_values(B, val, bytes);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	mode_set(mode);
	status[0] = ek_dense_write(ctx, path, value, N, 1, val);
	status[1] = ek_dense_read(ctx, path, value, NULL, &rows, &cols, &y);
	mode_set(0);
	expect_status(status[0], EK_OK);
	expect_status(status[1], EK_OK);
	assert_memory_equal(y, val, bytes);
	ek_free(ctx, y, bytes);
	unlink(path);
}

static void test_files(void **state)
{
	static char text[2][2][8192];
	double x[N];
	float f[N];

	(void)state;
	for (int threads = 1; threads <= 3; threads += 2) {
		ek_context *ctx = heap_context(&heap, threads, 0);

		for (int mode = 0; mode < MODES; mode++)
			for (int only = 0; only < 2; only++) {
				fill(x, f, only);
				check_matrix(ctx, mode, EK_F64, x, text[only][0]);
				check_matrix(ctx, mode, EK_F32, f, text[only][1]);
			}
		ek_context_destroy(ctx);
	}
}

/* Tests decimals of all lengths. Some are exactly between two neighbouring numbers. */
static void test_decimals(void **state)
{
	struct rng r = {11};

	(void)state;
	for (int k = 0; k < 20000; k++) {
		char text[1200] = {0}, *p = text, written[2][40] = {{0}};
		float f = 0, f_expected;
		double v = 0, v_expected;
		eki_decimal d;

		if (k % 4 == 0) {
			uint32_t bits = (uint32_t)rng_next(&r) & (k % 8 ? 0x00ffffff : 0x7effffff);

			memcpy(&f, &bits, sizeof f);
			p += sprintf(p, "%.160e", ((double)f + (double)nextafterf(f, FLT_MAX)) / 2);
		} else {
			for (int n = 1 + (int)rng_below(&r, 30); n > 0; n--)
				*p++ = (char)('0' + rng_below(&r, 10));
			sprintf(p, "e%d", (int)rng_below(&r, 90) - 60 - (k % 3 ? 0 : 290));
		}
		v_expected = strtod(text, NULL);
		f_expected = strtof(text, NULL);
		mode_set(1 + k % (MODES - 1));
		assert_non_null(eki_take_decimal(text, &d));
		bool quick = eki_rounds_to_nearest();
		int fit = eki_nearest_f64(&d, quick, &v), fit32 = eki_nearest_f32(&d, quick, &f);

		eki_put_f64(written[0], v);
		eki_put_f32(written[1], f);
		mode_set(0);
		if (memcmp(&v, &v_expected, sizeof v) || memcmp(&f, &f_expected, sizeof f))
			fail_msg("%s: %a %a instead of %a %a", text, v, (double)f, v_expected,
			         (double)f_expected);
		assert_int_equal(fit == EKI_TOO_SMALL, v == 0 && d.w != 0);
		assert_int_equal(fit32 == EKI_TOO_LARGE, isinf(f) != 0);
		assert_true(strtod(written[0], NULL) == v && strtof(written[1], NULL) == f);
	}
}

/* Checks that integers of too many digits are rounded to nearest even in every mode. */
static void test_integers(void **state)
{
	static const char text[] = "%%MatrixMarket matrix coordinate integer general\n1 4 4\n"
				   "1 1 16777217\n1 2 -16777219\n1 3 33554437\n1 4 7\n";
	static const float expected[] = {16777216, -16777220, 33554436, 7};
	ek_context *ctx = heap_context(&heap, 1, 0);

	(void)state;
	for (int mode = 0; mode < MODES; mode++) {
		ek_matrix *A = NULL;

		mode_set(mode);
		ek_status status = ek_matrix_read_memory(ctx, "t", text, sizeof text - 1, EK_F32,
		                                         EK_I32, NULL, &A);

		mode_set(0);
		expect_status(status, EK_OK);
		check_values(A, expected, sizeof expected);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

/* Sets values of a matrix made from coordinates, which keep their bits unless they are added. */
static void test_set_values(void **state)
{
	ek_context *ctx = heap_context(&heap, 1, 0);
	int32_t row[N] = {0}, col[N];
	double x[N];
	float f[N];
	ek_matrix *A;

	(void)state;
	for (int k = 0; k < N; k++)
		col[k] = k;
	fill(x, f, false);
	x[20] = 0.0; /* would become -0 if it were added to -0 and rounded downwards */
	for (int mode = 0; mode < MODES; mode++) {
		expect_status(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 1, N, N, row, col, x,
		                                 EK_KEEP_ORDER, &A),
		              EK_OK);
		mode_set(mode);
		ek_status status = ek_matrix_set_values(A, N, x);

		mode_set(0);
		expect_status(status, EK_OK);
		check_values(A, x, sizeof x);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

/* ---- Conversion of types --------------------------------------------------------------------- */

static char logged[256];

static void keep_log(void *user, ek_log_level level, const char *text)
{
	(void)user;
	assert_int_equal(level, EK_LOG_WARNING);
	snprintf(logged, sizeof logged, "%s", text);
}

/* Fills x with values at the edges of f32: midpoints between neighbouring numbers, also denormal
 * ones; doubles next to a midpoint; and the largest value that fits. Fills f with the values of x,
 * rounded in the processor's default mode. Returns how many values become 0. */
static int fill_f64(double *x, float *f)
{
	static const double edge[] = {0x1.fffffefffffffp127,  0x1.fffffep127,
	                              0x1.000001p0,           0x1p-150,
	                              0x1.0000000000001p-150, -0x1.ffffffp-127};
	int lost = 0;

	fill(x, f, false);
	for (int k = 16; k < N; k++) {
		const double middle = ((double)f[k] + (double)nextafterf(f[k], 1)) / 2;

		x[k] = k % 3 == 0 ? middle : nextafter(middle, k % 3 == 1 ? -1 : 1);
	}
	memcpy(x + 10, edge, sizeof edge);
	for (int k = 0; k < N; k++) {
		f[k] = (float)x[k];
		lost += f[k] == 0 && x[k] != 0;
	}
	return lost;
}

/* Narrows A to f32, by a binary file read as f32 if `file` is true, else by conversion. Either way,
 * the bits must be those expected, and the warning the same. */
static void check_narrow(ek_context *ctx, int mode, const ek_matrix *A, bool file,
                         const float *expected, int lost)
{
	const ek_convert_options to = {.size = sizeof to, .value = EK_F32};
	ek_matrix *B = NULL;
	char remark[600];
	ek_status status;

	in_folder("a.ekm");
	snprintf(remark, sizeof remark, "%s%s%d values are too small for f32", file ? path : "",
	         file ? ": " : "", lost);
	if (file)
		expect_status(ek_matrix_write(A, path, NULL), EK_OK);
	logged[0] = '\0';
	mode_set(mode);
	status = file ? ek_matrix_read(ctx, path, EK_F32, EK_I32, NULL, &B)
	              : ek_matrix_convert(A, "csr", &to, &B);
	mode_set(0);
	expect_status(status, EK_OK);
	check_values(B, expected, N * sizeof *expected);
	assert_true(strstr(logged, remark) == logged);
	ek_matrix_destroy(B);
	if (file)
		unlink(path);
}

static void test_narrow(void **state)
{
	const ek_convert_options to = {.size = sizeof to, .value = EK_F32};
	ek_options o = {.size = sizeof o, .threads = 1, .log = keep_log};
	int32_t ptr[2] = {0, N}, col[N];
	ek_context *ctx;
	double x[N];
	float f[N];
	ek_matrix *A, *B = NULL;

	(void)state;
	for (int k = 0; k < N; k++)
		col[k] = k;
	const int lost = fill_f64(x, f);

	assert_true(lost > 8);
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, N, ptr, col, x, 0, &A), EK_OK);
	for (int mode = 0; mode < MODES; mode++) {
		check_narrow(ctx, mode, A, false, f, lost);
		if (eki_xxhash_version())
			check_narrow(ctx, mode, A, true, f, lost);
	}
	ek_matrix_destroy(A);
	x[5] = -0x1.ffffffp127;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, N, ptr, col, x, 0, &A), EK_OK);
	for (int mode = 0; mode < MODES; mode++) {
		mode_set(mode);
		ek_status status = ek_matrix_convert(A, "csr", &to, &B);

		mode_set(0);
		expect_error(status, EK_EOVERFLOW, "entry 5 (row 0, column 5) is beyond the range");
	}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that denormal f32 numbers keep their value in f64, even if taken for 0 in arithmetic. */
static void test_widen(void **state)
{
	const ek_convert_options to = {.size = sizeof to, .value = EK_F64};
	ek_context *ctx = heap_context(&heap, 1, 0);
	int32_t ptr[2] = {0, N}, col[N];
	double x[N], got = 0;
	float f[N];
	ek_matrix *A, *B = NULL;

	(void)state;
	fill(x, f, false);
	for (int k = 0; k < N; k++) {
		col[k] = k;
		x[k] = (double)f[k];
	}
	expect_status(ek_matrix_from_csr(ctx, EK_F32, EK_I32, 1, N, ptr, col, f, EK_COPY, &A),
	              EK_OK);
	for (int mode = 0; mode < MODES; mode++) {
		mode_set(mode);
		ek_status status = ek_matrix_convert(A, "csr", &to, &B);

		mode_set(0);
		expect_status(status, EK_OK);
		check_values(B, x, sizeof x);
		ek_matrix_destroy(B);
		mode_set(mode);
		status = ek_matrix_get(A, 0, 3, &got);
		mode_set(0);
		expect_status(status, EK_OK);
		assert_memory_equal(&got, &x[3], sizeof got);
	}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that ek_matrix_set rounds values to f32 in the same way in every mode. */
static void test_set(void **state)
{
	ek_context *ctx = heap_context(&heap, 1, 0);
	int32_t ptr[2] = {0, 1}, col[1] = {0};
	double x[N];
	float f[N], now = 1;
	ek_matrix *A;
	ek_view v = {.size = sizeof v};

	(void)state;
	fill_f64(x, f);
	expect_status(ek_matrix_from_csr(ctx, EK_F32, EK_I32, 1, 1, ptr, col, &now, EK_COPY, &A),
	              EK_OK);
	expect_status(ek_matrix_array(A, "val", &v), EK_OK);
	for (int mode = 0; mode < MODES; mode++)
		for (int k = 0; k <= N; k++) {
			mode_set(mode);
			ek_status status = ek_matrix_set(A, 0, 0, k < N ? x[k] : 0x1.ffffffp127);

			mode_set(0);
			expect_status(status, k < N ? EK_OK : EK_EOVERFLOW);
			assert_memory_equal(v.data, &f[k < N ? k : N - 1], sizeof now);
		}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),    cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_integers), cmocka_unit_test(test_set_values),
		cmocka_unit_test(test_narrow),   cmocka_unit_test(test_widen),
		cmocka_unit_test(test_set),
	};

	return run_all_tests(tests, folder_setup, folder_teardown);
}
