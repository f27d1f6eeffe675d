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

/* Merges n more pairs at `from` into the run of `to_n` pairs at `to`, which has room for all.
 * rank[k] pairs of the run come before pair k; ranks ascend. */
EKI_BODY void eki_insert_ranked(eki_pair_at to, int64_t to_n, eki_pair_at from, const int64_t *rank,
                                int64_t n, eki_pair_kind of)
{
	for (int64_t k = n - 1, end = to_n; k >= 0; end = rank[k--]) {
		char *key = (char *)to.key + rank[k] * of.key, *value;

		memmove(key + (k + 1) * of.key, key, (size_t)((end - rank[k]) * of.key));
		if (of.value) {
			value = to.value + rank[k] * of.value;
			memmove(value + (k + 1) * of.value, value,
			        (size_t)((end - rank[k]) * of.value));
		}
		eki_pair_move(from, k, to, rank[k] + k, of);
	}
}

#endif
