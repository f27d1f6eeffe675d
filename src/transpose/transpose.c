/* SPDX-License-Identifier: BSD-3-Clause
 * The operation transpose, C = A^T with sparse matrices, and its public function. Methods get a
 * store in CSR and make its transpose in CSR. If A is in CSC, these are A^T and C^T, since the
 * arrays of a matrix in CSC are those of its transpose in CSR; otherwise they are A and C. */
#include <stdio.h>

#include "transpose/transpose.h"

static ek_status check(const eki_problem *p)
{
	if (p->A[0].op == EK_OP_T)
		return eki_fail(EK_EINVAL, "hints.op is EK_OP_T; operation transpose takes only "
		                           "EK_OP_N, since the transpose of A^T is A");
	return EK_OK;
}

static ek_status operands(ek_plan *p)
{
	const bool columns = eki_by_columns(p);

	EK_RETURN_IF(eki_plan_operand(p, 0, columns, false));
	snprintf(p->format, sizeof p->format, "%s", columns ? "csc" : "csr");
	return EK_OK;
}

ek_status ek_transpose(ek_plan *plan, ek_matrix **C)
{
	EK_RETURN_IF(eki_plan_check_for(plan, EK_TRANSPOSE));
	eki_run run = eki_result_run(plan, 1, 0);

	return eki_plan_run_sparse(plan, &run, C);
}

const eki_operation eki_op_transpose = {
	.name = "transpose",
	.text = "C = A^T, all sparse",
	.number = EK_TRANSPOSE,
	.matrices = 1,
	.check = check,
	.operands = operands,
	.limited = true,
};

/* ---- For methods ----------------------------------------------------------------------------- */

ek_status eki_flip_begin(const eki_step *step, const eki_run *run, eki_flip *flip)
{
	const ek_store *in = step->in[0];

	*flip = (eki_flip){.ctx = step->ctx,
	                   .threads = step->threads,
	                   .in = in,
	                   .out = run->C,
	                   .values = run->C->array[CSR_PTR] != NULL};
	if (flip->values)
		return EK_OK;
	return eki_csr_alloc(step->ctx, in->value, in->index, in->cols, in->rows, in->nnz, run->C);
}

int eki_flip_parts(const ek_context *ctx, const ek_store *in, int threads)
{
	return eki_parts(ctx, in->nnz) > 1 ? threads : 1;
}
