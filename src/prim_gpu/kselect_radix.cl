/* SPDX-License-Identifier: BSD-3-Clause
 * Selection by digits (kselect_radix.c). Compile-time parameters: those of prim_body/pairs.cl; VAL,
 * ek_i64, and OP, the sum; EK_WG, work-items of a group, at least 256; BITS, those of a key.
 * `pieces` groups work on each list, and each has `length` of its entries.
 *
 * Digits have 8 bits, the first ones first. known[list] is the k-th smallest so far: its first
 * digits, then zeros. left[list] is its rank among the entries with these digits. */
#include "prim_body/scan_op.cl"
#include "prim_body/pairs.cl"

#define DIGITS 256
#ifdef WIDE
typedef ek_u64 bits;
#else
typedef ek_u32 bits;
#endif

/* Returns a key as an unsigned number of the same order. */
EK_FN bits bits_of(KEY x)
{
	return (bits)ek_order(x) ^ (bits)1 << (BITS - 1);
}

/* Counts, for each piece of each list, the digits at `shift` of the entries whose digits before are
 * those of known[list]. In the first pass, `first` is not 0, and nothing is known. */
EK_KERNEL(count_digits, EK_WG)
(ek_i64 n, ek_i64 pieces, ek_i64 length, int shift, int first, const EK_GLOBAL KEY *EK_RESTRICT in,
 const EK_GLOBAL bits *EK_RESTRICT known, EK_GLOBAL int *EK_RESTRICT counts)
{
	EK_LOCAL int count[DIGITS];
	const ek_i64 list = EK_GROUP() / pieces, begin = EK_GROUP() % pieces * length;
	const ek_i64 end = n - begin < length ? n : begin + length;
	const bits prefix = first ? 0 : known[list] >> shift >> 8;

	for (int k = EK_LID(); k < DIGITS; k += EK_WG)
		count[k] = 0;
	EK_BARRIER();
	for (ek_i64 i = begin + EK_LID(); i < end; i += EK_WG) {
		const bits x = bits_of(in[list * n + i]) >> shift;

		if (first || x >> 8 == prefix)
			EK_LOCAL_ADD(&count[x & (DIGITS - 1)], 1);
	}
	EK_BARRIER();
	for (int k = EK_LID(); k < DIGITS; k += EK_WG)
		counts[EK_GROUP() * DIGITS + k] = count[k];
}

/* Finds the next digit of the k-th smallest of each list, a group for each list. */
EK_KERNEL(choose_digit, EK_WG)
(ek_i64 k, ek_i64 pieces, int shift, int first, const EK_GLOBAL int *EK_RESTRICT counts,
 EK_GLOBAL bits *EK_RESTRICT known, EK_GLOBAL ek_i64 *EK_RESTRICT left)
{
	EK_LOCAL ek_i64 scratch[EK_WG];
	const ek_i64 list = EK_GROUP(), rank = first ? k : left[list];
	ek_i64 own = 0, upto;

	for (ek_i64 p = 0; EK_LID() < DIGITS && p < pieces; p++)
		own += counts[(list * pieces + p) * DIGITS + EK_LID()];
	upto = ek_op_scan(own, scratch);
	EK_BARRIER_GLOBAL(); /* all have read left[list] */
	if (upto >= rank && upto - own < rank) {
		known[list] = (first ? 0 : known[list]) | (bits)EK_LID() << shift;
		left[list] = rank - (upto - own);
	}
}

/* Writes the k-th smallest of each list. */
EK_KERNEL(write_kth, EK_WG)
(ek_i64 lists, const EK_GLOBAL bits *EK_RESTRICT known, EK_GLOBAL KEY *EK_RESTRICT kth)
{
	const ek_i64 list = EK_GROUP() * EK_WG + EK_LID();

	if (list < lists)
		kth[list] = ek_order((KEY)(known[list] ^ (bits)1 << (BITS - 1)));
}

/* Counts the entries of each piece that are less than the k-th smallest. */
EK_KERNEL(count_less, EK_WG)
(ek_i64 n, ek_i64 pieces, ek_i64 length, const EK_GLOBAL KEY *EK_RESTRICT in,
 const EK_GLOBAL bits *EK_RESTRICT known, EK_GLOBAL ek_i64 *EK_RESTRICT less)
{
	EK_LOCAL ek_i64 scratch[EK_WG];
	const ek_i64 list = EK_GROUP() / pieces, begin = EK_GROUP() % pieces * length;
	const ek_i64 end = n - begin < length ? n : begin + length;
	ek_i64 own = 0;

	for (ek_i64 i = begin + EK_LID(); i < end; i += EK_WG)
		own += bits_of(in[list * n + i]) < known[list];
	own = ek_op_reduce(own, scratch);
	if (EK_LID() == 0)
		less[EK_GROUP()] = own;
}

/* Copies the entries that are less than the k-th smallest, in their order. before[p] is the number
 * of such entries in the pieces before piece p, of all lists. */
EK_KERNEL(copy_less, EK_WG)
(ek_i64 n, ek_i64 k, ek_i64 pieces, ek_i64 length, const EK_GLOBAL KEY *EK_RESTRICT in,
 const EK_GLOBAL bits *EK_RESTRICT known, const EK_GLOBAL ek_i64 *EK_RESTRICT before,
 EK_GLOBAL KEY *EK_RESTRICT smallest)
{
	EK_LOCAL ek_i64 scratch[EK_WG];
	const ek_i64 list = EK_GROUP() / pieces, begin = EK_GROUP() % pieces * length;
	const ek_i64 end = n - begin < length ? n : begin + length;
	ek_i64 to = list * k + before[EK_GROUP()] - before[list * pieces];

	for (ek_i64 at = begin; at < end; at += EK_WG) {
		const ek_i64 i = at + EK_LID();
		const KEY x = i < end ? in[list * n + i] : 0;
		const ek_i64 own = i < end && bits_of(x) < known[list];
		const ek_i64 upto = ek_op_scan(own, scratch);

		if (own)
			smallest[to + upto - 1] = x;
		to += scratch[EK_WG - 1];
		EK_BARRIER();
	}
}

/* Fills the last places of each list with copies of the k-th smallest. left[list] of the k smallest
 * are equal to it. */
EK_KERNEL(copy_equal, EK_WG)
(ek_i64 k, ek_i64 per, const EK_GLOBAL bits *EK_RESTRICT known,
 const EK_GLOBAL ek_i64 *EK_RESTRICT left, EK_GLOBAL KEY *EK_RESTRICT smallest)
{
	const ek_i64 list = EK_GROUP() / per, i = EK_GROUP() % per * EK_WG + EK_LID();

	if (i < left[list])
		smallest[list * k + k - 1 - i] =
			ek_order((KEY)(known[list] ^ (bits)1 << (BITS - 1)));
}
