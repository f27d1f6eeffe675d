/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on plain CSR by device and processor at the same time, which Liu and Vinter 2015, section 6,
 * left for later: stage 1 of the speculative segmented sum (csr_speculative.c) on the device for the
 * rows above a cut, and the processor's own kernels (csr_balanced.c), with all threads of the plan,
 * for those below it. While the device works the processor does its part, and then waits for the
 * device and does stage 2. No row is cut, so no sum depends on both sides.
 *
 * The cut is made where entries plus rows are shared out as the speeds of the two sides are; these
 * are measured at preparation, by a few runs of the whole matrix on each, or given (parameter
 * `share`). The plan keeps it, so its runs give the same bits; two plans of one matrix may have
 * different cuts, and rows in between other bits, unless the share is given.
 *
 * Memory: row pointers of the processor's part. Cost: with memory that both sides see, and vectors
 * in it, nothing is copied. Vectors of the host are copied there and back, y only as far as the
 * device writes it. Of vectors on a device with memory of its own, x comes to the host in each run,
 * and the processor's part of y goes back, so there this method hardly pays. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gpu_spmv/csr_speculative.h"
#include "spmv/csr_vector.h"

#ifndef EK_NO_GPU

enum { TIMED_RUNS = 3, ALL = 1000 };

typedef struct state {
	int64_t share; /* of the processor, in thousandths */
	ek_store head, tail;
	void *tail_ptr;       /* row pointers of `tail`, from 0 on */
	ek_plan device, host; /* views of the plan, with the state of either method */
	char *x, *y;          /* x, and y of the tail, where the processor sees no vectors */
} state;

/* ---- The cut --------------------------------------------------------------------------------- */

/* The processor's method for p->store. */
static ek_status prepare_host(ek_plan *p, ek_plan *host)
{
	const int type = eki_type(p->store->value, p->store->index);
	const int threads = p->threads, parts = p->parts;

	EK_RETURN_IF(eki_split_prepare(p, EKI_SPLIT_NNZ, eki_csr_vector[p->isa][type],
	                               eki_csr_dot[p->isa][type]));
	*host = *p;
	p->threads = threads;
	p->parts = parts;
	return EK_OK;
}

/* The views of a store above and below row `cut`. */
static void cut_store(const ek_store *A, int64_t cut, state *s)
{
	const int64_t first = eki_ptr_at(A, cut);

	s->head = s->tail = *A;
	s->head.rows = cut;
	s->head.nnz = first;
	s->tail.rows = A->rows - cut;
	s->tail.nnz = A->nnz - first;
	s->tail.array[CSR_PTR] = s->tail_ptr;
	if (first > 0) { /* else there may be no arrays */
		s->tail.array[CSR_COL] =
			(char *)A->array[CSR_COL] + (size_t)first * eki_idx_size(A->index);
		s->tail.array[CSR_VAL] =
			(char *)A->array[CSR_VAL] + (size_t)first * ek_value_size(A->value);
	}
	s->tail.len[CSR_PTR] = s->tail.rows + 1;
	s->tail.len[CSR_COL] = s->tail.len[CSR_VAL] = s->tail.nnz;
}

static ek_status cut(ek_plan *p, state *s)
{
	const ek_store *A = p->store;
	const int64_t all = A->rows + A->nnz, least = eki_row_of(A, 0) + 1;
	int64_t row, entry;
	ek_status status;

	/* The device has the first row with an entry at least. */
	eki_merge_search(A, all - (int64_t)((double)all * (double)s->share / ALL), &row, &entry);
	row = A->nnz == 0 ? 0 : row < least ? least : row;
	EK_RETURN_IF(eki_plan_alloc(p, A->rows - row + 1, eki_ptr_size(A->index), &s->tail_ptr));
	cut_store(A, row, s);
	for (int64_t i = 0; i <= s->tail.rows; i++)
		eki_ptr_set(&s->tail, i, eki_ptr_at(A, row + i) - s->head.nnz);
	s->device.store = &s->head;
	s->device.y_len = row;
	p->store = &s->tail;
	status = prepare_host(p, &s->host);
	p->store = A;
	s->host.y_len = A->rows - row;
	return status;
}

/* ---- The share ------------------------------------------------------------------------------- */

static ek_status run_device(const ek_plan *p, const ek_args *args)
{
	eki_gpu_vectors v;

	EK_RETURN_IF(eki_gpu_enter(p, args, &v));
	EK_RETURN_IF(eki_speculative_start(p, args, &v));
	EK_RETURN_IF(eki_speculative_finish(p, args, &v));
	EK_RETURN_IF(eki_gpu_leave(p, args, &v));
	return p->gpu->device->driver->wait(p->gpu->device);
}

/* The seconds of the best of some runs, after one that does not count. */
static ek_status time_runs(const ek_plan *p, ek_status (*run)(const ek_plan *, const ek_args *),
                           const ek_args *args, double *best)
{
	struct timespec begin, end;

	for (int k = 0; k <= TIMED_RUNS; k++) {
		double seconds;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		EK_RETURN_IF(run(p, args));
		clock_gettime(CLOCK_MONOTONIC, &end);
		seconds = (double)(end.tv_sec - begin.tv_sec) +
		          1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
		*best = k <= 1 || seconds < *best ? seconds : *best;
	}
	return EK_OK;
}

