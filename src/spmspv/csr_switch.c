/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse matrix x sparse vector by the method that is fastest for each x: by columns with one
 * sparse accumulator or with buckets, or by rows with x as a dense vector. The plan keeps A by rows
 * and by columns, one of them as a transposed copy. A run predicts the time of each from nnz(x) and
 * the number of products. Counting these takes the length of each column of op(A) in which x has an
 * entry:
 *
 *   accumulator   nnz(x) (column) + products (product) / parts
 *   buckets       (nnz(x) (column) + products (bucket)) / parts
 *   rows          what eki_cost predicts for SpMV. If x does not have all entries: this times
 *                 `partial`, since many rows are then read twice, plus nnz(x) (spread) / parts
 *
 * where the times in parentheses are those of the machine's description. An access to a sum costs
 * more if the sums of a part are not in a core's cache. If `rows` is the fastest by nnz(x) alone,
 * products are not counted. All methods give the same bits, so the choice does not show in y.
 *
 * Buckets are used only up to the number of products at which rows are faster, so their scratch is
 * limited, too. Azad and Buluc 2017 for the choice by density; Beamer, Asanovic and Patterson 2012
 * (direction-optimizing search). */
#include <stdio.h>

#include "spmspv/columns.h"
#include "spmspv/rows.h"

typedef struct state {
	eki_sides sides; /* must be the first member */
	eki_by_spa spa;
	eki_by_buckets buckets;
	eki_by_rows rows;
	/* predicted times in nanoseconds. `all` is that of SpMV, and `partial` how many times as
	 * long it takes if x does not have all entries; `column` and `spread` are for each entry of
	 * x, by columns and by rows; `product` is for each product, by the accumulator and by
	 * buckets; `wake` is for waking the threads */
	double all, partial, column, spread, product[2], wake;
} state;

/* Predicts the time of a run by columns; `which` is 0 for the accumulator, 1 for buckets. */
static double by_columns(const state *s, int which, double nnz, double products, bool threads)
{
	const int parts = !threads ? 1 : which ? s->buckets.parts : s->spa.parts;
	const double x = which ? s->column / parts : s->column;

	return nnz * x + products * s->product[which] / parts +
	       (parts > 1 ? (which ? 4 : 2) * s->wake : 0);
}

/* Predicts the time of a product with all of A by rows. */
static ek_status by_rows(const eki_step *step, const ek_store *rows, double *time)
{
	eki_features f = {.value = rows->value,
	                  .index = rows->index,
	                  .op = EK_OP_N,
	                  .threads = step->threads,
	                  .isa = step->isa,
	                  .machine = step->ctx->machine,
	                  .csr_bytes = (double)step->bytes};

	EK_RETURN_IF(eki_row_stats(step->ctx, rows, &f));
	eki_unforeseen_guess(&f);
	*time = eki_cost(&f, f.csr_bytes, eki_work_csr(&f, EKI_LOOP_SERIAL));
	return EK_OK;
}

/* Returns the number of products from which on a run by rows is faster. Assumes that the columns in
 * which x has entries are of average length. */
static int64_t switch_at(const state *s)
{
	const ek_store *cols = s->sides.cols;
	const double entries = (double)cols->nnz / (double)(cols->rows ? cols->rows : 1);
	const double nnz = entries > 0 ? 1 / entries : 1;
	const double most = (double)cols->nnz;
	double products = most;

	for (int which = 0; which < 2; which++) {
		const double fixed = by_columns(s, which, 0, 0, true);
		const double each = by_columns(s, which, nnz, 1, true) - fixed - s->spread * nnz;
		const double at = each > 0 ? (s->all * s->partial - fixed) / each : most;

		products = which && at < products ? products : at;
	}
	return products < 0 ? 0 : products < most ? (int64_t)products : cols->nnz;
}

static ek_status prepare(eki_step *step)
{
	const eki_product_speed *speed = &step->ctx->machine->product;
	state *s;
	double sums;
	int64_t at;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){0};
	step->state = s;
	EK_RETURN_IF(eki_sides_prepare(step, EKI_ROWS | EKI_COLS_ASCENDING, &s->sides));
	EK_RETURN_IF(eki_spa_prepare(step, s->sides.cols, &s->spa));
	EK_RETURN_IF(eki_masked_prepare(step, s->sides.rows, &s->rows));
	sums = (double)s->sides.cols->cols * (double)(ek_value_size(step->in[0]->value) + 1) /
	       s->spa.parts;
	EK_RETURN_IF(by_rows(step, s->sides.rows, &s->all));
	s->partial = speed->partial;
	s->column = speed->column;
	s->spread = speed->spread;
	s->product[0] = sums <= step->ctx->machine->core_bytes ? speed->near : speed->far;
	s->product[1] = speed->bucket;
	s->wake = step->ctx->machine->wake;
	s->buckets.parts = s->rows.parts; /* for the first prediction */
	at = switch_at(s);
	EK_RETURN_IF(eki_buckets_prepare(step, s->sides.cols, at, &s->buckets));
	step->parts = s->rows.parts;
	return eki_step_say(step,
	                    "by columns up to about %lld products of %lld (a share of %.2g of the "
	                    "entries), with %s; by rows beyond\n",
	                    (long long)at, (long long)step->in[0]->nnz,
	                    step->in[0]->nnz ? (double)at / (double)step->in[0]->nnz : 0,
	                    by_columns(s, 0, 0, (double)at, true) <=
	                                    by_columns(s, 1, 0, (double)at, true)
	                            ? "one accumulator"
	                            : "one accumulator if they are few, else with buckets");
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const double nnz = (double)v->sparse->x.nnz;
	const bool full = v->sparse->x.nnz == v->sparse->x.n;
	const double rows = full ? s->all : s->all * s->partial + nnz * s->spread / s->rows.parts;
	eki_products p;
	double time[2];
	bool threads;

	if (by_columns(s, 0, nnz, 0, true) > rows && by_columns(s, 1, nnz, 0, true) > rows) {
		eki_by_rows_run(step, &s->rows, v);
		return EK_OK;
	}
	eki_products_count(step, s->sides.cols, &v->sparse->x, &p);
	threads = p.total >= step->ctx->small_work;
	for (int k = 0; k < 2; k++)
		time[k] = by_columns(s, k, nnz, (double)p.total, threads);
	if (time[1] < time[0] && time[1] <= rows && p.total <= s->buckets.most)
		eki_buckets_run(step, &s->buckets, &p, v);
	else if (time[0] <= rows)
		eki_spa_run(step, &s->spa, p.total, v);
	else
		eki_by_rows_run(step, &s->rows, v);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	return 0.5 * eki_cost(f, f->csr_bytes, eki_work_csr(f, EKI_LOOP_SERIAL)) +
	       eki_transpose_share(f);
}

const ek_method ek_spmspv_csr_switch = {
	.name = "spmspv.csr.switch",
	.text = "for each x the fastest: by columns (spa, buckets) or by rows (masked)",
	.source = "Azad and Buluc 2017; Beamer, Asanovic and Patterson 2012",
	.operation = EK_SPMSPV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.applies = eki_sides_applies,
	.cost = cost,
	.memory = eki_transposed_bytes,
	.prepare = prepare,
	.refresh = eki_sides_refresh,
	.run = run,
};
