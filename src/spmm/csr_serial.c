/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM on CSR, the reference: plain loops over rows, columns and entries in one thread. The
 * transposed product scatters row by row. The blocks may have any strides.
 *
 * Cost: that of spmv.csr.serial for each column; if X is row-major, it is read with a stride. Liu
 * 2015, Algorithm 28, once for each column. */
#include "plan/plan.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmm/csr_serial.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(spmm_serial)(const ek_store *A, const eki_run *v)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	VAL *y = v->y.data;

	for (int64_t i = 0; i < A->rows; i++)
		for (int64_t j = 0; j < v->width; j++) {
			VAL sum = 0, *to = y + i * v->y.row + j * v->y.col;

			for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
				sum += val[k] * x[col_idx[k] * v->x.row + j * v->x.col];
			*to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
		}
}

static void FN(spmm_serial_t)(const ek_store *A, const eki_run *v)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *y = (VAL *)v->y.data - A->base * v->y.row;

	for (int64_t i = 0; i < A->rows; i++)
		for (int64_t j = 0; j < v->width; j++) {
			const VAL xij = alpha * x[i * v->x.row + j * v->x.col];

			for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
				y[col_idx[k] * v->y.row + j * v->y.col] += val[k] * xij;
		}
}

#endif
#if EK_ONCE

typedef void all_fn(const ek_store *, const eki_run *);

static ek_status run(const eki_step *step, const eki_run *v)
{
	static all_fn *const plain[EK_NTYPE] = EK_BY_TYPE(spmm_serial);
	static all_fn *const transposed[EK_NTYPE] = EK_BY_TYPE(spmm_serial_t);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	if (step->op[0] == EK_OP_T)
		eki_scale(step, v, 0, A->cols);
	(step->op[0] == EK_OP_T ? transposed : plain)[type](A, v);
	return EK_OK;
}

const ek_method ek_spmm_csr_serial = {
	.name = "spmm.csr.serial",
	.text = "plain loop over rows, columns and entries, one thread: the reference",
	.source = "Liu 2015, Algorithm 28, for each column",
	.operation = EK_SPMM,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL | EKI_BASE1_N | EKI_BASE1_T,
	.run = run,
};

#endif
