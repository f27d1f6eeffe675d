/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of k-selection share.
 *
 * Many lists are distributed to the threads in ranges, each thread with scratch memory of its own.
 * If there are fewer lists than threads, all threads may work on one list at a time: they take
 * blocks of the list in order, filter each block into a buffer of their own, and copy the buffer to
 * its place in the output. The place is known once the previous block has been filtered. A block
 * waits only for blocks that were begun earlier, so no thread waits forever, however few threads
 * there are. The result does not depend on their number.
 *
 * Once the k-th smallest entry is known, a filter gathers the k smallest: the entries less than the
 * k-th, then copies of the k-th. */
#include <string.h>

#include "prim/kselect.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/kselect_lists.c"
#include "base/for_each.h"
#include "prim_body/order.h"

/* Filters entries begin .. end - 1 of f->in into `out`, which has room for end - begin +
 * EKI_SELECT_PAD entries. Sets *upto to the number of entries that are at most f->lo, and *inside
 * to the number of entries that were copied. */
static void FN(filter)(const eki_filter *f, ek_value type, int64_t begin, int64_t end, void *out,
                       int64_t *upto, int64_t *inside)
{
	const VAL flip = FN(flip)(type);
	const FN(raw) *in = f->in;
	FN(raw) *to = out;
	const vec lo = vset1((VAL)f->lo), hi = vset1((VAL)f->hi);
	int64_t below = 0, used = 0, i = begin;

	for (; i + W <= end; i += W) {
		const vec v = vload(in + i), x = vorder(v, flip);
		const unsigned low = vle(x, lo), keep = vlt(x, hi) & ~low;

		EK_AHEAD(in + i);
		below += FN(count)(low);
		vcompress(to + used, v, keep);
		used += FN(count)(keep);
	}
	if (i < end) {
		const unsigned first = (1u << (end - i)) - 1;
		const vec v = vload_n(in + i, end - i, lo), x = vorder(v, flip);
		const unsigned low = vle(x, lo) & first, keep = vlt(x, hi) & ~low & first;

		below += FN(count)(low);
		vcompress(to + used, v, keep);
		used += FN(count)(keep);
	}
	*upto = below;
	*inside = used;
}

/* Writes the k smallest entries to `out`, given the k-th smallest. The filter counts but does not
 * copy entries that equal its lower bound, which is the least number of the type. So after the
 * filtered entries come as many copies of that number as were counted, then copies of the k-th. */
static void FN(gather)(const eki_list *s, void *out)
{
	const VAL flip = FN(flip)(s->a->type), least = (VAL)((UNS)1 << (8 * sizeof(UNS) - 1));
	const VAL kth = *(const FN(raw) *)s->kth;
	eki_filter f = {.in = s->in,
	                .n = s->a->n,
	                .lo = least,
	                .hi = FN(order)(kth, flip),
	                .out = out,
	                .capacity = s->a->k};
	FN(raw) *to = out;

	eki_filter_run(s, &f);
	for (int64_t i = f.inside; i < s->a->k; i++)
		to[i] = i - f.inside < f.upto ? FN(order)(least, flip) : kth;
}

#if EK_ONCE

/* ---- The filter ------------------------------------------------------------------------------ */

typedef void filter_fn(const eki_filter *, ek_value, int64_t, int64_t, void *, int64_t *,
                       int64_t *);
static filter_fn *const filter[EK_NISA][2] = EK_BY_ISA_AND_INT(filter);

struct pass {
	const eki_list *s;
	eki_filter *f;
	_Atomic int64_t next;
};

static size_t local_bytes(size_t size)
{
	return (EKI_FILTER_BLOCK + EKI_SELECT_PAD) * size;
}

static void filter_part(void *arg, int part)
{
	struct pass *p = arg;
	const eki_list *s = p->s;
	const ek_value type = s->a->type;
	const size_t size = ek_value_size(type);
	filter_fn *fn = filter[s->a->isa][eki_int_row(type)];
	eki_filter *f = p->f;
	char *local = s->local + (size_t)part * local_bytes(size);

	for (;;) {
		const int64_t block = atomic_fetch_add(&p->next, 1);
		const int64_t begin = block * EKI_FILTER_BLOCK;
		const int64_t rest = f->n - begin;
		int64_t upto, inside, place;

		if (rest <= 0)
			return;
		fn(f, type, begin, begin + (rest < EKI_FILTER_BLOCK ? rest : EKI_FILTER_BLOCK),
		   local, &upto, &inside);
		if (s->threads > 1 && block > 0)
			eki_event_wait(&s->done[block - 1]);
		place = f->inside;
		f->inside += inside;
		f->upto += upto;
		if (s->threads > 1)
			eki_event_set(&s->done[block]);
		if (place + inside > f->capacity)
			return;
		if (inside)
			memcpy((char *)f->out + (size_t)place * size, local, (size_t)inside * size);
	}
}

