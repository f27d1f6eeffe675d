/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on plain CSR by the device and the processor at the same time, which Liu and Vinter 2015,
 * section 6, left as future work. A cut divides the rows. The device multiplies the rows above the
 * cut by stage 1 of the speculative segmented sum (csr_speculative.c). Meanwhile the processor
 * multiplies the rows below the cut by its own kernels (csr_balanced.c), with all threads of the
 * plan; then it waits for the device and does stage 2. No row is divided, so no sum depends on both
 * sides.
 *
 * The cut divides the work (entries plus rows) in proportion to the speeds of the two sides. The
 * speeds are measured in preparation, by a few runs of the whole matrix on each side, unless the
 * parameter `share` gives the proportion. The other parameters are those of stage 1. The cut of a
 * plan is fixed, so its runs give the same bits. Without `share`, two plans of one matrix may have
 * different cuts, and then different bits in the rows between these cuts.
 *
 * Memory: a copy of the row pointers of the processor's part. Cost: nothing is copied if the
 * vectors are in memory that both sides share. Vectors of the host are copied to the device, and
 * the part of y that the device writes is copied back. If the vectors are on a device that has its
 * own memory, each run copies x to the host and the processor's part of y back to the device; there
 * this method is hardly worth its cost. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "spmv_gpu/csr_speculative.h"

#ifndef EK_NO_GPU

extern const ek_method ek_spmv_csr_balanced;

enum { TIMED_RUNS = 3, ALL = 1000 };

enum { DEVICE, HOST }; /* indices of the child steps */

enum { SHARE }; /* index of the parameter before those of the device's child */

typedef struct state {
	int64_t share; /* the processor's share of the work, in thousandths */
	ek_store head, tail;
	void *tail_ptr; /* row pointers of `tail`, starting at 0 */
	int64_t x, y;   /* offsets, in the scratch, of the host's copies of x and of y's tail */
} state;

/* ---- The cut --------------------------------------------------------------------------------- */

/* Prepares the child step of the processor for matrix A, replacing an earlier child step. */
static ek_status prepare_host(eki_step *step, const ek_store *A)
{
	step->children = HOST;
	eki_step *host = eki_step_child(step, A, EK_OP_N);

	host->method = &ek_spmv_csr_balanced;
	return eki_step_prepare(host);
}

/* Returns a copy of the device's child step, limited to the rows above the cut. */
static eki_step head_step(const eki_step *step)
{
	const state *s = step->state;
	eki_step head = step->child[DEVICE];

	head.in[0] = &s->head;
	head.y_len = s->head.rows;
	return head;
}

/* Makes two views of a store: s->head has the rows before row `cut`, s->tail the others. */
static void cut_store(const ek_store *A, int64_t cut, state *s)
{
	const int64_t first = eki_ptr_at(A, cut);

	s->head = s->tail = *A;
	s->head.rows = cut;
	s->head.nnz = first;
	s->tail.rows = A->rows - cut;
	s->tail.nnz = A->nnz - first;
	s->tail.array[CSR_PTR] = s->tail_ptr;
	if (first > 0) { /* without entries, the arrays may be NULL */
		s->tail.array[CSR_COL] =
			(char *)A->array[CSR_COL] + (size_t)first * eki_idx_size(A->index);
		s->tail.array[CSR_VAL] =
			(char *)A->array[CSR_VAL] + (size_t)first * ek_value_size(A->value);
	}
	s->tail.len[CSR_PTR] = s->tail.rows + 1;
	s->tail.len[CSR_COL] = s->tail.len[CSR_VAL] = s->tail.nnz;
}

static ek_status cut(eki_step *step, state *s)
{
	const ek_store *A = step->in[0];
	const int64_t all = A->rows + A->nnz, least = eki_row_of(A, 0) + 1;
	int64_t row, entry;

	/* The device gets at least the first row that has entries and all rows before it. */
	eki_merge_search(A, all - (int64_t)((double)all * (double)s->share / ALL), &row, &entry);
	row = A->nnz == 0 ? 0 : row < least ? least : row;
	EK_RETURN_IF(eki_step_alloc(step, A->rows - row + 1, eki_ptr_size(A->index), &s->tail_ptr));
	cut_store(A, row, s);
	for (int64_t i = 0; i <= s->tail.rows; i++)
		eki_ptr_set(&s->tail, i, eki_ptr_at(A, row + i) - s->head.nnz);
	return prepare_host(step, &s->tail);
}

/* ---- The share ------------------------------------------------------------------------------- */

static ek_status run_device(const eki_step *step, const eki_run *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	EK_RETURN_IF(eki_speculative_start(step, v, &on));
	EK_RETURN_IF(eki_speculative_finish(step, v, &on));
	EK_RETURN_IF(eki_gpu_leave(step, v, &on));
	return step->gpu->device->driver->wait(step->gpu->device);
}

/* Measures the times of TIMED_RUNS runs, after one run that does not count, and sets *best to the
 * seconds of the fastest. */
static ek_status time_runs(const eki_step *step,
                           ek_status (*run)(const eki_step *, const eki_run *), const eki_run *v,
                           double *best)
{
	struct timespec begin, end;

	for (int k = 0; k <= TIMED_RUNS; k++) {
		double seconds;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		EK_RETURN_IF(run(step, v));
		clock_gettime(CLOCK_MONOTONIC, &end);
		seconds = (double)(end.tv_sec - begin.tv_sec) +
		          1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
		*best = k <= 1 || seconds < *best ? seconds : *best;
	}
	return EK_OK;
}

