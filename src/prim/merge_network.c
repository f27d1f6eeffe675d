/* SPDX-License-Identifier: BSD-3-Clause
 * Runs the steps of sorting networks in the memory of the result, without scratch memory. In a step
 * no two comparators touch the same pair, so the threads divide the step by position; the next step
 * begins when all threads are done. If there is at least one merge for each thread, each thread
 * does whole merges instead and never waits.
 *
 * A step reads and writes all pairs once, with one comparison for every two pairs. The loop over
 * the places of a block has neither branches nor dependences, so compilers vectorize the loop where
 * blocks are at least as long as a vector. */
#include <string.h>

#include "prim/merge_network.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/merge_network.c"
#include "base/for_each.h"

#include "prim_body/order.h"

#define INLINE static inline __attribute__((always_inline))

#ifndef EK_STEP_VALUES
#define EK_STEP_VALUES
typedef uint32_t EK_MAY_ALIAS value_4;
typedef uint64_t EK_MAY_ALIAS value_8;

/* A part of a step: the comparators whose lower place is in begin .. end - 1. */
typedef struct range {
	void *key, *value;
	int64_t n, begin, end;
	ek_value type;
} range;
#endif

/* Runs `count` comparators, which compare places x, x + 1, ... with places x + d, x + d + 1, ....
 * `size`, the bytes of a value, is a compile-time constant, and so is `d` where it is small. */
INLINE void FN(block)(const range *r, int64_t x, int64_t count, int64_t d, VAL flip, int size)
{
	FN(raw) *restrict key = (FN(raw) *)r->key + x;
	value_4 *restrict narrow = size == 4 ? (value_4 *)r->value + x : NULL;
	value_8 *restrict wide = size == 8 ? (value_8 *)r->value + x : NULL;

	for (int64_t k = 0; k < count; k++) {
		const VAL p = key[k], q = key[k + d];
		const bool swap = FN(order)(q, flip) < FN(order)(p, flip);

		key[k] = swap ? q : p;
		key[k + d] = swap ? p : q;
		if (size == 4) {
			const uint32_t v = narrow[k], w = narrow[k + d];

			narrow[k] = swap ? w : v;
			narrow[k + d] = swap ? v : w;
		} else if (size == 8) {
			const uint64_t v = wide[k], w = wide[k + d];

			wide[k] = swap ? w : v;
			wide[k + d] = swap ? v : w;
		}
	}
}

INLINE void FN(blocks)(const range *r, int64_t first, int64_t d, VAL flip, int size)
{
	const int64_t end = r->end < r->n - d ? r->end : r->n - d;
	const int64_t skip = r->begin > first ? (r->begin - first) / (2 * d) : 0;

	for (int64_t x = first + skip * 2 * d; x < end; x += 2 * d) {
		if (x >= r->begin && x + d <= end) {
			FN(block)(r, x, d, d, flip, size);
		} else {
			const int64_t from = x > r->begin ? x : r->begin;
			const int64_t to = x + d < end ? x + d : end;

			FN(block)(r, from, to - from, d, flip, size);
		}
	}
}

INLINE void FN(step)(const range *r, const eki_exchange *s, VAL flip, int size)
{
	if (s->distance == 1)
		FN(blocks)(r, s->first, 1, flip, size);
	else if (s->distance == 2)
		FN(blocks)(r, s->first, 2, flip, size);
	else if (s->distance == 4)
		FN(blocks)(r, s->first, 4, flip, size);
	else
		FN(blocks)(r, s->first, s->distance, flip, size);
}

INLINE void FN(by_flip)(const range *r, const eki_exchange *s, int size)
{
	if (FN(flip)(r->type))
		FN(step)(r, s, FN(flip)(EK_F64), size);
	else
		FN(step)(r, s, 0, size);
}

static void FN(step_0)(const range *r, const eki_exchange *s)
{
	FN(by_flip)(r, s, 0);
}

static void FN(step_4)(const range *r, const eki_exchange *s)
{
	FN(by_flip)(r, s, 4);
}

