/* SPDX-License-Identifier: BSD-3-Clause
 * Tests EK_METHOD, each entry of which forces the method of one operation, for both ops or for only
 * one, and changes nothing else. Also tests short, misspelt and unknown method names, in EK_METHOD,
 * hints and options. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdlib.h>

#include "plan/plan.h"
#include "support/small.h"
#include "support/support.h"

static ek_context *open_with(const char *text)
{
	ek_context *own;

	setenv("EK_METHOD", text, 1);
	expect_status(ek_context_create(NULL, &own), EK_OK);
	unsetenv("EK_METHOD");
	return own;
}

/* Returns the plan's method if EK_METHOD forced it, or NULL if `auto` chose it. The explanation of
 * a forced method must contain `why`. */
static const char *forced_method(const ek_matrix *A, ek_op op, const char *why)
{
	const ek_hints hints = {.size = sizeof hints, .op = op};
	static char name[64];
	char text[4096];
	ek_plan *plan;
	bool forced;

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	snprintf(name, sizeof name, "%s", ek_plan_method(plan));
	forced = strstr(text, "asked for by EK_METHOD") != NULL;
	if (forced && !strstr(text, why))
		fail_msg("no \"%s\" in: %s", why, text);
	ek_plan_destroy(plan);
	return forced ? name : NULL;
}

static void check_forced(const ek_matrix *A, ek_op op, const char *expected, const char *why)
{
	const char *name = forced_method(A, op, why);

	if (expected)
		assert_string_equal(name ? name : "auto", expected);
	else
		assert_null(name);
}

static void test_products(void **state)
{
	static const struct {
		const char *text, *n, *t;
	} given[] = {
		{"auto", NULL, NULL},
		{"spmv.csr.serial", "spmv.csr.serial", "spmv.csr.serial"},
		{"spmv=spmv.csr.serial", "spmv.csr.serial", "spmv.csr.serial"},
		{"spmv.csr.merge", "spmv.csr.merge", NULL},
		{"csr.copy_t", NULL, "spmv.csr.copy_t"},
		{"spmv=csr.merge;scan=serial", "spmv.csr.merge", NULL},
		{"spmv.n=spmv.csr.merge", "spmv.csr.merge", NULL},
		{"spmv.t=spmv.csr.copy_t", NULL, "spmv.csr.copy_t"},
		{"spmv.t=spmv.csr.transposed;spmv.n=spmv.csr.rows", "spmv.csr.rows",
	         "spmv.csr.transposed"},
		{"spmv.n=auto;spmv.t=spmv.csr.serial;scan=scan.serial", NULL, "spmv.csr.serial"},
		{"scan.serial;reduce.serial", NULL, NULL},
	};

	(void)state;
	for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
		const bool one =
			strstr(given[k].text, "spmv.n=") || strstr(given[k].text, "spmv.t=");
		ek_context *own = open_with(given[k].text);
		ek_matrix *A;

		expect_status(small_make(own, &A), EK_OK);
		check_forced(A, EK_OP_N, given[k].n, one ? "EK_METHOD, for spmv.n" : "EK_METHOD\n");
		check_forced(A, EK_OP_T, given[k].t, one ? "EK_METHOD, for spmv.t" : "EK_METHOD\n");
		ek_matrix_destroy(A);
		ek_context_destroy(own);
	}
}

/* Checks that `.n` and `.t` in EK_METHOD refer to A, even if its transpose is stored. */
static void test_csc(void **state)
{
	ek_context *own = open_with("spmv.n=spmv.csr.copy_t;spmv.t=spmv.csr.merge");
	ek_matrix *A, *B;

	(void)state;
	expect_status(small_make(own, &A), EK_OK);
	expect_status(ek_matrix_convert(A, "csc", NULL, &B), EK_OK);
	check_forced(B, EK_OP_N, "spmv.csr.copy_t", "spmv.n");
	check_forced(B, EK_OP_T, "spmv.csr.merge", "spmv.t");
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_context_destroy(own);
}

/* Checks that a method name without an operation forces only the ops that the method supports for A
 * as held (in CSC, op N and op T change places). For the other op `auto` chooses. */
