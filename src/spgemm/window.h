/* SPDX-License-Identifier: BSD-3-Clause
 * Adds lists to a dense window of columns (spgemm/flags.c). Included once in each pass of
 * base/for_each.h. */

/* Adds the entries of a list to the window that begins at column `base`. */
static inline void FN(add)(const eki_window *s, LIST list, IDX base, bool values, int mark)
{
	VAL *restrict sum = s->sum;
	uint8_t *restrict flag = s->flag, *restrict group = s->group;
	uint64_t *restrict bits = s->bits;

	for (int64_t k = 0; k < list.n; k++) {
		const IDX j = list.col[k] - base;

		if (values)
			sum[j] += list.a * list.val[k];
		if (mark == EKI_MARK_FLAGS)
			flag[j] = 1;
		if (mark == EKI_MARK_BITS) {
			bits[j >> 6] |= (uint64_t)1 << (j & 63);
			group[j >> 6] = 1;
		}
	}
}

/* Adds the runs of a list to the window that begins at column `base`. */
static inline void FN(add_runs)(const eki_window *s, LIST list, IDX base, bool values, int mark)
{
	static const uint8_t ones[2 * EKI_RUN] = {1, 1, 1, 1, 1, 1, 1, 1};
	const vec a = vset1(list.a);
	int64_t len;

	for (int64_t k = 0, run = 0; k < list.n; k += len, run++) {
		const IDX j = list.run_col[run] - base;
		VAL *sum = (VAL *)s->sum + j;
		uint64_t flags, set;

		len = list.run_len[run];
		for (int64_t q = 0; values && q < len; q += W) {
			const vmask lanes = vmask_n(len - q < W ? len - q : W);
			const vec product = vmul(a, vload_n(list.val + k + q, lanes));

			vstore(sum + q, vadd_n(vload(sum + q), product, lanes));
		}
		if (mark == EKI_MARK_FLAGS) {
			memcpy(&flags, s->flag + j, sizeof flags);
			memcpy(&set, ones + EKI_RUN - len, sizeof set);
			flags |= set;
			memcpy(s->flag + j, &flags, sizeof flags);
		}
		for (IDX c = j; mark == EKI_MARK_BITS && c < j + len; c++) {
			s->bits[c >> 6] |= (uint64_t)1 << (c & 63);
			s->group[c >> 6] = 1;
		}
	}
}

/* Adds the rows of B to the window that begins at column `base`, entry by entry. */
static inline void FN(add_rows)(const LISTS *l, const eki_window *s, IDX base, bool values,
                                int mark)
{
	const IDX *a_col = l->a_col, *b_col = l->b_col;
	const PTR *b_ptr = l->b_ptr, end = l->begin + (PTR)(l->count - (l->d.n > 0));
	const VAL *a_val = l->a_val, *b_val = l->b_val, alpha = l->alpha;

	for (PTR k = l->begin; k < end; k++) {
		const PTR begin = b_ptr[a_col[k]];
		const LIST list = {.col = b_col + begin,
		                   .n = b_ptr[a_col[k] + 1] - begin,
		                   .val = values ? b_val + begin : NULL,
		                   .a = values ? alpha * a_val[k] : 0};

		FN(add)(s, list, base, values, mark);
	}
}

/* Adds all lists of a row to the window. */
static inline void FN(add_lists)(const LISTS *l, const eki_window *s, IDX base, int mark)
{
	int64_t k = 0;

	if (l->d.n > 0)
		FN(add)(s, FN(list_at)(l, k++), base, l->d.read, mark);
	if (l->b->run_ptr)
		for (; k < l->count; k++)
			FN(add_runs)(s, FN(list_at)(l, k), base, l->read, mark);
	else if (l->read)
		FN(add_rows)(l, s, base, true, mark);
	else
		FN(add_rows)(l, s, base, false, mark);
}

/* Adds the entries of all lists in columns before `limit`, from the positions in s->at on. Returns
 * the first column that remains, or -1 if there is none. */
static IDX FN(add_piece)(const LISTS *l, const eki_window *s, IDX base, IDX limit, int mark)
{
	IDX next = -1;

	for (int64_t k = 0; k < l->count; k++) {
		LIST list = FN(list_at)(l, k);
		const int64_t from = s->at[k];
		int64_t to = from;

		while (to < list.n && list.col[to] < limit)
			to++;
		if (to < list.n && (next < 0 || list.col[to] < next))
			next = list.col[to];
		s->at[k] = to;
		list.col += from;
		list.val += list.read ? from : 0;
		list.n = to - from;
		FN(add)(s, list, base, list.read, mark);
	}
	return next;
}

#include "spgemm/window_read.h"
