/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR, the oracle: one thread, one row after the other, one entry after the other; the
 * transposed product scatters row by row. Every other method is compared with this one, so it stays
 * plain.
 *
 * Cost: a chain of dependent additions for each row, about four cycles an entry. Liu 2015,
 * Algorithm 28. */
#include "plan/plan.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/csr_serial.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static inline VAL FN(row_sum)(const IDX *col_idx, const VAL *val, const VAL *x, PTR k, PTR end)
{
	VAL sum = 0;

	for (; k < end; k++)
		sum += val[k] * x[col_idx[k]];
	return sum;
}

static void FN(csr_serial)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data, *y0 = v->y0.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	VAL *y = v->y.data;

	/* There are two loops because a common loop would need registers for y0, which would slow
	 * down short rows by a tenth. */
	if (beta == 0)
		for (int64_t i = begin; i < end; i++)
			y[i] = alpha * FN(row_sum)(col_idx, val, x, row_ptr[i], row_ptr[i + 1]);
	else
		for (int64_t i = begin; i < end; i++)
			y[i] = alpha * FN(row_sum)(col_idx, val, x, row_ptr[i], row_ptr[i + 1]) +
			       beta * y0[i];
}

static void FN(csr_serial_t)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *y = (VAL *)v->y.data - A->base;

	for (int64_t i = begin; i < end; i++) {
		const VAL xi = alpha * x[i];
		const PTR stop = row_ptr[i + 1];

		for (PTR k = row_ptr[i]; k < stop; k++)
			y[col_idx[k]] += val[k] * xi;
	}
}

#endif
#if EK_ONCE

typedef void range_fn(const ek_store *, const eki_run *, int64_t, int64_t);

static ek_status run(const eki_step *step, const eki_run *v)
{
	static range_fn *const plain[EK_NTYPE] = EK_BY_TYPE(csr_serial);
	static range_fn *const transposed[EK_NTYPE] = EK_BY_TYPE(csr_serial_t);
	const ek_store *A = step->in[0];
	int type = eki_type(A->value, A->index);

	if (step->op[0] == EK_OP_T)
		eki_scale(step, v, 0, A->cols);
	(step->op[0] == EK_OP_T ? transposed : plain)[type](A, v, 0, A->rows);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	eki_features one = *f;

	one.threads = 1;
	return eki_cost(&one, f->csr_bytes,
	                eki_work_csr(f, f->op == EK_OP_N ? EKI_LOOP_SERIAL : EKI_LOOP_SCATTER));
}

const ek_method ek_spmv_csr_serial = {
	.name = "spmv.csr.serial",
	.text = "plain loop over rows, one thread: the oracle",
	.source = "Liu 2015, Algorithm 28",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL | EKI_BASE1_N | EKI_BASE1_T,
	.cost = cost,
	.run = run,
};

#endif
