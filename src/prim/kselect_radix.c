/* SPDX-License-Identifier: BSD-3-Clause
 * k-selection by radix: the counts of the most significant eleven bits tell which of 2048 buckets
 * holds the k-th number. The entries of that bucket are the candidates for the next digit of eleven
 * bits.
 *
 * The candidates are copied to scratch memory, which holds a quarter of the list, as soon as they
 * fit there. Until then the whole list is read again, and entries outside the bucket are skipped.
 * So no input takes longer than one pass for each digit, that is, three passes for 4 bytes and six
 * for 8. On most inputs the second pass leaves next to nothing. The counts are kept in four tables
 * that take turns: with one table, neighbouring entries with the same digit would increment the
 * same counter, and each increment would have to wait until the previous increment is stored.
 *
 * Alabi, Blanchard, Gordon and Steinbach 2012 (selection by radix and by buckets). */
#include <string.h>

#include "prim/kselect.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/kselect_radix.c"
#include "base/for_each.h"
#include "prim/select.h"

#ifndef EKI_BUCKETS
#define EKI_DIGIT   11
#define EKI_BUCKETS (1 << EKI_DIGIT)
#endif

/* The bucket that is searched: all entries from `least` to `greatest`. There are `count` of them
 * among the n entries at `in`. */
struct FN(bucket) {
	const FN(raw) * in; /* entries of the bucket and others */
	int64_t n;
	VAL flip, least, greatest;
	int64_t count;
};

/* Counts the entries of the bucket by their distance from its least number: total[d] gets the
 * number of those whose distance, shifted right by `shift`, is d. Entries outside the bucket have
 * larger distances, since differences wrap around; these entries are counted in
 * total[EKI_BUCKETS]. */
static void FN(histogram)(const struct FN(bucket) * b, int shift, int64_t *total)
{
	const int64_t chunk = INT64_C(1) << 30; /* few enough entries for 32-bit counters */
	uint32_t table[4][EKI_BUCKETS + 1];

	memset(total, 0, (EKI_BUCKETS + 1) * sizeof *total);
	for (int64_t begin = 0; begin < b->n; begin += chunk) {
		const int64_t end = b->n - begin < chunk ? b->n : begin + chunk;

		memset(table, 0, sizeof table);
		for (int64_t i = begin; i < end; i++) {
			const VAL x = FN(order)(b->in[i], b->flip);
			const UNS d = ((UNS)x - (UNS)b->least) >> shift;

			if (i % 16 == 0)
				EK_AHEAD(b->in + i);
			table[i % 4][d < EKI_BUCKETS ? d : EKI_BUCKETS]++;
		}
		for (int d = 0; d <= EKI_BUCKETS; d++)
			for (int t = 0; t < 4; t++)
				total[d] += table[t][d];
	}
}

/* Copies the entries of the bucket from b->in to `to`, which may be the same memory, and makes
 * b->in point there. */
static void FN(candidates)(struct FN(bucket) * b, FN(raw) * to)
{
	const vec least = vset1(b->least), greatest = vset1(b->greatest);
	int64_t used = 0;

	for (int64_t i = 0; i < b->n; i += W) {
		const int64_t n = b->n - i < W ? b->n - i : W;
		const vec v = FN(lanes)(b->in, i, b->n, least);
		const vec x = vorder(v, b->flip);
		const unsigned inside =
			vle(least, x) & vle(x, greatest) & (unsigned)((UINT64_C(1) << n) - 1);

		EK_AHEAD(b->in + i);
		vcompress(to + used, v, inside);
		used += FN(count)(inside);
	}
	b->in = to;
	b->n = used;
}

static int64_t FN(select_radix)(ek_value type, const void *in, int64_t n, int64_t k, void *scratch,
                                int64_t capacity)
{
	const VAL greatest = (VAL)((UNS)-1 >> 1);
	struct FN(bucket) b = {.in = in,
	                       .n = n,
	                       .flip = FN(flip)(type),
	                       .least = -greatest - 1,
	                       .greatest = greatest,
	                       .count = n};
	int64_t total[EKI_BUCKETS + 1];
	int shift = 8 * (int)sizeof(UNS);

	while (shift > 0 && b.count > EKI_SELECT_FEW) {
		UNS d = 0;

		shift = shift > EKI_DIGIT ? shift - EKI_DIGIT : 0;
		FN(histogram)(&b, shift, total);
		for (; k >= total[d]; d++)
			k -= total[d];
		b.least = (VAL)((UNS)b.least + (d << shift));
		b.greatest = (VAL)((UNS)b.least + (((UNS)1 << shift) - 1));
		b.count = total[d];
		if (b.count + EKI_SELECT_PAD <= capacity)
			FN(candidates)(&b, scratch);
	}
	if (b.least == b.greatest)
		return b.least;
	return FN(bisect)(b.in, b.n, k, b.flip);
}

static void FN(kselect_radix)(eki_list *s)
{
	const eki_array *a = s->a;
	const VAL kth =
		(VAL)FN(select_radix)(a->type, s->in, a->n, a->k - 1, s->scratch, s->capacity);

	*(FN(raw) *)s->kth = FN(order)(kth, FN(flip)(a->type));
}

#if EK_ONCE

eki_radix_fn *const eki_select_radix[EK_NISA][2] = EK_BY_ISA_AND_INT(select_radix);

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static eki_list_fn *const select[EK_NISA][2] = EK_BY_ISA_AND_INT(kselect_radix);

	return eki_kselect_lists(ctx, a, select[a->isa][eki_int_row(a->type)], a->n / 4, 0);
}

const ek_method ek_kselect_radix = {
	.name = "kselect.radix",
	.text = "counts of digits of eleven bits, then the candidates; no bad inputs",
	.source = "Alabi, Blanchard, Gordon and Steinbach 2012",
	.operation = EK_KSELECT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
