/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by merge path: the ends of the rows and the numbers of the entries are two sorted
 * lists, and a thread gets an equal stretch of the path that merges them, so that rows plus entries
 * are the same for all: a million empty rows count as much as a million entries. Two coordinates
 * for each thread, from one binary search along a diagonal; pieces of rows are carried over
 * (split.c).
 *
 * Inside its stretch a thread walks the path entry by entry, as published. Merrill, Garland 2016,
 * Algorithm 2. */
#include "spmv/split.h"
#define EK_FILE "spmv/csr_merge.c"
#include "core/for_each.h"

#include "spmv/finish.h"

static void FN(csr_merge)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_end = (const PTR *)A->array[CSR_PTR] + 1;
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const VAL *y0 = v->y0;
	VAL *y = v->y;
	int64_t k = row_end[begin - 1];

	for (int64_t i = begin; i < end; i++) {
		VAL sum = 0;

		for (; k < row_end[i]; k++)
			sum += val[k] * x[col_idx[k]];
		FN(finish_row)(sum, alpha, beta, y0 + i, y + i);
	}
}

#if EK_ONCE

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_merge);
	int type = eki_type(p->store->value, p->store->index);

	return eki_split_prepare(p, EKI_SPLIT_MERGE, rows[p->isa][type], eki_csr_dot[p->isa][type]);
}

static double cost(const eki_features *f)
{
	static const eki_speed speed[EK_NISA] = {{0.4, 0.63}, {0.4, 0.63}, {0.4, 0.63}};

	return 100 + eki_cost(f, f->csr_bytes,
	                      eki_work(f, speed) + f->mixed_share * (double)f->stats.rows);
}

const ek_method ek_spmv_csr_merge = {
	.name = "spmv.csr.merge",
	.text = "merge path: the same number of rows plus nonzeros for each thread",
	.source = "Merrill and Garland 2016, Algorithm 2",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
