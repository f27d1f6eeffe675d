/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR, the oracle: one thread, one row after the other, one entry after the other; the
 * transposed product scatters row by row. Every other method is compared with this one, so it stays
 * plain.
 *
 * Cost: a chain of dependent additions for each row, about four cycles an entry. Liu 2015,
 * Algorithm 28. */
#include "core/ek_core.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/csr_serial.c"
#include "core/for_each.h"

#if EK_PER_TYPE

static inline VAL FN(row_sum)(const IDX *col_idx, const VAL *val, const VAL *x, PTR k, PTR end)
{
	VAL sum = 0;

	for (; k < end; k++)
		sum += val[k] * x[col_idx[k]];
	return sum;
}

static void FN(csr_serial)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x, *y0 = v->y0;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	VAL *y = v->y;

	/* Two loops: in one, the registers for y0 cost short rows a tenth of their time. */
	if (beta == 0)
		for (int64_t i = begin; i < end; i++)
			y[i] = alpha * FN(row_sum)(col_idx, val, x, row_ptr[i], row_ptr[i + 1]);
	else
		for (int64_t i = begin; i < end; i++)
			y[i] = alpha * FN(row_sum)(col_idx, val, x, row_ptr[i], row_ptr[i + 1]) +
			       beta * y0[i];
}

static void FN(csr_serial_t)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha;
	VAL *y = (VAL *)v->y - A->base;

	for (int64_t i = begin; i < end; i++)
		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			y[col_idx[k]] += val[k] * (alpha * x[i]);
}

#endif
#if EK_ONCE

typedef void range_fn(const ek_store *, const ek_args *, int64_t, int64_t);

static ek_status run(const ek_plan *p, const ek_args *v)
{
	static range_fn *const plain[EK_NTYPE] = EK_BY_TYPE(csr_serial);
	static range_fn *const transposed[EK_NTYPE] = EK_BY_TYPE(csr_serial_t);
	const ek_store *A = p->store;
	int type = eki_type(A->value, A->index);

	if (p->op == EK_OP_T)
		eki_scale(p, v->beta, v->y0, v->y, A->cols);
	(p->op == EK_OP_T ? transposed : plain)[type](A, v, 0, A->rows);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	static const eki_speed speed[EK_NISA] = {{0.3, 0.6}, {0.3, 0.6}, {0.3, 0.6}};
	eki_features one = *f;

	one.threads = 1;
	return eki_cost(&one, f->csr_bytes,
	                eki_work(f, speed) + f->mixed_share * (double)f->stats.rows);
}

const ek_method ek_spmv_csr_serial = {
	.name = "spmv.csr.serial",
	.text = "plain loop over rows, one thread: the oracle",
	.source = "Liu 2015, Algorithm 28",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL | EKI_BASE1_N | EKI_BASE1_T,
	.cost = cost,
	.run = run,
};

#endif
