/* SPDX-License-Identifier: BSD-3-Clause
 * Writes matrices of all types, as text and in the binary form, and reads them again: the bits must
 * be the same. Text files must not depend on the number of threads. Binary files must be refused if
 * any bit is changed, if they are truncated, or if they state wrong sizes. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#include "support/folder.h"
#include "support/random.h"
#include "support/support.h"

static char *slurp(const char *name, size_t *length)
{
	FILE *f = fopen(name, "rb");
	char *data = malloc(1 << 24);

	assert_non_null(f);
	*length = fread(data, 1, 1 << 24, f);
	fclose(f);
	return data;
}

enum { ROWS = 3000, COLS = 2000, NNZ = 9000 };

/* Makes a matrix with random bits as values, including subnormal numbers and -0. Its entries are
 * sorted, so files keep their order. */
static ek_matrix *random_matrix(ek_context *ctx, ek_value value, ek_index index, int csc,
                                int integers)
{
	static int32_t p32[ROWS + 1], i32[NNZ];
	static int64_t p64[ROWS + 1], i64[NNZ];
	static double f64[NNZ];
	static float f32[NNZ];
	struct rng r = {(uint64_t)(value * 10 + index)};
	ek_matrix *A;

	for (int k = 0; k < NNZ; k++) {
		uint64_t bits = rng_next(&r) & (k % 5 ? ~0ULL : ~(0x7ffULL << 52));

		p32[k / 3] = k / 3 * 3;
		p64[k / 3] = k / 3 * 3;
		i64[k] = k % 3 * 600 + rng_below(&r, 600);
		i32[k] = (int32_t)i64[k];
		memcpy(&f64[k], &bits, 8);
		if (!isfinite(f64[k]) || k % 100 == 7)
			f64[k] = -0.0;
		if (integers)
			f64[k] = (double)(int)(bits % 100000) - 50000;
		bits = (uint32_t)(bits >> 13);
		memcpy(&f32[k], &(uint32_t){(uint32_t)bits}, 4);
		if (!isfinite(f32[k]))
			f32[k] = -0.0F;
		if (integers)
			f32[k] = (float)f64[k];
	}
	p32[ROWS] = NNZ;
	p64[ROWS] = NNZ;
	expect_status((csc ? ek_matrix_from_csc : ek_matrix_from_csr)(
			      ctx, value, index, csc ? COLS : ROWS, csc ? ROWS : COLS,
			      index == EK_I32 ? (void *)p32 : (void *)p64,
			      index == EK_I64 ? (void *)i64 : (void *)i32,
			      value == EK_F64 ? (void *)f64 : (void *)f32, EK_COPY, &A),
	              EK_OK);
	return A;
}

static void same_arrays(const ek_matrix *A, const ek_matrix *B, int csc)
{
	static const char *const name[2][3] = {{"row_ptr", "col_idx", "val"},
	                                       {"col_ptr", "row_idx", "val"}};

	for (int k = 0; k < 3; k++) {
		ek_view a = {.size = sizeof a}, b = {.size = sizeof b};

		expect_status(ek_matrix_array(A, name[csc][k], &a), EK_OK);
		expect_status(ek_matrix_array(B, name[csc][k], &b), EK_OK);
		assert_int_equal(a.len, b.len);
		assert_int_equal(a.elem_size, b.elem_size);
		assert_memory_equal(a.data, b.data, (size_t)a.len * a.elem_size);
	}
}

static void test_round_trips(void **state)
{
	static const char *const name[] = {"a.mtx", "a.ekm", "a.mtx.gz", "a.ekm.zst"};

	(void)state;
	for (int combination = 0; combination < 12 * 4; combination++) {
		ek_value value = combination % 2 ? EK_F32 : EK_F64;
		ek_index index = (ek_index)(combination / 2 % 3 + 1);
		int csc = combination / 6 % 2, form = combination / 12;
		ek_context *ctx = heap_context(&heap, combination % 3 + 1, 0);
		ek_matrix *A = random_matrix(ctx, value, index, csc, 0), *B, *C;
		ek_status status = ek_matrix_write(A, in_folder(name[form]), NULL);

		if (status != EK_EUNSUPPORTED) {
			expect_status(status, EK_OK);
			expect_status(ek_matrix_read(ctx, path, value, index, NULL, &B), EK_OK);
			if (csc && form % 2 == 0) { /* text is read as CSR, so compare in CSR */
				expect_status(convert_types(A, value, index, &C), EK_OK);
				same_arrays(C, B, 0);
				ek_matrix_destroy(C);
			} else {
				same_arrays(A, B, csc);
			}
			ek_matrix_destroy(B);
			unlink(path);
		}
		ek_matrix_destroy(A);
		ek_context_destroy(ctx);
	}
}

