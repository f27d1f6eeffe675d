/* SPDX-License-Identifier: BSD-3-Clause
 * Pieces of the rows of A. Each piece is a matrix of its own, a view of A with row pointers that
 * start at 0, and has a child step on each side that may multiply it, with the method and the
 * format that are chosen for it there. No row is divided, so no sum depends on both sides.
 *
 * The device has all pieces: for vectors on the device it multiplies all of A, and preparation has
 * measured its speed with all of A anyway. Memory: for each side what its methods take, and a copy
 * of the row pointers. */
#include "both/both.h"

#ifndef EK_NO_GPU

int64_t eki_piece_rows(const eki_step *step, int k)
{
	const eki_both *s = step->state;
	const int64_t end = k + 1 < s->pieces ? s->piece[k + 1].begin : step->in[0]->rows;

	return end - s->piece[k].begin;
}

void eki_rows_shape(const ek_store *A, int64_t begin, int64_t rows, ek_store *view)
{
	const int64_t first = eki_ptr_at(A, begin);

	*view = *A;
	view->rows = rows;
	view->nnz = eki_ptr_at(A, begin + rows) - first;
	view->len[CSR_PTR] = rows + 1;
	view->len[CSR_COL] = view->len[CSR_VAL] = view->nnz;
	if (first > 0) { /* without entries, the arrays may be NULL */
		view->array[CSR_COL] =
			(char *)A->array[CSR_COL] + (size_t)first * eki_idx_size(A->index);
		view->array[CSR_VAL] =
			(char *)A->array[CSR_VAL] + (size_t)first * ek_value_size(A->value);
	}
}

void eki_rows_pointers(const ek_store *A, int64_t begin, ek_store *view)
{
	const int64_t first = eki_ptr_at(A, begin);

	for (int64_t i = 0; i <= view->rows; i++)
		eki_ptr_set(view, i, eki_ptr_at(A, begin + i) - first);
}

ek_status eki_rows_view(eki_step *step, const ek_store *A, int64_t begin, int64_t rows,
                        ek_store *view)
{
	eki_rows_shape(A, begin, rows, view);
	if (begin == 0)
		return EK_OK;
	EK_RETURN_IF(eki_step_alloc(step, rows + 1, eki_ptr_size(A->index), &view->array[CSR_PTR]));
	eki_rows_pointers(A, begin, view);
	return EK_OK;
}

/* Tells whether a piece may need a buffer of its own for its part of Y: of vectors, since kernels
 * that multiply these take no offset, and neither do handles of OpenCL; and wherever the part of
 * one piece cannot be copied while a kernel writes that of another into the same buffer. */
static bool needs_y(const eki_step *step, const eki_piece *p)
{
	const eki_driver *driver = step->ctx->device->driver;
	const bool vectors = step->problem->operation->width == 0;

	return p->begin > 0 && (!driver->beside || (vectors && driver->backend == EKI_OPENCL));
}

static ek_status prepare_side(eki_step *step, int k, int side)
{
	eki_both *s = step->state;
	eki_piece *p = &s->piece[k];
	const unsigned device = step->ctx->device->driver->backend;
	eki_step *child = eki_step_child(step, &p->view, EK_OP_N);

	child->backend = side == EKI_DEVICE_SIDE ? device : EKI_CPU;
	if (side == EKI_DEVICE_SIDE && s->streams) {
		child->method = s->batches;
		child->param[0] = s->batch;
	} else {
		EK_RETURN_IF(eki_step_choose_format(child, &p->copy[side]));
	}
	p->step[side] = child;
	EK_RETURN_IF(eki_step_prepare(child));
	if (side == EKI_DEVICE_SIDE && needs_y(step, p))
		EK_RETURN_IF(eki_gpu_buffer(child, p->view.rows * eki_gpu_width(step),
		                            ek_value_size(p->view.value), false, NULL, &p->y));
	return EK_OK;
}

static void undo(eki_step *step)
{
	eki_both *s = step->state;

	eki_step_rewind(step, &s->mark);
	memset(s->piece, 0, sizeof s->piece);
	s->lines.first = NULL;
	s->ranged = 0;
}

static ek_status make(eki_step *step, const int64_t *begin, int pieces, int host)
{
	eki_both *s = step->state;

	undo(step);
	s->pieces = pieces;
	for (int k = 0; k < pieces; k++)
		s->piece[k].begin = begin[k];
	EK_RETURN_IF(eki_step_children(step, EKI_SIDES * pieces));
	for (int k = 0; k < pieces; k++)
		if (eki_piece_rows(step, k) > 0) {
			EK_RETURN_IF(eki_rows_view(step, step->in[0], s->piece[k].begin,
			                           eki_piece_rows(step, k), &s->piece[k].view));
			EK_RETURN_IF(prepare_side(step, k, EKI_DEVICE_SIDE));
		}
	s->device_mark = eki_step_mark(step);
	for (int k = host; k < pieces; k++)
		if (s->piece[k].step[EKI_DEVICE_SIDE])
			EK_RETURN_IF(prepare_side(step, k, EKI_HOST_SIDE));
	return EK_OK;
}

void eki_pieces_drop_host(eki_step *step)
{
	eki_both *s = step->state;

	eki_step_rewind(step, &s->device_mark);
	for (int k = 0; k < s->pieces; k++) {
		s->piece[k].step[EKI_HOST_SIDE] = NULL;
		s->piece[k].copy[EKI_HOST_SIDE] = (ek_store){0};
	}
	s->lines.first = NULL;
	s->ranged = 0;
}

/* Tells whether all of A, x and y fit the device, with a tenth of its memory left for the arrays of
 * methods. */
static bool fits(const eki_step *step)
{
	const double bytes = (double)eki_moved_bytes(step->problem, step->in[0]);

	return bytes <= 0.9 * (double)step->ctx->device->info.memory;
}

ek_status eki_pieces_make(eki_step *step, const int64_t *begin, int pieces, int host)
{
	eki_both *s = step->state;
	ek_status status;

	/* Also if an earlier cut did not fit, since that may have had more arrays. */
	s->streams = s->batch || !fits(step);
	status = make(step, begin, pieces, host);
	if (status != EK_ENOMEM || s->streams)
		return status;
	s->streams = true;
	return make(step, begin, pieces, host);
}

ek_status eki_pieces_refresh(eki_step *step)
{
	eki_both *s = step->state;

	EK_RETURN_IF(eki_gpu_refresh(step));
	for (int k = 0; k < s->pieces; k++)
		for (int side = 0; side < EKI_SIDES; side++)
			if (s->piece[k].copy[side].format)
				EK_RETURN_IF(eki_format_values(step->ctx, &s->piece[k].view,
				                               &s->piece[k].copy[side]));
	return EK_OK;
}

#endif
