/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR5 on a device: a warp or wavefront for each tile. A lane adds up its entries one after
 * the other and finishes rows that begin and end in it; parts of rows that lanes share are joined by
 * a tree in registers or local memory, from seg_offset. The thesis takes differences of a scan there,
 * which loses digits behind large sums.
 *
 * The first row of a tile, if it began in a tile before, goes to `carry`, and a second kernel, the
 * thesis' calibrator, adds the parts of a row in the order of tiles: without atomic additions, so
 * that each run has the same bits. It also does the rows without entries, which no tile has. What is
 * behind the last whole tile stays CSR; one group does it beside the tiles.
 *
 * Moves the bytes of the format, and for each tile three numbers more. The share of the work that a
 * lane has does not depend on the rows; where they are shorter than sigma, though, lanes finish
 * several, whose places in y are not beside each other, which is why sigma follows the mean length.
 *
 * Liu 2015, section 8.5, Algorithm 32; sigma for GPUs as in section 6.3.2. */
#include <stdio.h>

#include "gpu_spmv/csr5_make.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr5, "gpu_spmv/csr5.cl");

enum { LONG = 32 }; /* tiles that one work-item adds up */

typedef struct state {
	csr5_on_device A; /* first: tests look at it */
	void *multiply, *calibrate;
	eki_buffer *span, *longer, *rest, *carry;
	int64_t parts;    /* tiles, and one for what is behind them */
	int64_t rest_row; /* the first there */
	int rest_rows, rest_lanes;
	int64_t longs; /* rows with parts in more than LONG tiles */
	bool empty;    /* some rows are */
} state;

/* ---- Preparation ----------------------------------------------------------------------------- */

/* The rows that have entries behind the tiles, as csr5.cl wants them. */
static ek_status list_rest(ek_plan *p, state *s)
{
	const ek_store *A = p->store; /* CSR or CSR5: both begin with row_ptr */
	const csr5_shape h = csr5_shape_of(&s->A.store);
	const int64_t first = h.tiles * h.tile, room = 2 * (A->nnz - first) + 1;
	int64_t *list, k = first, n = 0;
	ek_status status;

	if (first == A->nnz)
		return eki_gpu_buffer(p, 0, sizeof *list, false, NULL, &s->rest);
	EK_RETURN_IF(eki_alloc(p->ctx, room, sizeof *list, (void **)&list));
	s->rest_row = eki_row_of(A, first);
	/* Rows to the front, their first entries behind all that there can be. */
	for (int64_t i = s->rest_row; k < A->nnz; i++)
		if (eki_ptr_at(A, i + 1) > k) {
			list[n] = i;
			list[A->nnz - first + n++] = k - first;
			k = eki_ptr_at(A, i + 1);
		}
	for (int64_t i = 0; i < n; i++)
		list[n + i] = list[A->nnz - first + i];
	list[2 * n] = k - first;
	s->rest_rows = (int)n;
	s->rest_lanes = eki_gpu_lanes(n, k - first, 1, CSR5_GROUP);
	EK_TRY(eki_gpu_buffer(p, 2 * n + 1, sizeof *list, false, list, &s->rest));
done:
	eki_free(p->ctx, list, room, sizeof *list);
	return status;
}

