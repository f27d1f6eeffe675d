/* SPDX-License-Identifier: BSD-3-Clause
 * Storage formats in the tool: their names in options and records, and conversions between them,
 * with messages that say how to raise a limit. */
#define _GNU_SOURCE /* for memrchr */
#include <stdlib.h>
#include <string.h>

#include "ek.h"

const char *tool_format(const char *what, const char *text)
{
	const char *near = NULL;
	char word[64];

	snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":"), text);
	if (ek_format_find(word))
		return text;
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		near = tool_nearer(word, near, ek_format_name(f));
	if (near)
		tool_usage("%s %s: there is no such format; did you mean %s? ek list formats has "
		           "all",
		           what, text, near);
	tool_usage("%s %s: there is no such format; ek list formats has all", what, text);
}

/* Returns the ending of a file's name, copied to `word`. It begins at the last dot; a final .gz,
 * .xz or .zst is ignored. Returns "" if there is no ending, as in "matrix" or ".matrix". */
static const char *ending(const char *path, char word[64])
{
	static const char *const packed[] = {".gz", ".xz", ".zst"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot;
	size_t len = strlen(name);

	for (size_t k = 0; k < sizeof packed / sizeof *packed; k++) {
		const size_t end = strlen(packed[k]);

		if (len > end && strcmp(name + len - end, packed[k]) == 0) {
			len -= end;
			break;
		}
	}
	dot = memrchr(name, '.', len);
	snprintf(word, 64, "%.*s", dot && dot > name ? (int)(name + len - dot) : 0, dot ? dot : "");
	return word;
}

const char *tool_output_form(const char *path, const char *form)
{
	char end[64];
	const char *name = ending(path, end);

	if (form && strcmp(form, "mtx") != 0 && strcmp(form, "ekm") != 0)
		tool_usage("--form %s: one of mtx, ekm is expected", form);
	if (form || !*name)
		return form;
	if (strcmp(name, ".mtx") == 0)
		return "mtx";
	if (strcmp(name, ".ekm") == 0)
		return "ekm";
	tool_usage("-o %s: NAME.mtx or NAME.ekm, perhaps with .gz, .xz or .zst, is expected, or "
	           "--form mtx|ekm",
	           path);
}

void tool_output_vector(const char *path)
{
	char end[64];

	if (ending(path, end)[0] && strcmp(end, ".mtx") != 0)
		tool_usage(
			"-o %s: vectors are written as Matrix Market text; NAME.mtx or NAME.mtx.gz "
			"(.xz, .zst) is expected",
			path);
}

size_t tool_item(const char *list)
{
	size_t len = strcspn(list, ",");

	while (list[len]) {
		const char *next = list + len + 1;

		if (next[strcspn(next, ":=,")] != '=')
			break;
		len += 1 + strcspn(next, ",");
	}
	return len;
}

bool tool_format_next(const char *what, const char **list, char word[TOOL_FORMAT])
{
	const char *at = *list + strspn(*list, ",");
	size_t len = tool_item(at);

	if (!*at)
		return false;
	if ((size_t)snprintf(word, TOOL_FORMAT, "%.*s", (int)len, at) >= TOOL_FORMAT)
		tool_usage("%s %s: a format with parameters has at most %d characters", what, at,
		           TOOL_FORMAT - 1);
	tool_format(what, word);
	*list = at + len;
	return true;
}

void tool_format_list(const char *what, const char *list)
{
	char word[TOOL_FORMAT];
	int count = 0;

	if (!list)
		return;
	while (tool_format_next(what, &list, word))
		count++;
	if (!count)
		tool_usage("%s: a format is expected (ek list formats)", what);
}

int tool_limited(ek_status status, const char *how)
{
	if (status != EK_ELIMIT)
		return tool_check(status);
	return tool_fail(TOOL_FAILED, "%s; %s", ek_error_text(), how);
}

int tool_convert(const char *format, int64_t max_bytes, const char *how, ek_matrix **A)
{
	ek_convert_options options = {.size = sizeof options, .max_bytes = max_bytes};
	ek_matrix *B = NULL;
	int code = tool_limited(ek_matrix_convert(*A, format, &options, &B), how);

	if (code == TOOL_OK) {
		ek_matrix_destroy(*A);
		*A = B;
	}
	return code;
}

int tool_csr(ek_matrix **A)
{
	ek_matrix_info info = {.size = sizeof info};
	int code = tool_check(ek_matrix_get_info(*A, &info));

	if (code != TOOL_OK || strcmp(info.format, "csr") == 0)
		return code;
	return tool_convert("csr", -1, "", A);
}

void tool_format_text(const ek_matrix_info *info, char text[TOOL_FORMAT])
{
	const ek_format *format = ek_format_find(info->format);
	const ek_format_param *param;
	size_t used = (size_t)snprintf(text, TOOL_FORMAT, "%s", info->format);

	for (int k = 0; (param = ek_format_get_param(format, k)) && used < TOOL_FORMAT; k++)
		used += (size_t)snprintf(text + used, TOOL_FORMAT - used, "%s%s=%lld",
		                         k ? "," : ":", param->name, (long long)info->dim[k]);
}

json_t *tool_json_parameters(const char *text)
{
	json_t *parameters = json_object();

	for (const char *at = text; *at; at += *at == ',') {
		const size_t len = strcspn(at, "=");
		char key[64];

		snprintf(key, sizeof key, "%.*s", (int)len, at);
		if (at[len])
			json_object_set_new(parameters, key, json_integer(atoll(at + len + 1)));
		at += strcspn(at, ",");
	}
	return parameters;
}

void tool_json_format(json_t *record, const char *text)
{
	const size_t len = text ? strcspn(text, ":") : 0;

	json_object_set_new(record, "format", text ? json_stringn(text, len) : json_null());
	json_object_set_new(record, "parameters",
	                    tool_json_parameters(text && text[len] ? text + len + 1 : ""));
}
