/* SPDX-License-Identifier: BSD-3-Clause
 * Reduction, scan and segmented scan over the work-items of a group with any operator: functions
 * for kernels, which define VAL, OP and EK_WG, a power of two. A line #include
 * "prim_body/scan_op.cl" in a kernel is replaced by this text (gpu/prelude.c). Hillis and Steele
 * 1986; Liu 2015, Algorithm 4, for the reduction. */
#ifndef EK_SCAN_OP_CL
#define EK_SCAN_OP_CL

/* Returns the inclusive scan of `own` over the work-items of the group, and leaves it in `scratch`,
 * which has EK_WG entries. Has barriers. */
EK_FN VAL ek_op_scan(VAL own, EK_LOCAL_PTR VAL *scratch)
{
	const int lid = EK_LID();

	scratch[lid] = own;
	EK_BARRIER();
	for (int d = 1; d < EK_WG; d *= 2) {
		const VAL before = scratch[lid >= d ? lid - d : lid];

		EK_BARRIER();
		if (lid >= d)
			scratch[lid] = OP(before, scratch[lid]);
		EK_BARRIER();
	}
	return scratch[lid];
}

/* Returns the inclusive segmented scan of `own`: it goes back to the last work-item with a mark.
 * *marked tells whether this work-item has a mark; it becomes whether one of those up to this one
 * has. Leaves both results in `scratch` and `marks`, which have EK_WG entries. Has barriers. */
EK_FN VAL ek_op_segmented_scan(VAL own, int *marked, EK_LOCAL_PTR VAL *scratch,
                               EK_LOCAL_PTR int *marks)
{
	const int lid = EK_LID();

	scratch[lid] = own;
	marks[lid] = *marked;
	EK_BARRIER();
	for (int d = 1; d < EK_WG; d *= 2) {
		const VAL before = scratch[lid >= d ? lid - d : lid];
		const int mark = marks[lid >= d ? lid - d : lid];

		EK_BARRIER();
		if (lid >= d && !marks[lid]) {
			scratch[lid] = OP(before, scratch[lid]);
			marks[lid] = mark;
		}
		EK_BARRIER();
	}
	*marked = marks[lid];
	return scratch[lid];
}

/* Returns what `own` combines to over all work-items, in the first of them. A balanced tree.
 * `scratch` has EK_WG entries. Has barriers. */
EK_FN VAL ek_op_reduce(VAL own, EK_LOCAL_PTR VAL *scratch)
{
	const int lid = EK_LID();

	scratch[lid] = own;
	for (int d = EK_WG / 2; d > 0; d /= 2) {
		EK_BARRIER();
		if (lid < d)
			scratch[lid] = OP(scratch[lid], scratch[lid + d]);
	}
	return scratch[lid];
}

#endif
