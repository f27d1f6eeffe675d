/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by segments of one length: rows are cut into segments of as many entries
 * as the average row has, rounded up to a power of two, and filled up with zeros, so that the
 * device's work is the same whatever the rows are. A row never needs more than twice the average
 * and its own length, so with padding there are at most three times as many entries.
 *
 * As published, values and the vector are expanded on the processor: for each entry, the x of its
 * column stands beside it. Values are expanded once; the vector in every run, which is O(nnz), and
 * goes to the device with as many entries as the matrix; the sums of segments come back, and the
 * processor adds those of each row. All of it counts as part of the run: it is where the time goes.
 * (The published times are those of device and last sums; the expansion is not said to be in them.)
 * segspmv sums a segment by one work-item, segspmv_r by a tree. Vectors of the device are read back
 * and written.
 *
 * Ours, segspmv_gather: columns are expanded once, the device gathers x by them, and a second launch
 * adds the segments of each row. Beside the published two in one `ek bench` it shows what expanding
 * x and its way to the device cost.
 *
 * Padding is never multiplied with an entry of x. The text rounds the average up, as here; its table
 * has 32 for averages of 33 to 39: "s" sets any length. More than 256, the work-items of a group,
 * are not possible: longer rows have several segments.
 *
 * He, Tan, Tlelo-Cuautle, Wang and Tang 2014, section III. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU
#define EK_TYPES_ONLY
#define EK_FILE "gpu_spmv/csr_segspmv.c"
#include "core/for_each.h"

#ifndef EK_SEGSPMV_STATE
#define EK_SEGSPMV_STATE

enum { WG = 256 };

typedef struct state {
	int64_t count;         /* of segments */
	int shift;             /* a segment has 1 << shift entries */
	int64_t *first;        /* rows + 1: first segment of each row */
	int64_t *bound;        /* parts + 1: rows of each part of the processor's work */
	void *x_room, *y_room; /* vectors of the device, read back */
	eki_buffer *val, *col, *x, *sum, *first_on_device; /* those that the kernels want */
	void *kernel, *rows;
} state;

/* The entries of rows [begin, end), each where its segment wants it, to `out`. */
#define EKI_EXPAND(entry)                                         \
	for (int64_t i = begin; i < end; i++) {                   \
		int64_t at = s->first[i] << s->shift;             \
                                                                  \
		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++) \
			to[at++] = entry;                         \
	}
#endif

#if EK_PER_TYPE

static void FN(expand_values)(const ek_store *A, const state *s, const void *x, void *out,
                              int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL *val = A->array[CSR_VAL];
	VAL *to = out;

	(void)x;
	EKI_EXPAND(val[k])
}

static void FN(expand_columns)(const ek_store *A, const state *s, const void *x, void *out,
                               int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	IDX *to = out;

	(void)x;
	EKI_EXPAND(col_idx[k])
}

static void FN(expand_vector)(const ek_store *A, const state *s, const void *x, void *out,
                              int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *from = x;
	VAL *to = out;

	EKI_EXPAND(from[col_idx[k]])
}

/* y of rows [begin, end) from the sums of their segments. */
static void FN(add_segments)(const ek_store *A, const state *s, const void *args, void *out,
                             int64_t begin, int64_t end)
{
	const ek_args *v = args;
	const VAL *sum = s->sum->host, alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	VAL *y = out;

	(void)A;
	for (int64_t i = begin; i < end; i++) {
		VAL all = 0;

		for (int64_t k = s->first[i]; k < s->first[i + 1]; k++)
			all += sum[k];
		y[i] = beta == 0 ? alpha * all : alpha * all + beta * y[i];
	}
}

#endif
#if EK_ONCE

EKI_KERNEL_TEXT(eki_cl_csr_segspmv, "gpu_spmv/csr_segspmv.cl");

/* ---- The processor's work, cut between its threads ------------------------------------------- */

typedef void rows_fn(const ek_store *, const state *, const void *, void *, int64_t, int64_t);

struct rows_job {
	const ek_plan *plan;
	rows_fn *fn;
	const void *in;
	void *out;
};

static void rows_part(void *arg, int part)
{
	const struct rows_job *job = arg;
	const state *s = job->plan->state;

	job->fn(job->plan->store, s, job->in, job->out, s->bound[part], s->bound[part + 1]);
}

static void each_row(const ek_plan *p, rows_fn *const fn[EK_NTYPE], const void *in, void *out)
{
	struct rows_job job = {p, fn[eki_type(p->store->value, p->store->index)], in, out};

	eki_parallel(p->threads, p->parts, rows_part, &job);
}

static rows_fn *const expand_values[EK_NTYPE] = EK_BY_TYPE(expand_values);
static rows_fn *const expand_columns[EK_NTYPE] = EK_BY_TYPE(expand_columns);
static rows_fn *const expand_vector[EK_NTYPE] = EK_BY_TYPE(expand_vector);
static rows_fn *const add_segments[EK_NTYPE] = EK_BY_TYPE(add_segments);

