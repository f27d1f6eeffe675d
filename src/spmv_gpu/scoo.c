/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on sliced coordinates on a device, with one group for each slice of rows. The group goes
 * through the slice tile by tile. The format orders the entries of a slice by columns, so
 * neighbouring work-items read entries of x that are close together. Row sums of the slice
 * accumulate in local memory.
 *
 * The published method adds each product to the sum of its row by an atomic operation, so the order
 * of additions, and with it the bits, would differ from run to run. Here, preparation determines
 * the order within each tile from the pattern. It gives each product a place in local memory, such
 * that the products of a row are side by side, and lists these pieces of rows. In a run, one
 * work-item adds up each piece. Then one work-item for each row adds the row's pieces, in order,
 * and adds the result to the sum of the row. Pieces end after 32 entries, so a row that fills a
 * tile is not left to one work-item.
 *
 * Instead of the row index of each entry, which has 2 bytes, a run reads a place of 2 bytes for
 * each entry, and 4 bytes for each piece. The rest of the format is read once. A slice is never
 * cut, so there are as many groups as slices, and a slice with most of the entries determines the
 * time. The format's default `height` suits the threads of a processor; a smaller height makes more
 * slices. If local memory cannot hold the row sums of a slice, they accumulate in y.
 *
 * Dang and Schmidt 2012. */
#include <stdio.h>

#include "format/scoo.h"
#include "prim_body/radix.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_scoo, "spmv_gpu/scoo.cl");

enum {
	WG = 256,
	EACH = 8, /* entries of a tile for each work-item */
	TILE = WG * EACH,
	LONGEST = 32,        /* maximum entries of a piece */
	SUM_BYTES = 1 << 14, /* minimum bytes of row sums: enough for the default height */
	DIGIT = 8            /* bits of a row index that each of two sorting passes handles */
};
enum { SUMS }; /* index of the parameter `sums` */
_Static_assert(SCOO_MAX_HEIGHT <= 1 << 2 * DIGIT, "rows of a slice have two digits");

typedef struct state {
	int height;
	void *kernel;
	eki_buffer *slice_tile, *tile_piece, *piece, *place;
} state;

/* ---- Pieces ---------------------------------------------------------------------------------- */

typedef struct list { /* the list of pieces under construction */
	const ek_store *A;
	int parts;
	int64_t slices, *slice_tile, *tile_piece;
	uint16_t *place;
	uint32_t *piece; /* NULL while pieces are being counted */
} list;

static int64_t tiles_of(const list *l, int64_t slice)
{
	return eki_groups(eki_ptr_at(l->A, slice + 1) - eki_ptr_at(l->A, slice), TILE);
}

struct tile {
	const uint16_t *row;
	uint16_t *by_low, *place;
};

static inline int64_t low_digit(const void *of, int64_t k)
{
	return ((const struct tile *)of)->row[k] & ((1 << DIGIT) - 1);
}

static inline void put_low(const void *of, int64_t k, int64_t to)
{
	((const struct tile *)of)->by_low[to] = (uint16_t)k;
}

static inline int64_t high_digit(const void *of, int64_t j)
{
	const struct tile *t = of;

	return t->row[t->by_low[j]] >> DIGIT;
}

static inline void put_high(const void *of, int64_t j, int64_t to)
{
	const struct tile *t = of;

	t->place[t->by_low[j]] = (uint16_t)to;
}

/* Finds the places of n entries in a stable sort by row: entry k goes to place[k]. */
static void sort_tile(const uint16_t *row, int n, uint16_t *place)
{
	uint16_t by_low[TILE];
	int64_t at[1 << DIGIT];
	const struct tile t = {row, by_low, place};

	eki_radix_pass(n, 1 << DIGIT, at, low_digit, put_low, &t);
	eki_radix_pass(n, 1 << DIGIT, at, high_digit, put_high, &t);
}

/* Finds the pieces of a tile of n entries from their rows and places. Stores the pieces in `piece`,
 * unless that is NULL, and returns their number. */
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

/* Handles the tiles of one part of the slices. If the list of pieces is not allocated yet, sorts
 * the tiles and counts their pieces; otherwise stores their pieces in the list. */
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

/* Counts the pieces of all tiles, turns the counts into offsets, and fills the list of pieces. */
static ek_status make_list(const ek_context *ctx, list *l)
{
	const int64_t tiles = l->slice_tile[l->slices];
	void *block;

	l->tile_piece[0] = 0;
	eki_parallel(ctx, ctx->threads, l->parts, work_part, l);
	eki_inclusive_sum(l->tile_piece, tiles + 1);
	EK_RETURN_IF(eki_alloc(ctx, l->tile_piece[tiles], sizeof *l->piece, &block));
	l->piece = block;
	if (l->piece)
		eki_parallel(ctx, ctx->threads, l->parts, work_part, l);
	return EK_OK;
}