/* Checks that integers have no decimal point, and that threads do not change the text. */
static void test_same_text(void **state)
{
	char *text[3];
	size_t length[3];

	(void)state;
	for (int t = 0; t < 3; t++) {
		ek_context *ctx = heap_context(&heap, 2 * t + 1, 0);
		ek_matrix *A = random_matrix(ctx, EK_F64, EK_I32, 0, 1), *B;

		expect_status(ek_matrix_write(A, in_folder("i.mtx"), NULL), EK_OK);
		text[t] = slurp(path, &length[t]);
		assert_non_null(strstr(text[t], "coordinate integer general\n3000 2000 9000\n"));
		assert_int_equal(length[t], length[0]);
		assert_memory_equal(text[t], text[0], length[t]);
		expect_status(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &B), EK_OK);
		same_arrays(A, B, 0);
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
		ek_context_destroy(ctx);
	}
	for (int t = 0; t < 3; t++)
		free(text[t]);
	unlink(path);
}

static void test_damage(void **state)
{
	ek_context *ctx = heap_context(&heap, 2, 0);
	int32_t ptr[4] = {0, 1, 2, 4}, col[4] = {0, 2, 1, 2};
	double val[4] = {1, 2, 3, 4};
	ek_matrix *A, *B;
	size_t length;
	char *data;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 3, ptr, col, val, 0, &A), EK_OK);
	expect_status(ek_matrix_write(A, in_folder("a.bin"), "ekm"), EK_OK);
	data = slurp(path, &length);
#define READ(n) ek_matrix_read_memory(ctx, "b", data, (n), EK_F64, EK_I32, NULL, &B)
	expect_status(READ(length), EK_OK);
	ek_matrix_destroy(B);
	for (size_t n = 8; n < length; n++)
		expect_error(READ(n), EK_ETRUNCATED, "b: ");
	expect_error(READ(length + 1), EK_ETRAILING, "b: ");
	/* Reverse the byte-order mark, as a machine of the other byte order would write it. */
	memcpy(data + 12, (const char[]){data[15], data[14], data[13], data[12]}, 4);
	expect_error(READ(length), EK_EUNSUPPORTED, "byte order");
	memcpy(data + 12, (const char[]){data[15], data[14], data[13], data[12]}, 4);
	for (size_t k = 0; k < 8 * length; k++) {
		long live = atomic_load(&heap.live);

		data[k / 8] ^= (char)(1 << k % 8);
		B = NULL;
		if (READ(length) == EK_OK || B)
			fail_msg("bit %zu of byte %zu was not missed", k % 8, k / 8);
		assert_int_equal(atomic_load(&heap.live), live);
		data[k / 8] ^= (char)(1 << k % 8);
	}
	expect_error(ek_matrix_read(ctx, path, (ek_value)7, EK_I32, NULL, &B), EK_EINVAL, "value");
	free(data);
	unlink(path);
	/* A bad index in borrowed arrays can be written, but the file is then refused. */
	col[1] = 3;
	expect_status(ek_matrix_write(A, in_folder("a.ekm"), NULL), EK_OK);
	expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &B), EK_ERANGE,
	             "col_idx[1] is 3");
	unlink(path);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that a failed write leaves no file, and that links and devices are not replaced. */
