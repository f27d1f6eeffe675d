/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BRC on a device, with one work-item for each piece of a row. For each j, entries j of all
 * pieces of a block are side by side in memory, so neighbouring work-items read neighbouring
 * memory. If a row has one piece, its work-item finishes the row. Otherwise the sums of the pieces
 * are stored, and a second launch adds up the sums of each row: 32 lanes take the sums in turn,
 * then add their results by a tree. The published method adds the sums to y by atomic operations;
 * here the order of additions depends on the pattern alone.
 *
 * No work-item has more than `width` entries, by default 512, and the pieces of a block have
 * similar lengths. So neither long rows nor rows of different lengths keep work-items waiting. A
 * block of `height` 32 is as wide as a warp. Blocks of lower height, the format's default, are read
 * `height` entries at a time.
 *
 * Reads the entries once, and the length and the row of each piece. Padding is not read, unless it
 * shares a sector of memory with entries.
 *
 * Ashari, Sedaghati, Eisenlohr and Sadayappan 2014. */
#include <stdio.h>

#include "format/brc.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_brc, "spmv_gpu/brc.cl");

enum { WG = 256, UNROLL = 4, LANES = 32 };

typedef struct state {
	int64_t rows; /* number of rows with several pieces */
	eki_buffer *first, *partial;
	void *pieces, *combine;
} state;

/* Finds the first piece of each row that has several pieces, and the end of the pieces of the last
 * such row. */
static ek_status find_rows(eki_step *step, state *s)
{
	const ek_store *A = step->in[0];
	const int64_t split = A->dim[BRC_SPLIT];
	int64_t rows = 0, *first;
	ek_status status;
	void *block;

	for (int64_t k = 0; k < split; k++)
		rows += k == 0 || eki_idx_at(A, BRC_ROW, k) != eki_idx_at(A, BRC_ROW, k - 1);
	EK_RETURN_IF(eki_alloc(step->ctx, rows + 1, sizeof *first, &block));
	first = block;
	s->rows = rows;
	rows = 0;
	for (int64_t k = 0; k < split; k++)
		if (k == 0 || eki_idx_at(A, BRC_ROW, k) != eki_idx_at(A, BRC_ROW, k - 1))
			first[rows++] = k;
	first[rows] = split;
	status = eki_gpu_buffer(step, rows + 1, sizeof *first, false, first, &s->first);
	eki_free(step->ctx, block, rows + 1, sizeof *first);
	return status;
}

static ek_status prepare(eki_step *step)
{
	const unsigned arrays =
		1u << BRC_PTR | 1u << BRC_COL | 1u << BRC_VAL | 1u << BRC_ROW | 1u << BRC_LEN;
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define UNROLL %d\n#define LANES %d\n",
	         WG, UNROLL, LANES);
	EK_RETURN_IF(eki_gpu_prepare(step, "brc", defines, eki_cl_brc));

	const ek_store *A = step->in[0];
	const int64_t value = (int64_t)ek_value_size(A->value), split = A->dim[BRC_SPLIT];

	EK_RETURN_IF(eki_gpu_mirror_some(step, arrays));
	EK_RETURN_IF(find_rows(step, s));
	EK_RETURN_IF(eki_gpu_buffer(step, split, (size_t)value, false, NULL, &s->partial));
	step->bytes += 2 * split * value - A->rows * (int64_t)eki_ptr_size(A->index);
	EK_RETURN_IF(eki_gpu_kernel(step, "brc_pieces", &s->pieces));
	return eki_gpu_kernel(step, "brc_rows", &s->combine);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg pieces[] = {eki_arg_i64(brc_pieces(A)),
	                          eki_arg_i64(A->dim[BRC_SPLIT]),
	                          eki_arg_i32((int32_t)A->dim[BRC_HEIGHT]),
	                          eki_arg_buffer(array[BRC_PTR]),
	                          eki_arg_buffer(array[BRC_ROW]),
	                          eki_arg_buffer(array[BRC_LEN]),
	                          eki_arg_buffer(array[BRC_COL]),
	                          eki_arg_buffer(array[BRC_VAL]),
	                          eki_arg_val(A->value, v->alpha),
	                          eki_arg_buffer(&on.x),
	                          eki_arg_val(A->value, v->beta),
	                          eki_arg_buffer(&on.y),
	                          eki_arg_buffer(s->partial)};
	const eki_arg rows[] = {eki_arg_i64(s->rows),
	                        eki_arg_buffer(s->first),
	                        eki_arg_buffer(array[BRC_ROW]),
	                        eki_arg_buffer(s->partial),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->pieces, eki_groups(brc_pieces(A), WG), WG, pieces,
	                            EKI_COUNT(pieces)));
	EK_RETURN_IF(eki_gpu_launch(step, s->combine, eki_groups(s->rows, WG / LANES), WG, rows,
	                            EKI_COUNT(rows)));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	const double most = 512; /* the format's default width of a piece */
	const double longest = (double)f->stats.row_max;

	return eki_gpu_format_cost(f, 0.9, 1.5, 2, longest < most ? longest : most);
}

const ek_method ek_spmv_gpu_brc = {
	.name = "spmv.brc.gpu",
	.text = "a work-item for each piece, 32 for the sums of a row's pieces, on a device",
	.source = "Ashari et al. 2014",
	.operation = EK_SPMV,
	.format = {&ek_format_brc},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
