/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmv and ek spmm with --measure and --wisdom: the library tries methods in the first runs, and
 * a file keeps what it decided for the next time. */
#include <string.h>
#include <unistd.h>

#include "product.h"

enum { TEXT = 1 << 14 };

void product_measure_check(const struct product_options *o)
{
	const char *option = o->wisdom ? "--wisdom" : "--measure";

	if (!o->measure)
		return;
	if (!o->common.calls)
		tool_usage("%s needs --calls: the trials are the first of the calls", option);
	if (o->common.reproducible == EK_REPRO_STRICT)
		tool_usage("%s and --reproducible do not go together", option);
	if (o->common.method && strcmp(o->common.method, "auto") != 0)
		tool_usage("%s and --method do not go together", option);
}

int product_wisdom_load(ek_context *ctx, const struct product_options *o)
{
	if (!o->wisdom || access(o->wisdom, F_OK) != 0)
		return TOOL_OK;
	return tool_input(ek_wisdom_load(ctx, o->wisdom));
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
