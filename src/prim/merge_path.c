/* SPDX-License-Identifier: BSD-3-Clause
 * The merge by the merge path. The result is cut into equal pieces. A search on a diagonal
 * (eki_merge_cut) finds where each piece begins in `a` and in `b`. Then each piece is a serial
 * merge of its own.
 *
 * A CPU and a GPU need different forms. On a GPU the pieces feed thousands of threads, and a thread
 * merges some ten pairs. On a CPU a thread has one long piece, and two things slow it down. A loop
 * that branches on the comparison mispredicts every second branch with random keys, at some twenty
 * cycles each. A loop that does not branch waits for itself: the next two keys to load are known
 * only when the last two have been compared. That takes about eight cycles, in which the processor
 * could do eight times as much.
 *
 * So a thread runs four serial merges at a time, step by step in turn, without branches. They are
 * the merges of two pieces, each from its beginning upwards and from its end downwards until the
 * two meet. If the thread has to do two whole merges of the batch, these merges are the two pieces,
 * and no search is needed. Otherwise the pieces are the two halves of one merge, or of the thread's
 * share of it. The searches, two or three for each thread, cost next to nothing. The ranking merge,
 * in contrast, searches once for every pair and does O(log n) times the work. On a GPU that work is
 * hidden behind memory accesses, but here it is not.
 *
 * As long as none of the four merges can reach an end of `a` or `b`, they run without checking for
 * the ends. That holds for at least as many steps as there are pairs left before the nearest end.
 * The rest is done one merge at a time, with branches. In that rest, one list is soon used up, or
 * the branches are predicted well.
 *
 * Positions are counted from the beginning of the batch, as if all its merges were one: the lesser
 * of pair i of `a` and pair j of `b` goes to place i + j. Liu 2015, Algorithm 18, and Green, McColl
 * and Bader 2012 for the pieces. */
#include <string.h>

#include "prim/merge.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/merge_path.c"
#include "base/for_each.h"

#include "prim_body/order.h"

/* A merge in progress, with `left` pairs to go. If it runs upwards, `i` and `j` are the positions
 * of the next pairs of `a` and `b`; if it runs downwards, `i` and `j` are one greater than those
 * positions. `ai` and `bj` are the positions where `a` and `b` end in the direction of the
 * merge. */
#ifndef EK_MERGE_LANE
#define EK_MERGE_LANE
typedef struct lane {
	int64_t i, j, left, ai, bj;
} lane;

static int64_t safe(const lane *l)
{
	const int64_t i = l->ai < l->i ? l->i - l->ai : l->ai - l->i;
	const int64_t j = l->bj < l->j ? l->j - l->bj : l->bj - l->j;
	const int64_t near = i < j ? i : j;

	return near < l->left ? near : l->left;
}

typedef struct arrays {
	const void *a, *b;
	const char *a_value, *b_value;
	void *out;
	char *out_value;
} arrays;
#endif

#define INLINE static inline __attribute__((always_inline))

/* Merges one pair, upwards if `up` is true, else downwards. `up` and `size` are compile-time
 * constants. Both candidates are loaded; the comparison only selects one of them. */
INLINE void FN(step)(const arrays *m, int64_t *i, int64_t *j, bool up, VAL flip, int64_t size)
{
	const FN(raw) *a = m->a, *b = m->b;
	const int64_t p = up ? *i : *i - 1, q = up ? *j : *j - 1, o = up ? p + q : p + q + 1;
	const VAL x = a[p], y = b[q];
	const bool less = FN(order)(y, flip) < FN(order)(x, flip), second = up ? less : !less;

	((FN(raw) *)m->out)[o] = second ? y : x;
	if (size) {
		/* The value is selected by a mask, since compilers tend to branch on a condition
		 * here. */
		const uintptr_t v = (uintptr_t)(m->a_value + p * size);
		const uintptr_t w = (uintptr_t)(m->b_value + q * size);
		const uintptr_t from = v ^ ((v ^ w) & -(uintptr_t)second);

		memcpy(m->out_value + o * size, (const void *)from, (size_t)size);
	}
	*i += up ? !second : -!second;
	*j += up ? second : -(int64_t)second;
}

