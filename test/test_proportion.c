/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that memory grows with the contents of a file or matrix, not with a number in a header or
 * the number of columns. The context's hooks measure the peaks. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "io/io.h"
#include "support/heap.h"
#include "support/random.h"
#include "support/support.h"

#define R "%%MatrixMarket matrix coordinate real general\n"

static const long long MIB = 1 << 20;

static long long peak_since(struct heap *h, long long before)
{
	return atomic_load(&h->peak) - before;
}

static long long peak_reset(struct heap *h)
{
	const long long now = atomic_load(&h->bytes);

	atomic_store(&h->peak, now);
	return now;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The header of a binary file, as src/io/ekm.c writes it. */
struct ekm_header {
	char magic[8];
	uint32_t version, endian, value, index, columns, reserved;
	char format[16];
	int64_t rows, cols, nnz, dim[4], len[16];
	uint64_t sum[16], header_sum;
};

static struct ekm_header header(ek_index index, const char *format, int64_t rows, int64_t cols,
                                int64_t len)
{
	struct ekm_header h = {.magic = EKI_EKM_MAGIC,
	                       .version = EKI_EKM_OLD,
	                       .endian = 0x01020304,
	                       .value = EK_F64,
	                       .index = index,
	                       .rows = rows,
	                       .cols = cols,
	                       .len = {len, len, len}};

	snprintf(h.format, sizeof h.format, "%s", format);
	for (int k = 0; ek_format_find(format)->array[k].name; k++)
		h.sum[k] = eki_checksum(EKI_EKM_OLD, "", 0);
	h.header_sum = eki_checksum(EKI_EKM_OLD, &h, offsetof(struct ekm_header, header_sum));
	return h;
}

/* Checks that conversions to every format and back, and statistics, take at most `most` bytes. */
static void check_uses(struct heap *heap, const ek_matrix *A, int64_t max_bytes, long long most)
{
	const ek_convert_options o = {.size = sizeof o, .max_bytes = max_bytes};
	ek_stats stats = {.size = sizeof stats};
	long long before;

	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		ek_matrix *B = NULL, *C = NULL;

		before = peak_reset(heap);
		const ek_status status = ek_matrix_convert(A, ek_format_name(f), &o, &B);

		if (status == EK_OK && ek_matrix_convert(B, "csr", &o, &C) == EK_OK)
			ek_matrix_destroy(C);
		if (status == EK_OK)
			ek_matrix_destroy(B);
		else
			assert_true(status == EK_ELIMIT);
		if (peak_since(heap, before) > most)
			fail_msg("%s: %lld bytes, more than %lld", ek_format_name(f),
			         peak_since(heap, before), most);
	}
	before = peak_reset(heap);
	expect_status(ek_matrix_stats(A, &stats), EK_OK);
	assert_true(peak_since(heap, before) <= most);
}

