/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses the fastest block size for a matrix, from the cost of a block and an estimate of the
 * number of blocks that each of the 64 sizes would need.
 *
 * Estimate: evenly spread entries are drawn. For each of them and each height r, the block row of
 * the entry is seen through a window of WIDE columns around it, a bit for each column, and the
 * blocks that begin in the window are counted for all 8 widths. An entry is drawn from a window of
 * n entries with a probability proportional to n. Therefore the mean of blocks / n estimates
 * blocks / nnz, and the mean of 1 / (entries of the block row) estimates the number of non-empty
 * block rows divided by nnz. (Blocks 7 columns wide can be cut by the end of a window, so they are
 * counted some percent too low.) Long rows, which may have most of the entries, get their due
 * weight. An entry costs about a microsecond, whatever the matrix; one is drawn for each 1,024
 * entries of the matrix, so that all take about as long as a product, but at least LEAST_SAMPLES
 * and at most SAMPLES.
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
enum { LEAST_SAMPLES = 32, SAMPLES = 256, ENTRIES = 1024, PARTS = 8 };

/* Columns of a window, a multiple of all widths but 7. Blocks that begin in a window end within the
 * bits of two words. Rows that are in a block row of any height with a given row. */
enum { WIDE = 120, ROWS = 2 * BLOCK_MOST - 1 };

typedef struct window {
	uint64_t low, high;
} window;

/* Totals over the sampled block rows, for blocks of one height. */
typedef struct block_sample {
	/* for each width of blocks, the sum over samples of (number of blocks / number of entries)
	 * in the window */
	double blocks[BLOCK_MOST];
	double rows; /* sum over samples of (1 / number of entries of the block row) */
} block_sample;

/* The columns of a window. */
static const window within = {~UINT64_C(0), (UINT64_C(1) << (WIDE - 64)) - 1};

static int64_t in_window(window w)
{
	return __builtin_popcountll(w.low) + __builtin_popcountll(w.high & within.high);
}

/* Sets begin[c - 1], for each width c, to the columns where blocks begin in the window at column
 * `first`. */
static void block_columns(int64_t first, window *begin)
{
	for (int c = 1; c <= BLOCK_MOST; c++) {
		window w = {0, 0};

		for (int k = (int)((c - first % c) % c); k < WIDE; k += c)
			if (k < 64)
				w.low |= UINT64_C(1) << k;
			else
				w.high |= UINT64_C(1) << (k - 64);
		begin[c - 1] = w;
	}
}

/* Adds to blocks[c - 1], for each width c, the number of blocks that begin in the window and have
 * one of its entries, divided by `entries`. */
static void count_blocks(window all, const window *begin, double entries, double *blocks)
{
	window w = all; /* bit k: one of the columns k to k + c - 1 has an entry */

	for (int c = 1; c <= BLOCK_MOST; c++) {
		blocks[c - 1] += (double)(__builtin_popcountll(w.low & begin[c - 1].low) +
		                          __builtin_popcountll(w.high & begin[c - 1].high)) /
		                 entries;
		w.low |= all.low >> c | all.high << (64 - c);
		w.high |= all.high >> c;
	}
}
#endif

#if EK_PER_TYPE

/* Returns the entries of row i in the two words of columns from `first` on. */
static window FN(window_of)(const ek_store *csr, int64_t i, int64_t first)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const int64_t end = row_ptr[i + 1];
	int64_t k = eki_lower_bound(col_idx, row_ptr[i], end, first);
	window w = {0, 0};

	for (; k < end && col_idx[k] - first < 128; k++) {
		const uint64_t at = (uint64_t)(col_idx[k] - first);

		if (at < 64) /* columns that do not ascend may be before the window */
			w.low |= UINT64_C(1) << at;
		else if (at < 128)
			w.high |= UINT64_C(1) << (at - 64);
	}
	return w;
}

