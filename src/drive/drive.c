/* SPDX-License-Identifier: BSD-3-Clause
 * Splits the units of a format between threads. Each part gets the same number of units, or of
 * units plus entries.
 *
 * y = alpha A x + beta y0: If units share no rows, each part writes its rows. Otherwise, a part
 * writes the rows between its first and its last row, and hands over the sums of these two rows.
 * When all parts are done, these sums are added in the order of the parts. Rows between the last
 * row of a part and the first row of the next are empty. Each y_i is written once, without atomic
 * operations.
 *
 * y = alpha A^T x + beta y0: A part adds its products into a strip of its own, which spans the
 * columns of its entries. Then all strips are added to y, range by range, in the order of the
 * parts. If there is one part and y is a vector, y itself is the strip. Clearing, writing and
 * reading a strip moves three values for each of its columns. So if few entries lie far apart, as
 * in a matrix in which most columns are empty, one part adds them to y, since strips would take
 * longer than all the products. The idea is that of local buffers with effective ranges (Batista et
 * al. 2010).
 *
 * Both results depend on the number of parts, never on how many threads actually ran. Rounding: if
 * several parts share a row of k entries, the sum of each part includes at least one of them. So a
 * product goes through at most k - 1 additions, as in a plain sum. */
#include <string.h>

#include "drive/drive.h"
#define EK_TYPES_ONLY
#define EK_FILE "drive/drive.c"
#include "base/for_each.h"

#include "drive/finish.h"

#ifndef EK_DRIVE_STATE
#define EK_DRIVE_STATE
/* The strip of a part: its columns [span[0], span[1]), and the index of its first sum. */
typedef struct strip {
	int64_t span[2], at;
} strip;
#endif

#if EK_PER_TYPE

static void FN(drive_add)(void *to, const void *from, int64_t n)
{
	const VAL *b = from;
	VAL *a = to;

	for (int64_t k = 0; k < n; k++)
		a[k] += b[k];
}

/* Writes rows [i, i + n) of y: alpha times their sums plus beta y0. */
static void FN(drive_finish)(const eki_run *v, int64_t i, int64_t n, const void *sums)
{
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta), *sum = sums;
	const VAL *y0 = (const VAL *)v->y0.data + i * v->y0.row;
	VAL *y = (VAL *)v->y.data + i * v->y.row;

	for (int64_t k = 0; k < n; k++)
		for (int64_t j = 0; j < v->width; j++) {
			const VAL *from = y0 + k * v->y0.row + j * v->y0.col;

			FN(finish_row)(*sum++, alpha, beta, from, y + k * v->y.row + j * v->y.col);
		}
}

/* Adds the sums of all strips to rows [begin, end) of y. */
static void FN(drive_gather)(const strip *s, int parts, const void *sums, const eki_run *v,
                             int64_t begin, int64_t end)
{
	const bool vector = v->width == 1 && v->y.row == 1;
	VAL *y = v->y.data;

	for (int part = 0; part < parts; part++) {
		const int64_t first = s[part].span[0];
		const int64_t from = first > begin ? first : begin;
		const int64_t to = s[part].span[1] < end ? s[part].span[1] : end;
		const VAL *sum = (const VAL *)sums + s[part].at;

		for (int64_t j = from; j < to; j++)
			if (vector)
				y[j] += sum[j - first];
			else
				for (int64_t c = 0; c < v->width; c++)
					y[j * v->y.row + c * v->y.col] +=
						sum[(j - first) * v->width + c];
	}
}

#endif
#if EK_ONCE

typedef void add_fn(void *, const void *, int64_t);
typedef void finish_fn(const eki_run *, int64_t, int64_t, const void *);
typedef void gather_fn(const strip *, int, const void *, const eki_run *, int64_t, int64_t);

typedef struct state {
	eki_drive drive;
	bool into_y;    /* whether y is the only strip: there is one part, and y is a vector */
	int64_t *bound; /* first unit of each part: parts + 1 numbers */
	strip *strip;   /* strip of each part */
	/* Offsets in the scratch of the parts' carries, the carries' sums and the strips' sums */
	int64_t carry, carry_sums, strip_sums;
} state;

struct drive_job {
	const eki_step *step;
	const eki_run *v;
};

/* ---- Preparation ----------------------------------------------------------------------------- */

static void cut(const eki_step *step, state *s)
{
	const eki_drive *d = &s->drive;
	ek_store units = {.format = &ek_format_csr, .index = step->in[0]->index, .rows = d->units};

	if (!d->unit_ptr) {
		for (int part = 0; part <= step->parts; part++)
			s->bound[part] = eki_cut(d->units, step->parts, part);
		return;
	}
	units.array[CSR_PTR] = (void *)(uintptr_t)d->unit_ptr;
	units.nnz = eki_ptr_at(&units, d->units);
	eki_partition_rows(&units, step->parts, s->bound);
}

