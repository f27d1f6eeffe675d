/* SPDX-License-Identifier: BSD-3-Clause
 * Names of methods in options, and lists of such names. A name may begin with the operation and end
 * with parameters, as in "csr.adaptive.gpu:block=2048". */
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

/* Ends the program with a message that proposes the nearest method. Names are compared without the
 * operation, with which any two names would be similar. */
static _Noreturn void no_method(ek_operation operation, const char *name)
{
	const char *prefix = ek_operation_name(operation), *near = NULL, *text;
	const ek_method *elsewhere = NULL, *full = NULL;
	int same = 0;
	size_t len = strlen(prefix);
	char word[TOOL_METHOD];

	text = strncmp(name, prefix, len) == 0 && name[len] == '.' ? name + len + 1 : name;
	snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":"), text);
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		const char *of = ek_operation_name(ek_method_operation(m));
		const char *short_name = ek_method_name(m) + strlen(of) + 1;

		if (ek_method_operation(m) == operation)
			near = tool_nearer(word, near, short_name);
		else if (strncmp(ek_method_name(m), name, strcspn(name, ":")) == 0 &&
		         !ek_method_name(m)[strcspn(name, ":")])
			full = m;
		else if (strcmp(short_name, word) == 0) {
			same++;
			elsewhere = m;
		}
	}
	if (near && !full)
		tool_usage("there is no method \"%s\"; did you mean %s.%s? ek list methods has all",
		           name, prefix, near);
	if (full || same == 1) {
		elsewhere = full ? full : elsewhere;
		tool_usage("method %s is for %s, not for %s; ek list methods has all, auto "
		           "chooses one",
		           ek_method_name(elsewhere),
		           ek_operation_name(ek_method_operation(elsewhere)), prefix);
	}
	tool_usage("there is no method \"%s\" for %s; ek list methods has all, auto chooses one",
	           name, prefix);
}

bool tool_chooses(const char *name)
{
	return strcmp(name, "auto") == 0 || strcmp(name, "learned") == 0;
}

const char *tool_method_of(ek_operation operation, const char *name)
{
	static char full[TOOL_METHOD];
	const char *prefix = ek_operation_name(operation);

	if (!name || strcmp(name, "auto") == 0 || method_of(operation, name) ||
	    (operation == EK_SPMV && tool_chooses(name)))
		return name;
	if ((size_t)snprintf(full, sizeof full, "%s.%s", prefix, name) >= sizeof full)
		tool_usage("--method %s: a method with parameters has at most %d characters", name,
		           TOOL_METHOD - 1);
	if (method_of(operation, full))
		return full;
	no_method(operation, name);
}

const char *tool_one_method(ek_operation operation, const char *name)
{
	if (name && strcmp(name, "all") == 0)
		tool_usage("--method all: one method or auto is expected; ek list methods has all");
	return tool_method_of(operation, name);
}

const char *tool_method(const char *name)
{
	return tool_method_of(EK_SPMV, name);
}

bool tool_method_next(const char **list, char word[TOOL_METHOD])
{
	return tool_method_next_of(EK_SPMV, list, word);
}

bool tool_method_next_of(ek_operation operation, const char **list, char word[TOOL_METHOD])
{
	const char *at = *list + strspn(*list, ",");
	size_t len = tool_item(at);
	char text[TOOL_METHOD];

	if (!len)
		return false;
	if ((size_t)snprintf(text, sizeof text, "%.*s", (int)len, at) >= sizeof text)
		tool_usage("--method %s: a method with parameters has at most %d characters", at,
		           TOOL_METHOD - 1);
	snprintf(word, TOOL_METHOD, "%s", tool_method_of(operation, text));
	*list = at + len;
	return true;
}

bool tool_on_device(const ek_context *ctx)
{
	ek_device_info info = {.size = sizeof info};

	return ek_context_get_device(ctx, &info) == EK_OK;
}

bool tool_on_both(const struct tool_options *options)
{
	const char *name = options->device ? options->device : getenv("EK_DEVICE");

	return name && strncmp(name, "cpu+", 4) == 0;
}

bool tool_method_on_both(const char *text)
{
	const ek_method *m = text ? tool_method_find(text) : NULL;

	return m && strcmp(ek_method_device(m), "cpu+gpu") == 0;
}

bool tool_method_on_device(const char *text)
{
	const ek_method *m = text ? tool_method_find(text) : NULL;

	return m && strcmp(ek_method_device(m), "gpu") == 0;
}
