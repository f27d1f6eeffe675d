/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmv and ek spmm with --measure and --wisdom: the library tries methods in the first runs, and
 * a file keeps what it decided for the next time. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "product.h"

enum { TEXT = 1 << 14 };

void product_measure_check(const struct product_options *o)
{
	const char *option = o->wisdom ? "--wisdom" : "--measure";

	if (!o->measure)
		return;
	if (o->wisdom && !*o->wisdom)
		tool_usage("--wisdom needs the name of a file");
	if (!o->common.calls)
		tool_usage("%s needs --calls: the trials are the first of the calls", option);
	if (o->common.reproducible == EK_REPRO_STRICT)
		tool_usage("%s and --reproducible do not go together", option);
	if (o->common.method && strcmp(o->common.method, "auto") != 0)
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

int product_wisdom_load(ek_context *ctx, const struct product_options *o)
{
	if (!o->wisdom)
		return TOOL_OK;
	/* Before the products, whose times would be lost if the file could not be written. */
	if (!writable(o->wisdom))
		return tool_fail(TOOL_FAILED, "%s: cannot be written: %s", o->wisdom,
		                 strerror(errno));
	return access(o->wisdom, F_OK) == 0 ? tool_input(ek_wisdom_load(ctx, o->wisdom)) : TOOL_OK;
}

int product_wisdom_save(ek_context *ctx, const struct product_options *o)
{
	return o->wisdom ? tool_check(ek_wisdom_save(ctx, o->wisdom)) : TOOL_OK;
}

void product_measure_print(const ek_plan *plan, FILE *out)
{
	static char text[TEXT];
	const char *from;

	if (ek_plan_explain(plan, text, sizeof text) == EK_OK &&
	    (from = strstr(text, "\nmeasured ")))
		fprintf(out, "%s", from + 1);
}
