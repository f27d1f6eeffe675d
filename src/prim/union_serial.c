/* SPDX-License-Identifier: BSD-3-Clause
 * The union of two sets as a loop, which all other unions are compared with: the lesser of two
 * entries is written, and both are left behind if they are equal.
 *
 * The merge of two sorted lists without duplicates; Liu 2015, section 7.3 adds sparse vectors
 * so. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/union_serial.c"
#include "core/for_each.h"

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

static ek_status run(const ek_context *ctx, const eki_array *set)
{
	static int64_t (*const unite[])(const eki_array *) = EK_BY_INT(union_serial);

	(void)ctx;
	*set->count = unite[eki_int_row(set->type)](set);
	return EK_OK;
}

/* Nanoseconds for an entry, of which the processor guesses every other one wrong. */
static double cost(const eki_array *set)
{
	return 3.3 * (double)(set->a.n + set->b.n);
}

const ek_method ek_union_serial = {
	.name = "union.serial",
	.text = "the plain loop, the reference",
	.source = "two pointers, as in Liu 2015, Algorithm 16",
	.operation = EK_SET_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.array = run,
	.array_cost = cost,
};

#endif
