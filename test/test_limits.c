/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that memory grows with the number of existing entries, not with the number of threads or
 * with the sizes that the header of a file announces. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <unistd.h>

#include "io/io.h"
#include "support/heap.h"
#include "support/support.h"

enum { NNZ = 100000, MANY_THREADS = 16, ENTRY_BYTES = 12 };

#define R "%%MatrixMarket matrix coordinate real general\n"

static void check_sorted(const ek_matrix *A)
{
	ek_view col = {.size = sizeof col}, val = {.size = sizeof val};

	expect_status(ek_matrix_array(A, "col_idx", &col), EK_OK);
	expect_status(ek_matrix_array(A, "val", &val), EK_OK);
	assert_int_equal(col.len, NNZ);
	for (int k = 0; k < NNZ; k++) {
		assert_int_equal(((const int32_t *)col.data)[k], k);
		assert_true(((const double *)val.data)[k] == NNZ - k);
	}
}

/* Checks that sorting one long row with descending columns takes memory for one copy of its
 * entries, not for one in each thread. */
static void test_long_row_coo(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, MANY_THREADS, 0);
	int32_t *row = calloc(NNZ, sizeof *row), *col = calloc(NNZ, sizeof *col);
	double *val = calloc(NNZ, sizeof *val);
	ek_matrix *A;

	(void)state;
	assert_true(row && col && val);
	for (int k = 0; k < NNZ; k++) {
		col[k] = NNZ - 1 - k;
		val[k] = k + 1;
	}
	expect_status(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 1, NNZ, NNZ, row, col, val, 0, &A),
	              EK_OK);
	assert_in_range(atomic_load(&heap.peak), NNZ, 3 * ENTRY_BYTES * NNZ);
	check_sorted(A);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
	free(row);
	free(col);
	free(val);
}

static void test_long_row_text(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, MANY_THREADS, 0);
	char *text = malloc(32 * NNZ);
	size_t n;
	ek_matrix *A;

	(void)state;
	assert_non_null(text);
	n = (size_t)sprintf(text, "%s1 %d %d\n", R, NNZ, NNZ);
	for (int k = 0; k < NNZ; k++)
		n += (size_t)sprintf(text + n, "1 %d %d\n", NNZ - k, k + 1);
	expect_status(ek_matrix_read_memory(ctx, "t", text, n, EK_F64, EK_I32, NULL, &A), EK_OK);
	/* Blocks of text take most of the memory at the peak. */
	assert_in_range(atomic_load(&heap.peak), NNZ, 8 << 20);
	check_sorted(A);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
	free(text);
}

/* The header of a binary file, as src/io/ekm.c writes it. */
struct ekm_header {
	char magic[8];
	uint32_t version, endian, value, index, columns, reserved;
	char format[16];
	int64_t rows, cols, nnz, dim[4], len[16];
	uint64_t sum[16], header_sum;
};

/* Returns the header of an f64 matrix without entries, whose arrays are empty. */
static struct ekm_header header(ek_index index, const char *format, int64_t rows, int64_t cols)
{
	struct ekm_header h = {.magic = EKI_EKM_MAGIC,
	                       .version = EKI_EKM_OLD,
	                       .endian = 0x01020304,
	                       .value = EK_F64,
	                       .index = index,
	                       .rows = rows,
	                       .cols = cols};

	snprintf(h.format, sizeof h.format, "%s", format);
	for (int k = 0; ek_format_find(format)->array[k].name; k++)
		h.sum[k] = eki_checksum(EKI_EKM_OLD, "", 0);
	h.header_sum = eki_checksum(EKI_EKM_OLD, &h, offsetof(struct ekm_header, header_sum));
	return h;
}

