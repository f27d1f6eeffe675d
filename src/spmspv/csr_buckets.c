/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse matrix x sparse vector by columns with buckets, in time proportional to the products:
 *
 *   1. the products are divided evenly between parts, even within columns. Each part counts how
 *      many fall into each bucket, a range of 2^shift rows
 *   2. each part writes its products to the places in the buckets that follow from the counts, so
 *      that a bucket has them in the order of the columns
 *   3. the products of a bucket are added up in a sparse accumulator that stays in a core's cache
 *      (window.h). The sums replace the products in the bucket
 *   4. the buckets are copied to y, one after the other
 *
 * Cost: a product is written once and read once, and its row number is read twice more; no step
 * depends on the rows, the columns or the entries of A, except through the number of buckets, which
 * is at most 1024. After Azad and Buluc 2017 (SpMSpV-bucket); there, a column is never divided, and
 * a list of the rows of a bucket takes the place of flags. */
#include "spmspv/columns.h"
#define EK_FILE "spmspv/csr_buckets.c"
#include "base/for_each.h"

#include "spmspv/window.h"

#ifndef BUCKETS_RANGE
#define BUCKETS_RANGE
/* The n products of a part. The first one is number `within` of the products with entry `entry` of
 * x. */
typedef struct range {
	int64_t entry, within, n;
} range;
#endif

/* Counts the products of a part in each bucket. */
static void FN(buckets_count)(const eki_by_buckets *b, const eki_run *v, range r, int64_t *counter)
{
	const PTR *ptr = b->cols->array[CSR_PTR];
	const IDX *row = b->cols->array[CSR_COL], *idx = v->sparse->x.idx;
	const int shift = b->shift;

	for (int64_t e = r.entry; r.n > 0; e++, r.within = 0) {
		const PTR begin = ptr[idx[e]] + (PTR)r.within;
		const int64_t left = ptr[idx[e] + 1] - begin, n = left < r.n ? left : r.n;

		for (int64_t k = 0; k < n; k++)
			counter[row[begin + k] >> shift]++;
		r.n -= n;
	}
}

/* Writes the products of a part to the buckets, and advances the counters. */
static void FN(buckets_fill)(const eki_by_buckets *b, const eki_run *v, range r, int64_t *counter)
{
	const PTR *ptr = b->cols->array[CSR_PTR];
	const IDX *row = b->cols->array[CSR_COL], *idx = v->sparse->x.idx;
	const VAL *a = b->cols->array[CSR_VAL], *val = v->sparse->x.val;
	IDX *restrict to_row = (IDX *)(void *)(v->scratch + b->idx);
	VAL *restrict to = (VAL *)(void *)(v->scratch + b->val);
	const bool read = v->alpha.re != 0;
	const int shift = b->shift;

	for (int64_t e = r.entry; r.n > 0; e++, r.within = 0) {
		const PTR begin = ptr[idx[e]] + (PTR)r.within;
		const int64_t left = ptr[idx[e] + 1] - begin, n = left < r.n ? left : r.n;
		const VAL x = read ? val[e] : 0;

		for (int64_t k = 0; k < n; k++) {
			const IDX i = row[begin + k];
			const int64_t at = counter[i >> shift]++;

			to_row[at] = i;
			to[at] = read ? a[begin + k] * x : 0;
		}
		r.n -= n;
	}
}

/* Adds up products begin .. end - 1, which are those of one bucket. The sums, times alpha, replace
 * them. Returns the number of sums. */
static int64_t FN(buckets_add)(const eki_by_buckets *b, const eki_run *v, const eki_spa *s,
                               int64_t bucket, int64_t begin, int64_t end)
{
	IDX *row = (IDX *)(void *)(v->scratch + b->idx) + begin;
	VAL *a = (VAL *)(void *)(v->scratch + b->val) + begin;
	const IDX base = (IDX)(bucket << b->shift);

	FN(spa_add)(s, end - begin, row, base, a, 1, true);
	return FN(spa_write)(s, 0, (int64_t)1 << b->shift, EK_SCALAR(v->alpha), base, row, a);
}

#if EK_ONCE