static int64_t blocks_of(int64_t n)
{
	return (n + EKI_FILTER_BLOCK - 1) / EKI_FILTER_BLOCK;
}

void eki_filter_run(const eki_list *s, eki_filter *f)
{
	struct pass p = {.s = s, .f = f};

	f->upto = f->inside = 0;
	if (s->threads > 1)
		memset(s->done, 0, (size_t)blocks_of(f->n) * sizeof *s->done);
	eki_parallel(s->a->ctx, s->threads, s->threads, filter_part, &p);
}

/* ---- The lists ------------------------------------------------------------------------------- */

struct lists {
	const eki_array *a;
	eki_list_fn *fn;
	eki_list *of; /* for each part, the list that it works on */
	int parts;
};

static void lists_part(void *arg, int part)
{
	static void (*const gather[EK_NISA][2])(const eki_list *, void *) =
		EK_BY_ISA_AND_INT(gather);
	const struct lists *l = arg;
	const eki_array *a = l->a;
	const int64_t size = (int64_t)ek_value_size(a->type);
	const int64_t end = eki_cut(a->lists, l->parts, part + 1);
	eki_list *s = &l->of[part];

	for (int64_t j = eki_cut(a->lists, l->parts, part); j < end; j++) {
		s->in = (const char *)a->in + j * a->n * size;
		s->kth = (char *)a->out + j * size;
		l->fn(s);
		if (a->smallest)
			gather[a->isa][eki_int_row(a->type)](s,
			                                     (char *)a->smallest + j * a->k * size);
	}
}

static void counts_add(ek_heap_counts *to, const ek_heap_counts *c)
{
	to->update_key += c->update_key;
	to->find_maxchild += c->find_maxchild;
	to->compare += c->compare;
	to->swap += c->swap;
	to->heapify_update_key += c->heapify_update_key;
	to->heapify_find_maxchild += c->heapify_find_maxchild;
	to->heapify_compare += c->heapify_compare;
	to->heapify_swap += c->heapify_swap;
}

ek_status eki_kselect_lists(const ek_context *ctx, const eki_array *a, eki_list_fn *fn,
                            int64_t capacity, unsigned how)
{
	ek_status status = EK_OK;
	const size_t size = ek_value_size(a->type), local = local_bytes(size);
	const int threads = how & EKI_SELECT_ALONE ? 1 : a->threads;
	const bool split = how & EKI_SELECT_SPLIT && a->lists < threads;
	const int64_t most = capacity + EKI_SELECT_FEW + 4 * EKI_SELECT_PAD;
	const int64_t line = EKI_ALIGNMENT / (int64_t)size,
		      stride = (most + line - 1) / line * line;
	const int64_t blocks = split ? blocks_of(a->n) : 0;
	struct lists l = {.a = a, .fn = fn};
	ek_heap_counts counts = {0};
	void *of = NULL, *scratch = NULL, *locals = NULL, *done = NULL;

	l.parts = split ? 1 : threads < a->lists ? threads : (int)a->lists;
	EK_TRY(eki_calloc(ctx, l.parts, sizeof *l.of, &of));
	EK_TRY(eki_alloc(ctx, l.parts * stride, size, &scratch));
	EK_TRY(eki_alloc(ctx, threads, local, &locals));
	EK_TRY(eki_alloc(ctx, blocks, sizeof(eki_event), &done));
	l.of = of;
	for (int p = 0; p < l.parts; p++)
		l.of[p] = (eki_list){.a = a,
		                     .scratch = (char *)scratch + (size_t)(p * stride) * size,
		                     .capacity = stride,
		                     .threads = split ? threads : 1,
		                     .local = (char *)locals + (size_t)p * local,
		                     .done = done};
	eki_parallel(ctx, l.parts, l.parts, lists_part, &l);
	for (int p = 0; p < l.parts; p++)
		counts_add(&counts, &l.of[p].counts);
	if (a->counts)
		EKI_STRUCT_OUT(ek_heap_counts, &counts, a->counts);
done:
	eki_free(ctx, done, blocks, sizeof(eki_event));
	eki_free(ctx, locals, threads, local);
	eki_free(ctx, scratch, l.parts * stride, size);
	eki_free(ctx, of, l.parts, sizeof *l.of);
	return status;
}

#endif
