/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on sliced coordinates: the sums of a slice are collected in y, while x is read in order.
 * Products are computed a vector at a time but added to the sums one by one, since several entries
 * of a vector may be in the same row. Reads the arrays of the format once.
 *
 * x is gathered by loads, whatever the machine does elsewhere: a gather instruction waits for the
 * stores to y before it, whose places are not known yet, and takes 1.5 to 2 times as long (Xeon,
 * measured).
 *
 * Dang and Schmidt 2012. */
#include "format/scoo.h"
#include "drive/drive.h"
#define EK_FILE "spmv/scoo.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/far.h"
#include "drive/finish.h"

/* Adds the products of W entries with x, times alpha, to y. */
static inline void FN(scoo_some)(const uint16_t *row, const IDX *col_idx, const VAL *val, VAL alpha,
                                 const VAL *x, VAL *y)
{
	VAL product[W];

	EK_AHEAD(row);
	EK_AHEAD(col_idx);
	EK_AHEAD(val);
	vstore(product, vmul(vset1(alpha), vmul(vload(val), vgather(x, col_idx))));
	EK_UNROLL
	for (int k = 0; k < W; k++)
		y[row[k]] += product[k];
}

/* Adds the products of n entries with x, times alpha, to y. With `far`, fetches x ahead. */
static inline void FN(scoo_add)(const uint16_t *row, const IDX *col_idx, const VAL *val, int64_t n,
                                VAL alpha, const VAL *x, VAL *y, bool far)
{
	int64_t k = 0;

	for (; far && n - k >= W + FAR_ENTRIES; k += W) {
		FN(far_fetch)(x, col_idx + k + FAR_ENTRIES, W);
		FN(scoo_some)(row + k, col_idx + k, val + k, alpha, x, y);
	}
	for (; n - k >= W; k += W)
		FN(scoo_some)(row + k, col_idx + k, val + k, alpha, x, y);
	for (; k < n; k++)
		y[row[k]] += alpha * (val[k] * x[col_idx[k]]);
}

static void FN(scoo_multiply)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *slice_ptr = A->array[SCOO_PTR];
	const IDX *col_idx = A->array[SCOO_COL];
	const uint16_t *row = A->array[SCOO_ROW];
	const VAL *val = A->array[SCOO_VAL];
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const bool *far = v->aux;

	for (int64_t k = begin; k < end; k++) {
		const int64_t at = slice_ptr[k], count = slice_ptr[k + 1] - at;
		const VAL *y0 = (const VAL *)v->y0.data + scoo_first(A, k);
		VAL *y = (VAL *)v->y.data + scoo_first(A, k);

		FN(finish_none)(beta, y0, y, scoo_rows(A, k));
		FN(scoo_add)(row + at, col_idx + at, val + at, count, alpha, v->x.data, y, *far);
	}
}

#if EK_PER_TYPE

static void FN(scoo_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                             int64_t first, void *to)
{
	const PTR *slice_ptr = A->array[SCOO_PTR];
	const IDX *col_idx = A->array[SCOO_COL];
	const uint16_t *row = A->array[SCOO_ROW];
	const VAL *val = A->array[SCOO_VAL];
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *sum = to;

	for (int64_t k = begin; k < end; k++) {
		const VAL *x = (const VAL *)v->x.data + scoo_first(A, k);

		for (int64_t e = slice_ptr[k]; e < slice_ptr[k + 1]; e++)
			sum[col_idx[e] - first] += val[e] * (alpha * x[row[e]]);
	}
}

#endif
#if EK_ONCE

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	span[0] = span[1] = 0;
	for (int64_t k = begin; k < end; k++)
		if (eki_ptr_at(A, k) < eki_ptr_at(A, k + 1)) {
			const int64_t low = eki_idx_at(A, SCOO_COL, eki_ptr_at(A, k));
			const int64_t last = eki_idx_at(A, SCOO_COL, eki_ptr_at(A, k + 1) - 1);

			span[0] = span[1] == 0 || low < span[0] ? low : span[0];
			span[1] = last >= span[1] ? last + 1 : span[1];
		}
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(scoo_multiply);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(scoo_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	const ek_isa isa = eki_isa_gather(step->isa, true);
	bool *far;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *far, &far));
	*far = eki_far_apart(step, SCOO_COL, EKI_FAR_LINE);
	step->aux = far;
	return eki_drive_prepare(step, &(eki_drive){.units = scoo_slices(A),
	                                            .unit_ptr = A->array[SCOO_PTR],
	                                            .rows = rows[isa][type],
	                                            .scatter = scatter[type],
	                                            .span = span});
}

/* Predicts the time. Entries of a slice share the fetches of x by lines; before the layout is
 * known, they share all. */
static double cost(const eki_features *f)
{
	const double lines = (double)f->stats.cols * (double)ek_value_size(f->value) / 64;
	eki_features sorted = *f;

	sorted.in_order = true;
	sorted.fetched = f->op == EK_OP_N;
	sorted.far_share *=
		f->store ? eki_first_share((double)f->stats.nnz / (double)scoo_slices(f->store),
	                                   lines)
			 : 0;
	sorted.lost_share = sorted.far_share;
	return eki_cost_units(&sorted, EKI_LOOP_SLICES);
}

const ek_method ek_spmv_scoo = {
	.name = "spmv.scoo",
	.text = "slice by slice, entries by columns, sums in the cache",
	.source = "Dang and Schmidt 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_scoo},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
