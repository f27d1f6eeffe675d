/* SPDX-License-Identifier: BSD-3-Clause
 * Adds lists to a dense window of columns (spgemm/flags.c, numeric.c). Included once in each pass
 * of base/for_each.h. */

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

/* Returns how many lists from list k on are rows of B that follow each other and have the same
 * columns. */
static inline int FN(count_same)(const LISTS *l, int64_t k)
{
	const int64_t at = l->begin + k - (l->d.n > 0);
	const IDX *row = l->a_col + at;
	int m = 1;

	if (!l->b->same)
		return 1;
	while (m < EKI_SAME && k + m < l->count && row[m] == row[0] + m &&
	       eki_bit(l->b->same, row[m]))
		m++;
	return m;
}

/* Adds lists k ... k + m - 1, which are rows of B that follow each other and have the same columns,
 * to the window that begins at column `base`, run by run. Each sum is read and written once, by
 * loads and stores of the same aligned vectors in all rows, so a load never waits for a part of
 * what was stored to reach the cache. */
static inline __attribute__((always_inline)) void
FN(add_runs)(const LISTS *l, const eki_window *s, int64_t k, int m, IDX base, int mark, bool read)
{
	const uint64_t one_each = 0x0101010101010101;
	const int64_t at = l->begin + k - (l->d.n > 0);
	const IDX row = l->a_col[at];
	const PTR begin = l->b_ptr[row], n = l->b_ptr[row + 1] - begin;
	const PTR *run_ptr = l->b->run_ptr, runs = run_ptr[row + 1] - run_ptr[row];
	const IDX *restrict run_col = (const IDX *)l->b->run_col + run_ptr[row];
	const uint8_t *restrict run_bits = l->b->run_bits + run_ptr[row];
	const VAL *restrict b = l->b_val + begin;
	VAL *restrict sums = s->sum;
	uint8_t *restrict flag = s->flag, *restrict group = s->group;
	uint64_t *restrict words = s->bits;
	vec a[EKI_SAME];

	for (int r = 0; r < m; r++)
		a[r] = read ? vset1(l->alpha * l->a_val[at + r]) : vzero();
	for (PTR run = 0; run < runs; run++) {
		const IDX j = run_col[run] - base;
		const unsigned bits = run_bits[run];
		const int first = __builtin_ctz(bits), len = __builtin_popcount(bits);

		for (int q = 0; read && q < EKI_RUN; q += W) {
			const vmask lanes = vmask_bits(bits >> q);
			vec sum = vload(sums + j + q);

			for (int r = 0; r < m; r++)
				sum = vadd_n(sum, vmul(a[r], vload_n(b + r * n + q - first, lanes)),
				             lanes);
			vstore(sums + j + q, sum);
		}
		b += len;
		if (mark == EKI_MARK_FLAGS) { /* vectors are only on little-endian processors */
			uint64_t flags;

			memcpy(&flags, flag + j, sizeof flags);
			flags |= one_each >> (64 - 8 * len) << 8 * first;
			memcpy(flag + j, &flags, sizeof flags);
		}
		if (mark == EKI_MARK_BITS) {
			words[j >> 6] |= (uint64_t)bits << (j & 63);
			group[j >> 6] = 1;
		}
	}
}

/* Adds all rows of B to the window that begins at column `base`, list k first, by runs. Of rows
 * with the same columns whose values are not read, one is enough. */
static inline __attribute__((always_inline)) void
FN(add_rows_of_runs)(const LISTS *l, const eki_window *s, int64_t k, IDX base, int mark, bool read)
{
	int m;

	for (; k < l->count; k += m) {
		m = FN(count_same)(l, k);
		switch (read ? m : 1) {
		case 1: FN(add_runs)(l, s, k, 1, base, mark, read); break;
		case 2: FN(add_runs)(l, s, k, 2, base, mark, read); break;
		case 3: FN(add_runs)(l, s, k, 3, base, mark, read); break;
		default: FN(add_runs)(l, s, k, EKI_SAME, base, mark, read); break;
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
static inline __attribute__((always_inline)) void FN(add_lists)(const LISTS *l, const eki_window *s,
                                                                IDX base, int mark)
{
	int64_t k = 0;

	if (l->d.n > 0)
		FN(add)(s, FN(list_at)(l, k++), base, l->d.read, mark);
	if (mark == EKI_MARK_NONE && !l->read)
		return;
	if (W > 1 && l->b->run_ptr && l->read)
		FN(add_rows_of_runs)(l, s, k, base, mark, true);
	else if (W > 1 && l->b->run_ptr)
		FN(add_rows_of_runs)(l, s, k, base, mark, false);
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