static void test_bare(void **state)
{
	const ek_hints ell = {.size = sizeof ell, .op = EK_OP_T, .format = "ell"};
	ek_context *own = open_with("csr.merge");
	ek_matrix *A, *B;
	ek_plan *plan;

	(void)state;
	expect_status(small_make(own, &A), EK_OK);
	expect_status(ek_matrix_convert(A, "csc", NULL, &B), EK_OK);
	check_forced(B, EK_OP_N, NULL, "");
	check_forced(B, EK_OP_T, "spmv.csr.merge", "EK_METHOD\n");
	expect_status(ek_plan_create(EK_SPMV, A, &ell, &plan), EK_OK);
	assert_true(strncmp(ek_plan_format(plan), "ell", 3) == 0);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_context_destroy(own);
}

/* Checks that a forced method is refused if it lacks the op that its entry names, or the
 * reproducibility that the hints ask for. */
static void test_cannot(void **state)
{
	static const struct {
		const char *text, *why;
		ek_op op;
		ek_reproducible reproducible;
	} given[] = {
		{"spmv.t=spmv.csr.merge", "does not do op T", EK_OP_T, EK_REPRO_RUN},
		{"spmv.n=csr.copy_t", "spmv.csr.copy_t does not do op N", EK_OP_N, EK_REPRO_RUN},
		{"spmv.csr.merge", "does not do op N with reproducible bits", EK_OP_N,
	         EK_REPRO_STRICT},
	};

	(void)state;
	for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
		const ek_hints hints = {.size = sizeof hints,
		                        .op = given[k].op,
		                        .reproducible = given[k].reproducible};
		ek_context *own = open_with(given[k].text);
		ek_plan *plan;
		ek_matrix *A;

		expect_status(small_make(own, &A), EK_OK);
		expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EUNSUPPORTED,
		             given[k].why);
		ek_matrix_destroy(A);
		ek_context_destroy(own);
	}
}

/* Checks that parameters after a method's name belong to the method, although they contain "=". */
static void test_parameters(void **state)
{
	if (!ek_method_find("spmv.csr.hetero.gpu")) /* built without devices */
		skip();
	ek_context *own = open_with("spmv.t=spmv.csr.hetero.gpu:share=500;spmv.n=spmv.csr.merge");
	const eki_forced *n = eki_forced_of(own, EK_SPMV, EK_OP_N),
			 *t = eki_forced_of(own, EK_SPMV, EK_OP_T);

	(void)state;
	assert_string_equal(n->method->name, "spmv.csr.merge");
	assert_string_equal(t->method->name, "spmv.csr.hetero.gpu");
	assert_int_equal(t->param[0], 500);
	ek_context_destroy(own);
	own = open_with("spmv.csr.hetero.gpu:share=250");
	assert_int_equal(eki_forced_of(own, EK_SPMV, EK_OP_N)->param[0], 250);
	assert_int_equal(eki_forced_of(own, EK_SPMV, EK_OP_T)->param[0], 250);
	ek_context_destroy(own);
}

static void test_primitives(void **state)
{
	ek_context *own = open_with("scan=scan.serial;sort.serial");

	(void)state;
	for (int op = 1; op < EKI_OPERATIONS; op++) {
		const eki_forced *f = eki_forced_of(own, (ek_operation)op, EK_OP_N);

		if (op == EK_SCAN)
			assert_string_equal(f->method->name, "scan.serial");
		else if (op == EK_SORT)
			assert_string_equal(f->method->name, "sort.serial");
		else
			assert_null(f);
	}
	ek_context_destroy(own);
}

