/* SPDX-License-Identifier: BSD-3-Clause
 * Products by rows. Each part has about the same number of rows plus entries, and writes its
 * entries of the result side by side. If y has space for all rows, each part writes to y, from the
 * place of its first row on, and the entries of the parts are then moved together. Otherwise the
 * parts write to scratch, so that y is untouched if the result does not fit.
 *
 * A method may ask for x as a dense vector with marks. Both are scratch that is zero between runs:
 * the entries of x are written before the rows are computed, and cleared after that. */
#include "spmspv/rows.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmspv/rows.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Writes entries begin .. end - 1 of x to the dense vector, or clears them there. */
static void FN(spread)(const ek_sparse *x, bool read, bool clear, int64_t begin, int64_t end,
                       void *dense, uint8_t *mark)
{
	const IDX *idx = x->idx;
	const VAL *val = x->val;
	VAL *to = dense;

	for (int64_t k = begin; k < end; k++)
		mark[idx[k]] = !clear;
	for (int64_t k = begin; read && k < end; k++)
		to[idx[k]] = clear ? 0 : val[k];
}

#endif
#if EK_ONCE

typedef void spread_fn(const ek_sparse *, bool, bool, int64_t, int64_t, void *, uint8_t *);

typedef struct work {
	const eki_step *step;
	const eki_by_rows *r;
	const eki_run *v;
	eki_rows_x x;
	bool direct, clear;
	int64_t count[EKI_SPMSPV_PARTS], at[EKI_SPMSPV_PARTS];
} work;

ek_status eki_by_rows_prepare(eki_step *step, const ek_store *rows, bool dense, eki_rows_fn *fn,
                              eki_by_rows *r)
{
	const size_t vs = ek_value_size(rows->value);
	const int parts = eki_parts(step->ctx, rows->rows + rows->nnz);

	*r = (eki_by_rows){.rows = rows, .fn = fn, .dense = -1};
	r->parts = parts < step->parts ? parts : step->parts;
	if (r->parts > EKI_SPMSPV_PARTS)
		r->parts = EKI_SPMSPV_PARTS;
	eki_partition_rows(rows, r->parts, r->bound);
	if (dense) {
		EK_RETURN_IF(eki_step_scratch_zero(step, rows->cols, vs, &r->dense));
		EK_RETURN_IF(eki_step_scratch_zero(step, rows->cols, 1, &r->mark));
	}
	EK_RETURN_IF(eki_step_scratch(step, rows->rows, eki_idx_size(rows->index), &r->idx));
	return eki_step_scratch(step, rows->rows, vs, &r->val);
}

/* Clears a part of the dense vector and of the marks as a whole, which is faster than spread_part
 * if x has many entries. */
static void clear_part(void *arg, int part)
{
	const work *w = arg;
	const ek_sparse *x = w->x.x;
	const int64_t begin = eki_cut(x->n, w->r->parts, part);
	const size_t n = (size_t)(eki_cut(x->n, w->r->parts, part + 1) - begin);
	const size_t vs = ek_value_size(x->value);

	memset(w->v->scratch + w->r->mark + begin, 0, n);
	memset(w->v->scratch + w->r->dense + (size_t)begin * vs, 0, n * vs);
}

static void spread_part(void *arg, int part)
{
	static spread_fn *const spread[EK_NTYPE] = EK_BY_TYPE(spread);
	const work *w = arg;
	const ek_sparse *x = w->x.x;

	spread[eki_type(w->r->rows->value, w->r->rows->index)](
		x, w->x.read, w->clear, eki_cut(x->nnz, w->r->parts, part),
		eki_cut(x->nnz, w->r->parts, part + 1), w->v->scratch + w->r->dense,
		(uint8_t *)w->v->scratch + w->r->mark);
}

/* Returns the places to which a part writes. */
static void places(const work *w, int part, char **idx, char **val)
{
	const eki_sparse_run *s = w->v->sparse;
	const int64_t first = w->r->bound[part];

	*idx = w->direct ? s->y.idx : w->v->scratch + w->r->idx;
	*val = w->direct ? s->y.val : w->v->scratch + w->r->val;
	*idx += first * (int64_t)ek_value_size(s->x.index);
	*val += first * (int64_t)ek_value_size(s->x.value);
}

static void rows_part(void *arg, int part)
{
	work *w = arg;
	char *idx, *val;

	places(w, part, &idx, &val);
	w->count[part] =
		w->r->fn(w->r->rows, &w->x, w->r->bound[part], w->r->bound[part + 1], idx, val);
}

static void move_part(void *arg, int part)
{
	work *w = arg;
	char *idx, *val;

	if (w->direct && w->at[part] == w->r->bound[part])
		return;
	places(w, part, &idx, &val);
	eki_entries_to(&w->v->sparse->y, w->at[part], w->count[part], idx, val);
}

void eki_by_rows_run(const eki_step *step, const eki_by_rows *r, const eki_run *v)
{
	eki_sparse_run *s = v->sparse;
	const int few = s->x.nnz < step->ctx->small_work ? 1 : step->threads;
	const bool spread = r->dense >= 0 && s->x.nnz < s->x.n;
	work w;

	w.step = step;
	w.r = r;
	w.v = v;
	w.direct = s->y.nnz >= r->rows->rows;
	w.clear = false;
	w.x = (eki_rows_x){.x = &s->x, .alpha = v->alpha, .read = v->alpha.re != 0};
	w.x.dense = s->x.val;
	if (spread) {
		w.x.dense = v->scratch + r->dense;
		w.x.mark = (const uint8_t *)v->scratch + r->mark;
		eki_parallel(step->ctx, few, r->parts, spread_part, &w);
	}
	eki_parallel(step->ctx, step->threads, r->parts, rows_part, &w);
	s->count = eki_positions(w.count, r->parts, w.at);
	if (s->count <= s->y.nnz)
		eki_parallel(step->ctx, w.direct ? 1 : step->threads, r->parts, move_part, &w);
	w.clear = true;
	if (spread)
		eki_parallel(step->ctx, few, r->parts,
		             s->x.nnz > s->x.n / 8 ? clear_part : spread_part, &w);
}

#endif
