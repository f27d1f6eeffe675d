/* SPDX-License-Identifier: BSD-3-Clause
 * Tile pointers and tile descriptors of CSR5 (csr5.c). Each thread takes a range of tiles. One pass
 * over the rows of the range finds the row of each tile and whether there are empty rows between
 * its rows; it also serves to count. Another pass sets the flags, from which the offsets follow.
 * Each pass costs O(rows + tiles).
 *
 * Liu 2015, chapter 6, Algorithms 24 to 26. Here the row of a tile is the last row whose row_ptr is
 * not greater than the position of the tile's first entry. */
#include <string.h>

#include "format/csr5_tiles.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/csr5_tiles.c"
#include "base/for_each.h"

#ifndef EK_CSR5_TILE
#define EK_CSR5_TILE
/* Data from which the descriptor and the pointer of a tile are made: the flags of each lane, the
 * row of the first entry, and the number of rows with entries in the tile. `empty` is true if there
 * are empty rows between them. */
struct csr5_tile {
	uint64_t flag[CSR5_MAX_OMEGA];
	int64_t row, segments;
	bool empty;
};
#endif

#if EK_PER_TYPE

/* Fills `segments` and `empty` of *tile for the tile that begins with entry `first` of CSR.
 * tile->row must be the row of that entry. */
static void FN(csr5_scan)(const ek_store *csr, const csr5_shape *h, int64_t first,
                          struct csr5_tile *tile)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	int64_t i = tile->row + 1, empty = 0;

	for (; i < csr->rows && row_ptr[i] < first + h->tile; i++)
		empty += row_ptr[i + 1] == row_ptr[i];
	tile->segments = i - tile->row - empty;
	tile->empty = empty > 0;
}

/* Fills `flag` and `segments` of *tile for the tile that begins with entry `first` of CSR.
 * tile->row must be the row of that entry. If `out` is not NULL, fills it with the distances from
 * tile->row to all rows that have entries in the tile. */
static void FN(csr5_describe)(const ek_store *csr, const csr5_shape *h, int64_t first,
                              struct csr5_tile *tile, IDX *out)
{
	const PTR *row_ptr = csr->array[CSR_PTR];

	memset(tile->flag, 0, (size_t)h->omega * sizeof *tile->flag);
	tile->flag[0] = 1;
	tile->segments = 1;
	if (out)
		out[0] = 0;
	for (int64_t i = tile->row + 1; i < csr->rows && row_ptr[i] < first + h->tile; i++) {
		const int64_t p = row_ptr[i] - first;

		if (row_ptr[i + 1] == row_ptr[i])
			continue;
		if (out)
			out[tile->segments] = (IDX)(i - tile->row);
		tile->flag[p / h->sigma] |= UINT64_C(1) << p % h->sigma;
		tile->segments++;
	}
}

/* Returns the row of entry k, which must be row i or a later one. */
static int64_t FN(csr5_row_of)(const ek_store *csr, int64_t i, int64_t k)
{
	const PTR *row_ptr = csr->array[CSR_PTR];

	while (i + 1 < csr->rows && row_ptr[i + 1] <= k)
		i++;
	return i;
}

/* Counts the elements of empty_offset that tiles [begin, end) need. A tile that has empty rows
 * needs one for each row with entries in it; other tiles need none. If `out` has the array
 * empty_ptr, sets empty_ptr[t] to the count of tile t. */
static int64_t FN(csr5_count)(const ek_store *csr, const ek_store *out, int64_t begin, int64_t end)
{
	const csr5_shape h = csr5_shape_of(out);
	PTR *count = out->array[CSR5_EMPTY_PTR];
	struct csr5_tile tile;
	int64_t total = 0, row = begin < end ? eki_row_of(csr, begin * h.tile) : 0;

	for (int64_t t = begin; t < end; t++) {
		tile.row = row = FN(csr5_row_of)(csr, row, t * h.tile);
		FN(csr5_scan)(csr, &h, t * h.tile, &tile);
		total += tile.empty ? tile.segments : 0;
		if (count)
			count[t] = (PTR)(tile.empty ? tile.segments : 0);
	}
	return total;
}

/* Writes the pointers of tiles [begin, end): the row of the first entry, and a bit that says
 * whether there are empty rows. Returns 0. */
static int64_t FN(csr5_pointers)(const ek_store *csr, const ek_store *out, int64_t begin,
                                 int64_t end)
{
	const csr5_shape h = csr5_shape_of(out);
	const int64_t row_bit = (int64_t)8 * (int64_t)sizeof(PTR) - 1;
	PTR *ptr = out->array[CSR5_TILE];
	struct csr5_tile tile;
	int64_t row = begin < end ? eki_row_of(csr, begin * h.tile) : 0;

	for (int64_t t = begin; t < end; t++) {
		tile.row = row = FN(csr5_row_of)(csr, row, t * h.tile);
		FN(csr5_scan)(csr, &h, t * h.tile, &tile);
		ptr[t] = (PTR)((uint64_t)row | (uint64_t)tile.empty << row_bit);
	}
	return 0;
}

