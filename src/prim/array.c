/* SPDX-License-Identifier: BSD-3-Clause
 * The work that all primitives on arrays share: reading the options, choosing the method, and
 * checking the arguments.
 *
 * The method is chosen as in plans: each method of the operation that has a cost function predicts
 * its time from the arguments, and the fastest wins. */
#include <stdio.h>
#include <string.h>

#include "prim/prim.h"

bool eki_array_handles(const ek_context *ctx, const ek_array_options *options)
{
	ek_array_options o = {.size = sizeof o};

	return options && eki_context_check(ctx) == EK_OK &&
	       EKI_STRUCT_IN("options", ek_array_options, options, &o) == EK_OK &&
	       o.where == EK_ON_DEVICE && ctx->device && !eki_device_addresses(ctx);
}

static ek_status options_check(const ek_context *ctx, const ek_array_options *o)
{
	if (o->threads < 0 || o->threads > ctx->threads)
		return eki_fail(EK_EINVAL,
		                "options.threads is %d; 0 to %d, the context's, are possible",
		                o->threads, ctx->threads);
	if (o->flags & ~(unsigned)EK_TRUSTED)
		return eki_fail(EK_EINVAL, "options.flags is 0x%x; 0 or EK_TRUSTED is expected",
		                o->flags);
	if (o->block < 0)
		return eki_fail(EK_EINVAL, "options.block is %lld; it must not be negative",
		                (long long)o->block);
	if (o->arity != 0 && (o->arity < 2 || o->arity > 1024))
		return eki_fail(EK_EINVAL, "options.arity is %d; 2 to 1024, or 0, is expected",
		                o->arity);
	if (o->where != 0 && o->where != EK_ON_DEVICE)
		return eki_fail(EK_EINVAL, "options.where is %d; 0 or EK_ON_DEVICE is expected",
		                o->where);
	if (o->where && !ctx->device)
		return eki_fail(EK_EDEVICE,
		                "options.where is EK_ON_DEVICE, but the context has no device");
	if (o->counts)
		return EKI_STRUCT_CHECK("options.counts", ek_heap_counts, o->counts);
	return EK_OK;
}

/* ---- The method ------------------------------------------------------------------------------ */

/* Returns the backend whose methods `auto` may choose: that of the memory that the arrays are in.
 */
static unsigned backend_for(const ek_context *ctx, const eki_array *a)
{
	return a->where ? eki_device_backend(ctx, a->type) : EKI_CPU;
}

/* Returns the fastest method by prediction, or NULL if there is none for these arrays. */
static const ek_method *cheapest(const ek_context *ctx, const eki_array *a)
{
	const unsigned backend = backend_for(ctx, a);
	const eki_features f = {
		.array = a, .machine = ctx->machine, .on_processor = eki_device_is_processor(ctx)};
	const ek_method *best = NULL;
	double least = 0;
	const ek_method *m;

	for (size_t k = 0; (m = eki_method(k)); k++) {
		if (m->operation != a->operation || !m->cost || !(m->backend & backend))
			continue;
		double cost = m->cost(&f);

		if (!best || cost < least) {
			best = m;
			least = cost;
		}
	}
	return best;
}

/* Checks that a method can work on the arrays where they are. */
static ek_status place_check(const ek_context *ctx, const ek_method *m, const eki_array *a)
{
	if (a->where && m->backend & EKI_CPU)
		return eki_fail(
			EK_EUNSUPPORTED,
			"method %s works on arrays of the host; the arrays are on device %s",
			m->name, eki_device_name(ctx));
	if (!eki_can_run(ctx, m))
		return eki_fail(EK_EDEVICE, "method %s needs a device, and the context has none",
		                m->name);
	if (!(m->backend & EKI_CPU) && !eki_device_backend(ctx, a->type))
		return eki_fail(EK_EUNSUPPORTED, "device %s cannot compute with f64",
		                eki_device_name(ctx));
	return EK_OK;
}

static ek_status choose(const ek_context *ctx, const char *name, const eki_array *a,
                        const ek_method **method, int64_t param[EKI_MAX_DIMS])
{
	const eki_forced *forced = eki_forced_of(ctx, a->operation, EK_OP_N);

	if (name && strcmp(name, "auto") != 0) {
		EK_RETURN_IF(eki_method_parse("", name, a->operation, method, param));
	} else if (forced && (!a->where || !(forced->method->backend & EKI_CPU))) {
		*method = forced->method;
		memcpy(param, forced->param, sizeof forced->param);
	} else {
		*method = cheapest(ctx, a);
	}
	if (!*method)
		return eki_fail(EK_EUNSUPPORTED, "operation %s has no method on device %s for %s",
		                ek_operation_name(a->operation), eki_device_name(ctx),
		                ek_value_name(a->type));
	return place_check(ctx, *method, a);
}

/* Runs the method as a step that belongs to no plan, so nothing is prepared in advance. */
static ek_status run(const ek_context *ctx, const ek_method *method,
                     const int64_t param[EKI_MAX_DIMS], const eki_array *a)
{
	eki_step step = {.method = method, .ctx = ctx, .isa = a->isa, .threads = a->threads};

	memcpy(step.param, param, sizeof step.param);
	eki_clear_registers();
	return method->run(&step, &(eki_run){.array = a});
}

