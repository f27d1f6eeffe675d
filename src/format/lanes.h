/* SPDX-License-Identifier: BSD-3-Clause
 * Lanes are rows, or pieces of rows, that a format stores side by side. Consecutive entries of a
 * lane are `step` places apart, and short lanes are padded. ELLPACK, SELL-C-sigma and BRC share the
 * functions on a lane. SELL-C-sigma and BRC also share those on a chunk of lanes. All three formats
 * have columns and values in arrays CSR_COL and CSR_VAL. This file is included in each pass of
 * base/for_each.h. */

#if EK_PER_TYPE

/* Copies the n entries of a lane of `in` to entries k .. k + n - 1 of `csr`. The lane begins at
 * place `at`. */
static inline void FN(lane_to_csr)(const ek_store *in, int64_t at, int64_t step, int64_t n,
                                   ek_store *csr, int64_t k)
{
	const IDX *col_idx = in->array[CSR_COL];
	const VAL *val = in->array[CSR_VAL];
	IDX *to_col = csr->array[CSR_COL];
	VAL *to_val = csr->array[CSR_VAL];

	for (const int64_t end = k + n; k < end; k++, at += step) {
		to_col[k] = col_idx[at];
		to_val[k] = val[at];
	}
}

/* Tells whether a lane has a column out of range, or padding other than 0. The lane has `places`
 * places, beginning with place `at`. The first n of them hold entries, the others padding. */
static inline bool FN(lane_fault)(const ek_store *s, int64_t at, int64_t step, int64_t places,
                                  int64_t n)
{
	const IDX *col_idx = s->array[CSR_COL];
	const VAL *val = s->array[CSR_VAL];

	for (int64_t j = 0; j < places; j++, at += step)
		if (col_idx[at] < 0 || col_idx[at] >= s->cols || (j >= n && !eki_pads(val[at])))
			return true;
	return false;
}

/* Fills the columns of a chunk in `to`, including those of padding, from the columns of CSR in
 * `from`. */
static inline void FN(chunk_columns)(const lane_chunk *h, const IDX *from, IDX *to)
{
	const int64_t lanes = h->lanes;

	for (int64_t j = lanes_copy(h, from, to, sizeof *to); j < h->steps; j++)
		for (int64_t l = 0; l < lanes; l++)
			to[h->at + j * lanes + l] =
				from[j < h->len[l] ? h->first[l] + j : h->pad[l]];
}

/* Fills the values of a chunk in `to` from the values of CSR in `from`. Sets its padding to 0. */
static inline void FN(chunk_values)(const lane_chunk *h, const VAL *from, VAL *to)
{
	const int64_t lanes = h->lanes;

	for (int64_t j = lanes_copy(h, from, to, sizeof *to); j < h->steps; j++)
		for (int64_t l = 0; l < lanes; l++)
			to[h->at + j * lanes + l] = j < h->len[l] ? from[h->first[l] + j] : 0;
}

#endif
