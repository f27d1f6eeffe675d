/* SPDX-License-Identifier: BSD-3-Clause
 * Which size of blocks is fastest for a matrix, from how many blocks each of the 64 sizes would
 * need, estimated, and what a block costs.
 *
 * Estimate: SAMPLES entries are drawn, evenly spread; for each r the block row that an entry lies
 * in is merged once, and its distinct columns counted in all 8 widths at the same time. Drawn by
 * entries, a block row of n entries has n chances, so the mean of blocks / n estimates blocks /
 * nnz, and the mean of 1 / n the block rows that are not empty; long rows, which most entries may
 * lie in, are met as they should be. Of a long block row only the first MOST entries are looked at.
 * That is at most 36 SAMPLES rows or 8 SAMPLES MOST entries, a product or two of a matrix that is
 * worth it.
 *
 * Choice: the size with the least predicted time of a product, from its bytes and its work. 1 x 1
 * is among them.
 *
 * Estimating fill from a sample, and speed from a table for each size: Vuduc 2003, section 3.3; Im,
 * Yelick and Vuduc 2004. */
#include "format/block_size.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/block_size.c"
#include "core/for_each.h"

#ifndef EK_BLOCK_SAMPLE
#define EK_BLOCK_SAMPLE
enum { SAMPLES = 96, MOST = 2048 };

/* For blocks of r rows: sums over the sample. */
typedef struct block_sample {
	double blocks[BLOCK_MOST]; /* blocks / entries, for each width */
	double rows;               /* 1 / entries */
} block_sample;
#endif

#if EK_PER_TYPE

/* Adds the block row of height r in which entry k lies. */
static void FN(sample_add)(const ek_store *csr, int r, int64_t k, block_sample *s)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const int64_t first = eki_row_of(csr, k) / r * r;
	const int n = csr->rows - first < r ? (int)(csr->rows - first) : r;
	int64_t at[BLOCK_MOST], last[BLOCK_MOST], blocks[BLOCK_MOST] = {0}, seen = 0;

	for (int i = 0; i < BLOCK_MOST; i++) {
		at[i] = i < n ? row_ptr[first + i] : 0;
		last[i] = -1;
	}
	while (seen < MOST) {
		int64_t low = INT64_MAX;

		for (int i = 0; i < n; i++)
			if (at[i] < row_ptr[first + i + 1] && col_idx[at[i]] < low)
				low = col_idx[at[i]];
		if (low == INT64_MAX)
			break;
		for (int i = 0; i < n; i++)
			if (at[i] < row_ptr[first + i + 1] && col_idx[at[i]] == low) {
				at[i]++;
				seen++;
			}
		EK_UNROLL
		for (int c = 0; c < BLOCK_MOST; c++) {
			const int64_t column = (int64_t)((uint64_t)low / (unsigned)(c + 1));

			blocks[c] += column != last[c];
			last[c] = column;
		}
	}
	for (int c = 0; c < BLOCK_MOST; c++)
		s->blocks[c] += (double)blocks[c] / (double)seen;
	s->rows += 1 / (double)(row_ptr[first + n] - row_ptr[first]);
}

#endif
#if EK_ONCE

typedef void add_fn(const ek_store *, int, int64_t, block_sample *);

struct sample_job {
	const ek_store *csr;
	add_fn *add;
	block_sample sample[BLOCK_MOST]; /* for each height */
};

static void sample_part(void *arg, int part)
{
	struct sample_job *job = arg;
	const double golden = 0.6180339887498949; /* multiples of it fall evenly, and on no grid */

	for (int t = 1; t <= SAMPLES; t++) {
		const double at = t * golden - (double)(int)(t * golden);

		job->add(job->csr, part + 1, (int64_t)(at * (double)job->csr->nnz),
		         &job->sample[part]);
	}
}

/* Nanoseconds of one core for a block row, for a block and for each of its steps (spmv/block.c), as
 * measured on matrices that stay in its cache; 4 and 8 lanes of AVX2 hold doubles and floats. */
static const struct speed {
	double row, block, step;
	int lanes;
} speed[2][EK_NISA] = {{{4, 0.6, 0.2, 1}, {6, 0.3, 0.27, 8}, {6, 0.3, 0.27, 8}},
                       {{4, 0.6, 0.2, 1}, {6, 0.4, 0.31, 4}, {6, 0.5, 0.46, 8}}};

/* Predicted nanoseconds of a product. */
static double cost(const eki_features *f, int r, int c, const block_sample *s)
{
	const struct speed *v = &speed[f->value == EK_F64][f->isa];
	const int line = r < c ? c : r, lines = r < c ? r : c;
	const double each = (double)f->stats.nnz / SAMPLES;
	const double blocks = s->blocks[c - 1] * each, rows = s->rows * each;
	const double value = (double)ek_value_size(f->value);
	const double bytes = blocks * (r * c * value + (double)eki_idx_size(f->index)) +
	                     rows * (r * value + (double)eki_ptr_size(f->index));
	const double steps = lines * ((line + v->lanes - 1) / v->lanes);

	return eki_cost(f, bytes, blocks * (v->block + v->step * steps) + rows * v->row);
}

ek_status eki_block_choose(const ek_context *ctx, const ek_store *csr, int64_t *dim)
{
	static add_fn *const add[EK_NTYPE] = EK_BY_TYPE(sample_add);
	struct sample_job job = {.csr = csr, .add = add[eki_type(csr->value, csr->index)]};
	eki_features f = {.value = csr->value, .index = csr->index, .threads = 1, .isa = ctx->isa};
	double least = INFINITY;
	int64_t best[2] = {1, 1};

	f.stats.cols = csr->cols;
	f.stats.nnz = csr->nnz;
	f.csr_bytes = (double)eki_store_bytes(csr);
	f.in_cache = f.csr_bytes < (double)eki_cpu_cache();
	if (csr->nnz > 0 && !(dim[BLOCK_R] && dim[BLOCK_C]))
		eki_parallel(eki_parts(ctx, csr->nnz), BLOCK_MOST, sample_part, &job);
	for (int k = 0; k < BLOCK_MOST * BLOCK_MOST && csr->nnz > 0; k++) {
		const int r = k / BLOCK_MOST + 1, c = k % BLOCK_MOST + 1;
		const double t = cost(&f, r, c, &job.sample[r - 1]);

		if ((dim[BLOCK_R] && dim[BLOCK_R] != r) || (dim[BLOCK_C] && dim[BLOCK_C] != c) ||
		    t >= least)
			continue;
		least = t;
		best[0] = r;
		best[1] = c;
	}
	dim[BLOCK_R] = dim[BLOCK_R] ? dim[BLOCK_R] : best[0];
	dim[BLOCK_C] = dim[BLOCK_C] ? dim[BLOCK_C] : best[1];
	return EK_OK;
}

#endif