/* Checks that INT64_MAX rows are refused, since int64_t cannot hold rows + 1. */
static void test_largest_rows(void **state)
{
	struct ekm_header h = header(EK_I64, "csr", INT64_MAX, 1);
	static const char text[] = R "9223372036854775807 1 0\n";
	ek_read_options o = {.size = sizeof o, .max_dim = INT64_MAX};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A = NULL;

	(void)state;
	expect_error(ek_matrix_read_memory(ctx, "b", &h, sizeof h, EK_F64, EK_I64, &o, &A),
	             EK_ELIMIT, "b: 9223372036854775807 rows");
	expect_error(ek_matrix_read_memory(ctx, "t", text, sizeof text - 1, EK_F64, EK_I64, &o, &A),
	             EK_ELIMIT,
	             "t:2: 9223372036854775807 rows; index type 64 allows 9223372036854775806");
	expect_error(ek_matrix_from_csr(ctx, EK_F64, EK_I64, INT64_MAX, 1, NULL, NULL, NULL, 0, &A),
	             EK_EOVERFLOW, "do not fit the index type 64");
	assert_null(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that a file of 368 bytes that announces 2^31 - 1 rows or columns is refused unless max_dim
 * allows them. It can be so short since its format, coo, has no array as long as its rows. */
static void test_binary_rows(void **state)
{
	ek_read_options o = {.size = sizeof o, .max_dim = INT32_MAX};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A;

	(void)state;
	for (int columns = 0; columns < 2; columns++) {
		const struct ekm_header h =
			header(EK_I32, "coo", columns ? 1 : INT32_MAX, columns ? INT32_MAX : 1);

		A = NULL;
		expect_error(
			ek_matrix_read_memory(ctx, "b", &h, sizeof h, EK_F64, EK_I32, NULL, &A),
			EK_ELIMIT, "1048576 of each are accepted without max_dim");
		assert_null(A);
		expect_status(ek_matrix_read_memory(ctx, "b", &h, sizeof h, EK_F64, EK_I32, &o, &A),
		              EK_OK);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that a plan is refused if its vectors do not fit the address space, without overflow of
 * the sum of their lengths, or if its strips, the arrays in which the parts of op T collect their
 * results, do not. */
static void test_long_vectors(void **state)
{
	enum { ROWS = 64, ENTRIES = 4 * ROWS };
	static const ek_hints hints = {
		.size = sizeof hints, .method = "spmv.csr.transposed", .op = EK_OP_T};
	const int64_t wide = (int64_t)1 << 57, one[] = {0, 1}, far = wide - 1;
	static double val[ENTRIES];
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&heap, ROWS, 0);
	int64_t ptr[ROWS + 1], col[ENTRIES];
	ek_plan *plan = NULL;
	ek_matrix *A;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, 1, (int64_t)1 << 62, one, &far, val,
	                                 EK_BORROW, &A),
	              EK_OK);
	expect_error(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_EOVERFLOW,
	             "4611686018427387904 entries of 8 bytes, which do not fit the address space");
	ek_matrix_destroy(A);
	for (int k = 0; k < ENTRIES; k++)
		col[k] = k % 4 < 3 ? k % 4 : far;
	for (int i = 0; i <= ROWS; i++)
		ptr[i] = 4 * i;
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I64, ROWS, wide, ptr, col, val, EK_BORROW, &A),
		EK_OK);
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EOVERFLOW,
	             "9223372036854775807");
	assert_null(plan);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static char path[64];

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Checks that a file of 60 bytes does not make the library allocate gigabytes, whether read as a
 * vector or as a matrix. */
static void test_rows_without_entries(void **state)
{
	static const char large[] = R "4000000000 1 1\n1 1 5\n";
	static const char empty[] = "%%MatrixMarket matrix array real general\n4000000000 0\n";
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_read_options o = {.size = sizeof o, .max_dim = (int64_t)1 << 40};
	int64_t rows, cols;
	ek_matrix *A = NULL;
	void *y = NULL;

	(void)state;
	heap.limit = 256LL << 20;
	write_file(large);
	expect_error(ek_dense_read(ctx, path, EK_F64, NULL, &rows, &cols, &y), EK_ELIMIT,
	             ":2: 4000000000 rows and 1 column, but only");
	assert_null(y);
	expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I64, NULL, &A), EK_ELIMIT,
	             "1048576 of each are accepted without max_dim");
	expect_error(
		ek_matrix_read_memory(ctx, "t", empty, sizeof empty - 1, EK_F64, EK_I64, NULL, &A),
		EK_ELIMIT, "t:2: 4000000000 rows");
	assert_int_equal(atomic_load(&heap.refused), 0);
	/* With max_dim the rows are accepted. Then memory is too small or, with 32-bit pointers,
	 * the address space is. */
	const bool wide = sizeof(void *) > 4;

	expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I64, &o, &A),
	             wide ? EK_ENOMEM : EK_EOVERFLOW, wide ? "memory" : "address space");
	assert_int_equal(atomic_load(&heap.refused), wide);
	assert_null(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
	unlink(path);
}

