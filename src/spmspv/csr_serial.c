/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse matrix x sparse vector, the reference: one thread, without arrays as long as x or y. With
 * op N each entry of a row is looked up in x by bisection. With op T the products of the columns
 * are listed, sorted by row with a merge sort, which keeps the order of equal rows, and added up.
 *
 * Cost: O(nnz(A) log nnz(x)) with op N, O(products log products) with op T. Liu 2015, section
 * 2.3.2. */
#include "spmspv/spmspv.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmspv/csr_serial.c"
#include "base/for_each.h"

#ifndef SERIAL_STATE
#define SERIAL_STATE
typedef struct serial_state {
	eki_sides sides; /* must be the first member */
	/* offsets in the scratch: two arrays between which the sort moves products. The result is
	 * in the first until it is known to fit */
	int64_t idx[2], val[2];
} serial_state;
#endif

#if EK_PER_TYPE

static int64_t FN(by_rows)(const ek_store *A, const eki_run *v, IDX *idx, VAL *val)
{
	const PTR *ptr = A->array[CSR_PTR];
	const IDX *col = A->array[CSR_COL], *x_idx = v->sparse->x.idx;
	const VAL *a = A->array[CSR_VAL], *x_val = v->sparse->x.val;
	const VAL alpha = EK_SCALAR(v->alpha);
	const int64_t xn = v->sparse->x.nnz;
	int64_t n = 0;

	for (int64_t i = 0; i < A->rows; i++) {
		bool meets = false;
		VAL sum = 0;

		for (PTR k = ptr[i]; k < ptr[i + 1]; k++) {
			const int64_t e = eki_lower_bound(x_idx, 0, xn, col[k]);

			if (e == xn || x_idx[e] != col[k])
				continue;
			meets = true;
			if (alpha != 0)
				sum += a[k] * x_val[e];
		}
		if (meets) {
			idx[n] = (IDX)i;
			val[n++] = alpha != 0 ? alpha * sum : 0;
		}
	}
	return n;
}

/* Merges two sorted lists of products, [begin, middle) and [middle, end). */
static void FN(merge)(const IDX *idx, const VAL *val, int64_t begin, int64_t middle, int64_t end,
                      IDX *to_idx, VAL *to_val)
{
	int64_t i = begin, j = middle;

	for (int64_t k = begin; k < end; k++) {
		const bool left = j == end || (i < middle && idx[i] <= idx[j]);
		const int64_t from = left ? i++ : j++;

		to_idx[k] = idx[from];
		to_val[k] = val[from];
	}
}

/* Sorts n products by row. Returns which array has the result, 0 or 1. */
static int FN(sort)(int64_t n, IDX *const idx[2], VAL *const val[2])
{
	int in = 0;

	for (int64_t width = 1; width < n; width *= 2, in = 1 - in)
		for (int64_t k = 0; k < n; k += 2 * width) {
			const int64_t middle = k + width < n ? k + width : n;
			const int64_t end = k + 2 * width < n ? k + 2 * width : n;

			FN(merge)(idx[in], val[in], k, middle, end, idx[1 - in], val[1 - in]);
		}
	return in;
}

static int64_t FN(by_columns)(const ek_store *A, const eki_run *v, IDX *const idx[2],
                              VAL *const val[2])
{
	const PTR *ptr = A->array[CSR_PTR];
	const IDX *row = A->array[CSR_COL], *x_idx = v->sparse->x.idx;
	const VAL *a = A->array[CSR_VAL], *x_val = v->sparse->x.val;
	const VAL alpha = EK_SCALAR(v->alpha);
	int64_t products = 0, n = 0;

	for (int64_t e = 0; e < v->sparse->x.nnz; e++)
		for (PTR k = ptr[x_idx[e]]; k < ptr[x_idx[e] + 1]; k++) {
			idx[0][products] = row[k];
			val[0][products++] = alpha != 0 ? a[k] * x_val[e] : 0;
		}
	const int in = FN(sort)(products, idx, val);

	for (int64_t k = 0; k < products;) {
		const IDX i = idx[in][k];
		VAL sum = 0;

		for (; k < products && idx[in][k] == i; k++)
			sum += val[in][k];
		idx[0][n] = i;
		val[0][n++] = alpha != 0 ? alpha * sum : 0;
	}
	return n;
}

static int64_t FN(multiply)(const serial_state *s, const eki_run *v)
{
	IDX *idx[2];
	VAL *val[2];

	for (int k = 0; k < 2; k++) {
		idx[k] = (IDX *)(void *)(v->scratch + s->idx[k]);
		val[k] = (VAL *)(void *)(v->scratch + s->val[k]);
	}
	return s->sides.rows ? FN(by_rows)(s->sides.rows, v, idx[0], val[0])
	                     : FN(by_columns)(s->sides.cols, v, idx, val);
}

#endif
#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0];
	const bool plain = step->op[0] == EK_OP_N;
	const int64_t n = plain ? A->rows : A->nnz;
	serial_state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (serial_state){0};
	step->state = s;
	EK_RETURN_IF(eki_sides_prepare(step, plain ? EKI_ROWS : EKI_COLS, &s->sides));
	for (int k = 0; k < (plain ? 1 : 2); k++) {
		EK_RETURN_IF(eki_step_scratch(step, n, eki_idx_size(A->index), &s->idx[k]));
		EK_RETURN_IF(eki_step_scratch(step, n, ek_value_size(A->value), &s->val[k]));
	}
	return EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static int64_t (*const multiply[EK_NTYPE])(const serial_state *, const eki_run *) =
		EK_BY_TYPE(multiply);
	const ek_store *A = step->in[0];
	const serial_state *s = step->state;
	eki_sparse_run *r = v->sparse;

	r->count = multiply[eki_type(A->value, A->index)](s, v);
	if (r->count <= r->y.nnz)
		eki_entries_to(&r->y, 0, r->count, v->scratch + s->idx[0], v->scratch + s->val[0]);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	eki_features one = *f;

	one.threads = 1;
	return eki_cost(&one, f->csr_bytes, 20 * eki_work_csr(f, EKI_LOOP_SERIAL));
}

const ek_method ek_spmspv_csr_serial = {
	.name = "spmspv.csr.serial",
	.text = "one thread, bisection of x or a sort of all products: the reference",
	.source = "Liu 2015, section 2.3.2",
	.operation = EK_SPMSPV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_sides_refresh,
	.run = run,
};

#endif
