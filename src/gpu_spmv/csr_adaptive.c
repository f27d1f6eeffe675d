/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by row blocks: CSR-Stream and CSR-Adaptive. The processor cuts the rows
 * into blocks of up to `block` entries, once (spmv/row_blocks.c: with the table that goes to the
 * device, 0.01 to 0.4 % of what making CSR from sorted coordinates takes, measured on seven
 * generated matrices with 2 threads); the device multiplies them in one launch, a work-group each,
 * with CSR as it is (csr_adaptive.cl).
 *
 * CSR-Stream reads the entries of a block side by side, whatever its rows are, puts the products
 * into local memory, and sums each row from there: by one work-item, or by several where rows are
 * few. A row with far more entries than those beside it is left to all work-items that run in step
 * with its own. A row longer than a block is summed by its group as it is read, and by no other: a
 * matrix with a very long row waits for it.
 *
 * CSR-Adaptive decides in the kernel: blocks of more than `small` rows are streamed; in others, of
 * long rows, each row has its share of the group's work-items, which keep their sums in registers
 * (CSR-Vector). Ours: a row of more than 4096 entries is cut into pieces of equal length, a group
 * each, before all blocks. They leave their sums in memory, and the one that arrives last, by a
 * counter that it then sets back to 0, adds them in their order. So the bits of a result do not
 * depend on who comes when, and nothing is cleared between runs.
 *
 * A block has 1024 entries as published; on a GPU 2048, so that a work-item has eight loads of each
 * array under way at once. Reads each array once, and 16 bytes a block.
 *
 * Greathouse and Daga 2014, section III, Algorithms 2 (as its prose has it) to 4. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "spmv/row_blocks.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_adaptive, "gpu_spmv/csr_adaptive.cl");

enum {
	WG = 256,
	MOST = 8 * WG, /* entries of a block: 16 KiB of doubles in local memory */
	PIECE = 4096,  /* entries of a piece of a long row */
	PIECES = 1024, /* of one row at most: then they have more entries */
	SMALL = 2      /* rows, as published */
};

typedef struct state {
	int64_t pieces, blocks;
	int small;       /* rows: blocks of so many or fewer go by CSR-Vector */
	int64_t longest; /* a row of more entries is done in pieces */
	eki_buffer *block, *piece, *row, *partial, *arrived; /* as in csr_adaptive.cl */
	void *kernel;
} state;

/* Rows that are done in pieces; each is a block of its own. */
typedef struct long_rows {
	int64_t count, pieces;
} long_rows;

/* Pieces of block b; 0 if it is not done in pieces. */
static int64_t pieces_of(const state *s, const int64_t *block, int64_t b)
{
	const int64_t entries = block[2 * b + 3] - block[2 * b + 1];
	const int64_t pieces = eki_groups(entries, PIECE);

	return entries <= s->longest ? 0 : pieces < PIECES ? pieces : PIECES;
}

static long_rows count_long(const state *s, const int64_t *block)
{
	long_rows n = {0};

	for (int64_t b = 0; b < s->blocks; b++) {
		const int64_t pieces = pieces_of(s, block, b);

		n.count += pieces > 0;
		n.pieces += pieces;
	}
	return n;
}

/* Which long row each piece belongs to, and of each long row its number and its first piece. */
static void list_pieces(const state *s, const int64_t *block, int32_t *piece, int64_t *row)
{
	int64_t count = 0, pieces = 0;

	for (int64_t b = 0; b < s->blocks; b++) {
		const int64_t end = pieces + pieces_of(s, block, b);

		if (end == pieces)
			continue;
		row[2 * count] = block[2 * b];
		row[2 * count + 1] = pieces;
		while (pieces < end)
			piece[pieces++] = (int32_t)count;
		count++;
	}
	row[2 * count] = -1;
	row[2 * count + 1] = pieces;
}

static ek_status make_pieces(ek_plan *p, const int64_t *block)
{
	state *s = p->state;
	const size_t size = ek_value_size(p->store->value);
	const long_rows n = count_long(s, block);
	const eki_driver *driver = p->gpu->device->driver;
	void *piece = NULL, *row = NULL;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(p->ctx, n.pieces, sizeof(int32_t), &piece));
	EK_TRY(eki_alloc(p->ctx, 2 * (n.count + 1), sizeof(int64_t), &row));
	list_pieces(s, block, piece, row);
	EK_TRY(eki_gpu_buffer(p, n.pieces, sizeof(int32_t), false, piece, &s->piece));
	EK_TRY(eki_gpu_buffer(p, 2 * (n.count + 1), sizeof(int64_t), false, row, &s->row));
	EK_TRY(eki_gpu_buffer(p, n.pieces, size, false, NULL, &s->partial));
	EK_TRY(eki_gpu_buffer(p, n.count + 1, sizeof(int32_t), false, NULL, &s->arrived));
	EK_TRY(driver->clear(p->gpu->device, s->arrived));
	s->pieces = n.pieces;
	p->bytes += n.pieces * (int64_t)(2 * size + sizeof(int32_t));