static ek_status upload(eki_step *step, state *s, const list *l)
{
	const int64_t tiles = l->slice_tile[l->slices], pieces = l->tile_piece[tiles];

	EK_RETURN_IF(eki_gpu_buffer(step, l->slices + 1, sizeof *l->slice_tile, false,
	                            l->slice_tile, &s->slice_tile));
	EK_RETURN_IF(eki_gpu_buffer(step, tiles + 1, sizeof *l->tile_piece, false, l->tile_piece,
	                            &s->tile_piece));
	EK_RETURN_IF(eki_gpu_buffer(step, pieces, sizeof *l->piece, false, l->piece, &s->piece));
	EK_RETURN_IF(eki_gpu_buffer(step, l->A->nnz, sizeof *l->place, false, l->place, &s->place));
	step->bytes += (l->slices + tiles + 2) * (int64_t)sizeof *l->tile_piece +
	               pieces * (int64_t)sizeof *l->piece;
	return EK_OK;
}

static ek_status order_tiles(eki_step *step, state *s)
{
	list l = {.A = step->in[0], .slices = scoo_slices(step->in[0])};
	int64_t tiles = 0, pieces = 0;
	void *slice_tile = NULL, *tile_piece = NULL, *place = NULL;
	ek_status status;

	l.parts = eki_parts(step->ctx, l.A->nnz);
	EK_TRY(eki_alloc(step->ctx, l.slices + 1, sizeof *l.slice_tile, &slice_tile));
	l.slice_tile = slice_tile;
	for (int64_t k = 0; k < l.slices; k++) {
		l.slice_tile[k] = tiles;
		tiles += tiles_of(&l, k);
	}
	l.slice_tile[l.slices] = tiles;
	EK_TRY(eki_alloc(step->ctx, tiles + 1, sizeof *l.tile_piece, &tile_piece));
	EK_TRY(eki_alloc(step->ctx, l.A->nnz, sizeof *l.place, &place));
	l.tile_piece = tile_piece;
	l.place = place;
	EK_TRY(make_list(step->ctx, &l));
	pieces = l.tile_piece[tiles];
	EK_TRY(upload(step, s, &l));
done:
	eki_free(step->ctx, l.piece, pieces, sizeof *l.piece);
	eki_free(step->ctx, place, l.A->nnz, sizeof *l.place);
	eki_free(step->ctx, tile_piece, tiles + 1, sizeof *l.tile_piece);
	eki_free(step->ctx, slice_tile, l.slices + 1, sizeof *l.slice_tile);
	return status;
}

/* ---- The method ------------------------------------------------------------------------------ */

/* Returns the number of row sums to allocate in local memory, or 0 if those of a slice do not fit.
 * Only a few different numbers are returned, since each needs a program of its own. */
static int sums_for(eki_step *step, int64_t height)
{
	const int64_t value = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t local = step->ctx->device->info.local / value - TILE;
	const int64_t asked = eki_gpu_param(step, SUMS, SCOO_MAX_HEIGHT);
	const int64_t most = asked < local ? asked : local;
	int64_t n = SUM_BYTES / value;

	step->param[SUMS] = most;
	while (n < height)
		n *= 2;
	n = n < most ? n : most;
	return n < height ? 0 : (int)n;
}

static ek_status prepare(eki_step *step)
{
	const unsigned arrays = 1u << SCOO_PTR | 1u << SCOO_COL | 1u << SCOO_VAL;
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	EK_RETURN_IF(eki_gpu_local(step, TILE * (int64_t)ek_value_size(step->in[0]->value)));
	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	s->height = (int)step->in[0]->dim[SCOO_HEIGHT]; /* with op T, in[0] is already transposed */
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define EACH %d\n#define SUMS %d\n",
	         WG, EACH, sums_for(step, s->height));
	EK_RETURN_IF(eki_gpu_program(step, "scoo", defines, eki_cl_scoo));
	EK_RETURN_IF(eki_gpu_mirror_some(step, arrays));
	EK_RETURN_IF(order_tiles(step, s));
	return eki_gpu_kernel(step, "scoo", &s->kernel);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
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

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel, scoo_slices(A), WG, args, EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_format_cost(f, 0.8, 3.5, 1, 0);
}

const ek_method ek_spmv_gpu_scoo = {
	.name = "spmv.scoo.gpu",
	.text = "a group for each slice, its sums in local memory, on a device",
	.source = "Dang and Schmidt 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_scoo},
	.param = {{"sums", 1, SCOO_MAX_HEIGHT,
                   "most rows of a slice whose sums are in local memory"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
