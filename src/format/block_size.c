/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses the fastest block size for a matrix, from the cost of a block and an estimate of the
 * number of blocks that each of the 64 sizes would need.
 *
 * Estimate: up to SAMPLES evenly spread entries are drawn. For each of these entries and each
 * height r, the rows of the block row that contains the entry are merged once. The same pass counts
 * the blocks of that block row for all 8 widths. A block row of n entries is drawn with a
 * probability proportional to n. Therefore the mean of blocks / n estimates blocks / nnz, and the
 * mean of 1 / n estimates the number of non-empty block rows divided by nnz. Long rows, which may
 * have most of the entries, get their due weight. If a block row is long, only its first MOST
 * entries are examined. In all, at most 36 * SAMPLES rows or 8 * SAMPLES * MOST entries are
 * examined, and of matrices with few rows, each row about once.
 *
 * Choice: of all 64 sizes, including 1 x 1, the one with the shortest predicted time of a product.
 * The prediction is based on the bytes and the work of the product.
 *
 * Estimating fill from a sample, and taking the speed of each size from a table, are ideas of Vuduc
 * 2003, section 3.3, and of Im, Yelick and Vuduc 2004. */
#include "format/block_size.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/block_size.c"
#include "base/for_each.h"

#ifndef EK_BLOCK_SAMPLE
#define EK_BLOCK_SAMPLE
enum { SAMPLES = 96, LEAST_SAMPLES = 16, MOST = 512 };

/* Totals over the sampled block rows, for blocks of one height. */
typedef struct block_sample {
	/* for each width of blocks, the sum over block rows of (number of blocks / number of
	 * entries) */
	double blocks[BLOCK_MOST];
	double rows; /* sum over block rows of (1 / number of entries) */
} block_sample;
#endif

#if EK_PER_TYPE

/* Adds to *s the block row of height r that contains entry k. */
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
	int samples;
	block_sample sample[BLOCK_MOST]; /* sample[r - 1] has the sums for height r */
};

static void sample_part(void *arg, int part)
{
	struct sample_job *job = arg;
	/* Multiples of the golden ratio, taken modulo 1, are spread evenly but form no grid. */
	const double golden = 0.6180339887498949;

	for (int t = 1; t <= job->samples; t++) {
		const double at = t * golden - (double)(int)(t * golden);

		job->add(job->csr, part + 1, (int64_t)(at * (double)job->csr->nnz),
		         &job->sample[part]);
	}
}

double eki_block_cost(const eki_features *f, int r, int c, double blocks, double block_rows)
{
	const int type = eki_value_types[f->value].matrix - 1;
	const eki_block_speed *v = &f->machine->block[type][eki_isa_row(f->isa)];
	const int line = r < c ? c : r, lines = r < c ? r : c;
	const int lanes = (int)eki_lanes(f->isa, f->value);
	const double value = (double)ek_value_size(f->value);
	const double bytes = blocks * (r * c * value + (double)eki_idx_size(f->index)) +
	                     block_rows * (r * value + (double)eki_ptr_size(f->index));
	const double steps = lines * ((line + lanes - 1) / lanes);

	return eki_cost(f, bytes, blocks * (v->block + v->step * steps) + block_rows * v->row);
}

/* Returns the number of samples with which the rows of all heights are about as many as the matrix
 * has. */
static int samples(const ek_store *csr)
{
	const int64_t n = csr->rows / (BLOCK_MOST * (BLOCK_MOST + 1) / 2);

	return n < LEAST_SAMPLES ? LEAST_SAMPLES : n < SAMPLES ? (int)n : SAMPLES;
}

double eki_block_choose(const ek_context *ctx, const ek_store *csr, int64_t *dim)
{
	static add_fn *const add[EK_NTYPE] = EK_BY_TYPE(sample_add);
	struct sample_job job = {.csr = csr,
	                         .add = add[eki_type(csr->value, csr->index)],
	                         .samples = samples(csr)};
	eki_features f = {.value = csr->value,
	                  .index = csr->index,
	                  .threads = 1,
	                  .isa = ctx->isa,
	                  .machine = ctx->machine};
	const double each = (double)csr->nnz / job.samples;
	double least = INFINITY, blocks = 0;
	int64_t best[2] = {1, 1};

	f.stats.cols = csr->cols;
	f.stats.nnz = csr->nnz;
	f.csr_bytes = (double)eki_store_bytes(csr);
	f.in_cache = f.csr_bytes < (double)eki_cpu_cache();
	if (csr->nnz > 0 && !(dim[BLOCK_R] && dim[BLOCK_C]))
		eki_parallel(ctx, eki_parts(ctx, csr->nnz), BLOCK_MOST, sample_part, &job);
	for (int k = 0; k < BLOCK_MOST * BLOCK_MOST && csr->nnz > 0; k++) {
		const int r = k / BLOCK_MOST + 1, c = k % BLOCK_MOST + 1;
		const block_sample *s = &job.sample[r - 1];
		const double n = s->blocks[c - 1] * each;
		const double t = eki_block_cost(&f, r, c, n, s->rows * each);

		if ((dim[BLOCK_R] && dim[BLOCK_R] != r) || (dim[BLOCK_C] && dim[BLOCK_C] != c) ||
		    t >= least)
			continue;
		least = t;
		blocks = n;
		best[0] = r;
		best[1] = c;
	}
	dim[BLOCK_R] = dim[BLOCK_R] ? dim[BLOCK_R] : best[0];
	dim[BLOCK_C] = dim[BLOCK_C] ? dim[BLOCK_C] : best[1];
	return blocks;
}

#endif
