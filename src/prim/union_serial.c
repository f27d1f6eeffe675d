/* SPDX-License-Identifier: BSD-3-Clause
 * The union of two sets as a plain loop, the reference for all other methods. Each step writes the
 * lesser of the two current entries and moves past it, or past both if they are equal.
 *
 * This is the merge of two sorted lists without duplicates; Liu 2015, section 7.3, adds sparse
 * vectors this way. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/union_serial.c"
#include "base/for_each.h"

static int64_t FN(union_serial)(const eki_array *set)
{
	const VAL *a = set->a.key, *b = set->b.key;
	VAL *out = set->out;
	int64_t i = 0, j = 0, n = 0;

	while (i < set->a.n && j < set->b.n) {
		const VAL x = a[i], y = b[j];

		out[n++] = x < y ? x : y;
		i += x <= y;
		j += y <= x;
	}
	while (i < set->a.n)
		out[n++] = a[i++];
	while (j < set->b.n)
		out[n++] = b[j++];
	return n;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *set = v->array;
	static int64_t (*const unite[])(const eki_array *) = EK_BY_INT(union_serial);

	(void)step;
	*set->count = unite[eki_int_row(set->type)](set);
	return EK_OK;
}

/* Predicts the time in nanoseconds: 3.3 for each entry, since about every second entry costs a
 * mispredicted branch. */
static double cost(const eki_features *f)
{
	const eki_array *set = f->array;

	return f->machine->array.set_entry * (double)(set->a.n + set->b.n);
}

const ek_method ek_union_serial = {
	.name = "union.serial",
	.text = "the plain loop, the reference",
	.source = "two pointers, as in Liu 2015, Algorithm 16",
	.operation = EK_SET_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
	.cost = cost,
};

#endif
