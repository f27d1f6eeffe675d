/* SPDX-License-Identifier: BSD-3-Clause
 * The product of a dense matrix and a sparse vector: the plain loop, row by row, on one thread.
 *
 * Liu 2015, section 2.3.2 (dot products of the rows of A and x). */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/gemvi_serial.c"
#include "base/for_each.h"

#include "vec/terms.h"

static void FN(gemvi)(const eki_array *a)
{
	const IDX *idx = a->x.idx;
	const VAL *val = a->x.val, *A = a->block_of.data;
	const VAL alpha = (VAL)a->alpha.re, beta = (VAL)a->beta.re;
	VAL *y = a->dense;

	for (int64_t i = 0; i < a->n; i++) {
		const VAL *row = A + i * a->block_of.row;
		VAL sum = 0;

		for (int64_t k = 0; alpha != 0 && k < a->x.nnz; k++)
			sum = sop(EK_SUM, sum, FN(times)(row[idx[k] * a->block_of.col], val[k]));
		sum = alpha != 0 ? FN(times)(alpha, sum) : 0;
		y[i] = beta != 0 ? sop(EK_SUM, sum, FN(times)(beta, y[i])) : sum;
	}
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	static void (*const gemvi[2][4])(const eki_array *) = EK_BY_VECTOR(gemvi);
	const eki_array *a = v->array;

	(void)step;
	gemvi[eki_index_row(a)][eki_value_row(a->type)](a);
	return EK_OK;
}

const ek_method ek_gemvi_serial = {
	.name = "gemvi.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, section 2.3.2",
	.operation = EK_GEMVI,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