/* ---- Preparation ----------------------------------------------------------------------------- */

static int shift_of(const ek_plan *p)
{
	const int64_t average = p->y_len > 0 ? eki_groups(p->store->nnz, p->y_len) : 1;
	const int64_t want = eki_gpu_param(p, 0, average);
	int shift = 0;

	while (1 << shift < want && 1 << shift < WG)
		shift++;
	return shift;
}

static ek_status cut_rows(ek_plan *p)
{
	const ek_store *A = p->store;
	state *s = p->state;

	EK_RETURN_IF(eki_plan_alloc(p, A->rows + 1, sizeof *s->first, &s->first));
	EK_RETURN_IF(eki_plan_alloc(p, p->parts + 1, sizeof *s->bound, &s->bound));
	s->first[0] = 0;
	for (int64_t i = 0; i < A->rows; i++)
		s->first[i + 1] = s->first[i] + eki_groups(eki_ptr_at(A, i + 1) - eki_ptr_at(A, i),
		                                           1 << s->shift);
	s->count = s->first[A->rows];
	eki_partition_rows(A, p->parts, s->bound);
	return EK_OK;
}

/* An expanded array to a buffer of the device; padding has all bytes `pad`. */
static ek_status expand_to(ek_plan *p, rows_fn *const fn[EK_NTYPE], int pad, size_t size,
                           const eki_buffer *to)
{
	const state *s = p->state;
	const int64_t n = s->count << s->shift;
	void *room;
	ek_status status;

	EK_RETURN_IF(eki_alloc(p->ctx, n, size, &room));
	if (n > 0)
		memset(room, pad, (size_t)n * size);
	each_row(p, fn, NULL, room);
	status = eki_buffer_write(p->gpu->device, to, room, n * (int64_t)size);
	eki_free(p->ctx, room, n, size);
	return status;
}

/* Buffers and kernels of the published methods: the expanded vector and the sums are used by both
 * sides. */
static ek_status make_published(ek_plan *p)
{
	const size_t size = ek_value_size(p->store->value);
	state *s = p->state;

	EK_RETURN_IF(eki_plan_alloc(p, p->x_len, size, &s->x_room));
	EK_RETURN_IF(eki_plan_alloc(p, p->y_len, size, &s->y_room));
	EK_RETURN_IF(eki_gpu_buffer(p, s->count << s->shift, size, true, NULL, &s->x));
	EK_RETURN_IF(eki_gpu_buffer(p, s->count, size, true, NULL, &s->sum));
	if (s->count == 0)
		return EK_OK;
	EK_RETURN_IF(eki_buffer_host(p->gpu->device, s->x));
	memset(s->x->host, 0, (size_t)s->x->bytes);
	return eki_buffer_device(p->gpu->device, s->x);
}

