/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse matrix x sparse vector by columns: the columns of op(A) in which x has entries are
 * multiplied by these entries and added up in a sparse accumulator (window.h). Each part has the
 * rows of one range, with about the same number of entries of A, and goes through all entries of x.
 * Preparation finds where the rows of each part begin in each column, so that runs need not search.
 * Products of a row are added in the order of the columns, whatever the number of parts.
 *
 * Cost: O(parts nnz(x) + products), with accesses to sums and flags in the order of the entries of
 * the columns. Liu 2015, section 2.3.2 (addition of sparse vectors); Gilbert, Moler and Schreiber
 * 1992 for the accumulator. */
#include "spmspv/columns.h"
#define EK_FILE "spmspv/csr_spa.c"
#include "base/for_each.h"

#include "spmspv/window.h"

#ifndef AHEAD
#define AHEAD 8 /* entries of x from each step of prefetching to the next */
#define SUMS  4 /* entries of a column whose sums are prefetched */
#endif

/* Prefetches the sums and flags of the first rows of a column. */
static inline void FN(sums_ahead)(const eki_spa *s, const IDX *row, PTR begin, PTR end)
{
	const VAL *sum = s->sum;

	for (PTR k = begin; k < end && k - begin < SUMS; k++) {
		__builtin_prefetch(sum + row[k]);
		__builtin_prefetch(s->flag + row[k]);
	}
}

/* Adds up the products in the rows of parts [part, part + parts). Returns the number of rows that
 * get a sum. */
static int64_t FN(spa_columns)(const eki_by_spa *b, const eki_run *v, const eki_spa *s, int part,
                               int parts)
{
	const IDX *row = b->cols->array[CSR_COL], *idx = v->sparse->x.idx;
	const VAL *a = b->cols->array[CSR_VAL], *val = v->sparse->x.val;
	const PTR *cut = (const PTR *)b->cut + part;
	const int64_t n = v->sparse->x.nnz, step = b->parts;
	const bool read = v->alpha.re != 0;
	int64_t new = 0;

	for (int64_t e = 0; e < n; e++) {
		const PTR begin = cut[idx[e] * step], end = cut[idx[e] * step + parts];

		if (e + 3 * AHEAD < n)
			__builtin_prefetch(cut + idx[e + 3 * AHEAD] * step);
		if (e + 2 * AHEAD < n) {
			const PTR later = cut[idx[e + 2 * AHEAD] * step];

			__builtin_prefetch(row + later);
			__builtin_prefetch(a + later);
		}
		if (e + AHEAD < n)
			FN(sums_ahead)
		(s, row, cut[idx[e + AHEAD] * step], cut[idx[e + AHEAD] * step + parts]);
		new += read ? FN(spa_add)(s, end - begin, row + begin, 0, a + begin, val[e], true)
		            : FN(spa_add)(s, end - begin, row + begin, 0, NULL, 0, false);
	}
	return new;
}

static void FN(spa_rows)(const eki_spa *s, const eki_run *v, int64_t begin, int64_t end, int64_t at,
                         bool fits)
{
	const ek_sparse *y = &v->sparse->y;

	FN(spa_write)
	(s, begin, end, EK_SCALAR(v->alpha), 0, fits ? (IDX *)y->idx + at : NULL,
	 fits ? (VAL *)y->val + at : NULL);
}

#if EK_PER_TYPE

/* Fills `cut` for columns begin .. end - 1. */
static void FN(cut_columns)(const eki_by_spa *b, void *to, int64_t begin, int64_t end)
{
	const PTR *ptr = b->cols->array[CSR_PTR];
	const IDX *row = b->cols->array[CSR_COL];
	PTR *cut = to;

	for (int64_t j = begin; j < end; j++) {
		PTR k = ptr[j];

		for (int part = 0; part < b->parts; part++) {
			k = (PTR)eki_gallop_bound(row, k, ptr[j + 1], b->bound[part]);
			cut[j * b->parts + part] = k;
		}
	}
	if (begin < end && end == b->cols->rows) /* parts after the last column have none */
		cut[end * b->parts] = ptr[end];
}

