/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR, one thread a row, the same number of rows for each thread: CSR-scalar of the works,
 * and the loop that most programs have. Two sums a row halve the chain of dependent additions;
 * short rows overlap by themselves.
 *
 * Reads each array once. Loses where the rows of one thread are longer than those of another, and
 * where row lengths change so that the end of each row is a mispredicted branch. Liu 2015,
 * Algorithm 28; Greathouse, Daga 2014. */
#include "spmv/split.h"
#define EK_FILE "spmv/csr_rows.c"
#include "core/for_each.h"

#include "spmv/finish.h"

static void FN(csr_rows)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const VAL *y0 = v->y0;
	VAL *y = v->y;

	for (int64_t i = begin; i < end; i++) {
		VAL even = 0, odd = 0;
		int64_t k = row_ptr[i], stop = row_ptr[i + 1];

		for (; k + 1 < stop; k += 2) {
			even += val[k] * x[col_idx[k]];
			odd += val[k + 1] * x[col_idx[k + 1]];
		}
		if (k < stop)
			even += val[k] * x[col_idx[k]];
		FN(finish_row)(even + odd, alpha, beta, y0 + i, y + i);
	}
}

#if EK_ONCE

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_rows);

	return eki_split_prepare(p, EKI_SPLIT_EVEN,
	                         rows[p->isa][eki_type(p->store->value, p->store->index)], NULL);
}

static double cost(const eki_features *f)
{
	static const eki_speed speed[EK_NISA] = {{0.9, 0.5}, {0.9, 0.38}, {0.9, 0.38}};
	double work = eki_work(f, speed) + f->mixed_share * (double)f->stats.rows;

	return eki_cost_uncut(f, work * (1 + 0.2 * f->stats.row_stddev / (f->stats.row_mean + 1)));
}

const ek_method ek_spmv_csr_rows = {
	.name = "spmv.csr.rows",
	.text = "CSR-scalar: one row after the other, the same number of rows for each thread",
	.source = "Liu 2015, Algorithm 28; Greathouse and Daga 2014, section II",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
