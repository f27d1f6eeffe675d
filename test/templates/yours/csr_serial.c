/* SPDX-License-Identifier: BSD-3-Clause
 * y = |op(A)| |x| on CSR, the reference: one thread, row by row, entry by entry; op T scatters
 * rows. All other methods are compared with it, so it stays plain.
 *
 * Cost: a chain of dependent additions for each row. */
#include <math.h>

#include "yours/yours.h"
#define EK_TYPES_ONLY
#define EK_FILE "yours/csr_serial.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(yours_serial)(const ek_store *A, const eki_run *v)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	VAL *y = v->y.data;

	for (int64_t i = 0; i < A->rows; i++) {
		VAL sum = 0;

		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			sum += (VAL)fabs(val[k] * x[col_idx[k]]);
		y[i] = sum;
	}
}

/* Adds |A^T| |x| to y by scattering each row of A. y must be 0 before the call. */
static void FN(yours_serial_t)(const ek_store *A, const eki_run *v)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	VAL *y = v->y.data;

	for (int64_t i = 0; i < A->rows; i++)
		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			y[col_idx[k]] += (VAL)fabs(val[k] * x[i]);
}

#endif
#if EK_ONCE

typedef void all_fn(const ek_store *, const eki_run *);

static ek_status run(const eki_step *step, const eki_run *v)
{
	static all_fn *const plain[EK_NTYPE] = EK_BY_TYPE(yours_serial);
	static all_fn *const transposed[EK_NTYPE] = EK_BY_TYPE(yours_serial_t);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	if (step->op[0] == EK_OP_T)
		eki_scale(step, v, 0, A->cols);
	(step->op[0] == EK_OP_T ? transposed : plain)[type](A, v);
	return EK_OK;
}

/* Predicts the nanoseconds of a run. */
static double cost(const eki_features *f)
{
	eki_features one = *f;

	one.threads = 1;
	return eki_cost(&one, f->csr_bytes, eki_work_csr(f, EKI_LOOP_SERIAL));
}

const ek_method ek_yours_csr_serial = {
	.name = "yours.csr.serial",
	.text = "plain loop over rows, one thread: the reference",
	.source = "Author year, section 1",
	.operation = EK_YOURS,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL,
	.cost = cost,
	.run = run,
};

#endif
