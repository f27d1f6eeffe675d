/* SPDX-License-Identifier: BSD-3-Clause
 * The speculative segmented sum with the second stage that was published: the device writes all
 * sums to y at once, and the processor then puts y itself right, without a second launch and
 * without scratch for sums. Stage 1 is the kernel of csr_speculative.c, which has the course of the
 * algorithm; with PUBLISHED it differs in three places:
 *
 *   - Each lane puts the sums that end in it side by side, over its products in local memory, and
 *     counts them (segmented_reduction in the listing). A scan of the counts gives their rows.
 *     There a sum is kept in the lane where its segment begins, here where it ends, since the
 *     scan goes forward as the transmitter does.
 *   - Sums of dirty tiles go to y, to the rows guessed, and the tile is noted by its first and last
 *     row. How many sums there are follows from row_ptr.
 *   - A bunch notes one row, its first. If its last row continues, its partial sum goes to y.
 *
 * Stage 2 on the processor: the sum that each bunch noted is added to y, in the order of bunches;
 * or it becomes the new y, if the row begins with the bunch. Then the sums of dirty tiles move to
 * their rows, and empty rows become 0. So the extra memory is one row and one sum a bunch, two rows
 * a tile and a counter: O(nnz / (W T)), whatever the number of rows. The work has as much: an
 * element a bunch, nnz / (S W T) of them, and one a tile in the speculator (section 3.3).
 *
 * The work has no beta. If beta is not 0, a guess would overwrite an old y that is still needed. So
 * dirty tiles then do not guess: they search row_ptr for the row of each sum, multiply their empty
 * rows by beta, and are not noted.
 *
 * The processor must reach y. If host and device share memory, or y is on the host anyway, it does
 * so in place, with all threads. If y is in a device's own memory, one thread goes through pieces
 * of PIECE entries, which are copied to the host and back: that is right but slow if many tiles
 * are dirty, and spmv.csr.speculative.gpu is then the better choice. In any case a run waits for
 * the device, and row_ptr is read twice in dirty tiles.
 *
 * Liu and Vinter 2015, sections 3.2 and 3.3, Algorithm 1; Liu 2015, Algorithm 31. */
#include <string.h>

#include "spmv_gpu/csr_speculative.h"

#ifndef EK_NO_GPU
#define EK_TYPES_ONLY
#define EK_FILE "spmv_gpu/csr_speculative_published.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Adds alpha * sum to an entry of y, or, if the row begins here, sets it to alpha * sum + beta
 * y. */
static void FN(add_noted)(const eki_run *v, bool begins, const void *sum, int64_t k, void *y)
{
	const VAL own = EK_SCALAR(v->alpha) * ((const VAL *)sum)[k], beta = EK_SCALAR(v->beta);
	VAL *to = y;

	*to = !begins ? *to + own : beta == 0 ? own : own + beta * *to;
}

/* Multiplies an entry of y by beta. */
static void FN(scale_empty)(const eki_run *v, void *y)
{
	const VAL beta = EK_SCALAR(v->beta);
	VAL *to = y;

	*to = beta == 0 ? 0 : beta * *to;
}

#endif
#if EK_ONCE

typedef void add_fn(const eki_run *, bool, const void *, int64_t, void *);
typedef void scale_fn(const eki_run *, void *);

enum { PIECE = 4096 }; /* entries of y that are on the host at once if y is on the device */

/* The vector y as the processor sees it. */
typedef struct window {
	const eki_step *step;
	const eki_buffer *y;
	char *data, *moving;
	int64_t begin, end; /* entries that are at `data` */
	size_t size;
	bool changed, whole; /* whole: all of y is there, in place */
} window;

/* Copies the window's entries back to the device if they have changed. */
static ek_status window_close(window *w)
{
	eki_device *dev = w->step->gpu->device;
	const int64_t bytes = (w->end - w->begin) * (int64_t)w->size;

	if (!w->changed || w->whole)
		return EK_OK;
	w->changed = false;
	atomic_fetch_add(&dev->counted.to_device, bytes);
	return dev->driver->write(dev, w->y, w->begin * (int64_t)w->size, w->data, bytes);
}

/* Sets *at to the address of y_i. If it is not in the window, the window is moved so that it begins
 * there. */
static ek_status window_at(window *w, int64_t i, void **at)
{
	eki_device *dev = w->step->gpu->device;

	if (i < w->begin || i >= w->end) {
		EK_RETURN_IF(window_close(w));
		w->begin = i;
		w->end = i + PIECE < w->step->y_len ? i + PIECE : w->step->y_len;
		const int64_t bytes = (w->end - w->begin) * (int64_t)w->size;

		EK_RETURN_IF(eki_buffer_read_part(dev, w->y, i * (int64_t)w->size, w->data, bytes));
	}
	*at = w->data + (size_t)(i - w->begin) * w->size;
	return EK_OK;
}

/* ---- Stage 2 --------------------------------------------------------------------------------- */

/* Adds the sums that bunches noted, and finishes the empty rows before the first entry. */
static ek_status synchronise(window *w, const eki_run *v)
{
	static add_fn *const add[EK_NTYPE] = EK_BY_TYPE(add_noted);
	static scale_fn *const scale[EK_NTYPE] = EK_BY_TYPE(scale_empty);
	const eki_speculative *s = w->step->state;
	const ek_store *A = w->step->in[0];
	const int64_t each = s->s * s->w * s->t, bunches = eki_groups(A->nnz, each);
	const int64_t *row = (const int64_t *)s->notes->host + 2;
	const int type = eki_type(A->value, A->index);
	void *y;

	for (int64_t i = 0; i < s->leading; i++) {
		EK_RETURN_IF(window_at(w, i, &y));
		scale[type](v, y);
		w->changed = true;
	}
	for (int64_t b = 0; b < bunches; b++) {
		EK_RETURN_IF(window_at(w, row[b], &y));
		add[type](v, eki_ptr_at(A, row[b]) == b * each, row + bunches, b, y);
		w->changed = true;
	}
	return EK_OK;
}

