/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of a run on a device. Blocks on the device, or in memory that host and device share, are
 * used in place with their strides. Blocks on the host are packed and copied to buffers of the
 * plan. These buffers hold the number of columns for which the plan was made, so wider blocks are
 * multiplied piece by piece. */
#include "spmm_gpu/blocks.h"

#ifndef EK_NO_GPU

ek_status eki_gpu_blocks_prepare(eki_step *step, eki_gpu_stages *stages)
{
	const size_t size = ek_value_size(step->in[0]->value);

	stages->width = eki_gpu_width(step);
	if (!step->gpu->x.device) /* the parent step brings the blocks to the device */
		return EK_OK;
	EK_RETURN_IF(
		eki_step_scratch(step, eki_times(step->x_len, stages->width), size, &stages->x));
	return eki_step_scratch(step, eki_times(step->y_len, stages->width), size, &stages->y);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Describes a block of a run. `there` is its buffer if the parent step has brought it to the
 * device, else NULL. */
static eki_gpu_block open_block(const eki_step *step, const eki_dense *d, const eki_buffer *there,
                                int64_t rows, int64_t width, const eki_buffer *copy, char *packed)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t last = (rows - 1) * d->row + (width - 1) * d->col;
	const int64_t bytes = rows > 0 ? (last + 1) * size : 0;
	eki_gpu_block b = {.host = *d,
	                   .rows = rows,
	                   .copy = copy,
	                   .packed = packed,
	                   .row = d->row,
	                   .col = d->col};

	if (there)
		b.there = *there;
	else if (d->where == EK_ON_DEVICE)
		b.there = eki_device_memory(step->gpu->device, d->data, bytes);
	else if (rows == 0 || !eki_buffer_around(step->gpu->device, d->data, bytes, &b.there))
		b.staged = true;
	return b;
}

/* Copies `width` columns of a block on the host to a packed block, or back. */
static void copy_columns(const eki_step *step, const eki_dense *from, const eki_dense *to,
                         int64_t rows, int64_t width)
{
	const eki_run all = {.y = *to, .y0 = *from, .width = width, .beta = eki_real(1)};

	eki_scale(step, &all, 0, rows);
}

/* Returns the caller's block on the host without its first j columns. */
static eki_dense columns_of(const eki_step *step, const eki_gpu_block *b, int64_t j)
{
	eki_dense d = b->host;

	d.data = (char *)d.data + j * d.col * (int64_t)ek_value_size(step->in[0]->value);
	return d;
}

/* Returns the packed copy of `width` columns of a staged block. */
static eki_dense packed(const eki_gpu_block *b, int64_t width)
{
	return (eki_dense){.data = b->packed, .row = width, .col = 1};
}

/* Makes columns [j, j + width) of a block available to kernels. Their values are copied only if
 * `fill` is true. */
static ek_status bring(const eki_step *step, eki_gpu_block *b, int64_t j, int64_t width, bool fill)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const eki_dense from = columns_of(step, b, j), to = packed(b, width);

	if (!b->staged) {
		b->at += j * b->col;
		return EK_OK;
	}
	b->there = *b->copy;
	b->row = width;
	b->col = 1;
	if (!fill)
		return EK_OK;
	copy_columns(step, &from, &to, b->rows, width);
	return eki_buffer_write(step->gpu->device, b->copy, to.data, b->rows * width * size);
}

/* Copies columns [j, j + width) of a staged block, which kernels have written, back to the host. */
static ek_status fetch(const eki_step *step, const eki_gpu_block *b, int64_t j, int64_t width)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const eki_dense from = packed(b, width), to = columns_of(step, b, j);

	EK_RETURN_IF(
		eki_buffer_read(step->gpu->device, b->copy, from.data, b->rows * width * size));
	copy_columns(step, &from, &to, b->rows, width);
	return EK_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

ek_status eki_gpu_blocks_run(const eki_step *step, const eki_run *v, const eki_gpu_stages *stages,
                             eki_gpu_blocks_fn *launch)
{
	const eki_gpu *g = step->gpu;
	const eki_driver *driver = g->device->driver;
	const eki_gpu_vectors *there = v->there;
	eki_gpu_block x = open_block(step, &v->x, there ? &there->x : NULL, step->x_len, v->width,
	                             &g->x, v->scratch + stages->x);
	eki_gpu_block y = open_block(step, &v->y, there ? &there->y : NULL, step->y_len, v->width,
	                             &g->y, v->scratch + stages->y);

	if (there) {
		x.at = there->x_at;
		y.at = there->y_at;
	}
	const int64_t most = x.staged || y.staged ? stages->width : v->width;

	for (int64_t j = 0; j < v->width; j += most) {
		const int64_t width = v->width - j < most ? v->width - j : most;
		eki_gpu_block from = x, to = y; /* begin at column j once they are brought */

		EK_RETURN_IF(bring(step, &from, j, width, !eki_is(v->alpha, 0)));
		EK_RETURN_IF(bring(step, &to, j, width, !eki_is(v->beta, 0)));
		EK_RETURN_IF(launch(step, v, &from, &to, width));
		if (to.staged)
			EK_RETURN_IF(fetch(step, &to, j, width));
	}
	if (there)
		return EK_OK;
	/* The caller may use blocks on the host once the run returns, and the kernels may use these
	 * blocks in place, so this waits for the kernels. */
	return v->x.where && v->y.where ? driver->flush(g->device) : driver->wait(g->device);
}

#endif
