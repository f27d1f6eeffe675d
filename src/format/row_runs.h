/* SPDX-License-Identifier: BSD-3-Clause
 * Walks over rows that have entries on the same diagonals, for formats of diagonals (DIA, BDIA),
 * whose masks have a bit for each of 32 rows in a word. Included in each pass of
 * base/for_each.h. */

#if EK_PER_TYPE

/* Returns the first of the 32 rows that word number g of a diagonal's mask covers, or the number of
 * rows if g is one past the last word. */
static inline int64_t FN(word_row)(const ek_store *s, int64_t g)
{
	return eki_group(s->rows, 32, g);
}

/* Sets words [begin, end) of array number `mask` to 0, and the values of the places that they
 * cover, which are in array number `val`. */
static inline void FN(clear_words)(ek_store *s, int mask, int val, int64_t begin, int64_t end)
{
	if (begin == end)
		return;
	memset((uint32_t *)s->array[mask] + begin, 0, (size_t)(end - begin) * sizeof(uint32_t));
	memset((VAL *)s->array[val] + 32 * begin, 0, (size_t)(end - begin) * 32 * sizeof(VAL));
}

/* Returns whether rows i .. i + n - 1 have entries on the same diagonals: each row has as many
 * entries as row i, one column to the right of those in the row before. */
static inline bool FN(alike_rows)(const ek_store *csr, int64_t i, int64_t n)
{
	const PTR *row_ptr = (const PTR *)csr->array[CSR_PTR] + i;
	const IDX *col_idx = csr->array[CSR_COL];
	const PTR len = row_ptr[1] - row_ptr[0], last = row_ptr[n];
	PTR longer = 0;
	IDX moved = 0;

	if (last - row_ptr[0] != n * len)
		return false;
	for (int64_t r = 1; r < n; r++)
		longer |= (row_ptr[r + 1] - row_ptr[r]) ^ len;
	if (longer)
		return false;
	for (PTR k = row_ptr[1]; k < last; k++)
		moved |= (col_idx[k] - col_idx[k - len]) ^ 1;
	return !moved;
}

/* Does a part of a conversion for rows i .. i + n - 1, which have entries on the same diagonals and
 * belong to one word of a diagonal's mask. */
typedef void FN(some_rows)(const ek_store *csr, ek_store *out, int64_t i, int64_t n);

/* Calls `rows` for all rows in [begin, end). Most rows of a matrix that this format suits are like
 * the row before, so that the 32 of a word are compared first, which compilers vectorise. If they
 * are not all alike, rows are compared one by one. */
static inline void FN(each_alike)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end,
                                  FN(some_rows) * rows)
{
	for (int64_t i = begin, n, most; i < end; i += n) {
		most = 32 - i % 32 < end - i ? 32 - i % 32 : end - i;
		n = i % 32 == 0 && FN(alike_rows)(csr, i, most) ? most : 1;
		while (n < most && FN(alike_rows)(csr, i + n - 1, 2))
			n++;
		rows(csr, out, i, n);
	}
}

#endif
