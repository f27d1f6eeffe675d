/* SPDX-License-Identifier: BSD-3-Clause
 * Fetches of x ahead of their use, for matrices whose entries read an x that no cache holds from
 * one place after another. A core waits for few such reads at a time, since branches that it
 * mispredicts, or stores to unknown places, end its view of what comes. Columns are known long
 * before, so that kernels prefetch what entries FAR_ENTRIES later need. On an R-MAT graph of 2^21
 * vertices SCOO takes 0.45 and SELL 0.8 of the time (Zen 3, measured); on matrices that read x in
 * order SELL takes 1.2 to 1.5 times as long, so eki_far_apart tells the two apart.
 *
 * Included by kernels, in every pass of base/for_each.h. */
#ifndef EK_DRIVE_FAR
#define EK_DRIVE_FAR
/* As many entries as a core takes in 100 to 200 nanoseconds, the latency of a memory. */
enum { FAR_ENTRIES = 96 };

/* Returns the place FAR_ENTRIES after `at`, or `last` if that comes before. */
static inline int64_t eki_far_place(int64_t at, int64_t last)
{
	return at + FAR_ENTRIES < last ? at + FAR_ENTRIES : last;
}
#endif

/* Prefetches x for the n entries whose columns begin at col_idx; n is a compile-time constant. */
static inline __attribute__((always_inline)) void FN(far_fetch)(const VAL *x, const IDX *col_idx,
                                                                const int n)
{
	EK_UNROLL
	for (int k = 0; k < n; k++)
		__builtin_prefetch(x + col_idx[k]);
}
