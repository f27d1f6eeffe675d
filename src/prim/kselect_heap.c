/* SPDX-License-Identifier: BSD-3-Clause
 * Batch k-selection by d-heaps: a max-heap is made of the first k entries of a list, and each
 * further entry that is less than the root replaces the root and sinks. At the end the heap holds
 * the k smallest entries, with the k-th smallest at the root.
 *
 * Most entries are not less than the root, so they are compared with it a vector at a time. The
 * root only decreases, so entries that a vector comparison rejects need no second look. The heap
 * does, and counts, the same operations as without vectors. Cost: O(length log_d k) for a list;
 * worthwhile for many lists, for small k, and as a fair reference in comparisons. Liu 2015, section
 * 4.6.3. */
#include <string.h>

#include "prim/kselect.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/kselect_heap.c"
#include "base/for_each.h"
#include "prim_body/heap.h"

static void FN(kselect_heap)(eki_list *s)
{
	const eki_array *a = s->a;
	const VAL flip = FN(flip)(a->type);
	const FN(raw) *in = s->in;
	VAL *key = (VAL *)s->scratch + a->arity - 1;
	eki_heap h = {.key = key, .n = a->k, .d = a->arity, .counts = s->counts};

	for (int64_t i = 0; i < a->k; i++)
		key[i] = FN(order)(in[i], flip);
	FN(heapify)(&h);
	for (int64_t i = a->k; i < a->n; i += W) {
		const int64_t n = a->n - i < W ? a->n - i : W;
		const vec greatest = vset1((VAL)((UNS)-1 >> 1)); /* greatest key, for floats too */
		const vec v = n == W ? vload(in + i) : vload_n(in + i, n, greatest);

		for (unsigned less = vlt(vorder(v, flip), vset1(key[0])); less; less &= less - 1) {
			const VAL x = FN(order)(in[i + __builtin_ctz(less)], flip);

			if (x < key[0])
				FN(heap_down)(&h, 0, x, &x);
		}
	}
	*(FN(raw) *)s->kth = FN(order)(key[0], flip);
	s->counts = h.counts;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static eki_list_fn *const select[EK_NISA][2] = EK_BY_ISA_AND_INT(kselect_heap);

	return eki_kselect_lists(ctx, a, select[a->isa][eki_int_row(a->type)], a->k + a->arity, 0);
}

const ek_method ek_kselect_heap = {
	.name = "kselect.heap",
	.text = "a d-heap of the k smallest so far for each list",
	.source = "Liu 2015, section 4.6.3",
	.operation = EK_KSELECT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
