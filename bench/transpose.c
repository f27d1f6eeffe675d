/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench transpose: C = A^T. Values are copied, so results must be the same bit for bit. */
#include "sparse.h"

static ek_status compute(ek_plan *plan, ek_matrix **C)
{
	return ek_transpose(plan, C);
}

static bool set(struct sparse *p, int problem)
{
	p->what = "A^T";
	p->op_b = (ek_op)0; /* there is no B */
	p->depth = 0;
	return problem < 1;
}

const struct operation bench_transpose = {
	SPARSE_OPERATION("transpose", EK_TRANSPOSE, sparse_children, "", "csr_gbps"),
	.text = "C = A^T, sparse, method by method, with peers",
	.help = "Times the transposition of a sparse matrix, method by method, in turn and in "
		"rounds, and compares it with other libraries. Every result is checked first.\v"
		"Each call makes a plan and C, in new memory; NAME again replaces the values of C. "
		"Peers make C in each call, too. With --device the methods that run there are "
		"measured, with matrices in host memory. Exit status 1: a result was wrong.",
	.heading = "Transposition of sparse matrices, method by method",
	.traits = SUMS,
	.begin = sparse_begin,
	.moves = "bytes of the CSR arrays of A and C",
};