typedef struct state {
	eki_sides sides; /* must be the first member */
	eki_by_buckets buckets;
} state;

typedef void range_fn(const eki_by_buckets *, const eki_run *, range, int64_t *);
typedef int64_t add_fn(const eki_by_buckets *, const eki_run *, const eki_spa *, int64_t, int64_t,
                       int64_t);

/* ---- Preparation ----------------------------------------------------------------------------- */

enum { MOST_BUCKETS = 1024 };

/* Returns `shift`: buckets have 2^shift rows. Sums and flags of a bucket take a quarter of a core's
 * cache, but there are at least four buckets for each part, and at most MOST_BUCKETS. */
static int width_of(const eki_step *step, int64_t rows, int64_t row_bytes)
{
	const double most = step->ctx->machine->core_bytes / 4;
	int shift = 6;

	while (shift < 62 && (double)((int64_t)2 << shift) * (double)row_bytes <= most &&
	       rows >> shift > 8 * step->parts)
		shift++;
	while (rows >> shift >= MOST_BUCKETS)
		shift++;
	return shift;
}

ek_status eki_buckets_prepare(eki_step *step, const ek_store *cols, int64_t most, eki_by_buckets *b)
{
	const size_t is = eki_idx_size(cols->index), vs = ek_value_size(cols->value);
	const int64_t rows = cols->cols;
	int parts = eki_parts(step->ctx, most);
	int64_t width;

	parts = parts < step->parts ? parts : step->parts;
	parts = parts < EKI_SPMSPV_PARTS ? parts : EKI_SPMSPV_PARTS;
	*b = (eki_by_buckets){.cols = cols, .parts = parts, .most = most};
	b->shift = width_of(step, rows, (int64_t)vs + 1);
	b->buckets = eki_groups(rows, (int64_t)1 << b->shift);
	width = (int64_t)1 << b->shift;
	EK_RETURN_IF(eki_step_scratch_zero(step, parts * width, vs, &b->sum));
	EK_RETURN_IF(eki_step_scratch_zero(step, parts * eki_spa_flags(width), 1, &b->flag));
	EK_RETURN_IF(eki_step_scratch_zero(step, parts * eki_spa_groups(width), 1, &b->group));
	EK_RETURN_IF(eki_step_scratch_zero(step, parts * eki_spa_supers(width), 1, &b->super));
	EK_RETURN_IF(eki_step_scratch(step, (parts + 3) * (b->buckets + 1), sizeof(int64_t),
	                              &b->counter));
	EK_RETURN_IF(eki_step_scratch(step, most, is, &b->idx));
	return eki_step_scratch(step, most, vs, &b->val);
}

static ek_status prepare(eki_step *step)
{
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){0};
	step->state = s;
	EK_RETURN_IF(eki_sides_prepare(step, EKI_COLS, &s->sides));
	EK_RETURN_IF(eki_buckets_prepare(step, s->sides.cols, step->in[0]->nnz, &s->buckets));
	step->parts = s->buckets.parts;
	return EK_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

typedef struct work {
	const eki_step *step;
	const eki_by_buckets *b;
	const eki_products *products;
	const eki_run *v;
	int type, parts;
	/* counter[p][k] is for bucket k and part p. `begin`, `count` and `at` have, for each
	 * bucket, where its products begin, how many sums it has, and where these go in y */
	int64_t *counter, *begin, *count, *at;
	_Atomic int64_t next; /* first bucket that no part has taken */
} work;

static range range_of(const work *w, int part)
{
	const int64_t first = eki_cut(w->products->total, w->parts, part);
	range r = {.n = eki_cut(w->products->total, w->parts, part + 1) - first};

	if (r.n > 0)
		eki_products_find(w->b->cols, &w->v->sparse->x, w->products, first, &r.entry,
		                  &r.within);
	return r;
}

static int64_t *counters_of(const work *w, int part)
{
	return w->counter + part * w->b->buckets;
}