static int64_t sums_of(const ek_store *A, int64_t start, int64_t stop)
{
	int64_t n = 0;

	for (int64_t i = start; i < stop; i++)
		n += eki_ptr_at(A, i) < eki_ptr_at(A, i + 1);
	return n;
}

/* Moves the sums of a dirty tile that has entries of rows `start` to `stop`, of which the first is
 * right, entry by entry: first all sums out of y, then each into its row. */
static ek_status move_tile(window *w, int64_t start, int64_t stop)
{
	const ek_store *A = w->step->in[0];
	const int64_t sums = sums_of(A, start, stop);
	const char *from = w->moving;
	void *y;

	for (int64_t q = 1; q < sums; q++) {
		EK_RETURN_IF(window_at(w, start + q, &y));
		memcpy(w->moving + (size_t)(q - 1) * w->size, y, w->size);
	}
	for (int64_t i = start + 1; i < stop; i++) {
		const bool empty = eki_ptr_at(A, i) == eki_ptr_at(A, i + 1);

		EK_RETURN_IF(window_at(w, i, &y));
		w->changed = true;
		if (empty) {
			memset(y, 0, w->size);
		} else {
			memcpy(y, from, w->size);
			from += w->size;
		}
	}
	return EK_OK;
}

typedef struct job {
	const window *w;
	int64_t dirty;
	int parts;
} job;

static void move_part(void *arg, int part)
{
	const job *j = arg;
	const ek_store *A = j->w->step->in[0];
	const int64_t *tile = ((const eki_speculative *)j->w->step->state)->speculator->host;
	const int64_t end = eki_cut(j->dirty, j->parts, part + 1);

	for (int64_t k = eki_cut(j->dirty, j->parts, part); k < end; k++)
		eki_rearrange[eki_type(A->value, A->index)](
			A->array[CSR_PTR], tile[2 * k], tile[2 * k + 1],
			sums_of(A, tile[2 * k], tile[2 * k + 1]), j->w->data);
}

static ek_status rearrange(window *w, int64_t dirty)
{
	const eki_step *step = w->step;
	const int64_t *tile = ((const eki_speculative *)step->state)->speculator->host;
	job j = {w, dirty, 1};
	int64_t rows = 0;

	if (!w->whole) {
		for (int64_t k = 0; k < dirty; k++)
			EK_RETURN_IF(move_tile(w, tile[2 * k], tile[2 * k + 1]));
		return EK_OK;
	}
	for (int64_t k = 0; k < dirty; k++)
		rows += tile[2 * k + 1] - tile[2 * k];
	j.parts = eki_parts(step->ctx, rows);
	eki_parallel(step->ctx, step->threads, j.parts, move_part, &j);
	return EK_OK;
}

static ek_status second_stage(window *w, const eki_run *v)
{
	const eki_speculative *s = w->step->state;
	int32_t dirty;

	EK_RETURN_IF(
		eki_speculative_take(w->step, s->notes, eki_speculative_notes(w->step->in[0], s)));
	EK_RETURN_IF(synchronise(w, v));
	dirty = *(const int32_t *)s->notes->host;
	EK_RETURN_IF(eki_speculative_give(w->step, s->notes, 0));
	if (dirty) {
		EK_RETURN_IF(eki_speculative_take(w->step, s->speculator,
		                                  2 * (int64_t)sizeof(int64_t) * dirty));
		EK_RETURN_IF(rearrange(w, dirty));
		EK_RETURN_IF(eki_speculative_give(w->step, s->speculator, 0));
	}
	return window_close(w);
}

/* ---- The method ------------------------------------------------------------------------------ */

static ek_status prepare(eki_step *step)
{
	const size_t size = ek_value_size(step->in[0]->value);
	eki_speculative *s;

	EK_RETURN_IF(eki_speculative_prepare(step, step->param, true));
	s = step->state;
	if (step->ctx->device->memory == EKI_MEMORY_SHARED)
		return EK_OK;
	EK_RETURN_IF(eki_step_scratch(step, PIECE, size, &s->piece));
	return eki_step_scratch(step, s->t * s->w, size, &s->moving);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_speculative *s = step->state;
	const size_t size = ek_value_size(step->in[0]->value);
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	EK_RETURN_IF(eki_speculative_start(step, v, &on));
	EK_RETURN_IF(eki_gpu_leave(step, v, &on)); /* copies y to the host, if it belongs there */
	EK_RETURN_IF(step->gpu->device->driver->wait(step->gpu->device));
	window w = {.step = step, .y = &on.y, .size = size, .end = step->y_len, .whole = true};

	w.data = on.y_host && !v->there ? v->y.data : on.y.host;
	if (!w.data) {
		w.whole = false;
		w.end = 0;
		w.data = v->scratch + s->piece;
		w.moving = v->scratch + s->moving;
	}
	return second_stage(&w, v);
}

const ek_method ek_spmv_gpu_csr_speculative_published = {
	.name = "spmv.csr.speculative_published.gpu",
	.text = "the same as published: sums are compacted over their products in local memory, "
                "and "
		"the processor puts y right in place",
	.source = "Liu and Vinter 2015, Algorithm 1; Liu 2015, Algorithm 31",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = EKI_SPECULATIVE_PARAMETERS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
#endif
