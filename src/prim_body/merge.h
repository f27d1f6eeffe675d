/* SPDX-License-Identifier: BSD-3-Clause
 * The merge of two runs of pairs in ascending order, with one step for each pair. Of equal keys,
 * those of the first run come first. Liu 2015, Algorithm 16.
 *
 * And the merge of a few pairs into a long run in place, if their ranks are known: blocks of pairs
 * move as a whole, without comparisons. Liu 2015, section 4.5.4, the ranking merge. */
#ifndef EK_PRIM_BODY_MERGE_H
#define EK_PRIM_BODY_MERGE_H

#include "prim_body/pair.h"

/* Merges a run of `an` pairs at `from`, and the run of `bn` pairs that follows it, into `to`. If no
 * key of the second run is less than a key of the first, the runs are only copied. This is common
 * in rows that are nearly sorted. */
EKI_BODY void eki_merge_runs(eki_pair_at from, int64_t an, int64_t bn, eki_pair_at to,
                             eki_pair_kind of)
{
	const int64_t n = an + bn;
	int64_t i = 0, j = an, o = 0;

	if (an > 0 && bn > 0 && eki_key_at(from, an - 1, of) > eki_key_at(from, an, of))
		for (; i < an && j < n; o++) {
			const int64_t k =
				eki_key_at(from, i, of) <= eki_key_at(from, j, of) ? i++ : j++;

			eki_pair_move(from, k, to, o, of);
		}
	eki_pairs_copy(an - i, from, i, to, o, of);
	eki_pairs_copy(n - j, from, j, to, o + an - i, of);
}

/* Moves n pairs from place i to place o of the same arrays, which may overlap. */
EKI_BODY void eki_pairs_shift(int64_t n, eki_pair_at p, int64_t i, int64_t o, eki_pair_kind of)
{
	memmove((char *)p.key + o * of.key, (char *)p.key + i * of.key, (size_t)(n * of.key));
	if (of.value)
		memmove(p.value + o * of.value, p.value + i * of.value, (size_t)(n * of.value));
}

/* Merges n more pairs at `from` into the run of `to_n` pairs at `to`, which has room for all.
 * rank[k] pairs of the run come before pair k; ranks ascend. Pairs of the same rank move
 * together. */
EKI_BODY void eki_insert_ranked(eki_pair_at to, int64_t to_n, eki_pair_at from, const int64_t *rank,
                                int64_t n, eki_pair_kind of)
{
	for (int64_t k = n, begin, end = to_n; k > 0; k = begin) {
		const int64_t at = rank[k - 1];

		for (begin = k - 1; begin > 0 && rank[begin - 1] == at;)
			begin--;
		if (end > at)
			eki_pairs_shift(end - at, to, at, at + k, of);
		eki_pairs_copy(k - begin, from, begin, to, at + begin, of);
		end = at;
	}
}

#endif
