/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse plus dense on CSR by tiles of Y. A tile is scaled, or set to 0, and then the entries of A
 * that fall into it are added while it is in the cache, so Y moves through memory once. Each thread
 * has rows of its own, cut so that all threads take about the same time. If there are too few rows
 * for that, each thread has columns of its own instead, reads all of col_idx, and skips what falls
 * elsewhere.
 *
 * Each entry of Y belongs to one thread, which adds in the order of the entries of A. So the bits
 * do not depend on how the work is cut.
 *
 * If Y is stored by columns of A (v->y.row is 1), tiles of few rows would touch little of each page
 * of Y. Then a thread scales all of its rows before it adds, and Y moves through memory up to
 * twice.
 *
 * Cost: Y once, A once, an access to Y for each entry. Source: Liu 2015, section 2.3.3. */
#include <string.h>

#include "plan/plan.h"
#define EK_FILE "spadd_dense/csr_tiles.c"
#include "base/for_each.h"

#ifndef EK_TILE
#define EK_TILE
/* Rows [begin, end) and columns [first, last) of Y. */
typedef struct tile {
	int64_t begin, end, first, last;
} tile;
#endif

/* Multiplies n contiguous values by beta. Does not read them if beta is 0. */
static void FN(scale_line)(VAL *y, int64_t n, VAL beta)
{
	const vec b = vset1(beta);
	int64_t i = 0;

	if (beta == 0) {
		memset(y, 0, (size_t)n * sizeof *y);
		return;
	}
	for (; i + W <= n; i += W)
		vstore(y + i, vmul(b, vload(y + i)));
	for (; i < n; i++)
		y[i] *= beta;
}

/* Scales a tile, line by line in the direction in which Y is contiguous. */
static void FN(scale_tile)(const eki_run *v, const tile *t)
{
	const VAL beta = EK_SCALAR(v->beta);
	const bool by_rows = v->y.col == 1;
	const int64_t rows = t->end - t->begin, cols = t->last - t->first;
	const int64_t lines = by_rows ? rows : cols, n = by_rows ? cols : rows;
	const int64_t next = by_rows ? v->y.row : v->y.col;
	VAL *y = (VAL *)v->y.data + t->begin * v->y.row + t->first * v->y.col;

	if (beta == 1)
		return;
	if (next == n)
		FN(scale_line)(y, lines * n, beta);
	else
		for (int64_t i = 0; i < lines; i++)
			FN(scale_line)(y + i * next, n, beta);
}

static void FN(tile)(const ek_store *A, const eki_run *v, const tile *t)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], alpha = EK_SCALAR(v->alpha);
	const bool all = t->first == 0 && t->last == A->cols;

	FN(scale_tile)(v, t);
	for (int64_t i = t->begin; i < t->end && alpha != 0; i++) {
		VAL *y = (VAL *)v->y.data + i * v->y.row;

		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			if (all || (col_idx[k] >= t->first && col_idx[k] < t->last))
				y[col_idx[k] * v->y.col] += alpha * val[k];
	}
}

#if EK_ONCE

typedef void tile_fn(const ek_store *, const eki_run *, const tile *);

enum {
	LINE = 64,    /* bytes of a cache line */
	FEW_ROWS = 8, /* number of rows for each part, below which columns are cut */
	STRIP = 64    /* least number of rows of tiles if Y is stored by columns of A */
};

/* The share of a core's cache that a tile may take. */
static const double SHARE = 0.125;

struct tiles_job {
	const ek_store *A;
	const eki_run *v;
	tile_fn *tile;
	int parts;
	int64_t height; /* number of rows of a tile */
};

/* Returns the first row of a part. Weighs a row by the cache lines of Y that scaling touches, plus
 * two for each entry. */
static int64_t first_row(const ek_store *A, int parts, int part)
{
	const double lines = 1 + (double)A->cols * (double)ek_value_size(A->value) / LINE;
	const double all = (double)A->rows * lines + 2 * (double)A->nnz;
	int64_t low = 0, high = A->rows;

	if (part == parts)
		return A->rows;
	while (low < high) {
		const int64_t i = low + (high - low) / 2;

		if (((double)i * lines + 2 * (double)eki_ptr_at(A, i)) * parts < all * part)
			low = i + 1;
		else
			high = i;
	}
	return low;
}

static void tiles_part(void *arg, int part)
{
	const struct tiles_job *job = arg;
	const ek_store *A = job->A;
	tile all = {0, A->rows, 0, A->cols}, t;

	if (A->rows < (int64_t)FEW_ROWS * job->parts) {
		all.first = eki_cut(A->cols, job->parts, part);
		all.last = eki_cut(A->cols, job->parts, part + 1);
	} else {
		all.begin = first_row(A, job->parts, part);
		all.end = first_row(A, job->parts, part + 1);
	}
	t = all;
	for (; all.begin < all.end; all.begin = t.end) {
		t.begin = all.begin;
		t.end = all.end - t.begin < job->height ? all.end : t.begin + job->height;
		job->tile(A, job->v, &t);
	}
}

/* Returns the number of rows of a tile that fits the cache of a core. */
static int64_t tile_height(const eki_step *step, const eki_run *v)
{
	const ek_store *A = step->in[0];
	const double fits = SHARE * step->ctx->machine->core_bytes /
	                    ((double)A->cols * (double)ek_value_size(A->value));

	if (v->y.col != 1 && fits < STRIP)
		return A->rows;
	return fits < 1 ? 1 : fits < (double)A->rows ? (int64_t)fits : A->rows;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static tile_fn *const fn[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(tile);
	const ek_store *A = step->in[0];
	const int64_t work = eki_plus(eki_times(A->rows, A->cols) / 8, A->nnz);
	const struct tiles_job job = {.A = A,
	                              .v = v,
	                              .tile = fn[step->isa][eki_type(A->value, A->index)],
	                              .parts = work < step->ctx->small_work ? 1 : step->parts,
	                              .height = tile_height(step, v)};

	eki_parallel(step->ctx, step->threads, job.parts, tiles_part, (void *)(uintptr_t)&job);
	return EK_OK;
}

/* Predicts the time of one pass over A and one over Y. */
static double cost(const eki_features *f)
{
	const double y = (double)f->stats.rows * (double)f->stats.cols;

	return eki_cost(f, f->csr_bytes + 2 * y * (double)ek_value_size(f->value),
	                eki_work_csr(f, EKI_LOOP_SERIAL));
}

const ek_method ek_spadd_dense_csr_tiles = {
	.name = "spadd_dense.csr.tiles",
	.text = "scales tiles of Y and adds the entries of A while they are in the cache",
	.source = "Liu 2015, section 2.3.3",
	.operation = EK_SPADD_DENSE,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.cost = cost,
	.run = run,
};

#endif
