/* SPDX-License-Identifier: BSD-3-Clause
 * Pieces of the rows of a sparse product. Each has views of its rows of A and D, with row pointers
 * that start at 0, all of B, and a child step on each side that may compute it. The children on the
 * device share their copy of B there. Rows are cut by the number of their products. */
#include "both/sparse.h"

#ifndef EK_NO_GPU

/* ---- Pieces --------------------------------------------------------------------------------- */

int64_t eki_sparse_rows(const eki_sparse_both *s, int k)
{
	return s->piece[k + 1].begin - s->piece[k].begin;
}

static ek_status prepare_side(eki_step *step, int k, int side)
{
	eki_sparse_both *s = step->state;
	eki_sparse_piece *p = &s->piece[k];
	eki_step *child = eki_step_child(step, &p->A, EK_OP_N);

	child->in[1] = step->in[1];
	child->in[2] = step->in[2] ? &p->D : NULL;
	child->op[1] = child->op[2] = EK_OP_N;
	child->bytes = eki_plus(eki_store_bytes(&p->A), eki_store_bytes(step->in[1]));
	child->backend = side == EKI_HOST_SIDE ? EKI_CPU : step->ctx->device->driver->backend;
	if (side == EKI_DEVICE_SIDE && s->streams) {
		child->method = s->batches;
		child->param[EKI_BATCHED_BATCH] = s->batch;
		child->param[EKI_BATCHED_SLICES] = s->slices;
	} else {
		EK_RETURN_IF(eki_step_choose(child));
	}
	p->step[side] = child;
	return eki_step_prepare(child);
}

static ek_status make(eki_step *step, const int64_t *begin, int pieces, unsigned one)
{
	eki_sparse_both *s = step->state;

	eki_step_rewind(step, &s->mark);
	memset(s->piece, 0, sizeof s->piece);
	s->pieces = pieces;
	for (int k = 0; k <= pieces; k++)
		s->piece[k].begin = begin[k];
	EK_RETURN_IF(eki_step_children(step, EKI_SIDES * pieces));
	for (int k = 0; k < pieces; k++) {
		const int64_t rows = eki_sparse_rows(s, k);
		const unsigned sides = pieces == 1       ? one
		                       : k == 0          ? EKI_SPARSE_DEVICE
		                       : k == pieces - 1 ? EKI_SPARSE_HOST
		                                         : EKI_SPARSE_DEVICE | EKI_SPARSE_HOST;
		eki_sparse_piece *p = &s->piece[k];

		if (rows == 0 && pieces > 1)
			continue;
		EK_RETURN_IF(eki_rows_view(step, step->in[0], begin[k], rows, &p->A));
		if (step->in[2])
			EK_RETURN_IF(eki_rows_view(step, step->in[2], begin[k], rows, &p->D));
		for (int side = 0; side < EKI_SIDES; side++)
			if (sides >> side & 1)
				EK_RETURN_IF(prepare_side(step, k, side));
	}
	return EK_OK;
}

/* Returns the largest number of slices of B that a piece has chosen, or 0 if all have the same: B
 * would stay on the device for one piece where another needs the room for its slices. */
static int64_t slices_for_all(const eki_sparse_both *s)
{
	int64_t least = INT64_MAX, most = 0;

	for (int k = 0; k < s->pieces; k++) {
		const eki_step *child = s->piece[k].step[EKI_DEVICE_SIDE];

		if (!child || child->method != s->batches)
			continue;

		const int64_t slices = child->param[EKI_BATCHED_SLICES];

		least = slices < least ? slices : least;
		most = slices > most ? slices : most;
	}
	return least < most ? most : 0;
}

ek_status eki_sparse_make(eki_step *step, const int64_t *begin, int pieces, unsigned one)
{
	eki_sparse_both *s = step->state;

	s->slices = 0;
	EK_RETURN_IF(make(step, begin, pieces, one));
	s->slices = slices_for_all(s);
	return s->slices > 0 ? make(step, begin, pieces, one) : EK_OK;
}

/* ---- Work ------------------------------------------------------------------------------------ */

enum { ROWS = 4096 }; /* rows of a part that a thread counts */

struct count {
	const eki_step *step;
	int64_t *work;
};

static void count_part(void *arg, int part)
{
	const struct count *c = arg;
	const int64_t rows = c->step->in[0]->rows, begin = (int64_t)part * ROWS;

	for (int64_t i = begin; i < rows && i < begin + ROWS; i++)
		c->work[i + 1] = 1 + (int64_t)eki_batch_terms(c->step, EKI_PRODUCT, i, i + 1);
}

ek_status eki_sparse_cut(const eki_step *step, const double *edge, int parts, int64_t *bound,
                         double *share, int64_t *terms)
{
	const int64_t rows = step->in[0]->rows;
	int64_t *work = NULL, row = 0;
	ek_status status;

	EK_TRY(eki_alloc(step->ctx, rows + 1, sizeof *work, (void *)&work));
	work[0] = 0;
	eki_parallel(step->ctx, step->threads, (int)eki_groups(rows, ROWS), count_part,
	             &(struct count){step, work});
	for (int64_t i = 0; i < rows; i++)
		work[i + 1] += work[i];
	*terms = work[rows] - rows;
	for (int k = 0; k <= parts; k++) {
		while (row < rows && (double)work[row] < edge[k] * (double)work[rows])
			row++;
		bound[k] = row;
		share[k] = work[rows] > 0 ? (double)work[row] / (double)work[rows] : 0;
	}
done:
	eki_free(step->ctx, work, rows + 1, sizeof *work);
	return status;
}

#endif
