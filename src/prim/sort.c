/* SPDX-License-Identifier: BSD-3-Clause
 * ek_sort: checks of its arguments. The methods are in the files sort_*.c. */
#include "prim/prim.h"

ek_status ek_sort(ek_context *ctx, const ek_array_options *options, const ek_pairs *pairs)
{
	eki_array a = {.operation = EK_SORT, .handles = eki_array_handles(ctx, options)};

	if (!pairs)
		return eki_fail(EK_EINVAL, "pairs is NULL");
	EK_RETURN_IF(EKI_STRUCT_IN("pairs", ek_pairs, pairs, &a.a));
	a.type = a.a.type;
	a.n = a.a.n;

	const size_t size = ek_value_size(a.type), values = a.a.value_size;

	EK_RETURN_IF(eki_number_check(a.type));
	EK_RETURN_IF(eki_value_size_check("pairs->value_size", values));
	EK_RETURN_IF(eki_length_check("pairs->n", a.n));
	EK_RETURN_IF(eki_array_check("pairs->key", a.a.key, a.n, size));
	if (values) {
		EK_RETURN_IF(eki_array_check("pairs->value", a.a.value, a.n, values));
		/* Lengths are given in bytes, since keys and values may differ in size. */
		EK_RETURN_IF(eki_array_overlap(a.handles, "pairs->key", a.a.key,
		                               a.n * (int64_t)size, "pairs->value", a.a.value,
		                               a.n * (int64_t)values, 1));
	} else {
		a.a.value = NULL;
	}
	return eki_array_call(ctx, options, a.n, &a);
}

const eki_operation eki_op_sort = {
	.name = "sort",
	.text = "keys in ascending order, with their values",
	.number = EK_SORT,
};
