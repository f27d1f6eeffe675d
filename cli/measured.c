/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmv, ek spmm and ek multiply with --measure and --wisdom: the library tries methods in the
 * first runs, and a file keeps what it decided for the next time. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "measured.h"

enum { TEXT = 1 << 14 };

void measured_check(const struct measured_options *o, const struct tool_options *common,
                    const char *needs)
{
	const char *option = o->wisdom ? "--wisdom" : "--measure";

	if (!o->on)
		return;
	if (o->wisdom && !*o->wisdom)
		tool_usage("--wisdom needs the name of a file");
	if (needs)
		tool_usage("%s needs %s: the trials are the first of several runs", option, needs);
	if (common->reproducible == EK_REPRO_STRICT)
		tool_usage("%s and --reproducible do not go together", option);
	if (common->method && strcmp(common->method, "auto") != 0)
		tool_usage("%s and --method do not go together", option);
}

/* Tells whether a file can be written or, if there is none, made in its folder. */
static bool writable(const char *path)
{
	char folder[4096];
	const char *slash = strrchr(path, '/');

	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0;
	if (!slash)
		return access(".", W_OK) == 0;
	if (snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path) >=
	    (int)sizeof folder) {
		errno = ENAMETOOLONG;
		return false;
	}
	return access(folder, W_OK) == 0;
}

int measured_load(ek_context *ctx, const struct measured_options *o)
{
	if (!o->wisdom)
		return TOOL_OK;
	/* Before the products, whose times would be lost if the file could not be written. */
	if (!writable(o->wisdom))
		return tool_fail(TOOL_FAILED, "%s: cannot be written: %s", o->wisdom,
		                 strerror(errno));
	return access(o->wisdom, F_OK) == 0 ? tool_input(ek_wisdom_load(ctx, o->wisdom)) : TOOL_OK;
}

int measured_save(ek_context *ctx, const struct measured_options *o)
{
	return o->wisdom ? tool_check(ek_wisdom_save(ctx, o->wisdom)) : TOOL_OK;
}

void measured_print(const struct measured_options *o, const ek_plan *plan, FILE *out)
{
	static char text[TEXT];
	const char *from;

	if (o->on && ek_plan_explain(plan, text, sizeof text) == EK_OK &&
	    (from = strstr(text, "\nmeasured ")))
		fprintf(out, "%s", from + 1);
}
