/* SPDX-License-Identifier: BSD-3-Clause
 * Tests conversions that must be refused, because the result would be too large or an argument is
 * bad. */
#include "support/contexts.h"

/* Generates a matrix of one long row and many short ones. */
static ek_matrix *arrow(ek_context *ctx)
{
	ek_matrix *A;

	expect_status(ek_matrix_generate(ctx, "arrow:n=3000", EK_F64, EK_I32, &A), EK_OK);
	return A;
}

static void test_limit(void **state)
{
	ek_convert_options o = {.size = sizeof o};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A = arrow(ctx), *B = NULL;

	(void)state;
	heap.limit = 4 << 20; /* refuses and counts larger blocks, such as the 108 MB of ELL */
	expect_error(ek_matrix_convert(A, "ell", NULL, &B), EK_ELIMIT, "the limit is");
	expect_error(ek_matrix_convert(A, "dia", NULL, &B), EK_ELIMIT, "format dia would take");
	expect_error(ek_matrix_convert_in_place(A, "ell", NULL), EK_ELIMIT,
	             "format ell would take");
	assert_int_equal(heap.refused, 0);
	heap.limit = 0;
	o.max_bytes = 1000;
	expect_error(ek_matrix_convert(A, "coo", &o, &B), EK_ELIMIT, "the limit is 1000 bytes");
	o.max_bytes = -1;
	expect_status(ek_matrix_convert(A, "ell", &o, &B), EK_OK);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void test_arguments(void **state)
{
	ek_convert_options o = {.size = 3};
	ek_context *ctx = contexts.of[0][0];
	ek_matrix *A = arrow(ctx), *B = NULL;
	double x = 7;

	(void)state;
	expect_error(ek_matrix_convert(A, NULL, NULL, &B), EK_EINVAL, "format is NULL");
	expect_error(ek_matrix_convert(A, "crs", NULL, &B), EK_EINVAL, "\"crs\"; these exist: csr");
	expect_error(ek_matrix_convert(A, "", NULL, &B), EK_EINVAL, "these exist");
	expect_error(ek_matrix_convert(A, "csr5:rho=4", NULL, &B), EK_EINVAL, "omega sigma");
	expect_error(ek_matrix_convert(A, "csr5:sigma=0", NULL, &B), EK_EINVAL, "from 1 to 48");
	expect_error(ek_matrix_convert(A, "csr5:sigma=", NULL, &B), EK_EINVAL, "from 1 to 48");
	expect_error(ek_matrix_convert(A, "csr5:sigma", NULL, &B), EK_EINVAL, "from 1 to 48");
	expect_error(ek_matrix_convert(A, "csr5:omega=6", NULL, &B), EK_EINVAL, "power of two");
	expect_error(ek_matrix_convert(A, "coo:c=1", NULL, &B), EK_EINVAL, "none");
	expect_error(ek_matrix_convert(A, "coo", &o, &B), EK_EINVAL, "options.size is 3");
	o = (ek_convert_options){.size = sizeof o, .max_bytes = -2};
	expect_error(ek_matrix_convert(A, "coo", &o, &B), EK_EINVAL, "max_bytes is -2");
	expect_error(ek_matrix_convert(A, "coo", NULL, NULL), EK_EINVAL, "B,");
	assert_null(B);
	expect_error(ek_matrix_get(A, 3000, 0, &x), EK_EINVAL, "(3000, 0)");
	expect_error(ek_matrix_get(A, 0, -1, &x), EK_EINVAL, "(0, -1)");
	expect_error(ek_matrix_get(A, 0, 0, NULL), EK_EINVAL, "value");
	expect_error(ek_matrix_set(A, 2, 1, 1), EK_EINVAL, "no entry");
	assert_true(x == 7);
	expect_error(ek_matrix_convert(A, "csr5:sigma=4,sigma=4", NULL, &B), EK_EINVAL,
	             "sigma is given twice");
	expect_error(ek_matrix_convert(A, "hyb:width=0,width=0", NULL, &B), EK_EINVAL,
	             "width is given twice");
	assert_null(B);
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_limit),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
