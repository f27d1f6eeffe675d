/* SPDX-License-Identifier: BSD-3-Clause
 * Plans: operations prepared for their matrices. ek_plan_create does everything that takes longer
 * than a run, allocates memory or makes choices (make.c, choose.c). eki_plan_run does a run of any
 * operation: it takes over new values of A, provides scratch and calls the method. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

#define PLAN_MAGIC 0x656b706cu

ek_status eki_plan_check(const ek_plan *plan)
{
	if (!plan)
		return eki_fail(EK_EINVAL, "plan is NULL");
	if (plan->magic != PLAN_MAGIC)
		return eki_fail(EK_EINVAL, "plan is not a plan, or was destroyed");
	return EK_OK;
}

ek_status eki_plan_check_for(const ek_plan *plan, ek_operation operation)
{
	EK_RETURN_IF(eki_plan_check(plan));
	if (plan->problem.operation->number != operation)
		return eki_fail(EK_EINVAL, "plan is for operation %s; one for %s is expected",
		                plan->problem.operation->name, ek_operation_name(operation));
	return EK_OK;
}

/* ---- Creating plans -------------------------------------------------------------------------- */

static ek_status hints_check(const ek_context *ctx, const ek_hints *h)
{
	if (h->op != 0 && h->op != EK_OP_N && h->op != EK_OP_T)
		return eki_fail(EK_EINVAL, "hints.op is %d; EK_OP_N or EK_OP_T is expected",
		                (int)h->op);
	if (h->calls < 0)
		return eki_fail(EK_EINVAL, "hints.calls is %lld; it must not be negative",
		                (long long)h->calls);
	if (h->memory < -1)
		return eki_fail(EK_EINVAL,
		                "hints.memory is %lld; bytes, 0 (default) or -1 (no limit) are "
		                "expected",
		                (long long)h->memory);
	if (h->width < 0)
		return eki_fail(EK_EINVAL, "hints.width is %lld; it must not be negative",
		                (long long)h->width);
	if (h->reproducible != EK_REPRO_RUN && h->reproducible != EK_REPRO_STRICT)
		return eki_fail(
			EK_EINVAL,
			"hints.reproducible is %d; EK_REPRO_RUN or EK_REPRO_STRICT is expected",
			(int)h->reproducible);
	if (h->measure != 0 && h->measure != 1)
		return eki_fail(EK_EINVAL, "hints.measure is %d; 0 or 1 is expected", h->measure);
	if (h->unsorted != 0 && h->unsorted != 1)
		return eki_fail(EK_EINVAL, "hints.unsorted is %d; 0 or 1 is expected", h->unsorted);
	if (h->measure && h->reproducible == EK_REPRO_STRICT)
		return eki_fail(EK_EINVAL,
		                "hints.measure is 1 and hints.reproducible EK_REPRO_STRICT; a "
		                "choice by measured times is not reproducible, so only one of "
		                "the two is expected");
	if (h->threads < 0 || h->threads > ctx->threads)
		return eki_fail(EK_EINVAL,
		                "hints.threads is %d; 0 to %d, the context's, are possible",
		                h->threads, ctx->threads);
	return EK_OK;
}

static const char *planned_name(const void *list, size_t k)
{
	(void)list;
	for (int number = 1; number < EKI_OPERATIONS; number++) {
		const eki_operation *o = eki_operation_row((ek_operation)number);

		if (o->matrices && k-- == 0)
			return o->name;
	}
	return NULL;
}

/* Finds the row of an operation in the table. Returns EK_EINVAL if no plans are made for the
 * operation. */
static ek_status operation_check(ek_operation number, const eki_operation **operation)
{
	const eki_operation *o = eki_operation_row(number);

	if (!o || !o->matrices)
		return eki_fail_list(EK_EINVAL, planned_name, NULL,
		                     "operation is %d; plans are made for these:", (int)number);
	*operation = o;
	return EK_OK;
}

ek_status eki_plan_new(const ek_context *ctx, const eki_problem *problem, ek_plan **plan)
{
	ek_plan *p;
	void *block;

	EK_RETURN_IF(eki_calloc(ctx, 1, sizeof *p, &block));
	p = block;
	p->magic = PLAN_MAGIC;
	p->ctx = ctx;
	p->problem = *problem;
	p->id = eki_new_state();
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (problem->A[k].M)
			eki_matrix_hold(problem->A[k].M);
	*plan = p;
	return EK_OK;
}

