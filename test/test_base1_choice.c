/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that the same method and format are chosen for a matrix whose indices start at 1 as for the
 * same with indices from 0, and that the products have the same bits. */
#include "plan/plan.h"
#include "support/contexts.h"

static struct rng draw;

static ek_plan *plan_of_many(const ek_matrix *A, ek_op op)
{
	const ek_hints hints = {.size = sizeof hints, .op = op, .calls = 1000000};
	ek_plan *plan = NULL;

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	return plan;
}

/* Checks that the prediction for a plan is the one by which it was chosen. */
static void check_prediction(const ek_plan *plan)
{
	const eki_selection *s = plan->selection;
	ek_prediction p = {.size = sizeof p};

	expect_status(ek_plan_predict(plan, 0, &p), EK_OK);
	for (int k = 0; k < s->count; k++)
		if (s->list[k].method == plan->root.method)
			assert_true(p.run == s->list[k].run * 1e-9 &&
			            p.convert == s->list[k].share * 1e-9);
}

/* Compares A with B. Returns whether the chosen format is another than CSR. */
static bool check_choice(const ek_matrix *A, const ek_matrix *B, ek_op op)
{
	const int64_t in = op == EK_OP_N ? A->store.cols : A->store.rows;
	const int64_t out = op == EK_OP_N ? A->store.rows : A->store.cols;
	double *x = malloc((size_t)in * sizeof *x), *y[2];
	ek_plan *plan[2] = {plan_of_many(A, op), plan_of_many(B, op)};
	bool converted;

	for (int64_t k = 0; k < in; k++)
		x[k] = rng_real(&draw, 3);
	for (int k = 0; k < 2; k++) {
		const ek_dense to_x = ek_vector(EK_F64, in, x);

		y[k] = calloc((size_t)out, sizeof *y[k]);
		const ek_dense to_y = ek_vector(EK_F64, out, y[k]);

		expect_status(ek_spmv(plan[k], 1, &to_x, 0, &to_y), EK_OK);
	}
	assert_ptr_equal(plan[0]->root.method, plan[1]->root.method);
	assert_string_equal(plan[0]->format, plan[1]->format);
	assert_memory_equal(y[0], y[1], (size_t)out * sizeof *x);
	converted = plan[0]->root.in[0]->format != &ek_format_csr;
	check_prediction(plan[0]);
	for (int k = 0; k < 2; k++) {
		ek_plan_destroy(plan[k]);
		free(y[k]);
	}
	free(x);
	return converted;
}

static void test_choice(void **state)
{
	static const char *const specs[] = {"poisson2d9:nx=100,ny=100",
	                                    "fem:nx=20,ny=10,nz=10,dof=3",
	                                    "uniform:rows=20000,cols=20000,k=8"};
	int converted = 0;

	(void)state;
	for (int k = 0; k < 3; k++) {
		ek_context *ctx = contexts_any(contexts.levels - 1, 3, &draw);
		ek_matrix *A, *B;

		expect_status(ek_matrix_generate(ctx, specs[k], EK_F64, EK_I32, &B), EK_OK);
		const ek_store *s = &B->store;
		int32_t *ptr = malloc((size_t)(s->rows + 1) * sizeof *ptr);
		int32_t *idx = malloc((size_t)s->nnz * sizeof *idx);

		for (int64_t i = 0; i <= s->rows; i++)
			ptr[i] = (int32_t)eki_ptr_at(s, i) + 1;
		for (int64_t i = 0; i < s->nnz; i++)
			idx[i] = (int32_t)eki_idx_at(s, CSR_COL, i) + 1;
		expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, s->rows, s->cols, ptr, idx,
		                                 s->array[CSR_VAL], EK_BORROW | EK_BASE1, &A),
		              EK_OK);
		converted += check_choice(A, B, EK_OP_N) + check_choice(A, B, EK_OP_T);
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
		free(ptr);
		free(idx);
	}
	assert_true(converted > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
