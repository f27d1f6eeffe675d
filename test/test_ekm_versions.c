/* SPDX-License-Identifier: BSD-3-Clause
 * Tests versions of the binary form. Files of version 2, with the library's own checksum, can be
 * read. Files are written as version 3, with xxHash checksums of the bytes as in the file. A build
 * without xxHash refuses to write, and the message says why. A second header is read only if the
 * format has so many arrays, and neither header may have more arrays than it. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "io/io.h"
#include "support/support.h"

enum { VERSION = 8, ENDIAN = 12, MORE = 28, LENGTHS = 104, SUMS = 232, HEADER_SUM = 360 };
enum { HEADER = 368, VALUES = HEADER + 3 * 4 };
/* What the second header has, from its beginning. */
enum { MORE_SUMS = 192, MORE_SUM = 384, MORE_HEADER = 392 };

#define SEED(name) EK_SOURCE_DIR "/fuzz/corpus/ekm/" name

static unsigned char data[4096];

static size_t slurp(const char *name)
{
	FILE *f = fopen(name, "rb");

	assert_non_null(f);
	const size_t n = fread(data, 1, sizeof data, f);

	fclose(f);
	return n;
}

/* Reads a fuzz seed of version 2 into `data`. The seed is one byte of options for the fuzz
 * target, then a file of *n bytes, at data[1]. Tells whether this file has the byte order of this
 * machine. */
static bool old_file(const char *seed, size_t *n)
{
	uint32_t mark;

	*n = slurp(seed) - 1;
	memcpy(&mark, data + 1 + ENDIAN, sizeof mark);
	return mark == 0x01020304;
}

static ek_context *context(void)
{
	ek_context *ctx = NULL;

	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	return ctx;
}

/* Checks that the file can be read, and that it is refused after a change of any fifth byte from
 * the checksums on. */
static void check_bytes(ek_context *ctx, const unsigned char *file, size_t n, ek_status expected)
{
	ek_matrix *A = NULL;

	expect_status(ek_matrix_read_memory(ctx, "f", file, n, 0, 0, NULL, &A), EK_OK);
	ek_matrix_destroy(A);
	for (size_t at = SUMS; at < n; at += 5) {
		unsigned char copy[sizeof data];

		memcpy(copy, file, n);
		copy[at] ^= 4;
		expect_error(ek_matrix_read_memory(ctx, "f", copy, n, 0, 0, NULL, &A), expected,
		             "checksum");
	}
}

static void test_old(void **state)
{
	ek_context *ctx = context();
	ek_matrix *A = NULL;
	uint32_t version;
	size_t n;

	(void)state;
	if (old_file(SEED("f64_32"), &n)) {
		memcpy(&version, data + 1 + VERSION, sizeof version);
		assert_int_equal(version, EKI_EKM_OLD);
		check_bytes(ctx, data + 1, n, EK_EIO);
	} else {
		expect_error(ek_matrix_read_memory(ctx, "f", data + 1, n, 0, 0, NULL, &A),
		             EK_EUNSUPPORTED, "byte order");
	}
	ek_context_destroy(ctx);
}

