/* SPDX-License-Identifier: BSD-3-Clause
 * The intersection of two sets as a plain loop, the reference for all other methods. Each step
 * moves past the lesser of the two current entries or, if they are equal, writes the entry and
 * moves past both. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/intersect_serial.c"
#include "base/for_each.h"

static int64_t FN(intersect_serial)(const eki_array *set)
{
	const VAL *a = set->a.key, *b = set->b.key;
	VAL *out = set->out;
	int64_t i = 0, j = 0, n = 0;

	while (i < set->a.n && j < set->b.n) {
		const VAL x = a[i], y = b[j];

		if (x == y)
			out[n++] = x;
		i += x <= y;
		j += y <= x;
	}
	return n;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *set = v->array;
	static int64_t (*const intersect[])(const eki_array *) = EK_BY_INT(intersect_serial);

	(void)step;
	*set->count = intersect[eki_int_row(set->type)](set);
	return EK_OK;
}

/* Predicts the time in nanoseconds: 3.3 for each entry, since about every second entry costs a
 * mispredicted branch. */
static double cost(const eki_features *f)
{
	const eki_array *set = f->array;

	return f->machine->array.set_entry * (double)(set->a.n + set->b.n);
}

const ek_method ek_intersect_serial = {
	.name = "intersect.serial",
	.text = "the plain loop, the reference",
	.source = "two pointers, as in Liu 2015, Algorithm 16",
	.operation = EK_SET_INTERSECTION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
	.cost = cost,
};

#endif
