/* SPDX-License-Identifier: BSD-3-Clause
 * The scan of a vector in its register, where sums stop at the beginnings of segments. What each
 * step does with each lane is computed for 64 entries at a time, with words that have a bit for
 * each entry. Each step is then one addition under a mask. Blelloch 1990, section 1.5; the
 * arithmetic on parts of a word after Warren 2012, Hacker's Delight, section 2-18. Included in each
 * pass, after base/for_each.h with EK_ARRAYS. */

/* Number of steps of the scan of a vector; each doubles the number of entries in the sum of a
 * lane. */
#define STEPS (W == 1 ? 0 : W == 2 ? 1 : W == 4 ? 2 : W == 8 ? 3 : 4)

/* How 64 entries fall into segments. */
typedef struct FN(lanes) {
	uint64_t grow[4]; /* entries to which step k adds the sum of the lane 2^k places before */
	uint64_t lead;    /* entries before the first segment that begins in their vector */
} FN(lanes);

/* Returns a word with a bit for each of 64 entries: 1 for the first lane of each vector. */
static inline uint64_t FN(first_lanes)(void)
{
	return UINT64_MAX / ((UINT64_C(1) << W) - 1);
}

/* Finds out what a scan in `steps` steps has to do. A bit of `begins` is 1 if the entry is the
 * first of its segment. */
static inline __attribute__((always_inline)) FN(lanes) FN(lanes_of)(uint64_t begins, int steps)
{
	const uint64_t first = FN(first_lanes)(), last = first << (W - 1);
	uint64_t met = begins | first;
	FN(lanes) l;

	for (int k = 0; k < steps; k++) {
		l.grow[k] = ~met;
		met |= met << (1 << k);
	}
	/* subtracts 1 from the bits of each vector, without borrowing from the next vector */
	l.lead = (((begins | last) - (first & ~last)) ^ ((begins ^ ~first) & last)) & ~begins;
	return l;
}

/* Computes the inclusive scan of each segment of the lanes of v, which are entries k, k + 1, ... of
 * the 64. */
static inline __attribute__((always_inline)) vec
FN(lanes_scan)(ek_monoid op, vec v, const FN(lanes) * l, int k, int steps)
{
	if (steps > 0)
		v = vsegstep(op, v, 1, (unsigned)(l->grow[0] >> k));
	if (steps > 1)
		v = vsegstep(op, v, 2, (unsigned)(l->grow[1] >> k));
	if (steps > 2)
		v = vsegstep(op, v, 4, (unsigned)(l->grow[2] >> k));
	if (steps > 3)
		v = vsegstep(op, v, 8, (unsigned)(l->grow[3] >> k));
	return v;
}
