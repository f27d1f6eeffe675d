/* SPDX-License-Identifier: BSD-3-Clause
 * What the sorting networks in place share, in each pass of sort_bitonic.c and sort_oddeven.c: a
 * step on a range, and the threads.
 *
 * All comparators put the lesser key at the lower place. So a network for a power of two sorts any
 * n if those that reach beyond n are left out: were the array filled up with keys that no key is
 * above, no comparator would ever move one of these.
 *
 * Arrays are cut into chunks of CHUNK pairs, which the cache of a core holds. What a network does
 * within one chunk is done at once; of a step that is wider every chunk does half of the
 * comparators that join it to its partner, so that all chunks have the same work. */
#include "prim/lanes.h"

#define CHUNK EKI_CHUNK

/* Pairs i .. i + n - 1 with j .. j + n - 1; of the latter those from `all` on are absent. */
INLINE void FN(step_far)(eki_run p, int64_t all, int64_t i, int64_t j, int64_t n, int ks, int vs)
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
