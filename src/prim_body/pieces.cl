/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of rows that several work-groups share: functions for kernels. A line #include
 * "prim_body/pieces.cl" in a kernel is replaced by this text (gpu/prelude.c).
 *
 * Each group sums a piece of the row. The group that finishes last adds the sums of all pieces, in
 * their order, so that the bits are the same in each run. A counter tells which group is last. No
 * group waits for another. */
#ifndef EK_PIECES_CL
#define EK_PIECES_CL

/* Stores the sum of a piece in partial[EK_GROUP()]. The row has `pieces` pieces, whose sums begin
 * at partial[first]; *arrived counts those that are stored. In the last group that does this for a
 * row, replaces *sum by the sum of the row, resets the counter for the next run, and returns 1.
 * Returns 0 in the other groups. Has barriers. */
EK_FN int ek_last_piece(VAL *sum, PTR first, int pieces, EK_GLOBAL VAL *partial,
                        EK_GLOBAL int *arrived, EK_LOCAL_PTR int *before,
                        EK_LOCAL_PTR VAL *scratch)
{
	const int lid = EK_LID();

	if (lid == 0) {
		ek_leave(partial + EK_GROUP(), *sum);
		EK_FENCE();
		*before = EK_ATOMIC_ADD(arrived, 1);
	}
	EK_BARRIER_GLOBAL();
	if (*before == pieces - 1) {
		VAL s = 0;

		EK_FENCE();
#pragma unroll 1
		for (int k = lid; k < pieces; k += EK_WG)
			s += ek_found(partial + first + k);
		*sum = ek_lanes_sum(s, EK_WG, scratch);
		if (lid == 0)
			EK_ATOMIC_SET(arrived, 0); /* reset for the next run */
	}
	return *before == pieces - 1;
}

#endif
