/* SPDX-License-Identifier: BSD-3-Clause
 * The sums of rows of C in local memory, for spgemm_gpu/hash_rows.cl: a line #include
 * "spgemm_gpu/row_table.cl" in a kernel is replaced by this text (gpu/prelude.c). Compile-time
 * parameters: EK_WG; TEAM, the work-items that compute a row; WINDOW.
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
#define SYNC()      EK_BARRIER_LANES(TEAM)
#define BIT(k)      ((int)((ek_u32)1 << ((k)&31)))

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

/* Empties the table of a row. The caller synchronises. */
EK_FN void table_clear(EK_LOCAL_PTR int *key, EK_LOCAL_PTR VAL *sum, int slots, int sums, int lane)
{
	for (int s = lane; s < KEYS(slots); s += TEAM)
		key[s] = NO_KEY;
	for (int s = lane; s < sums; s += TEAM)
		sum[s] = 0;
}

#if WINDOW
/* Adds the number of entries to *found, which is 0 before. Has a barrier. */
EK_FN void table_count(const EK_LOCAL_PTR int *key, int slots, int lane, EK_LOCAL_PTR int *found)
{
	int n = 0;

	for (int w = lane; w < KEYS(slots); w += TEAM)
		n += EK_POPCOUNT(key[w]);
	if (n)
		EK_LOCAL_ADD(found, n);
	SYNC();
}

/* Writes the entries of a row in the order of their columns. `before` has an int for each word of
 * the bitmap, of which there are at most TEAM. Returns the number of entries. Has barriers. */
EK_FN int table_write(EK_LOCAL_PTR int *key, const EK_LOCAL_PTR VAL *sum, int slots, int lane,
                      EK_LOCAL_PTR int *before, IDX base, EK_GLOBAL IDX *col, EK_GLOBAL VAL *val)
{
	const int words = KEYS(slots);

	if (lane < words)
		before[lane] = EK_POPCOUNT(key[lane]);
	SYNC();
	for (int d = 1; d < words; d *= 2) {
		const int v = lane >= d && lane < words ? before[lane - d] : 0;

		SYNC();
		if (lane < words)
			before[lane] += v;
		SYNC();
	}
	for (int s = lane; s < slots; s += TEAM) {
		const int w = s >> 5, bits = key[w];

		if (bits & BIT(s)) {
			const int at = before[w] - EK_POPCOUNT((ek_u32)bits >> (s & 31));

			col[at] = base + s;
			val[at] = sum[s];
		}
	}
	return before[words - 1];
}
#else
/* Moves the entries of a table to its first slots, in any order. *found, which is 0 before, becomes
 * their number. Each step reads TEAM slots, and then writes to slots that have been read. Has
 * barriers. */
EK_FN void table_pack(EK_LOCAL_PTR int *key, EK_LOCAL_PTR VAL *sum, int slots, int lane,
                      EK_LOCAL_PTR int *found)
{
	for (int begin = 0; begin < slots; begin += TEAM) {
		const int s = begin + lane;
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
}

/* Sorts n entries by their keys. `most` is the largest n of all teams that meet at SYNC. The first
 * step of a merge compares entries at mirrored places of two sorted runs, the others those at
 * distance d. All put the smaller key first, so entries behind the last would never move and need
 * not exist. Batcher 1968. Has barriers. */
EK_FN void table_sort(EK_LOCAL_PTR int *key, EK_LOCAL_PTR VAL *sum, int n, int most, int lane)
{
	int size = 2, d = 1;

	while (size / 2 < most) {
		const int pairs = (n + size - 1) / size * (size / 2);

		for (int t = lane; t < pairs; t += TEAM) {
			const int off = t % d, i = t / d * 2 * d + off;
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
		if (d == 1) {
			size *= 2;
			d = size;
		}
		d /= 2;
	}
}
#endif

#endif
