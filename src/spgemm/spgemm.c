/* SPDX-License-Identifier: BSD-3-Clause
 * The operation SpGEMM, C = alpha op(A) op(B) + beta D with sparse matrices, and its public
 * function. Methods get the factors in CSR, with their ops applied. If all operands are in CSC, the
 * methods compute the transpose of C, op(B)^T op(A)^T, from the arrays as they are, and C is in CSC
 * too. */
#include <stdio.h>

#include "plan/plan.h"

/* Sets *rows and *cols to the size of operand k with its op applied. */
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

static ek_status operands(ek_plan *p)
{
	const bool transposed = eki_by_columns(p);
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
		p->root.from[0] = p->problem.A[1].M;
		p->root.from[1] = p->problem.A[0].M;
	}
	snprintf(p->format, sizeof p->format, "%s", transposed ? "csc" : "csr");
	return EK_OK;
}

ek_status ek_spgemm(ek_plan *plan, double alpha, double beta, ek_matrix **C)
{
	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPGEMM));
	eki_run run = eki_result_run(plan, alpha, beta);

	return eki_plan_run_sparse(plan, &run, C);
}

const eki_operation eki_op_spgemm = {
	.name = "spgemm",
	.text = "C = alpha op(A) op(B) + beta D, all sparse",
	.number = EK_SPGEMM,
	.matrices = 3,
	.check = check,
	.operands = operands,
	.limited = true,
	.measured = true,
};
