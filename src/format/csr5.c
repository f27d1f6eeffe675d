/* SPDX-License-Identifier: BSD-3-Clause
 * CSR5: the entries of CSR in tiles of omega lanes and sigma steps. Each tile is transposed so that
 * a vector has one entry of every lane; one to three words for each lane tell where rows begin
 * (csr5.h). All tiles are alike, whatever the row lengths, so neither long nor empty rows disturb
 * the balance between lanes or threads. row_ptr is unchanged. The last entries, which are too few
 * to fill a tile, stay in CSR's order. In addition to CSR's bytes, a tile takes up to 8 omega bytes
 * for its descriptor and 4 or 8 for its pointer (together 2.2 % for doubles with omega = 8, sigma =
 * 32). If there are empty rows between the rows of a tile, the tile also takes a row number for
 * each row that has entries in it.
 *
 * Conversion: each thread takes a range of tiles. One pass over the rows of the range sets the
 * flags, from which the offsets follow. Columns and values are transposed in registers and written
 * to other arrays. Arrays that the caller gives away are transposed in place, one tile at a time,
 * through a copy of the tile.
 *
 * Liu 2015, chapter 6, Algorithms 24 and 25. Here the row of a tile is the last row whose row_ptr
 * is not greater than the position of the tile's first entry. */
#include <string.h>

#include "format/csr5_sigma.h"
#include "format/csr5_transpose.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/csr5.c"
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

/* Fills *tile for the tile that begins with entry `first` of CSR. tile->row must be the row of that
 * entry. If `out` is not NULL, fills it with the distances from tile->row to all rows that have
 * entries in the tile. */
static void FN(csr5_describe)(const ek_store *csr, const csr5_shape *h, int64_t first,
                              struct csr5_tile *tile, IDX *out)
{
	const PTR *row_ptr = csr->array[CSR_PTR];

	memset(tile->flag, 0, (size_t)h->omega * sizeof *tile->flag);
	tile->flag[0] = 1;
	tile->segments = 1;
	tile->empty = false;
	if (out)
		out[0] = 0;
	for (int64_t i = tile->row + 1; i < csr->rows && row_ptr[i] < first + h->tile; i++) {
		const int64_t p = row_ptr[i] - first;

		if (row_ptr[i + 1] == row_ptr[i]) {
			tile->empty = true;
			continue;
		}
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
		FN(csr5_describe)(csr, &h, t * h.tile, &tile, NULL);
		total += tile.empty ? tile.segments : 0;
		if (count)
			count[t] = (PTR)(tile.empty ? tile.segments : 0);
	}
	return total;
}

/* Writes the descriptor of tile t and its pointer, tile_ptr[t]. */
static void FN(csr5_write)(ek_store *out, const csr5_shape *h, int64_t t,
                           const struct csr5_tile *tile)
{
	const int shift = h->words == 1 ? (int)h->sigma : 0;
	const int64_t row_bit = (int64_t)8 * (int64_t)sizeof(PTR) - 1;
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
	((PTR *)out->array[CSR5_TILE])[t] =
		(PTR)((uint64_t)tile->row | (uint64_t)tile->empty << row_bit);
}

