/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BRC on a device, a work-item for each piece of a row: entry j of the pieces of a block
 * lie side by side, so neighbours read neighbouring places. Rows of one piece are done then. Pieces
 * of longer rows leave their sums, and a second launch adds those of a row, each row by 32 lanes
 * that go through its pieces in turn, and by a tree in the end. The source adds them to y by atomic
 * operations; here the order depends on the pattern alone.
 *
 * No work-item has more than `width` entries, 512 if the format is not asked for another, and
 * lengths within a block are alike, so neither long rows nor different ones leave others waiting. A
 * block of `height` 32 is as wide as a warp; lower ones, as the format has if nothing is asked for,
 * are read in pieces of that many places.
 *
 * Reads the bytes of the entries once, for each piece its length and row. Padding is not read,
 * unless it shares a sector of memory with entries.
 *
 * Ashari, Sedaghati, Eisenlohr and Sadayappan 2014. */
#include <stdio.h>

#include "format/brc.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_brc, "gpu_spmv/brc.cl");

enum { WG = 256, UNROLL = 4, LANES = 32 };

typedef struct state {
	int64_t rows; /* of several pieces */
	eki_buffer *first, *partial;
	void *pieces, *combine;
} state;

/* The first piece of each row of several, and the end of the last. */
static ek_status find_rows(ek_plan *p, state *s)
{
	const ek_store *A = p->store;
	const int64_t split = A->dim[BRC_SPLIT];
	int64_t rows = 0, *first;
	ek_status status;
	void *block;

	for (int64_t k = 0; k < split; k++)
		rows += k == 0 || eki_idx_at(A, BRC_ROW, k) != eki_idx_at(A, BRC_ROW, k - 1);
	EK_RETURN_IF(eki_alloc(p->ctx, rows + 1, sizeof *first, &block));
	first = block;
	s->rows = rows;
	rows = 0;
	for (int64_t k = 0; k < split; k++)
		if (k == 0 || eki_idx_at(A, BRC_ROW, k) != eki_idx_at(A, BRC_ROW, k - 1))
			first[rows++] = k;
	first[rows] = split;
	status = eki_gpu_buffer(p, rows + 1, sizeof *first, false, first, &s->first);
	eki_free(p->ctx, block, rows + 1, sizeof *first);
	return status;
}

static ek_status prepare(ek_plan *p)
{
	const unsigned arrays =
		1u << BRC_PTR | 1u << BRC_COL | 1u << BRC_VAL | 1u << BRC_ROW | 1u << BRC_LEN;
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define UNROLL %d\n#define LANES %d\n",
	         WG, UNROLL, LANES);
	EK_RETURN_IF(eki_gpu_prepare(p, "brc", defines, eki_cl_brc));

	const ek_store *A = p->store;
	const int64_t value = (int64_t)ek_value_size(A->value), split = A->dim[BRC_SPLIT];

	EK_RETURN_IF(eki_gpu_mirror_some(p, arrays));
	EK_RETURN_IF(find_rows(p, s));
	EK_RETURN_IF(eki_gpu_buffer(p, split, (size_t)value, false, NULL, &s->partial));
	p->bytes += 2 * split * value - A->rows * (int64_t)eki_ptr_size(A->index);
	EK_RETURN_IF(eki_gpu_kernel(p, "brc_pieces", &s->pieces));
	return eki_gpu_kernel(p, "brc_rows", &s->combine);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	const eki_buffer *const *array = p->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
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

	EK_RETURN_IF(eki_gpu_launch(p, s->pieces, eki_groups(brc_pieces(A), WG), WG, pieces,
	                            EKI_COUNT(pieces)));
	EK_RETURN_IF(eki_gpu_launch(p, s->combine, eki_groups(s->rows, WG / LANES), WG, rows,
	                            EKI_COUNT(rows)));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_brc = {
	.name = "spmv.brc.gpu",
	.text = "a work-item for each piece, 32 for the sums of a row's pieces, on a device",
	.source = "Ashari et al. 2014",
	.operation = EK_SPMV,
	.format = &ek_format_brc,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
