/* SPDX-License-Identifier: BSD-3-Clause
 * Scans over the work-items of a group: functions for kernels. A line #include "prim_body/scan.cl"
 * in a kernel is replaced by this text (gpu/prelude.c).
 *
 * A scan takes log2(lanes) steps. In these steps every lane adds the value of the lane that is 1,
 * 2, 4, ... places before it. The order of additions depends only on the number of lanes and on the
 * marks. Hillis and Steele 1986; Sengupta, Harris, Zhang and Owens 2007 for segments. */
#ifndef EK_SCAN_CL
#define EK_SCAN_CL

/* A summary of a range of entries: the sum from the last mark on, and the number of marks. A mark
 * is an entry where a segment begins. */
typedef struct ek_open {
	VAL sum;
	int marks;
} ek_open;

/* Stores the sum and the marks of a lane in local memory. */
EK_FN void ek_open_put(ek_open own, int at, EK_LOCAL_PTR VAL *sums, EK_LOCAL_PTR int *marks)
{
	sums[at] = own.sum;
	marks[at] = own.marks;
}

/* Returns the sum and the marks at a place in local memory. */
EK_FN ek_open ek_open_get(int at, const EK_LOCAL_PTR VAL *sums, const EK_LOCAL_PTR int *marks)
{
	ek_open found;

	found.sum = sums[at];
	found.marks = marks[at];
	return found;
}

/* Joins two consecutive ranges of entries, `before` and `own`: returns the sum and the marks of
 * both. */
EK_FN ek_open ek_open_join(ek_open before, ek_open own)
{
	if (own.marks == 0)
		own.sum = before.sum + own.sum;
	own.marks += before.marks;
	return own;
}

/* Returns the inclusive segmented scan: the lane's own sum plus the sums of the lanes before it,
 * back to the last mark. `at` is the number of this work-item, and `end` that of the work-item
 * after the last lane. Lanes are `apart` work-items apart, so `apart` scans run side by side. The
 * arrays `sums` and `marks` have an entry for each work-item. The call overwrites both without
 * waiting for earlier reads, and leaves the results in `sums`. `counted` is a compile-time
 * constant. If it is not 0, the numbers of marks are computed too, and are left in the array
 * `marks`. If it is 0, the member `marks` of the returned value only tells whether there is a mark.
 * Has barriers. */
EK_FN ek_open ek_segmented_scan(ek_open own, int at, int apart, int end, int counted,
                                EK_LOCAL_PTR VAL *sums, EK_LOCAL_PTR int *marks)
{
	VAL sum = own.sum;
	int n = own.marks;

	for (int d = apart; d < end; d *= 2) {
		sums[at] = sum;
		marks[at] = n;
		EK_BARRIER();
		if (n == 0 && at >= d) {
			sum += sums[at - d];
			n = marks[at - d];
		} else if (counted && at >= d) {
			n += marks[at - d];
		}
		EK_BARRIER();
	}
	sums[at] = sum;
	if (counted)
		marks[at] = n;
	EK_BARRIER();
	own.sum = sum;
	own.marks = n;
	return own;
}

/* Does the same as ek_segmented_scan with `counted` not 0, but with half the barriers and twice the
 * memory. `sums` and `marks` have two halves, which are used in turn; the second half begins at
 * `second`. *turn gets the beginning of the half that has the results. */
EK_FN ek_open ek_segmented_scan_turns(ek_open own, int at, int apart, int end, int second,
                                      int *turn, EK_LOCAL_PTR VAL *sums, EK_LOCAL_PTR int *marks)
{
	int now = 0;

	for (int d = apart; d < end; d *= 2) {
		ek_open_put(own, now + at, sums, marks);
		EK_BARRIER();
		if (at >= d)
			own = ek_open_join(ek_open_get(now + at - d, sums, marks), own);
		now = second - now;
	}
	ek_open_put(own, now + at, sums, marks);
	EK_BARRIER();
	*turn = now;
	return own;
}

#if EK_WARP > 1
/* Does the same as ek_segmented_scan with `counted` not 0, for `lanes` lanes of a warp, up to 32,
 * without local memory and barriers. *before gets the result of the previous lane, or 0 in the
 * first lane. */
EK_FN ek_open ek_segmented_scan_warp(ek_open own, int lane, int lanes, ek_open *before)
{
	for (int d = 1; d < lanes; d *= 2) {
		ek_open found;

		found.sum = EK_UP(own.sum, d, lanes);
		found.marks = EK_UP(own.marks, d, lanes);
		if (lane >= d)
			own = ek_open_join(found, own);
	}
	before->sum = EK_UP(own.sum, 1, lanes);
	before->marks = EK_UP(own.marks, 1, lanes);
	if (lane == 0) {
		before->sum = 0;
		before->marks = 0;
	}
	return own;
}
#endif

/* Returns the sum of `own` over the work-items before this one. Stores the sum over all work-items
 * in scratch[EK_WG - 1]. Has barriers. */
EK_FN ek_i64 ek_scan_before(ek_i64 own, EK_LOCAL_PTR ek_i64 *scratch)
{
	const int lid = EK_LID();
	ek_i64 sum = own;

	EK_ROLLED
	for (int d = 1; d < EK_WG; d *= 2) {
		scratch[lid] = sum;
		EK_BARRIER();
		if (lid >= d)
			sum += scratch[lid - d];
		EK_BARRIER();
	}
	scratch[lid] = sum;
	EK_BARRIER();
	return sum - own;
}

/* Returns the number of work-items before this one whose flag is not 0, and sets *all to that of
 * the whole group. `scratch` has EK_WG entries. Has barriers, the last of them after `scratch` was
 * read. */
EK_FN int ek_count_before(int flag, EK_LOCAL_PTR ek_i64 *scratch, int *all)
{
	int before = 0;

#if EK_WARP > 1
	const int lid = EK_LID();
	const ek_u32 set = EK_BALLOT(flag);

	if (lid % EK_WARP == 0)
		scratch[lid / EK_WARP] = EK_POPCOUNT(set);
	EK_BARRIER();
	*all = 0;
	for (int w = 0; w < EK_WG / EK_WARP; w++) {
		before += w < lid / EK_WARP ? (int)scratch[w] : 0;
		*all += (int)scratch[w];
	}
	before += EK_POPCOUNT(set & ((1u << lid % EK_WARP) - 1));
#else
	before = (int)ek_scan_before(flag != 0, scratch);
	*all = (int)scratch[EK_WG - 1];
#endif
	EK_BARRIER();
	return before;
}

#endif
