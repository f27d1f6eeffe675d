/* SPDX-License-Identifier: BSD-3-Clause
 * ek_array_add: checks of its arguments. The methods are in the files array_add_*.c. */
#include "prim/prim.h"

ek_status ek_array_add(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t n,
                       const void *a, const void *b, void *out)
{
	eki_array args = {.operation = EK_ARRAY_ADD,
	                  .type = type,
	                  .n = n,
	                  .a = ek_key_value(type, 0, n, a, NULL),
	                  .b = ek_key_value(type, 0, n, b, NULL),
	                  .out = out};
	const size_t size = ek_value_size(type);

	EK_RETURN_IF(eki_number_check(type));
	EK_RETURN_IF(eki_length_check("n", n));
	EK_RETURN_IF(eki_array_check("a", a, n, size));
	EK_RETURN_IF(eki_array_check("b", b, n, size));
	EK_RETURN_IF(eki_array_check("out", out, n, size));
	if (a != out)
		EK_RETURN_IF(eki_overlap_check("a", a, n, "out", out, n, size));
	if (b != out)
		EK_RETURN_IF(eki_overlap_check("b", b, n, "out", out, n, size));
	return eki_array_call(ctx, options, n, &args);
}

const eki_operation eki_op_array_add = {
	.name = "array_add",
	.text = "the sum of two arrays, entry by entry",
	.number = EK_ARRAY_ADD,
};
