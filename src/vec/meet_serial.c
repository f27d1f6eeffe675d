/* SPDX-License-Identifier: BSD-3-Clause
 * The intersection of two sets of pairs as a plain loop, the reference for the other methods: each
 * step moves past the lesser of the two current keys or, if they are equal, combines the values and
 * moves past both. */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/meet_serial.c"
#include "base/for_each.h"

static void FN(intersect_serial)(const eki_array *a)
{
	const IDX *xi = a->x.idx, *yi = a->y.idx;
	const VAL *xv = a->x.val, *yv = a->y.val;
	IDX *zi = a->z.idx;
	VAL *zv = a->z.val;
	int64_t n = 0;

	for (int64_t i = 0, j = 0; i < a->x.nnz && j < a->y.nnz;) {
		const IDX p = xi[i], q = yi[j];

		if (p == q) {
			zi[n] = p;
			zv[n++] = sop(a->op, xv[i], yv[j]);
		}
		i += p <= q;
		j += q <= p;
	}
	*a->count = n;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static void (*const meet[2][4])(const eki_array *) = EK_BY_VECTOR(intersect_serial);

	(void)step;
	meet[eki_index_row(a)][eki_value_row(a->type)](a);
	return EK_OK;
}

/* Predicts the time in nanoseconds: about every second entry costs a mispredicted branch. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;

	return f->machine->vector.serial_entry[0] * (double)(a->x.nnz + a->y.nnz);
}

const ek_method ek_pairs_intersect_serial = {
	.name = "pairs_intersect.serial",
	.text = "the plain loop, the reference",
	.source = "two pointers, as in Liu 2015, Algorithm 16",
	.operation = EK_PAIRS_INTERSECTION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
	.cost = cost,
};

#endif
