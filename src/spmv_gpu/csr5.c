/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR5 on a device, with a warp or wavefront for each tile. A lane adds up its entries one
 * after the other, and finishes the rows that begin and end among them. Where lanes share a row, a
 * tree in registers or local memory adds their partial sums; seg_offset tells over how many lanes.
 * Liu's thesis takes differences of prefix sums instead, which lose digits after large sums.
 *
 * If the first row of a tile began in an earlier tile, its partial sum goes to `carry`. A second
 * kernel, the calibrator of the thesis, adds the partial sums of each row in the order of tiles.
 * There are no atomic additions, so each run gives the same bits. The second kernel also handles
 * rows without entries, which are in no tile. The entries after the last whole tile stay in CSR;
 * one group multiplies them while other groups multiply the tiles.
 *
 * Moves the bytes of the format, and three more numbers for each tile. The work of a lane does not
 * depend on the lengths of rows. But where rows are shorter than sigma, a lane finishes several
 * rows, and neighbouring lanes do not write to adjacent entries of y. This is why sigma follows the
 * mean length.
 *
 * Liu 2015, section 8.5, Algorithm 32; sigma for GPUs as in section 6.3.2, with
 * its numbers r, s, t and u as parameters. */
#include <stdio.h>

#include "spmv_gpu/csr5_make.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr5, "spmv_gpu/csr5.cl");

enum { LONG = 32 }; /* if a row is in at most this many tiles, a work-item adds up its carries */

typedef struct state {
	csr5_on_device A; /* must be the first member: tests read it */
	void *multiply, *calibrate;
	eki_buffer *span, *longer, *rest, *carry;
	int64_t parts;    /* number of tiles, plus 1 if there are entries after them */
	int64_t rest_row; /* row of the first entry after the tiles */
	int rest_rows, rest_lanes;
	int64_t longs; /* number of rows with carries in more than LONG tiles */
	bool empty;    /* whether some rows have no entries */
} state;

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Lists the rows that have entries after the last whole tile, in the layout that csr5_rest in
 * csr5.cl reads. */
static ek_status list_rest(eki_step *step, state *s)
{
	const ek_store *A = step->in[0]; /* CSR or CSR5: row_ptr is the first array of both */
	const csr5_shape h = csr5_shape_of(&s->A.store);
	const int64_t first = h.tiles * h.tile, capacity = 2 * (A->nnz - first) + 1;
	int64_t *list, k = first, n = 0;
	ek_status status;

	if (first == A->nnz)
		return eki_gpu_buffer(step, 0, sizeof *list, false, NULL, &s->rest);
	EK_RETURN_IF(eki_alloc(step->ctx, capacity, sizeof *list, (void **)&list));
	s->rest_row = eki_row_of(A, first);
	/* The list begins with the rows. This loop stores the positions of their first entries
	 * after space for the largest possible number of rows, and the next loop moves them to the
	 * end of the rows. */
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
	EK_TRY(eki_gpu_buffer(step, 2 * n + 1, sizeof *list, false, list, &s->rest));
done:
	eki_free(step->ctx, list, capacity, sizeof *list);
	return status;
}