static void test_nonsense(void **state)
{
	static const char *const given[][2] = {
		{"csr.mrege",
	         "EK_METHOD: entry \"csr.mrege\": there is no method \"csr.mrege\"; did you mean "
	         "spmv.csr.merge?"},
		{"spmv.n=spmv.csr.mrege", "entry \"spmv.n=spmv.csr.mrege\": there is no method"},
		{"best", "no method \"best\"; ek list methods (ek_method_next) has all"},
		{"scan=best", "no method \"best\" for operation scan; auto and these exist: scan."},
		{"serial", "a name in full is expected"},
		{"spmv.x=spmv.csr.merge",
	         "there is no such operation; spmv.n, spmv.t and these exist: "
	         "spmv reduce scan"},
		{"spmv.=spmv.csr.merge", "there is no such operation"},
		{"spmv.nt=spmv.csr.merge", "there is no such operation"},
		{"smpv=spmv.csr.merge",
	         "entry \"smpv=spmv.csr.merge\": there is no such operation"},
		{"=spmv.csr.merge", "there is no such operation"},
		{"scan.n=scan.serial", "there is no such operation"},
		{"scan=spmv.csr.merge", "method spmv.csr.merge is for operation spmv"},
		{"spmv.t=scan.serial", "method scan.serial is for operation scan"},
		{"spmv.csr.merge;spmv.csr.serial",
	         "entry \"spmv.csr.serial\": an entry before it is for the same operation"},
		{"spmv.csr.merge;spmv.t=auto", "entry \"spmv.t=auto\": an entry before it"},
		{"spmv.n=auto;spmv.n=spmv.csr.merge", "an entry before it"},
		{"spmv.csr.merge;", "EK_METHOD: entry \"\": it is empty"},
		{";", "entry \"\""},
		{"spmv.csr.hetero.gpu:shore=5",
	         "EK_METHOD: entry \"spmv.csr.hetero.gpu:shore=5\": method spmv.csr.hetero.gpu has "
	         "no parameter \"shore\""},
		{"csr.hetero.gpu:share=x", "variable EK_METHOD: entry \"csr.hetero.gpu:share=x\""},
		{"spmv.n=", "auto or the name of a method is expected"},
	};
	ek_context *own = NULL;

	(void)state;
	for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
		if (strstr(given[k][0], ".gpu") && !ek_method_find("spmv.csr.hetero.gpu"))
			continue; /* built without devices */
		setenv("EK_METHOD", given[k][0], 1);
		expect_error(ek_context_create(NULL, &own), EK_EINVAL, given[k][1]);
		assert_null(own);
	}
	unsetenv("EK_METHOD");
}

/* Checks that method names in hints and options follow the same rules as in EK_METHOD. */
static void test_given(void **state)
{
	static const char *const given[][2] = {
		{"csr.mrege", "there is no method \"csr.mrege\"; did you mean spmv.csr.merge?"},
		{"scan.serial", "method scan.serial is for operation scan, not for spmv"},
		{"best",
	         "\"best\" for operation spmv; auto and these exist: spmv.csr.serial spmv."},
		{"csr.merge:tile=3", "method spmv.csr.merge has no parameter \"tile\""},
	};
	const int64_t in[] = {1, 2};
	ek_array_options options = {.size = sizeof options, .method = "serial"};
	ek_hints hints = {.size = sizeof hints, .method = "csr.merge"};
	ek_plan *plan;
	int64_t out;

	(void)state;
	expect_status(ek_plan_create(EK_SPMV, small_matrix, &hints, &plan), EK_OK);
	assert_string_equal(ek_plan_method(plan), "spmv.csr.merge");
	ek_plan_destroy(plan);
	for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
		hints.method = given[k][0];
		expect_error(ek_plan_create(EK_SPMV, small_matrix, &hints, &plan), EK_EINVAL,
		             given[k][1]);
	}
	expect_status(ek_reduce(ctx, &options, EK_INT64, EK_SUM, 2, in, &out), EK_OK);
	assert_int_equal(out, 3);
	options.method = "csr.merge";
	expect_error(ek_reduce(ctx, &options, EK_INT64, EK_SUM, 2, in, &out), EK_EINVAL,
	             "method spmv.csr.merge is for operation spmv, not for reduce; auto and these "
	             "exist: reduce.");
}

/* Checks that a scan within another operation is not the one that EK_METHOD names. */
static void test_within(void **state)
{
	static const double in[] = {1, 2, 3, 4};
	static const int32_t offset[] = {0, 1, 4};
	const ek_segments segments = ek_segment_offsets(2, EK_INT32, offset);
	const bool gpu = ek_method_find("scan.tiles.gpu") != NULL; /* else the library has none */
	ek_context *own = open_with(gpu ? "scan=scan.tiles.gpu" : "scan=scan.serial");
	const ek_array_options o = {.size = sizeof o, .method = "segsum.offset"};
	double out[2];

	(void)state;
	expect_status(ek_segmented_sum(own, &o, EK_F64, 4, in, &segments, out), EK_OK);
	assert_true(out[0] == 1 && out[1] == 9);
	ek_context_destroy(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),   cmocka_unit_test(test_csc),
		cmocka_unit_test(test_bare),       cmocka_unit_test(test_cannot),
		cmocka_unit_test(test_parameters), cmocka_unit_test(test_primitives),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_nonsense),   cmocka_unit_test(test_given),
	};

	return run_all_tests(tests, small_setup, small_teardown);
}
