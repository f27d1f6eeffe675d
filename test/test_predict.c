/* SPDX-License-Identifier: BSD-3-Clause
 * Tests ek_plan_predict: what it says of a plan made by name is, bit for bit, what the choice found
 * for the same method and format. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "support/context.h"
#include "support/support.h"

static const char *const specs[] = {
	"poisson2d5:nx=60,ny=60",
	"fem:nx=10,ny=10,nz=10", /* on every processor, a format of blocks is a candidate */
	"banded:n=3000",
	"powerlaw:rows=5000,cols=5000",
	"emptyrows:rows=40000,cols=500,k=12,leading=0.1,interleaved=0.95,trailing=0.1",
};
enum { SPECS = sizeof specs / sizeof *specs };

static ek_matrix *generate(const char *spec, const char *format)
{
	ek_matrix *A, *B;

	expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_matrix_convert(A, format, NULL, &B), EK_OK);
	ek_matrix_destroy(A);
	return B;
}

static ek_prediction predict(const ek_plan *plan, int64_t calls)
{
	ek_prediction p = {.size = sizeof p, .run = -1, .convert = -1};

	expect_status(ek_plan_predict(plan, calls, &p), EK_OK);
	return p;
}

/* Makes plans by name for all candidates of a choice and compares their predictions with the table
 * of the choice. Returns how many of them convert A. */
static int check_choice(const ek_matrix *A, ek_op op, int64_t calls)
{
	ek_hints hints = {.size = sizeof hints, .op = op, .calls = calls};
	ek_plan *automatic, *plan;
	double least = HUGE_VAL;
	int conversions = 0;

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &automatic), EK_OK);
	const eki_selection *s = automatic->selection;

	assert_true(s->count > 1);
	hints.calls = 77; /* the prediction is for the calls of its argument */
	for (const eki_candidate *c = s->list; c < s->list + s->count; c++) {
		hints.method = c->method->name;
		expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
		const ek_prediction p = predict(plan, calls);

		if (p.run != c->run * 1e-9 || p.convert != c->share * 1e-9 || p.calls != calls)
			fail_msg("%s: %g + %g s are predicted, and %g + %g were when it was a "
			         "candidate",
			         c->method->name, p.run, p.convert, c->run * 1e-9, c->share * 1e-9);
		assert_true(predict(plan, 0).calls == 77);
		conversions += c->share > 0;
		least = fmin(least, p.run + p.convert);
		ek_plan_destroy(plan);
	}
	const ek_prediction best = predict(automatic, 0);

	assert_true(best.calls == calls && best.run + best.convert == least);
	ek_plan_destroy(automatic);
	return conversions;
}

static void test_candidates(void **state)
{
	static const int64_t calls[] = {1, 50, 1000000};
	int conversions = 0;

	(void)state;
	for (int k = 0; k < SPECS; k++)
		for (int csc = 0; csc < 2; csc++) {
			ek_matrix *A = generate(specs[k], csc ? "csc" : "csr");

			for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
				conversions += check_choice(A, EK_OP_N, calls[n]);
				conversions += check_choice(A, EK_OP_T, calls[n]);
			}
			ek_matrix_destroy(A);
		}
	assert_true(conversions > 0);
}

/* Checks matrices that are in a format already, with and without another one for the plan. */
static void test_stored(void **state)
{
	ek_hints to_coo = {.size = sizeof to_coo, .format = "coo"};
	ek_hints to_csr = {.size = sizeof to_csr, .format = "csr"};
	ek_hints by_columns = {.size = sizeof by_columns, .format = "csc"};
	ek_matrix *A = generate(specs[0], "ell"), *csr = generate(specs[0], "csr");
	ek_plan *plan, *other;

	(void)state;
	expect_status(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_OK);
	assert_true(predict(plan, 1).convert == 0 && predict(plan, 1).run > 0);
	ek_plan_destroy(plan);
	expect_status(ek_plan_create(EK_SPMV, A, &to_coo, &plan), EK_OK);
	assert_true(isnan(predict(plan, 1).convert) && predict(plan, 1).run > 0);
	ek_plan_destroy(plan);
	expect_status(ek_plan_create(EK_SPMV, A, &to_csr, &plan), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, csr, &to_csr, &other), EK_OK);
	assert_true(isnan(predict(plan, 9).convert) && predict(other, 9).convert == 0);
	ek_plan_destroy(plan);
	ek_plan_destroy(other);
	expect_status(ek_plan_create(EK_SPMV, csr, &to_coo, &plan), EK_OK);
	assert_true(predict(plan, 1).convert > predict(plan, 2).convert);
	assert_true(predict(plan, 2).convert > 0);
	ek_plan_destroy(plan);
	expect_status(ek_plan_create(EK_SPMV, csr, &by_columns, &plan), EK_OK);
	assert_true(isnan(predict(plan, 1).convert) && predict(plan, 1).run > 0);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(csr);
}