ek_status ek_plan_create(ek_operation operation, const ek_matrix *A, const ek_hints *hints,
                         ek_plan **plan)
{
	ek_hints h = {.size = sizeof h};
	const eki_operation *o = NULL;

	EK_RETURN_IF(eki_matrix_check(A));
	if (!plan)
		return eki_fail(EK_EINVAL, "plan, where the result goes, is NULL");
	EK_RETURN_IF(operation_check(operation, &o));
	if (hints) {
		EK_RETURN_IF(EKI_STRUCT_IN("hints", ek_hints, hints, &h));
		EK_RETURN_IF(hints_check(A->ctx, &h));
		EK_RETURN_IF(eki_operands_alive(&h, o));
	}
	if (h.measure)
		EK_RETURN_IF(eki_trials_check(A->ctx, o));
	if (eki_learned_wanted(&h))
		return eki_learned_make(o, A, &h, plan);
	return eki_plan_make(o, A, &h, plan);
}

void ek_plan_destroy(ek_plan *plan)
{
	if (!plan || eki_plan_check(plan) != EK_OK)
		return;
	eki_trials_free(plan);
	eki_step_release(&plan->root);
	eki_scratch_free(plan);
	eki_arena_free(plan->ctx, &plan->memory);
	eki_text_free(plan->ctx, &plan->why);
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		eki_store_free(plan->ctx, &plan->own[k]);
	const eki_problem problem = plan->problem;

	plan->magic = 0;
	eki_free(plan->ctx, plan, 1, sizeof *plan);
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (problem.A[k].M)
			eki_matrix_drop(problem.A[k].M);
}

/* ---- Queries --------------------------------------------------------------------------------- */

const char *ek_plan_method(const ek_plan *plan)
{
	if (!plan || plan->magic != PLAN_MAGIC)
		return NULL;
	return plan->trials ? eki_trials_now(plan)->method->name : plan->root.method->name;
}

const char *ek_plan_format(const ek_plan *plan)
{
	if (!plan || plan->magic != PLAN_MAGIC)
		return NULL;
	return plan->trials ? eki_trials_now(plan)->format : plan->format;
}

int64_t ek_plan_bytes(const ek_plan *plan)
{
	if (!plan || plan->magic != PLAN_MAGIC)
		return 0;
	return plan->trials ? eki_trials_now(plan)->bytes : plan->root.bytes;
}

int64_t ek_plan_memory(const ek_plan *plan)
{
	if (!plan || plan->magic != PLAN_MAGIC)
		return 0;
	int64_t bytes = (int64_t)sizeof *plan + (plan->trials ? eki_trials_memory(plan) : 0);

	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		bytes += plan->own[k].format ? eki_store_held(&plan->own[k]) : 0;
	return bytes + plan->memory.bytes +
	       plan->memory.capacity * (int64_t)sizeof *plan->memory.list + plan->why.capacity +
	       eki_scratch_held(plan) + eki_gpu_bytes(&plan->root);
}

/* Returns text for ek_plan_explain that says how A is held for the product. */
static const char *held_as(const ek_plan *plan)
{
	const eki_step *root = &plan->root;

	if (plan->own[0].format && plan->own[0].borrowed)
		return "with a copy of the columns, which starts at 0";
	if (plan->problem.operation->operands) /* in[0] may be B */
		return plan->own[0].format ? "a copy" : "as A is stored";
	return plan->own[0].format || root->in[0] != &plan->problem.A[0].M->store ||
	                       (root->method->format[0] &&
	                        root->in[0]->format != root->method->format[0])
	               ? "a copy"
	               : "as A is stored";
}

