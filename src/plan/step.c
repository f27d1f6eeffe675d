/* SPDX-License-Identifier: BSD-3-Clause
 * Steps of a plan: what they own, their children, and how they are prepared and refreshed. */
#include <stdarg.h>
#include <string.h>

#include "plan/plan.h"

ek_status eki_step_reserve(eki_step *step, int blocks)
{
	return eki_arena_reserve(step->ctx, &step->plan->memory, blocks);
}

void eki_step_own(eki_step *step, void *block, int64_t bytes)
{
	eki_arena_own(&step->plan->memory, block, bytes);
}

void eki_step_free(eki_step *step, void *block)
{
	eki_arena_drop(step->ctx, &step->plan->memory, block);
}

ek_status eki_step_alloc(eki_step *step, int64_t count, size_t size, void *out)
{
	void *block;

	EK_RETURN_IF(eki_step_reserve(step, 1));
	EK_RETURN_IF(eki_alloc(step->ctx, count, size, &block));
	eki_step_own(step, block, count * (int64_t)size);
	memcpy(out, &block, sizeof block);
	return EK_OK;
}

ek_status eki_step_scratch(eki_step *step, int64_t count, size_t size, int64_t *at)
{
	ek_plan *p = step->plan;
	const int64_t bytes = eki_align(eki_times(count, (int64_t)size));

	if (eki_plus(p->scratch_bytes, bytes) > PTRDIFF_MAX - EKI_ALIGNMENT)
		return eki_fail(
			EK_EOVERFLOW,
			"the scratch of a run, %lld more entries of %zu bytes, does not fit "
			"the address space",
			(long long)count, size);
	*at = p->scratch_bytes;
	p->scratch_bytes += bytes;
	return EK_OK;
}

ek_status eki_step_scratch_zero(eki_step *step, int64_t count, size_t size, int64_t *at)
{
	ek_plan *p = step->plan;

	EK_RETURN_IF(eki_step_scratch(step, count, size, at));
	if (p->zero_end == 0)
		p->zero_begin = *at;
	p->zero_end = p->scratch_bytes;
	return EK_OK;
}

ek_status eki_step_say(eki_step *step, const char *format, ...)
{
	ek_status status;
	va_list args;

	va_start(args, format);
	status = eki_text_add_list(step->ctx, &step->plan->why, format, args);
	va_end(args);
	return status;
}

ek_status eki_step_children(eki_step *step, int most)
{
	step->children = 0;
	return eki_step_alloc(step, most, sizeof *step->child, &step->child);
}

int64_t eki_moved_bytes(const eki_problem *problem, const ek_store *in)
{
	const int64_t row = eki_times(problem->width, (int64_t)ek_value_size(in->value));

	return eki_plus(eki_store_bytes(in), eki_times(in->rows + in->cols, row));
}

eki_step *eki_step_child(eki_step *step, const ek_store *in, ek_op op)
{
	eki_step *child = eki_step_child_of(step, step->problem, in, op);

	memcpy(child->from, step->from, sizeof child->from);
	return child;
}

eki_step *eki_step_child_of(eki_step *step, const eki_problem *problem, const ek_store *in,
                            ek_op op)
{
	eki_step *child = &step->child[step->children++];

	*child = (eki_step){
		.problem = problem,
		.ctx = step->ctx,
		.plan = step->plan,
		.in = {in},
		.op = {op},
		.x_len = op == EK_OP_N ? in->cols : in->rows,
		.y_len = op == EK_OP_N ? in->rows : in->cols,
		.isa = step->isa,
		.threads = step->threads,
		.parts = step->parts,
		.bytes = eki_moved_bytes(problem, in),
		.part = true,
		.backend = step->backend,
	};
	memcpy(child->dim, step->dim, sizeof child->dim);
	return child;
}

ek_status eki_step_choose(eki_step *step)
{
	eki_choice choice;

	EK_RETURN_IF(eki_select(step, false, &choice, NULL));
	step->method = choice.method;
	return EK_OK;
}

void eki_step_own_store(eki_step *step, const ek_store *s)
{
	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (s->array[k])
			eki_step_own(step, s->array[k],
			             s->len[k] * (int64_t)eki_elem_size(s->format->array[k].elem,
			                                                s->value, s->index));
}

ek_status eki_step_choose_format(eki_step *step, ek_store *copy)
{
	const int64_t most = step->problem->memory < 0 ? -1 : 0;
	eki_choice choice;
	ek_status status;

	*copy = (ek_store){0};
	EK_RETURN_IF(eki_select(step, true, &choice, NULL));
	step->method = choice.method;
	if (choice.format == step->in[0]->format)
		return EK_OK;
	EK_RETURN_IF(eki_step_reserve(step, EKI_MAX_ARRAYS));
	status = eki_format_make(step->ctx, step->in[0], choice.format, choice.dim, most, copy);
	if (status == EK_ENOMEM)
		return eki_step_choose(step);
	EK_RETURN_IF(status);
	eki_step_own_store(step, copy);
	memcpy(step->dim, choice.dim, sizeof step->dim);
	step->in[0] = copy;
	step->bytes = eki_moved_bytes(step->problem, copy);
	return EK_OK;
}

ek_status eki_step_prepare(eki_step *step)
{
	if (step->method->traits & EKI_SERIAL)
		step->threads = step->parts = 1;
	return step->method->prepare ? step->method->prepare(step) : EK_OK;
}

ek_status eki_step_refresh(eki_step *step)
{
	if (step->method->refresh)
		EK_RETURN_IF(step->method->refresh(step));
	for (int k = 0; k < step->children; k++)
		EK_RETURN_IF(eki_step_refresh(&step->child[k]));
	return EK_OK;
}

void eki_step_release(eki_step *step)
{
	for (int k = 0; k < step->children; k++)
		eki_step_release(&step->child[k]);
	eki_gpu_release(step);
}

eki_mark eki_step_mark(const eki_step *step)
{
	const ek_plan *p = step->plan;

	return (eki_mark){.blocks = p->memory.count,
	                  .children = step->children,
	                  .text = p->why.used,
	                  .scratch = p->scratch_bytes,
	                  .zero_begin = p->zero_begin,
	                  .zero_end = p->zero_end};
}

void eki_step_rewind(eki_step *step, const eki_mark *mark)
{
	ek_plan *p = step->plan;

	for (int k = mark->children; k < step->children; k++)
		eki_step_release(&step->child[k]);
	step->children = mark->children;
	while (p->memory.count > mark->blocks)
		eki_arena_drop(p->ctx, &p->memory, p->memory.list[p->memory.count - 1].block);
	p->why.used = mark->text;
	if (p->why.data)
		p->why.data[mark->text] = 0;
	p->scratch_bytes = mark->scratch;
	p->zero_begin = mark->zero_begin;
	p->zero_end = mark->zero_end;
}

uint64_t eki_step_values(const eki_step *step)
{
	return atomic_load(&step->problem->A[0].M->state);
}