/* Copies n pairs, which begin at place k of `a`, or of `b` if `second` is true. In the result they
 * begin at place `o`. */
INLINE void FN(rest)(const arrays *m, bool second, int64_t k, int64_t o, int64_t n, int64_t size)
{
	const FN(raw) *from = second ? m->b : m->a;

	memcpy((FN(raw) *)m->out + o, from + k, (size_t)n * sizeof(VAL));
	if (size)
		memcpy(m->out_value + o * size, (second ? m->b_value : m->a_value) + k * size,
		       (size_t)(n * size));
}

INLINE void FN(finish)(const arrays *m, lane l, bool up, VAL flip, int64_t size)
{
	const FN(raw) *a = m->a, *b = m->b;

	for (; l.left && l.i != l.ai && l.j != l.bj; l.left--) {
		const int64_t p = up ? l.i : l.i - 1, q = up ? l.j : l.j - 1;
		const bool less = FN(order)(b[q], flip) < FN(order)(a[p], flip);
		const int64_t o = up ? p + q : p + q + 1;

		if (less == up) {
			FN(rest)(m, true, q, o, 1, size);
			l.j = up ? q + 1 : q;
		} else {
			FN(rest)(m, false, p, o, 1, size);
			l.i = up ? p + 1 : p;
		}
	}
	if (l.left) {
		const bool second = l.i == l.ai;
		const int64_t back = up ? 0 : l.left;

		FN(rest)(m, second, (second ? l.j : l.i) - back, l.i + l.j - back, l.left, size);
	}
}

/* Runs four merges to their ends: l[0] and l[2] upwards, l[1] and l[3] downwards. */
INLINE void FN(four)(const arrays *m, lane l[4], VAL flip, int64_t size)
{
	const arrays at = *m;
	int64_t steps = 0, more = 0;

	do {
		int64_t i0 = l[0].i, i1 = l[1].i, i2 = l[2].i, i3 = l[3].i;
		int64_t j0 = l[0].j, j1 = l[1].j, j2 = l[2].j, j3 = l[3].j;

		for (int64_t k = 0; k < more; k++) {
			FN(step)(&at, &i0, &j0, true, flip, size);
			FN(step)(&at, &i1, &j1, false, flip, size);
			FN(step)(&at, &i2, &j2, true, flip, size);
			FN(step)(&at, &i3, &j3, false, flip, size);
		}
		l[0].i = i0, l[1].i = i1, l[2].i = i2, l[3].i = i3;
		l[0].j = j0, l[1].j = j1, l[2].j = j2, l[3].j = j3;
		steps = more;
		more = INT64_MAX;
		for (int k = 0; k < 4; k++) {
			l[k].left -= steps;
			more = safe(&l[k]) < more ? safe(&l[k]) : more;
		}
	} while (more);
	for (int k = 0; k < 4; k++)
		FN(finish)(&at, l[k], k % 2 == 0, flip, size);
}

INLINE void FN(by_type)(const arrays *m, lane l[4], ek_value type, int64_t size)
{
	if (FN(flip)(type))
		FN(four)(m, l, FN(flip)(EK_F64), size);
	else
		FN(four)(m, l, 0, size);
}

static void FN(path_0)(const arrays *m, lane l[4], ek_value type)
{
	FN(by_type)(m, l, type, 0);
}

static void FN(path_4)(const arrays *m, lane l[4], ek_value type)
{
	FN(by_type)(m, l, type, 4);
}

static void FN(path_8)(const arrays *m, lane l[4], ek_value type)
{
	FN(by_type)(m, l, type, 8);
}
#undef INLINE

#if EK_ONCE

/* Largest number of pairs in a merge whose arrays are prefetched as a whole. */
enum { FETCH = 1024 };

typedef void four_fn(const arrays *, lane[4], ek_value);

/* Sets up two merges for pairs begin .. end - 1 of the result of merge k: l[0] runs upwards from
 * `begin`, l[1] downwards from `end`, and they meet in the middle. */
