/* SPDX-License-Identifier: BSD-3-Clause
 * ek_scan: checks of its arguments. The methods are in the files scan_*.c. */
#include "prim/prim.h"

ek_status ek_scan(ek_context *ctx, const ek_array_options *options, ek_value type, ek_monoid op,
                  ek_scan_kind kind, int64_t n, const void *in, void *out)
{
	eki_array a = {.operation = EK_SCAN,
	               .type = type,
	               .op = op,
	               .kind = kind,
	               .n = n,
	               .in = in,
	               .out = out,
	               .handles = eki_array_handles(ctx, options)};
	size_t size = ek_value_size(type);

	EK_RETURN_IF(eki_number_check(type));
	EK_RETURN_IF(eki_monoid_check(op, type));
	EK_RETURN_IF(eki_kind_check(kind));
	EK_RETURN_IF(eki_length_check("n", n));
	EK_RETURN_IF(eki_array_check("in", in, n, size));
	EK_RETURN_IF(eki_array_check("out", out, n, size));
	if (in != out)
		EK_RETURN_IF(eki_array_overlap(a.handles, "in", in, n, "out", out, n, size));
	return eki_array_call(ctx, options, n, &a);
}

const eki_operation eki_op_scan = {
	.name = "scan",
	.text = "the prefix sums, maxima or minima of an array",
	.number = EK_SCAN,
};
