/* SPDX-License-Identifier: BSD-3-Clause
 * The operation Y = alpha op(A) + beta Y, a sparse matrix added to a dense one (Liu 2015, section
 * 2.3.3), and its public function. Methods get A in CSR as it is, or its transpose if A is in CSC.
 * If op(A) is the transpose of what they get, the rows and columns of Y are exchanged instead,
 * which only exchanges its strides. So A is never transposed. */
#include <stdio.h>

#include "plan/plan.h"

/* Accepts all operands. No limit on the lengths of vectors is needed here: Y is longer than any
 * vector, and each call checks Y. */
static ek_status check(const eki_problem *problem)
{
	(void)problem;
	return EK_OK;
}

static ek_status operands(ek_plan *p)
{
	const bool transposed = (p->problem.A[0].op == EK_OP_T) != p->problem.A[0].M->transposed;

	snprintf(p->format, sizeof p->format, "%s", p->problem.A[0].M->transposed ? "csc" : "csr");
	EK_RETURN_IF(eki_plan_operand(p, 0, transposed, false));
	p->root.op[0] = transposed ? EK_OP_T : EK_OP_N;
	return EK_OK;
}

static ek_status block_check(const ek_plan *p, const ek_dense *Y)
{
	const eki_step *root = &p->root;

	if (Y->rows != root->y_len || Y->cols != root->x_len)
		return eki_fail(EK_EINVAL, "Y is %lld x %lld; op(A) is %lld x %lld",
		                (long long)Y->rows, (long long)Y->cols, (long long)root->y_len,
		                (long long)root->x_len);
	EK_RETURN_IF(eki_dense_check_but_shape("Y", Y, p->problem.A[0].M->store.value));
	return eki_dense_writable(p, "Y", Y);
}

ek_status ek_spadd_dense(ek_plan *plan, double alpha, double beta, const ek_dense *Y)
{
	ek_dense copy;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPADD_DENSE));
	EK_RETURN_IF(eki_dense_in("Y", &copy, &Y));
	EK_RETURN_IF(block_check(plan, Y));
	if (Y->rows == 0 || Y->cols == 0)
		return EK_OK;
	if (Y->value == EK_F32) {
		alpha = (float)alpha;
		beta = (float)beta;
	}
	eki_run run = {.y = eki_dense_of(Y), .alpha = eki_real(alpha), .beta = eki_real(beta)};

	if (plan->root.op[0] == EK_OP_T) {
		const eki_dense y = run.y;

		run.y.row = y.col;
		run.y.col = y.row;
	}
	run.y0 = run.y;
	run.width = plan->root.in[0]->cols;
	return eki_plan_run(plan, &run);
}

const eki_operation eki_op_spadd_dense = {
	.name = "spadd_dense",
	.text = "Y = alpha op(A) + beta Y, Y dense",
	.number = EK_SPADD_DENSE,
	.matrices = 1,
	.check = check,
	.operands = operands,
};
