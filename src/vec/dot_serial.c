/* SPDX-License-Identifier: BSD-3-Clause
 * The dot product of two sparse vectors as a plain loop, the reference for the other methods: each
 * step moves past the lesser of the two current indices or, if they are equal, multiplies the
 * values and moves past both.
 *
 * Liu 2015, section 2.3.1 (the intersection of two sets). */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/dot_serial.c"
#include "base/for_each.h"

#include "vec/terms.h"

static void FN(dot)(const eki_array *a)
{
	const IDX *xi = a->x.idx, *yi = a->y.idx;
	const VAL *xv = a->x.val, *yv = a->y.val;
	VAL sum = 0;

	for (int64_t i = 0, j = 0; i < a->x.nnz && j < a->y.nnz;) {
		const IDX p = xi[i], q = yi[j];

		if (p == q)
			sum = sop(EK_SUM, sum, FN(times)(xv[i], yv[j]));
		i += p <= q;
		j += q <= p;
	}
	*(VAL *)a->out = sum;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static void (*const dot[2][4])(const eki_array *) = EK_BY_VECTOR(dot);

	(void)step;
	dot[eki_index_row(a)][eki_value_row(a->type)](a);
	return EK_OK;
}

/* Predicts the time in nanoseconds: about every second entry costs a mispredicted branch. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;

	return f->machine->vector.serial_entry[0] * (double)(a->x.nnz + a->y.nnz);
}

const ek_method ek_dot_serial = {
	.name = "dot.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, section 2.3.1",
	.operation = EK_SPARSE_DOT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
	.cost = cost,
};

#endif
