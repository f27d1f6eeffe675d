/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on block coordinates, BCCOO and BCOO, on a device: segmented sums as in coo.c, but over
 * blocks instead of entries.
 *
 * Each group has a contiguous part of the blocks and goes through it tile by tile. First, each
 * work-item multiplies single rows of blocks by x and puts the products into local memory.
 * Neighbouring work-items take the rows of one block, so together they read the whole block. Then
 * each work-item adds up one row of a few consecutive blocks. A segmented scan over the group
 * supplies the sum of the blocks before these. Where a block row ends, its sums go to y. A step of
 * the scan costs as much as a step of a scan over entries, but there are c times fewer elements to
 * scan if blocks have c columns.
 *
 * In BCCOO, one bit for each block tells whether a block row ends there. A work-item takes the bits
 * of its blocks from one or two words. The scan also counts the bits, and these counts are the
 * numbers of the block rows. So a block takes 1 bit and a column index in addition to its values.
 * In BCOO, a block row ends where the row index of the next block differs.
 *
 * If BCCOO has differences of columns (deltas=1), work-items first add them up, each one those of a
 * segment of 32 blocks, in order, and put the columns into local memory, where the products find
 * those of any block. In yaSpMV a work-item multiplies the blocks of its segment itself, for which
 * values must be stored transposed. Distances from one column of the segment (deltas=2) need none
 * of this: a work-item adds the distance of its block to that column.
 *
 * A group may share its first and its last block row with other groups. The sums of these two block
 * rows are not written to y but stored as carries, and a further launch, of one group, adds up the
 * carries in the same way. So each entry of y is written once; y is scaled by beta beforehand only
 * where block rows may be empty. The order of additions depends only on the number of compute units
 * of the device. In yaSpMV, a group waits for the group before it instead, and values are stored so
 * that neighbouring work-items read neighbouring values; here values keep the order of the format.
 *
 * Reads the blocks once, fill included. The masks are read only where a row of a block gives Inf or
 * NaN, which may come from fill: 0 times Inf is NaN.
 *
 * Yan, Li, Zhang and Zhou 2014 (yaSpMV); Su and Keutzer 2012 (clSpMV) for BCOO. */
#include <stdio.h>

#include "format/bccoo.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bccoo, "spmv_gpu/bccoo.cl");

enum {
	WG = 256,
	UNIT_GROUPS = 16, /* groups per compute unit: twice as many as a unit runs at once */
	LEAST = 16        /* minimum blocks per group in tests, which split small matrices too */
};

typedef struct state {
	block_shape shape;
	int each;              /* blocks of a tile for each work-item */
	bool whole;            /* whether it is known that no block row is empty */
	int64_t part, groups;  /* blocks per group; number of groups */
	eki_buffer *row, *sum; /* block rows and sums of the carries, two for each group */
	eki_buffer *number;    /* BCCOO only: the number of each group's first block row */
	void *runs, *carries;
} state;

/* Returns how many blocks of a tile each work-item handles if blocks have `c` columns: the more
 * columns, the fewer blocks. The number is odd, so that neighbouring work-items read different
 * banks of local memory. If columns of 8 bytes are in local memory too, 32 KiB are enough. */
static int each_of(int c, bool wide)
{
	return c == 1 && !wide ? 7 : c <= 2 ? 5 : 3;
}

static bool is_bccoo(const ek_store *s)
{
	return s->format == &ek_format_bccoo;
}

/* Returns 0 if columns are indices, else how they are stored in 16 bits. */
static int deltas_of(const ek_store *s)
{
	return is_bccoo(s) ? (int)s->dim[BCCOO_DELTAS] : 0;
}

/* Returns a bit for each array of the store that the kernels read. */
static uint64_t arrays_read(const ek_store *s)
{
	const uint64_t chunk = UINT64_C(1) << BCCOO_CHUNK;
	const uint64_t deltas = UINT64_C(1) << BCCOO_DELTA | UINT64_C(1) << BCCOO_BASE;

	return !is_bccoo(s) ? UINT64_MAX : deltas_of(s) ? ~chunk : ~(chunk | deltas);
}

static void put(void *to, ek_index index, int64_t k, int64_t v)
{
	if (index == EK_I64)
		((int64_t *)to)[k] = v;
	else
		((int32_t *)to)[k] = (int32_t)v;
}

/* Sets row[2 g] and row[2 g + 1] to the block rows of the first and the last block of each group g.
 * For BCCOO, number[g] becomes the index of block row row[2 g] among the block rows that are not
 * empty. */
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

