/* SPDX-License-Identifier: BSD-3-Clause
 * ek_kselect: checks of its arguments. The methods are in the files kselect_*.c. */
#include "prim/prim.h"

static ek_status arguments_check(const eki_array *a)
{
	const size_t size = ek_value_size(a->type);
	const int64_t all = a->lists * a->n, chosen = a->lists * a->k;

	EK_RETURN_IF(eki_array_check("in", a->in, all, size));
	EK_RETURN_IF(eki_array_check("kth", a->out, a->lists, size));
	EK_RETURN_IF(eki_array_overlap(a, "in", a->in, all, "kth", a->out, a->lists, size));
	if (!a->smallest)
		return EK_OK;
	EK_RETURN_IF(eki_array_check("smallest", a->smallest, chosen, size));
	EK_RETURN_IF(eki_array_overlap(a, "in", a->in, all, "smallest", a->smallest, chosen, size));
	return eki_array_overlap(a, "kth", a->out, a->lists, "smallest", a->smallest, chosen, size);
}

ek_status ek_kselect(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t lists,
                     int64_t length, int64_t k, const void *in, void *kth, void *smallest)
{
	eki_array a = {.operation = EK_KSELECT,
	               .type = type,
	               .lists = lists,
	               .n = length,
	               .k = k,
	               .in = in,
	               .out = kth,
	               .smallest = smallest,
	               .handles = eki_array_handles(ctx, options)};

	EK_RETURN_IF(eki_number_check(type));
	EK_RETURN_IF(eki_length_check("lists", lists));
	EK_RETURN_IF(eki_length_check("length", length));
	if (lists > 0 && (k < 1 || k > length))
		return eki_fail(EK_EINVAL, "k is %lld; 1 to length = %lld is possible",
		                (long long)k, (long long)length);
	if (lists > 0 && length > INT64_MAX / 16 / lists)
		return eki_fail(EK_EOVERFLOW,
		                "%lld lists of length %lld have more entries than memory has bytes",
		                (long long)lists, (long long)length);
	if (lists > 0)
		EK_RETURN_IF(arguments_check(&a));
	return eki_array_call(ctx, options, lists * length, &a);
}

const eki_operation eki_op_kselect = {
	.name = "kselect",
	.text = "the k smallest of each list",
	.number = EK_KSELECT,
};