static void test_places(void **state)
{
	ek_context *ctx = heap_context(&heap, 1, 0);
	ek_matrix *A = random_matrix(ctx, EK_F64, EK_I32, 0, 0);
	char link[160];
	struct stat st;

	(void)state;
	expect_error(ek_matrix_write(A, folder, NULL), EK_EIO, "is a directory");
	expect_error(ek_matrix_write(A, in_folder("none/a.mtx"), NULL), EK_EIO,
	             "cannot be created");
	expect_error(ek_matrix_write(A, in_folder("a.mtx"), "csv"), EK_EINVAL, "csv");
	expect_status(ek_matrix_write(A, "/dev/null", NULL), EK_OK);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	if (access("/dev/full", W_OK) == 0)
		expect_error(ek_matrix_write(A, "/dev/full", NULL), EK_EIO, "writing failed");
	snprintf(link, sizeof link, "%s/link.mtx", folder);
	expect_status(ek_matrix_write(A, in_folder("a.mtx"), NULL), EK_OK);
	assert_int_equal(symlink("a.mtx", link), 0);
	expect_status(ek_matrix_write(A, link, NULL), EK_OK);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(link);
	unlink(path);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that NaN and infinity are read, in any format, only if allow_nan is set, and that
 * otherwise the message names the value and its place. */
static void test_not_finite(void **state)
{
	static const char *const format[] = {"csr", "csc", "ell", "csr5", "bcsr", "cocktail"};
	static const char *const name[] = {"nan", "inf", "-inf"};
	static const int32_t ptr[] = {0, 1, 2}, col[] = {1, 0};
	const ek_read_options o = {.size = sizeof o, .allow_nan = 1};
	ek_context *ctx = heap_context(&heap, 2, 0);

	(void)state;
	for (int k = 0; k < 12; k++) {
		const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
		double val[] = {1.5, bad[k % 3]}, back;
		char text[64];
		ek_matrix *A, *B, *C = NULL;

		snprintf(text, sizeof text, "] is %s; a finite number is expected", name[k % 3]);
		expect_status(
			ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, col, val, EK_COPY, &A),
			EK_OK);
		expect_status(
			ek_matrix_convert(A, format[k / 2],
		                          &(ek_convert_options){.size = sizeof(ek_convert_options),
		                                                .value = k % 2 ? EK_F32 : EK_F64},
		                          &B),
			EK_OK);
		expect_status(ek_matrix_write(B, in_folder("n.ekm"), NULL), EK_OK);
		expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &C), EK_ERANGE, text);
		assert_null(C);
		expect_status(ek_matrix_read(ctx, path, EK_F64, EK_I32, &o, &C), EK_OK);
		expect_status(ek_matrix_get(C, 1, 0, &back), EK_OK);
		assert_true(isnan(val[1]) ? isnan(back) : back == val[1]);
		ek_matrix_destroy(C);
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
	unlink(path);
	ek_context_destroy(ctx);
}

/* Checks that a matrix read without given types has those of the file (text: f64, 32-bit indices),
 * and keeps the parameters of its format. */
static void test_types(void **state)
{
	static const char text[] = "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 5\n";
	ek_convert_options o = {
		.size = sizeof o, .value = EK_F32, .index = EK_I64, .max_bytes = -1};
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix_info info = {.size = sizeof info};
	const struct {
		ek_value ask, get;
		ek_index ask_index, get_index;
	} row[] = {{0, EK_F32, 0, EK_I64},
	           {EK_F64, EK_F64, 0, EK_I64},
	           {0, EK_F32, EK_I32, EK_I32},
	           {EK_F64, EK_F64, EK_I64_32, EK_I64_32}};
	ek_matrix *A, *B;

	(void)state;
	expect_status(ek_matrix_read_memory(ctx, "t", text, sizeof text - 1, 0, 0, NULL, &A),
	              EK_OK);
	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	assert_true(info.value == EK_F64 && info.index == EK_I32);
	expect_status(ek_matrix_convert(A, "hyb:width=0", &o, &B), EK_OK);
	expect_status(ek_matrix_write(B, in_folder("t.ekm"), NULL), EK_OK);
	ek_matrix_destroy(B);
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		expect_status(ek_matrix_read(ctx, path, row[k].ask, row[k].ask_index, NULL, &B),
		              EK_OK);
		expect_status(ek_matrix_get_info(B, &info), EK_OK);
		assert_true(info.value == row[k].get && info.index == row[k].get_index);
		assert_string_equal(info.format, "hyb");
		assert_true(info.dim[0] == 0);
		ek_matrix_destroy(B);
	}
	B = NULL;
	expect_error(ek_matrix_read(ctx, path, (ek_value)5, 0, NULL, &B), EK_EINVAL, "value is 5");
	expect_error(ek_matrix_read(ctx, path, 0, (ek_index)5, NULL, &B), EK_EINVAL, "index is 5");
	assert_null(B);
	unlink(path);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

