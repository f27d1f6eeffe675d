/* SPDX-License-Identifier: BSD-3-Clause
 * Who takes part in a measurement: what --method, --format, --sweep and --peers name, or all that
 * there is for the processor or, with --device, for the device. */
#include <string.h>

#include "bench_field.h"

/* Is it for where the measurement takes place? */
static bool here(const struct field *f, const ek_method *m)
{
	return ek_method_operation(m) == EK_SPMV &&
	       strcmp(ek_method_device(m), tool_on_device(f->run->ctx) ? "gpu" : "cpu") == 0;
}

static bool can(const struct field *f, const ek_method *m)
{
	return here(f, m) && ek_method_supports(m, f->problem->op, f->problem->reproducible);
}

/* NULL, which is as the method wants, auto and no method fit all. */
static bool fit(const ek_method *m, const char *format)
{
	size_t len = format ? strcspn(format, ":") : 0;
	const char *of = ek_method_format(m);

	return !m || !format || (strncmp(of, format, len) == 0 && !of[len]);
}

bool has_methods(const struct field *f, const char *format)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (here(f, m) && fit(m, format))
			return true;
	return false;
}

const char *plain_csr(const struct field *f)
{
	const char *unit = unit_method(tool_on_device(f->run->ctx));
	const ek_method *m = ek_method_find(unit);

	return m && can(f, m) ? unit : "spmv.csr.serial";
}

/* The methods that were named, as far as they fit. */
static int enter_named(struct field *f, const char *names, const char *format)
{
	char name[TOOL_METHOD];
	int code = TOOL_OK;

	while (!code && tool_method_next(&names, name))
		if (fit(tool_method_find(name), format))
			code = enter_ours(f, name, format, false);
	return code;
}

/* All methods, or those for one format; what has none by auto. */
static int enter_methods(struct field *f, const char *format)
{
	int code = TOOL_OK;

	if (!has_methods(f, format))
		return enter_ours(f, "auto", format, false);

	for (const ek_method *m = NULL; !code && (m = ek_method_next(m));)
		if (can(f, m) && fit(m, format))
			code = enter_ours(f, ek_method_name(m), format, false);
	return code;
}

static const char *no_method(const struct field *f, const char *names)
{
	const struct problem *p = f->problem;

	return names                                ? "none of --method multiplies with it"
	       : p->reproducible == EK_REPRO_STRICT ? "no method of it has reproducible bits"
	                                            : "no method of it does this op";
}

/* Each format of --format with its methods; what has no partner is refused. */
static int enter_formats(struct field *f, const char *names, const char *formats)
{
	char format[TOOL_FORMAT], name[TOOL_METHOD];
	int code = TOOL_OK;

	for (const char *list = formats; !code && tool_format_next("--format", &list, format);) {
		int count = f->contenders;

		code = names ? enter_named(f, names, format) : enter_methods(f, format);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(format, ":"), format);
		if (!code && f->contenders == count)
			code = refuse(f, name, format, no_method(f, names));
	}
	for (const char *list = names; !code && list && tool_method_next(&list, name);) {
		const ek_method *m = tool_method_find(name);
		bool partner = false;

		for (const char *at = formats; tool_format_next("--format", &at, format);)
			partner |= fit(m, format);
		if (!partner)
			code = refuse(f, name, NULL, "it multiplies with none of --format");
	}
	return code;
}

static bool entered(const struct field *f, const char *method)
{
	for (int k = 0; k < f->contenders; k++)
		if (strcmp(f->contender[k].record.method, method) == 0)
			return true;
	return false;
}

/* CSC has no methods anywhere: those of CSR multiply with it, and the one that auto takes stands
 * for it. */
static bool without_methods(const ek_format *format)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (ek_method_operation(m) == EK_SPMV && fit(m, ek_format_name(format)))
			return false;
	return true;
}

static int enter_everything(struct field *f)
{
	int code = enter_methods(f, NULL);

	for (const ek_format *format = NULL; !code && (format = ek_format_next(format));)
		if (without_methods(format))
			code = enter_ours(f, "auto", ek_format_name(format), false);
	return code ? code : enter_ours(f, "auto", NULL, false);
}

int enter_all(struct field *f)
{
	const struct tool_options *o = &f->run->options->common;
	const char *names = o->method && strcmp(o->method, "all") != 0 ? o->method : NULL;
	const char *csr = plain_csr(f);
	int code;

	if (o->format)
		code = enter_formats(f, names, o->format);
	else if (names)
		code = enter_named(f, names, NULL);
	else
		code = enter_everything(f);
	if (!code && !entered(f, csr))
		code = enter_ours(f, csr, NULL, true);
	for (int k = 0; !code && k < f->run->peers->count; k++)
		if (!f->run->peers->peer[k]->device == !f->device.ctx)
			enter_peer(f, f->run->peers->peer[k]);
	return code;
}
