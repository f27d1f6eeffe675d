/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of CSR5 and the fields of a descriptor, which the conversion (format/csr5.c) writes
 * and the product (spmv/csr5.c) reads.
 *
 * A tile has omega * sigma entries of CSR, in omega lanes of sigma steps. Lane l has entries
 * l sigma .. (l + 1) sigma - 1 of the tile. The entries of step j are stored side by side: that of
 * lane l is at place j omega + l of the tile. The descriptor of a tile has one word for each lane:
 *     lowest sigma bits  bit_flag: bit j is 1 if the entry of step j is the first of its row
 *     then               seg_offset: the number of lanes between this lane and the next in which a
 *                        row begins
 *     highest bits       y_offset: the number of rows that begin in the lanes before this one
 * If these fields do not fit in one word, each lane has two: all words with flags come first, then
 * all words with offsets. If there are more than 32 steps, each lane has three: all words with the
 * flags of steps 0 to 31, then those with the flags of the other steps, then those with offsets.
 * The first entry of a tile always has its flag set, so that tiles do not depend on each other.
 *
 * tile_ptr has an element for each complete tile. In Liu 2015, section 6.3.3, it has p + 1, where p
 * counts the incomplete tile too: one more for the row in which that tile begins, and one for the
 * last row, where the search for empty rows of the last tile ends. Neither is stored here: that
 * search ends where row_ptr leaves the tile, and products search row_ptr for the first row of the
 * entries after the tiles. */
#ifndef EK_FORMAT_CSR5_H
#define EK_FORMAT_CSR5_H

#include "matrix/matrix.h"

enum { CSR5_PTR = CSR_PTR, CSR5_COL = CSR_COL, CSR5_VAL = CSR_VAL };
enum { CSR5_TILE = 3, CSR5_DESC, CSR5_EMPTY_PTR, CSR5_EMPTY };
enum { CSR5_OMEGA, CSR5_SIGMA };
enum { CSR5_MAX_OMEGA = 64, CSR5_MAX_SIGMA = 48 };

extern const ek_format ek_format_csr5;

typedef struct csr5_shape {
	int64_t omega, sigma, tile; /* numbers of lanes, steps and entries of a tile */
	int64_t tiles;              /* complete tiles; the entries after them stay in CSR's order */
	int seg_bits;               /* number of bits of seg_offset */
	int words;                  /* words that a descriptor has for each lane: 1, 2 or 3 */
	int flag_words;             /* words of these that have flags: 1 or 2 */
	uint32_t flags;             /* mask of the bits of the first word that are flags */
	int64_t lanes;              /* number of lanes whose flags together fit in 64 bits */
} csr5_shape;

/* Returns the number of bits that are enough for any number from 0 to n - 1; n is at least 1. */
static inline int csr5_bits(int64_t n)
{
	int bits = 0;

	while ((int64_t)1 << bits < n)
		bits++;
	return bits;
}

static inline csr5_shape csr5_shape_of(const ek_store *s)
{
	csr5_shape h = {.omega = s->dim[CSR5_OMEGA], .sigma = s->dim[CSR5_SIGMA]};

	h.tile = h.omega * h.sigma;
	h.tiles = s->nnz / h.tile;
	h.seg_bits = csr5_bits(h.omega);
	h.flags = UINT32_MAX >> (h.sigma < 32 ? 32 - h.sigma : 0);
	h.lanes = 64 / h.sigma;
	h.flag_words = h.sigma > 32 ? 2 : 1;
	h.words = csr5_bits(h.tile) + h.seg_bits + h.sigma > 32 ? h.flag_words + 1 : 1;
	return h;
}

/* Returns y_offset and seg_offset, still packed together, from the descriptor word that has
 * them. */
static inline uint32_t csr5_offsets(const csr5_shape *h, uint32_t word)
{
	return h->words > 1 ? word : word >> (h->sigma & 31);
}
static inline int64_t csr5_y_offset(const csr5_shape *h, uint32_t word)
{
	return csr5_offsets(h, word) >> h->seg_bits;
}
static inline int64_t csr5_seg_offset(const csr5_shape *h, uint32_t word)
{
	return csr5_offsets(h, word) & ((UINT32_C(1) << h->seg_bits) - 1);
}

/* Returns the flags of a lane, that of step j in bit j; `word` is the descriptor of the tile. */
static inline uint64_t csr5_flags_of(const csr5_shape *h, const uint32_t *word, int64_t lane)
{
	const uint64_t more = h->flag_words > 1 ? word[h->omega + lane] : 0;

	return (word[lane] & h->flags) | more << 32;
}

/* Returns the number of rows that have entries in a tile; `word` is the descriptor of the tile. */
static inline int64_t csr5_rows_of(const csr5_shape *h, const uint32_t *word)
{
	const int64_t l = h->omega - 1;

	return csr5_y_offset(h, word[(h->words - 1) * h->omega + l]) +
	       __builtin_popcountll(csr5_flags_of(h, word, l));
}

/* Returns the row of the first entry of a tile. csr5_has_empty tells whether there are empty rows
 * between the rows of the tile. */
static inline int64_t csr5_row(const ek_store *s, int64_t tile)
{
	return s->index == EK_I32
	               ? ((const uint32_t *)s->array[CSR5_TILE])[tile] & INT32_MAX
	               : (int64_t)(((const uint64_t *)s->array[CSR5_TILE])[tile] & INT64_MAX);
}
static inline bool csr5_has_empty(const ek_store *s, int64_t tile)
{
	return s->index == EK_I32 ? ((const uint32_t *)s->array[CSR5_TILE])[tile] >> 31
	                          : ((const uint64_t *)s->array[CSR5_TILE])[tile] >> 63;
}

/* Returns the default number of lanes of a tile on this processor. */
static inline int64_t csr5_omega(const ek_context *ctx, ek_value value)
{
	const int64_t omega = eki_lanes(ctx->isa, value);

	return omega > 4 ? omega : 4;
}
/* Checks that omega is a power of two. Returns EK_EINVAL if it is not. */
ek_status csr5_omega_check(int64_t omega);

/* Returns the place at which entry k of CSR is stored. */
static inline int64_t csr5_place(const csr5_shape *h, int64_t k)
{
	const int64_t first = k - k % h->tile, p = k - first;

	return first < h->tiles * h->tile ? first + p % h->sigma * h->omega + p / h->sigma : k;
}

#endif
