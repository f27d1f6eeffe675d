/* SPDX-License-Identifier: BSD-3-Clause
 * The product of a dense matrix and a sparse vector in two ways, on all threads, each with a range
 * of rows:
 *
 *   columns   multiples of those columns of A in which x has entries are added up, four at a time,
 *             in sums of a strip of rows that stay in the cache. It is the fast way if A is
 *             column-major, since columns are then contiguous
 *   rows      the dot product of each row of A and x. Eight rows are handled at the same time,
 *             since an addition waits for the one before it. It is the fast way if A is row-major
 *
 * Both add the products of a row in the order of the entries of x, so both give the same bits.
 * Cost: one read of these columns of A; where A is row-major and the entries of x are far apart,
 * each value takes a cache line. Liu 2015, section 2.3.2. */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_FILE "vec/gemvi_threads.c"
#include "base/for_each.h"

#include "vec/terms.h"

#ifndef STRIP
#define STRIP 512 /* rows whose sums are in the cache */
#define ROWS  8   /* rows of which dot products are formed together */
#endif

/* Writes alpha times n sums plus beta y to y. */
static void FN(finish)(const eki_array *a, int64_t begin, int64_t n, const VAL *sum)
{
	const VAL alpha = (VAL)a->alpha.re, beta = (VAL)a->beta.re;
	VAL *restrict y = (VAL *)a->dense + begin;

	if (alpha == 0 && beta == 0)
		for (int64_t i = 0; i < n; i++)
			y[i] = 0;
	else if (alpha == 0)
		for (int64_t i = 0; i < n; i++)
			y[i] = sop(EK_SUM, 0, FN(times)(beta, y[i]));
	else if (beta == 0)
		for (int64_t i = 0; i < n; i++)
			y[i] = FN(times)(alpha, sum[i]);
	else
		for (int64_t i = 0; i < n; i++)
			y[i] = sop(EK_SUM, FN(times)(alpha, sum[i]), FN(times)(beta, y[i]));
}

/* Adds multiples of four columns to the sums of n rows. */
static void FN(four_columns)(int64_t n, int64_t row, const VAL *a, const VAL *b, const VAL *c,
                             const VAL *d, const VAL *x, VAL *restrict sum)
{
	if (row == 1)
		for (int64_t i = 0; i < n; i++) {
			const VAL two = sop(EK_SUM, sop(EK_SUM, sum[i], FN(times)(a[i], x[0])),
			                    FN(times)(b[i], x[1]));

			sum[i] = sop(EK_SUM, sop(EK_SUM, two, FN(times)(c[i], x[2])),
			             FN(times)(d[i], x[3]));
		}
	else
		for (int64_t i = 0; i < n; i++) {
			const int64_t at = i * row;
			const VAL two = sop(EK_SUM, sop(EK_SUM, sum[i], FN(times)(a[at], x[0])),
			                    FN(times)(b[at], x[1]));

			sum[i] = sop(EK_SUM, sop(EK_SUM, two, FN(times)(c[at], x[2])),
			             FN(times)(d[at], x[3]));
		}
}

static void FN(gemvi_columns)(const eki_array *a, int64_t begin, int64_t end)
{
	const IDX *idx = a->x.idx;
	const VAL *val = a->x.val;
	const int64_t row = a->block_of.row, col = a->block_of.col;
	const int64_t nnz = a->alpha.re != 0 ? a->x.nnz : 0;
	VAL sum[STRIP];

	for (int64_t n; begin < end; begin += n) {
		const VAL *A = (const VAL *)a->block_of.data + begin * row;
		int64_t k = 0;

		n = end - begin < STRIP ? end - begin : STRIP;
		memset(sum, 0, sizeof sum);
		for (; k + 4 <= nnz; k += 4)
			FN(four_columns)
		(n, row, A + idx[k] * col, A + idx[k + 1] * col, A + idx[k + 2] * col,
		 A + idx[k + 3] * col, val + k, sum);
		for (; k < nnz; k++) {
			const VAL *at = A + idx[k] * col;

			for (int64_t i = 0; i < n; i++)
				sum[i] = sop(EK_SUM, sum[i], FN(times)(at[i * row], val[k]));
		}
		FN(finish)(a, begin, n, sum);
	}
}

