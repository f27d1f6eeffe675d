/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by segments of one length: that of the average row, rounded up to a power
 * of two. Rows are cut into such segments and padded with zeros, so that the device's work is the
 * same whatever the rows are. Padding adds less than twice the average length to a row, so with
 * padding there are at most three times as many entries.
 *
 * In the published methods, the processor expands the values and x: each entry of A gets its own
 * copy of the entry of x for its column. Values are expanded once. x is expanded in every run,
 * which takes O(nnz) time. The expanded x has as many entries as the padded matrix, and all of them
 * are copied to the device. The sums of segments come back, and the processor adds the sums of each
 * row. All of this counts as part of the run: it is where the time goes. (The published times are
 * those of the device and of the final sums; the paper does not say that they include the
 * expansion.) segspmv sums a segment by one work-item, segspmv_r by a tree. Vectors on the device
 * are copied to the host, and y is copied back.
 *
 * Our own variant is segspmv_gather: columns are expanded once, the device gathers x by them, and a
 * second launch adds the segments of each row. Comparing it with the two published methods in `ek
 * bench` shows the cost of expanding x and of copying it to the device.
 *
 * Padding is never multiplied by an entry of x. The paper's text rounds the average up, as here,
 * but its table has length 32 for averages of 33 to 39; the parameter `s` sets any length. The
 * longest segment has 256 entries, one for each work-item of a group; longer rows have several
 * segments.
 *
 * He, Tan, Tlelo-Cuautle, Wang and Tang 2014, section III. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU
#define EK_TYPES_ONLY
#define EK_FILE "spmv_gpu/csr_segspmv.c"
#include "base/for_each.h"

#ifndef EK_SEGSPMV_STATE
#define EK_SEGSPMV_STATE

enum { WG = 256 };

typedef struct state {
	int64_t count;         /* number of segments */
	int shift;             /* a segment has 1 << shift entries */
	int64_t *first;        /* rows + 1 numbers: first segment of each row, and the end */
	int64_t *bound;        /* parts + 1 numbers: first row of each part of the host's work */
	void *x_copy, *y_copy; /* the processor's copies of vectors that are on the device */
	eki_buffer *val, *col, *x, *sum, *first_on_device; /* each is NULL if no kernel uses it */
	void *kernel, *rows;
} state;

/* For each entry k of rows [begin, end), writes the value of the expression `entry` to the position
 * of entry k in the segments of `to`. */
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

