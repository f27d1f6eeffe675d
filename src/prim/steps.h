/* SPDX-License-Identifier: BSD-3-Clause
 * What the in-place sorting networks share: a step on a range, and the size of chunks. Included in
 * each pass of sort_bitonic.c and sort_oddeven.c.
 *
 * All comparators put the lesser key at the lower place. So a network for a power of two also sorts
 * any smaller number n of pairs if comparators that reach beyond n are left out: if the array were
 * padded with greatest keys, no comparator would ever move such a key.
 *
 * Arrays are cut into chunks of CHUNK pairs, which fit the cache of a core. All steps within a
 * chunk are done together. In a wider step, every chunk does half of the comparators that connect
 * it to its partner, so that all chunks have the same work. */
#include "prim/lanes.h"

#define CHUNK EKI_CHUNK

/* Compares pairs i .. i + n - 1 with pairs j .. j + n - 1. Leaves out pairs beyond the `all` pairs
 * of the array. */
INLINE void FN(step_far)(eki_pair_at p, int64_t all, int64_t i, int64_t j, int64_t n, int ks,
                         int vs)
{
	if (n > all - j)
		n = all - j;
	for (int64_t t = 0; t < n; t += W) {
		FN(pack) x = FN(pack_load)(p, i + t, n - t, ks, vs, 0);
		FN(pack) y = FN(pack_load)(p, j + t, n - t, ks, vs, 0);

		FN(compare)(&x, &y, vs);
		FN(pack_store)(x, p, i + t, n - t, ks, vs, 0);
		FN(pack_store)(y, p, j + t, n - t, ks, vs, 0);
	}
}
