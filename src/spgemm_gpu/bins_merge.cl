/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM by bins (csr_bins.c): the merge method for long rows. Compile-time parameters: EK_WG,
 * work-items of a group; LEVEL, entries that the sequence in local memory has room for; PAST, 0 or
 * 1.
 *
 * A group has one row. The lists are merged into it one after the other, up to EK_WG entries of a
 * list at a time, one for each work-item:
 *
 *   1  each entry is searched for in the row
 *   2  a scan of those not found gives their places among the new entries
 *   3  if these do not fit, the position in the lists is the checkpoint, and the launch ends for
 *      this row
 *   4  products whose columns are there are added to their entries; the others are merged in along
 *      the merge path, whose crossings are searched for in the ranks of the new entries
 *
 * If PAST is 0, the row is in local memory. A launch reads what earlier ones have left in global
 * memory, and writes the row back at its end. If PAST is 1, the row is longer than local memory. It
 * stays in global memory, and the sequence in local memory takes the new entries of this launch; a
 * column is in only one of both. At the end of the launch the sequence is merged with the row,
 * once. The source adds up entries that both have at this point; here each product is added where
 * its column is, so the products of an entry are added in the order of the lists.
 *
 * Liu 2015, sections 4.5.5, 7.4.3 and 9.4.2. */
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/bins_rows.cl"
#include "prim_body/scan.cl"

#define STATE 4 /* numbers of a row's state: entries, list, entry of the list, room that it needs */
#define ITEM  3 /* numbers of an item: merged row, its place, its room */