static ek_status measure(ek_plan *p, state *s)
{
	const size_t size = ek_value_size(p->store->value);
	void *x = NULL, *y = NULL;
	double device = 0, host = 0;
	ek_status status;

	EK_TRY(eki_calloc(p->ctx, p->x_len, size, &x));
	EK_TRY(eki_calloc(p->ctx, p->y_len, size, &y));
	const ek_args args = {.x = x, .y = y, .alpha = 1, .y0 = y};

	EK_TRY(prepare_host(p, &s->host));
	EK_TRY(time_runs(&s->host, eki_split_run, &args, &host));
	EK_TRY(time_runs(&s->device, run_device, &args, &device));
	s->share = (int64_t)(ALL * device / (device + host));
	s->share = s->share < 1 ? 1 : s->share >= ALL ? ALL - 1 : s->share;
done:
	eki_free(p->ctx, x, p->x_len, size);
	eki_free(p->ctx, y, p->y_len, size);
	return status;
}

/* ---- The method ------------------------------------------------------------------------------ */

static ek_status prepare(ek_plan *p)
{
	static const int64_t own[EKI_SPECULATIVE_PARAMS];
	const size_t used = strlen(p->why);
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	*s = (state){.share = p->param[0]};
	EK_RETURN_IF(eki_speculative_prepare(p, own));
	s->device = *p;
	if (!s->share && p->store->nnz > 0)
		EK_RETURN_IF(measure(p, s));
	EK_RETURN_IF(cut(p, s));
	if (p->ctx->device->memory != EKI_MEMORY_SHARED) {
		EK_RETURN_IF(eki_plan_alloc(p, p->x_len, ek_value_size(p->store->value), &s->x));
		EK_RETURN_IF(
			eki_plan_alloc(p, s->host.y_len, ek_value_size(p->store->value), &s->y));
	}
	p->state = s;
	snprintf(p->why + used, sizeof p->why - used,
	         "of 1000 parts the processor does %lld, %s: rows from %lld on\n",
	         (long long)s->share, p->param[0] ? "as asked for" : "by the speeds measured",
	         (long long)s->head.rows);
	return EK_OK;
}

/* The store is the same, but where its values lie may have changed. */
static ek_status refresh(ek_plan *p)
{
	state *s = p->state;

	cut_store(p->store, s->head.rows, s);
	return eki_gpu_refresh(p);
}

/* Where the processor sees `bytes` of a vector of the device: there, or in `room`, which gets what
 * is there if `read`. */
static ek_status reach(const ek_plan *p, const eki_buffer *b, int64_t offset, int64_t bytes,
                       bool read, char *room, char **seen)
{
	const eki_driver *driver = p->gpu->device->driver;

	*seen = room;
	if (b->memory == EKI_MEMORY_SHARED) {
		*seen = (char *)b->host + offset;
		return driver->wait(p->gpu->device); /* for who writes it */
	}
	if (!read || !bytes)
		return EK_OK;
	atomic_fetch_add(&p->gpu->device->counted.from_device, bytes);
	return driver->read(p->gpu->device, b, offset, room, bytes);
}

static ek_status run(const ek_plan *p, const ek_args *args)
{
	const state *s = p->state;
	const int64_t size = (int64_t)ek_value_size(p->store->value);
	const int64_t offset = s->head.rows * size, bytes = s->tail.rows * size;
	char *x = (char *)(uintptr_t)args->x, *y = (char *)args->y + offset;
	eki_gpu_vectors v;

	EK_RETURN_IF(eki_gpu_enter(&s->device, args, &v));
	v.y.bytes = offset; /* what is to be copied back */
	if (args->x_where == EK_ON_DEVICE)
		EK_RETURN_IF(reach(p, &v.x, 0, p->x_len * size, true, s->x, &x));
	if (args->y_where == EK_ON_DEVICE)
		EK_RETURN_IF(reach(p, &v.y, offset, bytes, args->beta != 0, s->y, &y));
	EK_RETURN_IF(eki_speculative_start(&s->device, args, &v));
	if (bytes)
		EK_RETURN_IF(eki_split_run(&s->host, &(ek_args){.x = x,
		                                                .y = y,
		                                                .alpha = args->alpha,
		                                                .beta = args->beta,
		                                                .y0 = y}));
	EK_RETURN_IF(eki_speculative_finish(&s->device, args, &v));
	if (args->y_where == EK_ON_DEVICE && y == s->y && bytes) {
		atomic_fetch_add(&p->gpu->device->counted.to_device, bytes);
		EK_RETURN_IF(p->gpu->device->driver->write(p->gpu->device, &v.y, offset, y, bytes));
	}
	return eki_gpu_leave(&s->device, args, &v);
}

const ek_method ek_spmv_gpu_csr_hetero = {
	.name = "spmv.csr.hetero.gpu",
	.text = "speculative segmented sums on a device, and a measured share of the rows on the "
		"processor meanwhile",
	.source = "Liu and Vinter 2015, section 6",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.param = {{"share", 1, ALL - 1, "thousandths of the work that the processor does"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
