/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse matrix x sparse vector by rows: each entry of y is the dot product of a row and x, a sum
 * over the intersection of two sets of indices. Sets of about equal length are traversed together.
 * Otherwise the indices of the smaller one are searched for in the other, in growing steps.
 *
 * Cost: O(nnz(A) + rows min(nnz(x), length log nnz(x))), so it takes as long as SpMV even if x has
 * few entries; but it needs no array as long as x, and no copy of A by columns. Liu 2015, section
 * 2.3.2; Bentley and Yao 1976 for the growing steps. */
#include "spmspv/rows.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmspv/csr_intersect.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Ratio of lengths from which on searching is faster than traversing both sets. */
#ifndef SEARCHED
#define SEARCHED 8
#endif

/* Adds up the products of one row. Returns the number of entries of the row in whose columns x has
 * an entry. */
static int64_t FN(dot)(const IDX *col, const VAL *a, int64_t n, const eki_rows_x *x, VAL *sum)
{
	const IDX *idx = x->x->idx;
	const VAL *val = x->x->val;
	const int64_t xn = x->x->nnz;
	int64_t k = 0, e = 0, common = 0;

	while (k < n && e < xn) {
		if (col[k] == idx[e]) {
			if (x->read)
				*sum += a[k] * val[e];
			common++;
			k++;
		} else if (col[k] < idx[e]) {
			k = n > SEARCHED * (xn - e) ? eki_gallop_bound(col, k + 1, n, idx[e])
			                            : k + 1;
		} else {
			e = xn > SEARCHED * (n - k) ? eki_gallop_bound(idx, e + 1, xn, col[k])
			                            : e + 1;
		}
	}
	return common;
}

static int64_t FN(intersect_rows)(const ek_store *rows, const eki_rows_x *x, int64_t begin,
                                  int64_t end, void *to_idx, void *to_val)
{
	const PTR *ptr = rows->array[CSR_PTR];
	const IDX *col = rows->array[CSR_COL];
	const VAL *a = rows->array[CSR_VAL];
	IDX *idx = to_idx;
	VAL *val = to_val;
	int64_t n = 0;

	for (int64_t i = begin; i < end; i++) {
		VAL sum = 0;
		const int64_t common =
			FN(dot)(col + ptr[i], a + ptr[i], ptr[i + 1] - ptr[i], x, &sum);

		if (common) {
			idx[n] = (IDX)i;
			val[n++] = x->read ? EK_SCALAR(x->alpha) * sum : 0;
		}
	}
	return n;
}

#endif
#if EK_ONCE

typedef struct state {
	eki_sides sides; /* must be the first member */
	eki_by_rows by_rows;
} state;

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const intersect[EK_NTYPE] = EK_BY_TYPE(intersect_rows);
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){0};
	step->state = s;
	EK_RETURN_IF(eki_sides_prepare(step, EKI_ROWS, &s->sides));
	const ek_store *rows = s->sides.rows;

	EK_RETURN_IF(eki_by_rows_prepare(
		step, rows, false, intersect[eki_type(rows->value, rows->index)], &s->by_rows));
	step->parts = s->by_rows.parts;
	return EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;

	eki_by_rows_run(step, &s->by_rows, v);
	return EK_OK;
}

const ek_method ek_spmspv_csr_intersect = {
	.name = "spmspv.csr.intersect",
	.text = "by rows: intersections of the columns of a row with the indices of x",
	.source = "Liu 2015, section 2.3.2; Bentley and Yao 1976",
	.operation = EK_SPMSPV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.applies = eki_sides_applies,
	.prepare = prepare,
	.refresh = eki_sides_refresh,
	.run = run,
};

#endif