static void span_part(void *arg, int part)
{
	const eki_step *step = arg;
	const state *s = step->state;

	if (s->bound[part] < s->bound[part + 1])
		s->drive.span(step->in[0], s->bound[part], s->bound[part + 1], s->strip[part].span);
}

static ek_status make_strips(eki_step *step, state *s)
{
	const bool vector = step->problem->operation->width == 0;
	const size_t size = ek_value_size(step->in[0]->value);
	const int64_t width = s->drive.width;
	double columns = 0;
	int64_t total = 0;

	EK_RETURN_IF(eki_step_alloc(step, step->parts, sizeof *s->strip, &s->strip));
	memset(s->strip, 0, (size_t)step->parts * sizeof *s->strip);
	s->into_y = step->parts == 1 && vector;
	if (s->into_y)
		return EK_OK;
	eki_parallel(step->ctx, step->threads, step->parts, span_part, step);
	for (int part = 0; part < step->parts; part++)
		columns += (double)(s->strip[part].span[1] - s->strip[part].span[0]);
	if (vector && !s->drive.both && eki_strips_are_long(step, columns)) {
		step->parts = 1;
		step->threads = eki_in_cores(step, step->in[0]->cols) ? 1 : step->threads;
		s->into_y = true;
		return EK_OK;
	}
	for (int part = 0; part < step->parts; part++) {
		const int64_t *span = s->strip[part].span;

		s->strip[part].at = total;
		total = eki_plus(total, eki_times(span[1] - span[0], width));
		total = eki_plus(total, 16); /* keeps two strips from sharing a cache line */
	}
	EK_RETURN_IF(eki_step_scratch(step, total, size, &s->strip_sums));
	step->bytes = eki_plus(step->bytes, eki_times(3 * (int64_t)size, total));
	return EK_OK;
}

/* Tells whether a run multiplies by rows; scatters() tells whether it scatters by columns. */
static bool by_rows(const eki_step *step, const eki_drive *d)
{
	return step->op[0] == EK_OP_N || !d->scatter || d->both;
}

static bool scatters(const eki_step *step, const eki_drive *d)
{
	return d->scatter && (step->op[0] == EK_OP_T || d->both);
}

ek_status eki_drive_prepare(eki_step *step, const eki_drive *drive)
{
	const ek_store *A = step->in[0];
	state *s;

	if (A->nnz + A->rows + A->cols < step->ctx->small_work)
		step->threads = step->parts = 1;
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){.drive = *drive};
	s->drive.height = drive->height ? drive->height : 1;
	s->drive.width = drive->width ? drive->width : 1;
	step->state = s;
	EK_RETURN_IF(eki_step_alloc(step, (int64_t)step->parts + 1, sizeof *s->bound, &s->bound));
	cut(step, s);
	if (scatters(step, drive))
		EK_RETURN_IF(make_strips(step, s));
	if (!by_rows(step, drive) || !drive->carry)
		return EK_OK;
	EK_RETURN_IF(eki_step_scratch(step, step->parts, sizeof(eki_carry), &s->carry));
	return eki_step_scratch(step, 2 * (int64_t)step->parts * s->drive.height * s->drive.width,
	                        ek_value_size(A->value), &s->carry_sums);
}

/* ---- By rows --------------------------------------------------------------------------------- */

/* Returns the size in bytes of first_sum in an eki_carry; last_sum has the same size. */
static size_t sum_bytes(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;

	return (size_t)s->drive.height * (size_t)v->width * ek_value_size(step->in[0]->value);
}

static void multiply_part(void *arg, int part)
{
	const struct drive_job *job = arg;
	const eki_step *step = job->step;
	const state *s = step->state;
	const int64_t begin = s->bound[part], end = s->bound[part + 1];

	if (!s->drive.carry) {
		s->drive.rows(step->in[0], job->v, begin, end);
		return;
	}
	const size_t bytes = sum_bytes(step, job->v);
	eki_carry *carry = (eki_carry *)(void *)(job->v->scratch + s->carry) + part;
	char *sums = job->v->scratch + s->carry_sums + 2 * (size_t)part * bytes;

	if (bytes == sizeof(double)) /* compilers inline memset if the size is constant */
		memset(sums, 0, 2 * sizeof(double));
	else
		memset(sums, 0, 2 * bytes);
	*carry = (eki_carry){.first = -1, .first_sum = sums, .last_sum = sums + bytes};
	if (begin < end)
		s->drive.carry(step->in[0], job->v, begin, end, carry);
}

