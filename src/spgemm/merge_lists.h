/* SPDX-License-Identifier: BSD-3-Clause
 * The merge method of SpGEMM by bins. Included in each pass of bins_rows.c.
 *
 * The lists of a row are merged into it one after the other, up to 256 entries of a list at a time:
 *
 *   1  each entry of the input is searched for, in growing steps from where the last one was found
 *   2  if the new entries might not fit, the position in the lists is the checkpoint, and the
 *      caller makes room (bins_product.c)
 *   3  products whose columns are there already are added to their entries
 *   4  the others are merged in. Their ranks are known from the search, so blocks of entries move
 *      as a whole (eki_insert_ranked)
 *
 * Every entry moves when smaller ones come in. So that long rows move seldom, there are two
 * sequences: a short one in the scratch of the thread, which takes new entries, and the row itself.
 * A column is in only one of them. When the short one is full, it is merged into the row. The
 * source adds up entries that both sequences have when it merges them at the end; here each product
 * is added where its column is, so the products of an entry are added in the order of the lists.
 *
 * Cost: two searches for each product, up to 1024 moves for each 256 entries of a list, and a move
 * of the row for each 1024 entries. Liu 2015, sections 7.4.3 and 9.4.2. */

/* The sequences of a row. */
#define MERGE FN(merge)
typedef struct MERGE {
	IDX *col, *level_col, *new_col;
	VAL *val, *level_val, *new_val;
	int64_t *level_rank, *new_rank, *new_at, *place;
	int64_t n, level_n, new_n;
} MERGE;

#define MERGE_NEW INT64_MIN

/* Searches for n columns. Sets place[e] to the place in the row, to -1 minus the place in the short
 * sequence, or to MERGE_NEW. Lists the columns that are new, with their ranks in both sequences. */
static inline void FN(merge_search)(MERGE *m, const IDX *col, int64_t n)
{
	int64_t at = 0, level = 0;

	m->new_n = 0;
	for (int64_t e = 0; e < n; e++) {
		const IDX j = col[e];

		at = eki_gallop_bound(m->col, at, m->n, j);
		if (at < m->n && m->col[at] == j) {
			m->place[e] = at++;
			continue;
		}
		level = eki_gallop_bound(m->level_col, level, m->level_n, j);
		if (level < m->level_n && m->level_col[level] == j) {
			m->place[e] = -1 - level++;
		} else {
			m->place[e] = MERGE_NEW;
			m->new_col[m->new_n] = j;
			m->new_rank[m->new_n] = at;
			m->new_at[m->new_n++] = level;
		}
	}
}

/* Adds n products to the entries that were found; the others become the values of new entries. */
static inline void FN(merge_fuse)(MERGE *m, const LIST *list, int64_t from, int64_t n)
{
	VAL *new = m->new_val;

	for (int64_t e = 0; e < n; e++) {
		const VAL p = list->read ? list->a * list->val[from + e] : 0;

		if (m->place[e] >= 0)
			m->val[m->place[e]] += p;
		else if (m->place[e] != MERGE_NEW)
			m->level_val[-1 - m->place[e]] += p;
		else
			*new ++ = 0 + p;
	}
}

static inline eki_pair_kind FN(merge_kind)(const MERGE *m)
{
	return (eki_pair_kind){.key = sizeof(IDX), .value = m->val ? sizeof(VAL) : 0};
}

/* Merges the short sequence into the row. */
static void FN(merge_level)(MERGE *m)
{
	const eki_pair_at row = {m->col, (char *)m->val};
	const eki_pair_at level = {m->level_col, (char *)m->level_val};

	if (m->n == 0)
		eki_pairs_copy(m->level_n, level, 0, row, 0, FN(merge_kind)(m));
	else
		eki_insert_ranked(row, m->n, level, m->level_rank, m->level_n, FN(merge_kind)(m));
	m->n += m->level_n;
	m->level_n = 0;
}

/* Merges the new entries into the short sequence, which is emptied first if they do not fit. */
static void FN(merge_new)(MERGE *m)
{
	const eki_pair_kind rank = {.key = sizeof *m->level_rank};

	if (m->level_n + m->new_n > EKI_MERGE_LEVEL) {
		FN(merge_level)(m);
		for (int64_t k = 0; k < m->new_n; k++) {
			m->new_rank[k] += m->new_at[k];
			m->new_at[k] = 0;
		}
	}
	eki_insert_ranked((eki_pair_at){m->level_col, (char *)m->level_val}, m->level_n,
	                  (eki_pair_at){m->new_col, (char *)m->new_val}, m->new_at, m->new_n,
	                  FN(merge_kind)(m));
	if (m->n > 0) /* else all ranks are 0 */
		eki_insert_ranked((eki_pair_at){m->level_rank, NULL}, m->level_n,
		                  (eki_pair_at){m->new_rank, NULL}, m->new_at, m->new_n, rank);
	m->level_n += m->new_n;
}

/* Moves the entries of a row to its new places, if it has got some. Returns its sequences. */
static MERGE FN(merge_begin)(eki_bins_scratch *s, eki_long_row *r)
{
	if (r->old_col) {
		memcpy(r->col, r->old_col, (size_t)r->n * sizeof(IDX));
		memcpy(r->val, r->old_val, (size_t)r->n * sizeof(VAL));
		r->old_col = NULL;
	}
	return (MERGE){.col = r->col,
	               .val = r->val,
	               .n = r->n,
	               .level_col = (IDX *)(void *)s->of.merge.col,
	               .level_val = (VAL *)(void *)s->of.merge.val,
	               .level_rank = s->of.merge.rank,
	               .new_col = (IDX *)(void *)s->of.merge.new_col,
	               .new_val = (VAL *)(void *)s->of.merge.new_val,
	               .new_rank = s->of.merge.new_rank,
	               .new_at = s->of.merge.new_at,
	               .place = s->of.merge.place};
}

/* Merges the lists of a row from its checkpoint on, until the row is done or full. */
static void FN(merge_lists)(const LISTS *l, eki_bins_scratch *s, eki_long_row *r)
{
	MERGE m = FN(merge_begin)(s, r);

	r->done = true;
	for (; r->done && r->list < l->count; r->list += r->done) {
		const LIST list = FN(list_at)(l, r->list);

		while (r->entry < list.n) {
			const int64_t left = list.n - r->entry;
			const int64_t n = left < EKI_MERGE_INPUT ? left : EKI_MERGE_INPUT;

			FN(merge_search)(&m, list.col + r->entry, n);
			r->done = m.n + m.level_n + m.new_n <= r->capacity;
			if (!r->done)
				break;
			if (m.val)
				FN(merge_fuse)(&m, &list, r->entry, n);
			FN(merge_new)(&m);
			r->entry += n;
		}
		if (r->done)
			r->entry = 0;
	}
	FN(merge_level)(&m);
	r->n = m.n;
}

/* Adds all products of a row to the values of its n known columns. */
static void FN(fuse_lists)(const LISTS *l, const IDX *col, int64_t n, VAL *val)
{
	for (int64_t k = 0; k < n; k++)
		val[k] = 0;
	for (int64_t k = 0; k < l->count; k++) {
		const LIST list = FN(list_at)(l, k);
		int64_t at = 0;

		for (int64_t e = 0; e < list.n && list.read; e++) {
			at = eki_gallop_bound(col, at, n, list.col[e]);
			val[at++] += list.a * list.val[e];
		}
	}
}
#undef MERGE
#undef MERGE_NEW
