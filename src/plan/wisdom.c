/* SPDX-License-Identifier: BSD-3-Clause
 * The table of decisions of a context: a list in the order in which they came, so that a file that
 * is loaded and saved stays as it was, and a hash table with linear probing that finds them. A
 * look-up hashes and compares one key of some 300 bytes, in a fraction of a microsecond. Source:
 * Knuth 1998, section 6.4, Algorithm L. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

static eki_wisdom *wisdom_of(const ek_context *ctx)
{
	return &((ek_context *)(uintptr_t)ctx)->wisdom;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void machine_name(const ek_context *ctx, eki_wisdom *w)
{
	enum { SHORT = 80 }; /* characters of a processor's name that leave room for a device */
	char processor[EKI_PROCESSOR], device[64];

	if (w->machine[0])
		return;
	eki_processor_name(processor);
	eki_device_identity(ctx, device, sizeof device);
	if (*device)
		processor[SHORT] = 0;
	const int used = snprintf(w->machine, sizeof w->machine, "%s %s", ek_version(), processor);

	if (*device)
		snprintf(w->machine + used, sizeof w->machine - (size_t)used, "; %s", device);
	for (char *c = w->machine; *c; c++) /* as the file of decisions needs it */
		*c = *c < ' ' || *c > '~' ? '?' : *c;
}

void eki_wisdom_machine(const ek_context *ctx, char machine[sizeof((eki_wisdom *)0)->machine])
{
	eki_wisdom *w = wisdom_of(ctx);

	eki_lock_take(&w->lock);
	machine_name(ctx, w);
	memcpy(machine, w->machine, sizeof w->machine);
	eki_lock_give(&w->lock);
}

/* Hashes the numbers by which steps of a plan choose. They are doubles, without gaps. */
static uint64_t profile_hash(const eki_machine *m)
{
	const char *from = (const char *)m + offsetof(eki_machine, memory_gbps);

	return eki_hash(from, (int64_t)(sizeof *m - offsetof(eki_machine, memory_gbps)), 0);
}

static void put(char *to, const char *text)
{
	memcpy(to, text, strlen(text));
}

/* Returns the key of the pattern of A or, if there are several matrices, a hash of all that the
 * result's pattern depends on, and of the types of its and their indices. */
static uint64_t patterns_of(const eki_problem *problem)
{
	const ek_matrix *A = problem->A[0].M;
	uint64_t all[2 * EKI_MAX_MATRICES + 2] = {problem->A[1].op, problem->index};

	if (problem->operation->matrices == 1)
		return eki_matrix_pattern(A);
	for (int k = 0; k < EKI_MAX_MATRICES; k++) {
		const ek_matrix *M = problem->A[k].M;

		all[2 + 2 * k] = M ? eki_matrix_pattern(M) : 0;
		all[3 + 2 * k] = M ? M->store.index : 0;
	}
	return eki_hash(all, sizeof all, 0);
}

