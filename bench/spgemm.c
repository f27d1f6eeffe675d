/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spgemm: C = A^2, or A A^T if A is not square, on the processor or on a device, compared
 * with spgemm.csr.textbook. */
#include <math.h>
#include <stdlib.h>

#include "sparse.h"

static ek_status compute(ek_plan *plan, ek_matrix **C)
{
	return ek_spgemm(plan, 1, 0, C);
}

/* Sets up the product, and counts the terms: for each entry of A, the entries of a row of B. */
static bool set(struct sparse *p, int problem)
{
	const ek_view row_ptr = sparse_view(p->A, "row_ptr"),
		      col_idx = sparse_view(p->A, "col_idx");
	int64_t *length = need(calloc((size_t)p->info.cols + 1, sizeof *length), "row lengths");
	double longest = 0;

	p->B = p->A;
	p->op_b = p->info.rows == p->info.cols ? EK_OP_N : EK_OP_T;
	p->what = p->op_b == EK_OP_T ? "A A^T" : "A^2";
	for (int64_t i = 0; i < p->info.rows; i++) {
		const double n = sparse_number(&row_ptr, i + 1) - sparse_number(&row_ptr, i);

		longest = fmax(longest, n);
		if (p->op_b == EK_OP_N)
			length[i] = (int64_t)n;
	}
	for (int64_t k = 0; p->op_b == EK_OP_T && k < p->info.nnz; k++)
		length[(int64_t)sparse_number(&col_idx, k)]++;
	p->products = 0;
	for (int64_t k = 0; k < p->info.nnz; k++)
		p->products += (double)length[(int64_t)sparse_number(&col_idx, k)];
	free(length);
	p->flops = 2 * p->products;
	p->depth = longest + 2;
	return problem == 0;
}

const struct operation bench_spgemm = {
	SPARSE_OPERATION("spgemm", EK_SPGEMM, sparse_children, " unsorted",
                         "variant transpose products compression"),
	.text = "C = A^2, sparse, method by method, with peers (also: multiply)",
	.help = "Times the product of a sparse matrix with itself (or, if it is not square, with "
		"its transpose), method by method, in turn and in rounds, and compares it with "
		"other libraries. Every result is checked first.\v"
		"Each call makes a plan and C, in new memory; NAME again replaces the values of C. "
		"Peers make C in each call, too: peer.mkl.unsorted leaves the rows unsorted, all "
		"others sort them, and so do our methods without --unsorted. With --device the "
		"methods that run there are measured, by wall "
		"time and by the device's clock, and compared with spgemm.csr.textbook on the "
		"processor; matrices are in host memory, so each call that makes C copies it "
		"back. With cpu+ in front of the device, both kinds of core together, the device "
		"alone and the processor alone are measured. For methods with rows in bins, the "
		"bytes of temporary rows are given for each way to get memory. Exit status 1: a "
		"result was wrong.",
	.heading = "Sparse matrix times sparse matrix, method by method",
	.traits = PRODUCTS,
	.begin = sparse_begin,
	.unit = "spgemm.csr.textbook",
};
