/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse matrix x sparse vector by rows, for vectors with many entries: x is spread over a dense
 * vector with marks, and each row of op(A) is multiplied by it, as in SpMV.
 *
 * Where x has no entry the dense vector has 0. The product with this 0 is 0 and changes no sum,
 * unless the entry of A is NaN or infinite, which makes the sum NaN. So rows are added up without a
 * look at the marks. Only rows whose sum is 0 or NaN are read again: a sum of 0 may mean that the
 * row has no entry in common with x. The sums of four rows are formed at the same time, since an
 * addition waits for the one before it.
 *
 * Cost: one read of A, as in SpMV, a second read of rows whose sum is 0, and one pass over x. Liu
 * 2015, section 2.3.2 (dot products of rows and x); Gustavson 1978 for the dense vector with
 * marks. */
#include "spmspv/rows.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmspv/csr_masked.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Tells whether x has an entry in one of the columns k .. end - 1. */
static bool FN(meets)(const IDX *col, PTR k, PTR end, const uint8_t *mark)
{
	if (!mark)
		return k < end;
	while (k < end && !mark[col[k]])
		k++;
	return k < end;
}

/* Finishes row i. Looks at its entries again if `sum` is 0 or NaN. If the result has an entry in
 * this row, writes it as entry n. Returns the number of entries written so far. */
static inline int64_t FN(finish)(const ek_store *rows, const eki_rows_x *x, int64_t i, VAL sum,
                                 int64_t n, IDX *idx, VAL *val)
{
	const PTR *row_ptr = rows->array[CSR_PTR];
	const IDX *col = rows->array[CSR_COL];
	const VAL *a = rows->array[CSR_VAL], *dense = x->dense;
	bool meets = true;

	if (!(sum < 0 || sum > 0)) {
		meets = FN(meets)(col, row_ptr[i], row_ptr[i + 1], x->mark);
		if (sum != sum && x->mark) {
			sum = 0;
			for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
				if (x->mark[col[k]])
					sum += a[k] * dense[col[k]];
		}
	}
	idx[n] = (IDX)i;
	val[n] = x->read ? EK_SCALAR(x->alpha) * sum : 0;
	return n + meets;
}

/* Adds the products of entries k .. end - 1 to a sum. */
static inline VAL FN(rest)(const IDX *col, const VAL *a, const VAL *dense, PTR k, PTR end, VAL sum)
{
	for (; k < end; k++)
		sum += a[k] * dense[col[k]];
	return sum;
}

static int64_t FN(masked_rows)(const ek_store *rows, const eki_rows_x *x, int64_t begin,
                               int64_t end, void *to_idx, void *to_val)
{
	const PTR *ptr = rows->array[CSR_PTR];
	const IDX *col = rows->array[CSR_COL];
	const VAL *a = rows->array[CSR_VAL], *dense = x->dense;
	int64_t i = begin, n = 0;

	for (; x->read && i + 4 <= end; i += 4) {
		PTR k0 = ptr[i], k1 = ptr[i + 1], k2 = ptr[i + 2], k3 = ptr[i + 3];
		const PTR e[4] = {k1, k2, k3, ptr[i + 4]};
		const PTR low = k1 - k0 < k2 - k1 ? k1 - k0 : k2 - k1;
		const PTR high = k3 - k2 < e[3] - k3 ? k3 - k2 : e[3] - k3;
		const PTR common = k0 + (low < high ? low : high);
		VAL s0 = 0, s1 = 0, s2 = 0, s3 = 0;

		for (; k0 < common; k0++, k1++, k2++, k3++) {
			s0 += a[k0] * dense[col[k0]];
			s1 += a[k1] * dense[col[k1]];
			s2 += a[k2] * dense[col[k2]];
			s3 += a[k3] * dense[col[k3]];
		}
		n = FN(finish)(rows, x, i, FN(rest)(col, a, dense, k0, e[0], s0), n, to_idx,
		               to_val);
		n = FN(finish)(rows, x, i + 1, FN(rest)(col, a, dense, k1, e[1], s1), n, to_idx,
		               to_val);
		n = FN(finish)(rows, x, i + 2, FN(rest)(col, a, dense, k2, e[2], s2), n, to_idx,
		               to_val);
		n = FN(finish)(rows, x, i + 3, FN(rest)(col, a, dense, k3, e[3], s3), n, to_idx,
		               to_val);
	}
	for (; i < end; i++) {
		const VAL sum = x->read ? FN(rest)(col, a, dense, ptr[i], ptr[i + 1], 0) : 0;

		n = FN(finish)(rows, x, i, sum, n, to_idx, to_val);
	}
	return n;
}

#endif
#if EK_ONCE

typedef struct state {
	eki_sides sides; /* must be the first member */
	eki_by_rows by_rows;
} state;

ek_status eki_masked_prepare(eki_step *step, const ek_store *rows, eki_by_rows *r)
{
	static eki_rows_fn *const masked[EK_NTYPE] = EK_BY_TYPE(masked_rows);

	return eki_by_rows_prepare(step, rows, true, masked[eki_type(rows->value, rows->index)], r);
}

static ek_status prepare(eki_step *step)
{
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){0};
	step->state = s;
	EK_RETURN_IF(eki_sides_prepare(step, EKI_ROWS, &s->sides));
	EK_RETURN_IF(eki_masked_prepare(step, s->sides.rows, &s->by_rows));
	step->parts = s->by_rows.parts;
	return EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;

	eki_by_rows_run(step, &s->by_rows, v);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	return eki_cost(f, f->csr_bytes, eki_work_csr(f, EKI_LOOP_SERIAL)) +
	       (f->op == EK_OP_T ? eki_transpose_share(f) : 0);
}

static double memory(const eki_features *f)
{
	return f->op == EK_OP_T ? eki_transposed_bytes(f) : 0;
}

const ek_method ek_spmspv_csr_masked = {
	.name = "spmspv.csr.masked",
	.text = "by rows: dot products with x as a dense vector with marks",
	.source = "Liu 2015, section 2.3.2; Gustavson 1978",
	.operation = EK_SPMSPV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.applies = eki_sides_applies,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.refresh = eki_sides_refresh,
	.run = run,
};

#endif
