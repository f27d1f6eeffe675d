/* SPDX-License-Identifier: BSD-3-Clause
 * The sort of pairs: short runs are sorted by insertion. Then each pass merges neighbouring runs,
 * two to one, from the array to the caller's scratch memory or back. Stable. It takes n log2(n /
 * run) moves, each after a comparison that the processor cannot predict. Arrays that are as short
 * as a run need no scratch memory.
 *
 * Knuth 1998, The Art of Computer Programming 3, sections 5.2.1 and 5.2.4. */
#ifndef EK_PRIM_BODY_SORT_H
#define EK_PRIM_BODY_SORT_H

#include "prim_body/merge.h"

enum { EKI_SORT_RUN = 24 };

/* Returns how many pairs the scratch memory of eki_sort_pairs must hold. */
static inline int64_t eki_sort_scratch(int64_t n)
{
	return n > EKI_SORT_RUN ? n : 0;
}

/* Tells whether n keys ascend: none is less than the key before it. */
EKI_BODY bool eki_ascends(int64_t n, eki_pair_at p, eki_pair_kind of)
{
	bool ascends = true;

	for (int64_t k = 1; k < n; k++)
		ascends &= eki_key_at(p, k - 1, of) <= eki_key_at(p, k, of);
	return ascends;
}

/* Sorts n pairs by insertion, in n^2 / 4 steps on average. */
EKI_BODY void eki_insertion_sort(int64_t n, eki_pair_at p, eki_pair_kind of)
{
	for (int64_t i = 1; i < n; i++) {
		const int64_t order = eki_key_at(p, i, of);
		int64_t key, value[2]; /* pair that is being inserted */
		const eki_pair_at held = {&key, (char *)value};
		int64_t k = i;

		eki_pair_move(p, i, held, 0, of);
		for (; k > 0 && order < eki_key_at(p, k - 1, of); k--)
			eki_pair_move(p, k - 1, p, k, of);
		eki_pair_move(held, 0, p, k, of);
	}
}

/* Sorts n pairs. `scratch` has room for eki_sort_scratch(n) pairs. Values have at most 16 bytes. */
EKI_BODY void eki_sort_pairs(int64_t n, eki_pair_at p, eki_pair_at scratch, eki_pair_kind of)
{
	eki_pair_at from = p, to = scratch;

	for (int64_t k = 0; k < n; k += EKI_SORT_RUN)
		eki_insertion_sort(n - k < EKI_SORT_RUN ? n - k : EKI_SORT_RUN,
		                   eki_run_at(p, k, of), of);
	for (int64_t length = EKI_SORT_RUN; length < n; length *= 2) {
		const eki_pair_at swap = from;

		for (int64_t k = 0; k < n; k += 2 * length) {
			const int64_t an = n - k < length ? n - k : length;
			const int64_t bn = n - k - an < length ? n - k - an : length;

			eki_merge_runs(eki_run_at(from, k, of), an, bn, eki_run_at(to, k, of), of);
		}
		from = to;
		to = swap;
	}
	if (from.key != p.key)
		eki_pairs_copy(n, from, 0, p, 0, of);
}

#endif
