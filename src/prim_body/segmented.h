/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums and scans of an array that is cut into sections. Included in each pass of a file.
 * Where EK_ARRAYS is defined, the operator may be any of ek_monoid; elsewhere it is +. A segmented
 * scan is an ordinary scan of pairs (value, flag) with the operator
 *     (v, f) + (w, g) = (g ? w : v + w, f or g)
 * So each section passes on two things: the sum of the segment that is open at its end, and a flag
 * that tells whether a segment begins in the section.
 *
 * Schwartz 1980; Blelloch, Heroux and Zagha 1993. */
#ifdef EK_ARRAYS
#define SEGMENT_ADD(op, a, b) sop(op, a, b)
#else
#define SEGMENT_ADD(op, a, b) ((void)(op), (a) + (b))
#endif

/* Returns the sum that is open after a section. `own` is the sum that the section itself leaves
 * open, and `before` the sum that is open before the section. `begins` tells whether a segment
 * begins in the section. */
static inline VAL FN(section_join)(ek_monoid op, VAL before, VAL own, bool begins)
{
	return begins ? own : SEGMENT_ADD(op, before, own);
}

/* Adds `before`, the sum that is open before a section, to entries begin .. first - 1 of v. The
 * section begins at `begin`, and its first own segment at `first`. */
static inline void FN(section_add)(ek_monoid op, VAL before, VAL *v, int64_t begin, int64_t first)
{
	for (int64_t i = begin; i < first; i++)
		v[i] = SEGMENT_ADD(op, before, v[i]);
}

/* Returns `sum` plus the entries from *k on, up to the entry before the next flag, or up to end - 1
 * if there is no flag. Moves *k past these entries. */
static inline __attribute__((always_inline)) VAL FN(sum_to_flag)(const VAL *v, const uint8_t *flag,
                                                                 int64_t *k, int64_t end, VAL sum)
{
	int64_t i = *k;

	for (; i < end && !flag[i]; i++)
		sum = SEGMENT_ADD(EK_SUM, sum, v[i]);
	*k = i;
	return sum;
}
#undef SEGMENT_ADD
