/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that for content that is not text, the message names the kind of file, not the place where
 * a parser would fail. */
#include "support/heap.h"
#include "support/support.h"

static struct heap heap = HEAP_INIT;

static void test_contents(void **state)
{
	static const struct {
		const char *start, *message;
	} row[] = {
		{"BZh91AY&SY", "t:1: the content is compressed by bzip2; accepted are plain text"},
		{"]\0\0\200\0", "compressed by lzma"},
		{"LZIP\1", "compressed by lzip"},
		{"\004\042\115\030d@", "compressed by lz4"},
		{"\037\235\220", "compressed by compress"},
		{"x\001\353\003", "compressed by zlib"},
		{"x\234\353\003", "compressed by zlib"},
		{"x\332\353\003", "compressed by zlib"},
		{"PK\003\004\024", "a zip archive"},
		{"7z\274\257\047\034", "a 7z archive"},
		{"\211HDF\r\n\032\n", "an HDF5 file"},
		{"MATLAB 5.0 MAT-file, Platform", "a MATLAB file"},
		{"\223NUMPY\1", "a NumPy file"},
		{"\377\376%", "UTF-16 text"}};
	ek_context *ctx = heap_context(&heap, 1, 0);

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		char data[64] = {0};
		ek_matrix *A = NULL;

		memcpy(data, row[k].start, strlen(row[k].start) + 1);
		expect_error(ek_matrix_read_memory(ctx, "t", data, sizeof data, EK_F64, EK_I32,
		                                   NULL, &A),
		             EK_EUNSUPPORTED, row[k].message);
		assert_null(A);
	}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
