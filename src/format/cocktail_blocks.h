/* SPDX-License-Identifier: BSD-3-Clause
 * The search for the aligned b x b blocks of a matrix in CSR, and the bytes that a block saves
 * (format/cocktail_split.c, which includes this in every pass of base/for_each.h). */
#ifndef EK_FORMAT_COCKTAIL_BLOCKS_H
#define EK_FORMAT_COCKTAIL_BLOCKS_H

enum { MOST_BLOCK = 8 };

/* State of the search for the blocks of a block row. Row r of its n rows is row first + r of A. It
 * has entries from[r] .. at[r] - 1 in the block found last, and at[r] .. end[r] - 1 after it. */
typedef struct block_rows {
	int64_t first, at[MOST_BLOCK], end[MOST_BLOCK], from[MOST_BLOCK];
	int n;
	int64_t all, left; /* entries in the block found last; those on no dense diagonal */
} block_rows;

/* What decides how many bytes a block saves over CSR: those of an entry in CSR, and of a block. */
typedef struct block_bytes {
	int64_t entry, block;
} block_bytes;

static inline block_bytes bytes_of_block(const ek_store *csr, int64_t b)
{
	return (block_bytes){.entry = eki_entry_bytes(csr),
	                     .block = b * b * (int64_t)ek_value_size(csr->value) +
	                              (int64_t)eki_idx_size(csr->index)};
}

/* Returns the number of bytes that a block with n entries saves over CSR. */
static inline int64_t block_gain(block_bytes size, int64_t n)
{
	return n * size.entry - size.block;
}

#endif

#if EK_PER_TYPE

static inline void FN(open_rows)(const ek_store *csr, int64_t first, int64_t b, block_rows *s)
{
	const PTR *row_ptr = csr->array[CSR_PTR];

	s->first = first;
	s->n = (int)(csr->rows - first < b ? csr->rows - first : b);
	for (int r = 0; r < s->n; r++) {
		s->at[r] = row_ptr[first + r];
		s->end[r] = row_ptr[first + r + 1];
	}
}

/* Finds the next block and the range of its entries in each row. Returns false if there is none. */
static inline bool FN(next_block)(const ek_store *csr, const uint8_t *dense, int64_t b,
                                  block_rows *s)
{
	const IDX *col_idx = csr->array[CSR_COL];
	int64_t low = INT64_MAX, last;

	for (int r = 0; r < s->n; r++)
		if (s->at[r] < s->end[r] && col_idx[s->at[r]] < low)
			low = col_idx[s->at[r]];
	if (low == INT64_MAX)
		return false;
	last = low / b * b + b - 1;
	s->all = s->left = 0;
	for (int r = 0; r < s->n; r++) {
		int64_t k = s->at[r];

		s->from[r] = k;
		for (; k < s->end[r] && col_idx[k] <= last; k++) {
			s->all++;
			s->left += !(dense && dense[col_idx[k] - s->first - r + csr->rows - 1]);
		}
		s->at[r] = k;
	}
	return true;
}

#endif
