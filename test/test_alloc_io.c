/* SPDX-License-Identifier: BSD-3-Clause
 * Tests reading and writing while the n-th allocation fails: the status must be EK_ENOMEM, nothing
 * may leak, and neither a result nor a file may be left. */
#define _POSIX_C_SOURCE 200809L /* unlink */
#include <unistd.h>

#include "io/io.h"
#include "support/exhaust.h"
#include "support/folder.h"
#include "support/support.h"

static struct exhaust e;

static const char *const text[] = {
	"%%MatrixMarket matrix coordinate real general\n3 4 4\n1 3 2.5\n3 1 -1e3\n3 4 7\n1 3 1\n",
	"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
	"%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n",
};

static int setup(void **state)
{
	exhaust_open(&e, 3, NULL);
	return folder_setup(state);
}

static int teardown(void **state)
{
	exhaust_close(&e);
	return folder_teardown(state);
}

static void free_matrix(struct exhaust *x)
{
	ek_matrix_destroy(x->out);
}

static ek_status read_text(struct exhaust *x)
{
	return ek_matrix_read_memory(x->ctx, "text", x->arg, strlen(x->arg), EK_F64, EK_I32, NULL,
	                             (ek_matrix **)&x->out);
}

static void test_read_memory(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
		e.arg = text[k];
		assert_true(exhaust(&e, "ek_matrix_read_memory", read_text, free_matrix) > 0);
	}
}

static ek_status read_file(struct exhaust *x)
{
	return ek_matrix_read(x->ctx, path, EK_F64, EK_I64, NULL, (ek_matrix **)&x->out);
}

static const char *form; /* form of the file that write_file writes */

static ek_status write_file(struct exhaust *x)
{
	ek_status status = ek_matrix_write(x->arg, path, form);

	if (status != EK_OK && access(path, F_OK) == 0)
		x->room[0] = 0; /* the loop reports this change as a changed output */
	return status;
}

static void remove_file(struct exhaust *x)
{
	(void)x;
	unlink(path);
}

static void test_files(void **state)
{
	static const char *const forms[] = {"mtx", "ekm"};
	ek_matrix *A;

	(void)state;
	in_folder("a.out");
	e.arg = text[0];
	expect_status(read_text(&e), EK_OK);
	A = e.out;
	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		if (k && !eki_xxhash_version())
			continue;
		e.arg = A;
		form = forms[k];
		exhaust(&e, "ek_matrix_write", write_file, remove_file);
		expect_status(ek_matrix_write(A, path, form), EK_OK);
		assert_true(exhaust(&e, "ek_matrix_read", read_file, free_matrix) > 0);
		remove_file(&e);
	}
	ek_matrix_destroy(A);
}

static ek_status write_dense(struct exhaust *x)
{
	return ek_dense_write(x->ctx, path, EK_F64, 2, 2, x->arg);
}

static ek_status read_dense(struct exhaust *x)
{
	int64_t rows = -1, cols = -1;
	ek_status status = ek_dense_read(x->ctx, path, EK_F64, NULL, &rows, &cols, &x->out);

	if (status != EK_OK && (rows != -1 || cols != -1))
		x->room[0] = 0;
	return status;
}

static void free_dense(struct exhaust *x)
{
	ek_free(x->ctx, x->out, 4 * sizeof(double));
}

static void test_dense(void **state)
{
	static const double values[] = {1, 2, 3, 4};

	(void)state;
	in_folder("x.mtx");
	e.arg = values;
	exhaust(&e, "ek_dense_write", write_dense, NULL);
	assert_true(exhaust(&e, "ek_dense_read", read_dense, free_dense) > 0);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_memory),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_dense),
	};

	return run_all_tests(tests, setup, teardown);
}
