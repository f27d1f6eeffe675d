/* SPDX-License-Identifier: BSD-3-Clause
 * The merge sort in vectors: networks sort pairs in registers, and networks merge the sorted runs
 * too (prim/network.h), so that no branch depends on a single key.
 *
 * The array is cut into pieces, at least one for each thread. A thread sorts a piece by halves,
 * depth first, so that all merges except the last ones find their runs in the caches. Each level
 * merges from the array to the copy or back. The shortest runs are written directly to the array
 * that the first level reads. Then the pieces are merged, two to one, until one is left. All
 * threads share these merges, which are cut where the merge path divides the result into equal
 * parts. The first step flips floats to integers, and the last one flips them back.
 *
 * Cost: n log2(n / 64) comparisons, W at a time, and temporary memory for a copy of the pairs.
 * Chhugani et al. 2008; Odeh, Green, Mwassi, Shmueli and Birk 2012, Merge path. */
#include <math.h>

#include "prim/merge.h"
#include "prim/network.h"

struct sort {
	const ek_context *ctx;
	eki_pair_at run[2]; /* [0] the caller's arrays, [1] the copy */
	int64_t n, size, values, most;
	ek_value as; /* integer type of the same size as the keys */
	eki_sort_short_fn *sort_short;
	eki_merge_run_fn *merge_run;
	unsigned flip; /* EKI_FLIP_ flags, for the first step and for the last */
	int threads, pieces;
	int width; /* number of pieces in each run that this round merges */
	int from;  /* index in `run` of the arrays that this round reads: 0 or 1 */
};

static eki_pair_at at(const struct sort *s, int which, int64_t i)
{
	const eki_pair_at r = s->run[which];

	return (eki_pair_at){(char *)r.key + i * s->size,
	                     s->values ? r.value + i * s->values : NULL};
}

static void merge(const struct sort *s, int from, int64_t i, int64_t in, int64_t j, int64_t jn,
                  int64_t to, unsigned flip)
{
	const eki_pair_at a = at(s, from, i), b = at(s, from, j), c = at(s, !from, to);

	s->merge_run(in, a.key, a.value, jn, b.key, b.value, c.key, c.value, flip);
}

/* Sorts pairs begin .. begin + n - 1 of the caller's arrays into the same places of run[to]. `out`
 * is EKI_FLIP_OUT if keys are to be flipped back, else 0. */
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

/* Does one thread's share of a round of merges: all that goes to the thread's part of the
 * result. */
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
	eki_parallel(s->ctx, s->threads, s->pieces, sort_piece, s);
	for (s->width = 1; s->width < s->pieces; s->width *= 2) {
		eki_parallel(s->ctx, s->threads, s->threads, merge_part, s);
		s->from = !s->from;
	}
}

/* Returns the number of pieces, always a power of two. It is the number of threads if that is a
 * power of two. Otherwise it is so much larger that all threads get about the same amount of
 * work. */
static int pieces(int threads)
{
	int n = 1;

	while (n < threads)
		n *= 2;
	return n == threads ? n : 4 * n;
}

int64_t eki_sort_scratch_pairs(const eki_array *a)
{
	return a->n <= eki_short_max(a->isa, a->type, a->a.value_size) ? 0 : a->n;
}

void eki_sort_into(const eki_array *a, eki_pair_at scratch)
{
	const size_t values = a->a.value_size;
	const int row = eki_int_row(a->type);
	struct sort s = {.run = {{a->a.key, a->a.value}, scratch},
	                 .n = a->n,
	                 .size = (int64_t)ek_value_size(a->type),
	                 .values = (int64_t)values,
	                 .most = eki_short_max(a->isa, a->type, values),
	                 .as = row ? EK_INT64 : EK_INT32,
	                 .sort_short = eki_sort_short[a->isa][row][values / 4],
	                 .merge_run = eki_merge_run[a->isa][row][values / 4],
	                 .flip = eki_flip(a->type),
	                 .ctx = a->ctx,
	                 .threads = a->threads,
	                 .pieces = eki_sort_scratch_pairs(a) ? pieces(a->threads) : 1};

	if (a->n > 0) /* otherwise the arrays may be NULL */
		sort(&s);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	const size_t size = ek_value_size(a->type), values = a->a.value_size;
	const int64_t capacity = eki_sort_scratch_pairs(a);
	void *key = NULL, *value = NULL;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(ctx, capacity, size, &key));
	if (values)
		EK_TRY(eki_alloc(ctx, capacity, values, &value));
	eki_sort_into(a, (eki_pair_at){key, value});
done:
	eki_free(ctx, key, capacity, size);
	eki_free(ctx, value, capacity, values);
	return status;
}

/* Predicts the time in nanoseconds, from the time that one core takes for one pair and one level
 * of merges. That time was measured for each instruction set. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const double n = (double)a->n;

	return n * log2(n + 2) * f->machine->array.sort_level[eki_isa_row(a->isa)] *
	       (double)(a->a.value_size + 8) / 8 / a->threads;
}

const ek_method ek_sort_merge = {
	.name = "sort.merge",
	.text = "merge sort whose runs are made and merged by networks in registers",
	.source = "evenkeel; Chhugani et al. 2008; Odeh et al. 2012",
	.operation = EK_SORT,
	.backend = EKI_CPU,
	.run = run,
	.cost = cost,
};
