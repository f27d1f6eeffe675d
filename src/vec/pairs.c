/* SPDX-License-Identifier: BSD-3-Clause
 * ek_pairs_union and ek_pairs_intersection: checks of their arguments. A set of pairs is handled as
 * a sparse vector whose indices are the keys, so the methods are in the files unite_*.c and
 * meet_*.c of this folder. */
#include "vec/vec.h"

/* Copies the caller's pairs to `own`, as a sparse vector. */
static ek_status pairs_in(const char *name, const ek_pairs *given, ek_value value, ek_sparse *own)
{
	ek_pairs p;

	if (!given)
		return eki_fail(EK_EINVAL, "%s is NULL", name);
	EK_RETURN_IF(EKI_STRUCT_IN(name, ek_pairs, given, &p));
	if (p.type != EK_INT32 && p.type != EK_INT64)
		return eki_fail(EK_EINVAL, "%s->type is %d; EK_INT32 or EK_INT64 is expected", name,
		                (int)p.type);
	if (p.value_size != ek_value_size(value))
		return eki_fail(EK_EINVAL,
		                "%s->value_size is %zu, and a value of type %s has %zu bytes", name,
		                p.value_size, ek_value_name(value), ek_value_size(value));
	EK_RETURN_IF(eki_member_length(name, "->n", p.n));
	EK_RETURN_IF(eki_member_check(name, "->key", p.key, p.n, ek_value_size(p.type)));
	EK_RETURN_IF(eki_member_check(name, "->value", p.value, p.n, p.value_size));
	*own = ek_sparse_vector(value, p.type, 0, p.n, p.key, p.value);
	return EK_OK;
}

static ek_status type_check(const char *name, const ek_sparse *v, const ek_sparse *a)
{
	if (v->index != a->index)
		return eki_fail(EK_EINVAL, "%s->type is %s, and a->type is %s", name,
		                ek_value_name(v->index), ek_value_name(a->index));
	return EK_OK;
}

/* Checks that the result, which has up to `capacity` pairs, fits into z. */
static ek_status space_check(const ek_sparse *z, int64_t capacity)
{
	if (z->nnz < capacity)
		return eki_fail(EK_EINVAL, "out->n is %lld, and the result may have %lld pairs",
		                (long long)z->nnz, (long long)capacity);
	return EK_OK;
}

static ek_status pairs_call(ek_context *ctx, const ek_array_options *options,
                            const ek_pairs *const given[3], eki_array *a)
{
	EK_RETURN_IF(eki_number_check(a->type));
	EK_RETURN_IF(eki_monoid_check(a->op, a->type));
	EK_RETURN_IF(pairs_in("a", given[0], a->type, &a->x));
	EK_RETURN_IF(pairs_in("b", given[1], a->type, &a->y));
	EK_RETURN_IF(pairs_in("out", given[2], a->type, &a->z));
	EK_RETURN_IF(type_check("b", &a->y, &a->x));
	EK_RETURN_IF(type_check("out", &a->z, &a->x));

	const int64_t an = a->x.nnz, bn = a->y.nnz;

	EK_RETURN_IF(space_check(&a->z, a->operation == EK_PAIRS_UNION ? an + bn
	                                : an < bn                      ? an
	                                                               : bn));
	EK_RETURN_IF(eki_array_check("count", a->count, 1, sizeof *a->count));

	const eki_region output[3] = {eki_idx_region("out->key", &a->z),
	                              eki_val_region("out->value", &a->z),
	                              {"count", a->count, sizeof *a->count}};
	const eki_region input[4] = {
		eki_idx_region("a->key", &a->x), eki_val_region("a->value", &a->x),
		eki_idx_region("b->key", &a->y), eki_val_region("b->value", &a->y)};

	EK_RETURN_IF(eki_regions_apart(false, 3, output, 4, input));
	return eki_array_call(ctx, options, an + bn + 1, a);
}

ek_status ek_pairs_union(ek_context *ctx, const ek_array_options *options, ek_value value,
                         ek_monoid op, const ek_pairs *a, const ek_pairs *b, int64_t *count,
                         const ek_pairs *out)
{
	const ek_pairs *const given[3] = {a, b, out};
	eki_array args = {.operation = EK_PAIRS_UNION, .type = value, .op = op, .count = count};

	return pairs_call(ctx, options, given, &args);
}

ek_status ek_pairs_intersection(ek_context *ctx, const ek_array_options *options, ek_value value,
                                ek_monoid op, const ek_pairs *a, const ek_pairs *b, int64_t *count,
                                const ek_pairs *out)
{
	const ek_pairs *const given[3] = {a, b, out};
	eki_array args = {
		.operation = EK_PAIRS_INTERSECTION, .type = value, .op = op, .count = count};

	return pairs_call(ctx, options, given, &args);
}

const eki_operation eki_op_pairs_union = {
	.name = "pairs_union",
	.text = "the union of two sets of indices with values",
	.number = EK_PAIRS_UNION,
};

const eki_operation eki_op_pairs_intersection = {
	.name = "pairs_intersect",
	.text = "the intersection of two sets of indices with values",
	.number = EK_PAIRS_INTERSECTION,
};
