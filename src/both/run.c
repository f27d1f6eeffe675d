/* SPDX-License-Identifier: BSD-3-Clause
 * A run of a product that processor and device do together. The device's pieces follow one another:
 * while one is multiplied, the lines of x that only the next one needs are sent, and the rows of y
 * of the one before are copied back. All of this is only put into the queues. Then the processor
 * multiplies its pieces with all threads, and at last waits for the device.
 *
 * With a driver for which no byte of a buffer may change while a kernel uses the buffer, all lines
 * of x are sent before the first piece, and pieces have buffers of their own for y.
 *
 * Vectors in memory that both sides share are used in place and never copied. Vectors on the device
 * are multiplied there, by all pieces. Blocks on the host are packed for their way to the device, a
 * group of columns at a time; the processor multiplies the same columns meanwhile. If a driver
 * needs pinned memory for copies beside which the host can go on, vectors are packed into such
 * memory, too. */
#include <stdio.h>

#include "base/pool.h"
#include "both/both.h"

#ifndef EK_NO_GPU

/* X or Y during a run, or a group of its columns. */
typedef struct placed {
	eki_dense host;    /* the columns of the group, if the caller's block is on the host */
	eki_buffer buffer; /* what kernels access, with the strides and the position below */
	int64_t row, col, at;
	bool staged;  /* whether the block is copied to `buffer`, in which it is packed */
	char *packed; /* packed copy on the host, if one is needed */
} placed;

static int64_t value_size(const eki_step *step)
{
	return (int64_t)ek_value_size(step->in[0]->value);
}

/* Places columns [j, j + width) of a block with `rows` rows. `copy` is the buffer of the device,
 * and `stage` the memory of the host, by way of which blocks are copied. */
static placed place(const eki_step *step, const eki_dense *d, int64_t rows, int64_t j,
                    int64_t width, const eki_buffer *copy, char *stage, bool pinned)
{
	const int64_t size = value_size(step);
	const int64_t bytes = ((rows - 1) * d->row + (j + width - 1) * d->col + 1) * size;
	placed p = {.host = *d, .row = d->row, .col = d->col, .at = j * d->col};

	if (d->where == EK_ON_DEVICE) {
		p.buffer = eki_device_memory(step->gpu->device, d->data, bytes);
		return p;
	}
	p.host.data = (char *)d->data + j * d->col * size;
	if (eki_buffer_around(step->gpu->device, d->data, bytes, &p.buffer))
		return p;
	p.buffer = *copy;
	p.staged = true;
	p.row = width;
	p.col = 1;
	p.at = 0;
	if (pinned || d->row != width || (width > 1 && d->col != 1))
		p.packed = stage;
	return p;
}

/* Copies rows [begin, end) between the caller's block and its packed copy, on all threads. */
static void pack(const eki_step *step, const placed *p, int64_t width, int64_t begin, int64_t end,
                 bool back)
{
	const eki_dense packed = {p->packed, width, 1, 0};
	const eki_run all = {.y = back ? p->host : packed,
	                     .y0 = back ? packed : p->host,
	                     .width = width,
	                     .beta = eki_real(1)};

	if (p->packed)
		eki_scale(step, &all, begin, end);
}

/* Sends rows [begin, end) of a staged block to `to`, where they begin at row `at`, and sets *sent
 * if there are any. */
static ek_status send(const eki_step *step, const placed *p, int64_t width, int64_t begin,
                      int64_t end, const eki_buffer *to, int64_t at, bool *sent)
{
	const int64_t row = width * value_size(step), bytes = (end - begin) * row;
	const char *from = p->packed ? p->packed : p->host.data;
	eki_device *dev = step->gpu->device;

	if (bytes == 0)
		return EK_OK;
	*sent = true;
	pack(step, p, width, begin, end, false);
	atomic_fetch_add(&dev->counted.to_device, bytes);
	return dev->driver->send(dev, to, at * row, from + begin * row, bytes);
}

/* Returns the buffer that a piece has for its rows of Y, or NULL if it writes to that of Y. Kernels
 * that multiply blocks do so unless rows of Y are copied beside them. */
static const eki_buffer *own_y(const eki_step *step, const eki_piece *p, const placed *y)
{
	const bool blocks = step->problem->operation->width != 0;

	return y->buffer.memory == EKI_MEMORY_SHARED || (blocks && !y->staged) ? NULL : p->y;
}

/* ---- The device ------------------------------------------------------------------------------ */

/* Tells whether copies of vectors may run beside other work if the first `first` pieces are on the
 * device: beside that of the processor, or beside kernels for other chunks. */
static bool overlaps(const eki_both *s, int first)
{
	return first < s->pieces || s->chunks > 1;
}

/* Sends what piece k, of the first `first` pieces, needs of X and the pieces before it do not. If
 * that is not known, all of X goes with the piece that leads. If X may not change while a kernel
 * reads other parts of it, what all pieces need goes with that piece. */
