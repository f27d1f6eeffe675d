/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM on CSR on a device: neighbouring work-items compute the columns of one row of Y. They read
 * the same entry of A, which comes from memory once for all of them. If X is row-major, they read
 * neighbouring entries of X. In wide blocks each work-item computes up to four columns, which share
 * the entry of A in a register.
 *
 * Blocks on the device, or in memory that host and device share, are used in place with their
 * strides. If X is column-major, each of its entries costs a sector of memory. Blocks on the host
 * are packed and copied to buffers of the plan. These buffers hold the number of columns for which
 * the plan was made, so wider blocks are multiplied piece by piece. op T multiplies by a transposed
 * copy. Yang, Buluc, Owens 2018, section 4.1 (row splitting). */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_columns, "spmm_gpu/csr_columns.cl");

enum { WG = 256, MOST_LANES = 32, MOST_EACH = 4 };

typedef struct columns {
	void *kernel;
	int lanes, each;
	int64_t width; /* number of columns in the plan's buffers */
	int64_t x, y;  /* offsets of the packed X and Y in the scratch; each has `width` columns */
} columns;

static ek_status prepare(eki_step *step)
{
	const int64_t width = step->problem->width;
	char defines[96];
	columns *c;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *c, &c));
	*c = (columns){.lanes = 1, .each = 1, .width = eki_gpu_width(step)};
	while (c->lanes < MOST_LANES && c->lanes < width)
		c->lanes *= 2;
	while (c->each < MOST_EACH && c->each * c->lanes < width)
		c->each *= 2;
	step->state = c;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n#define EACH %d\n",
	         WG, c->lanes, c->each);
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_columns", defines, eki_cl_csr_columns));
	EK_RETURN_IF(eki_gpu_mirror(step));
	EK_RETURN_IF(eki_gpu_kernel(step, "csr_columns", &c->kernel));
	EK_RETURN_IF(eki_step_scratch(step, eki_times(step->x_len, c->width),
	                              ek_value_size(step->in[0]->value), &c->x));
	return eki_step_scratch(step, eki_times(step->y_len, c->width),
	                        ek_value_size(step->in[0]->value), &c->y);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The block X or Y of a run. */
typedef struct block {
	eki_dense host; /* block as the caller passed it */
	int64_t rows;
	const eki_buffer *copy; /* buffer of the plan, used if staged */
	char *packed;           /* packed copy in the scratch memory, used if staged */
	bool staged;            /* true if the block is copied by way of `packed` and `copy` */
	eki_buffer there;       /* buffer that kernels read or write */
	int64_t at, row, col;   /* position of the first entry; row stride; column stride */
} block;

static block open_block(const eki_step *step, const eki_dense *d, int64_t rows, int64_t width,
                        const eki_buffer *copy, char *packed)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t last = (rows - 1) * d->row + (width - 1) * d->col;
	const int64_t bytes = rows > 0 ? (last + 1) * size : 0;
	block b = {.host = *d,
	           .rows = rows,
	           .copy = copy,
	           .packed = packed,
	           .row = d->row,
	           .col = d->col};

	if (d->where == EK_ON_DEVICE)
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
static eki_dense columns_of(const eki_step *step, const block *b, int64_t j)
{
	eki_dense d = b->host;

	d.data = (char *)d.data + j * d.col * (int64_t)ek_value_size(step->in[0]->value);
	return d;
}

/* Returns the packed copy of `width` columns of a staged block. */
static eki_dense packed(const block *b, int64_t width)
{
	return (eki_dense){.data = b->packed, .row = width, .col = 1};
}

/* Makes columns [j, j + width) of a block available to kernels. Their values are copied only if
 * `fill` is true. */
static ek_status bring(const eki_step *step, block *b, int64_t j, int64_t width, bool fill)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const eki_dense from = columns_of(step, b, j), to = packed(b, width);

	if (!b->staged) {
		b->at = j * b->col;
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
static ek_status fetch(const eki_step *step, const block *b, int64_t j, int64_t width)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const eki_dense from = packed(b, width), to = columns_of(step, b, j);

	EK_RETURN_IF(
		eki_buffer_read(step->gpu->device, b->copy, from.data, b->rows * width * size));
	copy_columns(step, &from, &to, b->rows, width);
	return EK_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static ek_status launch(const eki_step *step, const eki_run *v, const block *x, const block *y,
                        int64_t width)
{
	const columns *c = step->state;
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	const int64_t blocks = eki_groups(width, c->lanes * c->each);
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(width),
	                        eki_arg_i64(blocks),
	                        eki_arg_buffer(array[CSR_PTR]),
	                        eki_arg_buffer(array[CSR_COL]),
	                        eki_arg_buffer(array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&x->there),
	                        eki_arg_i64(x->at),
	                        eki_arg_i64(x->row),
	                        eki_arg_i64(x->col),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&y->there),
	                        eki_arg_i64(y->at),
	                        eki_arg_i64(y->row),
	                        eki_arg_i64(y->col)};

	return eki_gpu_launch(step, c->kernel, eki_groups(A->rows, WG / c->lanes) * blocks, WG,
	                      args, EKI_COUNT(args));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const columns *c = step->state;
	const eki_gpu *g = step->gpu;
	const eki_driver *driver = g->device->driver;
	block x = open_block(step, &v->x, step->x_len, v->width, &g->x, v->scratch + c->x);
	block y = open_block(step, &v->y, step->y_len, v->width, &g->y, v->scratch + c->y);
	const int64_t most = x.staged || y.staged ? c->width : v->width;

	for (int64_t j = 0; j < v->width; j += most) {
		const int64_t width = v->width - j < most ? v->width - j : most;

		EK_RETURN_IF(bring(step, &x, j, width, !eki_is(v->alpha, 0)));
		EK_RETURN_IF(bring(step, &y, j, width, !eki_is(v->beta, 0)));
		EK_RETURN_IF(launch(step, v, &x, &y, width));
		if (y.staged)
			EK_RETURN_IF(fetch(step, &y, j, width));
	}
	/* The caller may use blocks on the host once the run returns, and the kernels may use these
	 * blocks in place, so this waits for the kernels. */
	return v->x.where && v->y.where ? driver->flush(g->device) : driver->wait(g->device);
}

static double cost(const eki_features *f)
{
	if (f->on_processor)
		return eki_gpu_loop_cost(f, 2 * f->csr_bytes);
	return eki_gpu_cost(f, f->csr_bytes, 1) +
	       f->machine->lane_gather * (double)f->stats.row_max;
}

const ek_method ek_spmm_gpu_csr_columns = {
	.name = "spmm.csr.columns.gpu",
	.text = "neighbouring work-items for the columns of a row, on a device",
	.source = "Yang, Buluc and Owens 2018, section 4.1",
	.operation = EK_SPMM,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
