/* SPDX-License-Identifier: BSD-3-Clause
 * A sort of pairs without scratch memory: a binary max-heap, whose root is moved to the end again
 * and again. Not stable; n log2 n steps in the worst case. Williams 1964, Algorithm 232. */
#ifndef EK_PRIM_BODY_HEAP_SORT_H
#define EK_PRIM_BODY_HEAP_SORT_H

#include "prim_body/pair.h"

/* Puts a pair at the empty node i of a heap of n pairs or below that node, and moves greater
 * children up. */
EKI_BODY void eki_heap_sink(int64_t n, eki_pair_at p, int64_t i, eki_pair_at pair, eki_pair_kind of)
{
	const int64_t order = eki_key_at(pair, 0, of);

	for (int64_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && eki_key_at(p, child + 1, of) > eki_key_at(p, child, of);
		if (eki_key_at(p, child, of) <= order)
			break;
		eki_pair_move(p, child, p, i, of);
	}
	eki_pair_move(pair, 0, p, i, of);
}

/* Sorts n pairs. Values have at most 16 bytes. */
EKI_BODY void eki_heap_sort(int64_t n, eki_pair_at p, eki_pair_kind of)
{
	int64_t key, value[2];
	const eki_pair_at held = {&key, (char *)value};

	for (int64_t i = n / 2 - 1; i >= 0; i--) {
		eki_pair_move(p, i, held, 0, of);
		eki_heap_sink(n, p, i, held, of);
	}
	for (int64_t last = n - 1; last > 0; last--) {
		eki_pair_move(p, last, held, 0, of);
		eki_pair_move(p, 0, p, last, of);
		eki_heap_sink(last, p, 0, held, of);
	}
}

#endif
