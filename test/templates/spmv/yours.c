/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on the format of format/yours.c. Op N multiplies the entries of a row with SIMD
 * instructions. Op T adds the products of each row to sums of columns. Rows are cut between threads
 * by their numbers of places (drive/drive.c).
 *
 * The last vector of a row is masked, so padding is never multiplied: an x_j that is not finite
 * reaches only the rows that have an entry in column j. A run reads each byte of the format once.
 * Author year, Algorithm 2. */
#include "drive/drive.h"
#include "format/yours.h"
#define EK_FILE "spmv/yours.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"

/* Computes rows [begin, end) of y = alpha A x + beta y0. */
static void FN(yours_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[YOURS_PTR];
	const IDX *col_idx = A->array[YOURS_COL], *len = A->array[YOURS_LEN];
	const VAL *val = A->array[YOURS_VAL], *x = v->x.data, *y0 = v->y0.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	VAL *y = v->y.data;

	for (int64_t i = begin; i < end; i++) {
		const int64_t stop = row_ptr[i] + len[i];
		vec sums = vzero();

		for (int64_t k = row_ptr[i]; k < stop; k += W) {
			const vmask m = vmask_n(stop - k < W ? stop - k : W);

			sums = vfma(vload_n(val + k, m), vgather_n(x, col_idx + k, m), sums);
		}
		FN(finish_row)(vsum(sums), alpha, beta, y0 + i, y + i);
	}
}

/* Adds alpha A^T x, for rows [begin, end), to the sums at `to`. There is one sum for each column,
 * starting with column `first`. */
static void FN(yours_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                              int64_t first, void *to)
{
	const PTR *row_ptr = A->array[YOURS_PTR];
	const IDX *col_idx = A->array[YOURS_COL], *len = A->array[YOURS_LEN];
	const VAL *val = A->array[YOURS_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *sum = to;

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = row_ptr[i], stop = k + len[i]; k < stop; k++)
			sum[col_idx[k] - first] += val[k] * (alpha * x[i]);
}

#if EK_ONCE

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(A, YOURS_COL, eki_ptr_at(A, begin), eki_ptr_at(A, end), span);
}

/* Gives the driver the units of work, which are rows here, and the kernels that multiply them. */
static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(yours_rows);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(yours_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	return eki_drive_prepare(step, &(eki_drive){.units = A->rows,
	                                            .unit_ptr = A->array[YOURS_PTR],
	                                            .rows = rows[step->isa][type],
	                                            .scatter = scatter[step->isa][type],
	                                            .span = span});
}

/* Predicts the nanoseconds of a run. */
static double cost(const eki_features *f)
{
	return eki_cost_units(f, EKI_LOOP_GATHER);
}

const ek_method ek_spmv_yours = {
	.name = "spmv.yours",
	.text = "SIMD inside a row, the last vector masked",
	.source = "Author year, Algorithm 2",
	.operation = EK_SPMV,
	.format = {&ek_format_yours},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