static void FN(step_8)(const range *r, const eki_exchange *s)
{
	FN(by_flip)(r, s, 8);
}

/* Fills places begin .. end - 1 of the result with the input of the first step: list `a`, reversed
 * if `reverse` is true, and then list `b`. */
static void FN(lay)(const eki_merge *m, bool reverse, int64_t begin, int64_t end, size_t size)
{
	const FN(raw) *a = (const void *)m->a, *b = (const void *)m->b;
	FN(raw) *out = (void *)m->out;

	for (int64_t o = begin; o < end; o++) {
		const bool second = o >= m->an;
		const int64_t i = second ? o - m->an : reverse ? m->an - 1 - o : o;

		out[o] = second ? b[i] : a[i];
		if (size)
			memcpy(m->out_value + o * (int64_t)size,
			       (second ? m->b_value : m->a_value) + i * (int64_t)size, size);
	}
}
#undef INLINE

#if EK_ONCE

typedef void step_fn(const range *, const eki_exchange *);
typedef void lay_fn(const eki_merge *, bool, int64_t, int64_t, size_t);

typedef struct work {
	const eki_array *a;
	bool reverse;
	int steps;
	eki_exchange step[EKI_STEPS];
	step_fn *apply;
	lay_fn *lay;
	int now; /* current step of all threads; -1 while the result is filled with the input */
} work;

static void share(const work *w, int64_t k, int now, int64_t begin, int64_t end)
{
	const eki_merge m = eki_merge_of(w->a, k);
	const range r = {m.out, m.out_value, m.an + m.bn, begin, end, w->a->type};

	if (now < 0)
		w->lay(&m, w->reverse, begin, end, w->a->a.value_size);
	else
		w->apply(&r, &w->step[now]);
}

/* Runs one thread's share of a step of a single merge. */
static void part_of_step(void *arg, int number)
{
	const work *w = arg;
	const int64_t n = w->a->a.n + w->a->b.n;

	share(w, 0, w->now, eki_cut(n, w->a->threads, number),
	      eki_cut(n, w->a->threads, number + 1));
}

/* Runs one thread's share of the batch, which consists of whole merges. */
static void part_of_batch(void *arg, int number)
{
	const work *w = arg;
	const int64_t end = eki_cut(w->a->batch, w->a->threads, number + 1);

	for (int64_t k = eki_cut(w->a->batch, w->a->threads, number); k < end; k++)
		for (int now = -1; now < w->steps; now++)
			share(w, k, now, 0, w->a->a.n + w->a->b.n);
}

ek_status eki_merge_network(const eki_array *a, bool reverse, eki_steps_fn *steps)
{
	static step_fn *const step[3][EK_NISA][2] = {
		EK_BY_ISA_AND_INT(step_0), EK_BY_ISA_AND_INT(step_4), EK_BY_ISA_AND_INT(step_8)};
	static lay_fn *const lay[EK_NISA][2] = EK_BY_ISA_AND_INT(lay);
	const int row = eki_int_row(a->type);
	work w = {.a = a,
	          .reverse = reverse,
	          .apply = step[a->a.value_size / 4][a->isa][row],
	          .lay = lay[a->isa][row]};
	eki_array one = *a;

	w.steps = steps(a->a.n, a->b.n, w.step);
	if (a->batch >= a->threads) {
		eki_parallel(a->ctx, a->threads, a->threads, part_of_batch, &w);
		return EK_OK;
	}
	w.a = &one;
	for (int64_t k = 0; k < a->batch; k++) {
		const eki_merge m = eki_merge_of(a, k);

		one.a = ek_key_value(a->type, a->a.value_size, m.an, m.a, m.a_value);
		one.b = ek_key_value(a->type, a->a.value_size, m.bn, m.b, m.b_value);
		one.c = ek_key_value(a->type, a->a.value_size, 0, m.out, m.out_value);
		for (w.now = -1; w.now < w.steps; w.now++)
			eki_parallel(a->ctx, a->threads, a->threads, part_of_step, &w);
	}
	return EK_OK;
}

#endif
