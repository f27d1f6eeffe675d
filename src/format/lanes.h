/* SPDX-License-Identifier: BSD-3-Clause
 * Lanes: entries j of rows, or of pieces of rows, lie side by side, so those of a single one are
 * `step` places apart, and lanes that end early are padded. What ELLPACK, SELL-C-sigma and BRC do
 * with a lane, and what the latter two, which have chunks of lanes, fill in the same way. Columns
 * and values are arrays CSR_COL and CSR_VAL in all of them. Included in each pass of
 * core/for_each.h. */

#if EK_PER_TYPE

/* n entries of a lane, the first of them at place `at`, to CSR from entry k on. */
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

/* Of a lane of n entries in `places` places: is a column outside, or padding not 0? */
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

static inline void FN(chunk_columns)(const lane_chunk *h, const IDX *from, IDX *to)
{
	int64_t at = h->at;

	for (int64_t j = 0; j < h->steps; j++, at += h->lanes)
		for (int64_t l = 0; l < h->lanes; l++)
			to[at + l] = from[j < h->len[l] ? h->first[l] + j : h->pad[l]];
}

static inline void FN(chunk_values)(const lane_chunk *h, const VAL *from, VAL *to)
{
	int64_t at = h->at;

	for (int64_t j = 0; j < h->steps; j++, at += h->lanes)
		for (int64_t l = 0; l < h->lanes; l++)
			to[at + l] = j < h->len[l] ? from[h->first[l] + j] : 0;
}

#endif
