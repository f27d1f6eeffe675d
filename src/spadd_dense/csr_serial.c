/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse plus dense on CSR, the reference: scales all of Y, then adds the entries of A one by one,
 * in one thread. Cost: one pass over Y, and one access to Y for each entry. */
#include "plan/plan.h"
#define EK_TYPES_ONLY
#define EK_FILE "spadd_dense/csr_serial.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(add_entries)(const ek_store *A, const eki_run *v)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], alpha = EK_SCALAR(v->alpha);
	VAL *y = v->y.data;

	for (int64_t i = 0; i < A->rows; i++)
		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			y[i * v->y.row + col_idx[k] * v->y.col] += alpha * val[k];
}

#endif
#if EK_ONCE

typedef void all_fn(const ek_store *, const eki_run *);

static ek_status run(const eki_step *step, const eki_run *v)
{
	static all_fn *const add[EK_NTYPE] = EK_BY_TYPE(add_entries);
	const ek_store *A = step->in[0];

	eki_scale_serial(A, v, 0, A->rows);
	if (!eki_is(v->alpha, 0))
		add[eki_type(A->value, A->index)](A, v);
	return EK_OK;
}

const ek_method ek_spadd_dense_csr_serial = {
	.name = "spadd_dense.csr.serial",
	.text = "scales Y, then adds the entries of A, one thread: the reference",
	.source = "Liu 2015, section 2.3.3",
	.operation = EK_SPADD_DENSE,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
