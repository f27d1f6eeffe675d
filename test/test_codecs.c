/* SPDX-License-Identifier: BSD-3-Clause
 * Tests builds that lack zlib, libarchive or both, because EK_WITH_ZLIB or EK_WITH_ARCHIVE is off.
 * Each must read and write the files that it can, and for others name the library that it lacks. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "support/folder.h"
#include "support/packed.h"
#include "support/support.h"

#define TEXT "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -3\n"

static ek_status read_bytes(ek_context *ctx, const void *data, size_t bytes, ek_matrix **A)
{
	return ek_matrix_read_memory(ctx, "t", data, bytes, EK_F64, EK_I32, NULL, A);
}

/* Checks that files which need a missing library can neither be read nor written, with a message
 * that names it, and that all other files work. */
static void test_left_out(void **state)
{
	static const struct {
		const char *name, *magic, *missing;
		int here;
	} kind[] = {
		{"a.mtx.gz", "\037\213\010\0\0\0\0\0\0\3", "without zlib;", HAVE_ZLIB},
		{"a.mtx.xz", "\3757zXZ\0\0\0\0\0", "without libarchive;", HAVE_ARCHIVE},
		{"a.mtx.zst", "\050\265\057\375\0\0\0\0\0\0", "without libarchive;", HAVE_ARCHIVE}};
	ek_context *ctx = heap_context(&heap, 1, 0);
	unsigned char tar[1024] = {0};
	ek_matrix *A = NULL, *B = NULL;

	(void)state;
	expect_status(read_bytes(ctx, TEXT, sizeof TEXT - 1, &A), EK_OK);
	for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
		ek_status status = read_bytes(ctx, kind[k].magic, 10, &B);

		assert_int_equal(status == EK_EUNSUPPORTED, !kind[k].here);
		if (!kind[k].here) {
			assert_non_null(strstr(ek_error_text(), kind[k].missing));
			expect_error(ek_matrix_write(A, in_folder(kind[k].name), NULL),
			             EK_EUNSUPPORTED, kind[k].missing);
			assert_int_equal(access(path, F_OK), -1);
			continue;
		}
		expect_status(ek_matrix_write(A, in_folder(kind[k].name), NULL), EK_OK);
		expect_status(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &B), EK_OK);
		ek_matrix_destroy(B);
		B = NULL;
		unlink(path);
	}
	memcpy(tar + 257, "ustar", 5);
	if (!HAVE_ARCHIVE)
		expect_error(read_bytes(ctx, tar, sizeof tar, &B), EK_EUNSUPPORTED,
		             "without libarchive;");
	assert_null(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_out),
	};

	return run_all_tests(tests, folder_setup, folder_teardown);
}
