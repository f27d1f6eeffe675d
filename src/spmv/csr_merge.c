/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by merge path: the ends of the rows and the numbers of the entries are two sorted
 * lists. A path merges these lists, and each thread gets a segment of it; all segments have the
 * same length. So all threads have the same number of rows plus entries; a million empty rows count
 * as much as a million entries. The segment of a thread begins at a row and an entry that one
 * binary search along a diagonal finds. The sums of rows that are cut are added up between threads
 * (split.c).
 *
 * Inside its segment a thread follows the path entry by entry, as published. Merrill, Garland 2016,
 * Algorithm 2. */
#include "drive/split.h"
#define EK_FILE "spmv/csr_merge.c"
#define EK_PLAIN_LOOPS
#include "base/for_each.h"

#include "drive/finish.h"

static void FN(csr_merge)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_end = (const PTR *)A->array[CSR_PTR] + 1;
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;
	int64_t k = row_end[begin - 1];

	for (int64_t i = begin; i < end; i++) {
		VAL sum = 0;

		for (; k < row_end[i]; k++)
			sum += val[k] * x[col_idx[k]];
		FN(finish_row)(sum, alpha, beta, y0 + i, y + i);
	}
}

#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_merge);
	int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_split_prepare(step, EKI_SPLIT_MERGE, rows[step->isa][type],
	                         eki_csr_dot[step->isa][type]);
}

static double cost(const eki_features *f)
{
	return f->machine->call + eki_cost(f, f->csr_bytes, eki_work_csr(f, EKI_LOOP_MERGE));
}

const ek_method ek_spmv_csr_merge = {
	.name = "spmv.csr.merge",
	.text = "merge path: the same number of rows plus nonzeros for each thread",
	.source = "Merrill and Garland 2016, Algorithm 2",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
