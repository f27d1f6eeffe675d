/* SPDX-License-Identifier: BSD-3-Clause
 * Cutting the units of a format between threads: the same number of units, or of units plus entries,
 * for each part.
 *
 * y = alpha A x + beta y0. Where units share no rows each part writes its own. Where they do, a part
 * finishes the rows that lie within it and hands over the sums of its first and last row; when all
 * parts are done these are added in the order of parts, and what lies between the last row of one
 * part and the first of the next is empty. Every y_i is written once, without atomic operations.
 *
 * y = alpha A^T x + beta y0. A part adds what its entries give in a strip of its own, which spans the
 * columns that it meets; then y is made, range by range, from all strips in the order of the parts.
 * With one part the strip is y itself. Strips are cleared, written and read: three values for each
 * column and part that meets it (after the local buffers with effective ranges of Batista et al. 2010).
 *
 * Both depend on the number of parts, never on how many threads really ran. Rounding: a row of k
 * entries that c parts share gets c sums of at least one entry each, so a term passes at most k - 1
 * additions, as in a plain sum. */
#include <string.h>

#include "spmv/drive.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/drive.c"
#include "core/for_each.h"

#include "spmv/finish.h"

#ifndef EK_DRIVE_STATE
#define EK_DRIVE_STATE
typedef struct strip {
	int64_t span[2];
	void *sum;
} strip;
#endif

#if EK_PER_TYPE

static void FN(drive_finish)(const ek_args *v, int64_t i, int64_t n, const double *sum)
{
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const VAL *y0 = (const VAL *)v->y0 + i;
	VAL *y = (VAL *)v->y + i;

	for (int64_t k = 0; k < n; k++)
		y[k] = beta == 0 ? alpha * (VAL)sum[k] : alpha * (VAL)sum[k] + beta * y0[k];
}

/* Columns [begin, end) of y from the strips. */
static void FN(drive_gather)(const strip *s, int parts, const ek_args *v, int64_t begin,
                             int64_t end)
{
	const VAL beta = (VAL)v->beta, *y0 = v->y0;
	VAL *y = v->y;

	FN(finish_none)(beta, y0 + begin, y + begin, end - begin);
	for (int part = 0; part < parts; part++) {
		int64_t from = s[part].span[0] > begin ? s[part].span[0] : begin;
		int64_t to = s[part].span[1] < end ? s[part].span[1] : end;
		const VAL *sum = s[part].sum;

		for (int64_t j = from; j < to; j++)
			y[j] += sum[j - s[part].span[0]];
	}
}

static void FN(drive_span)(const void *index, int64_t begin, int64_t end, int64_t span[2])
{
	const IDX *col_idx = index;
	IDX low = begin < end ? col_idx[begin] : 0, high = begin < end ? low : -1;

	for (int64_t k = begin; k < end; k++) {
		low = col_idx[k] < low ? col_idx[k] : low;
		high = col_idx[k] > high ? col_idx[k] : high;
	}
	span[0] = low;
	span[1] = (int64_t)high + 1;
}

#endif
#if EK_ONCE

typedef void finish_fn(const ek_args *, int64_t, int64_t, const double *);
typedef void range_fn(const void *, int64_t, int64_t, int64_t *);
typedef void gather_fn(const strip *, int, const ek_args *, int64_t, int64_t);

typedef struct state {
	eki_drive drive;
	int64_t *bound;   /* of units: parts + 1 */
	eki_carry *carry; /* of each part */
	strip *strip;     /* of each part */
} state;

struct drive_job {
	const ek_plan *plan;
	const ek_args *args;
};

/* ---- Preparation ----------------------------------------------------------------------------- */

static void cut(const ek_plan *p, state *s)
{
	const eki_drive *d = &s->drive;
	ek_store units = {.format = &ek_format_csr, .index = p->store->index, .rows = d->units};

	if (!d->unit_ptr) {
		for (int part = 0; part <= p->parts; part++)
			s->bound[part] = eki_cut(d->units, p->parts, part);
		return;
	}
	units.array[CSR_PTR] = (void *)(uintptr_t)d->unit_ptr;
	units.nnz = eki_ptr_at(&units, d->units);
	eki_partition_rows(&units, p->parts, s->bound);
}

void eki_span(const ek_store *A, int array, int64_t begin, int64_t end, int64_t span[2])
{
	static range_fn *const range[EK_NTYPE] = EK_BY_TYPE(drive_span);

	range[eki_type(A->value, A->index)](A->array[array], begin, end, span);
	if (begin < end) {
		span[0] -= A->base;
		span[1] -= A->base;
	}
}

static void span_part(void *arg, int part)
{
	const ek_plan *p = arg;
	const state *s = p->state;

	if (s->bound[part] < s->bound[part + 1])
		s->drive.span(p->store, s->bound[part], s->bound[part + 1], s->strip[part].span);
}

static ek_status make_strips(ek_plan *p, state *s)
{
	const size_t size = ek_value_size(p->store->value);
	int64_t total = 0;
	char *sum;

	EK_RETURN_IF(eki_plan_alloc(p, p->parts, sizeof *s->strip, &s->strip));
	memset(s->strip, 0, (size_t)p->parts * sizeof *s->strip);
	if (p->parts == 1)
		return EK_OK;
	eki_parallel(p->threads, p->parts, span_part, p);
	for (int part = 0; part < p->parts; part++)
		total = eki_plus(total, s->strip[part].span[1] - s->strip[part].span[0] + 16);
	EK_RETURN_IF(eki_plan_alloc(p, total, size, &sum)); /* no cache line in two strips */
	for (int part = 0; part < p->parts; part++) {
		const strip *t = &s->strip[part];

		s->strip[part].sum = sum;
		sum += (size_t)(t->span[1] - t->span[0] + 16) * size;
	}
	p->bytes += 3 * total * (int64_t)size;
	return EK_OK;
}

