/* SPDX-License-Identifier: BSD-3-Clause
 * Flags of segments from offsets, and offsets from flags (segments.c). Compile-time parameters: VAL
 * and PTR, the type of offsets; OP, the sum; EK_WG, work-items of a group; ITEMS, flags of a
 * work-item. Wrong offsets or counts write nothing outside of the arrays. */
#include "prim_body/scan_op.cl"

#define TILE (EK_WG * ITEMS)

/* Sets the flag of the entry at which each segment begins, unless the segment is empty. The flags
 * are 0 before. */
EK_KERNEL(mark_begins, EK_WG)
(ek_i64 n, ek_i64 count, const EK_GLOBAL PTR *EK_RESTRICT offset, EK_GLOBAL ek_u8 *EK_RESTRICT flag)
{
	const ek_i64 s = EK_GROUP() * EK_WG + EK_LID();

	if (s < count) {
		const ek_i64 begin = offset[s], end = offset[s + 1];

		if (begin >= 0 && begin < end && end <= n)
			flag[begin] = 1;
	}
}

/* Tells whether a segment begins at entry i. */
EK_FN int begins(ek_i64 n, const EK_GLOBAL ek_u8 *flag, ek_i64 i)
{
	return i < n && (i == 0 || flag[i]);
}

/* Counts the segments that begin in each tile. */
EK_KERNEL(count_begins, EK_WG)
(ek_i64 n, const EK_GLOBAL ek_u8 *EK_RESTRICT flag, EK_GLOBAL VAL *EK_RESTRICT found)
{
	EK_LOCAL VAL scratch[EK_WG];
	const ek_i64 begin = EK_GROUP() * TILE + EK_LID();
	VAL own = 0;

	for (int k = 0; k < ITEMS; k++)
		own += begins(n, flag, begin + k * EK_WG);
	own = ek_op_reduce(own, scratch);
	if (EK_LID() == 0)
		found[EK_GROUP()] = own;
}

/* Writes the places at which segments begin, and n after the last of `count` segments. before[t] is
 * the number of segments that begin before tile t. */
EK_KERNEL(list_begins, EK_WG)
(ek_i64 n, ek_i64 count, const EK_GLOBAL VAL *EK_RESTRICT before,
 const EK_GLOBAL ek_u8 *EK_RESTRICT flag, EK_GLOBAL PTR *EK_RESTRICT offset)
{
	EK_LOCAL VAL scratch[EK_WG];
	const ek_i64 begin = EK_GROUP() * TILE + EK_LID() * ITEMS;
	VAL own = 0, at;

	for (int k = 0; k < ITEMS; k++)
		own += begins(n, flag, begin + k);
	at = before[EK_GROUP()] + ek_op_scan(own, scratch) - own;
	for (int k = 0; k < ITEMS; k++)
		if (begins(n, flag, begin + k)) {
			if (at < count)
				offset[at] = begin + k;
			at++;
		}
	if (EK_GROUP() == 0 && EK_LID() == 0)
		offset[count] = n;
}
