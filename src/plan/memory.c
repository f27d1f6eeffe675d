/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that a plan holds: blocks that are freed with it, the text of its reasons, and scratch for
 * runs.
 *
 * A run takes a block of scratch from the plan and gives it back. The plan is created with one
 * block, so that runs one after another allocate nothing. Threads that run the plan at the same
 * time each allocate a block, which is kept for later runs. Unused blocks are kept in a few slots.
 * These are emptied and filled by atomic exchanges, so that no thread waits for another. A thread
 * that finds all slots full frees its block. Small scratch is on the caller's stack instead.
 *
 * Some runs need arrays of zeros, of which they touch only a little. Such scratch is cleared once,
 * when a block is made, and every run leaves it as it was. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

ek_status eki_arena_reserve(const ek_context *ctx, eki_arena *arena, int blocks)
{
	const int most = arena->count + blocks, capacity = most < 16 ? 16 : 2 * most;
	void *list;

	if (most <= arena->capacity)
		return EK_OK;
	EK_RETURN_IF(eki_alloc(ctx, capacity, sizeof *arena->list, &list));
	if (arena->count)
		memcpy(list, arena->list, (size_t)arena->count * sizeof *arena->list);
	eki_free(ctx, arena->list, arena->capacity, sizeof *arena->list);
	arena->list = list;
	arena->capacity = capacity;
	return EK_OK;
}

void eki_arena_own(eki_arena *arena, void *block, int64_t bytes)
{
	arena->list[arena->count].block = block;
	arena->list[arena->count].bytes = bytes;
	arena->count++;
	arena->bytes += bytes;
}

void eki_arena_drop(const ek_context *ctx, eki_arena *arena, void *block)
{
	int k = 0;

	while (k < arena->count && arena->list[k].block != block)
		k++;
	if (k == arena->count)
		return;
	arena->bytes -= arena->list[k].bytes;
	eki_free(ctx, block, arena->list[k].bytes, 1);
	arena->list[k] = arena->list[--arena->count];
}

void eki_arena_free(const ek_context *ctx, eki_arena *arena)
{
	for (int k = 0; k < arena->count; k++)
		eki_free(ctx, arena->list[k].block, arena->list[k].bytes, 1);
	eki_free(ctx, arena->list, arena->capacity, sizeof *arena->list);
	*arena = (eki_arena){0};
}

/* ---- Text ------------------------------------------------------------------------------------ */

ek_status eki_text_add_list(const ek_context *ctx, eki_text *text, const char *format, va_list args)
{
	va_list again;
	int64_t most;
	int length;
	void *data;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		return eki_fail(EK_EINVAL, "text \"%s\" cannot be written", format);
	most = text->used + length + 1;
	if (most > text->capacity) {
		const int64_t capacity = most < 1024 ? 1024 : 2 * most;

		EK_RETURN_IF(eki_alloc(ctx, capacity, 1, &data));
		if (text->used)
			memcpy(data, text->data, (size_t)text->used);
		eki_free(ctx, text->data, text->capacity, 1);
		text->data = data;
		text->capacity = capacity;
	}
	vsnprintf(text->data + text->used, (size_t)length + 1, format, args);
	text->used += length;
	return EK_OK;
}

void eki_text_free(const ek_context *ctx, eki_text *text)
{
	eki_free(ctx, text->data, text->capacity, 1);
	*text = (eki_text){0};
}

/* ---- Scratch --------------------------------------------------------------------------------- */

void eki_scratch_clear(const ek_plan *plan, void *block)
{
	if (plan->zero_end > plan->zero_begin)
		memset((char *)block + plan->zero_begin, 0,
		       (size_t)(plan->zero_end - plan->zero_begin));
}

static ek_status new_block(const ek_plan *plan, void **block)
{
	EK_RETURN_IF(eki_alloc(plan->ctx, plan->scratch_bytes, 1, block));
	eki_scratch_clear(plan, *block);
	return EK_OK;
}

ek_status eki_scratch_make(ek_plan *plan)
{
	void *block;

	if (plan->scratch_bytes <= EKI_SCRATCH_STACK)
		return EK_OK;
	EK_RETURN_IF(new_block(plan, &block));
	atomic_store(&plan->scratch[0], block);
	return EK_OK;
}

ek_status eki_scratch_take(ek_plan *plan, void **block)
{
	for (int k = 0; k < EKI_SCRATCH_KEPT; k++)
		if ((*block = atomic_exchange(&plan->scratch[k], NULL)))
			return EK_OK;
	return new_block(plan, block);
}

void eki_scratch_give(ek_plan *plan, void *block)
{
	for (int k = 0; k < EKI_SCRATCH_KEPT; k++) {
		void *none = NULL;

		if (atomic_compare_exchange_strong(&plan->scratch[k], &none, block))
			return;
	}
	eki_free(plan->ctx, block, plan->scratch_bytes, 1);
}

int64_t eki_scratch_held(const ek_plan *plan)
{
	int64_t bytes = 0;

	for (int k = 0; k < EKI_SCRATCH_KEPT; k++)
		if (atomic_load(&((ek_plan *)(uintptr_t)plan)->scratch[k]))
			bytes += plan->scratch_bytes;
	return bytes;
}

void eki_scratch_free(ek_plan *plan)
{
	for (int k = 0; k < EKI_SCRATCH_KEPT; k++)
		eki_free(plan->ctx, atomic_exchange(&plan->scratch[k], NULL), plan->scratch_bytes,
		         1);
}
