/* SPDX-License-Identifier: BSD-3-Clause
 * The operation SpGEMM, C = alpha op(A) op(B) + beta D with sparse matrices, and its public
 * function. Methods get the factors in CSR, with their ops applied. If all operands are in CSC, the
 * methods compute the transpose of C, op(B)^T op(A)^T, from the arrays as they are, and C is in CSC
 * too. */
#include <stdio.h>

#include "plan/plan.h"

/* Returns the numbers of rows and columns of op(M) of operand k. */
static void size_of(const eki_problem *p, int k, int64_t *rows, int64_t *cols)
{
	const ek_matrix *M = p->A[k].M;
	const bool swap = (p->A[k].op == EK_OP_T) != M->transposed;

	*rows = swap ? M->store.cols : M->store.rows;
	*cols = swap ? M->store.rows : M->store.cols;
}

static ek_status check(const eki_problem *p)
{
	int64_t rows, inner, b_rows, cols, d_rows, d_cols;

	size_of(p, 0, &rows, &inner);
	size_of(p, 1, &b_rows, &cols);
	if (inner != b_rows)
		return eki_fail(EK_EINVAL,
		                "op(A) is %lld x %lld and op(B) %lld x %lld; op(B) needs as many "
		                "rows as op(A) has columns",
		                (long long)rows, (long long)inner, (long long)b_rows,
		                (long long)cols);
	if (!p->A[2].M)
		return EK_OK;
	size_of(p, 2, &d_rows, &d_cols);
	if (d_rows != rows || d_cols != cols)
		return eki_fail(EK_EINVAL, "D is %lld x %lld; op(A) op(B) is %lld x %lld",
		                (long long)d_rows, (long long)d_cols, (long long)rows,
		                (long long)cols);
	return EK_OK;
}

/* Tells whether all operands are in CSC, so that C will be. */
static bool by_columns(const ek_plan *p)
{
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (p->problem.A[k].M && !p->problem.A[k].M->transposed)
			return false;
	return true;
}

static ek_status operands(ek_plan *p)
{
	const bool transposed = by_columns(p);
	const int left = transposed ? 1 : 0, right = 1 - left;
	const ek_store *a;

	EK_RETURN_IF(eki_plan_operand(p, left, transposed, false));
	EK_RETURN_IF(eki_plan_operand(p, right, transposed, true));
	if (p->problem.A[2].M)
		EK_RETURN_IF(eki_plan_operand(p, 2, transposed, true));
	if (transposed) {
		a = p->root.in[0];
		p->root.in[0] = p->root.in[1];
		p->root.in[1] = a;
	}
	snprintf(p->format, sizeof p->format, "%s", transposed ? "csc" : "csr");
	return EK_OK;
}

static ek_status result_check(const ek_plan *p, const ek_matrix *C)
{
	if (!C)
		return EK_OK;
	EK_RETURN_IF(eki_matrix_check(C));
	if (C->maker != p->id)
		return eki_fail(EK_EINVAL,
		                "*C was not made by a run of this plan, or was converted "
		                "since; NULL asks for a new matrix");
	return EK_OK;
}

/* Runs the plan into a new matrix. */
static ek_status make(ek_plan *plan, eki_run *run, ek_matrix **C)
{
	ek_context *ctx = (ek_context *)(uintptr_t)plan->ctx;
	ek_store store = {0};
	ek_status status;

	run->C = &store;
	EK_TRY(eki_plan_run(plan, run));
	store.columns = by_columns(plan);
	EK_TRY(eki_matrix_from_store(ctx, &store, C));
	(*C)->transposed = store.columns;
	(*C)->maker = plan->id;
done:
	if (status != EK_OK)
		eki_store_free(ctx, &store);
	return status;
}

ek_status ek_spgemm(ek_plan *plan, double alpha, double beta, ek_matrix **C)
{
	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPGEMM));
	if (!C)
		return eki_fail(EK_EINVAL, "C, where the result goes, is NULL");
	EK_RETURN_IF(result_check(plan, *C));
	if (plan->problem.A[0].M->store.value == EK_F32) {
		alpha = (float)alpha;
		beta = (float)beta;
	}
	eki_run run = {.alpha = eki_real(alpha), .beta = eki_real(plan->problem.A[2].M ? beta : 0)};

	if (!*C)
		return make(plan, &run, C);
	run.C = &(*C)->store;
	EK_RETURN_IF(eki_plan_run(plan, &run));
	return ek_matrix_values_changed(*C);
}

const eki_operation eki_op_spgemm = {
	.name = "spgemm",
	.text = "C = alpha op(A) op(B) + beta D, all sparse",
	.number = EK_SPGEMM,
	.matrices = 2,
	.check = check,
	.operands = operands,
};
