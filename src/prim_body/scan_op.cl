/* SPDX-License-Identifier: BSD-3-Clause
 * Scan over the work-items of a group with any operator: a function for kernels, which define VAL,
 * OP and EK_WG. A line #include "prim_body/scan_op.cl" in a kernel is replaced by this text
 * (gpu/prelude.c). Hillis and Steele 1986. */
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

#endif