/* Computes rows [begin, end) of y from the sums of their segments. */
static void FN(add_segments)(const ek_store *A, const state *s, const void *args, void *out,
                             int64_t begin, int64_t end)
{
	const eki_run *v = args;
	const VAL *sum = s->sum->host, alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
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

EKI_KERNEL_TEXT(eki_cl_csr_segspmv, "spmv_gpu/csr_segspmv.cl");

/* ---- The processor's work, split among its threads ------------------------------------------- */

typedef void rows_fn(const ek_store *, const state *, const void *, void *, int64_t, int64_t);

struct rows_job {
	const eki_step *step;
	rows_fn *fn;
	const void *in;
	void *out;
};

static void rows_part(void *arg, int part)
{
	const struct rows_job *job = arg;
	const state *s = job->step->state;

	job->fn(job->step->in[0], s, job->in, job->out, s->bound[part], s->bound[part + 1]);
}

static void each_row(const eki_step *step, rows_fn *const fn[EK_NTYPE], const void *in, void *out)
{
	struct rows_job job = {step, fn[eki_type(step->in[0]->value, step->in[0]->index)], in, out};

	eki_parallel(step->ctx, step->threads, step->parts, rows_part, &job);
}

static rows_fn *const expand_values[EK_NTYPE] = EK_BY_TYPE(expand_values);
static rows_fn *const expand_columns[EK_NTYPE] = EK_BY_TYPE(expand_columns);
static rows_fn *const expand_vector[EK_NTYPE] = EK_BY_TYPE(expand_vector);
static rows_fn *const add_segments[EK_NTYPE] = EK_BY_TYPE(add_segments);

/* ---- Preparation ----------------------------------------------------------------------------- */

static int shift_of(const eki_step *step)
{
	const int64_t average = step->y_len > 0 ? eki_groups(step->in[0]->nnz, step->y_len) : 1;
	const int64_t want = eki_gpu_param(step, 0, average);
	int shift = 0;

	while (1 << shift < want && 1 << shift < WG)
		shift++;
	return shift;
}

static ek_status cut_rows(eki_step *step)
{
	const ek_store *A = step->in[0];
	state *s = step->state;

	EK_RETURN_IF(eki_step_alloc(step, A->rows + 1, sizeof *s->first, &s->first));
	EK_RETURN_IF(eki_step_alloc(step, step->parts + 1, sizeof *s->bound, &s->bound));
	s->first[0] = 0;
	for (int64_t i = 0; i < A->rows; i++)
		s->first[i + 1] = s->first[i] + eki_groups(eki_ptr_at(A, i + 1) - eki_ptr_at(A, i),
		                                           1 << s->shift);
	s->count = s->first[A->rows];
	eki_partition_rows(A, step->parts, s->bound);
	return EK_OK;
}

/* Expands an array by `fn` and copies the result to the device's buffer `to`. Elements have `size`
 * bytes; every byte of padding is `pad`. */
static ek_status expand_to(eki_step *step, rows_fn *const fn[EK_NTYPE], int pad, size_t size,
                           const eki_buffer *to)
{
	const state *s = step->state;
	const int64_t n = s->count << s->shift;
	void *expanded;
	ek_status status;

	EK_RETURN_IF(eki_alloc(step->ctx, n, size, &expanded));
	if (n > 0)
		memset(expanded, pad, (size_t)n * size);
	each_row(step, fn, NULL, expanded);
	status = eki_buffer_write(step->gpu->device, to, expanded, n * (int64_t)size);
	eki_free(step->ctx, expanded, n, size);
	return status;
}

/* Makes the buffers of the published methods. The buffers of the expanded x and of the sums are
 * used by both host and device. */
static ek_status make_published(eki_step *step)
{
	const size_t size = ek_value_size(step->in[0]->value);
	state *s = step->state;

	EK_RETURN_IF(eki_step_alloc(step, step->x_len, size, &s->x_copy));
	EK_RETURN_IF(eki_step_alloc(step, step->y_len, size, &s->y_copy));
	EK_RETURN_IF(eki_gpu_buffer(step, s->count << s->shift, size, true, NULL, &s->x));
	EK_RETURN_IF(eki_gpu_buffer(step, s->count, size, true, NULL, &s->sum));
	if (s->count == 0)
		return EK_OK;
	EK_RETURN_IF(eki_buffer_host(step->gpu->device, s->x));
	memset(s->x->host, 0, (size_t)s->x->bytes);
	return eki_buffer_device(step->gpu->device, s->x);
}

static ek_status make_gather(eki_step *step)
{
	const ek_store *A = step->in[0];
	const size_t size = eki_idx_size(A->index);
	state *s = step->state;

	EK_RETURN_IF(eki_gpu_buffer(step, s->count << s->shift, size, false, NULL, &s->col));
	EK_RETURN_IF(expand_to(step, expand_columns, 0xff, size, s->col)); /* padding becomes -1 */
	EK_RETURN_IF(eki_gpu_buffer(step, s->count, ek_value_size(A->value), false, NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_buffer(step, A->rows + 1, sizeof *s->first, false, s->first,
	                            &s->first_on_device));
	return eki_gpu_kernel(step, "segspmv_rows", &s->rows);
}

static ek_status make(eki_step *step, const char *kernel, ek_status (*rest)(eki_step *))
{
	const size_t size = ek_value_size(step->in[0]->value);
	char defines[64];
	state *s;

	snprintf(defines, sizeof defines, "#define EK_WG %d\n", WG);
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	s->shift = shift_of(step);
	step->param[0] = (int64_t)1 << s->shift;
	step->state = s;
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_segspmv", defines, eki_cl_csr_segspmv));
	EK_RETURN_IF(cut_rows(step));
	EK_RETURN_IF(eki_gpu_buffer(step, s->count << s->shift, size, false, NULL, &s->val));
	EK_RETURN_IF(expand_to(step, expand_values, 0, size, s->val));
	EK_RETURN_IF(rest(step));
	step->bytes += (s->count << s->shift) * (int64_t)size;
	return eki_gpu_kernel(step, kernel, &s->kernel);
}

static ek_status prepare_segspmv(eki_step *step)
{
	return make(step, "segspmv", make_published);
}

static ek_status prepare_segspmv_r(eki_step *step)
{
	return make(step, "segspmv_r", make_published);
}

static ek_status prepare_gather(eki_step *step)
{
	return make(step, "segspmv_gather", make_gather);
}

static ek_status refresh(eki_step *step)
{
	const state *s = step->state;

	EK_RETURN_IF(eki_gpu_refresh(step));
	return expand_to(step, expand_values, 0, ek_value_size(step->in[0]->value), s->val);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static ek_status run_published(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	eki_device *dev = step->gpu->device;
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value), n = s->count << s->shift;
	const eki_buffer x = eki_device_memory(dev, v->x.data, step->x_len * size);
	const eki_buffer y = eki_device_memory(dev, v->y.data, step->y_len * size);
	const void *x_host = v->x.where == EK_ON_DEVICE ? s->x_copy : v->x.data;
	void *y_host = v->y.where == EK_ON_DEVICE ? s->y_copy : v->y.data;

	if (v->x.where == EK_ON_DEVICE)
		EK_RETURN_IF(eki_buffer_read(dev, &x, s->x_copy, x.bytes));
	if (s->x->memory != EKI_MEMORY_COPY) /* with EKI_MEMORY_COPY, the host's copy is writable */
		EK_RETURN_IF(eki_buffer_host(dev, s->x));
	each_row(step, expand_vector, x_host, s->x->host);
	EK_RETURN_IF(eki_buffer_device(dev, s->x));
	const eki_arg args[] = {eki_arg_i64(n), eki_arg_i32(s->shift), eki_arg_buffer(s->val),
	                        eki_arg_buffer(s->x), eki_arg_buffer(s->sum)};

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel, eki_groups(n, WG), WG, args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_buffer_host(dev, s->sum));
	if (v->y.where == EK_ON_DEVICE && !eki_is(v->beta, 0))
		EK_RETURN_IF(eki_buffer_read(dev, &y, y_host, y.bytes));
	each_row(step, add_segments, v, y_host);
	if (v->y.where == EK_ON_DEVICE)
		EK_RETURN_IF(eki_buffer_write(dev, &y, y_host, y.bytes));
	return s->sum->memory == EKI_MEMORY_COPY ? EK_OK : eki_buffer_device(dev, s->sum);
}

static ek_status run_gather(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const int64_t n = s->count << s->shift;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg segments[] = {eki_arg_i64(n),         eki_arg_i32(s->shift),
	                            eki_arg_buffer(s->val), eki_arg_buffer(s->col),
	                            eki_arg_buffer(&on.x),  eki_arg_buffer(s->sum)};
	const eki_arg rows[] = {eki_arg_i64(A->rows),           eki_arg_buffer(s->first_on_device),
	                        eki_arg_buffer(s->sum),         eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, v->beta), eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel, eki_groups(n, WG), WG, segments,
	                            EKI_COUNT(segments)));
	EK_RETURN_IF(
		eki_gpu_launch(step, s->rows, eki_groups(A->rows, WG), WG, rows, EKI_COUNT(rows)));
	return eki_gpu_leave(step, v, &on);
}

