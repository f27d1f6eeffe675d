/* SPDX-License-Identifier: BSD-3-Clause
 * Tests versions of the binary form. Files of version 2, with the library's own checksum, can be
 * read. Files are written as version 3, with xxHash checksums of the bytes as in the file. A build
 * without xxHash refuses to write, and the message says why. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "io/io.h"
#include "support/support.h"

enum { VERSION = 8, ENDIAN = 12, SUMS = 232, HEADER = 368, VALUES = HEADER + 3 * 4 };

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

/* Tests a format with more arrays than the header has room for: files without the second header,
 * from before the format had so many, and files with it, of which each byte is protected. */
static void test_second_header(void **state)
{
	ek_context *ctx = context();
	ek_matrix *A, *B;
	char path[64];
	size_t n;

	(void)state;
	if (old_file(SEED("cocktail"), &n))
		check_bytes(ctx, data + 1, n, EK_EIO);
	if (eki_xxhash_version()) {
		snprintf(path, sizeof path, "/tmp/ek-versions-%ld.ekm", (long)getpid());
		expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=5,ny=5", EK_F64, EK_I32, &A),
		              EK_OK);
		expect_status(ek_matrix_convert(A, "cocktail", NULL, &B), EK_OK);
		expect_status(ek_matrix_write(B, path, NULL), EK_OK);
		n = slurp(path);
		unlink(path);
		assert_true(n < sizeof data);
		check_bytes(ctx, data, n, EK_EIO);
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_old), cmocka_unit_test(test_new),
	                                   cmocka_unit_test(test_second_header)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
