/* SPDX-License-Identifier: BSD-3-Clause
 * k-selection at the speed of the memory: two numbers of a small sample bracket the k-th, one pass
 * counts what lies below the bracket and keeps what lies inside, and the search goes on there.
 *
 * A sample of s entries puts the k-th between ranks s k / n -+ d, where d is three standard
 * deviations of the binomial distribution: of a list of 2^20 entries at most one in fifteen is
 * left, and then one in ten of those. Keeping costs more than searching a larger sample, since the
 * memory for it has to be made. What is left at 1,024 entries is bisected (select.h). Entries equal
 * to an end of the bracket are counted, not kept, so equal numbers end the search instead of
 * filling the memory; if the k-th is among them, or beyond, a second pass counts what is less, or
 * not greater. If two brackets fail, which random samples do once in ten thousand times,
 * kselect.radix takes over: the choice of the places is fixed, so somebody may build an input for
 * which it fails, and pays with a slower call only.
 *
 * A sample from memory costs a cache miss for each place; so it takes four neighbours from each,
 * and single entries only after a failure, since neighbours may be alike.
 *
 * The passes of a long list are shared by all threads. Floyd and Rivest 1975; the pass is made of
 * SIMD comparisons and compressions in registers. */
#include <math.h>

#include "prim/kselect.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/kselect_sample.c"
#include "core/for_each.h"
#include "prim/select.h"

/* Entry number k of few, as an integer. */
static int64_t FN(few)(ek_value type, const void *in, int64_t n, int64_t k)
{
	return FN(bisect)(in, n, k, FN(flip)(type));
}

/* The bracket from a sample: about `first` entries of it are below *lo, about `last` below *hi;
 * within some entries, which saves most steps of the search. What is beyond the sample stays as it
 * is. */
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

/* `run` neighbours from each of count / run equal pieces of the list, at a place that looks random:
 * a fixed stride would meet inputs with its period. */
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

/* The search: the number wanted is entry `k` in sorted order of `n` at `in`. */
struct search {
	const eki_list *s;
	const void *in;
	int64_t n, k;
	char *free; /* scratch memory that is not in use yet */
	int64_t room;
	int64_t least, greatest; /* of the type */
	int64_t found;
	int failures; /* one after the other */
};

enum { SHARE = 1 << 17 /* entries that are worth waking threads */ };

static int sample_size(int64_t n)
{
	const double root = 3 * sqrt((double)n);

	return root < EKI_SELECT_SAMPLE ? (int)root / 4 * 4 : EKI_SELECT_SAMPLE;
}

/* The bracket lo <= hi: two numbers of the range of the sample, or the ends of the type. */
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

/* Number of entries that are at most x. */
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
	eki_filter pass = {.in = f->in, .n = f->n, .out = f->free, .room = f->room};

	if (f->n < SHARE)
		s.threads = 1;
	bracket(f, seed, &pass.lo, &pass.hi);
	eki_filter_run(&s, &pass);
	if (f->k < pass.upto) {
		f->found = pass.lo;
		return pass.lo == f->least || f->k >= not_above(f, &s, pass.lo - 1) ? FOUND
		                                                                    : FAILED;
	}
	if (pass.inside > pass.room)
		return FAILED;
	if (f->k >= pass.upto + pass.inside) {
		f->found = pass.hi;
		return pass.hi == f->greatest || f->k < not_above(f, &s, pass.hi) ? FOUND : FAILED;
	}
	f->k -= pass.upto;
	f->in = f->free;
	f->n = pass.inside;
	f->free += pass.inside * size;
	f->room -= pass.inside;
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
	                   .room = s->room,
	                   .least = row ? INT64_MIN : INT32_MIN,
	                   .greatest = row ? INT64_MAX : INT32_MAX};
	enum outcome last = NARROWED;

	for (uint64_t seed = 0; f.n > EKI_SELECT_FEW && last != FOUND;) {
		if (f.failures == 2 || f.room < sample_size(f.n)) {
			f.found = eki_select_radix[a->isa][row](a->type, f.in, f.n, f.k, s->scratch,
			                                        s->room);
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

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	return eki_kselect_lists(ctx, a, select_list, a->n / 4, EKI_SELECT_SPLIT);
}

static double cost(const eki_array *a)
{
	const double all = (double)a->lists * (double)a->n;

	return (all * (double)ek_value_size(a->type) / 12 + 1000 * (double)a->lists) / a->threads;
}

const ek_method ek_kselect_sample = {
	.name = "kselect.sample",
	.text = "a sample brackets the k-th, one SIMD pass keeps what is inside; the default",
	.source = "Floyd and Rivest 1975",
	.operation = EK_KSELECT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.array = run,
	.array_cost = cost,
};

#endif
