/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on sliced coordinates on a device, a group for each slice. The group goes through the slice
 * in tiles: the order of entries by columns, which is what the format is for, lets neighbours read
 * x close together. Row sums of the slice gather in local memory.
 *
 * The source adds each product to the sum of its row by an atomic operation, so the order of
 * additions, and with it the bits, would be another in every run. Here the order within a tile is
 * worked out once, in preparation, from the pattern: a place for each product, so that those of a
 * row lie side by side in local memory, and the list of such pieces. A work-item adds a piece up;
 * one for each row adds its pieces, in their order, and puts the tile's sum to that of the row.
 * Pieces end after 32 entries, so a row that has all of a tile does not leave it to one work-item.
 *
 * Instead of the number of the row, 2 bytes an entry, that is 2 bytes an entry and 4 a piece; the
 * rest of the format is read once. A slice is never cut, so there are as many groups as slices, and
 * a slice with most of the entries takes all the time; a lower `height` of the format makes more of
 * them than its choice for the processor's threads. Sums of slices higher than local memory has
 * room for gather in y.
 *
 * Dang and Schmidt 2012. */
#include <stdio.h>

#include "format/scoo.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_scoo, "gpu_spmv/scoo.cl");

enum {
	WG = 256,
	EACH = 8, /* entries of a tile for each work-item */
	TILE = WG * EACH,
	LONGEST = 32,        /* entries of a piece */
	SUM_BYTES = 1 << 14, /* at least: what the format's own choice of height needs */
	DIGIT = 7            /* bits of a row that are sorted by at a time, twice */
};
enum { ROOM }; /* parameter */
_Static_assert(SCOO_MAX_HEIGHT <= 1 << 2 * DIGIT, "rows of a slice have two digits");

typedef struct state {
	int height;
	void *kernel;
	eki_buffer *slice_tile, *tile_piece, *piece, *place;
} state;

/* ---- Pieces ---------------------------------------------------------------------------------- */

typedef struct list { /* being made */
	const ek_store *A;
	int parts;
	int64_t slices, *slice_tile, *tile_piece;
	uint16_t *place;
	uint32_t *piece; /* NULL: to be counted */
} list;

static int64_t tiles_of(const list *l, int64_t slice)
{
	return eki_groups(eki_ptr_at(l->A, slice + 1) - eki_ptr_at(l->A, slice), TILE);
}

/* Places of n entries by their rows, equal ones staying in their order. */
static void sort_tile(const uint16_t *row, int n, uint16_t *place)
{
	uint16_t by_low[TILE];
	int low[(1 << DIGIT) + 1] = {0}, high[(1 << DIGIT) + 1] = {0};

	for (int k = 0; k < n; k++) {
		low[(row[k] & ((1 << DIGIT) - 1)) + 1]++;
		high[(row[k] >> DIGIT) + 1]++;
	}
	for (int d = 0; d < 1 << DIGIT; d++) {
		low[d + 1] += low[d];
		high[d + 1] += high[d];
	}
	for (int k = 0; k < n; k++)
		by_low[low[row[k] & ((1 << DIGIT) - 1)]++] = (uint16_t)k;
	for (int j = 0; j < n; j++)
		place[by_low[j]] = (uint16_t)high[row[by_low[j]] >> DIGIT]++;
}

/* Pieces of a tile whose places are known, to `piece` unless that is NULL; how many. */
static int64_t find_pieces(const uint16_t *row, int n, const uint16_t *place, uint32_t *piece)
{
	uint16_t sorted[TILE];
	int64_t pieces = 0;
	int begin = 0;

	for (int k = 0; k < n; k++)
		sorted[place[k]] = row[k];
	for (int j = 0; j < n; j++)
		if (j == 0 || sorted[j] != sorted[j - 1] || j - begin == LONGEST) {
			begin = j;
			if (piece)
				piece[pieces] = (uint32_t)j | (uint32_t)sorted[j] << 16;
			pieces++;
		}
	return pieces;
}

/* Sorts and counts the tiles of a part of the slices, or fills the list. */
static void work_part(void *arg, int part)
{
	const list *l = arg;
	const uint16_t *row = l->A->array[SCOO_ROW];

	for (int64_t s = eki_cut(l->slices, l->parts, part);
	     s < eki_cut(l->slices, l->parts, part + 1); s++) {
		const int64_t end = eki_ptr_at(l->A, s + 1);
		int64_t k = eki_ptr_at(l->A, s);

		for (int64_t t = l->slice_tile[s]; t < l->slice_tile[s + 1]; t++, k += TILE) {
			const int n = end - k < TILE ? (int)(end - k) : TILE;

			if (l->piece) {
				find_pieces(row + k, n, l->place + k, l->piece + l->tile_piece[t]);
			} else {
				sort_tile(row + k, n, l->place + k);
				l->tile_piece[t + 1] = find_pieces(row + k, n, l->place + k, NULL);
			}
		}
	}
}

/* Counts, and makes sums of the counts; then fills. */
static ek_status make_list(const ek_context *ctx, list *l)
{
	const int64_t tiles = l->slice_tile[l->slices];
	void *block;

	l->tile_piece[0] = 0;
	eki_parallel(ctx->threads, l->parts, work_part, l);
	for (int64_t t = 0; t < tiles; t++)
		l->tile_piece[t + 1] += l->tile_piece[t];
	EK_RETURN_IF(eki_alloc(ctx, l->tile_piece[tiles], sizeof *l->piece, &block));
	l->piece = block;
	if (l->piece)
		eki_parallel(ctx->threads, l->parts, work_part, l);
	return EK_OK;
}

