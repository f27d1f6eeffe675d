/* SPDX-License-Identifier: BSD-3-Clause
 * Names of methods in options: without the operation in front, with parameters behind, as
 * "csr.adaptive.gpu:block=2048", and in lists. */
#include <string.h>

#include "ek.h"

const ek_method *tool_method_find(const char *text)
{
	char name[TOOL_METHOD];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
	return ek_method_find(name);
}

static bool method_of(ek_operation operation, const char *text)
{
	const ek_method *m = tool_method_find(text);

	return m && ek_method_operation(m) == operation;
}

/* The operation in front would make any two names alike, so it is left out on both sides. */
static _Noreturn void no_method(ek_operation operation, const char *name)
{
	const char *prefix = ek_operation_name(operation), *names[256], *near, *text;
	size_t len = strlen(prefix);
	char word[TOOL_METHOD];
	int count = 0;

	for (const ek_method *m = NULL; count < 256 && (m = ek_method_next(m));)
		if (ek_method_operation(m) == operation)
			names[count++] = ek_method_name(m) + len + 1;
	text = strncmp(name, prefix, len) == 0 && name[len] == '.' ? name + len + 1 : name;
	snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":"), text);
	near = tool_nearest(word, names, count);
	if (near)
		tool_usage("there is no method \"%s\"; did you mean %s.%s? ek list methods has all",
		           name, prefix, near);
	tool_usage("there is no method \"%s\" for %s; ek list methods has all, auto chooses one",
	           name, prefix);
}

const char *tool_method_of(ek_operation operation, const char *name)
{
	static char full[TOOL_METHOD];
	const char *prefix = ek_operation_name(operation);

	if (!name || strcmp(name, "auto") == 0 || method_of(operation, name))
		return name;
	if ((size_t)snprintf(full, sizeof full, "%s.%s", prefix, name) >= sizeof full)
		tool_usage("--method %s: a method with parameters has at most %d characters", name,
		           TOOL_METHOD - 1);
	if (method_of(operation, full))
		return full;
	no_method(operation, name);
}

const char *tool_method(const char *name)
{
	return tool_method_of(EK_SPMV, name);
}

bool tool_method_next(const char **list, char word[TOOL_METHOD])
{
	const char *at = *list + strspn(*list, ",");
	size_t len = tool_item(at);
	char text[TOOL_METHOD];

	if (!len)
		return false;
	if ((size_t)snprintf(text, sizeof text, "%.*s", (int)len, at) >= sizeof text)
		tool_usage("--method %s: a method with parameters has at most %d characters", at,
		           TOOL_METHOD - 1);
	snprintf(word, TOOL_METHOD, "%s", tool_method(text));
	*list = at + len;
	return true;
}

bool tool_on_device(const ek_context *ctx)
{
	ek_device_info info = {.size = sizeof info};

	return ek_context_get_device(ctx, &info) == EK_OK;
}

bool tool_method_on_device(const char *text)
{
	const ek_method *m = text ? tool_method_find(text) : NULL;

	return m && strcmp(ek_method_device(m), "gpu") == 0;
}