/* Counts the entries of op(A) in each group of 64 rows. */
static void FN(count_rows)(const ek_store *cols, int64_t *count)
{
	const IDX *row = cols->array[CSR_COL];

	for (int64_t k = 0; k < cols->nnz; k++)
		count[row[k] >> 6]++;
}

#endif
#if EK_ONCE

typedef struct state {
	eki_sides sides; /* must be the first member */
	eki_by_spa spa;
} state;

/* ---- Preparation ----------------------------------------------------------------------------- */

int eki_spa_parts(const eki_step *step, const ek_store *cols)
{
	const int64_t in_proportion = cols->rows ? 1 + cols->nnz / cols->rows / 2 : 1;
	int64_t parts = eki_parts(step->ctx, cols->nnz);

	parts = parts < step->parts ? parts : step->parts;
	parts = parts < in_proportion ? parts : in_proportion;
	return parts < EKI_SPMSPV_PARTS ? (int)parts : EKI_SPMSPV_PARTS;
}

/* Finds ranges of rows, whose bounds are multiples of 64, with about the same number of entries. */
static ek_status find_bounds(const eki_step *step, eki_by_spa *s)
{
	static void (*const count_rows[EK_NTYPE])(const ek_store *, int64_t *) =
		EK_BY_TYPE(count_rows);
	const ek_store *cols = s->cols;
	const int64_t rows = cols->cols, groups = eki_groups(rows, 64);
	int64_t sum = 0, *count;
	int part = 1;
	void *block;

	EK_RETURN_IF(eki_calloc(step->ctx, groups, sizeof *count, &block));
	count = block;
	count_rows[eki_type(cols->value, cols->index)](cols, count);
	for (int64_t g = 0; g < groups; g++) {
		for (; part < s->parts && sum >= eki_cut(cols->nnz, s->parts, part); part++)
			s->bound[part] = 64 * g;
		sum += count[g];
	}
	for (; part <= s->parts; part++)
		s->bound[part] = rows;
	eki_free(step->ctx, count, groups, sizeof *count);
	return EK_OK;
}

typedef struct cutting {
	const eki_by_spa *s;
	void *cut;
	int parts;
} cutting;

static void cut_part(void *arg, int part)
{
	static void (*const cut_columns[EK_NTYPE])(const eki_by_spa *, void *, int64_t, int64_t) =
		EK_BY_TYPE(cut_columns);
	const cutting *c = arg;
	const ek_store *cols = c->s->cols;

	cut_columns[eki_type(cols->value, cols->index)](c->s, c->cut,
	                                                eki_cut(cols->rows, c->parts, part),
	                                                eki_cut(cols->rows, c->parts, part + 1));
}

ek_status eki_spa_prepare(eki_step *step, const ek_store *cols, eki_by_spa *s)
{
	const int64_t rows = cols->cols;
	cutting c = {.s = s};

	*s = (eki_by_spa){.cols = cols, .parts = eki_spa_parts(step, cols)};
	s->bound[s->parts] = rows;
	s->cut = cols->array[CSR_PTR];
	if (s->parts > 1) {
		EK_RETURN_IF(find_bounds(step, s));
		EK_RETURN_IF(eki_step_alloc(step, eki_plus(eki_times(cols->rows, s->parts), 1),
		                            eki_ptr_size(cols->index), &c.cut));
		c.parts = s->parts;
		eki_parallel(step->ctx, step->threads, c.parts, cut_part, &c);
		s->cut = c.cut;
	}
	EK_RETURN_IF(eki_step_scratch_zero(step, eki_groups(rows, 64) * 64,
	                                   ek_value_size(cols->value), &s->sum));
	EK_RETURN_IF(eki_step_scratch_zero(step, eki_spa_flags(rows), 1, &s->flag));
	EK_RETURN_IF(eki_step_scratch_zero(step, s->parts * eki_spa_groups(rows), 1, &s->group));
	return eki_step_scratch_zero(step, s->parts * eki_spa_supers(rows), 1, &s->super);
}