static ek_status measure(eki_step *step, state *s)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	void *x = NULL, *y = NULL, *scratch = NULL;
	double device = 0, host = 0;
	int64_t bytes = 0;
	ek_status status;

	EK_TRY(prepare_host(step, step->in[0]));
	bytes = step->plan->scratch_bytes;
	EK_TRY(eki_calloc(step->ctx, step->x_len, (size_t)size, &x));
	EK_TRY(eki_calloc(step->ctx, step->y_len, (size_t)size, &y));
	EK_TRY(eki_alloc(step->ctx, bytes, 1, &scratch));
	const eki_run v = {.x = {x, 1, step->x_len, 0},
	                   .y = {y, 1, step->y_len, 0},
	                   .y0 = {y, 1, step->y_len, 0},
	                   .width = 1,
	                   .alpha = eki_real(1),
	                   .scratch = scratch};

	EK_TRY(time_runs(&step->child[HOST], step->child[HOST].method->run, &v, &host));
	EK_TRY(time_runs(&step->child[DEVICE], run_device, &v, &device));
	s->share = (int64_t)(ALL * device / (device + host));
	s->share = s->share < 1 ? 1 : s->share >= ALL ? ALL - 1 : s->share;
done:
	eki_free(step->ctx, x, step->x_len, (size_t)size);
	eki_free(step->ctx, y, step->y_len, (size_t)size);
	eki_free(step->ctx, scratch, bytes, 1);
	return status;
}

/* ---- The method ------------------------------------------------------------------------------ */

static ek_status prepare(eki_step *step)
{
	eki_step *device;
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){.share = step->param[SHARE]};
	step->state = s;
	EK_RETURN_IF(eki_step_children(step, 2));
	device = eki_step_child(step, step->in[0], step->op[0]);
	device->method = &ek_spmv_gpu_csr_speculative;
	device->bytes = step->bytes;
	EK_RETURN_IF(eki_speculative_prepare(device, step->param + SHARE + 1, false));
	step->in[0] = device->in[0];
	step->op[0] = device->op[0];
	step->bytes = device->bytes;
	if (!s->share && step->in[0]->nnz > 0)
		EK_RETURN_IF(measure(step, s));
	EK_RETURN_IF(cut(step, s));
	if (step->ctx->device->memory != EKI_MEMORY_SHARED) {
		const size_t size = ek_value_size(step->in[0]->value);

		EK_RETURN_IF(eki_step_scratch(step, step->x_len, size, &s->x));
		EK_RETURN_IF(eki_step_scratch(step, s->tail.rows, size, &s->y));
	}
	EK_RETURN_IF(eki_step_say(
		step, "of 1000 parts the processor does %lld, %s: rows from %lld on\n",
		(long long)s->share, step->param[SHARE] ? "as asked for" : "by the speeds measured",
		(long long)s->head.rows));
	step->param[SHARE] = s->share;
	memcpy(step->param + SHARE + 1, step->child[DEVICE].param,
	       EKI_SPECULATIVE_PARAMS * sizeof *step->param);
	return EK_OK;
}

/* Makes the views again, because the values of the store may have moved to another address. */
static ek_status refresh(eki_step *step)
{
	state *s = step->state;

	cut_store(step->in[0], s->head.rows, s);
	return EK_OK;
}

/* Makes `bytes` bytes of the device's vector `b`, from `offset` on, accessible to the processor,
 * and sets *seen to their address. If the memory of the vector is shared, this is an address in the
 * vector itself, else it is `copy`. If `read` is true, the copy is filled from the vector. */
static ek_status reach(const eki_step *step, const eki_buffer *b, int64_t offset, int64_t bytes,
                       bool read, char *copy, char **seen)
{
	eki_device *dev = step->gpu->device;

	*seen = copy;
	if (b->memory == EKI_MEMORY_SHARED) {
		*seen = (char *)b->host + offset;
		return dev->driver->wait(dev); /* kernels may be writing to it */
	}
	if (!read || !bytes)
		return EK_OK;
	return eki_buffer_read_part(dev, b, offset, copy, bytes);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const eki_step head = head_step(step);
	eki_device *dev = head.gpu->device;
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t offset = s->head.rows * size, bytes = s->tail.rows * size;
	char *x = v->x.data, *y = (char *)v->y.data + offset, *own_y = v->scratch + s->y;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(&head, v, &on));
	on.y.bytes = offset; /* only the rows of the device are copied back */
	if (v->x.where == EK_ON_DEVICE)
		EK_RETURN_IF(
			reach(&head, &on.x, 0, step->x_len * size, true, v->scratch + s->x, &x));
	if (v->y.where == EK_ON_DEVICE)
		EK_RETURN_IF(reach(&head, &on.y, offset, bytes, !eki_is(v->beta, 0), own_y, &y));
	EK_RETURN_IF(eki_speculative_start(&head, v, &on));
	if (bytes) {
		eki_run host = *v;

		host.x = (eki_dense){x, 1, step->x_len, 0};
		host.y = host.y0 = (eki_dense){y, 1, s->tail.rows, 0};
		EK_RETURN_IF(eki_step_run(&step->child[HOST], &host));
	}
	EK_RETURN_IF(eki_speculative_finish(&head, v, &on));
	if (v->y.where == EK_ON_DEVICE && y == own_y && bytes) {
		atomic_fetch_add(&dev->counted.to_device, bytes);
		EK_RETURN_IF(dev->driver->write(dev, &on.y, offset, y, bytes));
	}
	return eki_gpu_leave(&head, v, &on);
}

const ek_method ek_spmv_gpu_csr_hetero = {
	.name = "spmv.csr.hetero.gpu",
	.text = "speculative segmented sums on a device, and a measured share of the rows on the "
		"processor meanwhile",
	.source = "Liu and Vinter 2015, section 6",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = {{"share", 1, ALL - 1, "thousandths of the work that the processor does"},
                  EKI_SPECULATIVE_ROWS},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_ON_BOTH,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
