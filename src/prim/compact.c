/* SPDX-License-Identifier: BSD-3-Clause
 * ek_compact: checks of its arguments, and what the methods share: the loop that moves a part. The
 * methods are in the files compact_*.c. */
#include "prim/compact.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/compact.c"
#include "base/for_each.h"

/* Has no branch that depends on a flag: an entry is written wherever the next one to keep belongs,
 * and stays if it is kept. The loop ends with the last of these, so nothing is written behind
 * it. */
static void FN(compact_move)(const eki_compact_part *p)
{
	const VAL *in = p->in;
	VAL *out = p->out;

	for (int64_t i = p->begin, k = 0; k < p->count; i++) {
		out[k] = in[i];
		k += p->flag[i] != 0;
	}
}

#if EK_ONCE

int64_t eki_compact_count(const uint8_t *flag, int64_t begin, int64_t end)
{
	int64_t count = 0;

	for (int64_t i = begin; i < end; i++)
		count += flag[i] != 0;
	return count;
}

void eki_compact_move(const eki_array *a, int64_t begin, int64_t count, int64_t at)
{
	static void (*const move[])(const eki_compact_part *) = EK_BY_INT(compact_move);
	const size_t key = ek_value_size(a->type), value = a->a.value_size;
	eki_compact_part p = {a->segments.flag, begin, count, a->a.key,
	                      (char *)a->c.key + (size_t)at * key};

	if (!count)
		return;
	move[key == 8](&p);
	if (!value)
		return;
	p.in = a->a.value;
	p.out = (char *)a->c.value + (size_t)at * value;
	move[value == 8](&p);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static ek_status types_check(const ek_pairs *in, const ek_pairs *out)
{
	EK_RETURN_IF(eki_number_check(in->type));
	EK_RETURN_IF(eki_value_size_check("in->value_size", in->value_size));
	EK_RETURN_IF(eki_pairs_alike("in", in, "out", out));
	EK_RETURN_IF(eki_length_check("in->n", in->n));
	EK_RETURN_IF(eki_length_check("out->n", out->n));
	if (out->n < in->n)
		return eki_fail(EK_EINVAL,
		                "out->n is %lld; space for all %lld pairs of `in` is expected",
		                (long long)out->n, (long long)in->n);
	return EK_OK;
}

/* An array of the call. */
struct range {
	const char *name;
	const void *array;
	size_t size;
	int64_t n;
};

/* Checks that each array exists, and that those that are written overlap no other. */
static ek_status arrays_check(const eki_array *a)
{
	const size_t key = ek_value_size(a->type), value = a->a.value_size;
	const struct range r[] = {
		{"count", a->count, sizeof *a->count, 1}, {"out->key", a->c.key, key, a->n},
		{"out->value", a->c.value, value, a->n},  {"in->key", a->a.key, key, a->n},
		{"in->value", a->a.value, value, a->n},   {"flag", a->segments.flag, 1, a->n}};
	enum { ALL = sizeof r / sizeof *r, WRITTEN = 3 };

	for (int k = 0; k < ALL; k++)
		if (r[k].size)
			EK_RETURN_IF(eki_array_check(r[k].name, r[k].array, r[k].n, r[k].size));
	for (int k = 0; k < WRITTEN; k++)
		for (int j = k + 1; j < ALL; j++)
			EK_RETURN_IF(eki_overlap_check(r[k].name, r[k].array,
			                               r[k].n * (int64_t)r[k].size, r[j].name,
			                               r[j].array, r[j].n * (int64_t)r[j].size, 1));
	return EK_OK;
}

ek_status ek_compact(ek_context *ctx, const ek_array_options *options, const ek_pairs *in,
                     const uint8_t *flag, int64_t *count, const ek_pairs *out)
{
	eki_array a = {.operation = EK_COMPACT, .segments.flag = flag, .count = count};

	if (!in || !out)
		return eki_fail(EK_EINVAL, "%s is NULL", !in ? "in" : "out");
	EK_RETURN_IF(EKI_STRUCT_IN("in", ek_pairs, in, &a.a));
	EK_RETURN_IF(EKI_STRUCT_IN("out", ek_pairs, out, &a.c));
	EK_RETURN_IF(types_check(&a.a, &a.c));
	a.type = a.a.type;
	a.n = a.a.n;
	EK_RETURN_IF(arrays_check(&a));
	/* n + 1 is never 0, so the method runs for an empty array too and sets *count to 0. */
	return eki_array_call(ctx, options, a.n + 1, &a);
}

const eki_operation eki_op_compact = {
	.name = "compact",
	.text = "the pairs of an array whose flags are set",
	.number = EK_COMPACT,
};

#endif