/* Adds to s[r - 1], for each height r, what the window of entry k shows. */
static void FN(sample_add)(const ek_store *csr, int64_t k, block_sample *s)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const int64_t row = eki_row_of(csr, k), first = col_idx[k] / WIDE * WIDE;
	const int64_t from = row < BLOCK_MOST ? 0 : row - BLOCK_MOST + 1;
	window rows[ROWS], begins[BLOCK_MOST];

	block_columns(first, begins);
	for (int i = 0; i < ROWS; i++)
		rows[i] =
			from + i < csr->rows ? FN(window_of)(csr, from + i, first) : (window){0, 0};
	for (int r = 1; r <= BLOCK_MOST; r++) {
		const int64_t begin = row / r * r,
			      end = begin + r < csr->rows ? begin + r : csr->rows;
		int64_t seen = 0;
		window all = {0, 0};

		for (int64_t i = begin; i < end; i++) {
			seen += in_window(rows[i - from]);
			all.low |= rows[i - from].low;
			all.high |= rows[i - from].high;
		}
		if (seen > 0) /* else the columns of the row do not ascend */
			count_blocks(all, begins, (double)seen, s[r - 1].blocks);
		s[r - 1].rows += 1 / (double)(row_ptr[end] - row_ptr[begin]);
	}
}

#endif
#if EK_ONCE

typedef void add_fn(const ek_store *, int64_t, block_sample *);

struct sample_job {
	const ek_store *csr;
	add_fn *add;
	int samples;
	/* Sums of each part, for each height. The parts are the same for any number of threads. */
	block_sample sample[PARTS][BLOCK_MOST];
};

static void sample_part(void *arg, int part)
{
	struct sample_job *job = arg;
	/* Multiples of the golden ratio, taken modulo 1, are spread evenly but form no grid. */
	const double golden = 0.6180339887498949;

	for (int t = 1 + part; t <= job->samples; t += PARTS) {
		const double at = t * golden - (double)(int)(t * golden);

		job->add(job->csr, (int64_t)(at * (double)job->csr->nnz), job->sample[part]);
	}
}

double eki_block_cost(const eki_features *f, int r, int c, double blocks, double block_rows,
                      double column)
{
	const int type = eki_value_types[f->value].matrix - 1;
	const eki_block_speed *v = &f->machine->block[type][eki_isa_row(f->isa)];
	const int line = r < c ? c : r, lines = r < c ? r : c;
	const int lanes = (int)eki_lanes(f->isa, f->value);
	const double value = (double)ek_value_size(f->value);
	const double bytes = blocks * (r * c * value + column) +
	                     block_rows * (r * value + (double)eki_ptr_size(f->index));
	/* Counts half more for a vector whose values lie in two cache lines. Lines of a block, and
	 * so their vectors, begin at multiples of `unit` values. */
	const int unit = (line & -line) < lanes ? line & -line : lanes;
	const int vectors = (line + lanes - 1) / lanes;
	const double split = (line - vectors * unit) * value / 64;
	const double steps = lines * (vectors + split / 2);

	return eki_cost(f, bytes, blocks * (v->block + v->step * steps) + block_rows * v->row);
}

/* Adds up the sums of all parts in those of the first. */
static void add_parts(block_sample part[PARTS][BLOCK_MOST])
{
	for (int p = 1; p < PARTS; p++)
		for (int r = 0; r < BLOCK_MOST; r++) {
			for (int c = 0; c < BLOCK_MOST; c++)
				part[0][r].blocks[c] += part[p][r].blocks[c];
			part[0][r].rows += part[p][r].rows;
		}
}

/* Returns the number of entries to draw. */
static int samples(const ek_store *csr)
{
	const int64_t n = csr->nnz / ENTRIES;

	return n < LEAST_SAMPLES ? LEAST_SAMPLES : n < SAMPLES ? (int)n : SAMPLES;
}

double eki_block_choose(const ek_context *ctx, const ek_store *csr, int64_t *dim)
{
	static add_fn *const add[EK_NTYPE] = EK_BY_TYPE(sample_add);
	struct sample_job job = {
		.csr = csr, .add = add[eki_type(csr->value, csr->index)], .samples = samples(csr)};
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
	if (csr->nnz > 0 && !(dim[BLOCK_R] && dim[BLOCK_C])) {
		eki_parallel(ctx, eki_parts(ctx, csr->nnz), PARTS, sample_part, &job);
		add_parts(job.sample);
	}
	for (int k = 0; k < BLOCK_MOST * BLOCK_MOST && csr->nnz > 0; k++) {
		const double column = (double)eki_idx_size(csr->index);
		const int r = k / BLOCK_MOST + 1, c = k % BLOCK_MOST + 1;
		const block_sample *s = &job.sample[0][r - 1];
		const double n = s->blocks[c - 1] * each;
		const double t = eki_block_cost(&f, r, c, n, s->rows * each, column);

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
