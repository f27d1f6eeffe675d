/* SPDX-License-Identifier: BSD-3-Clause
 * k-selection by quickselect, the reference for the other methods: a copy of the list is
 * partitioned at the median of three of its entries, and the search goes on in the side that holds
 * the k-th.
 *
 * It takes about 2.75 n comparisons on average. Half of them are unpredictable branches, which is
 * why faster methods exist. After 2 log2 n partitions the rest is sorted by heap sort, so the worst
 * case is O(n log n). Hoare 1961 (FIND); Musser 1997 (introspection). */
#include "prim/kselect.h"
#include "prim_body/heap_sort.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/kselect_serial.c"
#include "base/for_each.h"
#include "prim_body/order.h"

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

/* Returns what v[k] would be if `v` were sorted, and reorders `v`. Both scans stop at entries equal
 * to the pivot, so that a range of many equal entries is split in halves. The pivot itself keeps
 * the scans within bounds. */
static VAL FN(quickselect)(VAL *v, int64_t n, int64_t k)
{
	int64_t lo = 0, hi = n - 1;
	int depth = 0;

	for (int64_t m = n; m > 0; m /= 2)
		depth += 2;
	while (lo < hi) {
		if (depth-- == 0) {
			eki_heap_sort(hi - lo + 1, (eki_pair_at){v + lo, NULL},
			              (eki_pair_kind){sizeof(VAL), 0, false});
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

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
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
	.run = run,
};

#endif
