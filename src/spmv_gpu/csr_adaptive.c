/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by row blocks: CSR-Stream and CSR-Adaptive. When the plan is made, the
 * processor cuts the rows into blocks of up to `block` entries (spmv/row_blocks.c). Including the
 * table that goes to the device, this takes 0.01 to 0.4 % of the time of making CSR from sorted
 * coordinates, measured on seven generated matrices with 2 threads. The device multiplies the
 * blocks from unchanged CSR in one launch, with a work-group for each block (csr_adaptive.cl).
 *
 * CSR-Stream reads the entries of a block contiguously, whatever its rows are, puts the products
 * into local memory, and sums each row from there: by one work-item, or by several if the block has
 * few rows. A row with far more entries than its neighbours is summed by the whole warp of its
 * work-item. A row longer than a block is a block by itself, and a single group sums it while
 * reading. So the whole launch waits for a very long row.
 *
 * CSR-Adaptive chooses in the kernel. Blocks of more than `small` rows are multiplied like those of
 * CSR-Stream. In the other blocks, which have long rows, each row has its share of the group's
 * work-items, which sum in registers (CSR-Vector). Our addition: a row of more than 4096 entries is
 * cut into pieces of equal length, with one group for each piece, and these groups are launched
 * before those of the blocks. Each group stores the sum of its piece in memory. The group that
 * stores last, according to a counter that it then resets to 0, adds the sums of the row in order.
 * So the bits of a result do not depend on timing, and nothing is cleared between runs. With
 * `whole` set to 1 a long row has one group, as published.
 *
 * By default a block has up to 1024 entries, as published, but 2048 on a GPU, so that a work-item
 * has eight loads of each array in flight at once; `block=1024,whole=1` is the published method. In
 * larger blocks (the paper's Figure 5 has up to 8192 entries) it has eight at a time. Their
 * products may take more local memory than the text of a kernel can declare, so the launch gives
 * it, up to what the device has. Reads each array once, and 16 bytes for each block.
 *
 * Greathouse and Daga 2014, section III, Algorithms 2 (as described in the text) to 4. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "spmv/row_blocks.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_adaptive, "spmv_gpu/csr_adaptive.cl");

enum {
	WG = 256,
	AT_ONCE = 8,   /* entries that a work-item loads at once */
	USUAL = 2048,  /* default of the parameter `block` on a GPU: AT_ONCE for a work-item */
	MOST = 65536,  /* maximum entries of a block, if there is local memory for them */
	PIECE = 4096,  /* entries of a piece of a long row */
	PIECES = 1024, /* maximum pieces of a row; longer rows get longer pieces */
	SMALL = 2      /* default of the parameter `small`, in rows, as published */
};

typedef struct state {
	int64_t pieces, blocks;
	int64_t local;   /* bytes of local memory for the products of a block */
	int small;       /* maximum number of rows in a block for CSR-Vector */
	int64_t longest; /* maximum number of entries in a row that is not cut into pieces */
	eki_buffer *block, *piece, *row, *partial, *arrived; /* csr_adaptive.cl explains them */
	void *kernel;
} state;

/* The number of rows that are cut into pieces, and the number of all these pieces. Each such row is
 * a block by itself. */
typedef struct long_rows {
	int64_t count, pieces;
} long_rows;

/* Returns the number of pieces that block b is cut into, or 0 if it is not cut. */
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

/* Fills `piece` and `row`. piece[p] becomes the index, among the long rows, of the row that piece p
 * belongs to. row[2 k] becomes the number of long row k in the matrix, and row[2 k + 1] its first
 * piece. */
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

static ek_status make_pieces(eki_step *step, const int64_t *block)
{
	state *s = step->state;
	const size_t size = ek_value_size(step->in[0]->value);
	const long_rows n = count_long(s, block);
	const eki_driver *driver = step->gpu->device->driver;
	void *piece = NULL, *row = NULL;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(step->ctx, n.pieces, sizeof(int32_t), &piece));
	EK_TRY(eki_alloc(step->ctx, 2 * (n.count + 1), sizeof(int64_t), &row));
	list_pieces(s, block, piece, row);
	EK_TRY(eki_gpu_buffer(step, n.pieces, sizeof(int32_t), false, piece, &s->piece));
	EK_TRY(eki_gpu_buffer(step, 2 * (n.count + 1), sizeof(int64_t), false, row, &s->row));
	EK_TRY(eki_gpu_buffer(step, n.pieces, size, false, NULL, &s->partial));
	EK_TRY(eki_gpu_buffer(step, n.count + 1, sizeof(int32_t), false, NULL, &s->arrived));
	EK_TRY(driver->clear(step->gpu->device, s->arrived));
	s->pieces = n.pieces;
	step->bytes += n.pieces * (int64_t)(2 * size + sizeof(int32_t));
done:
	eki_free(step->ctx, piece, n.pieces, sizeof(int32_t));
	eki_free(step->ctx, row, 2 * (n.count + 1), sizeof(int64_t));
	return status;
}