/* Writes the descriptor of tile t. */
static void FN(csr5_write)(ek_store *out, const csr5_shape *h, int64_t t,
                           const struct csr5_tile *tile)
{
	const int shift = h->words == 1 ? (int)h->sigma : 0;
	uint32_t *word = (uint32_t *)out->array[CSR5_DESC] + t * h->words * h->omega;
	uint32_t y_offset = 0, without = 0;

	memset(word, 0, (size_t)(h->words * h->omega) * sizeof *word);
	for (int half = 0; half < h->flag_words; half++)
		for (int64_t l = 0; l < h->omega; l++)
			word[half * h->omega + l] = (uint32_t)(tile->flag[l] >> 32 * half);
	word += (h->words - 1) * h->omega;
	for (int64_t l = 0; l < h->omega; l++) {
		word[l] |= y_offset << h->seg_bits << shift;
		y_offset += (uint32_t)__builtin_popcountll(tile->flag[l]);
	}
	for (int64_t l = h->omega - 1; l >= 0; l--) {
		word[l] |= without << shift;
		without = tile->flag[l] ? 0 : without + 1;
	}
}

/* Writes the descriptors and row numbers of tiles [begin, end), whose pointers are known. Returns
 * 0. */
static int64_t FN(csr5_tiles)(const ek_store *csr, const ek_store *to, int64_t begin, int64_t end)
{
	const csr5_shape h = csr5_shape_of(to);
	const PTR *empty_ptr = to->array[CSR5_EMPTY_PTR];
	IDX *empty = to->array[CSR5_EMPTY];
	ek_store out = *to;
	struct csr5_tile tile;

	for (int64_t t = begin; t < end; t++) {
		const bool wanted = empty_ptr && empty_ptr[t + 1] > empty_ptr[t];

		tile.row = csr5_row(to, t);
		FN(csr5_describe)(csr, &h, t * h.tile, &tile, wanted ? empty + empty_ptr[t] : NULL);
		FN(csr5_write)(&out, &h, t, &tile);
	}
	return 0;
}

#endif
#if EK_ONCE

typedef int64_t csr5_fn(const ek_store *csr, const ek_store *out, int64_t begin, int64_t end);

enum { MOST_PARTS = 64 };

struct csr5_job {
	csr5_fn *fn;
	const ek_store *csr, *out;
	int64_t tiles;
	int parts;
	int64_t total[MOST_PARTS];
};

static void csr5_part(void *arg, int part)
{
	struct csr5_job *job = arg;

	job->total[part] = job->fn(job->csr, job->out, eki_cut(job->tiles, job->parts, part),
	                           eki_cut(job->tiles, job->parts, part + 1));
}

/* Calls fn for all tiles, divided into ranges, on all threads. Returns the sum of the results. */
static int64_t all_tiles(const ek_context *ctx, csr5_fn *const fn[EK_NTYPE], const ek_store *csr,
                         const ek_store *out)
{
	struct csr5_job job = {fn[eki_type(csr->value, csr->index)],
	                       csr,
	                       out,
	                       csr5_shape_of(out).tiles,
	                       eki_parts(ctx, csr->nnz),
	                       {0}};
	int64_t total = 0;

	job.parts = job.parts < MOST_PARTS ? job.parts : MOST_PARTS;
	eki_parallel(ctx, ctx->threads, job.parts, csr5_part, &job);
	for (int part = 0; part < job.parts; part++)
		total += job.total[part];
	return total;
}

int64_t csr5_count_tiles(const ek_context *ctx, const ek_store *csr, const ek_store *out)
{
	static csr5_fn *const count[EK_NTYPE] = EK_BY_TYPE(csr5_count);

	return all_tiles(ctx, count, csr, out);
}

void csr5_write_pointers(const ek_context *ctx, const ek_store *csr, const ek_store *out)
{
	static csr5_fn *const pointers[EK_NTYPE] = EK_BY_TYPE(csr5_pointers);

	all_tiles(ctx, pointers, csr, out);
}

void csr5_write_descriptors(const ek_context *ctx, const ek_store *csr, const ek_store *out)
{
	static csr5_fn *const tiles[EK_NTYPE] = EK_BY_TYPE(csr5_tiles);

	all_tiles(ctx, tiles, csr, out);
}

#endif
