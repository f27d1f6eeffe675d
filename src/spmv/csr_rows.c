/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR where a single thread computes each row and all threads get the same number of rows.
 * This is CSR-scalar of the literature, and the loop that most programs have. Two sums for each
 * row, of even and odd entries, halve the chain of dependent additions; the processor overlaps the
 * chains of short rows anyway.
 *
 * Reads each array once. It is slow if the rows of one thread are longer than those of another, or
 * if row lengths change so that the end of each row is a mispredicted branch. Liu 2015, Algorithm
 * 28; Greathouse, Daga 2014. */
#include "drive/split.h"
#define EK_FILE "spmv/csr_rows.c"
#define EK_PLAIN_LOOPS
#include "base/for_each.h"

#include "drive/finish.h"

static void FN(csr_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;

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

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_rows);

	return eki_split_prepare(step, EKI_SPLIT_EVEN,
	                         rows[step->isa][eki_type(step->in[0]->value, step->in[0]->index)],
	                         NULL);
}

static double cost(const eki_features *f)
{
	const double spread = f->machine->spread * f->stats.row_stddev / (f->stats.row_mean + 1);

	return eki_cost_uncut(f, eki_work_csr(f, EKI_LOOP_ROWS) * (1 + spread));
}

const ek_method ek_spmv_csr_rows = {
	.name = "spmv.csr.rows",
	.text = "CSR-scalar: one row after the other, the same number of rows for each thread",
	.source = "Liu 2015, Algorithm 28; Greathouse and Daga 2014, section II",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