/* Makes the list of row blocks of up to `entries` entries: two numbers for each block, its first
 * row and its first entry. */
static ek_status make_blocks(eki_step *step, int64_t entries)
{
	const ek_store *A = step->in[0];
	const eki_row_limit limit = {entries, entries > USUAL ? entries : USUAL};
	const int64_t most = eki_row_blocks_most(A->rows, A->nnz, limit) + 1;
	state *s = step->state;
	void *first_array = NULL, *block_array = NULL;
	int64_t *first, *block;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(step->ctx, most, sizeof *first, &first_array));
	EK_TRY(eki_alloc(step->ctx, 2 * most, sizeof *block, &block_array));
	first = first_array;
	block = block_array;
	s->blocks = eki_row_blocks(A, 0, A->rows, limit, first);
	for (int64_t b = 0; b <= s->blocks; b++) {
		block[2 * b] = first[b];
		block[2 * b + 1] = eki_ptr_at(A, first[b]);
	}
	EK_TRY(eki_gpu_buffer(step, 2 * (s->blocks + 1), sizeof *block, false, block, &s->block));
	step->bytes += s->blocks * (int64_t)(2 * sizeof *block);
	EK_TRY(make_pieces(step, block));
done:
	eki_free(step->ctx, first_array, most, sizeof *first);
	eki_free(step->ctx, block_array, 2 * most, sizeof *block);
	return status;
}

/* Prepares CSR-Adaptive if `adaptive` is true, else CSR-Stream, which streams all blocks except
 * rows that are longer than a block. */
static ek_status make(eki_step *step, bool adaptive)
{
	const bool gpu = strcmp(step->ctx->device->info.kind, "gpu") == 0;
	const int64_t entries = eki_gpu_param(step, 0, gpu ? USUAL : USUAL / 2);
	const int64_t value = (int64_t)ek_value_size(step->in[0]->value);
	const int once = (int)(entries < USUAL ? eki_groups(entries, WG) : AT_ONCE);
	const int each = once * (int)eki_groups(entries, WG * once);
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_gpu_local_most(step, (each + 1) * WG * value)); /* scratch for sums, too */
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define EACH %d\n#define AT_ONCE %d\n",
	         WG, each, once);
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){.longest = INT64_MAX, .local = each * WG * value};
	step->param[0] = entries;
	if (adaptive) {
		s->small = (int)eki_gpu_param(step, 1, SMALL);
		if (eki_gpu_param(step, 2, 0) <= 0)
			s->longest = entries > PIECE ? entries : PIECE;
		step->param[1] = s->small;
		step->param[2] = s->longest == INT64_MAX;
	}
	step->state = s;
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_adaptive", defines, eki_cl_csr_adaptive));
	EK_RETURN_IF(eki_gpu_mirror(step));
	EK_RETURN_IF(make_blocks(step, entries));
	return eki_gpu_kernel(step, "csr_adaptive", &s->kernel);
}

static ek_status prepare_stream(eki_step *step)
{
	return make(step, false);
}

static ek_status prepare_adaptive(eki_step *step)
{
	return make(step, true);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i32(s->small),
	                        eki_arg_i64(s->longest),
	                        eki_arg_i64(s->pieces),
	                        eki_arg_buffer(s->piece),
	                        eki_arg_buffer(s->row),
	                        eki_arg_buffer(s->partial),
	                        eki_arg_buffer(s->arrived),
	                        eki_arg_buffer(s->block),
	                        eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(step->gpu->array[CSR_COL]),
	                        eki_arg_buffer(step->gpu->array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y),
	                        eki_arg_local(s->local)};

	EK_RETURN_IF(
		eki_gpu_launch(step, s->kernel, s->pieces + s->blocks, WG, args, EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Estimates the time of CSR-Stream. The factor 1.5 of csr_bytes is this method's time on an H100
 * relative to that of row classes; the factor 1.2 in cost_adaptive has the same meaning. A row
 * longer than a block is summed by one group, which is assumed to read at 1 % of the bandwidth. */
static double cost_stream(const eki_features *f)
{
	const double row = (double)f->stats.row_max, nnz = (double)f->stats.nnz;

	return eki_gpu_cost(
		f, 1.5 * f->csr_bytes + (row > USUAL ? 100 * row * f->csr_bytes / (nnz + 1) : 0),
		1);
}

static double cost_adaptive(const eki_features *f)
{
	return eki_gpu_cost(f, 1.2 * f->csr_bytes + 16.0 * (double)f->stats.nnz / USUAL, 1);
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
	.format = {&ek_format_csr},
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
	.format = {&ek_format_csr},
	.param = {BLOCK_PARAM,
                  {"small", 1, WG, "blocks of so many rows or fewer go by CSR-Vector"},
                  {"whole", 0, 1, "1: one group for a long row, as published (0: several)"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_adaptive,
	.prepare = prepare_adaptive,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
