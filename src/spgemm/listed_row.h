/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a sparse product whose columns are far apart (spgemm/flags.c). A column that is new gets
 * the next number. Its flag in the window is that number plus 1, and its sum is in a list, so a row
 * takes one byte of the window for each column, and what it takes is cleared by its columns. Then
 * the columns are sorted, each with its number. Included once in each pass of base/for_each.h. */

/* A row: the columns that it has, minus the first one of its window, and their sums. */
typedef struct FN(listed) {
	int64_t n;
	IDX col[EKI_LIST_MOST];
	VAL sum[EKI_LIST_MOST];
} FN(listed);

/* Adds the entries of a list. Whether a column is new is a branch: where it is foretold, what comes
 * next does not wait for the flag and the sum, which may have been stored just before. */
static inline void FN(add_listed)(FN(listed) *restrict row, uint8_t *restrict flag, LIST list,
                                  IDX base, bool read)
{
	int64_t n = row->n;

	for (int64_t k = 0; k < list.n; k++) {
		const IDX j = list.col[k] - base;
		const VAL product = read ? list.a * list.val[k] : 0;

		if (flag[j]) {
			row->sum[flag[j] - 1] += product;
			continue;
		}
		row->col[n] = j;
		row->sum[n++] = 0 + product;
		flag[j] = (uint8_t)n;
	}
	row->n = n;
}

/* Adds the rows of B. */
static inline void FN(add_listed_rows)(const LISTS *l, uint8_t *restrict flag, IDX base, bool read,
                                       FN(listed) *restrict row)
{
	const IDX *a_col = l->a_col, *b_col = l->b_col;
	const PTR *b_ptr = l->b_ptr, end = l->begin + (PTR)(l->count - (l->d.n > 0));
	const VAL *a_val = l->a_val, *b_val = l->b_val, alpha = l->alpha;

	for (PTR k = l->begin; k < end; k++) {
		const PTR begin = b_ptr[a_col[k]];
		const LIST list = {.col = b_col + begin,
		                   .n = b_ptr[a_col[k] + 1] - begin,
		                   .val = read ? b_val + begin : NULL,
		                   .a = read ? alpha * a_val[k] : 0};

		FN(add_listed)(row, flag, list, base, read);
	}
}

/* Marks columns by bits, which puts them in order, and moves their sums to the window. */
static int64_t FN(write_listed)(const FN(listed) *row, const LISTS *l, const eki_window *s,
                                IDX base, IDX *col, VAL *val)
{
	VAL *sum = s->sum;

	for (int64_t k = 0; k < row->n; k++) {
		const IDX j = row->col[k];

		sum[j] = row->sum[k];
		s->bits[j >> 6] |= (uint64_t)1 << (j & 63);
		s->group[j >> 6] = 1;
	}
	return FN(write)(s, (l->last - base) / 64 + 1, base, EKI_MARK_BITS, col, val, 0);
}

/* Computes a row of fewer than EKI_LIST_MOST products. Flags are cleared before the sort, since the
 * next row would have to wait for stores whose places are known only after it. */
static int64_t FN(listed_row)(const LISTS *l, const eki_window *s, IDX *col, VAL *val)
{
	const IDX base = l->first & ~(IDX)63;
	uint8_t *restrict flag = s->flag;
	FN(listed) row;
	IDX *key = row.col;

	row.n = 0;
	if (l->d.n > 0)
		FN(add_listed)(&row, flag, l->d, base, l->d.read);
	if (l->read)
		FN(add_listed_rows)(l, flag, base, true, &row);
	else
		FN(add_listed_rows)(l, flag, base, false, &row);
	for (int64_t k = 0; k < row.n; k++)
		flag[row.col[k]] = 0;
	if (!val)
		return row.n;
	if (row.n > s->list_most)
		return FN(write_listed)(&row, l, s, base, col, val);
	for (int64_t k = 0; k < row.n; k++)
		key[k] = key[k] << EKI_LIST_BITS | (IDX)k;
	s->sort_list(row.n, (eki_pair_at){key, NULL}, (eki_pair_at){key, NULL}, 0);
	for (int64_t k = 0; k < row.n; k++) {
		col[k] = base + (key[k] >> EKI_LIST_BITS);
		val[k] = row.sum[key[k] & (EKI_LIST_MOST - 1)];
	}
	return row.n;
}