/* Which tiles go on with a row, and whether rows are empty. */
static ek_status look(ek_plan *p, state *s)
{
	const csr5_shape h = csr5_shape_of(&s->A.store);
	const int64_t rows = s->A.store.rows;
	const eki_arg row_ptr = eki_arg_buffer(s->A.array[CSR5_PTR]);
	int32_t found[2] = {0};
	eki_buffer *on;

	EK_RETURN_IF(
		eki_gpu_buffer(p, s->parts, eki_ptr_size(s->A.store.index), false, NULL, &s->span));
	EK_RETURN_IF(eki_gpu_buffer(p, s->parts / LONG, 8, false, NULL, &s->longer));
	EK_RETURN_IF(eki_gpu_buffer(p, 2, sizeof *found, false, found, &on));

	const eki_arg args[] = {eki_arg_i64(h.tiles),
	                        eki_arg_i64(s->parts),
	                        eki_arg_i64(s->rest_row),
	                        row_ptr,
	                        eki_arg_buffer(s->A.array[CSR5_TILE]),
	                        eki_arg_buffer(s->span),
	                        eki_arg_buffer(s->longer),
	                        eki_arg_buffer(on)};

	EK_RETURN_IF(eki_gpu_once(p, "csr5_spans", eki_groups(s->parts, CSR5_GROUP), CSR5_GROUP,
	                          args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_gpu_once(p, "csr5_find_empty", eki_groups(rows, CSR5_GROUP), CSR5_GROUP,
	                          (eki_arg[]){eki_arg_i64(rows), row_ptr, eki_arg_buffer(on)}, 3));
	EK_RETURN_IF(eki_buffer_read(p->gpu->device, on, found, sizeof found));
	s->longs = found[0];
	s->empty = found[1];
	return EK_OK;
}

static ek_status prepare(ek_plan *p)
{
	char defines[256];
	csr5_shape h;
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	*s = (state){.rest_lanes = 1};
	EK_RETURN_IF(csr5_device_shape(p, &s->A));
	h = csr5_shape_of(&s->A.store);
	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define OMEGA %d\n#define SIGMA %d\n#define WORDS %d\n"
	         "#define SEG_BITS %d\n#define EK_LONG %d\n",
	         CSR5_GROUP, (int)h.omega, (int)h.sigma, h.words, h.seg_bits, LONG);
	EK_RETURN_IF(eki_gpu_prepare(p, "csr5", defines, eki_cl_csr5));
	EK_RETURN_IF(csr5_device_make(p, &s->A));
	EK_RETURN_IF(list_rest(p, s));
	s->parts = csr5_shape_of(&s->A.store).tiles + (s->rest_rows > 0);
	EK_RETURN_IF(look(p, s));
	EK_RETURN_IF(eki_gpu_buffer(p, s->parts, ek_value_size(s->A.store.value), false, NULL,
	                            &s->carry));
	EK_RETURN_IF(eki_gpu_kernel(p, "csr5", &s->multiply));
	return eki_gpu_kernel(p, "csr5_calibrate", &s->calibrate);
}

static ek_status refresh(ek_plan *p)
{
	return csr5_device_refresh(p, &((state *)p->state)->A);
}

/* ---- Run ------------------------------------------------------------------------------------- */

static ek_status calibrate(const ek_plan *p, const ek_args *v, const eki_buffer *y)
{
	const state *s = p->state;
	const ek_store *A = &s->A.store;
	const int64_t parts = s->parts > 1 ? s->parts : 0;
	const int64_t empty = s->empty && v->beta != 1 ? A->rows : 0;
	const eki_arg args[] = {eki_arg_i64(csr5_shape_of(A).tiles),
	                        eki_arg_i64(parts),
	                        eki_arg_i64(s->longs),
	                        eki_arg_i64(empty),
	                        eki_arg_i64(s->rest_row),
	                        eki_arg_buffer(s->A.array[CSR5_PTR]),
	                        eki_arg_buffer(s->A.array[CSR5_TILE]),
	                        eki_arg_buffer(s->span),
	                        eki_arg_buffer(s->longer),
	                        eki_arg_buffer(s->carry),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(y)};

	return eki_gpu_launch(p, s->calibrate,
	                      s->longs + eki_groups(parts, CSR5_GROUP) +
	                              eki_groups(empty, CSR5_GROUP),
	                      CSR5_GROUP, args, EKI_COUNT(args));
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = &s->A.store;
	const csr5_shape h = csr5_shape_of(A);
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg args[] = {eki_arg_i64(h.tiles),
	                        eki_arg_buffer(s->A.array[CSR5_TILE]),
	                        eki_arg_buffer(s->A.array[CSR5_DESC]),
	                        eki_arg_buffer(s->A.array[CSR5_EMPTY_PTR]),
	                        eki_arg_buffer(s->A.array[CSR5_EMPTY]),
	                        eki_arg_buffer(s->A.array[CSR5_COL]),
	                        eki_arg_buffer(s->A.array[CSR5_VAL]),
	                        eki_arg_buffer(s->span),
	                        eki_arg_buffer(s->rest),
	                        eki_arg_i32(s->rest_rows),
	                        eki_arg_i32(s->rest_lanes),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y),
	                        eki_arg_buffer(s->carry)};

	EK_RETURN_IF(eki_gpu_launch(p, s->multiply,
	                            eki_groups(h.tiles, CSR5_GROUP / h.omega) + (s->rest_rows > 0),
	                            CSR5_GROUP, args, EKI_COUNT(args)));
	EK_RETURN_IF(calibrate(p, v, &on.y));
	return eki_gpu_leave(p, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, 1.03 * f->csr_bytes, 2);
}

const ek_method ek_spmv_gpu_csr5 = {
	.name = "spmv.csr5.gpu",
	.text = "a warp for each tile, rows by flags, parts of rows by a second kernel",
	.source = "Liu 2015, section 8.5, Algorithm 32",
	.operation = EK_SPMV,
	.format = &ek_format_csr5,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.from_csr = true,
	.cost = cost,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
