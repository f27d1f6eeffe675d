/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with SIMD inside a row. W entries are multiplied at a time. At the end of a row, the
 * W partial sums are added up. The last entries of a row, if they do not fill a vector, are
 * multiplied one by one. Each thread gets whole rows, and all threads get nearly the same number of
 * rows plus entries.
 *
 * Reads each array once. The method is slow if rows are shorter than a vector, or if one row is
 * longer than a thread's share of the entries. Author year, Algorithm 1. */
#include "drive/split.h"
#define EK_FILE "spmv/csr_yours.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"

/* Computes rows [begin, end) of y. */
static void FN(csr_yours)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data, *y0 = v->y0.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	VAL *y = v->y.data;

	for (int64_t i = begin; i < end; i++) {
		const int64_t stop = row_ptr[i + 1];
		int64_t k = row_ptr[i];
		vec sums = vzero();

		for (; stop - k >= W; k += W)
			sums = vfma(vload(val + k), vgather(x, col_idx + k), sums);

		VAL sum = vsum(sums);

		for (; k < stop; k++)
			sum += val[k] * x[col_idx[k]];
		FN(finish_row)(sum, alpha, beta, y0 + i, y + i);
	}
}

#if EK_ONCE

/* Picks the kernel; the driver cuts the work between threads. */
static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_yours);
	const int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_split_prepare(step, EKI_SPLIT_ROWS, rows[step->isa][type], NULL);
}

/* Predicts the nanoseconds of a run. */
static double cost(const eki_features *f)
{
	return eki_cost_uncut(f, eki_work_csr(f, EKI_LOOP_GATHER));
}

const ek_method ek_spmv_csr_yours = {
	.name = "spmv.csr.yours",
	.text = "SIMD inside a row, whole rows for each thread",
	.source = "Author year, Algorithm 1",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