/* Finds which tiles continue a row of an earlier tile, and whether any row is empty. */
static ek_status find_spans(eki_step *step, state *s)
{
	const csr5_shape h = csr5_shape_of(&s->A.store);
	const int64_t rows = s->A.store.rows;
	const eki_arg row_ptr = eki_arg_buffer(s->A.array[CSR5_PTR]);
	int32_t found[2] = {0};
	eki_buffer *on;

	EK_RETURN_IF(eki_gpu_buffer(step, s->parts, eki_ptr_size(s->A.store.index), false, NULL,
	                            &s->span));
	EK_RETURN_IF(eki_gpu_buffer(step, s->parts / LONG, 8, false, NULL, &s->longer));
	EK_RETURN_IF(eki_gpu_buffer(step, 2, sizeof *found, false, found, &on));

	const eki_arg args[] = {eki_arg_i64(h.tiles),
	                        eki_arg_i64(s->parts),
	                        eki_arg_i64(s->rest_row),
	                        row_ptr,
	                        eki_arg_buffer(s->A.array[CSR5_TILE]),
	                        eki_arg_buffer(s->span),
	                        eki_arg_buffer(s->longer),
	                        eki_arg_buffer(on)};

	EK_RETURN_IF(eki_gpu_once(step, "csr5_spans", eki_groups(s->parts, CSR5_GROUP), CSR5_GROUP,
	                          args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_gpu_once(step, "csr5_find_empty", eki_groups(rows, CSR5_GROUP), CSR5_GROUP,
	                          (eki_arg[]){eki_arg_i64(rows), row_ptr, eki_arg_buffer(on)}, 3));
	EK_RETURN_IF(eki_buffer_read(step->gpu->device, on, found, sizeof found));
	s->longs = found[0];
	s->empty = found[1];
	return EK_OK;
}

/* Begins the preparation with the program of two texts. */
static ek_status begin(eki_step *step, csr5_shape h)
{
	char defines[256], *text;
	int64_t bytes;
	ek_status status;

	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define OMEGA %d\n#define SIGMA %d\n#define WORDS %d\n"
	         "#define SEG_BITS %d\n#define EK_LONG %d\n",
	         CSR5_GROUP, (int)h.omega, (int)h.sigma, h.words, h.seg_bits, LONG);
	EK_RETURN_IF(eki_program_join(step->ctx, eki_cl_csr5, eki_cl_csr5_make, &text, &bytes));
	status = eki_gpu_prepare(step, "csr5", defines, text);
	eki_free(step->ctx, text, bytes, 1);
	return status;
}

static ek_status prepare(eki_step *step)
{
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	*s = (state){.rest_lanes = 1};
	EK_RETURN_IF(csr5_device_shape(step, &s->A));
	EK_RETURN_IF(begin(step, csr5_shape_of(&s->A.store)));
	EK_RETURN_IF(csr5_device_make(step, &s->A));
	EK_RETURN_IF(list_rest(step, s));
	s->parts = csr5_shape_of(&s->A.store).tiles + (s->rest_rows > 0);
	EK_RETURN_IF(find_spans(step, s));
	EK_RETURN_IF(eki_gpu_buffer(step, s->parts, ek_value_size(s->A.store.value), false, NULL,
	                            &s->carry));
	EK_RETURN_IF(eki_gpu_kernel(step, "csr5", &s->multiply));
	return eki_gpu_kernel(step, "csr5_calibrate", &s->calibrate);
}

static ek_status refresh(eki_step *step)
{
	return csr5_device_refresh(step, &((state *)step->state)->A);
}

/* ---- Run ------------------------------------------------------------------------------------- */

static ek_status calibrate(const eki_step *step, const eki_run *v, const eki_buffer *y)
{
	const state *s = step->state;
	const ek_store *A = &s->A.store;
	const int64_t parts = s->parts > 1 ? s->parts : 0;
	const int64_t empty = s->empty && !eki_is(v->beta, 1) ? A->rows : 0;
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

	return eki_gpu_launch(step, s->calibrate,
	                      s->longs + eki_groups(parts, CSR5_GROUP) +
	                              eki_groups(empty, CSR5_GROUP),
	                      CSR5_GROUP, args, EKI_COUNT(args));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = &s->A.store;
	const csr5_shape h = csr5_shape_of(A);
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
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

	EK_RETURN_IF(eki_gpu_launch(step, s->multiply,
	                            eki_groups(h.tiles, CSR5_GROUP / h.omega) + (s->rest_rows > 0),
	                            CSR5_GROUP, args, EKI_COUNT(args)));
	EK_RETURN_IF(calibrate(step, v, &on.y));
	return eki_gpu_leave(step, v, &on);
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
	.format = {&ek_format_csr5},
	.param = {{"r", 1, CSR5_MAX_SIGMA, "height of tiles for rows of up to r entries"},
                  {"s", 1, CSR5_MAX_SIGMA, "greatest height, for rows of s to t entries"},
                  {"t", 1, INT32_MAX, "length of rows beyond which the height is u"},
                  {"u", 1, CSR5_MAX_SIGMA, "height of tiles for longer rows"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.from_csr = true,
	.cost = cost,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