static ek_status upload(ek_plan *p, state *s, const list *l)
{
	const int64_t tiles = l->slice_tile[l->slices], pieces = l->tile_piece[tiles];

	EK_RETURN_IF(eki_gpu_buffer(p, l->slices + 1, sizeof *l->slice_tile, false, l->slice_tile,
	                            &s->slice_tile));
	EK_RETURN_IF(eki_gpu_buffer(p, tiles + 1, sizeof *l->tile_piece, false, l->tile_piece,
	                            &s->tile_piece));
	EK_RETURN_IF(eki_gpu_buffer(p, pieces, sizeof *l->piece, false, l->piece, &s->piece));
	EK_RETURN_IF(eki_gpu_buffer(p, l->A->nnz, sizeof *l->place, false, l->place, &s->place));
	p->bytes += (l->slices + tiles + 2) * (int64_t)sizeof *l->tile_piece +
	            pieces * (int64_t)sizeof *l->piece;
	return EK_OK;
}

static ek_status order_tiles(ek_plan *p, state *s)
{
	list l = {.A = p->store, .slices = scoo_slices(p->store)};
	int64_t tiles = 0, pieces = 0;
	void *slice_tile = NULL, *tile_piece = NULL, *place = NULL;
	ek_status status;

	l.parts = eki_parts(p->ctx, l.A->nnz);
	EK_TRY(eki_alloc(p->ctx, l.slices + 1, sizeof *l.slice_tile, &slice_tile));
	l.slice_tile = slice_tile;
	for (int64_t k = 0; k < l.slices; k++) {
		l.slice_tile[k] = tiles;
		tiles += tiles_of(&l, k);
	}
	l.slice_tile[l.slices] = tiles;
	EK_TRY(eki_alloc(p->ctx, tiles + 1, sizeof *l.tile_piece, &tile_piece));
	EK_TRY(eki_alloc(p->ctx, l.A->nnz, sizeof *l.place, &place));
	l.tile_piece = tile_piece;
	l.place = place;
	EK_TRY(make_list(p->ctx, &l));
	pieces = l.tile_piece[tiles];
	EK_TRY(upload(p, s, &l));
done:
	eki_free(p->ctx, l.piece, pieces, sizeof *l.piece);
	eki_free(p->ctx, place, l.A->nnz, sizeof *l.place);
	eki_free(p->ctx, tile_piece, tiles + 1, sizeof *l.tile_piece);
	eki_free(p->ctx, slice_tile, l.slices + 1, sizeof *l.slice_tile);
	return status;
}

/* ---- The method ------------------------------------------------------------------------------ */

/* Row sums that local memory has room for, 0 if those of a slice are more. Few sizes, since each
 * is a program of its own. */
static int sums_for(const ek_plan *p, int64_t height)
{
	const int64_t value = (int64_t)ek_value_size(p->store->value);
	const int64_t local = p->ctx->device->info.local / value - TILE;
	const int64_t asked = eki_gpu_param(p, ROOM, SCOO_MAX_HEIGHT);
	const int64_t most = asked < local ? asked : local;
	int64_t n = SUM_BYTES / value;

	while (n < height)
		n *= 2;
	n = n < most ? n : most;
	return n < height ? 0 : (int)n;
}

static ek_status prepare(ek_plan *p)
{
	const unsigned arrays = 1u << SCOO_PTR | 1u << SCOO_COL | 1u << SCOO_VAL;
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	EK_RETURN_IF(eki_gpu_local(p, TILE * (int64_t)ek_value_size(p->store->value)));
	EK_RETURN_IF(eki_gpu_prepare(p, NULL, NULL, NULL));
	s->height = (int)p->store->dim[SCOO_HEIGHT]; /* with op T, of another store */
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define EACH %d\n#define SUMS %d\n",
	         WG, EACH, sums_for(p, s->height));
	EK_RETURN_IF(eki_gpu_program(p, "scoo", defines, eki_cl_scoo));
	EK_RETURN_IF(eki_gpu_mirror_some(p, arrays));
	EK_RETURN_IF(order_tiles(p, s));
	return eki_gpu_kernel(p, "scoo", &s->kernel);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	const eki_buffer *const *array = p->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i32(s->height),
	                        eki_arg_buffer(array[SCOO_PTR]),
	                        eki_arg_buffer(s->slice_tile),
	                        eki_arg_buffer(s->tile_piece),
	                        eki_arg_buffer(s->piece),
	                        eki_arg_buffer(s->place),
	                        eki_arg_buffer(array[SCOO_COL]),
	                        eki_arg_buffer(array[SCOO_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(p, s->kernel, scoo_slices(A), WG, args, EKI_COUNT(args)));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_scoo = {
	.name = "spmv.scoo.gpu",
	.text = "a group for each slice, its sums in local memory, on a device",
	.source = "Dang and Schmidt 2012",
	.operation = EK_SPMV,
	.format = &ek_format_scoo,
	.param = {{"sums", 1, SCOO_MAX_HEIGHT,
                   "most rows of a slice whose sums are in local memory"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
