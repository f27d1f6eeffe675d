/* SPDX-License-Identifier: BSD-3-Clause
 * ek_set_union and ek_set_intersection: checks of their arguments. The methods are in the files
 * union_*.c and intersect_*.c. */
#include "prim/prim.h"

/* Checks that an array of n entries does not overlap *count. The lengths are given in bytes, since
 * *count has another type. */
static ek_status count_apart(const char *name, const void *array, int64_t n, const eki_array *set)
{
	return eki_overlap_check(name, array, n * (int64_t)ek_value_size(set->type), "count",
	                         set->count, sizeof *set->count, 1);
}

static ek_status set_call(ek_context *ctx, const ek_array_options *options, eki_array *set,
                          int64_t capacity)
{
	const size_t size = ek_value_size(set->type);
	const int64_t an = set->a.n, bn = set->b.n;

	if (set->type != EK_INT32 && set->type != EK_INT64)
		return eki_fail(EK_EINVAL, "type is %d; EK_INT32 or EK_INT64 is expected",
		                (int)set->type);
	EK_RETURN_IF(eki_length_check("a_n", an));
	EK_RETURN_IF(eki_length_check("b_n", bn));
	EK_RETURN_IF(eki_array_check("a", set->a.key, an, size));
	EK_RETURN_IF(eki_array_check("b", set->b.key, bn, size));
	EK_RETURN_IF(eki_array_check("count", set->count, 1, sizeof *set->count));
	EK_RETURN_IF(eki_array_check("out", set->out, capacity, size));
	EK_RETURN_IF(count_apart("a", set->a.key, an, set));
	EK_RETURN_IF(count_apart("b", set->b.key, bn, set));
	EK_RETURN_IF(count_apart("out", set->out, capacity, set));
	EK_RETURN_IF(eki_overlap_check("a", set->a.key, an, "out", set->out, capacity, size));
	EK_RETURN_IF(eki_overlap_check("b", set->b.key, bn, "out", set->out, capacity, size));
	/* an + bn + 1 is never 0, so the method runs for empty sets too and sets *count to 0. */
	return eki_array_call(ctx, options, an + bn + 1, set);
}

ek_status ek_set_union(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t a_n,
                       const void *a, int64_t b_n, const void *b, int64_t *count, void *out)
{
	eki_array set = {.operation = EK_SET_UNION,
	                 .type = type,
	                 .a = ek_key_value(type, 0, a_n, a, NULL),
	                 .b = ek_key_value(type, 0, b_n, b, NULL),
	                 .count = count,
	                 .out = out};
	const bool fits = a_n >= 0 && b_n >= 0 && a_n <= INT64_MAX - b_n;

	return set_call(ctx, options, &set, fits ? a_n + b_n : 0);
}

ek_status ek_set_intersection(ek_context *ctx, const ek_array_options *options, ek_value type,
                              int64_t a_n, const void *a, int64_t b_n, const void *b,
                              int64_t *count, void *out)
{
	eki_array set = {.operation = EK_SET_INTERSECTION,
	                 .type = type,
	                 .a = ek_key_value(type, 0, a_n, a, NULL),
	                 .b = ek_key_value(type, 0, b_n, b, NULL),
	                 .count = count,
	                 .out = out};

	return set_call(ctx, options, &set, a_n < b_n ? a_n : b_n);
}

const eki_operation eki_op_set_union = {
	.name = "union",
	.text = "the union of two sets of indices",
	.number = EK_SET_UNION,
};

const eki_operation eki_op_set_intersection = {
	.name = "intersect",
	.text = "the intersection of two sets of indices",
	.number = EK_SET_INTERSECTION,
};
