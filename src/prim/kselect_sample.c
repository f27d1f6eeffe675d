/* SPDX-License-Identifier: BSD-3-Clause
 * k-selection at the speed of the memory. Two numbers from a small sample bracket the k-th. One
 * pass counts the entries below the bracket and copies those inside it, where the search continues.
 *
 * A sample of s entries puts the k-th between ranks s k / n - d and s k / n + d, where d is three
 * standard deviations of the binomial distribution. Of a list of 2^20 entries at most one in
 * fifteen is left after the first pass, and at most one in ten of those after the second. A smaller
 * sample would leave more entries. Copying those would take more time than the smaller sample
 * saves, and more memory. Once at most 1,024 entries remain, bisection finds the k-th (select.h).
 *
 * Entries equal to an end of the bracket are counted, not copied, so equal numbers end the search
 * instead of filling the memory. If the k-th may equal an end of the bracket, a second pass checks
 * that: it counts the entries that are less than the lower end, or not greater than the upper end.
 * If two brackets in a row do not contain the k-th, kselect.radix takes over. With random samples
 * that happens once in ten thousand times. The positions of the sample are fixed, so an input can
 * be built for which the brackets fail, but such an input only makes the call slower.
 *
 * Each position of a sample costs a cache miss, so four neighbouring entries are taken at each
 * position. As neighbours may be similar, only one entry is taken at each position after a failure.
 *
 * All threads share the passes over a long list. A pass consists of SIMD comparisons and of
 * compressions in registers. Floyd and Rivest 1975. */
#include <math.h>

#include "prim/kselect.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/kselect_sample.c"
#include "base/for_each.h"
#include "prim/select.h"

/* Returns the entry that would be at position k, counted from 0, if the n entries were sorted. The
 * result is an integer made by prim_body/order.h. n is at most EKI_SELECT_FEW. */
static int64_t FN(few)(ek_value type, const void *in, int64_t n, int64_t k)
{
	return FN(bisect)(in, n, k, FN(flip)(type));
}

/* Finds the ends *lo and *hi of the bracket in a sample of n entries: about `first` of the entries
 * are below *lo, and about `last` below *hi. Both counts may be off by a few entries; this
 * tolerance saves most steps of the search. *lo is left as it is if `first` is negative, and *hi if
 * `last` is n or more. */
static void FN(pivots)(ek_value type, const void *in, int64_t n, int64_t first, int64_t last,
                       int64_t *lo, int64_t *hi)
{
	const int64_t slack = n < 1024 ? n / 64 : 16;
	VAL v[EKI_SELECT_SAMPLE], min, max;
	int64_t below;

	FN(few_load)(in, n, FN(flip)(type), v, &min, &max);
	if (first >= 0)
		*lo = FN(cut)(v, n, first - slack, first, min, max, &below);
	if (last < n)
		*hi = FN(cut)(v, n, last, last + slack, min, max, &below);
}

#if EK_PER_TYPE

/* Copies `run` neighbouring entries from each of count / run equal pieces of the list. Their
 * position in the piece is pseudo-random, since a fixed stride would fail on inputs with the same
 * period. */
static void FN(sample)(const void *list, int64_t n, int count, int run, uint64_t seed, void *out)
{
	const FN(raw) *in = list;
	FN(raw) *to = out;
	const uint64_t stride = (uint64_t)(n / (count / run)), places = stride - (uint64_t)run + 1;

	for (uint64_t i = 0; i < (uint64_t)(count / run); i++) {
		uint64_t random = (i + seed) * UINT64_C(0x9e3779b97f4a7c15);

		random = (random ^ random >> 32) * UINT64_C(0xd6e8feb86659fd93);
		for (int j = 0; j < run; j++)
			*to++ = in[i * stride + ((random >> 32) * places >> 32) + (uint64_t)j];
	}
}

static void FN(give)(int64_t number, ek_value type, void *out)
{
	*(FN(raw) *)out = FN(order)((VAL)number, FN(flip)(type));
}

#endif
#if EK_ONCE

typedef int64_t few_fn(ek_value, const void *, int64_t, int64_t);
static few_fn *const few[EK_NISA][2] = EK_BY_ISA_AND_INT(few);
static void (*const pivots[EK_NISA][2])(ek_value, const void *, int64_t, int64_t, int64_t,
                                        int64_t *, int64_t *) = EK_BY_ISA_AND_INT(pivots);
static void (*const sample[])(const void *, int64_t, int, int, uint64_t,
                              void *) = EK_BY_INT(sample);
static void (*const give[])(int64_t, ek_value, void *) = EK_BY_INT(give);

/* The state of the search for the entry that would be at position `k` if the `n` entries at `in`
 * were sorted. */
