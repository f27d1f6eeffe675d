/* SPDX-License-Identifier: BSD-3-Clause
 * What stands before the text of a kernel: its parameters, and prelude.cl; texts of two files. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_prelude, "gpu/prelude.cl");

void eki_program_types(ek_value value, ek_index index, char *defines, size_t size)
{
	snprintf(defines, size, "%s#define VAL %s\n#define PTR %s\n#define IDX %s\n",
	         value == EK_F64 ? "#define EK_F64\n" : "", value == EK_F64 ? "double" : "float",
	         index == EK_I32 ? "int" : "ek_i64", index == EK_I64 ? "ek_i64" : "int");
}

ek_status eki_program_text(const ek_context *ctx, const char *defines, const char *text,
                           char **full, int64_t *bytes)
{
	const size_t length = strlen(defines) + strlen(eki_cl_prelude) + strlen(text) + 1;
	void *block;

	EK_RETURN_IF(eki_alloc(ctx, (int64_t)length, 1, &block));
	snprintf(block, length, "%s%s%s", defines, eki_cl_prelude, text);
	*full = block;
	*bytes = (int64_t)length;
	return EK_OK;
}

ek_status eki_program_join(const ek_context *ctx, const char *first, const char *second,
                           char **joint, int64_t *bytes)
{
	const size_t length = strlen(first) + strlen(second) + 1;
	void *block;

	EK_RETURN_IF(eki_alloc(ctx, (int64_t)length, 1, &block));
	snprintf(block, length, "%s%s", first, second);
	*joint = block;
	*bytes = (int64_t)length;
	return EK_OK;
}
#endif
