/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spadd: C = A + A^T, if A is square, and C = A + B, where B is A with its columns in
 * reverse order: the row lengths are the same, the pattern differs. */
#include <stdlib.h>
#include <string.h>

#include "sparse.h"

static ek_status compute(ek_plan *plan, ek_matrix **C)
{
	return ek_spadd(plan, 1, 1, C);
}

/* Returns A with its columns in reverse order. The entries of a row are reversed too, so columns
 * ascend. */
static ek_matrix *reversed(const struct sparse *p)
{
	const ek_view row_ptr = sparse_view(p->A, "row_ptr"),
		      col_idx = sparse_view(p->A, "col_idx"), val = sparse_view(p->A, "val");
	char *col = need(malloc((size_t)col_idx.len * col_idx.elem_size + 1), "B");
	char *value = need(malloc((size_t)val.len * val.elem_size + 1), "B");
	ek_matrix *B = NULL;

	for (int64_t i = 0; i < p->info.rows; i++) {
		const int64_t begin = (int64_t)sparse_number(&row_ptr, i),
			      end = (int64_t)sparse_number(&row_ptr, i + 1);

		for (int64_t k = begin; k < end; k++) {
			const int64_t to = begin + end - 1 - k;
			const int64_t j = p->info.cols - 1 - (int64_t)sparse_number(&col_idx, k);

			if (col_idx.elem_size == 4)
				((int32_t *)(void *)col)[to] = (int32_t)j;
			else
				((int64_t *)(void *)col)[to] = j;
			memcpy(value + (size_t)to * val.elem_size,
			       (const char *)val.data + (size_t)k * val.elem_size, val.elem_size);
		}
	}
	if (ek_matrix_from_csr(p->ctx, p->info.value, p->info.index, p->info.rows, p->info.cols,
	                       row_ptr.data, col, value, EK_COPY, &B) != EK_OK)
		exit(tool_fail(TOOL_FAILED, "B: %s", ek_error_text()));
	free(col);
	free(value);
	return B;
}

static bool set(struct sparse *p, int problem)
{
	const bool square = p->info.rows == p->info.cols, twice = square && problem == 0;

	p->op_b = twice ? EK_OP_T : EK_OP_N;
	p->what = p->variant = twice ? "A + A^T" : "A + B";
	p->depth = 2;
	if (problem > (square ? 1 : 0))
		return false;
	p->owned = twice ? NULL : reversed(p);
	p->B = twice ? p->A : p->owned;
	return true;
}

const struct operation bench_spadd = {
	SPARSE_OPERATION("spadd", EK_SPADD, sparse_children, "", "variant csr_gbps"),
	.text = "C = A + A^T and C = A + B, sparse, method by method, with peers",
	.help = "Times the sum of a sparse matrix and its transpose, if it is square, and of the "
		"matrix and B, which is the matrix with its columns in reverse order, method by "
		"method, in turn and in rounds, and compares it with other libraries. Every result "
		"is checked first.\v"
		"Each call makes a plan and C, in new memory; NAME again replaces the values of C. "
		"A plan for A + A^T has the transpose. Peers make C in each call, too. With "
		"--device the methods that run there are measured, with matrices in host memory. "
		"Exit status 1: a result was wrong.",
	.heading = "Sums of sparse matrices, method by method",
	.traits = SUMS,
	.begin = sparse_begin,
	.moves = "bytes of the CSR arrays of A and C",
};
