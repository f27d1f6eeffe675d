/* SPDX-License-Identifier: BSD-3-Clause
 * ek_reduce: checks of its arguments. The methods are in the files reduce_*.c. */
#include "prim/prim.h"

ek_status ek_reduce(ek_context *ctx, const ek_array_options *options, ek_value type, ek_monoid op,
                    int64_t n, const void *in, void *result)
{
	eki_array a = {
		.operation = EK_REDUCE, .type = type, .op = op, .n = n, .in = in, .out = result};

	EK_RETURN_IF(eki_number_check(type));
	EK_RETURN_IF(eki_monoid_check(op, type));
	EK_RETURN_IF(eki_length_check("n", n));
	EK_RETURN_IF(eki_array_check("in", in, n, ek_value_size(type)));
	EK_RETURN_IF(eki_array_check("result", result, 1, ek_value_size(type)));
	a.handles = eki_array_handles(ctx, options);
	EK_RETURN_IF(eki_array_overlap(a.handles, "in", in, n, "result", result, 1,
	                               ek_value_size(type)));
	if (!in)
		a.in = result; /* methods may add 0 to a.in, which C17 does not allow for NULL */
	/* n + 1 is never 0, so the method runs for an empty array too and gives the identity. */
	return eki_array_call(ctx, options, n + 1, &a);
}

const eki_operation eki_op_reduce = {
	.name = "reduce",
	.text = "the sum, maximum, minimum or union of bits of an array",
	.number = EK_REDUCE,
};
