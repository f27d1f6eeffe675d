/* SPDX-License-Identifier: BSD-3-Clause
 * The table of methods, and those that the formats bring. Tests, benchmarks, the tool and automatic
 * selection walk it; nothing else knows what exists. */
#include <string.h>

#include "core/ek_core.h"

#define METHOD(m) extern const ek_method m;
#include "methods.def"
#undef METHOD

static const ek_method *const table[] = {
#define METHOD(m) &m,
#include "methods.def"
#undef METHOD
};

/* Those of the table, then those of each format. */
const ek_method *eki_method(size_t k)
{
	const size_t count = sizeof table / sizeof *table;

	if (k < count)
		return table[k];
	k -= count;
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		for (int m = 0; m < EKI_MAX_METHODS && f->method[m]; m++)
			if (k-- == 0)
				return f->method[m];
	return NULL;
}

const ek_method *ek_method_next(const ek_method *after)
{
	size_t k = 0;

	if (after)
		for (const ek_method *m; (m = eki_method(k)) && (k++, m != after);)
			;
	return eki_method(k);
}

const ek_method *ek_method_find(const char *name)
{
	const ek_method *m = NULL;

	for (size_t k = 0; name && (m = eki_method(k)); k++)
		if (strcmp(m->name, name) == 0)
			break;
	return m;
}

const char *ek_method_name(const ek_method *m)
{
	return m ? m->name : NULL;
}

const char *ek_method_text(const ek_method *m)
{
	return m ? m->text : NULL;
}

const char *ek_method_source(const ek_method *m)
{
	return m ? m->source : NULL;
}

const char *ek_method_format(const ek_method *m)
{
	return !m ? NULL : m->format ? m->format->name : "array";
}

const char *ek_method_device(const ek_method *m)
{
	return !m ? NULL : m->backend & EKI_CPU ? "cpu" : "gpu";
}

const ek_format_param *ek_method_get_param(const ek_method *m, int k)
{
	return m && k >= 0 && k < EKI_MAX_DIMS && m->param[k].name ? &m->param[k] : NULL;
}

const char *ek_operation_name(ek_operation operation)
{
	static const char *const name[] = {NULL,      "spmv",   "reduce",   "scan",
	                                   "segscan", "segsum", "sort",     "merge",
	                                   "kselect", "union",  "intersect"};

	return (unsigned)operation < sizeof name / sizeof *name ? name[operation] : NULL;
}

ek_operation ek_method_operation(const ek_method *m)
{
	return m ? m->operation : (ek_operation)0;
}

int ek_method_supports(const ek_method *m, ek_op op, ek_reproducible level)
{
	unsigned need = level == EK_REPRO_STRICT ? EKI_STRICT : 0;

	if (!m || (m->array != NULL) != (op == 0))
		return 0;
	if (op != 0)
		need |= op == EK_OP_T ? EKI_OP_T : EKI_OP_N;
	return (m->traits & need) == need;
}