struct search {
	const eki_list *s;
	const void *in;
	int64_t n, k;
	char *free; /* unused scratch memory */
	int64_t capacity;
	int64_t least, greatest; /* least and greatest number of the type */
	int64_t found;
	int failures; /* number of brackets that have failed since the last one that held */
};

enum { SHARE = 1 << 17 /* least number of entries for which a pass uses several threads */ };

static int sample_size(int64_t n)
{
	const double root = 3 * sqrt((double)n);

	return root < EKI_SELECT_SAMPLE ? (int)root / 4 * 4 : EKI_SELECT_SAMPLE;
}

/* Finds the two ends of the bracket, *lo <= *hi. Each end is a number in the range of the sample,
 * or the least or the greatest number of the type. */
static void bracket(const struct search *f, uint64_t seed, int64_t *lo, int64_t *hi)
{
	const ek_value type = f->s->a->type;
	const int row = eki_int_row(type);
	const int count = sample_size(f->n);
	const double share = ((double)f->k + 0.5) / (double)f->n;
	const double rank = share * count;
	const double margin = 3 * sqrt(rank * (1 - share)) + 2;
	const int first = (int)floor(rank - margin), last = (int)ceil(rank + margin);

	*lo = f->least;
	*hi = f->greatest;
	sample[row](f->in, f->n, count, f->failures ? 1 : 4, seed, f->free);
	pivots[f->s->a->isa][row](type, f->free, count, first, last, lo, hi);
}

/* Returns how many of the f->n entries at f->in are at most x. */
static int64_t not_above(const struct search *f, const eki_list *s, int64_t x)
{
	eki_filter pass = {.in = f->in, .n = f->n, .lo = x, .hi = x};

	eki_filter_run(s, &pass);
	return pass.upto;
}

enum outcome { FAILED, NARROWED, FOUND };

static enum outcome narrow(struct search *f, uint64_t seed)
{
	const int64_t size = (int64_t)ek_value_size(f->s->a->type);
	eki_list s = *f->s;
	eki_filter pass = {.in = f->in, .n = f->n, .out = f->free, .capacity = f->capacity};

	if (f->n < SHARE)
		s.threads = 1;
	bracket(f, seed, &pass.lo, &pass.hi);
	eki_filter_run(&s, &pass);
	if (f->k < pass.upto) {
		f->found = pass.lo;
		return pass.lo == f->least || f->k >= not_above(f, &s, pass.lo - 1) ? FOUND
		                                                                    : FAILED;
	}
	if (pass.inside > pass.capacity)
		return FAILED;
	if (f->k >= pass.upto + pass.inside) {
		f->found = pass.hi;
		return pass.hi == f->greatest || f->k < not_above(f, &s, pass.hi) ? FOUND : FAILED;
	}
	f->k -= pass.upto;
	f->in = f->free;
	f->n = pass.inside;
	f->free += pass.inside * size;
	f->capacity -= pass.inside;
	return NARROWED;
}

static void select_list(eki_list *s)
{
	const eki_array *a = s->a;
	const int row = eki_int_row(a->type);
	struct search f = {.s = s,
	                   .in = s->in,
	                   .n = a->n,
	                   .k = a->k - 1,
	                   .free = s->scratch,
	                   .capacity = s->capacity,
	                   .least = row ? INT64_MIN : INT32_MIN,
	                   .greatest = row ? INT64_MAX : INT32_MAX};
	enum outcome last = NARROWED;

	for (uint64_t seed = 0; f.n > EKI_SELECT_FEW && last != FOUND;) {
		if (f.failures == 2 || f.capacity < sample_size(f.n)) {
			f.found = eki_select_radix[a->isa][row](a->type, f.in, f.n, f.k, s->scratch,
			                                        s->capacity);
			last = FOUND;
		} else {
			last = narrow(&f, seed += EKI_SELECT_SAMPLE);
			f.failures = last == FAILED ? f.failures + 1 : 0;
		}
	}
	if (last != FOUND)
		f.found = few[a->isa][row](a->type, f.in, f.n, f.k);
	give[row](f.found, a->type, s->kth);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;

	return eki_kselect_lists(ctx, a, select_list, a->n / 4, EKI_SELECT_SPLIT);
}

static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_array_speed *s = &f->machine->array;
	const double all = (double)a->lists * (double)a->n;

	return (all * (double)ek_value_size(a->type) / s->select_gbps +
	        s->select_list * (double)a->lists) /
	       a->threads;
}

const ek_method ek_kselect_sample = {
	.name = "kselect.sample",
	.text = "a sample brackets the k-th, one SIMD pass keeps what is inside; the default",
	.source = "Floyd and Rivest 1975",
	.operation = EK_KSELECT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