ek_status eki_drive_prepare(ek_plan *p, const eki_drive *drive)
{
	const ek_store *A = p->store;
	state *s;

	if (A->nnz + A->rows + A->cols < p->ctx->small_work)
		p->threads = p->parts = 1;
	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	*s = (state){.drive = *drive};
	s->drive.height = drive->height ? drive->height : 1;
	p->state = s;
	EK_RETURN_IF(eki_plan_alloc(p, (int64_t)p->parts + 1, sizeof *s->bound, &s->bound));
	cut(p, s);
	if (p->op == EK_OP_T && drive->scatter)
		return make_strips(p, s);
	if (drive->carry)
		return eki_plan_alloc(p, p->parts, sizeof *s->carry, &s->carry);
	return EK_OK;
}

/* ---- op N ------------------------------------------------------------------------------------ */

static void multiply_part(void *arg, int part)
{
	const struct drive_job *job = arg;
	const ek_store *A = job->plan->store;
	const state *s = job->plan->state;
	const int64_t begin = s->bound[part], end = s->bound[part + 1];

	if (!s->drive.carry) {
		s->drive.rows(A, job->args, begin, end);
		return;
	}
	s->carry[part] = (eki_carry){.first = -1};
	if (begin < end)
		s->drive.carry(A, job->args, begin, end, &s->carry[part]);
}

/* The rows that are open while carries are added, and up to where y is finished. */
struct opened {
	const ek_plan *plan;
	const ek_args *args;
	int64_t row; /* -1: none */
	double sum[EKI_MOST_HEIGHT];
};

/* Rows from begin to the first of the matrix row `end` are empty. */
static void finish_empty(const struct opened *o, int64_t begin, int64_t end)
{
	const size_t size = ek_value_size(o->plan->store->value);

	if (begin < end)
		eki_scale(o->plan, o->args->beta, (const char *)o->args->y0 + (size_t)begin * size,
		          (char *)o->args->y + (size_t)begin * size, end - begin);
}

static void open_row(struct opened *o, int64_t row, const double *sum)
{
	static finish_fn *const finish[EK_NTYPE] = EK_BY_TYPE(drive_finish);
	const ek_store *A = o->plan->store;
	const int64_t height = ((const state *)o->plan->state)->drive.height;
	int64_t begin = o->row * height;

	if (o->row == row) {
		for (int k = 0; k < height; k++)
			o->sum[k] += sum[k];
		return;
	}
	if (o->row >= 0) {
		const int64_t n = A->rows - begin < height ? A->rows - begin : height;

		finish[eki_type(A->value, A->index)](o->args, begin, n, o->sum);
	}
	o->row = row;
	memcpy(o->sum, sum, sizeof o->sum);
}

static void add_carries(const ek_plan *p, const ek_args *args)
{
	static const double none[EKI_MOST_HEIGHT];
	const state *s = p->state;
	const int64_t height = s->drive.height, rows = (p->store->rows + height - 1) / height;
	struct opened o = {.plan = p, .args = args, .row = -1};

	for (int part = 0; part < p->parts; part++) {
		const eki_carry *c = &s->carry[part];

		if (c->first < 0)
			continue;
		if (c->first > o.row + 1)
			finish_empty(&o, (o.row + 1) * height, c->first * height);
		open_row(&o, c->first, c->first_sum);
		if (c->last > c->first)
			open_row(&o, c->last, c->last_sum);
	}
	if (o.row + 1 < rows)
		finish_empty(&o, (o.row + 1) * height, p->store->rows);
	open_row(&o, rows, none);
}

/* ---- op T ------------------------------------------------------------------------------------ */

static void scatter_part(void *arg, int part)
{
	const struct drive_job *job = arg;
	const ek_store *A = job->plan->store;
	const state *s = job->plan->state;
	const strip *t = &s->strip[part];

	memset(t->sum, 0, (size_t)(t->span[1] - t->span[0]) * ek_value_size(A->value));
	if (s->bound[part] < s->bound[part + 1])
		s->drive.scatter(A, job->args, s->bound[part], s->bound[part + 1],
		                 t->span[0] + A->base, t->sum);
}

static void gather_part(void *arg, int part)
{
	static gather_fn *const gather[EK_NTYPE] = EK_BY_TYPE(drive_gather);
	const struct drive_job *job = arg;
	const ek_plan *p = job->plan;
	const ek_store *A = p->store;

	gather[eki_type(A->value, A->index)](((const state *)p->state)->strip, p->parts, job->args,
	                                     eki_cut(A->cols, p->parts, part),
	                                     eki_cut(A->cols, p->parts, part + 1));
}

ek_status eki_drive_run(const ek_plan *p, const ek_args *args)
{
	const state *s = p->state;
	struct drive_job job = {p, args};

	if (p->op == EK_OP_N || !s->drive.scatter) {
		eki_parallel(p->threads, p->parts, multiply_part, &job);
		if (s->drive.carry)
			add_carries(p, args);
	} else if (p->parts == 1) {
		eki_scale(p, args->beta, args->y0, args->y, p->store->cols);
		if (s->drive.units)
			s->drive.scatter(p->store, args, 0, s->drive.units, p->store->base,
			                 args->y);
	} else {
		eki_parallel(p->threads, p->parts, scatter_part, &job);
		eki_parallel(p->threads, p->parts, gather_part, &job);
	}
	return EK_OK;
}

#endif
