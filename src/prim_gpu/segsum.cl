/* SPDX-License-Identifier: BSD-3-Clause
 * The last step of segmented sums (segsum.c). Compile-time parameters: VAL; PTR, the type of
 * offsets; EK_WG, work-items of a group. Segments whose offsets are wrong have the sum 0. */

/* Returns 1 if a segment of an array of n entries has an entry. */
EK_FN int has_entry(ek_i64 n, ek_i64 begin, ek_i64 end)
{
	return begin >= 0 && begin < end && end <= n;
}

/* Takes the sum of each segment from the place of its last entry in a segmented scan. */
EK_KERNEL(pick_last, EK_WG)
(ek_i64 n, ek_i64 count, const EK_GLOBAL PTR *EK_RESTRICT offset,
 const EK_GLOBAL VAL *EK_RESTRICT scan, EK_GLOBAL VAL *EK_RESTRICT out)
{
	const ek_i64 s = EK_GROUP() * EK_WG + EK_LID();

	if (s < count)
		out[s] = has_entry(n, offset[s], offset[s + 1]) ? scan[offset[s + 1] - 1] : (VAL)0;
}

/* Computes the sum of each segment from an inclusive scan of all entries: the scan at the last
 * entry less the scan before the first. */
EK_KERNEL(differences, EK_WG)
(ek_i64 n, ek_i64 count, const EK_GLOBAL PTR *EK_RESTRICT offset,
 const EK_GLOBAL VAL *EK_RESTRICT scan, EK_GLOBAL VAL *EK_RESTRICT out)
{
	const ek_i64 s = EK_GROUP() * EK_WG + EK_LID();

	if (s < count) {
		const ek_i64 begin = offset[s], end = offset[s + 1];
		VAL sum = 0;

		if (has_entry(n, begin, end)) {
			sum = scan[end - 1];
			if (begin > 0)
				sum -= scan[begin - 1];
		}
		out[s] = sum;
	}
}
