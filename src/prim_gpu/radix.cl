/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting entries by an index, and what becomes of the sorted ones (radix.c). Compile-time
 * parameters: PTR, the type of numbers of entries; IDX, that of indices; EK_WG, work-items of a
 * group; EACH, entries of a work-item.
 *
 * A pass sorts entries by 8 bits of their indices, stably. A group has a tile of EK_WG * EACH
 * consecutive entries, of which it takes EK_WG at a time. */
#include "prim_body/search.cl"

#define TILE     (EK_WG * EACH)
#define DIGITS   256
#define DIGIT(j) ((int)((j) >> shift & (DIGITS - 1)))

/* Counts the digits of each tile: those of digit d in place[d * tiles + tile]. */
EK_KERNEL(radix_count, EK_WG)
(ek_i64 n, const EK_GLOBAL IDX *EK_RESTRICT key, int shift, ek_i64 tiles,
 EK_GLOBAL ek_i64 *EK_RESTRICT place)
{
	EK_LOCAL int count[DIGITS];
	const ek_i64 begin = EK_GROUP() * TILE, end = begin + TILE < n ? begin + TILE : n;

	for (int d = EK_LID(); d < DIGITS; d += EK_WG)
		count[d] = 0;
	EK_BARRIER();
	for (ek_i64 e = begin + EK_LID(); e < end; e += EK_WG)
		EK_LOCAL_ADD(count + DIGIT(key[e]), 1);
	EK_BARRIER();
	for (int d = EK_LID(); d < DIGITS; d += EK_WG)
		place[d * tiles + EK_GROUP()] = count[d];
}

/* Returns how many of the bytes of `word` equal `byte`, each of whose four bytes is the same. A
 * byte of `zero` is 0x80 where those of word and byte are equal, else 0. */
EK_FN int equal_bytes(ek_u32 word, ek_u32 byte, ek_u32 mask)
{
	const ek_u32 x = word ^ byte;
	const ek_u32 zero = ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu);

	return EK_POPCOUNT(zero & mask);
}

/* Returns how many work-items before this one have the same digit. `digits` has a byte for each.
 * Has a barrier. */
EK_FN int rank_of(int digit, EK_LOCAL_PTR ek_u32 *digits)
{
	const int lid = EK_LID();
	const ek_u32 byte = (ek_u32)digit * 0x01010101u;
	int rank = 0;

	((EK_LOCAL_PTR ek_u8 *)digits)[lid] = (ek_u8)digit;
	EK_BARRIER();
	for (int w = 0; w < lid / 4; w++)
		rank += equal_bytes(digits[w], byte, 0xffffffffu);
	return rank + equal_bytes(digits[lid / 4], byte, ((ek_u32)1 << 8 * (lid % 4)) - 1);
}

/* Moves each entry to its place: its index, and the number that it had before the sort. If `first`
 * is not 0, that is the number that it has now, and `from` is not read. */
EK_KERNEL(radix_place, EK_WG)
(ek_i64 n, const EK_GLOBAL IDX *EK_RESTRICT key, const EK_GLOBAL PTR *EK_RESTRICT from, int first,
 int shift, ek_i64 tiles, const EK_GLOBAL ek_i64 *EK_RESTRICT place,
 EK_GLOBAL IDX *EK_RESTRICT to_key, EK_GLOBAL PTR *EK_RESTRICT to_from)
{
	EK_LOCAL ek_i64 at[DIGITS];
	EK_LOCAL int count[DIGITS];
	EK_LOCAL ek_u32 digits[EK_WG / 4];

	for (int d = EK_LID(); d < DIGITS; d += EK_WG) {
		at[d] = place[d * tiles + EK_GROUP()];
		count[d] = 0;
	}
	for (int k = 0; k < EACH; k++) {
		const ek_i64 e = EK_GROUP() * TILE + k * EK_WG + EK_LID();
		const IDX j = e < n ? key[e] : 0;
		const int digit = DIGIT(j), rank = rank_of(digit, digits);

		if (e < n) {
			const ek_i64 to = at[digit] + count[digit] + rank;

			to_key[to] = j;
			to_from[to] = first ? (PTR)e : from[e];
		}
		EK_BARRIER();
		EK_LOCAL_ADD(count + digit, 1);
		EK_BARRIER();
	}
}

/* Writes the row of each of n entries. */
EK_KERNEL(expand, EK_WG)
(ek_i64 rows, ek_i64 n, const EK_GLOBAL PTR *EK_RESTRICT ptr, EK_GLOBAL IDX *EK_RESTRICT row)
{
	EK_LOCAL ek_i64 ends[2];
	const ek_i64 begin = EK_GROUP() * TILE, end = begin + TILE < n ? begin + TILE : n;

	if (EK_LID() < 2)
		ends[EK_LID()] = ek_upper_bound(ptr, 1, rows, EK_LID() ? end - 1 : begin);
	EK_BARRIER();
	for (ek_i64 e = begin + EK_LID(); e < end; e += EK_WG)
		row[e] = (IDX)(ek_upper_bound(ptr, ends[0], ends[1], e) - 1);
}

/* Writes where each index begins among n entries that are sorted by index. */
EK_KERNEL(compress, EK_WG)
(ek_i64 end, ek_i64 n, const EK_GLOBAL IDX *EK_RESTRICT key, EK_GLOBAL PTR *EK_RESTRICT ptr)
{
	const ek_i64 j = EK_GROUP() * EK_WG + EK_LID();
	ek_i64 low = 0, high = n;

	if (j > end)
		return;
	while (low < high) {
		const ek_i64 middle = low + (high - low) / 2;

		if (key[middle] < j)
			low = middle + 1;
		else
			high = middle;
	}
	ptr[j] = (PTR)low;
}

/* Writes the index of each entry whose number is in `from`. */
EK_KERNEL(gather, EK_WG)
(ek_i64 n, const EK_GLOBAL PTR *EK_RESTRICT from, const EK_GLOBAL IDX *EK_RESTRICT key,
 EK_GLOBAL IDX *EK_RESTRICT to)
{
	const ek_i64 e = EK_GROUP() * EK_WG + EK_LID();

	if (e < n)
		to[e] = key[from[e]];
}
