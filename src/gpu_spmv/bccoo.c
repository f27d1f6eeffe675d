/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on block coordinates, BCCOO and BCOO, on a device: segmented sums as in coo.c, of blocks in
 * place of entries. Each group has a contiguous part of the blocks and goes through it in tiles. A
 * work-item has one row of a block, so those beside each other read all of its places between them;
 * the row times x goes to local memory. Then each work-item sums one row of a few blocks that
 * follow each other, a segmented scan over the group gives it what came before, and where a block
 * row ends its sums go to y. A scan costs what it costs for entries, but there are c times fewer
 * things to scan.
 *
 * In BCCOO bits say where block rows end: a work-item takes those of its blocks from one or two
 * words, and counting them, which the scan does beside the sums, gives the numbers of block rows.
 * So a block has 1 bit and a column beside its values. In BCOO a block row ends where the next
 * index is another one.
 *
 * The first and the last block row of each group, which it may share with others, are carried: a
 * further launch, of one group, goes over the carries in the same way. Each entry of y is thus
 * written once, and y = beta y goes before only where block rows may be empty. The order of
 * additions depends on the device's number of units and nothing else. In yaSpMV a group waits for
 * the one before it instead, and values are laid out so that neighbours read them side by side;
 * here they lie as the format has them.
 *
 * Reads blocks once, fill included; the masks only where a row of a block makes Inf or NaN, which 0
 * times Inf may have caused.
 *
 * Yan, Li, Zhang and Zhou 2014 (yaSpMV); Su and Keutzer 2012 (clSpMV) for BCOO. */
#include <stdio.h>

#include "format/bccoo.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bccoo, "gpu_spmv/bccoo.cl");

enum {
	WG = 256,
	UNIT_GROUPS = 16, /* groups for each unit of the device: twice what is there at a time */
	LEAST = 16        /* blocks of a group where small work is cut too, which tests ask for */
};

typedef struct state {
	block_shape shape;
	bool whole;            /* no block row is empty */
	int64_t part, groups;  /* blocks of a group; groups */
	eki_buffer *row, *sum; /* carries, two of each group */
	eki_buffer *number;    /* of each group's first block row, BCCOO */
	void *runs, *carries;
} state;

/* Blocks that a work-item has of a tile: fewer, the more entries they have. Odd, so that those side
 * by side read different banks. */
static int each_of(int c)
{
	return c == 1 ? 7 : c == 2 ? 5 : 3;
}

static bool is_bccoo(const ek_store *s)
{
	return s->format == &ek_format_bccoo;
}

static void put(void *to, ek_index index, int64_t k, int64_t v)
{
	if (index == EK_I64)
		((int64_t *)to)[k] = v;
	else
		((int32_t *)to)[k] = (int32_t)v;
}

/* Numbers, for BCCOO, and block rows of the first and the last block of each group. */
static void find_rows(const ek_store *A, const state *s, int64_t *number, void *row)
{
	const int64_t blocks = A->len[BLOCK_COL];

	for (int64_t g = 0; g < s->groups; g++) {
		const int64_t first = g * s->part;
		const int64_t last = (blocks - first < s->part ? blocks : first + s->part) - 1;
		const int64_t k[] = {first, last};

		for (int n = 0; n < 2; n++)
			put(row, A->index, 2 * g + n,
			    is_bccoo(A) ? bccoo_row(A, bccoo_number(A, k[n]))
			                : eki_idx_at(A, BLOCK_HEAD, k[n]));
		number[g] = is_bccoo(A) ? bccoo_number(A, first) : 0;
	}
}

static ek_status make_rows(ek_plan *p, state *s)
{
	const ek_context *ctx = p->ctx;
	const size_t size = eki_idx_size(p->store->index);
	int64_t *number = NULL;
	void *row = NULL;
	ek_status status;

	EK_TRY(eki_alloc(ctx, s->groups, sizeof *number, (void **)&number));
	EK_TRY(eki_alloc(ctx, 2 * s->groups, size, &row));
	find_rows(p->store, s, number, row);
	EK_TRY(eki_gpu_buffer(p, 2 * s->groups, size, false, row, &s->row));
	EK_TRY(eki_gpu_buffer(p, s->groups, sizeof *number, false, number, &s->number));
done:
	eki_free(ctx, number, s->groups, sizeof *number);
	eki_free(ctx, row, 2 * s->groups, size);
	return status;
}

