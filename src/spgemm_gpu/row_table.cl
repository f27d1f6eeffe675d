/* SPDX-License-Identifier: BSD-3-Clause
 * The sums of a row of C in local memory, for hash_rows.cl and hash_far.cl: a line #include
 * "spgemm_gpu/row_table.cl" in a kernel is replaced by this text (gpu/prelude.c). Compile-time
 * parameters: EK_WG, the work-items that compute a row; WINDOW.
 *
 * If WINDOW is 0, a row has a hash table with linear probing: key[s] is the column of slot s, minus
 * the base of the row, and sum[s] its sum. A slot is claimed by an atomic operation on its key. If
 * WINDOW is 1, slot s is column base + s, and `key` is a bitmap of the columns that have an
 * entry. */
#ifndef EK_ROW_TABLE_CL
#define EK_ROW_TABLE_CL

#define FREE (-1) /* key of a slot without an entry */
/* Returns the number of ints for the keys of a row. */
#define KEYS(slots) (WINDOW ? (slots) / 32 : (slots))
#define NO_KEY      (WINDOW ? 0 : FREE)
#define BIT(k)      ((int)((ek_u32)1 << ((k)&31)))

/* SYNC is a barrier for the work-items of the row. */
#if EK_WG <= EK_WARP
#define SYNC() EK_WARP_BARRIER()
#else
#define SYNC() EK_BARRIER()
#endif

/* Returns the slot of key k, which gets one if it has none: then *fresh is increased. If `marks` is
 * 0, the bitmap of a window is left as it is. */
EK_FN int table_slot(EK_LOCAL_PTR int *key, int slots, int k, int marks, int *fresh)
{
#if WINDOW
	(void)slots;
	(void)fresh;
	if (marks && !(EK_LOCAL_READ(key + (k >> 5)) & BIT(k)))
		EK_LOCAL_OR(key + (k >> 5), BIT(k));
	return k;
#else
	(void)marks;
	int s = (int)((ek_u64)((ek_u32)k * 2654435769u) * (ek_u32)slots >> 32);

	for (;;) {
		int was = EK_LOCAL_READ(key + s);

		if (was == FREE) {
			was = EK_LOCAL_CAS(key + s, FREE, k);
			if (was == FREE) {
				++*fresh;
				return s;
			}
		}
		if (was == k)
			return s;
		s = s + 1 < slots ? s + 1 : 0;
	}
#endif
}

/* Empties the first slots of a table, `sums` of them with sums. The caller synchronises. */
EK_FN void table_clear(EK_LOCAL_PTR int *key, EK_LOCAL_PTR VAL *sum, int slots, int sums)
{
	for (int s = EK_LID(); s < KEYS(slots); s += EK_WG)
		key[s] = NO_KEY;
	for (int s = EK_LID(); s < sums; s += EK_WG)
		sum[s] = 0;
}

#if WINDOW
/* Returns the number of entries in this work-item's words of the bitmap. */
EK_FN int table_count(const EK_LOCAL_PTR int *key, int slots)
{
	int n = 0;

	for (int w = EK_LID(); w < KEYS(slots); w += EK_WG)
		n += EK_POPCOUNT(key[w]);
	return n;
}

/* Writes the entries of a window in the order of their columns. `ends` has an entry for each
 * work-item, of which there are as many as words of the bitmap or more. Returns the number of
 * entries. Has barriers, the last of them after `ends` was read. */
EK_FN int table_write(const EK_LOCAL_PTR int *key, const EK_LOCAL_PTR VAL *sum, int slots,
                      EK_LOCAL_PTR ek_i64 *ends, IDX base, EK_GLOBAL IDX *col,
                      EK_GLOBAL VAL *val)
{
	const int lane = EK_LID();
	int n;

	ek_scan_before(lane < KEYS(slots) ? EK_POPCOUNT(key[lane]) : 0, ends);
	for (int s = lane; s < slots; s += EK_WG) {
		const int bits = key[s >> 5];

		if (bits & BIT(s)) {
			const int at =
				(int)ends[s >> 5] - EK_POPCOUNT((ek_u32)bits >> (s & 31));

			col[at] = base + s;
			val[at] = sum[s];
		}
	}
	n = (int)ends[EK_WG - 1];
	SYNC();
	return n;
}

/* Writes the columns of a window in order. `ends` has an entry for each work-item. Has barriers,
 * the last of them after `ends` was read. */
EK_FN void table_columns(const EK_LOCAL_PTR int *key, int slots, EK_LOCAL_PTR ek_i64 *ends,
                         IDX base, EK_GLOBAL IDX *col)
{
	EK_ROLLED
	for (int first = 0; first < KEYS(slots); first += EK_WG) {
		const int w = first + EK_LID();
		ek_u32 bits = w < KEYS(slots) ? (ek_u32)key[w] : 0;
		ek_i64 at = ek_scan_before(EK_POPCOUNT(bits), ends);

		for (; bits; bits &= bits - 1)
			col[at++] = base + 32 * w + EK_POPCOUNT((bits & -bits) - 1);
		col += ends[EK_WG - 1];
		SYNC();
	}
}
#else
/* Moves the entries of a table to its first slots, in any order. Returns their number, for which
 * *found is used. Each step reads EK_WG slots, and then writes to slots that have been read. Has
 * barriers. */
EK_FN int table_pack(EK_LOCAL_PTR int *key, EK_LOCAL_PTR VAL *sum, int slots,
                     EK_LOCAL_PTR int *found)
{
	if (EK_LID() == 0)
		*found = 0;
	EK_ROLLED
	for (int begin = 0; begin < slots; begin += EK_WG) {
		const int s = begin + EK_LID();
		const int k = s < slots ? key[s] : FREE;
		const VAL v = s < slots ? sum[s] : (VAL)0;

		SYNC();
		if (k != FREE) {
			const int to = EK_LOCAL_ADD(found, 1);

			key[to] = k;
			sum[to] = v;
		}
	}
	SYNC();
	return *found;
}

/* Sorts n entries by their keys. The first step of a merge compares entries at mirrored places of
 * two sorted runs, the others those at distance d. All put the smaller key first, so entries behind
 * the last would never move and need not exist. Batcher 1968. Has barriers. */
EK_FN void table_sort(EK_LOCAL_PTR int *key, EK_LOCAL_PTR VAL *sum, int n)
{
	int size = 2, d = 1;

	EK_ROLLED
	while (size / 2 < n) {
		const int pairs = (n + size - 1) / size * (size / 2);

		for (int t = EK_LID(); t < pairs; t += EK_WG) {
			const int off = t & (d - 1), i = 2 * (t - off) + off;
			const int j = 2 * d == size ? i - off + size - 1 - off : i + d;

			if (j < n && key[i] > key[j]) {
				const int k = key[i];
				const VAL v = sum[i];

				key[i] = key[j];
				key[j] = k;
				sum[i] = sum[j];
				sum[j] = v;
			}
		}
		SYNC();
		size = d == 1 ? 2 * size : size;
		d = d == 1 ? size / 2 : d / 2;
	}
}
#endif

#endif