/* ---- Cost ------------------------------------------------------------------------------------ */

/* Estimates the number of entries with padding, on the assumption that the last segment of each row
 * is half empty on average. */
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

#define EKI_SEGSPMV(name_, text_, traits_, prepare_, run_, cost_)                           \
	{                                                                                   \
		.name = "spmv.csr." name_ ".gpu", .text = text_,                            \
		.source = "He, Tan, Tlelo-Cuautle, Wang and Tang 2014, section III",        \
		.operation = EK_SPMV, .format = {&ek_format_csr}, .param = {SEGMENT_PARAM}, \
		.backend = EKI_GPU, .traits = EKI_OP_N | EKI_OP_T | traits_, .cost = cost_, \
		.prepare = prepare_, .refresh = refresh, .run = run_                        \
	}

const ek_method ek_spmv_gpu_csr_segspmv = EKI_SEGSPMV(
	"segspmv", "segments of one length, x expanded on the processor in each run, as published",
	EKI_ON_BOTH, prepare_segspmv, run_published, cost_published);
const ek_method ek_spmv_gpu_csr_segspmv_r =
	EKI_SEGSPMV("segspmv_r", "the same, each segment summed by a tree", EKI_ON_BOTH,
                    prepare_segspmv_r, run_published, cost_published);
const ek_method ek_spmv_gpu_csr_segspmv_gather = EKI_SEGSPMV(
	"segspmv_gather", "segments of one length, x gathered and rows summed on a device", 0,
	prepare_gather, run_gather, cost_gather);

#endif
#endif