done:
	eki_free(p->ctx, piece, n.pieces, sizeof(int32_t));
	eki_free(p->ctx, row, 2 * (n.count + 1), sizeof(int64_t));
	return status;
}

/* Row blocks of up to `entries` entries: the first row and the first entry of each. */
static ek_status make_blocks(ek_plan *p, int64_t entries)
{
	const ek_store *A = p->store;
	const eki_row_limit limit = {entries, MOST};
	const int64_t most = eki_row_blocks_most(A->rows, A->nnz, limit) + 1;
	state *s = p->state;
	void *first_room = NULL, *block_room = NULL;
	int64_t *first, *block;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(p->ctx, most, sizeof *first, &first_room));
	EK_TRY(eki_alloc(p->ctx, 2 * most, sizeof *block, &block_room));
	first = first_room;
	block = block_room;
	s->blocks = eki_row_blocks(A, 0, A->rows, limit, first);
	for (int64_t b = 0; b <= s->blocks; b++) {
		block[2 * b] = first[b];
		block[2 * b + 1] = eki_ptr_at(A, first[b]);
	}
	EK_TRY(eki_gpu_buffer(p, 2 * (s->blocks + 1), sizeof *block, false, block, &s->block));
	p->bytes += s->blocks * (int64_t)(2 * sizeof *block);
	EK_TRY(make_pieces(p, block));
done:
	eki_free(p->ctx, first_room, most, sizeof *first);
	eki_free(p->ctx, block_room, 2 * most, sizeof *block);
	return status;
}

/* adaptive: `small` and pieces; else all blocks are streamed, rows that do not fit apart. */
static ek_status make(ek_plan *p, bool adaptive)
{
	const bool gpu = strcmp(p->ctx->device->info.kind, "gpu") == 0;
	const int64_t entries = eki_gpu_param(p, 0, gpu ? 2048 : 1024);
	char defines[64];
	state *s;

	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define EACH %d\n", WG,
	         (int)eki_groups(entries, WG));
	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	*s = (state){.longest = INT64_MAX};
	if (adaptive) {
		s->small = (int)eki_gpu_param(p, 1, SMALL);
		s->longest = PIECE;
	}
	p->state = s;
	EK_RETURN_IF(eki_gpu_prepare(p, "csr_adaptive", defines, eki_cl_csr_adaptive));
	EK_RETURN_IF(eki_gpu_mirror(p));
	EK_RETURN_IF(make_blocks(p, entries));
	return eki_gpu_kernel(p, "csr_adaptive", &s->kernel);
}

static ek_status prepare_stream(ek_plan *p)
{
	return make(p, false);
}

static ek_status prepare_adaptive(ek_plan *p)
{
	return make(p, true);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg args[] = {eki_arg_i32(s->small),
	                        eki_arg_i64(s->longest),
	                        eki_arg_i64(s->pieces),
	                        eki_arg_buffer(s->piece),
	                        eki_arg_buffer(s->row),
	                        eki_arg_buffer(s->partial),
	                        eki_arg_buffer(s->arrived),
	                        eki_arg_buffer(s->block),
	                        eki_arg_buffer(p->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(p->gpu->array[CSR_COL]),
	                        eki_arg_buffer(p->gpu->array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(
		eki_gpu_launch(p, s->kernel, s->pieces + s->blocks, WG, args, EKI_COUNT(args)));
	return eki_gpu_leave(p, v, &on);
}

/* The factors here are what an H100 took over row classes. One group reads a row with a small part
 * of the bandwidth, here taken for a hundredth. */
static double cost_stream(const eki_features *f)
{
	const double row = (double)f->stats.row_max, nnz = (double)f->stats.nnz;

	return eki_gpu_cost(
		f, 1.5 * f->csr_bytes + (row > MOST ? 100 * row * f->csr_bytes / (nnz + 1) : 0), 1);
}

static double cost_adaptive(const eki_features *f)
{
	return eki_gpu_cost(f, 1.2 * f->csr_bytes + 16.0 * (double)f->stats.nnz / MOST, 1);
}

#define BLOCK_PARAM                                                                               \
	{                                                                                         \
		"block", WG, MOST, "entries of a block of rows at most, products in local memory" \
	}

const ek_method ek_spmv_gpu_csr_stream = {
	.name = "spmv.csr.stream.gpu",
	.text = "CSR-Stream: row blocks, products to local memory, on a device",
	.source = "Greathouse and Daga 2014, Algorithms 2 and 3",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.param = {BLOCK_PARAM},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_stream,
	.prepare = prepare_stream,
	.refresh = eki_gpu_refresh,
	.run = run,
};

const ek_method ek_spmv_gpu_csr_adaptive = {
	.name = "spmv.csr.adaptive.gpu",
	.text = "CSR-Adaptive: row blocks, streamed or a row at a time, long rows by several "
		"groups, "
		"on a device",
	.source = "Greathouse and Daga 2014, Algorithms 2 to 4",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.param = {BLOCK_PARAM,
                  {"small", 1, WG, "blocks of so many rows or fewer go by CSR-Vector"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_adaptive,
	.prepare = prepare_adaptive,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
