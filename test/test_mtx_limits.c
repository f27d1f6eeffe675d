/* SPDX-License-Identifier: BSD-3-Clause
 * Tests reading text at the limits of what is read: the longest lines, and files that get the
 * number of a standard stream. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/folder.h"
#include "support/support.h"

#define R "%%MatrixMarket matrix coordinate real general\n"

static ek_status read_text(ek_context *ctx, const char *text, size_t length, ek_matrix **A)
{
	return ek_matrix_read_memory(ctx, "t", text, length, EK_F64, EK_I32, NULL, A);
}

/* Checks that a file which gets the number of a standard stream, since the caller has closed that,
 * is closed like any other. */
static void test_closed_streams(void **state)
{
	static const char text[] = R "1 1 1\n1 1 1\n";
	ek_context *ctx = heap_context(&heap, 1, 0);
	int wrong = 0;
	ek_matrix *A, *B;

	(void)state;
	expect_status(read_text(ctx, text, sizeof text - 1, &A), EK_OK);
	in_folder("closed.mtx");
	for (int stream = 0; stream < 2; stream++) {
		const int kept = dup(stream);

		close(stream);
		wrong += ek_matrix_write(A, path, NULL) != EK_OK;
		wrong += fcntl(stream, F_GETFD) >= 0;
		close(stream);
		B = NULL;
		wrong += ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &B) != EK_OK;
		wrong += fcntl(stream, F_GETFD) >= 0;
		ek_matrix_destroy(B);
		dup2(kept, stream);
		close(kept);
	}
	assert_int_equal(wrong, 0);
	unlink(path);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that lines may have 2^20 bytes and no more, whatever the number of threads is: a comment
 * and an entry. */
static void test_long_lines(void **state)
{
	enum { MOST = 1 << 20 };
	char *text = malloc(MOST + 200);
	ek_matrix *A;

	(void)state;
	for (int kind = 0; kind < 4; kind++)
		for (int threads = 1; threads <= 3; threads += 2) {
			ek_context *ctx = heap_context(&heap, threads, 0);
			const bool entry = kind & 1;
			const int length = MOST + (kind >> 1);
			char *p = text + sprintf(text, "%s", R "2 2 2\n1 1 1\n");

			memset(p, ' ', (size_t)length);
			memcpy(p, entry ? "2 2 1" : "%", entry ? 5 : 1);
			p += length;
			p += sprintf(p, entry ? "\n" : "\n2 2 1\n");
			A = NULL;
			if (length == MOST)
				expect_status(read_text(ctx, text, (size_t)(p - text), &A), EK_OK);
			else
				expect_error(read_text(ctx, text, (size_t)(p - text), &A),
				             EK_ESYNTAX, "the line is longer than 1048576");
			ek_matrix_destroy(A);
			ek_context_destroy(ctx);
		}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_streams),
		cmocka_unit_test(test_long_lines),
	};

	return run_all_tests(tests, folder_setup, folder_teardown);
}