void eki_array_note(const eki_array *a, const char *name, int64_t value)
{
	const size_t used = a->note ? strlen(a->note) : 0;

	if (a->note)
		snprintf(a->note + used, EK_PARAMETERS_TEXT - used, "%s%s=%lld", used ? "," : "",
		         name, (long long)value);
}

/* Runs the method and, if the caller wants to know, tells the parameters. */
static ek_status run_noted(const ek_method *method, const int64_t param[EKI_MAX_DIMS],
                           char *parameters, eki_array *a)
{
	char note[EK_PARAMETERS_TEXT] = "";
	ek_status status;

	a->note = parameters ? note : NULL;
	status = run(a->ctx, method, param, a);
	a->note = NULL;
	if (parameters && status == EK_OK)
		memcpy(parameters, note, strlen(note) + 1);
	return status;
}

ek_status eki_array_call(const ek_context *ctx, const ek_array_options *options, int64_t work,
                         eki_array *a)
{
	ek_array_options o = {.size = sizeof o};
	int64_t param[EKI_MAX_DIMS] = {0};
	const ek_method *method = NULL;

	EK_RETURN_IF(eki_context_check(ctx));
	if (options) {
		EK_RETURN_IF(EKI_STRUCT_IN("options", ek_array_options, options, &o));
		EK_RETURN_IF(options_check(ctx, &o));
	}
	a->ctx = ctx;
	a->isa = ctx->isa;
	a->threads = work < ctx->small_work ? 1 : o.threads ? o.threads : ctx->threads;
	a->block = o.block;
	a->arity = o.arity ? o.arity : 8;
	a->trusted = (o.flags & EK_TRUSTED) != 0;
	a->counts = o.counts;
	a->where = o.where;
	EK_RETURN_IF(choose(ctx, o.method, a, &method, param));
	if (!work) {
		if (o.parameters)
			*o.parameters = 0;
		return EK_OK;
	}
	if (!a->trusted && !a->where && eki_operation_row(a->operation)->contents)
		EK_RETURN_IF(eki_operation_row(a->operation)->contents(a));
	return run_noted(method, param, o.parameters, a);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

ek_status eki_number_check(ek_value type)
{
	if (!ek_value_name(type))
		return eki_fail(EK_EINVAL,
		                "type is %d; EK_F32, EK_F64, EK_INT32 or EK_INT64 is expected",
		                (int)type);
	return EK_OK;
}

ek_status eki_monoid_check(ek_monoid op, ek_value type)
{
	if (op < EK_SUM || op > EK_OR)
		return eki_fail(EK_EINVAL, "op is %d; EK_SUM, EK_MAX, EK_MIN or EK_OR is expected",
		                (int)op);
	if (op == EK_OR && (type == EK_F32 || type == EK_F64))
		return eki_fail(EK_EINVAL, "op is EK_OR, which is for integers, and type is %s",
		                ek_value_name(type));
	return EK_OK;
}

ek_status eki_kind_check(ek_scan_kind kind)
{
	if (kind != EK_INCLUSIVE && kind != EK_EXCLUSIVE)
		return eki_fail(EK_EINVAL, "kind is %d; EK_INCLUSIVE or EK_EXCLUSIVE is expected",
		                (int)kind);
	return EK_OK;
}

ek_status eki_length_check(const char *name, int64_t n)
{
	if (n < 0)
		return eki_fail(EK_EINVAL, "%s is %lld; it must not be negative", name,
		                (long long)n);
	if (n > INT64_MAX / 16)
		return eki_fail(EK_EOVERFLOW, "%s is %lld, more than memory has bytes", name,
		                (long long)n);
	return EK_OK;
}

ek_status eki_value_size_check(const char *name, size_t size)
{
	return size == 0 || size == 4 || size == 8
	               ? EK_OK
	               : eki_fail(EK_EINVAL, "%s is %zu; 0, 4 or 8 is expected", name, size);
}

ek_status eki_pairs_alike(const char *of_name, const ek_pairs *of, const char *name,
                          const ek_pairs *pairs)
{
	if (pairs->type != of->type)
		return eki_fail(EK_EINVAL, "%s->type is %d, and %s->type is %s", name,
		                (int)pairs->type, of_name, ek_value_name(of->type));
	if (pairs->value_size != of->value_size)
		return eki_fail(EK_EINVAL, "%s->value_size is %zu, and %s->value_size is %zu", name,
		                pairs->value_size, of_name, of->value_size);
	return EK_OK;
}

ek_status eki_overlap_check(const char *a_name, const void *a, int64_t an, const char *b_name,
                            const void *b, int64_t bn, size_t size)
{
	uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;

	if (an && bn && p < q + (uintptr_t)bn * size && q < p + (uintptr_t)an * size)
		return eki_fail(EK_EINVAL, "%s and %s overlap", a_name, b_name);
	return EK_OK;
}

ek_status eki_array_overlap(bool handles, const char *a_name, const void *a, int64_t an,
                            const char *b_name, const void *b, int64_t bn, size_t size)
{
	if (!handles)
		return eki_overlap_check(a_name, a, an, b_name, b, bn, size);
	if (an && bn && a == b)
		return eki_fail(EK_EINVAL, "%s and %s are the same memory", a_name, b_name);
	return EK_OK;
}
