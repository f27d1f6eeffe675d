/* SPDX-License-Identifier: BSD-3-Clause
 * ek_merge: checks of its arguments, and the search on a diagonal. The methods are in the files
 * merge_*.c.
 *
 * The search is that of Liu 2015, Algorithm 18, with one half-open interval. On diagonal d, which
 * consists of the pairs of places (i, d - i), the search finds the first i for which a[i] comes
 * after b[d - i - 1]. Of equal keys, the key in `a` comes first. No entry outside the arrays is
 * read. */
#include <stdio.h>
#include <string.h>

#include "prim/merge.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/merge.c"
#include "base/for_each.h"

#include "prim_body/order.h"

struct FN(diagonal) {
	const FN(raw) * a, *b;
	int64_t d;
	VAL flip;
};

static inline bool FN(comes_before)(const void *of, int64_t i)
{
	const struct FN(diagonal) *at = of;

	return FN(order)(at->a[i], at->flip) <= FN(order)(at->b[at->d - i - 1], at->flip);
}

static int64_t FN(merge_cut)(const eki_merge *m, int64_t d, ek_value type)
{
	const struct FN(diagonal) at = {(const void *)m->a, (const void *)m->b, d, FN(flip)(type)};

	return eki_merge_path(m->an, m->bn, d, FN(comes_before), &at);
}

#if EK_ONCE

int64_t eki_merge_cut(const eki_array *a, const eki_merge *m, int64_t d)
{
	static int64_t (*const cut[])(const eki_merge *, int64_t, ek_value) = EK_BY_INT(merge_cut);

	return cut[eki_int_row(a->type)](m, d, a->type);
}

static ek_status pairs_check(const char *name, const ek_pairs *p, int64_t n)
{
	char key[16], value[16];

	snprintf(key, sizeof key, "%s->key", name);
	snprintf(value, sizeof value, "%s->value", name);
	EK_RETURN_IF(eki_array_check(key, p->key, n, ek_value_size(p->type)));
	return p->value_size ? eki_array_check(value, p->value, n, p->value_size) : EK_OK;
}

/* Checks that no array of `out`, which has n pairs, overlaps an array of `p`, which has pn pairs.
 * `p` is argument `a` or `b` of ek_merge, and `name` is its name. */
static ek_status out_check(const eki_array *of, int64_t n, const char *name, const ek_pairs *p,
                           int64_t pn)
{
	const ek_pairs *const out = &of->c;
	const struct {
		const char *name;
		const void *array;
		size_t size;
	} from[] = {{"->key", p->key, ek_value_size(p->type)},
	            {"->value", p->value, p->value_size}},
	  to[] = {{"out->key", out->key, ek_value_size(out->type)},
	          {"out->value", out->value, out->value_size}};

	for (int k = 0; k < 4; k++) {
		const int f = k / 2, t = k % 2;
		char text[16];

		snprintf(text, sizeof text, "%s%s", name, from[f].name);
		/* Lengths are given in bytes, since keys and values may differ in size. */
		EK_RETURN_IF(eki_array_overlap(of->handles, text, from[f].array,
		                               pn * (int64_t)from[f].size, to[t].name, to[t].array,
		                               n * (int64_t)to[t].size, 1));
	}
	return EK_OK;
}

static ek_status batch_check(int64_t batch, int64_t an, int64_t bn)
{
	if (batch < 0)
		return eki_fail(EK_EINVAL, "batch is %lld; it must not be negative",
		                (long long)batch);
	EK_RETURN_IF(eki_length_check("a->n", an));
	EK_RETURN_IF(eki_length_check("b->n", bn));
	if (an + bn && batch > INT64_MAX / 16 / (an + bn))
		return eki_fail(EK_EOVERFLOW,
		                "%lld merges of %lld pairs are more than memory has bytes",
		                (long long)batch, (long long)(an + bn));
	return EK_OK;
}

ek_status ek_merge(ek_context *ctx, const ek_array_options *options, int64_t batch,
                   const ek_pairs *a_given, const ek_pairs *b_given, const ek_pairs *out_given)
{
	eki_array args = {
		.operation = EK_MERGE, .batch = batch, .handles = eki_array_handles(ctx, options)};
	const ek_pairs *const a = &args.a, *const b = &args.b, *const out = &args.c;
	int64_t n;

	if (!a_given || !b_given || !out_given)
		return eki_fail(EK_EINVAL, "%s is NULL", !a_given ? "a" : !b_given ? "b" : "out");
	EK_RETURN_IF(EKI_STRUCT_IN("a", ek_pairs, a_given, &args.a));
	EK_RETURN_IF(EKI_STRUCT_IN("b", ek_pairs, b_given, &args.b));
	EK_RETURN_IF(EKI_STRUCT_IN("out", ek_pairs, out_given, &args.c));
	EK_RETURN_IF(eki_number_check(a->type));
	EK_RETURN_IF(eki_value_size_check("a->value_size", a->value_size));
	EK_RETURN_IF(eki_pairs_alike("a", a, "b", b));
	EK_RETURN_IF(eki_pairs_alike("a", a, "out", out));
	EK_RETURN_IF(batch_check(batch, a->n, b->n));
	n = batch * (a->n + b->n);
	EK_RETURN_IF(pairs_check("a", a, batch * a->n));
	EK_RETURN_IF(pairs_check("b", b, batch * b->n));
	EK_RETURN_IF(pairs_check("out", out, n));
	EK_RETURN_IF(out_check(&args, n, "a", a, batch * a->n));
	EK_RETURN_IF(out_check(&args, n, "b", b, batch * b->n));
	if (a->value_size)
		EK_RETURN_IF(eki_array_overlap(args.handles, "out->key", out->key,
		                               n * (int64_t)ek_value_size(a->type), "out->value",
		                               out->value, n * (int64_t)a->value_size, 1));
	args.type = a->type;
	if (!a->value_size)
		args.a.value = args.b.value = args.c.value = NULL;
	return eki_array_call(ctx, options, n, &args);
}

const eki_operation eki_op_merge = {
	.name = "merge",
	.text = "two sorted lists as one",
	.number = EK_MERGE,
};

#endif