/* Writes the descriptors, pointers and row numbers of tiles [begin, end). Returns 0. */
static int64_t FN(csr5_tiles)(const ek_store *csr, const ek_store *to, int64_t begin, int64_t end)
{
	const csr5_shape h = csr5_shape_of(to);
	const PTR *empty_ptr = to->array[CSR5_EMPTY_PTR];
	IDX *empty = to->array[CSR5_EMPTY];
	ek_store out = *to;
	struct csr5_tile tile;
	int64_t row = begin < end ? eki_row_of(csr, begin * h.tile) : 0;

	for (int64_t t = begin; t < end; t++) {
		const bool wanted = empty_ptr && empty_ptr[t + 1] > empty_ptr[t];

		tile.row = row = FN(csr5_row_of)(csr, row, t * h.tile);
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

static csr5_fn *const count_tiles[EK_NTYPE] = EK_BY_TYPE(csr5_count);

ek_status csr5_omega_check(int64_t omega)
{
	if (omega & (omega - 1))
		return eki_fail(EK_EINVAL, "format csr5: omega is %lld; a power of two is expected",
		                (long long)omega);
	return EK_OK;
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t *dim = out->dim, *len = out->len, numbers;
	csr5_shape h;

	dim[CSR5_OMEGA] = dim[CSR5_OMEGA] ? dim[CSR5_OMEGA] : csr5_omega(ctx, csr->value);
	if (!dim[CSR5_SIGMA]) {
		int64_t bound[CSR5_BOUNDS];

		EK_RETURN_IF(csr5_bounds(csr->value, NULL, bound));
		dim[CSR5_SIGMA] = csr5_sigma_of(bound, csr);
	}
	EK_RETURN_IF(csr5_omega_check(dim[CSR5_OMEGA]));
	h = csr5_shape_of(out);
	numbers = all_tiles(ctx, count_tiles, csr, out);
	len[CSR5_PTR] = csr->rows + 1;
	len[CSR5_COL] = len[CSR5_VAL] = csr->nnz;
	len[CSR5_TILE] = h.tiles;
	len[CSR5_DESC] = h.tiles * h.words * h.omega;
	len[CSR5_EMPTY_PTR] = numbers ? h.tiles + 1 : 0;
	len[CSR5_EMPTY] = numbers;
	return EK_OK;
}

static void empty_pointers(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	const int64_t tiles = csr5_shape_of(out).tiles;
	ek_store ptr = {.index = out->index, .array = {out->array[CSR5_EMPTY_PTR]}};

	all_tiles(ctx, count_tiles, csr, out);
	eki_ptr_set(&ptr, tiles, 0);
	eki_ptr_scan(ctx, out->index, EK_EXCLUSIVE, tiles + 1, out->array[CSR5_EMPTY_PTR]);
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static csr5_fn *const tiles[EK_NTYPE] = EK_BY_TYPE(csr5_tiles);

	eki_copy_into(ctx, out->array[CSR5_PTR], csr->array[CSR_PTR], csr->rows + 1,
	              eki_ptr_size(csr->index));
	if (out->len[CSR5_EMPTY_PTR])
		empty_pointers(ctx, csr, out);
	all_tiles(ctx, tiles, csr, out);
	csr5_transpose(ctx, out, csr->array[CSR_COL], out->array[CSR5_COL],
	               eki_idx_size(csr->index), false);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	csr5_transpose(ctx, out, csr->array[CSR_VAL], out->array[CSR5_VAL],
	               ek_value_size(csr->value), false);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	eki_copy_into(ctx, csr->array[CSR_PTR], in->array[CSR5_PTR], in->rows + 1,
	              eki_ptr_size(in->index));
	csr5_transpose(ctx, in, in->array[CSR5_COL], csr->array[CSR_COL], eki_idx_size(in->index),
	               true);
	csr5_transpose(ctx, in, in->array[CSR5_VAL], csr->array[CSR_VAL], ek_value_size(in->value),
	               true);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const csr5_shape h = csr5_shape_of(s);
	int64_t k = eki_ptr_at(s, i);

	if (at->array >= 0) /* continue after the entry at place *at */
		while (csr5_place(&h, k++) != at->k)
			;
	for (; k < eki_ptr_at(s, i + 1); k++)
		if (eki_idx_at(s, CSR5_COL, csr5_place(&h, k)) == j) {
			*at = (eki_place){CSR5_VAL, csr5_place(&h, k)};
			return true;
		}
	return false;
}

/* ---- Arrays that the caller gives away ------------------------------------------------------- */

static ek_status adopt(const ek_context *ctx, ek_store *csr, ek_store *out)
{
	ek_store s = *out;
	ek_status status;

	memcpy(s.array, csr->array, sizeof s.array);
	for (int k = CSR5_TILE; k <= CSR5_EMPTY; k++)
		EK_TRY(eki_alloc(ctx, s.len[k],
		                 eki_elem_size(s.format->array[k].elem, s.value, s.index),
		                 &s.array[k]));
	EK_TRY(pattern(ctx, csr, &s));
	EK_TRY(values(ctx, csr, &s));
	*out = s;
done:
	if (status != EK_OK) {
		s.borrowed = 1u << CSR5_PTR | 1u << CSR5_COL | 1u << CSR5_VAL;
		eki_store_free(ctx, &s);
	}
	return status;
}

/* ---- Check ----------------------------------------------------------------------------------- */

/* Checks that the arrays of `s` equal those of `again`, which were computed from row_ptr a second
 * time. */
static ek_status compare(const ek_store *s, const ek_store *again)
{
	for (int k = CSR5_TILE; k <= CSR5_EMPTY; k++) {
		const size_t size = eki_elem_size(s->format->array[k].elem, s->value, s->index);
		const char *a = s->array[k], *b = again->array[k];
		int64_t at = 0;

		if (!s->len[k] || memcmp(a, b, (size_t)s->len[k] * size) == 0)
			continue;
		while (memcmp(a + (size_t)at * size, b + (size_t)at * size, size) == 0)
			at++;
		return eki_fail(EK_ERANGE, "%s[%lld] is not what row_ptr asks for",
		                s->format->array[k].name, (long long)at);
	}
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	const int64_t omega = s->dim[CSR5_OMEGA], sigma = s->dim[CSR5_SIGMA];
	ek_store csr = *s, again;
	ek_status status;

	if (omega < 2 || omega > CSR5_MAX_OMEGA || (omega & (omega - 1)) || sigma < 1 ||
	    sigma > CSR5_MAX_SIGMA)
		return eki_fail(EK_ERANGE,
		                "omega is %lld and sigma %lld; a power of two from 2 to %d and 1 "
		                "to %d are possible",
		                (long long)omega, (long long)sigma, CSR5_MAX_OMEGA, CSR5_MAX_SIGMA);
	csr.format = &ek_format_csr;
	EK_RETURN_IF(ek_format_csr.check(ctx, &csr));
	again = *s;
	memset(again.array, 0, sizeof again.array);
	EK_RETURN_IF(layout(ctx, &csr, &again));
	EK_RETURN_IF(eki_len_check(s, again.len));
	EK_RETURN_IF(eki_store_alloc(
		ctx, &again,
		(int64_t[EKI_MAX_ARRAYS]){[CSR5_PTR] = again.len[CSR5_PTR],
	                                  [CSR5_COL] = again.len[CSR5_COL],
	                                  [CSR5_TILE] = again.len[CSR5_TILE],
	                                  [CSR5_DESC] = again.len[CSR5_DESC],
	                                  [CSR5_EMPTY_PTR] = again.len[CSR5_EMPTY_PTR],
	                                  [CSR5_EMPTY] = again.len[CSR5_EMPTY]}));
	EK_TRY(pattern(ctx, &csr, &again));
	EK_TRY(compare(s, &again));
done:
	eki_store_free(ctx, &again);
	return status;
}

const ek_format ek_format_csr5 = {
	.name = "csr5",
	.text = "CSR in transposed tiles of equal size, with flags where rows begin",
	.source = "Liu 2015, chapter 6",
	.param = {{"omega", 2, CSR5_MAX_OMEGA, "lanes of a tile, a power of two"},
                  {"sigma", 1, CSR5_MAX_SIGMA, "steps of a tile"}},
	.array = {{"row_ptr", EKI_PTR},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"tile_ptr", EKI_PTR},
                  {"tile_desc", EKI_WORD},
                  {"empty_ptr", EKI_PTR},
                  {"empty_offset", EKI_IDX}},
	.check = check,
	.convert = {4, 15},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.adopt = adopt,
	.values_alone = true,
};

#endif
