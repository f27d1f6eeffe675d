/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on coordinates (format/coo.c): sums runs of entries in the same row. Entries are cut evenly
 * between threads, so long rows do not unbalance the work; the driver (drive/drive.c) adds up the
 * sums of rows that threads share. Reads A, x and y once.
 *
 * Segmented reduction as in Bell and Garland 2009, section 3. */
#include "format/coo.h"
#include "drive/drive.h"
#define EK_FILE "spmv/coo.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "drive/row_sums.h"

#ifndef EK_COO_STEP
#define EK_COO_STEP
enum { STEP = 8 }; /* number of entries that the search for a run's end skips at a time */
#endif

/* Returns the end of the run of entries, all in one row, that begins with entry k. Rows ascend, so
 * if the entry STEP places further on is in the same row, all entries between are in it too. */
static inline int64_t FN(coo_run)(const IDX *row_idx, int64_t k, int64_t end)
{
	const IDX row = row_idx[k++];

	EK_AHEAD(row_idx + k);
	for (; end - k >= STEP && row_idx[k + STEP - 1] == row; k += STEP)
		EK_AHEAD(row_idx + k);
	while (k < end && row_idx[k] == row)
		k++;
	return k;
}

static void FN(coo_carry)(const ek_store *A, const eki_run *v, int64_t k, int64_t end,
                          eki_carry *carry)
{
	const IDX *row_idx = A->array[COO_ROW], *col_idx = A->array[COO_COL];
	const VAL *val = A->array[COO_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const IDX first = row_idx[k], last = row_idx[end - 1];
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;

	carry->first = first;
	carry->last = last;
	for (int64_t next = first; k < end;) {
		const IDX row = row_idx[k];
		const int64_t stop = FN(coo_run)(row_idx, k, end);
		const VAL sum = vsum(FN(row_sums)(col_idx, val, x, k, stop));

		FN(finish_none)(beta, y0 + next, y + next, row - next);
		if (row == first)
			*(VAL *)carry->first_sum = sum;
		else if (row == last)
			*(VAL *)carry->last_sum = sum;
		else
			FN(finish_row)(sum, alpha, beta, y0 + row, y + row);
		next = (int64_t)row + 1;
		k = stop;
	}
}

static void FN(coo_scatter)(const ek_store *A, const eki_run *v, int64_t k, int64_t end,
                            int64_t first, void *to)
{
	const IDX *row_idx = A->array[COO_ROW], *col_idx = A->array[COO_COL];
	const VAL *val = A->array[COO_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *sum = to;

	for (; k < end; k++)
		sum[col_idx[k] - first] += val[k] * (alpha * x[row_idx[k]]);
}

#if EK_ONCE

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(A, COO_COL, begin, end, span);
}

static ek_status prepare(eki_step *step)
{
	static eki_carry_fn *const carry[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(coo_carry);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(coo_scatter);
	const int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_drive_prepare(step, &(eki_drive){.units = step->in[0]->nnz,
	                                            .carry = carry[step->isa][type],
	                                            .scatter = scatter[step->isa][type],
	                                            .span = span});
}

static double cost(const eki_features *f)
{
	return eki_cost_units(f, EKI_LOOP_RUNS);
}

const ek_method ek_spmv_coo = {
	.name = "spmv.coo",
	.text = "runs of entries of a row, the same number of entries for each thread",
	.source = "Bell and Garland 2009, section 3",
	.operation = EK_SPMV,
	.format = {&ek_format_coo},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