static ek_status make_rows(eki_step *step, state *s)
{
	const ek_context *ctx = step->ctx;
	const size_t size = eki_idx_size(step->in[0]->index);
	int64_t *number = NULL;
	void *row = NULL;
	ek_status status;

	EK_TRY(eki_alloc(ctx, s->groups, sizeof *number, (void **)&number));
	EK_TRY(eki_alloc(ctx, 2 * s->groups, size, &row));
	find_rows(step->in[0], s, number, row);
	EK_TRY(eki_gpu_buffer(step, 2 * s->groups, size, false, row, &s->row));
	EK_TRY(eki_gpu_buffer(step, s->groups, sizeof *number, false, number, &s->number));
done:
	eki_free(ctx, number, s->groups, sizeof *number);
	eki_free(ctx, row, 2 * s->groups, size);
	return status;
}

static void cut(const eki_step *step, state *s)
{
	const int64_t blocks = step->in[0]->len[BLOCK_COL], units = step->gpu->device->info.units;
	const int64_t part = eki_groups(blocks, UNIT_GROUPS * (units > 0 ? units : 1));
	const int64_t tile = WG / s->shape.r * s->each;
	const int64_t least = step->ctx->small_work ? tile : LEAST;

	s->part = part > least ? part : least;
	s->groups = eki_groups(blocks, s->part);
}

static ek_status prepare(eki_step *step)
{
	const ek_store *A;
	char defines[160];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	A = step->in[0]; /* with op T, in[0] is the transposed store by now */
	s->shape = block_shape_of(A);
	s->each = each_of(s->shape.c, deltas_of(A) == BCCOO_DIFFERENCES && A->index == EK_I64);
	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define C %d\n#define EACH %d\n#define DELTAS %d\n"
	         "#define SEGMENT %d\n#define ESCAPE (%d)\n",
	         WG, s->shape.c, s->each, deltas_of(A), BCCOO_SEGMENT, BCCOO_ESCAPE);
	EK_RETURN_IF(eki_gpu_program(step, "bccoo", defines, eki_cl_bccoo));
	s->whole = is_bccoo(A) && A->len[BCCOO_FILLED] == 0;
	EK_RETURN_IF(eki_gpu_mirror_some(step, arrays_read(A)));
	if (deltas_of(A)) {
		const ek_store read = bccoo_read(A);

		step->bytes -= eki_store_bytes(A) - eki_store_bytes(&read);
	}
	cut(step, s);
	EK_RETURN_IF(make_rows(step, s));
	EK_RETURN_IF(eki_gpu_buffer(step, 2 * s->groups * s->shape.r, ek_value_size(A->value),
	                            false, NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_kernel(step, is_bccoo(A) ? "bccoo" : "bcoo", &s->runs));
	return eki_gpu_kernel(step, "block_carries", &s->carries);
}

static ek_status sum_runs(const eki_step *step, const eki_run *v, eki_scalar beta,
                          const eki_gpu_vectors *on)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	eki_arg args[20];
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
	if (deltas_of(A)) {
		args[n++] = eki_arg_buffer(array[BCCOO_DELTA]);
		args[n++] = eki_arg_buffer(array[BCCOO_BASE]);
	}
	args[n++] = eki_arg_buffer(array[BLOCK_COL]);
	args[n++] = eki_arg_buffer(array[BLOCK_VAL]);
	args[n++] = eki_arg_buffer(array[BLOCK_MASK]);
	args[n++] = eki_arg_val(A->value, v->alpha);
	args[n++] = eki_arg_buffer(&on->x);
	args[n++] = eki_arg_val(A->value, beta);
	args[n++] = eki_arg_buffer(&on->y);
	args[n++] = eki_arg_buffer(s->sum);
	return eki_gpu_launch(step, s->runs, s->groups, WG, args, n);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_scalar beta = s->whole ? v->beta : eki_real(1);
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),        eki_arg_i64(2 * s->groups),
	                        eki_arg_i32(s->shape.r),     eki_arg_buffer(s->row),
	                        eki_arg_buffer(s->sum),      eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, beta), eki_arg_buffer(&on.y)};

	if (!s->whole)
		EK_RETURN_IF(eki_gpu_scale_there(step, v->beta, &on.y));
	EK_RETURN_IF(sum_runs(step, v, beta, &on));
	EK_RETURN_IF(eki_gpu_launch(step, s->carries, 1, WG, args, EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

static double cost_bccoo(const eki_features *f)
{
	eki_features g = *f;
	ek_store read;

	if (f->store) {
		read = bccoo_read(f->store);
		g.store = &read;
	}
	return eki_gpu_format_cost(&g, 0.7, 3.5, 2, 0);
}

static double cost_bcoo(const eki_features *f)
{
	return eki_gpu_format_cost(f, 0.7, 4.6, 2, 0);
}

const ek_method ek_spmv_gpu_bccoo = {
	.name = "spmv.bccoo.gpu",
	.text = "segmented sums of blocks, block rows counted by their bits, on a device",
	.source = "Yan et al. 2014",
	.operation = EK_SPMV,
	.format = {&ek_format_bccoo},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_bccoo,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

const ek_method ek_spmv_gpu_bcoo = {
	.name = "spmv.bcoo.gpu",
	.text = "segmented sums of the same number of blocks for each group, on a device",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_bcoo},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_bcoo,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
