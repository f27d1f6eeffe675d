/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the format in which A is stored, and the one with which a plan multiplies. One call must
 * make a plan of any format from A in any other, or an error must say why not. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "support/modes.h"
#include "support/support.h"
#include "support/small.h"

static void check_stored(ek_matrix *B, const char *held, const char *method, const char *format,
                         const char *expected)
{
	static const double x[] = {1, 10, 100};
	const double last = 3, changed = 7;
	double y[3];

	for (int op = 0; op < 2; op++) {
		const ek_hints hints = {.size = sizeof hints,
		                        .method = method,
		                        .op = op ? EK_OP_T : EK_OP_N,
		                        .format = format};
		ek_plan *plan = NULL;

		expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
		if (strncmp(ek_plan_format(plan), expected, strlen(expected)) != 0)
			fail_msg("%s, method %s, format %s: %s instead of %s", held,
			         method ? method : "auto", format ? format : "-",
			         ek_plan_format(plan), expected);
		for (int k = 0; k < 2; k++) {
			const double v = k ? changed : last;

			expect_status(ek_matrix_set(B, 2, 1, v), EK_OK);
			multiply_f64(plan, 1, x, op ? 3 : 2, 0, y, op ? 2 : 3);
			if (op)
				assert_true(y[0] == 201 && y[1] == 100 * v);
			else
				assert_true(y[0] == 1 && y[1] == 0 && y[2] == 2 + 10 * v);
		}
		ek_plan_destroy(plan);
	}
}

/* Checks that one call makes a plan of any format from a matrix in any other format, and that new
 * values of the matrix reach the plan. */
static void test_stored(void **state)
{
	static const char *const held[] = {"csr", "csc", "ell:order=1", "csr5:omega=8,sigma=4",
	                                   "hyb:width=0"};
	static const char *const asked[] = {"csr",
	                                    "csc",
	                                    "coo",
	                                    "ell:order=2",
	                                    "csr5:omega=8,sigma=4",
	                                    "csr5:omega=4,sigma=2",
	                                    "hyb:width=0",
	                                    "hyb:width=1"};

	(void)state;
	for (size_t k = 0; k < sizeof held / sizeof *held; k++) {
		ek_matrix *B = NULL;

		expect_status(ek_matrix_convert(small_matrix, held[k], NULL, &B), EK_OK);
		check_stored(B, held[k], NULL, NULL, held[k]);
		check_stored(B, held[k], "spmv.csr.serial", "csr", "csr");
		check_stored(B, held[k], "spmv.csr.serial", "csc", "csc");
		check_stored(B, held[k], "spmv.csr.serial", NULL, k == 1 ? "csc" : "csr");
		check_stored(B, held[k], "spmv.ell", NULL, k == 2 ? held[k] : "ell");
		check_stored(B, held[k], NULL, "csr5:sigma=4", "csr5:omega=");
		for (size_t m = 0; m < sizeof asked / sizeof *asked; m++)
			check_stored(B, held[k], NULL, asked[m], asked[m]);
		ek_matrix_destroy(B);
	}
}

/* Checks that the plan uses A in place if A is already in the requested format. */
static void test_no_copy(void **state)
{
	static const char *const asked[] = {NULL, "csr5", "csr5:sigma=4", "csr5:omega=8,sigma=4"};
	int64_t least = 0;
	ek_matrix *B;

	(void)state;
	expect_status(ek_matrix_convert(small_matrix, "csr5:omega=8,sigma=4", NULL, &B), EK_OK);
	for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
		const ek_hints hints = {.size = sizeof hints, .format = asked[k]};
		ek_plan *plan = NULL;
		char text[4096];

		expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		assert_non_null(strstr(text, "csr5:omega=8,sigma=4, as A is stored"));
		least = k ? least : ek_plan_memory(plan);
		assert_true(ek_plan_memory(plan) == least);
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(B);
	assert_null(ek_plan_format(NULL));
}

/* Checks that A is also used in place if conversion would not change it: a sigma of 3 is rounded up
 * to 4, and a width is reduced to the length of the longest row. */