/* Returns the first of n ascending columns that is not less than j, or n. */
EK_FN ek_i64 find_in_row(const EK_GLOBAL IDX *col, ek_i64 n, IDX j)
{
	ek_i64 low = 0;

	while (low < n) {
		const ek_i64 middle = low + (n - low) / 2;

		if (col[middle] < j)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

EK_FN int find_in_level(const EK_LOCAL_PTR IDX *col, int n, IDX j)
{
	int low = 0;

	while (low < n) {
		const int middle = (low + n) / 2;

		if (col[middle] < j)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* Returns how many of n entries with ascending ranks go to place p or before it: entry k goes to
 * place rank[k] + k. */
EK_FN int crossing(const EK_LOCAL_PTR IDX *rank, int n, ek_i64 p)
{
	int low = 0;

	while (low < n) {
		const int middle = (low + n) / 2;

		if ((ek_i64)rank[middle] + middle <= p)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* Merges new entries into the n entries in local memory, in place, from the last place to the
 * first. New entry k comes before entry at[k]. Has barriers, one of them at the end. */
EK_FN void insert_new(EK_LOCAL_PTR IDX *col, EK_LOCAL_PTR VAL *val, EK_LOCAL_PTR IDX *rank, int n,
                      const EK_LOCAL_PTR IDX *new_col, const EK_LOCAL_PTR VAL *new_val,
                      const EK_LOCAL_PTR IDX *new_rank, const EK_LOCAL_PTR IDX *at, int added)
{
	for (int end = n + added; added > 0 && end > at[0]; end -= EK_WG) {
		const int p = end - 1 - EK_LID();
		IDX c = 0, r = 0;
		VAL v = 0;

		if (p >= at[0]) {
			const int k = crossing(at, added, p);
			const int take = k > 0 && (int)at[k - 1] + k - 1 == p;

			c = take ? new_col[k - 1] : col[p - k];
			v = take ? new_val[k - 1] : val[p - k];
			if (PAST)
				r = take ? new_rank[k - 1] : rank[p - k];
		}
		EK_BARRIER();
		if (p >= at[0]) {
			col[p] = c;
			val[p] = v;
			if (PAST)
				rank[p] = r;
		}
		EK_BARRIER();
	}
}

/* Writes the entries in local memory to the row: merges them with its n entries, each before entry
 * rank[k], or copies them if the row is in local memory alone. Has barriers. */
EK_FN void dump(EK_GLOBAL IDX *col, EK_GLOBAL VAL *val, ek_i64 n, int values,
                const EK_LOCAL_PTR IDX *level_col, const EK_LOCAL_PTR VAL *level_val,
                const EK_LOCAL_PTR IDX *rank, int level)
{
	const ek_i64 first = PAST && level > 0 ? rank[0] : 0;

	for (ek_i64 end = n + level; level > 0 && end > first; end -= EK_WG) {
		const ek_i64 p = end - 1 - EK_LID();
		IDX c = 0;
		VAL v = 0;

		if (p >= first) {
			const int k = PAST ? crossing(rank, level, p) : (int)p + 1;
			const int take = PAST ? k > 0 && (ek_i64)rank[k - 1] + k - 1 == p : 1;

			c = take ? level_col[k - 1] : col[p - k];
			if (values)
				v = take ? level_val[k - 1] : val[p - k];
		}
		EK_BARRIER_GLOBAL();
		if (p >= first) {
			col[p] = c;
			if (values)
				val[p] = v;
		}
		EK_BARRIER_GLOBAL();
	}
}

EK_KERNEL(merge_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ek_i64 merged, const EK_GLOBAL ek_i64 *EK_RESTRICT row,
 const EK_GLOBAL ek_i64 *EK_RESTRICT item, EK_GLOBAL ek_i64 *EK_RESTRICT state, int make,
 EK_GLOBAL IDX *all_col, EK_GLOBAL VAL *all_val, EK_GLOBAL ek_i64 *EK_RESTRICT length)
{
	EK_LOCAL IDX level_col[LEVEL], level_rank[PAST ? LEVEL : 1];
	EK_LOCAL VAL level_val[LEVEL];
	EK_LOCAL IDX new_col[EK_WG], new_at[EK_WG], new_rank[PAST ? EK_WG : 1];
	EK_LOCAL VAL new_val[EK_WG];
	EK_LOCAL ek_i64 scratch[EK_WG];
	const int lid = EK_LID(), values = make & MAKE_VAL;
	const EK_GLOBAL ek_i64 *own = item + ITEM * EK_GROUP();
	const ek_i64 which = own[0], room = own[2], i = row[merged + which];
	EK_GLOBAL IDX *col = all_col + own[1];
	EK_GLOBAL VAL *val = all_val + own[1];
	const ek_i64 lists = ek_lists(EK_PRODUCT_ARGUMENTS, i);
	ek_i64 n = state[STATE * which], l = state[STATE * which + 1];
	ek_i64 entry = state[STATE * which + 2], need = 0;
	int level = 0;

	if (!PAST) {
		for (int k = lid; k < (int)n; k += EK_WG) {
			level_col[k] = col[k];
			if (values)
				level_val[k] = val[k];
		}
		level = (int)n;
		n = 0;
	}
	EK_BARRIER();
	for (; l < lists && !need; l += !need) {
		const ek_list list = ek_list_at(EK_PRODUCT_ARGUMENTS, i, l, values);

		while (entry < list.n) {
			const int some = list.n - entry < EK_WG ? (int)(list.n - entry) : EK_WG;
			int is_new = 0, place = 0, added;
			ek_i64 in_row = 0;
			IDX j = 0;
			VAL p = 0;

			/* 1 */
			if (lid < some) {
				j = ek_list_col(EK_PRODUCT_ARGUMENTS, list, entry + lid);
				p = ek_list_product(EK_PRODUCT_ARGUMENTS, list, entry + lid);
				place = -1;
				in_row = find_in_row(col, n, j);
				if (in_row == n || col[in_row] != j) {
					place = find_in_level(level_col, level, j);
					is_new = place == level || level_col[place] != j;
				}
			}
			/* 2 */
			const int to = ek_count_before(is_new, scratch, &added);

			/* 3 */
			if (n + level + added > room || level + added > LEVEL) {
				need = n + level + added;
				break;
			}
			/* 4 */
			if (is_new) {
				new_col[to] = j;
				new_at[to] = (IDX)place;
				new_val[to] = 0 + p;
				if (PAST)
					new_rank[to] = (IDX)in_row;
			} else if (lid < some && values) {
				if (place < 0)
					val[in_row] += p;
				else
					level_val[place] += p;
			}
			EK_BARRIER_GLOBAL();
			insert_new(level_col, level_val, level_rank, level, new_col, new_val,
			           new_rank, new_at, added);
			level += added;
			entry += some;
		}
		entry = need ? entry : 0;
	}
	/* Dump the row, unless only its length is wanted. */
	if (need || make & MAKE_COL)
		dump(col, val, n, values, level_col, level_val, level_rank, level);
	n += level;
	if (lid == 0) {
		state[STATE * which] = n;
		state[STATE * which + 1] = l;
		state[STATE * which + 2] = entry;
		state[STATE * which + 3] = need;
		if (!need && make & MAKE_LENGTH)
			length[i] = n;
	}
}

/* Adds all products of long rows of a known C to its values. A group has one row. */
EK_KERNEL(add_to_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ek_i64 merged, const EK_GLOBAL ek_i64 *EK_RESTRICT row,
 const EK_GLOBAL ek_i64 *EK_RESTRICT at, const EK_GLOBAL IDX *EK_RESTRICT all_col,
 EK_GLOBAL VAL *all_val)
{
	const ek_i64 i = row[merged + EK_GROUP()], n = at[i + 1] - at[i];
	const ek_i64 lists = ek_lists(EK_PRODUCT_ARGUMENTS, i);
	const EK_GLOBAL IDX *col = all_col + at[i];
	EK_GLOBAL VAL *val = all_val + at[i];

	for (ek_i64 k = EK_LID(); k < n; k += EK_WG)
		val[k] = 0;
	for (ek_i64 l = 0; l < lists; l++) {
		const ek_list list = ek_list_at(EK_PRODUCT_ARGUMENTS, i, l, 1);

		EK_BARRIER_GLOBAL(); /* the next list may add to the same entries */
		for (ek_i64 e = EK_LID(); e < list.n && list.reads; e += EK_WG)
			val[find_in_row(col, n, ek_list_col(EK_PRODUCT_ARGUMENTS, list, e))] +=
				ek_list_product(EK_PRODUCT_ARGUMENTS, list, e);
	}
}