bool eki_wisdom_key_of(const eki_step *step, const char *wanted, eki_wisdom_key *key)
{
	const eki_problem *problem = step->problem;
	const ek_matrix *A = problem->A[0].M;

	if (wanted && strlen(wanted) >= sizeof key->wanted)
		return false;
	memset(key, 0, sizeof *key);
	key->pattern = patterns_of(problem);
	key->profile = profile_hash(step->ctx->machine);
	eki_wisdom_machine(step->ctx, key->machine);
	put(key->operation, problem->operation->name);
	put(key->op, problem->A[0].op == EK_OP_T ? "t" : "n");
	put(key->value, ek_value_name(A->store.value));
	put(key->index, ek_index_name(A->store.index));
	/* With its way to gather, which may be another one in each process: methods that are not
	 * reproducible may then round otherwise. */
	put(key->isa, ek_isa_name(step->isa));
	put(key->wanted, wanted ? wanted : "-");
	key->threads = step->threads;
	key->width = problem->width;
	key->memory = problem->memory;
	for (int64_t calls = problem->calls; calls > 0; calls /= 10)
		key->digits++;
	return true;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Returns the place of a key in the hash table, which may be empty. The table has a place. */
static int64_t *place(const eki_wisdom *w, const eki_wisdom_key *key)
{
	const uint64_t last = 2 * (uint64_t)w->capacity - 1;
	uint64_t at = eki_hash(key, sizeof *key, 0) & last;

	while (w->slot[at] && memcmp(&w->list[w->slot[at] - 1].key, key, sizeof *key) != 0)
		at = (at + 1) & last;
	return &w->slot[at];
}

static void put_decision(eki_wisdom *w, const eki_decision *d)
{
	int64_t *at = place(w, &d->key);

	if (!*at)
		*at = ++w->count;
	w->list[*at - 1] = *d;
}

static void free_table(const ek_context *ctx, eki_wisdom *w)
{
	eki_free(ctx, w->list, w->capacity, sizeof *w->list);
	eki_free(ctx, w->slot, 2 * w->capacity, sizeof *w->slot);
	w->list = NULL;
	w->slot = NULL;
	w->count = w->capacity = 0;
}

/* Makes room for `more` decisions. The capacity is a power of 2. */
static ek_status reserve(const ek_context *ctx, eki_wisdom *w, int64_t more)
{
	eki_wisdom new = {.capacity = 16};
	void *list = NULL, *slot = NULL;
	ek_status status;

	if (w->count + more <= w->capacity)
		return EK_OK;
	while (new.capacity < w->count + more)
		new.capacity *= 2;
	EK_TRY(eki_alloc(ctx, new.capacity, sizeof *new.list, &list));
	EK_TRY(eki_calloc(ctx, 2 * new.capacity, sizeof *new.slot, &slot));
	new.list = list;
	new.slot = slot;
	for (int64_t k = 0; k < w->count; k++)
		put_decision(&new, &w->list[k]);
	free_table(ctx, w);
	w->list = new.list;
	w->slot = new.slot;
	w->count = new.count;
	w->capacity = new.capacity;
	return EK_OK;
done:
	eki_free(ctx, list, new.capacity, sizeof *new.list);
	return status;
}

bool eki_wisdom_find(const ek_context *ctx, const eki_wisdom_key *key, eki_decision *decision)
{
	eki_wisdom *w = wisdom_of(ctx);
	int64_t at;

	eki_lock_take(&w->lock);
	at = w->count ? *place(w, key) : 0;
	if (at)
		*decision = w->list[at - 1];
	eki_lock_give(&w->lock);
	return at != 0;
}

ek_status eki_wisdom_add(const ek_context *ctx, const eki_decision *list, int64_t count)
{
	eki_wisdom *w = wisdom_of(ctx);
	ek_status status;

	eki_lock_take(&w->lock);
	status = reserve(ctx, w, count);
	for (int64_t k = 0; k < count && status == EK_OK; k++)
		put_decision(w, &list[k]);
	eki_lock_give(&w->lock);
	return status;
}

ek_status eki_wisdom_copy(const ek_context *ctx, eki_decision **list, int64_t *count)
{
	eki_wisdom *w = wisdom_of(ctx);
	void *copy = NULL;
	ek_status status;

	eki_lock_take(&w->lock);
	status = eki_alloc(ctx, w->count, sizeof *w->list, &copy);
	if (status == EK_OK) {
		if (copy)
			memcpy(copy, w->list, (size_t)w->count * sizeof *w->list);
		*count = w->count;
		*list = copy;
	}
	eki_lock_give(&w->lock);
	return status;
}

void eki_wisdom_free(ek_context *ctx)
{
	free_table(ctx, &ctx->wisdom);
}

ek_status ek_wisdom_forget(ek_context *ctx)
{
	EK_RETURN_IF(eki_context_check(ctx));
	eki_lock_take(&ctx->wisdom.lock);
	free_table(ctx, &ctx->wisdom);
	eki_lock_give(&ctx->wisdom.lock);
	return EK_OK;
}

int64_t ek_wisdom_count(const ek_context *ctx)
{
	if (eki_context_check(ctx) != EK_OK)
		return 0;
	eki_wisdom *w = wisdom_of(ctx);
	int64_t count;

	eki_lock_take(&w->lock);
	count = w->count;
	eki_lock_give(&w->lock);
	return count;
}