static ek_status send_x(const eki_step *step, const placed *x, int64_t width, int first, int k,
                        bool leads, bool *sent)
{
	eki_both *s = step->state;
	const bool beside = step->gpu->device->driver->beside;

	if (!overlaps(s, first) || !s->lines.first)
		return leads ? send(step, x, width, 0, step->x_len, &x->buffer, 0, sent) : EK_OK;
	if (s->ranged != first)
		s->ranges = eki_lines_ranges(&s->lines, first, step->x_len, beside, s->range);
	s->ranged = first;
	for (int r = 0; r < s->ranges; r++)
		if (beside ? s->range[r].part == k : leads)
			EK_RETURN_IF(send(step, x, width, s->range[r].begin, s->range[r].end,
			                  &x->buffer, s->range[r].begin, sent));
	return EK_OK;
}

/* Brings piece k's rows of Y to the device, where the piece has a buffer of its own or Y is staged.
 * Does nothing if beta is 0. */
static ek_status bring_y(const eki_step *step, const eki_run *v, const placed *y, int64_t width,
                         int k, bool *sent)
{
	const eki_piece *p = &((const eki_both *)step->state)->piece[k];
	const eki_buffer *own = own_y(step, p, y);
	const int64_t size = value_size(step);
	eki_device *dev = step->gpu->device;

	if (eki_is(v->beta, 0))
		return EK_OK;
	if (y->staged)
		return send(step, y, width, p->begin, p->begin + p->view.rows,
		            own ? own : &y->buffer, own ? 0 : p->begin, sent);
	return own ? dev->driver->copy(dev, own, 0, &y->buffer, p->begin * size,
	                               p->view.rows * size)
	           : EK_OK;
}

/* Takes piece k's rows of Y, once they are computed, to where the caller wants them. */
static ek_status return_y(const eki_step *step, const placed *y, int64_t width, int k)
{
	const eki_piece *p = &((const eki_both *)step->state)->piece[k];
	const int64_t row = width * value_size(step), bytes = p->view.rows * row;
	const eki_buffer *own = own_y(step, p, y);
	char *to = y->packed ? y->packed : y->host.data;
	eki_device *dev = step->gpu->device;

	if (!y->staged)
		return own ? dev->driver->copy(dev, &y->buffer, p->begin * row, own, 0, bytes)
		           : EK_OK;
	atomic_fetch_add(&dev->counted.from_device, bytes);
	return dev->driver->fetch(dev, own ? own : &y->buffer, own ? 0 : p->begin * row,
	                          to + p->begin * row, bytes);
}

/* Launches piece k. Its part of Y begins at a position in the buffer of Y (blocks), at an address
 * (vectors where buffers are addresses), or in a buffer of its own. */
static ek_status launch(const eki_step *step, const eki_run *v, const placed *x, const placed *y,
                        int64_t width, int k)
{
	const eki_piece *p = &((const eki_both *)step->state)->piece[k];
	eki_gpu_vectors there = {.x = x->buffer, .y = y->buffer, .x_at = x->at, .y_at = y->at};
	const int64_t size = value_size(step);
	eki_run part = *v;

	if (own_y(step, p, y)) {
		there.y = *p->y;
	} else if (step->problem->operation->width) {
		there.y_at += p->begin * y->row;
	} else {
		there.y.device = (char *)there.y.device + p->begin * size;
		if (there.y.host)
			there.y.host = (char *)there.y.host + p->begin * size;
		there.y.bytes = p->view.rows * size;
	}
	part.there = &there;
	part.width = width;
	part.x.row = x->row;
	part.x.col = x->col;
	part.y.row = y->row;
	part.y.col = y->col;
	part.y0 = part.y;
	return eki_step_run(p->step[EKI_DEVICE_SIDE], &part);
}

/* Puts the work of the first `first` pieces into the queues: turn i sends what piece i needs, and
 * launches it, and fetches the rows of the piece before. What is sent in turn i comes before copies
 * are told to wait for kernel i - 1, so it is copied beside that kernel. What is fetched then waits
 * for that kernel, but not for kernel i, which is launched behind the order to wait. Kernels wait
 * for copies only if something was sent. */
static ek_status start_device(const eki_step *step, const eki_run *v, const placed *x,
                              const placed *y, int64_t width, int first)
{
	const eki_both *s = step->state;
	const bool sends = x->staged || y->staged;
	eki_device *dev = step->gpu->device;
	int piece[EKI_MOST_PIECES], pieces = 0;

	for (int k = 0; k < first; k++)
		if (s->piece[k].step[EKI_DEVICE_SIDE])
			piece[pieces++] = k;
	/* An earlier run may still be using the buffers that copies are sent to. */
	if (sends)
		EK_RETURN_IF(dev->driver->follow(dev, true));
	for (int i = 0; i <= pieces; i++) {
		bool sent = false;

		if (i < pieces && x->staged && !eki_is(v->alpha, 0))
			EK_RETURN_IF(send_x(step, x, width, first, piece[i], i == 0, &sent));
		if (i < pieces)
			EK_RETURN_IF(bring_y(step, v, y, width, piece[i], &sent));
		if (sent)
			EK_RETURN_IF(dev->driver->follow(dev, false));
		if (i > 0 && y->staged)
			EK_RETURN_IF(dev->driver->follow(dev, true));
		if (i < pieces)
			EK_RETURN_IF(launch(step, v, x, y, width, piece[i]));
		if (i > 0)
			EK_RETURN_IF(return_y(step, y, width, piece[i - 1]));
		EK_RETURN_IF(dev->driver->flush(dev));
	}
	return EK_OK;
}