static void test_dense(void **state)
{
	static const char column[] =
		"%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 5\n";
	static const char sparse[] =
		"%%MatrixMarket matrix coordinate real general\n3 2 1\n2 1 5\n";
	ek_context *ctx = heap_context(&heap, 2, 0);
	const ek_read_options not_finite = {.size = sizeof not_finite, .allow_nan = 1};
	double x[6] = {1.5, -0.0, (double)NAN, 4e-320, -(double)INFINITY, 0.1};
	int64_t rows, cols;
	void *y;

	(void)state;
	expect_status(ek_dense_write(ctx, in_folder("x.mtx"), EK_F64, 2, 3, x), EK_OK);
	expect_error(ek_dense_read(ctx, path, EK_F64, NULL, &rows, &cols, &y), EK_ERANGE,
	             "x.mtx:5: entry 3: the value is nan; a finite number is expected");
	expect_status(ek_dense_read(ctx, path, EK_F64, &not_finite, &rows, &cols, &y), EK_OK);
	assert_int_equal(rows, 2);
	assert_int_equal(cols, 3);
	for (int k = 0; k < 6; k++)
		assert_true(k == 2 ? isnan(((double *)y)[k])
		                   : memcmp(&x[k], (double *)y + k, 8) == 0);
	ek_free(ctx, y, sizeof x);
	FILE *f = fopen(path, "w");

	fputs(column, f);
	fclose(f);
	expect_status(ek_dense_read(ctx, path, EK_F32, NULL, &rows, &cols, &y), EK_OK);
	assert_true(rows == 3 && cols == 1 && ((float *)y)[0] == 0 && ((float *)y)[1] == 5);
	ek_free(ctx, y, 12);
	f = fopen(path, "w");
	fputs(sparse, f);
	fclose(f);
	expect_error(ek_dense_read(ctx, path, EK_F64, NULL, &rows, &cols, &y), EK_EUNSUPPORTED,
	             "2 columns");
	expect_error(ek_dense_write(ctx, path, EK_F64, -1, 3, x), EK_EINVAL, "rows is -1");
	unlink(path);
	ek_context_destroy(ctx);
}

/* Reads vectors from files with a "vector" object. Some files have two values for an entry. */
static void test_vectors(void **state)
{
	static const struct {
		const char *text;
		unsigned duplicates;
		double y[3];
	} row[] = {{"array real general\n3\n1\n0.5\n4e-320\n", 0, {1, 0.5, 4e-320}},
	           {"coordinate real general\n3 2\n3 7\n1 -0.0\n", 0, {-0.0, 0, 7}},
	           {"coordinate pattern general\n3 2\n2\n2\n", 0, {0, 2, 0}},
	           {"coordinate real general\n3 2\n2 5\n2 1\n", 0, {0, 6, 0}},
	           {"coordinate real general\n3 2\n2 5\n2 1\n", EK_DUP_LAST, {0, 1, 0}}};
	ek_read_options o = {.size = sizeof o};
	ek_context *ctx = heap_context(&heap, 1, 0);
	int64_t rows, cols;
	void *y;

	(void)state;
	in_folder("v.mtx");
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		FILE *f = fopen(path, "w");

		fprintf(f, "%%%%MatrixMarket vector %s", row[k].text);
		fclose(f);
		o.duplicates = row[k].duplicates;
		expect_status(ek_dense_read(ctx, path, EK_F64, &o, &rows, &cols, &y), EK_OK);
		assert_true(rows == 3 && cols == 1);
		assert_memory_equal(y, row[k].y, sizeof row[k].y);
		ek_free(ctx, y, sizeof row[k].y);
	}
	o.duplicates = EK_DUP_ERROR;
	expect_error(ek_dense_read(ctx, path, EK_F64, &o, &rows, &cols, &y), EK_ERANGE,
	             "v.mtx:4: entry 2: row 2 was given before");
	unlink(path);
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips), cmocka_unit_test(test_same_text),
		cmocka_unit_test(test_damage),      cmocka_unit_test(test_places),
		cmocka_unit_test(test_not_finite),  cmocka_unit_test(test_types),
		cmocka_unit_test(test_dense),       cmocka_unit_test(test_vectors),
	};

	if (!eki_xxhash_version()) {
		print_message("left out: built without xxHash, binary files are refused\n");
		return 0;
	}
	return run_all_tests(tests, folder_setup, folder_teardown);
}