/* The row whose carries are being added up. */
struct opened {
	const eki_step *step;
	const eki_run *v;
	int64_t row; /* -1 if there is none yet */
	void *sum;   /* first carry of the row, to which the others are added */
};

static void open_row(struct opened *o, int64_t row, void *sum)
{
	static finish_fn *const finish[EK_NTYPE] = EK_BY_TYPE(drive_finish);
	static add_fn *const add[EK_NTYPE] = EK_BY_TYPE(drive_add);
	const ek_store *A = o->step->in[0];
	const int type = eki_type(A->value, A->index);
	const int64_t height = ((const state *)o->step->state)->drive.height;
	const int64_t begin = o->row * height;

	if (o->row == row) {
		add[type](o->sum, sum, height * o->v->width);
		return;
	}
	if (o->row >= 0)
		finish[type](o->v, begin, A->rows - begin < height ? A->rows - begin : height,
		             o->sum);
	o->row = row;
	o->sum = sum;
}

static void add_carries(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const eki_carry *carry = (const eki_carry *)(const void *)(v->scratch + s->carry);
	const int64_t height = s->drive.height, rows = eki_groups(step->in[0]->rows, height);
	struct opened o = {.step = step, .v = v, .row = -1};

	for (int part = 0; part < step->parts; part++) {
		const eki_carry *c = &carry[part];

		if (c->first < 0)
			continue;
		if (c->first > o.row + 1) /* the rows in between are empty */
			eki_scale(step, v, (o.row + 1) * height, c->first * height);
		open_row(&o, c->first, c->first_sum);
		if (c->last > c->first)
			open_row(&o, c->last, c->last_sum);
	}
	if (o.row + 1 < rows)
		eki_scale(step, v, (o.row + 1) * height, step->in[0]->rows);
	open_row(&o, rows, NULL);
}

static void multiply(const eki_step *step, const eki_run *v)
{
	eki_parallel(step->ctx, step->threads, step->parts, multiply_part,
	             &(struct drive_job){step, v});
	if (((const state *)step->state)->drive.carry)
		add_carries(step, v);
}

/* ---- By columns ------------------------------------------------------------------------------ */

static void scatter_part(void *arg, int part)
{
	const struct drive_job *job = arg;
	const ek_store *A = job->step->in[0];
	const state *s = job->step->state;
	const strip *t = &s->strip[part];
	const size_t size = ek_value_size(A->value);
	char *sum = job->v->scratch + s->strip_sums + (size_t)t->at * size;

	memset(sum, 0, (size_t)(t->span[1] - t->span[0]) * (size_t)job->v->width * size);
	if (s->bound[part] < s->bound[part + 1])
		s->drive.scatter(A, job->v, s->bound[part], s->bound[part + 1],
		                 t->span[0] + A->base, sum);
}

static void gather_part(void *arg, int part)
{
	static gather_fn *const gather[EK_NTYPE] = EK_BY_TYPE(drive_gather);
	const struct drive_job *job = arg;
	const eki_step *step = job->step;
	const ek_store *A = step->in[0];
	const state *s = step->state;
	const int64_t begin = eki_cut(A->cols, step->parts, part),
		      end = eki_cut(A->cols, step->parts, part + 1);

	if (!by_rows(step, &s->drive))
		eki_scale_serial(A, job->v, begin, end);
	gather[eki_type(A->value, A->index)](s->strip, step->parts, job->v->scratch + s->strip_sums,
	                                     job->v, begin, end);
}

static void scatter(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	struct drive_job job = {step, v};

	if (!s->into_y) {
		eki_parallel(step->ctx, step->threads, step->parts, scatter_part, &job);
		eki_parallel(step->ctx, step->threads, step->parts, gather_part, &job);
		return;
	}
	if (!by_rows(step, &s->drive))
		eki_scale(step, v, 0, step->in[0]->cols);
	if (s->drive.units)
		s->drive.scatter(step->in[0], v, 0, s->drive.units, step->in[0]->base, v->y.data);
}

static void run_columns(const eki_step *step, const eki_run *v)
{
	const eki_drive *d = &((const state *)step->state)->drive;

	if (by_rows(step, d))
		multiply(step, v);
	if (scatters(step, d))
		scatter(step, v);
}

ek_status eki_drive_run(const eki_step *step, const eki_run *v)
{
	const int64_t width = ((const state *)step->state)->drive.width;

	if (v->width <= width) {
		run_columns(step, v);
		return EK_OK;
	}
	for (int64_t j = 0; j < v->width; j += width) {
		const eki_run part = eki_run_columns(v, ek_value_size(step->in[0]->value), j,
		                                     v->width - j < width ? v->width - j : width);

		run_columns(step, &part);
	}
	return EK_OK;
}

#endif
