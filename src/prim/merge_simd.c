/* SPDX-License-Identifier: BSD-3-Clause
 * The bitonic merge in registers (network.c). A few vectors are merged in registers, where all
 * steps of the merge are done without going through memory. The greater half of the result stays
 * there, to be merged with the next vectors of `a` or `b`. In the same way, Peters et al. do
 * several steps of a merge in the private memory of a GPU's threads. Cost: each pair is read once
 * and written once, with O(n log W) comparisons.
 *
 * Threads take equal pieces of the result, which the search on diagonals cuts as in merge_path.c.
 * Pairs with equal keys may change places. That is visible only if they have values, so the library
 * chooses this method only for keys without values.
 *
 * Liu 2015, section 4.5.6; Peters, Schulz-Hildebrandt and Luttenberger 2012; Chhugani et al.
 * 2008. */
#include <math.h>

#include "prim/merge.h"
#include "prim/network.h"

static void piece(const eki_array *a, int64_t k, int64_t begin, int64_t end)
{
	const eki_merge m = eki_merge_of(a, k);
	const size_t size = ek_value_size(a->type), values = a->a.value_size;
	const int64_t n = end - begin, i = eki_merge_cut(a, &m, begin), j = begin - i;
	const int64_t cut = eki_merge_cut(a, &m, end) - i;
	/* If the lists are not sorted, the second cut may be before the first one. */
	const int64_t an = cut < 0 ? 0 : cut < n ? cut : n;

	eki_merge_run[a->isa][eki_int_row(a->type)][values / 4](
		an, eki_merge_at(m.a, i, size), eki_merge_at(m.a_value, i, values), n - an,
		eki_merge_at(m.b, j, size), eki_merge_at(m.b_value, j, values),
		eki_merge_at(m.out, begin, size), eki_merge_at(m.out_value, begin, values),
		eki_flip(a->type));
}

static void part(void *arg, int number)
{
	const eki_array *a = arg;
	const int64_t n = a->a.n + a->b.n, all = a->batch * n;
	const int64_t end = eki_cut(all, a->threads, number + 1);

	for (int64_t o = eki_cut(all, a->threads, number), next; o < end; o = next) {
		const int64_t k = o / n;

		next = (k + 1) * n < end ? (k + 1) * n : end;
		piece(a, k, o - k * n, next - k * n);
	}
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	eki_array copy = *a;

	(void)step;
	eki_parallel(a->ctx, a->threads, a->threads, part, &copy);
	return EK_OK;
}

/* Predicts the time in nanoseconds, from the time to merge one pair, which depends on the
 * instruction set and the size of the keys. Returns INFINITY if the keys have values, so that this
 * method is not chosen. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;

	if (a->a.value_size)
		return INFINITY;
	return f->machine->array.merge_simd[eki_isa_row(a->isa)][eki_int_row(a->type)] *
	       (double)a->batch * (double)(a->a.n + a->b.n) / a->threads;
}

const ek_method ek_merge_simd = {
	.name = "merge.simd",
	.text = "bitonic merge in registers, pieces by search on diagonals",
	.source = "Peters et al. 2012; Chhugani et al. 2008",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.run = run,
	.cost = cost,
};