static void cut(const ek_plan *p, state *s)
{
	const int64_t blocks = p->store->len[BLOCK_COL], units = p->gpu->device->info.units;
	const int64_t part = eki_groups(blocks, UNIT_GROUPS * (units > 0 ? units : 1));
	const int64_t tile = WG / s->shape.r * each_of(s->shape.c);
	const int64_t least = p->ctx->small_work ? tile : LEAST;

	s->part = part > least ? part : least;
	s->groups = eki_groups(blocks, s->part);
}

static ek_status prepare(ek_plan *p)
{
	const ek_store *A;
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	EK_RETURN_IF(eki_gpu_prepare(p, NULL, NULL, NULL));
	A = p->store; /* with op T, another one */
	s->shape = block_shape_of(A);
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define C %d\n#define EACH %d\n", WG,
	         s->shape.c, each_of(s->shape.c));
	EK_RETURN_IF(eki_gpu_program(p, "bccoo", defines, eki_cl_bccoo));
	s->whole = is_bccoo(A) && A->len[BCCOO_FILLED] == 0;
	EK_RETURN_IF(eki_gpu_mirror_some(p, is_bccoo(A) ? ~(1u << BCCOO_CHUNK) : ~0u));
	cut(p, s);
	EK_RETURN_IF(make_rows(p, s));
	EK_RETURN_IF(eki_gpu_buffer(p, 2 * s->groups * s->shape.r, ek_value_size(A->value), false,
	                            NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_kernel(p, is_bccoo(A) ? "bccoo" : "bcoo", &s->runs));
	return eki_gpu_kernel(p, "block_carries", &s->carries);
}

static ek_status sum_runs(const ek_plan *p, const ek_args *v, double beta,
                          const eki_gpu_vectors *on)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	const eki_buffer *const *array = p->gpu->array;
	eki_arg args[18];
	int n = 0;

	args[n++] = eki_arg_i64(A->rows);
	args[n++] = eki_arg_i64(A->cols);
	args[n++] = eki_arg_i64(A->len[BLOCK_COL]);
	args[n++] = eki_arg_i64(s->part);
	args[n++] = eki_arg_i32(s->shape.r);
	args[n++] = eki_arg_buffer(s->row);
	if (is_bccoo(A))
		args[n++] = eki_arg_buffer(s->number);
	args[n++] = eki_arg_buffer(array[BLOCK_HEAD]);
	if (is_bccoo(A)) {
		args[n++] = eki_arg_i32(!s->whole);
		args[n++] = eki_arg_buffer(array[BCCOO_FILLED]);
	}
	args[n++] = eki_arg_buffer(array[BLOCK_COL]);
	args[n++] = eki_arg_buffer(array[BLOCK_VAL]);
	args[n++] = eki_arg_buffer(array[BLOCK_MASK]);
	args[n++] = eki_arg_val(A->value, v->alpha);
	args[n++] = eki_arg_buffer(&on->x);
	args[n++] = eki_arg_val(A->value, beta);
	args[n++] = eki_arg_buffer(&on->y);
	args[n++] = eki_arg_buffer(s->sum);
	return eki_gpu_launch(p, s->runs, s->groups, WG, args, n);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	const double beta = s->whole ? v->beta : 1;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),        eki_arg_i64(2 * s->groups),
	                        eki_arg_i32(s->shape.r),     eki_arg_buffer(s->row),
	                        eki_arg_buffer(s->sum),      eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, beta), eki_arg_buffer(&on.y)};

	if (!s->whole)
		EK_RETURN_IF(eki_gpu_scale_there(p, v->beta, &on.y));
	EK_RETURN_IF(sum_runs(p, v, beta, &on));
	EK_RETURN_IF(eki_gpu_launch(p, s->carries, 1, WG, args, EKI_COUNT(args)));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_bccoo = {
	.name = "spmv.bccoo.gpu",
	.text = "segmented sums of blocks, block rows counted by their bits, on a device",
	.source = "Yan et al. 2014",
	.operation = EK_SPMV,
	.format = &ek_format_bccoo,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

const ek_method ek_spmv_gpu_bcoo = {
	.name = "spmv.bcoo.gpu",
	.text = "segmented sums of the same number of blocks for each group, on a device",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = &ek_format_bcoo,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