ek_status ek_plan_explain(const ek_plan *plan, char *text, size_t size)
{
	EK_RETURN_IF(eki_plan_check(plan));
	if (!text || !size)
		return eki_fail(EK_EINVAL, "text is NULL or size is 0");
	const eki_step *root = &plan->root;
	char where[96];
	size_t used;

	if (plan->trials)
		return eki_trials_explain(plan, text, size);
	if (root->method->traits & EKI_TOGETHER)
		snprintf(where, sizeof where, "device %s and %d thread%s, %s",
		         eki_device_name(plan->ctx), root->threads, root->threads == 1 ? "" : "s",
		         ek_isa_name(root->isa));
	else if (!(root->method->backend & EKI_CPU))
		snprintf(where, sizeof where, "device %s", eki_device_name(plan->ctx));
	else
		snprintf(where, sizeof where, "%d thread%s in %d part%s, %s", root->threads,
		         root->threads == 1 ? "" : "s", root->parts, root->parts == 1 ? "" : "s",
		         ek_isa_name(root->isa));
	used = (size_t)snprintf(
		text, size,
		"method   %s (%s)\nsource   %s\n%s%s%sformat   %s, %s\nruns on  %s\nmoves    "
		"%s%lld bytes a run\nholds    %lld bytes beside the matrix\nwhy      ",
		root->method->name, root->method->text, root->method->source,
		*plan->parameters ? "params   " : "", plan->parameters,
		*plan->parameters ? "\n" : "", plan->format, held_as(plan), where,
		plan->problem.operation->operands ? "at least " : "", (long long)root->bytes,
		(long long)ek_plan_memory(plan));
	if (plan->selection && used < size)
		used += eki_selection_text(plan->ctx, plan->selection, text + used, size - used);
	if (plan->why.data && used < size)
		used += (size_t)snprintf(text + used, size - used, "%s", plan->why.data);
	if (root->method->report && used < size)
		root->method->report(root, text + used, size - used);
	return EK_OK;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Copies the values of A into the plan's own copy of A. */
static ek_status fill_own(ek_plan *p)
{
	const ek_matrix *A = p->problem.A[0].M;
	ek_store copy = {0}, *own = &p->own[0];
	const ek_store *csr;
	ek_status status;

	if (own->borrowed) /* the copy owns only its columns; the values are those of A */
		return EK_OK;
	EK_TRY(eki_matrix_csr(A, own->format == &ek_format_csr ? own->columns : A->transposed,
	                      &copy, &csr));
	if (own->format == &ek_format_csr)
		eki_copy_into(p->ctx, own->array[CSR_VAL], csr->array[CSR_VAL], own->nnz,
		              ek_value_size(own->value));
	else
		EK_TRY(eki_format_values(p->ctx, csr, own));
done:
	eki_store_free(p->ctx, &copy);
	return status;
}

static ek_status refresh(ek_plan *p, uint64_t state)
{
	EK_RETURN_IF(eki_device_settle(p->ctx));
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (p->own[k].format)
			EK_RETURN_IF(p->problem.operation->operands ? eki_plan_operand_values(p, k)
			                                            : fill_own(p));
	EK_RETURN_IF(eki_step_refresh(&p->root));
	atomic_store_explicit(&p->seen, state, memory_order_release);
	return EK_OK;
}

/* Copies the values of A to the plan if they are new. One thread does this, while other threads
 * that run the plan wait. */
static ek_status take_new_values(ek_plan *p)
{
	const uint64_t state = eki_latest_state(p);
	ek_status status = EK_OK;

	if (atomic_load_explicit(&p->seen, memory_order_acquire) == state)
		return EK_OK;
	eki_lock_take(&p->refreshing);
	if (atomic_load_explicit(&p->seen, memory_order_relaxed) != state)
		status = refresh(p, state);
	eki_lock_give(&p->refreshing);
	return status;
}

static ek_status execute(const ek_plan *p, eki_run *run)
{
	eki_clear_registers();
	return p->root.method->backend & EKI_CPU ? eki_step_run(&p->root, run)
	                                         : eki_gpu_run(&p->root, run);
}

/* Does a run with its scratch on the stack. This function is not inlined, so that runs without
 * scratch have a small stack frame. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static ek_status
run_on_stack(const ek_plan *p, eki_run *run)
{
	_Alignas(EKI_ALIGNMENT) char scratch[EKI_SCRATCH_STACK];

	eki_scratch_clear(p, scratch);
	run->scratch = scratch;
	return execute(p, run);
}

ek_status eki_plan_run(ek_plan *p, eki_run *run)
{
	static char none; /* address to which runs without scratch add offsets */
	ek_status status;
	void *block;

	if (p->trials)
		return eki_trials_run(p, run);
	EK_RETURN_IF(take_new_values(p));
	run->scratch = &none;
	if (p->scratch_bytes == 0)
		return execute(p, run);
	if (p->scratch_bytes <= EKI_SCRATCH_STACK)
		return run_on_stack(p, run);
	EK_RETURN_IF(eki_scratch_take(p, &block));
	run->scratch = block;
	status = execute(p, run);
	eki_scratch_give(p, block);
	return status;
}
