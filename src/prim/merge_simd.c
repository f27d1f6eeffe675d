/* SPDX-License-Identifier: BSD-3-Clause
 * The bitonic merge in registers: instead of one step after the other through memory, all steps of
 * a merge of a few vectors are done at once, and the greater half stays in registers for the next
 * vectors of a or b (network.c). That is what Peters et al. do with the private memory of a GPU's
 * threads, where their merge keeps several steps. One read, one write, O(n log W) comparisons.
 *
 * Threads take equal pieces of the result, cut by the search on diagonals as in merge_path.c. Equal
 * keys may change places, which is visible only where they have values; so the library chooses this
 * method for keys alone.
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
	/* The second cut lies before the first one if the lists are not sorted. */
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

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	eki_array copy = *a;

	(void)ctx;
	eki_parallel(a->threads, a->threads, part, &copy);
	return EK_OK;
}

/* Nanoseconds for a pair, by the size of the keys. */
static double cost(const eki_array *a)
{
	static const double pair[EK_NISA][2] = {{5.5, 5.5}, {1, 2.1}, {0.5, 1}};

	if (a->a.value_size)
		return INFINITY;
	return pair[a->isa][eki_int_row(a->type)] * (double)a->batch * (double)(a->a.n + a->b.n) /
	       a->threads;
}

const ek_method ek_merge_simd = {
	.name = "merge.simd",
	.text = "bitonic merge in registers, pieces by search on diagonals",
	.source = "Peters et al. 2012; Chhugani et al. 2008",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.array = run,
	.array_cost = cost,
};
