/* SPDX-License-Identifier: BSD-3-Clause
 * Chunks of lanes, step by step: what SELL-C-sigma and BRC fill in the same way. A lane is a run of
 * entries of CSR; step j of all lanes lies side by side, and lanes that have ended are padded.
 * Included in each pass of core/for_each.h. */

#if EK_PER_TYPE

/* Where each lane begins in CSR, how long it is, and the entry whose column pads it: its last one
 * or, of a lane without entries, any that is near. */
struct FN(lanes) {
	int64_t first[EKI_MOST_LANES], len[EKI_MOST_LANES], pad[EKI_MOST_LANES];
};

static inline void FN(lane_set)(struct FN(lanes) * h, int64_t l, int64_t first, int64_t len,
                                int64_t nnz)
{
	h->first[l] = first;
	h->len[l] = len;
	h->pad[l] = len ? first + len - 1 : first < nnz ? first : first - 1;
}

/* Columns, or values, of `steps` steps of n lanes, from place `at` on. */
static inline void FN(lane_columns)(const struct FN(lanes) * h, int64_t n, int64_t steps,
                                    const IDX *from, IDX *to, int64_t at)
{
	for (int64_t j = 0; j < steps; j++, at += n)
		for (int64_t l = 0; l < n; l++)
			to[at + l] = from[j < h->len[l] ? h->first[l] + j : h->pad[l]];
}

static inline void FN(lane_values)(const struct FN(lanes) * h, int64_t n, int64_t steps,
                                   const VAL *from, VAL *to, int64_t at)
{
	for (int64_t j = 0; j < steps; j++, at += n)
		for (int64_t l = 0; l < n; l++)
			to[at + l] = j < h->len[l] ? from[h->first[l] + j] : 0;
}

#endif