static ek_status prepare(eki_step *step)
{
	const int parts = eki_spa_parts(step, step->in[0]);
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){0};
	step->state = s;
	EK_RETURN_IF(eki_sides_prepare(step, parts > 1 ? EKI_COLS_ASCENDING : EKI_COLS, &s->sides));
	EK_RETURN_IF(eki_spa_prepare(step, s->sides.cols, &s->spa));
	step->parts = s->spa.parts;
	return EK_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

typedef int64_t columns_fn(const eki_by_spa *, const eki_run *, const eki_spa *, int, int);
typedef void rows_fn(const eki_spa *, const eki_run *, int64_t, int64_t, int64_t, bool);

typedef struct work {
	const eki_by_spa *s;
	const eki_run *v;
	columns_fn *columns;
	rows_fn *rows;
	bool fits;
	int together; /* parts of s that one call handles */
	int64_t count[EKI_SPMSPV_PARTS], at[EKI_SPMSPV_PARTS];
} work;

static eki_spa spa_of(const work *w, int part)
{
	const eki_by_spa *s = w->s;
	const int64_t rows = s->cols->cols;
	uint8_t *scratch = (uint8_t *)w->v->scratch;

	return (eki_spa){.sum = scratch + s->sum,
	                 .flag = scratch + s->flag,
	                 .group = scratch + s->group + part * eki_spa_groups(rows),
	                 .super = scratch + s->super + part * eki_spa_supers(rows)};
}

static void add_part(void *arg, int part)
{
	work *w = arg;
	const eki_spa spa = spa_of(w, part);

	w->count[part] = w->columns(w->s, w->v, &spa, part, w->together);
}

static void write_part(void *arg, int part)
{
	const work *w = arg;
	const eki_spa spa = spa_of(w, part);

	w->rows(&spa, w->v, w->s->bound[part], w->s->bound[part + w->together], w->at[part],
	        w->fits);
}

void eki_spa_run(const eki_step *step, const eki_by_spa *s, int64_t products, const eki_run *v)
{
	static columns_fn *const columns[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(spa_columns);
	static rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(spa_rows);
	const int type = eki_type(s->cols->value, s->cols->index);
	const int parts = products < step->ctx->small_work ? 1 : s->parts;
	work w;

	w.s = s;
	w.v = v;
	w.columns = columns[step->isa][type];
	w.rows = rows[step->isa][type];
	w.together = parts == 1 ? s->parts : 1;
	eki_parallel(step->ctx, step->threads, parts, add_part, &w);
	v->sparse->count = eki_positions(w.count, parts, w.at);
	w.fits = v->sparse->count <= v->sparse->y.nnz;
	eki_parallel(step->ctx, step->threads, parts, write_part, &w);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_sparse *x = &v->sparse->x;
	eki_products products = {.total = x->nnz};

	if (x->nnz < step->ctx->small_work)
		eki_products_count(step, s->spa.cols, x, &products);
	eki_spa_run(step, &s->spa, products.total, v);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	return 2 * eki_cost(f, f->csr_bytes, eki_work_csr(f, EKI_LOOP_SERIAL)) +
	       (f->op == EK_OP_N ? eki_transpose_share(f) : 0);
}

static double memory(const eki_features *f)
{
	return f->op == EK_OP_N ? eki_transposed_bytes(f) : 0;
}

const ek_method ek_spmspv_csr_spa = {
	.name = "spmspv.csr.spa",
	.text = "by columns: a sparse accumulator, with a range of rows for each thread",
	.source = "Liu 2015, section 2.3.2; Gilbert, Moler and Schreiber 1992",
	.operation = EK_SPMSPV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.applies = eki_sides_applies,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.refresh = eki_sides_refresh,
	.run = run,
};

#endif
