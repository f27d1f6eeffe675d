/* SPDX-License-Identifier: BSD-3-Clause
 * The dot product of a sparse and a dense vector as a plain loop, the reference for the other
 * methods. Each addition waits for the one before it.
 *
 * Liu 2015, section 2.3.1. */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/dot_dense_serial.c"
#include "base/for_each.h"

#include "vec/terms.h"

static void FN(dot_dense)(const eki_array *a)
{
	const IDX *idx = a->x.idx;
	const VAL *val = a->x.val, *y = a->dense;
	VAL sum = 0;

	for (int64_t k = 0; k < a->x.nnz; k++)
		sum = sop(EK_SUM, sum, FN(times)(val[k], y[idx[k]]));
	*(VAL *)a->out = sum;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static void (*const dot[2][4])(const eki_array *) = EK_BY_VECTOR(dot_dense);

	(void)step;
	dot[eki_index_row(a)][eki_value_row(a->type)](a);
	return EK_OK;
}

const ek_method ek_dot_dense_serial = {
	.name = "dot_dense.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, section 2.3.1",
	.operation = EK_SPARSE_DOT_DENSE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