/* Checks operations on several matrices, and methods that have no prediction. */
static void test_others(void **state)
{
	ek_matrix *A = generate(specs[0], "csr");
	ek_hints hints = {.size = sizeof hints, .B = A};
	ek_prediction kept = {.size = sizeof kept, .run = 7};
	ek_plan *plan;
	int none = 0;

	(void)state;
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	for (int k = 0; k < plan->selection->count; k++)
		if (plan->selection->list[k].method == plan->root.method)
			assert_true(predict(plan, 0).run == plan->selection->list[k].run * 1e-9);
	ek_plan_destroy(plan);
	hints.B = NULL;
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		hints.method = ek_method_name(m);
		if (m->operation != EK_SPMV || m->cost || !(m->backend & EKI_CPU) ||
		    ek_plan_create(EK_SPMV, A, &hints, &plan) != EK_OK)
			continue;
		expect_status(ek_plan_predict(plan, 1, &kept), EK_EUNSUPPORTED);
		assert_non_null(strstr(ek_error_text(), ek_method_name(m)));
		assert_true(kept.run == 7);
		none++;
		ek_plan_destroy(plan);
	}
	assert_true(none > 0);
	ek_matrix_destroy(A);
}

/* Returns the predicted time of A B. B has n rows of `each` entries, `apart` columns apart. */
static double predicted_product(const ek_matrix *A, int n, int each, int apart)
{
	ek_hints hints = {.size = sizeof hints, .method = "csr.flags"};
	int64_t *ptr = malloc(((size_t)n + 1) * sizeof *ptr);
	int32_t *col = malloc((size_t)n * (size_t)each * sizeof *col);
	double *val = calloc((size_t)n * (size_t)each, sizeof *val), run;
	ek_matrix *B;
	ek_plan *plan;

	for (int i = 0; i <= n; i++)
		ptr[i] = (int64_t)i * each;
	for (int k = 0; k < n * each; k++)
		col[k] = k % each * apart;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64_32, n, each * apart, ptr, col, val,
	                                 EK_COPY, &B),
	              EK_OK);
	free(ptr);
	free(col);
	free(val);
	hints.B = B;
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	run = predict(plan, 1).run;
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	return run;
}

/* Checks that the prediction for a sparse product counts the entries of B that entries of A meet,
 * and those in consecutive columns less. */
static void test_products(void **state)
{
	ek_matrix *A = generate(specs[0], "csr");
	const double two = predicted_product(A, 3600, 2, 3);
	const double twenty = predicted_product(A, 3600, 20, 3);

	(void)state;
	assert_true(twenty > 4 * two && twenty < 12 * two);
	assert_true(predicted_product(A, 3600, 20, 1) < 0.8 * twenty);
	ek_matrix_destroy(A);
}

/* Checks that wrong arguments are refused, and leave the result as it was. */
static void test_arguments(void **state)
{
	ek_prediction p = {.size = sizeof p, .run = 7};
	ek_matrix *A = generate(specs[0], "csr");
	ek_plan *plan;

	(void)state;
	expect_status(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_OK);
	expect_error(ek_plan_predict(NULL, 0, &p), EK_EINVAL, "plan is NULL");
	expect_error(ek_plan_predict((ek_plan *)(void *)A, 0, &p), EK_EINVAL, "not a plan");
	expect_error(ek_plan_predict(plan, -1, &p), EK_EINVAL, "calls is -1");
	expect_error(ek_plan_predict(plan, 0, NULL), EK_EINVAL, "prediction");
	assert_true(p.run == 7 && p.calls == 0);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

static int setup(void **state)
{
	unsetenv("EK_METHOD");
	return context_setup(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_arguments),
	};

	return run_all_tests(tests, setup, context_teardown);
}