static void count_part(void *arg, int part)
{
	static range_fn *const count[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(buckets_count);
	const work *w = arg;

	memset(counters_of(w, part), 0, (size_t)w->b->buckets * sizeof(int64_t));
	count[w->step->isa][w->type](w->b, w->v, range_of(w, part), counters_of(w, part));
}

static void fill_part(void *arg, int part)
{
	static range_fn *const fill[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(buckets_fill);
	const work *w = arg;

	fill[w->step->isa][w->type](w->b, w->v, range_of(w, part), counters_of(w, part));
}

/* Turns the counters into positions, bucket by bucket and, within a bucket, part by part. */
static void place(const work *w)
{
	int64_t sum = 0;

	for (int64_t k = 0; k < w->b->buckets; k++) {
		w->begin[k] = sum;
		for (int p = 0; p < w->parts; p++) {
			int64_t *counter = counters_of(w, p) + k, n = *counter;

			*counter = sum;
			sum += n;
		}
	}
	w->begin[w->b->buckets] = sum;
}

static void add_part(void *arg, int part)
{
	static add_fn *const add[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(buckets_add);
	work *w = arg;
	const eki_by_buckets *b = w->b;
	const int64_t width = (int64_t)1 << b->shift;
	char *scratch = w->v->scratch;
	const eki_spa s = {.sum = scratch + b->sum +
	                          part * width * (int64_t)ek_value_size(b->cols->value),
	                   .flag = (uint8_t *)scratch + b->flag + part * eki_spa_flags(width),
	                   .group = (uint8_t *)scratch + b->group + part * eki_spa_groups(width),
	                   .super = (uint8_t *)scratch + b->super + part * eki_spa_supers(width)};
	int64_t k;

	while ((k = atomic_fetch_add(&w->next, 1)) < b->buckets)
		w->count[k] = w->begin[k] == w->begin[k + 1]
		                      ? 0
		                      : add[w->step->isa][w->type](b, w->v, &s, k, w->begin[k],
		                                                   w->begin[k + 1]);
}

static void copy_part(void *arg, int part)
{
	const work *w = arg;
	const eki_sparse_run *s = w->v->sparse;
	const int64_t is = (int64_t)ek_value_size(s->y.index),
		      vs = (int64_t)ek_value_size(s->y.value);

	for (int64_t k = part; k < w->b->buckets; k += w->parts)
		eki_entries_to(&s->y, w->at[k], w->count[k],
		               w->v->scratch + w->b->idx + w->begin[k] * is,
		               w->v->scratch + w->b->val + w->begin[k] * vs);
}

void eki_buckets_run(const eki_step *step, const eki_by_buckets *b, const eki_products *products,
                     const eki_run *v)
{
	eki_sparse_run *s = v->sparse;
	work w;

	w.step = step;
	w.b = b;
	w.products = products;
	w.v = v;
	w.type = eki_type(b->cols->value, b->cols->index);
	w.parts = products->total < step->ctx->small_work ? 1 : b->parts;
	w.counter = (int64_t *)(void *)(v->scratch + b->counter);
	w.begin = w.counter + b->parts * b->buckets;
	w.count = w.begin + b->buckets + 1;
	w.at = w.count + b->buckets;
	atomic_init(&w.next, 0);
	eki_parallel(step->ctx, step->threads, w.parts, count_part, &w);
	place(&w);
	eki_parallel(step->ctx, step->threads, w.parts, fill_part, &w);
	eki_parallel(step->ctx, step->threads, w.parts, add_part, &w);
	s->count = eki_positions(w.count, b->buckets, w.at);
	if (s->count <= s->y.nnz)
		eki_parallel(step->ctx, step->threads, w.parts, copy_part, &w);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	eki_products products;

	eki_products_count(step, s->buckets.cols, &v->sparse->x, &products);
	eki_buckets_run(step, &s->buckets, &products, v);
	return EK_OK;
}

const ek_method ek_spmspv_csr_buckets = {
	.name = "spmspv.csr.buckets",
	.text = "by columns: products into buckets of rows, which are added up in the cache",
	.source = "Azad and Buluc 2017, SpMSpV-bucket",
	.operation = EK_SPMSPV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.applies = eki_sides_applies,
	.prepare = prepare,
	.refresh = eki_sides_refresh,
	.run = run,
};

#endif
