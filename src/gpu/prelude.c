/* SPDX-License-Identifier: BSD-3-Clause
 * Makes the text of a program: lines that define its parameters, then prelude.cl, then the kernels.
 * Lines that include a text of the table bodies.def are replaced by that text. Also joins the
 * texts of two files. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_prelude, "gpu/prelude.cl");
#define BODY(name, file) EKI_KERNEL_TEXT(name, file);
#include "gpu/bodies.def"
#undef BODY

static const struct {
	const char *line, *text;
} body[] = {
#define BODY(name, file) {"#include \"" file "\"\n", name},
#include "gpu/bodies.def"
#undef BODY
};

void eki_program_types(ek_value value, ek_index index, char *defines, size_t size)
{
	snprintf(defines, size, "%s#define VAL %s\n#define PTR %s\n#define IDX %s\n",
	         value == EK_F64 ? "#define EK_F64\n" : "", value == EK_F64 ? "double" : "float",
	         index == EK_I32 ? "int" : "ek_i64", index == EK_I64 ? "ek_i64" : "int");
}

/* Returns the length of `text` once each line that includes a body of a primitive is replaced by
 * that body. Writes the resulting text to `to`, without a final 0, unless `to` is NULL. */
static size_t expand(const char *text, char *to)
{
	size_t length = 0;

	while (*text) {
		const char *piece = text;
		size_t n = 1 + strcspn(text + 1, "#");

		text += n;
		for (size_t k = 0; *piece == '#' && k < EKI_COUNT(body); k++)
			if (strncmp(piece, body[k].line, strlen(body[k].line)) == 0) {
				text = piece + strlen(body[k].line);
				piece = body[k].text;
				n = strlen(piece);
				break;
			}
		if (to)
			memcpy(to + length, piece, n);
		length += n;
	}
	return length;
}

ek_status eki_program_text(const ek_context *ctx, const char *defines, const char *text,
                           char **full, int64_t *bytes)
{
	const size_t head = strlen(defines) + strlen(eki_cl_prelude);
	const size_t length = head + expand(text, NULL) + 1;
	void *block;

	EK_RETURN_IF(eki_alloc(ctx, (int64_t)length, 1, &block));
	snprintf(block, head + 1, "%s%s", defines, eki_cl_prelude);
	*full = block;
	(*full)[head + expand(text, *full + head)] = '\0';
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