/* Checks that reading a vector from coordinates takes memory for its values (4 MiB of float for
 * 2^20 rows) and blocks of text, but not for row pointers. */
static void test_column(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	int64_t rows, cols;
	void *y;

	(void)state;
	write_file(R "1048576 1 4\n3 1 5\n1048576 1 -0\n3 1 -7\n2 1 1\n");
	expect_status(ek_dense_read(ctx, path, EK_F32, NULL, &rows, &cols, &y), EK_OK);
	assert_in_range(atomic_load(&heap.peak), 4 << 20, 12 << 20);
	assert_true(rows == 1 << 20 && cols == 1);
	assert_true(value_at(EK_F32, y, 0) == 0 && value_at(EK_F32, y, 1) == 1);
	assert_true(value_at(EK_F32, y, 2) == -2 && signbit(value_at(EK_F32, y, rows - 1)));
	ek_free(ctx, y, (size_t)4 << 20);
	write_file("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n");
	expect_status(ek_dense_read(ctx, path, EK_F64, NULL, &rows, &cols, &y), EK_OK);
	assert_true(rows == 1 && cols == 1 && *(double *)y == 1);
	ek_free(ctx, y, 8);
	write_file(R "0 1 0\n");
	expect_status(ek_dense_read(ctx, path, EK_F64, NULL, &rows, &cols, &y), EK_OK);
	assert_true(rows == 0 && cols == 1 && !y);
	ek_context_destroy(ctx);
	heap_close(&heap);
	unlink(path);
}

/* Checks matrices with as many columns as there can be, in formats that add to that number. */
static void test_most_columns(void **state)
{
	static const char *const format[] = {"bdia", "bell:r=1,c=4", "sbell:r=1,c=4", "dia"};
	static const int64_t ptr[] = {0, 1, 2, 2, 2, 2}, col[] = {0, INT64_MAX - 2};
	static const double val[] = {1, 2};
	ek_context *ctx;
	ek_matrix *A, *B;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, 5, INT64_MAX - 1, ptr, col, val,
	                                 EK_BORROW, &A),
	              EK_OK);
	for (size_t k = 0; k < sizeof format / sizeof *format; k++) {
		expect_status(ek_matrix_convert(A, format[k], NULL, &B), EK_OK);
		expect_status(ek_matrix_check(B), EK_OK);
		ek_matrix_destroy(B);
	}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that rows longer than an index can count are refused by formats that store lengths. */
static void test_longest_row(void **state)
{
	int64_t ptr[] = {0, INT64_C(1) << 31}, dim[EKI_MAX_DIMS] = {1};
	ek_store csr = {.format = &ek_format_csr,
	                .value = EK_F32,
	                .index = EK_I64_32,
	                .rows = 1,
	                .cols = 4,
	                .nnz = ptr[1],
	                .array = {ptr},
	                .len = {2, ptr[1], ptr[1]}};
	ek_store out = {0};
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_error(eki_format_look(ctx, &csr, ek_format_find("ell"), dim, -1, &out), EK_EOVERFLOW,
	             "format ell: row 0 has more than 2147483647 entries");
	expect_error(eki_format_look(ctx, &csr, ek_format_find("sell"), dim, -1, &out),
	             EK_EOVERFLOW,
	             "format sell: row 0 has more than 2147483647 entries");
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_row_coo),         cmocka_unit_test(test_long_row_text),
		cmocka_unit_test(test_largest_rows),         cmocka_unit_test(test_binary_rows),
		cmocka_unit_test(test_rows_without_entries), cmocka_unit_test(test_column),
		cmocka_unit_test(test_long_vectors),         cmocka_unit_test(test_most_columns),
		cmocka_unit_test(test_longest_row),
	};

	snprintf(path, sizeof path, "/tmp/ek-limits-%ld.mtx", (long)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