static void test_no_copy_rounded(void **state)
{
	static const struct {
		const char *held, *asked;
		bool same;
	} list[] = {
		{"sell:c=2,sigma=3", "sell:c=2,sigma=3", true},
		{"sell:c=2,sigma=3", "sell:sigma=3", true},
		{"sell:c=2,sigma=3", "sell:sigma=5", false},
		{"hyb:width=60", "hyb:width=60", true},
		{"hyb:width=60", "hyb:width=2", true},
		{"hyb:width=60", "hyb:width=1", false},
		{"hyb:width=1", "hyb:width=60", false},
	};

	(void)state;
	for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
		const ek_hints hints = {.size = sizeof hints, .format = list[k].asked};
		ek_plan *plan = NULL;
		ek_matrix *B;
		char text[4096];

		expect_status(ek_matrix_convert(small_matrix, list[k].held, NULL, &B), EK_OK);
		expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		if (!strstr(text, list[k].same ? ", as A is stored" : ", a copy"))
			fail_msg("%s asked of %s: %s", list[k].asked, list[k].held, text);
		ek_plan_destroy(plan);
		check_stored(B, list[k].held, NULL, list[k].asked, "");
		ek_matrix_destroy(B);
	}
}

static void refused(const ek_matrix *B, const ek_hints *hints, ek_status status, const char *part)
{
	ek_plan *plan = NULL;

	expect_error(ek_plan_create(EK_SPMV, B, hints, &plan), status, part);
	assert_null(plan);
}

/* Checks that messages name the requested op, and say so if the method comes from EK_METHOD. */
static void test_refused(void **state)
{
	ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.merge"};
	ek_context *forced = NULL;
	ek_matrix *C = NULL, *F = NULL;

	(void)state;
	expect_status(ek_matrix_convert(small_matrix, "csc", NULL, &C), EK_OK);
	refused(C, &hints, EK_EUNSUPPORTED,
	        "method spmv.csr.merge does not do op N of a matrix in csc, which is op T of its "
	        "transpose in csr");
	hints.op = EK_OP_T;
	refused(small_matrix, &hints, EK_EUNSUPPORTED, "method spmv.csr.merge does not do op T");
	hints.format = "ell";
	refused(small_matrix, &hints, EK_EINVAL,
	        "method spmv.csr.merge multiplies with format csr, not with ell");
	hints.method = NULL;
	hints.reproducible = EK_REPRO_STRICT;
	refused(small_matrix, &hints, EK_EUNSUPPORTED,
	        "no method does op T reproducibly on format ell");
	hints.format = "elll";
	refused(small_matrix, &hints, EK_EINVAL, "there is no format \"elll\"");
	ek_matrix_destroy(C);

	setenv("EK_METHOD", "spmv.csr.merge", 1);
	expect_status(ek_context_create(NULL, &forced), EK_OK);
	unsetenv("EK_METHOD");
	expect_status(small_make(forced, &F), EK_OK);
	hints = (ek_hints){.size = sizeof hints, .format = "ell"};
	refused(F, &hints, EK_EINVAL,
	        "environment variable EK_METHOD: method spmv.csr.merge multiplies with format csr");
	ek_matrix_destroy(F);
	ek_context_destroy(forced);
}

/* Checks that in every rounding mode, a value too large for f32 is refused and changes nothing, but
 * Inf is accepted. */
static void test_set_beyond(void **state)
{
	static const int32_t ptr[] = {0, 1}, col[] = {0};
	static const double beyond[] = {1e300, -1e300, 0x1.ffffffp127};
	const float val[] = {5};
	ek_matrix *A = NULL;
	double v = 0;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F32, EK_I32, 1, 1, ptr, col, val, EK_COPY, &A),
	              EK_OK);
	for (int mode = 0; mode < MODES; mode++)
		for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
			mode_set(mode);
			ek_status status = ek_matrix_set(A, 0, 0, beyond[k]);

			mode_set(0);
			expect_error(status, EK_EOVERFLOW,
			             "row 0 and column 0 is too large for f32");
			expect_status(ek_matrix_get(A, 0, 0, &v), EK_OK);
			assert_true(v == 5);
		}
	expect_status(ek_matrix_set(A, 0, 0, 3.4028235e38), EK_OK);
	expect_status(ek_matrix_set(A, 0, 0, (double)INFINITY), EK_OK);
	expect_status(ek_matrix_get(A, 0, 0, &v), EK_OK);
	assert_true(isinf(v));
	ek_matrix_destroy(A);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stored),          cmocka_unit_test(test_no_copy),
		cmocka_unit_test(test_no_copy_rounded), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_set_beyond),
	};

	return run_all_tests(tests, small_setup, small_teardown);
}
