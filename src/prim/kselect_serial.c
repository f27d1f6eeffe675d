/* SPDX-License-Identifier: BSD-3-Clause
 * k-selection by quickselect, the reference: a copy of the list is partitioned at the median of
 * three of its entries, and the side that holds the k-th goes on.
 *
 * About 2.75 n comparisons on average, half of them branches that nobody can predict, which is why
 * faster methods exist. After 2 log2 n partitions the rest is sorted by heap sort, so the worst
 * case is O(n log n). Hoare 1961 (FIND); Musser 1997 (introspection). */
#include "prim/kselect.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/kselect_serial.c"
#include "core/for_each.h"
#include "prim/order.h"

static inline void FN(swap)(VAL *a, VAL *b)
{
	VAL t = *a;

	*a = *b;
	*b = t;
}

static VAL FN(median)(VAL a, VAL b, VAL c)
{
	return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* Restores the heap below i, where v[i] may be too small. */
static void FN(sift)(VAL *v, int64_t i, int64_t n)
{
	for (int64_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && v[child] < v[child + 1])
			child++;
		if (v[i] >= v[child])
			return;
		FN(swap)(&v[i], &v[child]);
	}
}

static void FN(heap_sort)(VAL *v, int64_t n)
{
	for (int64_t i = n / 2; i-- > 0;)
		FN(sift)(v, i, n);
	for (int64_t last = n; --last > 0;) {
		FN(swap)(&v[0], &v[last]);
		FN(sift)(v, 0, last);
	}
}

/* v[k] as if v were sorted. Both scans stop at entries equal to the pivot, so that many equal
 * entries are cut in halves; the pivot itself keeps the scans inside. */
static VAL FN(quickselect)(VAL *v, int64_t n, int64_t k)
{
	int64_t lo = 0, hi = n - 1;
	int depth = 0;

	for (int64_t m = n; m > 0; m /= 2)
		depth += 2;
	while (lo < hi) {
		if (depth-- == 0) {
			FN(heap_sort)(v + lo, hi - lo + 1);
			break;
		}
		VAL pivot = FN(median)(v[lo], v[lo + (hi - lo) / 2], v[hi]);
		int64_t i = lo, j = hi;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (pivot < v[j])
				j--;
			if (i <= j)
				FN(swap)(&v[i++], &v[j--]);
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}
	return v[k];
}

static void FN(kselect_serial)(eki_list *s)
{
	const eki_array *a = s->a;
	const VAL flip = FN(flip)(a->type);
	const FN(raw) *in = s->in;
	VAL *v = s->scratch;

	for (int64_t i = 0; i < a->n; i++)
		v[i] = FN(order)(in[i], flip);
	*(FN(raw) *)s->kth = FN(order)(FN(quickselect)(v, a->n, a->k - 1), flip);
}

#if EK_ONCE

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static eki_list_fn *const select[] = EK_BY_INT(kselect_serial);

	return eki_kselect_lists(ctx, a, select[eki_int_row(a->type)], a->n, EKI_SELECT_ALONE);
}

const ek_method ek_kselect_serial = {
	.name = "kselect.serial",
	.text = "quickselect with the median of three, the reference",
	.source = "Hoare 1961; Musser 1997",
	.operation = EK_KSELECT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.array = run,
};

#endif
