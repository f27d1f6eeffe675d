/* SPDX-License-Identifier: BSD-3-Clause
 * ek_kselect and ek_adheap_replay: checks of their arguments. The methods are in the files
 * kselect_*.c. */
#include "prim/prim.h"

static ek_status updates_check(const eki_array *a)
{
	EK_RETURN_IF(eki_length_check("updates", a->updates));
	if (a->updates > 0)
		EK_RETURN_IF(eki_array_check("first", a->first, a->lists + 1, sizeof *a->first));
	return eki_array_check("path", a->path, a->updates, sizeof *a->path);
}

static ek_status arguments_check(const eki_array *a)
{
	const size_t size = ek_value_size(a->type);
	const int64_t all = a->lists * a->n, chosen = a->lists * a->k;

	EK_RETURN_IF(eki_array_check("in", a->in, all, size));
	if (a->replay)
		return updates_check(a);
	EK_RETURN_IF(eki_array_check("kth", a->out, a->lists, size));
	EK_RETURN_IF(
		eki_array_overlap(a->handles, "in", a->in, all, "kth", a->out, a->lists, size));
	if (!a->smallest)
		return EK_OK;
	EK_RETURN_IF(eki_array_check("smallest", a->smallest, chosen, size));
	EK_RETURN_IF(eki_array_overlap(a->handles, "in", a->in, all, "smallest", a->smallest,
	                               chosen, size));
	return eki_array_overlap(a->handles, "kth", a->out, a->lists, "smallest", a->smallest,
	                         chosen, size);
}

static ek_status call(const ek_context *ctx, const ek_array_options *options, eki_array *a)
{
	a->operation = EK_KSELECT;
	a->handles = eki_array_handles(ctx, options);
	EK_RETURN_IF(eki_number_check(a->type));
	EK_RETURN_IF(eki_length_check("lists", a->lists));
	EK_RETURN_IF(eki_length_check("length", a->n));
	if (a->lists > 0 && (a->k < 1 || a->k > a->n))
		return eki_fail(EK_EINVAL, "k is %lld; 1 to length = %lld is possible",
		                (long long)a->k, (long long)a->n);
	if (a->lists > 0 && a->n > INT64_MAX / 16 / a->lists)
		return eki_fail(EK_EOVERFLOW,
		                "%lld lists of length %lld have more entries than memory has bytes",
		                (long long)a->lists, (long long)a->n);
	if (a->lists > 0)
		EK_RETURN_IF(arguments_check(a));
	return eki_array_call(ctx, options, a->lists * a->n, a);
}

ek_status ek_kselect(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t lists,
                     int64_t length, int64_t k, const void *in, void *kth, void *smallest)
{
	eki_array a = {.type = type,
	               .lists = lists,
	               .n = length,
	               .k = k,
	               .in = in,
	               .out = kth,
	               .smallest = smallest};

	return call(ctx, options, &a);
}

ek_status ek_adheap_replay(ek_context *ctx, const ek_array_options *options, ek_value type,
                           int64_t lists, int64_t length, int64_t k, const void *in,
                           int64_t updates, const int64_t *first, const int64_t *path)
{
	ek_array_options o = {.size = sizeof o};
	eki_array a = {.type = type,
	               .lists = lists,
	               .n = length,
	               .k = k,
	               .in = in,
	               .replay = true,
	               .updates = updates,
	               .first = first,
	               .path = path};

	EK_RETURN_IF(eki_context_check(ctx));
	if (!ctx->device)
		return eki_fail(EK_EDEVICE, "a replay needs a device, and the context has none");
	if (options)
		EK_RETURN_IF(EKI_STRUCT_IN("options", ek_array_options, options, &o));
	o.method = "kselect.adheap.gpu";
	return call(ctx, &o, &a);
}

const eki_operation eki_op_kselect = {
	.name = "kselect",
	.text = "the k smallest of each list",
	.number = EK_KSELECT,
};