static void lanes(const eki_array *a, int64_t k, int64_t begin, int64_t end, lane l[2])
{
	const int64_t an = a->a.n, bn = a->b.n;
	const eki_merge m = eki_merge_of(a, k);
	const int64_t i = eki_merge_cut(a, &m, begin), p = eki_merge_cut(a, &m, end);
	const int64_t half = (end - begin) / 2;

	l[0] = (lane){k * an + i, k * bn + begin - i, half, (k + 1) * an, (k + 1) * bn};
	l[1] = (lane){k * an + p, k * bn + end - p, end - begin - half, k * an, k * bn};
}

/* Prefetches n entries of `size` bytes, beginning with entry `begin`. Short merges that run from
 * both sides form no streams that the processor would recognize. So the arrays of the next two
 * merges are prefetched before the current two are done. */
static void fetch(const void *array, int64_t begin, int64_t n, size_t size)
{
	const uintptr_t from = (uintptr_t)array + (uintptr_t)begin * size;

	for (uintptr_t p = from; p < from + (uintptr_t)n * size; p += 64)
		__builtin_prefetch((const void *)p);
}

static void fetch_two(const eki_array *a, int64_t k)
{
	const size_t size = ek_value_size(a->type), values = a->a.value_size;
	const int64_t an = a->a.n, bn = a->b.n;

	fetch(a->a.key, k * an, 2 * an, size);
	fetch(a->b.key, k * bn, 2 * bn, size);
	fetch(a->c.key, k * (an + bn), 2 * (an + bn), size);
	fetch(a->a.value, k * an, 2 * an, values);
	fetch(a->b.value, k * bn, 2 * bn, values);
	fetch(a->c.value, k * (an + bn), 2 * (an + bn), values);
}

typedef struct work {
	const eki_array *a;
	arrays at;
	four_fn *four;
	int parts;
} work;

static void part(void *arg, int number)
{
	const work *w = arg;
	const eki_array *a = w->a;
	const int64_t n = a->a.n + a->b.n, all = a->batch * n;
	const int64_t end = eki_cut(all, w->parts, number + 1);

	for (int64_t o = eki_cut(all, w->parts, number); o < end;) {
		const int64_t k = o / n, begin = o - k * n, rest = end - k * n;
		lane l[4];

		if (begin == 0 && rest >= 2 * n) {
			if (n <= FETCH)
				fetch_two(a, k + 2);
			lanes(a, k, 0, n, &l[0]);
			lanes(a, k + 1, 0, n, &l[2]);
			o += 2 * n;
		} else {
			const int64_t stop = rest < n ? rest : n, mid = begin + (stop - begin) / 2;

			lanes(a, k, begin, mid, &l[0]);
			lanes(a, k, mid, stop, &l[2]);
			o += stop - begin;
		}
		w->four(&w->at, l, a->type);
	}
}

void eki_merge_path_into(const eki_array *a)
{
	static four_fn *const four[3][2] = {EK_BY_INT(path_0), EK_BY_INT(path_4),
	                                    EK_BY_INT(path_8)};
	work w = {.a = a,
	          .at = {a->a.key, a->b.key, a->a.value, a->b.value, a->c.key, a->c.value},
	          .four = four[a->a.value_size / 4][eki_int_row(a->type)],
	          .parts = a->threads};

	eki_parallel(a->ctx, a->threads, w.parts, part, &w);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	(void)step;
	eki_merge_path_into(v->array);
	return EK_OK;
}

/* Predicts the time in nanoseconds: 1.3 for each pair, or 2.3 if keys are floats, since those are
 * flipped to integers as they are compared. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const bool real = a->type == EK_F32 || a->type == EK_F64;

	return f->machine->array.merge_entry[real] * (double)a->batch * (double)(a->a.n + a->b.n) /
	       a->threads;
}

const ek_method ek_merge_path = {
	.name = "merge.path",
	.text = "equal pieces by search on diagonals, four at a time without branches",
	.source = "Liu 2015, Algorithm 18; Green, McColl and Bader 2012",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