static void FN(gemvi_rows)(const eki_array *a, int64_t begin, int64_t end)
{
	const IDX *idx = a->x.idx;
	const VAL *val = a->x.val;
	const int64_t row = a->block_of.row, col = a->block_of.col;
	const int64_t nnz = a->alpha.re != 0 ? a->x.nnz : 0;

	for (; begin + ROWS <= end; begin += ROWS) {
		const VAL *A = (const VAL *)a->block_of.data + begin * row;
		VAL sum[ROWS] = {0};

		for (int64_t k = 0; k < nnz; k++) {
			const VAL *at = A + idx[k] * col, x = val[k];

			EK_UNROLL
			for (int i = 0; i < ROWS; i++)
				sum[i] = sop(EK_SUM, sum[i], FN(times)(at[i * row], x));
		}
		FN(finish)(a, begin, ROWS, sum);
	}
	for (; begin < end; begin++) {
		const VAL *A = (const VAL *)a->block_of.data + begin * row;
		VAL sum = 0;

		for (int64_t k = 0; k < nnz; k++)
			sum = sop(EK_SUM, sum, FN(times)(A[idx[k] * col], val[k]));
		FN(finish)(a, begin, 1, &sum);
	}
}

#if EK_ONCE

typedef void range_fn(const eki_array *, int64_t, int64_t);

typedef struct work {
	const eki_array *a;
	range_fn *fn;
	int parts;
} work;

/* Handles one range of rows, whose bounds are multiples of 64 rows, so that threads do not write to
 * the same cache lines of y. */
static void part(void *arg, int number)
{
	const work *w = arg;
	const int64_t n = eki_groups(w->a->n, 64);

	w->fn(w->a, eki_group(w->a->n, 64, eki_cut(n, w->parts, number)),
	      eki_group(w->a->n, 64, eki_cut(n, w->parts, number + 1)));
}

static ek_status run_ranges(const eki_array *a, range_fn *fn)
{
	work w = {a, fn, a->threads};

	eki_parallel(a->ctx, a->threads, w.parts, part, &w);
	return EK_OK;
}

static ek_status run_columns(const eki_step *step, const eki_run *v)
{
	static range_fn *const columns[EK_NISA][2][4] = EK_BY_ISA_AND_VECTOR(gemvi_columns);
	const eki_array *a = v->array;

	(void)step;
	return run_ranges(a, columns[a->isa][eki_index_row(a)][eki_value_row(a->type)]);
}

static ek_status run_rows(const eki_step *step, const eki_run *v)
{
	static range_fn *const rows[EK_NISA][2][4] = EK_BY_ISA_AND_VECTOR(gemvi_rows);
	const eki_array *a = v->array;

	(void)step;
	return run_ranges(a, rows[a->isa][eki_index_row(a)][eki_value_row(a->type)]);
}

/* Predict that each method is the cheaper one for matrices of its order. */
static double cost_columns(const eki_features *f)
{
	return f->array->block_of.row == 1 ? 1 : 3;
}

static double cost_rows(const eki_features *f)
{
	(void)f;
	return 2;
}

const ek_method ek_gemvi_columns = {
	.name = "gemvi.columns",
	.text = "multiples of columns are added up, a strip of rows at a time",
	.source = "Liu 2015, section 2.3.2",
	.operation = EK_GEMVI,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_columns,
	.cost = cost_columns,
};

const ek_method ek_gemvi_rows = {
	.name = "gemvi.rows",
	.text = "dot products of rows, eight rows at a time",
	.source = "Liu 2015, section 2.3.2",
	.operation = EK_GEMVI,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_rows,
	.cost = cost_rows,
};

#endif
