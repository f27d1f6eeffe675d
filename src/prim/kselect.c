/* SPDX-License-Identifier: BSD-3-Clause
 * ek_kselect: the arguments, and what the methods (kselect_*.c) share.
 *
 * Lists are dealt out to threads in ranges; each thread has scratch memory of its own. The k smallest
 * are found after the k-th: one pass keeps what is less than it, and copies of it fill up. */
#include <string.h>

#include "prim/kselect.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/kselect.c"
#include "core/for_each.h"
#include "prim/order.h"

static void FN(kselect_gather)(const eki_array *a, int64_t list)
{
	const VAL flip = FN(flip)(a->type);
	const FN(raw) *in = (const FN(raw) *)a->in + list * a->n;
	FN(raw) *out = (FN(raw) *)a->smallest + list * a->k;
	const VAL last = ((const FN(raw) *)a->out)[list];
	const VAL kth = FN(order)(last, flip);
	VAL kept[W];
	int64_t used = 0;

	for (int64_t i = 0; i < a->n; i += W) {
		const int64_t n = a->n - i < W ? a->n - i : W;
		const vec v = n == W ? vload(in + i) : vload_n(in + i, n, vset1(last));
		const unsigned less = vlt(vorder(v, flip), vset1(kth));
		const int count = FN(count)(less);

		EK_AHEAD(in + i);
		if (a->k - used >= W) {
			vcompress(out + used, v, less);
		} else {
			vcompress(kept, v, less);
			memcpy(out + used, kept, (size_t)count * sizeof *kept);
		}
		used += count;
	}
	for (; used < a->k; used++)
		out[used] = last;
}

#if EK_ONCE

void (*const eki_kselect_gather[EK_NISA][2])(const eki_array *,
                                             int64_t) = EK_BY_ISA_AND_INT(kselect_gather);

struct lists {
	const eki_array *a;
	eki_kselect_fn *fn;
	char *scratch;
	size_t stride; /* bytes of scratch memory of a thread */
	int parts;
	ek_heap_counts *counts; /* of each part */
};

static void lists_part(void *arg, int part)
{
	const struct lists *l = arg;
	const int64_t end = eki_cut(l->a->lists, l->parts, part + 1);

	for (int64_t j = eki_cut(l->a->lists, l->parts, part); j < end; j++)
		l->fn(l->a, j, l->scratch + (size_t)part * l->stride, &l->counts[part]);
}

ek_status eki_kselect_lists(const ek_context *ctx, const eki_array *a, eki_kselect_fn *fn,
                            int64_t scratch)
{
	ek_status status = EK_OK;
	const size_t line = EKI_ALIGNMENT, size = ek_value_size(a->type);
	struct lists l = {
		.a = a,
		.fn = fn,
		.stride = ((size_t)scratch * size + line - 1) / line * line,
		.parts = a->threads < a->lists ? a->threads : (int)a->lists,
	};
	ek_heap_counts *sum = a->counts;

	EK_RETURN_IF(eki_alloc(ctx, l.parts, l.stride, (void **)&l.scratch));
	EK_TRY(eki_calloc(ctx, l.parts, sizeof *l.counts, (void **)&l.counts));
	eki_parallel(l.parts, l.parts, lists_part, &l);
	if (sum)
		memset(sum, 0, sizeof *sum);
	for (int p = 0; sum && p < l.parts; p++) {
		sum->update_key += l.counts[p].update_key;
		sum->find_maxchild += l.counts[p].find_maxchild;
		sum->compare += l.counts[p].compare;
		sum->swap += l.counts[p].swap;
	}
done:
	eki_free(ctx, l.counts, l.parts, sizeof *l.counts);
	eki_free(ctx, l.scratch, l.parts, l.stride);
	return status;
}

/* ---- The call ---------------------------------------------------------------------------------- */

static ek_status arguments_check(const eki_array *a)
{
	const size_t size = ek_value_size(a->type);
	const int64_t all = a->lists * a->n, chosen = a->lists * a->k;

	EK_RETURN_IF(eki_array_check("in", a->in, all, size));
	EK_RETURN_IF(eki_array_check("kth", a->out, a->lists, size));
	EK_RETURN_IF(eki_overlap_check("in", a->in, all, "kth", a->out, a->lists, size));
	if (!a->smallest)
		return EK_OK;
	EK_RETURN_IF(eki_array_check("smallest", a->smallest, chosen, size));
	EK_RETURN_IF(eki_overlap_check("in", a->in, all, "smallest", a->smallest, chosen, size));
	return eki_overlap_check("kth", a->out, a->lists, "smallest", a->smallest, chosen, size);
}

ek_status ek_kselect(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t lists,
                     int64_t length, int64_t k, const void *in, void *kth, void *smallest)
{
	eki_array a = {.operation = EK_KSELECT,
	               .type = type,
	               .lists = lists,
	               .n = length,
	               .k = k,
	               .in = in,
	               .out = kth,
	               .smallest = smallest};

	EK_RETURN_IF(eki_number_check(type));
	EK_RETURN_IF(eki_length_check("lists", lists));
	EK_RETURN_IF(eki_length_check("length", length));
	if (lists > 0 && (k < 1 || k > length))
		return eki_fail(EK_EINVAL, "k is %lld; 1 to length = %lld is possible",
		                (long long)k, (long long)length);
	if (lists > 0 && length > INT64_MAX / 16 / lists)
		return eki_fail(EK_EOVERFLOW,
		                "%lld lists of length %lld have more entries than memory has bytes",
		                (long long)lists, (long long)length);
	if (lists > 0)
		EK_RETURN_IF(arguments_check(&a));
	return eki_array_call(ctx, options, lists * length, &a);
}

#endif
