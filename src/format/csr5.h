/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of CSR5 and the fields of a descriptor: what the conversion (format/csr5.c) writes and
 * the product (spmv/csr5.c) reads.
 *
 * A tile has omega * sigma entries of CSR, lane l of omega having entries l sigma .. (l + 1) sigma
 * - 1 of it; step j of all lanes lies side by side, at j omega + l. A descriptor is a word for each
 * lane:
 *     bits 0, 1 ...  bit_flag: is the entry of step 0, 1 ... the first of its row? (sigma bits)
 *     then           seg_offset: lanes behind this one in which no row begins, up to the next that
 *                    has one
 *     highest        y_offset: rows that begin in the lanes before
 * or two where they do not fit: first all words with the flags, then all with the offsets. The
 * first entry of a tile always has its flag, so that tiles do not depend on each other. */
#ifndef EK_FORMAT_CSR5_H
#define EK_FORMAT_CSR5_H

#include "core/ek_core.h"

enum { CSR5_PTR = CSR_PTR, CSR5_COL = CSR_COL, CSR5_VAL = CSR_VAL };
enum { CSR5_TILE = 3, CSR5_DESC, CSR5_EMPTY_PTR, CSR5_EMPTY };
enum { CSR5_OMEGA, CSR5_SIGMA };
enum { CSR5_MAX_OMEGA = 64, CSR5_MAX_SIGMA = 32 };

extern const ek_format ek_format_csr5;

typedef struct csr5_shape {
	int64_t omega, sigma, tile; /* entries of a tile */
	int64_t tiles;              /* complete ones; what is behind them stays CSR */
	int seg_bits;               /* of seg_offset */
	int words;                  /* of a descriptor, for each lane */
	uint32_t flags;             /* the bits of a word that are flags */
	int64_t lanes;              /* whose flags fit a word of 64 bits */
} csr5_shape;

static inline int csr5_bits(int64_t n) /* of numbers below n, n >= 1 */
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
	h.flags = UINT32_MAX >> (32 - h.sigma);
	h.lanes = 64 / h.sigma;
	h.words = csr5_bits(h.tile) + h.seg_bits + h.sigma > 32 ? 2 : 1;
	return h;
}

/* The offsets of a word that holds them. */
static inline uint32_t csr5_offsets(const csr5_shape *h, uint32_t word)
{
	return h->words == 2 ? word : word >> (h->sigma & 31);
}
static inline int64_t csr5_y_offset(const csr5_shape *h, uint32_t word)
{
	return csr5_offsets(h, word) >> h->seg_bits;
}
static inline int64_t csr5_seg_offset(const csr5_shape *h, uint32_t word)
{
	return csr5_offsets(h, word) & ((UINT32_C(1) << h->seg_bits) - 1);
}

/* Rows that have entries in a tile, by its descriptor. */
static inline int64_t csr5_rows_of(const csr5_shape *h, const uint32_t *word)
{
	const int64_t l = h->omega - 1;

	return csr5_y_offset(h, word[(h->words - 1) * h->omega + l]) +
	       __builtin_popcount(word[l] & h->flags);
}

/* The first row of a tile, and whether rows without entries lie between its rows. */
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

/* Lanes of a tile on this processor. */
static inline int64_t csr5_omega(const ek_context *ctx, ek_value value)
{
	const int64_t omega = eki_lanes(ctx->isa, value);

	return omega > 4 ? omega : 4;
}
/* EK_EINVAL if omega is no power of two. */
ek_status csr5_omega_check(int64_t omega);

/* Where entry k of CSR lies. */
static inline int64_t csr5_place(const csr5_shape *h, int64_t k)
{
	const int64_t first = k - k % h->tile, p = k - first;

	return first < h->tiles * h->tile ? first + p % h->sigma * h->omega + p / h->sigma : k;
}

#endif