static void test_new(void **state)
{
	static const int32_t ptr[] = {0, 0, 0};
	/* XXH3_64bits of an empty input, as xxHash documents it. */
	const uint64_t nothing = 0x2d06800538d394c2u;
	const uint32_t next = EKI_EKM_VERSION + 1, turned = 0x04030201;
	ek_context *ctx = context();
	ek_matrix *A, *B = NULL;
	char path[64];
	uint32_t version = EKI_EKM_VERSION;
	uint64_t sum;
	size_t n;

	(void)state;
	snprintf(path, sizeof path, "/tmp/ek-versions-%ld.ekm", (long)getpid());
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, NULL, NULL, EK_BORROW, &A),
	              EK_OK);
	if (!eki_xxhash_version()) {
		expect_error(ek_matrix_write(A, path, NULL), EK_EUNSUPPORTED, "xxhash.h");
		assert_int_equal(access(path, F_OK), -1);
		if (old_file(SEED("f64_32"), &n)) {
			memcpy(data + 1 + VERSION, &version, sizeof version);
			expect_error(ek_matrix_read_memory(ctx, "f", data + 1, n, 0, 0, NULL, &B),
			             EK_EUNSUPPORTED, "f: the binary form has checksums of xxHash");
		}
	} else {
		expect_status(ek_matrix_write(A, path, NULL), EK_OK);
		n = slurp(path);
		unlink(path);
		assert_int_equal(n, VALUES);
		memcpy(&version, data + VERSION, sizeof version);
		assert_int_equal(version, EKI_EKM_VERSION);
		for (int k = 1; k < 3; k++) {
			memcpy(&sum, data + SUMS + 8 * k, sizeof sum);
			assert_true(sum == nothing);
		}
		check_bytes(ctx, data, n, EK_EIO);
		memcpy(data + VERSION, &next, sizeof next);
		expect_error(ek_matrix_read_memory(ctx, "f", data, n, 0, 0, NULL, &B),
		             EK_EUNSUPPORTED, "version 4 of the binary form; 2 or 3 is expected");
		memcpy(data + ENDIAN, &turned, sizeof turned);
		expect_error(ek_matrix_read_memory(ctx, "f", data, n, 0, 0, NULL, &B),
		             EK_EUNSUPPORTED, "byte order");
	}
	assert_null(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Writes A, reads the file into `data`, and returns its length. */
static size_t file_of(const ek_matrix *A)
{
	char path[64];
	size_t n;

	snprintf(path, sizeof path, "/tmp/ek-versions-%ld.ekm", (long)getpid());
	expect_status(ek_matrix_write(A, path, NULL), EK_OK);
	n = slurp(path);
	unlink(path);
	assert_true(n < sizeof data);
	return n;
}

/* Tests a format with more arrays than the header has room for: files without the second header,
 * from before the format had so many, and files with it, of which each byte is protected. */
static void test_second_header(void **state)
{
	ek_context *ctx = context();
	ek_matrix *A, *B;
	size_t n;

	(void)state;
	if (old_file(SEED("cocktail"), &n))
		check_bytes(ctx, data + 1, n, EK_EIO);
	if (eki_xxhash_version()) {
		expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=5,ny=5", EK_F64, EK_I32, &A),
		              EK_OK);
		expect_status(ek_matrix_convert(A, "cocktail", NULL, &B), EK_OK);
		n = file_of(B);
		check_bytes(ctx, data, n, EK_EIO);
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

/* Checks that a file of n bytes is refused after a change of the 8 bytes at `at` (4 for MORE),
 * although the checksums of the headers are right. */
static void check_change(ek_context *ctx, size_t n, size_t at, uint64_t to, ek_status expected,
                         const char *text)
{
	unsigned char copy[sizeof data];
	const uint32_t flag = (uint32_t)to;
	uint32_t more;
	uint64_t sum;
	ek_matrix *A = NULL;

	memcpy(copy, data, n);
	memcpy(copy + at, at == MORE ? (const void *)&flag : &to,
	       at == MORE ? sizeof flag : sizeof to);
	memcpy(&more, copy + MORE, sizeof more);
	sum = eki_checksum(EKI_EKM_VERSION, copy, HEADER_SUM);
	memcpy(copy + HEADER_SUM, &sum, sizeof sum);
	if (more && n >= HEADER + MORE_HEADER) {
		sum = eki_checksum(EKI_EKM_VERSION, copy + HEADER, MORE_SUM);
		memcpy(copy + HEADER + MORE_SUM, &sum, sizeof sum);
	}
	expect_error(ek_matrix_read_memory(ctx, "f", copy, n, 0, 0, NULL, &A), expected, text);
	assert_null(A);
}

/* Tests headers whose checksums are right, but which have arrays that the format does not have, or
 * impossible lengths. */
static void test_arrays(void **state)
{
	ek_context *ctx = context();
	ek_matrix *A, *B;
	size_t n;
	int count = 0;

	(void)state;
	if (!eki_xxhash_version()) {
		ek_context_destroy(ctx);
		return;
	}
	expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=5,ny=5", EK_F64, EK_I32, &A), EK_OK);
	n = file_of(A);
	/* The second header of a file in CSR: nothing is behind the first one but the arrays. */
	check_change(ctx, n, MORE, 1, EK_ESYNTAX, "csr has only 3 arrays");
	check_change(ctx, n, LENGTHS + 8 * 3, 1, EK_ESYNTAX, "array 4, but csr has only 3");
	check_change(ctx, n, LENGTHS + 8 * 15, UINT64_MAX, EK_ESYNTAX,
	             "array 16, but csr has only 3");
	check_change(ctx, n, SUMS + 8 * 3, 1, EK_ESYNTAX, "array 4, but csr has only 3");

	expect_status(ek_matrix_convert(A, "cocktail", NULL, &B), EK_OK);
	while (count < EKI_MAX_ARRAYS && B->store.format->array[count].name)
		count++;
	n = file_of(B);
	assert_in_range(count, 17, EKI_MAX_ARRAYS - 1);
	check_change(ctx, n, MORE, 0, EK_EIO, "checksum");
	for (int k = 16; k < count; k++) {
		const size_t at = HEADER + 8 * (size_t)(k - 16);

		check_change(ctx, n, at, UINT64_MAX, EK_EOVERFLOW, "entries, which do not fit");
		check_change(ctx, n, at, INT64_MAX, EK_EOVERFLOW, "entries, which do not fit");
		check_change(ctx, n, at, INT64_MAX / 16, EK_ETRUNCATED, "bytes");
		check_change(ctx, n, at, 1 << 20, EK_ETRUNCATED, "bytes");
	}
	for (int k = count; k < EKI_MAX_ARRAYS; k++) {
		const size_t at = HEADER + 8 * (size_t)(k - 16);

		check_change(ctx, n, at, 1, EK_ESYNTAX, "but cocktail has only");
		check_change(ctx, n, at + MORE_SUMS, 1, EK_ESYNTAX, "but cocktail has only");
	}
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_old), cmocka_unit_test(test_new),
	                                   cmocka_unit_test(test_second_header),
	                                   cmocka_unit_test(test_arrays)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
