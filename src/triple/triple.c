/* SPDX-License-Identifier: BSD-3-Clause
 * The operation "triple", the Galerkin product C = alpha op(P)^T op(A) op(P) of sparse matrices,
 * and its public function. Methods get A in CSR, and either P or its transpose in CSR, whichever
 * exists; they make the other one (eki_triple_open). If A and P are in CSC, the methods compute the
 * transpose of C, op(P)^T op(A)^T op(P), from the arrays as they are, and C is in CSC too. */
#include <stdio.h>

#include "triple/triple.h"

static bool is_swapped(const eki_problem *p, int k)
{
	return (p->A[k].op == EK_OP_T) != p->A[k].M->transposed;
}

static ek_status check(const eki_problem *p)
{
	const ek_store *A = &p->A[0].M->store, *P = &p->A[1].M->store;
	const int64_t rows = is_swapped(p, 1) ? P->cols : P->rows;
	const int64_t cols = is_swapped(p, 1) ? P->rows : P->cols;

	if (A->rows != A->cols)
		return eki_fail(EK_EINVAL, "A is %lld x %lld; a square matrix is expected",
		                (long long)(p->A[0].M->transposed ? A->cols : A->rows),
		                (long long)(p->A[0].M->transposed ? A->rows : A->cols));
	if (rows != A->rows)
		return eki_fail(EK_EINVAL,
		                "op(P), in hints.B, is %lld x %lld; it needs as many rows as A, "
		                "%lld",
		                (long long)rows, (long long)cols, (long long)A->rows);
	return EK_OK;
}

/* Takes P or its transpose, whichever needs no copy. All operands get the index type of C if that
 * is wider than theirs, since intermediate products may have more entries than C. */
static ek_status operands(ek_plan *p)
{
	const bool transposed = is_swapped(&p->problem, 1);

	if (p->problem.index > p->problem.common)
		p->problem.common = p->problem.index;
	EK_RETURN_IF(eki_plan_operand(p, 0, eki_by_columns(p), true));
	EK_RETURN_IF(eki_plan_operand(p, 1, transposed, true));
	p->root.op[1] = transposed ? EK_OP_T : EK_OP_N;
	snprintf(p->format, sizeof p->format, "%s", eki_by_columns(p) ? "csc" : "csr");
	return EK_OK;
}

ek_status eki_triple_open(eki_step *step, eki_triple *t)
{
	eki_step part = *step;

	part.in[0] = step->in[1];
	EK_RETURN_IF(eki_step_transpose(&part, &t->copy));
	step->bytes += eki_store_bytes(&t->copy.store);
	t->A = step->in[0];
	t->P = step->op[1] == EK_OP_N ? step->in[1] : &t->copy.store;
	t->R = step->op[1] == EK_OP_N ? &t->copy.store : step->in[1];
	/* The transposition took counters, at most one for each entry. */
	step->plan->run_bytes = eki_times(t->P->nnz, (int64_t)eki_ptr_size(t->P->index));
	return EK_OK;
}

ek_status ek_triple(ek_plan *plan, double alpha, ek_matrix **C)
{
	EK_RETURN_IF(eki_plan_check_for(plan, EK_TRIPLE));
	eki_run run = eki_result_run(plan, alpha, 0);

	return eki_plan_run_sparse(plan, &run, C);
}

const eki_operation eki_op_triple = {
	.name = "triple",
	.text = "C = alpha op(P)^T op(A) op(P), all sparse",
	.number = EK_TRIPLE,
	.matrices = 2,
	.check = check,
	.operands = operands,
	.limited = true,
};