/* Tests files of 368 bytes without entries. Their formats have no array as long as the rows. */
static void test_small_binary(void **state)
{
	static const char *const format[] = {"coo", "bcoo", "bccoo", "dia"};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A = NULL;

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct ekm_header h = header(EK_I32, format[k], 1 << 27, 1 << 27, 0);

		h.dim[0] = k ? 2 : 0;
		h.dim[1] = k == 1 || k == 2 ? 2 : 0;
		h.header_sum =
			eki_checksum(EKI_EKM_OLD, &h, offsetof(struct ekm_header, header_sum));
		expect_error(ek_matrix_read_memory(ctx, "b", &h, sizeof h, 0, 0, NULL, &A),
		             EK_ELIMIT, "134217728 rows and 134217728 columns, but only 368 bytes");
		h.rows = h.cols = 1 << 20;
		h.dim[0] = k == 3 ? (1 << 20) + 32 : h.dim[0]; /* the stride of dia */
		h.header_sum =
			eki_checksum(EKI_EKM_OLD, &h, offsetof(struct ekm_header, header_sum));
		expect_status(ek_matrix_read_memory(ctx, "b", &h, sizeof h, 0, 0, NULL, &A), EK_OK);
		check_uses(&heap, A, 0, 48 * MIB);
		ek_matrix_destroy(A);
		A = NULL;
	}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void test_small_text(void **state)
{
	static const char square[] = R "134217728 134217728 0\n", row[] = R "1 134217728 0\n";
	static const char most[] = R "1048576 1048576 0\n";
	ek_read_options o = {.size = sizeof o, .max_dim = 1 << 27};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A = NULL;

	(void)state;
	expect_error(ek_matrix_read_memory(ctx, "t", square, sizeof square - 1, 0, 0, NULL, &A),
	             EK_ELIMIT, "t:2: 134217728 rows and 134217728 columns, but only 68 bytes");
	expect_error(ek_matrix_read_memory(ctx, "t", row, sizeof row - 1, 0, 0, NULL, &A),
	             EK_ELIMIT, "t:2: 1 row and 134217728 columns");
	assert_true(peak_since(&heap, 0) <= 16 * MIB);
	/* With max_dim the matrix is accepted. */
	expect_status(ek_matrix_read_memory(ctx, "t", row, sizeof row - 1, 0, 0, &o, &A), EK_OK);
	check_uses(&heap, A, 0, 48 * MIB);
	ek_matrix_destroy(A);
	expect_status(ek_matrix_read_memory(ctx, "t", most, sizeof most - 1, 0, 0, NULL, &A),
	              EK_OK);
	check_uses(&heap, A, 0, 48 * MIB);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Tests a file with an entry in every 200th row; the limit is 64 rows for each byte. */
static void test_sparse_text(void **state)
{
	enum { ENTRIES = 40000, STEP = 200 };
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	char *text = malloc(32 * ENTRIES);
	size_t n;
	ek_matrix *A = NULL;

	(void)state;
	assert_non_null(text);
	n = (size_t)sprintf(text, "%s%d 1 %d\n", R, ENTRIES * STEP, ENTRIES);
	for (int k = 0; k < ENTRIES; k++)
		n += (size_t)sprintf(text + n, "%d 1 1\n", k * STEP + 1);
	expect_status(ek_matrix_read_memory(ctx, "t", text, n, EK_F64, EK_I32, NULL, &A), EK_OK);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
	free(text);
}

/* ---- Compressed files ------------------------------------------------------------------------ */

/* Writes a zstd frame (RFC 8878): a block with *h, uncompressed, then `blocks` blocks of 4 bytes
 * that each expand to 128 KiB of zeros. Returns the number of bytes written. */
static size_t bomb(const struct ekm_header *h, int blocks, unsigned char *out)
{
	const unsigned size = sizeof *h;
	size_t n = 6;

	memcpy(out, "\050\265\057\375\000\070", n); /* magic number; no length; window of 128 KiB */
	for (int k = 0; k <= blocks; k++) {
		const unsigned words =
			(k ? 1U << 17 : size) << 3 | (k ? 2U : 0U) | (k == blocks ? 1U : 0U);

		for (int byte = 0; byte < 3; byte++)
			out[n++] = (unsigned char)(words >> 8 * byte);
		if (k)
			out[n++] = 0;
		else
			memcpy(out + n, h, size);
		n += k ? 0 : size;
	}
	return n;
}

/* Tests a header that announces gigabytes: memory must grow only with the data that arrives. */
static void test_bomb(void **state)
{
	const struct ekm_header h = header(EK_I64, "coo", 1, 1, (int64_t)1 << 30);
	ek_read_options o = {.size = sizeof o, .max_bytes = 100 * MIB};
	static unsigned char file[1 << 14];
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	size_t n = bomb(&h, 100, file); /* 12.5 MiB in 778 bytes */
	ek_matrix *A = NULL;

	(void)state;
	if (ek_matrix_read_memory(ctx, "z", file, n, 0, 0, NULL, &A) == EK_EUNSUPPORTED) {
		assert_non_null(strstr(ek_error_text(), "built without"));
		print_message("built without libarchive: compressed files are refused\n");
	} else {
		expect_error(ek_matrix_read_memory(ctx, "z", file, n, 0, 0, NULL, &A),
		             EK_ETRUNCATED, "z: the file ends in row_idx, after 13107200 of its");
		assert_in_range(peak_since(&heap, 0), 12 * MIB, 20 * MIB);
		peak_reset(&heap);
		expect_error(ek_matrix_read_memory(ctx, "z", file, n, 0, 0, &o, &A), EK_ELIMIT,
		             "z: the header announces 25769804144 bytes, more than max_bytes = "
		             "104857600");
		assert_true(peak_since(&heap, 0) < MIB);
	}
	if (test_tier() >= TIER_FULL && !strstr(ek_error_text(), "built without")) {
		n = bomb(&h, 2400, file); /* 300 MiB in 10 KB, the ratio of zstd for zeros */
		expect_error(ek_matrix_read_memory(ctx, "z", file, n, 0, 0, NULL, &A),
		             EK_ETRUNCATED, "z: the file ends in row_idx, after 314572800 of its");
		o.max_bytes = 0;
		o.max_ratio = 100;
		expect_error(ek_matrix_read_memory(ctx, "z", file, n, 0, 0, &o, &A), EK_ELIMIT,
		             "256 MiB and 32 times max_ratio = 100 times as many");
	}
	assert_null(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that the library can read what it wrote, even 19.6 MB of diagonals in a few KB. */
static void test_diagonals(void **state)
{
	ek_read_options o = {.size = sizeof o, .max_dim = 1000000};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A, *B, *C = NULL;
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/tmp/ek-proportion-%ld.ekm.zst", (long)getpid());
	expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=700,ny=700", EK_F64, EK_I32, &A),
	              EK_OK);
	expect_status(ek_matrix_convert(A, "dia", NULL, &B), EK_OK);
	if (ek_matrix_write(B, path, NULL) == EK_OK) {
		expect_status(ek_matrix_read(ctx, path, 0, 0, NULL, &C), EK_OK);
		ek_matrix_destroy(C);
		expect_status(ek_matrix_read(ctx, path, 0, 0, &o, &C), EK_OK);
		ek_matrix_destroy(C);
		o.max_bytes = 1000000;
		expect_error(ek_matrix_read(ctx, path, 0, 0, &o, &C), EK_ELIMIT, "max_bytes");
		unlink(path);
	} else {
		assert_non_null(strstr(ek_error_text(), "built without"));
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void count_warning(void *user, ek_log_level level, const char *text)
{
	*(int *)user += level == EK_LOG_WARNING && strstr(text, "it needs max_dim = 2097152");
}

/* Checks that writing one entry in 2^21 rows warns, as reading the file is refused by default. */
static void test_empty_rows(void **state)
{
	int i = 77, j = 0, warnings = 0;
	const ek_options o = {.size = sizeof o, .log = count_warning, .log_user = &warnings};
	const double x = 1;
	ek_matrix *A, *B = NULL;
	ek_context *ctx;
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/tmp/ek-proportion-%ld.mtx", (long)getpid());
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	for (int k = 0; k < 2; k++) {
		ek_matrix_from_coo(ctx, EK_F64, EK_I32, 1 << (20 + k), 1, 1, &i, &j, &x, 0, &A);
		expect_status(ek_matrix_write(A, path, NULL), EK_OK);
		assert_int_equal(warnings, k);
		assert_int_equal(ek_matrix_read(ctx, path, 0, 0, NULL, &B), k ? EK_ELIMIT : EK_OK);
		ek_matrix_destroy(A);
	}
	ek_matrix_destroy(B);
	unlink(path);
	ek_context_destroy(ctx);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Tests a matrix with 8000 unsorted entries in 2^33 columns. */
static void test_wide(void **state)
{
	enum { ROWS = 1000, EACH = 8, NNZ = ROWS * EACH };
	const int64_t cols = (int64_t)1 << 33;
	static int64_t ptr[ROWS + 1], col[NNZ];
	static double val[NNZ];
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 3, 0);
	ek_stats stats = {.size = sizeof stats};
	struct rng r = {1};
	ek_matrix *A, *B, *C;
	ek_view a = {.size = sizeof a}, c = a;

	(void)state;
	for (int k = 0; k < NNZ; k++) {
		col[k] = cols / EACH * (EACH - 1 - k % EACH) + rng_below(&r, 1000) * 8 + k % 8;
		val[k] = k + 1;
		ptr[k / EACH] = k / EACH * EACH;
	}
	ptr[ROWS] = NNZ;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, ROWS, cols, ptr, col, val, 0, &A),
	              EK_OK);
	check_uses(&heap, A, 1900000, 4 * MIB);
	check_uses(&heap, A, 0, 8 * MIB);
	expect_status(ek_matrix_stats(A, &stats), EK_OK);
	assert_true(stats.empty_cols > cols - NNZ && stats.empty_cols < cols - NNZ / 2);
	/* The result must have all diagonals, although no pass can try each possible one. */
	expect_status(ek_matrix_convert(A, "dia",
	                                &(ek_convert_options){.size = sizeof(ek_convert_options),
	                                                      .max_bytes = 100 * MIB},
	                                &B),
	              EK_OK);
	expect_status(ek_matrix_check(B), EK_OK);
	expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
	expect_status(ek_matrix_array(C, "col_idx", &c), EK_OK);
	assert_int_equal(c.len, NNZ);
	expect_status(ek_matrix_array(A, "col_idx", &a), EK_OK);
	for (int k = 0; k < NNZ; k++) /* in each row of A, columns are in descending order */
		assert_true(((const int64_t *)c.data)[k] ==
		            ((const int64_t *)a.data)[k / EACH * EACH + EACH - 1 - k % EACH]);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_matrix_destroy(C);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that a conversion to CSC takes memory for the transpose, but none for counters. */
static void test_transpose(void **state)
{
	const ek_convert_options o = {.size = sizeof o, .max_bytes = -1};
	const int32_t ptr[] = {0, 1}, col[] = {77};
	const double val[] = {1};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	double value = 0;
	ek_matrix *A, *B;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, 1 << 20, ptr, col, val, 0, &A),
	              EK_OK);
	expect_status(ek_matrix_convert(A, "csc", &o, &B), EK_OK);
	assert_in_range(peak_since(&heap, 0), 4 * MIB, 5 * MIB);
	expect_status(ek_matrix_check(B), EK_OK);
	expect_status(ek_matrix_get(B, 0, 77, &value), EK_OK);
	assert_true(value == 1);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that 2^33 empty rows take no memory in coo, but count for max_bytes in CSR. */
static void test_way(void **state)
{
	const struct ekm_header h = header(EK_I64, "coo", (int64_t)1 << 33, (int64_t)1 << 33, 0);
	ek_read_options o = {.size = sizeof o, .max_dim = (int64_t)1 << 33};
	ek_convert_options to = {.size = sizeof to, .max_bytes = 1900000};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A, *B = NULL;

	(void)state;
	expect_status(ek_matrix_read_memory(ctx, "b", &h, sizeof h, 0, 0, &o, &A), EK_OK);
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		expect_error(ek_matrix_convert(A, ek_format_name(f), &to, &B), EK_ELIMIT, "would");
	assert_true(peak_since(&heap, 0) < MIB);
	assert_null(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_binary), cmocka_unit_test(test_small_text),
		cmocka_unit_test(test_sparse_text),  cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_diagonals),    cmocka_unit_test(test_empty_rows),
		cmocka_unit_test(test_wide),         cmocka_unit_test(test_transpose),
		cmocka_unit_test(test_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
