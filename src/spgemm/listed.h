/* SPDX-License-Identifier: BSD-3-Clause
 * Adds lists to a dense window of columns, and lists the columns that are new (spgemm/flags.c,
 * unsorted.c). Included once in each pass of base/for_each.h. */

/* Adds the entries of a list to the window that begins at column `base`, with flags, and lists
 * their columns that had no flag, minus `base`, from number n on. Returns how many are listed. No
 * branch depends on a column. */
static inline int64_t FN(add_new)(const eki_window *s, LIST list, IDX base, bool values,
                                  IDX *restrict listed, int64_t n)
{
	VAL *restrict sum = s->sum;
	uint8_t *restrict flag = s->flag;

	for (int64_t k = 0; k < list.n; k++) {
		const IDX j = list.col[k] - base;

		listed[n] = j;
		n += !flag[j];
		flag[j] = 1;
		if (values)
			sum[j] += list.a * list.val[k];
	}
	return n;
}

/* Does the same with the rows of B that entries [k, end) of A need. Prefetches those that later
 * entries need if `ahead`. */
static inline int64_t FN(add_new_rows)(const LISTS *l, const eki_window *s, PTR k, PTR end,
                                       IDX base, bool values, bool ahead, IDX *listed, int64_t n)
{
	const IDX *a_col = l->a_col, *b_col = l->b_col;
	const PTR *b_ptr = l->b_ptr;
	const VAL *a_val = l->a_val, *b_val = l->b_val, alpha = l->alpha;
	const eki_window w = {.sum = s->sum, .flag = s->flag};

	for (; k < end; k++) {
		const PTR begin = b_ptr[a_col[k]];
		const LIST list = {.col = b_col + begin,
		                   .n = b_ptr[a_col[k] + 1] - begin,
		                   .val = values ? b_val + begin : NULL,
		                   .a = values ? alpha * a_val[k] : 0};

		if (ahead)
			FN(prefetch)(l, k);
		n = FN(add_new)(&w, list, base, values, listed, n);
	}
	return n;
}