/* ---- The processor --------------------------------------------------------------------------- */

/* Multiplies the pieces from number `first` on, columns [j, j + width) of the blocks. */
static ek_status run_host(const eki_step *step, const eki_run *v, int64_t j, int64_t width,
                          int first)
{
	const eki_both *s = step->state;
	const int64_t size = value_size(step);

	for (int k = first; k < s->pieces; k++) {
		const eki_piece *p = &s->piece[k];
		eki_run part = eki_run_columns(v, (size_t)size, j, width);

		if (!p->step[EKI_HOST_SIDE])
			continue;
		part.y.data = (char *)part.y.data + p->begin * v->y.row * size;
		part.y0.data = (char *)part.y0.data + p->begin * v->y0.row * size;
		EK_RETURN_IF(eki_step_run(p->step[EKI_HOST_SIDE], &part));
	}
	return EK_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

ek_status eki_both_drain(eki_device *dev, ek_status status)
{
	char why[EKI_MESSAGE];

	snprintf(why, sizeof why, "%s", ek_error_text());
	dev->driver->wait(dev);
	return eki_fail(status, "%s", why);
}

/* Runs a group of columns, and adds the nanoseconds in which the processor only waited to
 * *waited. */
static ek_status run_columns(const eki_step *step, const eki_run *v, const placed *x,
                             const placed *y, int64_t j, int64_t width, int first, int64_t *waited)
{
	const eki_both *s = step->state;
	const int64_t rows = first < s->pieces ? s->piece[first].begin : step->y_len;
	eki_device *dev = step->gpu->device;
	int64_t start;
	ek_status status;

	EK_TRY(start_device(step, v, x, y, width, first));
	EK_TRY(run_host(step, v, j, width, first));
	start = eki_now_ns();
	/* If all is on the device, the run ends when its work is in the queue. But batches are read
	 * from the host's memory. */
	if (!v->x.where || !v->y.where || s->streams)
		EK_TRY(dev->driver->wait(dev));
	*waited += eki_now_ns() - start;
	if (y->staged)
		pack(step, y, width, 0, rows, true);
	return EK_OK;
done:
	return eki_both_drain(dev, status);
}

/* Lets the pieces move after a run that took `ns`. */
static void move(const eki_step *step, int64_t ns, int64_t waited)
{
	eki_both *s = step->state;

	eki_balance_run(step, &s->balance, ns, waited);
	s->first = s->balance.now;
}

ek_status eki_both_run(const eki_step *step, const eki_run *v)
{
	eki_both *s = step->state;
	const eki_gpu *g = step->gpu;
	const bool there = v->x.where || v->y.where;
	const int first = there ? s->pieces : s->first;
	const bool pinned = s->pinned && overlaps(s, first);
	int64_t start, waited = 0, width = v->width;

	if (first == 0)
		return run_host(step, v, 0, width, first);
	start = eki_now_ns();
	for (int64_t j = 0; j < v->width; j += width) {
		width = v->width - j;
		placed x = place(step, &v->x, step->x_len, j, width, &g->x, s->x, pinned);
		placed y = place(step, &v->y, step->y_len, j, width, &g->y, s->y, pinned);

		if ((x.staged || y.staged) && width > eki_gpu_width(step)) {
			width = eki_gpu_width(step);
			x = place(step, &v->x, step->x_len, j, width, &g->x, s->x, pinned);
			y = place(step, &v->y, step->y_len, j, width, &g->y, s->y, pinned);
		}
		EK_RETURN_IF(run_columns(step, v, &x, &y, j, width, first, &waited));
	}
	if (s->moves && !there && v->width == step->problem->width)
		move(step, eki_now_ns() - start, waited);
	return EK_OK;
}

/* ---- The method ------------------------------------------------------------------------------ */

/* Allocates memory of the host for packed copies, where runs may need them. */
static ek_status make_stages(eki_step *step)
{
	eki_both *s = step->state;
	const eki_device *dev = step->gpu->device;
	const int64_t row = value_size(step) * eki_gpu_width(step);

	s->pinned = dev->driver->pin;
	if (!s->pinned && step->problem->operation->width == 0)
		return EK_OK;
	EK_RETURN_IF(eki_step_alloc(step, step->x_len, (size_t)row, &s->x));
	EK_RETURN_IF(eki_step_alloc(step, step->y_len, (size_t)row, &s->y));
	EK_RETURN_IF(eki_gpu_pin(step, s->x, step->x_len * row));
	return eki_gpu_pin(step, s->y, step->y_len * row);
}

ek_status eki_both_prepare(eki_step *step, const ek_method *batches)
{
	eki_both *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	s->batches = batches;
	s->batch = step->param[EKI_BATCH_PARAM];
	step->state = s;
	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	EK_RETURN_IF(make_stages(step));
	s->mark = eki_step_mark(step);
	return eki_share_choose(step);
}

#endif
