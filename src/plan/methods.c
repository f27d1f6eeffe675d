/* SPDX-License-Identifier: BSD-3-Clause
 * The table of all methods. Tests, benchmarks, the tool and automatic selection find the methods
 * here and nowhere else. */
#include <string.h>

#include "plan/plan.h"

#define METHOD(m) extern const ek_method m;
#include "plan/methods.def"
#undef METHOD

static const ek_method *const table[] = {
#define METHOD(m) &m,
#include "plan/methods.def"
#undef METHOD
};

const ek_method *eki_method(size_t k)
{
	return k < sizeof table / sizeof *table ? table[k] : NULL;
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

/* Tells whether a method does a primitive on arrays, without a matrix. */
static bool on_arrays(const ek_method *m)
{
	return eki_operation_row(m->operation)->matrices == 0;
}

const char *ek_method_format(const ek_method *m)
{
	return !m ? NULL : on_arrays(m) ? "array" : m->format[0] ? m->format[0]->name : "any";
}

const char *ek_method_device(const ek_method *m)
{
	return !m                           ? NULL
	       : m->traits & EKI_TOGETHER   ? "cpu+gpu"
	       : m->backend & EKI_CPU       ? "cpu"
	                                    : "gpu";
}

/* Returns the first method of an operation that has a trait, or NULL. */
static const ek_method *with_trait(ek_operation operation, unsigned trait)
{
	const ek_method *m;

	for (size_t k = 0; (m = eki_method(k)); k++)
		if (m->traits & trait && m->operation == operation)
			return m;
	return NULL;
}

const ek_method *eki_together(const ek_context *ctx, ek_operation operation)
{
	const bool sparse = eki_operation_row(operation)->limited;

	/* As in select.c, sparse results are the processor's where the device is a processor. */
	if (!ctx->together || (sparse && eki_device_is_processor(ctx)))
		return NULL;
	return with_trait(operation, EKI_TOGETHER);
}

const ek_method *eki_in_batches(ek_operation operation)
{
	return with_trait(operation, EKI_BATCHES);
}

const ek_format_param *ek_method_get_param(const ek_method *m, int k)
{
	return m && k >= 0 && k < EKI_MAX_DIMS && m->param[k].name ? &m->param[k] : NULL;
}

ek_operation ek_method_operation(const ek_method *m)
{
	return m ? m->operation : (ek_operation)0;
}

int ek_method_supports(const ek_method *m, ek_op op, ek_reproducible level)
{
	unsigned need = level == EK_REPRO_STRICT ? EKI_STRICT : 0;

	if (!m || on_arrays(m) != (op == 0) || (op != 0 && op != EK_OP_N && op != EK_OP_T) ||
	    (level != EK_REPRO_RUN && level != EK_REPRO_STRICT))
		return 0;
	if (op != 0)
		need |= op == EK_OP_T ? EKI_OP_T : EKI_OP_N;
	return (m->traits & need) == need;
}