static ek_status make_gather(ek_plan *p)
{
	const ek_store *A = p->store;
	const size_t size = eki_idx_size(A->index);
	state *s = p->state;

	EK_RETURN_IF(eki_gpu_buffer(p, s->count << s->shift, size, false, NULL, &s->col));
	EK_RETURN_IF(expand_to(p, expand_columns, 0xff, size, s->col)); /* -1 */
	EK_RETURN_IF(eki_gpu_buffer(p, s->count, ek_value_size(A->value), false, NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_buffer(p, A->rows + 1, sizeof *s->first, false, s->first,
	                            &s->first_on_device));
	return eki_gpu_kernel(p, "segspmv_rows", &s->rows);
}

static ek_status make(ek_plan *p, const char *kernel, ek_status (*rest)(ek_plan *))
{
	const size_t size = ek_value_size(p->store->value);
	char defines[64];
	state *s;

	snprintf(defines, sizeof defines, "#define EK_WG %d\n", WG);
	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	s->shift = shift_of(p);
	p->state = s;
	EK_RETURN_IF(eki_gpu_prepare(p, "csr_segspmv", defines, eki_cl_csr_segspmv));
	EK_RETURN_IF(cut_rows(p));
	EK_RETURN_IF(eki_gpu_buffer(p, s->count << s->shift, size, false, NULL, &s->val));
	EK_RETURN_IF(expand_to(p, expand_values, 0, size, s->val));
	EK_RETURN_IF(rest(p));
	p->bytes += (s->count << s->shift) * (int64_t)size;
	return eki_gpu_kernel(p, kernel, &s->kernel);
}

static ek_status prepare_segspmv(ek_plan *p)
{
	return make(p, "segspmv", make_published);
}

static ek_status prepare_segspmv_r(ek_plan *p)
{
	return make(p, "segspmv_r", make_published);
}

static ek_status prepare_gather(ek_plan *p)
{
	return make(p, "segspmv_gather", make_gather);
}

static ek_status refresh(ek_plan *p)
{
	const state *s = p->state;

	EK_RETURN_IF(eki_gpu_refresh(p));
	return expand_to(p, expand_values, 0, ek_value_size(p->store->value), s->val);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static ek_status run_published(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	eki_device *dev = p->gpu->device;
	const int64_t size = (int64_t)ek_value_size(p->store->value), n = s->count << s->shift;
	const eki_buffer x = eki_device_memory(dev, v->x, p->x_len * size);
	const eki_buffer y = eki_device_memory(dev, v->y, p->y_len * size);
	const void *x_host = v->x_where == EK_ON_DEVICE ? s->x_room : v->x;
	void *y_host = v->y_where == EK_ON_DEVICE ? s->y_room : v->y;

	if (v->x_where == EK_ON_DEVICE)
		EK_RETURN_IF(eki_buffer_read(dev, &x, s->x_room, x.bytes));
	if (s->x->memory != EKI_MEMORY_COPY) /* the copy that the host has is its own */
		EK_RETURN_IF(eki_buffer_host(dev, s->x));
	each_row(p, expand_vector, x_host, s->x->host);
	EK_RETURN_IF(eki_buffer_device(dev, s->x));
	const eki_arg args[] = {eki_arg_i64(n), eki_arg_i32(s->shift), eki_arg_buffer(s->val),
	                        eki_arg_buffer(s->x), eki_arg_buffer(s->sum)};

	EK_RETURN_IF(eki_gpu_launch(p, s->kernel, eki_groups(n, WG), WG, args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_buffer_host(dev, s->sum));
	if (v->y_where == EK_ON_DEVICE && v->beta != 0)
		EK_RETURN_IF(eki_buffer_read(dev, &y, y_host, y.bytes));
	each_row(p, add_segments, v, y_host);
	if (v->y_where == EK_ON_DEVICE)
		EK_RETURN_IF(eki_buffer_write(dev, &y, y_host, y.bytes));
	return s->sum->memory == EKI_MEMORY_COPY ? EK_OK : eki_buffer_device(dev, s->sum);
}

static ek_status run_gather(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	const int64_t n = s->count << s->shift;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg segments[] = {eki_arg_i64(n),         eki_arg_i32(s->shift),
	                            eki_arg_buffer(s->val), eki_arg_buffer(s->col),
	                            eki_arg_buffer(&on.x),  eki_arg_buffer(s->sum)};
	const eki_arg rows[] = {eki_arg_i64(A->rows),           eki_arg_buffer(s->first_on_device),
	                        eki_arg_buffer(s->sum),         eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, v->beta), eki_arg_buffer(&on.y)};

	EK_RETURN_IF(
		eki_gpu_launch(p, s->kernel, eki_groups(n, WG), WG, segments, EKI_COUNT(segments)));
	EK_RETURN_IF(
		eki_gpu_launch(p, s->rows, eki_groups(A->rows, WG), WG, rows, EKI_COUNT(rows)));
	return eki_gpu_leave(p, v, &on);
}

/* ---- What it costs --------------------------------------------------------------------------- */

/* Entries with padding: half of the last segment of each row is empty, taken as the average. */
static double padded(const eki_features *f)
{
	const double nnz = (double)f->stats.nnz, rows = (double)f->stats.rows;
	double segment = 1;

	while (segment * rows < nnz && segment < WG)
		segment *= 2;
	return nnz + rows * segment / 2;
}

static double cost_published(const eki_features *f)
{
	const double size = (double)ek_value_size(f->value), n = padded(f);

	return eki_gpu_cost(f, 3 * n * size, 1) + eki_cost(f, f->csr_bytes + n * size, 3 * n);
}

static double cost_gather(const eki_features *f)
{
	const double nnz = (double)f->stats.nnz + 1;

	return eki_gpu_cost(f, f->csr_bytes * padded(f) / nnz, 2);
}

#define SEGMENT_PARAM                                                                             \
	{                                                                                         \
		"s", 1, WG,                                                                       \
			"length of a segment, rounded up to a power of two; else the average row" \
	}

#define EKI_SEGSPMV(name_, text_, prepare_, run_, cost_)                                  \
	{                                                                                 \
		.name = "spmv.csr." name_ ".gpu", .text = text_,                          \
		.source = "He, Tan, Tlelo-Cuautle, Wang and Tang 2014, section III",      \
		.operation = EK_SPMV, .format = &ek_format_csr, .param = {SEGMENT_PARAM}, \
		.backend = EKI_GPU, .traits = EKI_OP_N | EKI_OP_T, .cost = cost_,         \
		.prepare = prepare_, .refresh = refresh, .run = run_                      \
	}

const ek_method ek_spmv_gpu_csr_segspmv = EKI_SEGSPMV(
	"segspmv", "segments of one length, x expanded on the processor in each run, as published",
	prepare_segspmv, run_published, cost_published);
const ek_method ek_spmv_gpu_csr_segspmv_r =
	EKI_SEGSPMV("segspmv_r", "the same, each segment summed by a tree", prepare_segspmv_r,
                    run_published, cost_published);
const ek_method ek_spmv_gpu_csr_segspmv_gather = EKI_SEGSPMV(
	"segspmv_gather", "segments of one length, x gathered and rows summed on a device",
	prepare_gather, run_gather, cost_gather);

#endif
#endif
