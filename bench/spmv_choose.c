/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses the methods in a measurement of products: those that --method and --format name, or else
 * all methods for the processor or, with --device, for the device. */
#include <string.h>

#include "spmv.h"

const char *unit_method(bool device)
{
	return device ? "spmv.csr.vector.gpu" : "spmv.csr.rows";
}

/* Tells whether a method has the operation and runs where the measurement takes place. */
static bool here(const struct field *f, const ek_method *m)
{
	return ek_method_operation(m) == f->bench->op->operation &&
	       strcmp(ek_method_device(m), tool_on_device(f->bench->ctx) ? "gpu" : "cpu") == 0;
}

static bool can(const struct field *f, const ek_method *m)
{
	return here(f, m) &&
	       ek_method_supports(m, f->bench->o.common.op, f->bench->o.common.reproducible);
}

/* Tells whether a method can use a format. It can if the format is NULL, which is the method's own,
 * if the method is NULL, which is auto, and if the method takes any format. */
static bool fit(const ek_method *m, const char *format)
{
	size_t len = format ? strcspn(format, ":") : 0;
	const char *of = ek_method_format(m);

	return !m || !format || strcmp(of, "any") == 0 ||
	       (strncmp(of, format, len) == 0 && !of[len]);
}

bool has_methods(const struct field *f, const char *format, bool anywhere)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (ek_method_operation(m) == f->bench->op->operation && (anywhere || here(f, m)) &&
		    fit(m, format))
			return true;
	return false;
}

const char *spmv_unit(const struct field *f)
{
	const char *unit = unit_method(tool_on_device(f->bench->ctx));
	const ek_method *m = ek_method_find(unit);

	return m && ek_method_supports(m, f->bench->o.common.op, f->bench->o.common.reproducible)
	               ? unit
	               : "spmv.csr.serial";
}

/* Enters those of the named methods that fit the format. */
static int enter_named(struct field *f, const char *names, const char *format)
{
	char name[TOOL_METHOD];
	int code = TOOL_OK;

	while (!code && tool_method_next_of(f->bench->op->operation, &names, name))
		if (fit(tool_method_find(name), format))
			code = enter_ours(f, f->bench->op->operation, name, format, false);
	return code;
}

/* Enters the methods for a format, or all if that is NULL. A format without methods is entered with
 * auto. */
static int enter_methods(struct field *f, const char *format)
{
	int code = TOOL_OK;

	if (!has_methods(f, format, false))
		return enter_ours(f, f->bench->op->operation, "auto", format, false);

	for (const ek_method *m = NULL; !code && (m = ek_method_next(m));)
		if (can(f, m) && fit(m, format))
			code = enter_ours(f, f->bench->op->operation, ek_method_name(m), format,
			                  false);
	return code;
}

static const char *no_method(const struct field *f, const char *names)
{
	const struct problem *p = f->problem;

	return names                                ? "none of --method multiplies with it"
	       : p->reproducible == EK_REPRO_STRICT ? "no method of it has reproducible bits"
	                                            : "no method of it does this op";
}

/* Enters each format of --format with the methods for it. Enters as refused the formats that no
 * method uses, and the methods that use no format. */
static int enter_formats(struct field *f, const char *names, const char *formats)
{
	char format[TOOL_FORMAT], name[TOOL_METHOD];
	int code = TOOL_OK;

	for (const char *list = formats; !code && tool_format_next("--format", &list, format);) {
		int count = f->entrants;

		code = names ? enter_named(f, names, format) : enter_methods(f, format);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(format, ":"), format);
		if (!code && f->entrants == count)
			refuse(f, name, format, no_method(f, names));
	}
	for (const char *list = names;
	     !code && list && tool_method_next_of(f->bench->op->operation, &list, name);) {
		const ek_method *m = tool_method_find(name);
		bool partner = false;

		for (const char *at = formats; tool_format_next("--format", &at, format);)
			partner |= fit(m, format);
		if (!partner)
			refuse(f, name, NULL, "it multiplies with none of --format");
	}
	return code;
}

/* Enters all methods and auto. Formats that have no method on any device, such as CSC, are entered
 * with what auto takes for them. */
static int enter_everything(struct field *f)
{
	int code = enter_methods(f, NULL);

	for (const ek_format *format = NULL; !code && (format = ek_format_next(format));)
		if (!has_methods(f, ek_format_name(format), true))
			code = enter_ours(f, f->bench->op->operation, "auto",
			                  ek_format_name(format), false);
	return code ? code : enter_ours(f, f->bench->op->operation, "auto", NULL, false);
}

int spmv_enter(struct field *f)
{
	const struct bench *b = f->bench;
	const char *names = methods_named(b), *formats = b->o.common.format, *unit = spmv_unit(f);
	int code = device_make(f, f->problem);

	if (!code)
		code = formats ? enter_formats(f, names, formats)
		       : names ? enter_named(f, names, NULL)
		               : enter_everything(f);
	if (b->op->operation == EK_SPMM) {
		code = code ? code : enter_ours(f, EK_SPMV, unit, NULL, names || formats);
		code = code || names || formats ? code
		                                : enter_ours(f, EK_SPMV, "auto", NULL, false);
	} else if (!code && !entered(f, unit)) {
		code = enter_ours(f, f->bench->op->operation, unit, NULL, true);
	}
	if (code)
		return code;
	enter_libraries(f);
	return enter_bounds(f);
}
