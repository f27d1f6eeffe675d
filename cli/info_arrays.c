/* SPDX-License-Identifier: BSD-3-Clause
 * Prints the names, sizes and contents of the arrays of a matrix in any format. The names come from
 * the table of formats. Short entries of all arrays get the same width, so that a value is below
 * its column index. Single bytes and words of bits are in hexadecimal. */
#include <string.h>

#include "info.h"

static bool array_at(const ek_matrix *A, const char *format, int k, const char **name,
                     ek_view *view)
{
	*name = ek_format_array(ek_format_find(format), k);
	return *name && ek_matrix_array(A, *name, view) == EK_OK;
}

void info_storage(const ek_matrix *A, const ek_matrix_info *info, FILE *out)
{
	char format[TOOL_FORMAT], total[32], bytes[32], len[32];
	const char *name;
	ek_view view = {.size = sizeof view};

	tool_format_text(info, format);
	fprintf(out, "%s: %s\n", format, tool_bytes(total, (double)info->bytes));
	for (int k = 0; array_at(A, info->format, k, &name, &view); k++)
		fprintf(out, "  %-15s %s of %zu bytes: %s\n", name, tool_count(len, view.len),
		        view.elem_size,
		        tool_bytes(bytes, (double)view.len * (double)view.elem_size));
}

void info_storage_json(const ek_matrix *A, const ek_matrix_info *info, json_t *record)
{
	json_t *arrays = json_object();
	const char *name;
	ek_view view = {.size = sizeof view};

	for (int k = 0; array_at(A, info->format, k, &name, &view); k++)
		json_object_set_new(
			arrays, name,
			json_integer((json_int_t)view.len * (json_int_t)view.elem_size));
	json_object_set_new(record, "array_bytes", arrays);
}

/* ---- Contents -------------------------------------------------------------------------------- */

static int entry_text(const ek_view *v, int64_t k, char text[40])
{
	switch (v->type) {
	case EK_F32: return snprintf(text, 40, "%g", (double)((const float *)v->data)[k]);
	case EK_F64: return snprintf(text, 40, "%g", ((const double *)v->data)[k]);
	case EK_INT32: return snprintf(text, 40, "%d", (int)((const int32_t *)v->data)[k]);
	case EK_INT64: return snprintf(text, 40, "%lld", (long long)((const int64_t *)v->data)[k]);
	}
	if (v->elem_size == 1)
		return snprintf(text, 40, "%02x", (unsigned)((const uint8_t *)v->data)[k]);
	if (v->elem_size == 2)
		return snprintf(text, 40, "%u", (unsigned)((const uint16_t *)v->data)[k]);
	return snprintf(text, 40, "%08x", (unsigned)((const uint32_t *)v->data)[k]);
}

/* Returns the number of characters of the longest entry of an array. */
static int entry_width(const ek_view *v)
{
	char text[40];
	int width = 0;

	for (int64_t k = 0; k < v->len; k++) {
		int len = entry_text(v, k, text);

		width = len > width ? len : width;
	}
	return width;
}

static void print_array(const char *name, const ek_view *v, int entry, int width, FILE *out)
{
	char text[40];

	fprintf(out, "%-12s %6lld bytes", name, (long long)v->len * (long long)v->elem_size);
	for (int64_t k = 0; k < v->len; k++) {
		if (k % width == 0)
			fprintf(out, "%s%*s", k ? "\n" : "", k ? 26 : 1, "");
		entry_text(v, k, text);
		fprintf(out, " %*s", entry, text);
	}
	fputc('\n', out);
}

int info_arrays(const ek_matrix *A, int width, FILE *out)
{
	/* Arrays whose entries have at most COMMON characters get the same width. Longer entries,
	 * mostly words of bits, widen only their own array. */
	enum { COMMON = 4 };
	ek_matrix_info info = {.size = sizeof info};
	int code = tool_check(ek_matrix_get_info(A, &info)), common = 0;
	char format[TOOL_FORMAT];
	const char *name;
	ek_view view = {.size = sizeof view};

	if (code != TOOL_OK)
		return code;
	for (int k = 0; array_at(A, info.format, k, &name, &view); k++) {
		int entry = entry_width(&view);

		if (entry <= COMMON)
			common = entry > common ? entry : common;
	}
	tool_format_text(&info, format);
	fprintf(out, "%s, %lld bytes\n", format, (long long)info.bytes);
	for (int k = 0; array_at(A, info.format, k, &name, &view); k++) {
		int entry = entry_width(&view);

		print_array(name, &view, entry > common ? entry : common, width, out);
	}
	return TOOL_OK;
}
