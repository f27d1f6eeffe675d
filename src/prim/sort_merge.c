/* SPDX-License-Identifier: BSD-3-Clause
 * The merge sort in vectors: registers of pairs are sorted by networks, and the runs merged by
 * networks too (prim/network.h), so that no branch depends on a single key.
 *
 * A piece for each thread is sorted by halves, depth first, so that all but the last merges find
 * their runs in the caches; each level goes from the array to the copy or back, and the shortest
 * runs go at once to where the first level wants them. Then the pieces are merged, two to one,
 * until there is one; for that all threads share the merges, cut where the merge path cuts the
 * result into equal parts. Floats are flipped to integers by the first step and back by the last.
 *
 * Cost: n log2(n / 64) comparisons by W lanes at a time; a copy of the pairs as temporary memory.
 * Chhugani et al. 2008; Odeh, Green, Mwassi, Shmueli and Birk 2012, Merge path. */
#include <math.h>

#include "prim/merge.h"
#include "prim/network.h"

struct sort {
	eki_run run[2]; /* the caller's arrays, and the copy */
	int64_t n, size, values, most;
	ek_value as; /* integers of the keys' size */
	eki_sort_short_fn *sort_short;
	eki_merge_run_fn *merge_run;
	unsigned flip; /* of the first step, and of the last */
	int threads, pieces;
	int width; /* of the merges of this round, in pieces */
	int from;  /* and the run that they read */
};

static eki_run at(const struct sort *s, int which, int64_t i)
{
	const eki_run r = s->run[which];

	return (eki_run){(char *)r.key + i * s->size, s->values ? r.value + i * s->values : NULL};
}

static void merge(const struct sort *s, int from, int64_t i, int64_t in, int64_t j, int64_t jn,
                  int64_t to, unsigned flip)
{
	const eki_run a = at(s, from, i), b = at(s, from, j), c = at(s, !from, to);

	s->merge_run(in, a.key, a.value, jn, b.key, b.value, c.key, c.value, flip);
}

/* Sorts pairs begin .. begin + n - 1 of the caller's arrays to the same place of run `to`. */
static void sort_range(const struct sort *s, int64_t begin, int64_t n, int to, unsigned out)
{
	if (n <= s->most) {
		s->sort_short(n, at(s, 0, begin), at(s, to, begin), (s->flip & EKI_FLIP_IN) | out);
		return;
	}

	const int64_t half = ((n + s->most - 1) / s->most + 1) / 2 * s->most;

	sort_range(s, begin, half, !to, 0);
	sort_range(s, begin + half, n - half, !to, 0);
	merge(s, !to, begin, half, begin + half, n - half, begin, out);
}

static void sort_piece(void *arg, int part)
{
	const struct sort *s = arg;
	const int64_t begin = eki_cut(s->n, s->pieces, part);

	sort_range(s, begin, eki_cut(s->n, s->pieces, part + 1) - begin, s->from,
	           s->pieces == 1 ? s->flip & EKI_FLIP_OUT : 0);
}

/* One part of all merges of a round: what they write to begin .. end - 1. */
static void merge_part(void *arg, int part)
{
	const struct sort *s = arg;
	const eki_array type = {.type = s->as};
	const int64_t begin = eki_cut(s->n, s->threads, part),
		      end = eki_cut(s->n, s->threads, part + 1);
	const unsigned out = 2 * s->width == s->pieces ? s->flip & EKI_FLIP_OUT : 0;

	for (int k = 0; k < s->pieces; k += 2 * s->width) {
		const int64_t a = eki_cut(s->n, s->pieces, k),
			      b = eki_cut(s->n, s->pieces, k + s->width),
			      c = eki_cut(s->n, s->pieces, k + 2 * s->width);
		const int64_t first = begin > a ? begin : a, last = end < c ? end : c;

		if (first >= last)
			continue;

		const eki_merge m = {.an = b - a,
		                     .bn = c - b,
		                     .a = at(s, s->from, a).key,
		                     .b = at(s, s->from, b).key};
		const int64_t i = eki_merge_cut(&type, &m, first - a),
			      iend = eki_merge_cut(&type, &m, last - a);
		const int64_t j = first - a - i, jend = last - a - iend;

		merge(s, s->from, a + i, iend - i, b + j, jend - j, first, out);
	}
}

static void sort(struct sort *s)
{
	int rounds = 0;

	while (1 << rounds < s->pieces)
		rounds++;
	s->from = rounds % 2;
	eki_parallel(s->threads, s->pieces, sort_piece, s);
	for (s->width = 1; s->width < s->pieces; s->width *= 2) {
		eki_parallel(s->threads, s->threads, merge_part, s);
		s->from = !s->from;
	}
}

/* A power of two: as many as threads, or so many that their number does not matter much. */
static int pieces(int threads)
{
	int n = 1;

	while (n < threads)
		n *= 2;
	return n == threads ? n : 4 * n;
}

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	const size_t size = ek_value_size(a->type), values = a->a.value_size;
	const int row = eki_int_row(a->type);
	struct sort s = {.n = a->n,
	                 .size = (int64_t)size,
	                 .values = (int64_t)values,
	                 .most = eki_short_max(a->isa, a->type, values),
	                 .as = row ? EK_INT64 : EK_INT32,
	                 .sort_short = eki_sort_short[a->isa][row][values / 4],
	                 .merge_run = eki_merge_run[a->isa][row][values / 4],
	                 .flip = eki_flip(a->type),
	                 .threads = a->threads};
	const bool small = a->n <= s.most;
	const int64_t room = small ? 0 : a->n;
	void *key = NULL, *value = NULL;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(ctx, room, size, &key));
	if (values)
		EK_TRY(eki_alloc(ctx, room, values, &value));
	s.pieces = small ? 1 : pieces(s.threads);
	s.run[0] = (eki_run){a->a.key, a->a.value};
	s.run[1] = (eki_run){key, value};
	sort(&s);
done:
	eki_free(ctx, key, room, size);
	eki_free(ctx, value, room, values);
	return status;
}

/* Nanoseconds of one core for a pair and a level, as measured. */
static double cost(const eki_array *a)
{
	static const double level[EK_NISA] = {4, 1, 0.5};
	const double n = (double)a->n;

	return n * log2(n + 2) * level[a->isa] * (double)(a->a.value_size + 8) / 8 / a->threads;
}

const ek_method ek_sort_merge = {
	.name = "sort.merge",
	.text = "merge sort whose runs are made and merged by networks in registers",
	.source = "evenkeel; Chhugani et al. 2008; Odeh et al. 2012",
	.operation = EK_SORT,
	.backend = EKI_CPU,
	.array = run,
	.array_cost = cost,
};
