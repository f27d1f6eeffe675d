/* SPDX-License-Identifier: BSD-3-Clause
 * The operation SpAdd, C = alpha op(A) + beta op(B) with sparse matrices, and its public function.
 * Methods get both operands in CSR, with their ops applied and columns that ascend strictly. If
 * both are in CSC, the methods add the transposes, and C is in CSC too. */
#include <stdio.h>

#include "plan/plan.h"

static ek_status check(const eki_problem *p)
{
	int64_t size[2][2];

	for (int k = 0; k < 2; k++) {
		const ek_matrix *M = p->A[k].M;
		const bool swap = (p->A[k].op == EK_OP_T) != M->transposed;

		size[k][0] = swap ? M->store.cols : M->store.rows;
		size[k][1] = swap ? M->store.rows : M->store.cols;
	}
	if (size[0][0] != size[1][0] || size[0][1] != size[1][1])
		return eki_fail(
			EK_EINVAL,
			"op(A) is %lld x %lld and op(B) %lld x %lld; equal sizes are expected",
			(long long)size[0][0], (long long)size[0][1], (long long)size[1][0],
			(long long)size[1][1]);
	return EK_OK;
}

static ek_status operands(ek_plan *p)
{
	const bool transposed = eki_by_columns(p);

	snprintf(p->format, sizeof p->format, "%s", transposed ? "csc" : "csr");
	EK_RETURN_IF(eki_plan_operand(p, 0, transposed, true));
	return eki_plan_operand(p, 1, transposed, true);
}

ek_status ek_spadd(ek_plan *plan, double alpha, double beta, ek_matrix **C)
{
	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPADD));
	eki_run run = eki_result_run(plan, alpha, beta);

	return eki_plan_run_sparse(plan, &run, C);
}

const eki_operation eki_op_spadd = {
	.name = "spadd",
	.text = "C = alpha op(A) + beta op(B), all sparse",
	.number = EK_SPADD,
	.matrices = 2,
	.check = check,
	.operands = operands,
	.limited = true,
};
