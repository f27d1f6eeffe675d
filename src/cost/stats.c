/* SPDX-License-Identifier: BSD-3-Clause
 * Statistics of a matrix, in passes over row_ptr and over the columns. row_stats.c has those of the
 * row lengths that choosing a method takes.
 *
 * Rows are cut into a fixed number of parts, and the results of the parts are added in order, so
 * every figure is the same for any number of threads. */
#include "cost/cost.h"
#define EK_TYPES_ONLY
#define EK_FILE "cost/stats.c"
#include "base/for_each.h"

#ifndef EK_STATS_JOB
#define EK_STATS_JOB
enum { PARTS = 64, SMALL = 20000 }; /* below SMALL rows or entries, one thread is used */

struct pattern_part {
	int64_t lower, upper;         /* lower and upper bandwidth */
	int64_t below, above;         /* numbers of places below and above the diagonal */
	int64_t diagonal, duplicates; /* numbers of diagonal entries and of repeated entries */
	bool symmetric, skew;         /* false once a place on or above the diagonal disproves it */
};

struct pattern_job {
	const ek_store *csr; /* A in CSR, with ascending columns */
	/* seen[j] is 1 if column j has an entry; NULL if there are too many columns */
	_Atomic unsigned char *seen;
	/* true once a place without a mirror image is found; then no more places are compared */
	_Atomic bool one_sided;
	int64_t bound[PARTS + 1];
	struct pattern_part part[PARTS];
};

struct sorted_job {
	const ek_store *csr;
	bool sorted[PARTS];
	int64_t bound[PARTS + 1];
};
#endif

#if EK_PER_TYPE

static void FN(stats_sorted)(void *arg, int part)
{
	struct sorted_job *job = arg;
	const PTR *row_ptr = job->csr->array[CSR_PTR];
	const IDX *col = job->csr->array[CSR_COL];
	bool sorted = true;

	for (int64_t i = job->bound[part]; i < job->bound[part + 1] && sorted; i++)
		for (PTR k = row_ptr[i] + 1; k < row_ptr[i + 1]; k++)
			sorted &= col[k - 1] <= col[k];
	job->sorted[part] = sorted;
}

/* Finds the entries in row i and column j by bisection, and sets *sum to their sum. Returns false
 * if there are none. */
static bool FN(stats_find)(const ek_store *csr, int64_t i, int64_t j, double *sum)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col = csr->array[CSR_COL];
	const VAL *val = csr->array[CSR_VAL];
	const int64_t end = row_ptr[i + 1];
	int64_t low = eki_lower_bound(col, row_ptr[i], end, j);

	if (low == end || col[low] != j)
		return false;
	for (*sum = 0; low < end && col[low] == j; low++)
		*sum += (double)val[low];
	return true;
}

/* Adds the statistics of one place to `p`. Entries [begin, end) of row i are all the entries at
 * this place. */
static void FN(stats_place)(struct pattern_job *job, struct pattern_part *p, int64_t i,
                            int64_t begin, int64_t end)
{
	const VAL *val = job->csr->array[CSR_VAL];
	int64_t j = ((const IDX *)job->csr->array[CSR_COL])[begin];
	double sum = 0, mirror;

	p->duplicates += end - begin - 1;
	p->lower = i - j > p->lower ? i - j : p->lower;
	p->upper = j - i > p->upper ? j - i : p->upper;
	p->below += j < i;
	p->above += j > i;
	p->diagonal += j == i ? end - begin : 0;
	if (job->seen && !atomic_load_explicit(&job->seen[j], memory_order_relaxed))
		atomic_store_explicit(&job->seen[j], 1, memory_order_relaxed);
	if (j < i || atomic_load_explicit(&job->one_sided, memory_order_relaxed))
		return;
	for (int64_t k = begin; k < end; k++)
		sum += (double)val[k];
	if (j == i) {
		p->skew &= sum == 0;
		p->symmetric &= sum == sum;
	} else if (FN(stats_find)(job->csr, j, i, &mirror)) {
		p->symmetric &= sum == mirror;
		p->skew &= sum == -mirror;
	} else {
		atomic_store_explicit(&job->one_sided, true, memory_order_relaxed);
	}
}

static void FN(stats_pattern)(void *arg, int part)
{
	struct pattern_job *job = arg;
	struct pattern_part p = {.symmetric = true, .skew = true};
	const PTR *row_ptr = job->csr->array[CSR_PTR];
	const IDX *col = job->csr->array[CSR_COL];

	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++)
		for (int64_t k = row_ptr[i], next; k < row_ptr[i + 1]; k = next) {
			for (next = k + 1; next < row_ptr[i + 1] && col[next] == col[k];)
				next++;
			FN(stats_place)(job, &p, i, k, next);
		}
	job->part[part] = p;
}

#endif
#if EK_ONCE

/* ---- Histogram and median of the row lengths ------------------------------------------------- */

/* Returns the number of bits of n: 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7. */
static int bits_of(int64_t n)
{
#if defined(__GNUC__)
	return n ? 64 - __builtin_clzll((unsigned long long)n) : 0;
#else
	int bits = 0;

	for (; n > 0; n >>= 1)
		bits++;
	return bits;
#endif
}

struct histogram_job {
	const ek_store *csr;
	int64_t histogram[PARTS][64];
};

static void histogram_part(void *arg, int part)
{
	struct histogram_job *job = arg;
	const int64_t end = eki_cut(job->csr->rows, PARTS, part + 1);

	for (int64_t i = eki_cut(job->csr->rows, PARTS, part); i < end; i++)
		job->histogram[part][bits_of(eki_ptr_at(job->csr, i + 1) -
		                             eki_ptr_at(job->csr, i))]++;
}

/* Counts the rows whose length has n bits, for each n. */
static void row_histogram(const ek_context *ctx, const ek_store *csr, int64_t histogram[64])
{
	struct histogram_job job = {.csr = csr};

	eki_parallel(ctx, csr->rows < SMALL ? 1 : ctx->threads, PARTS, histogram_part, &job);
	for (int part = 0; part < PARTS; part++)
		for (int bin = 0; bin < 64; bin++)
			histogram[bin] += job.histogram[part][bin];
}

/* Returns the bin of the median in the histogram of row lengths. Sets *before to the number of rows
 * in lower bins. */
static int median_bin(const ek_stats *s, int64_t *before)
{
	int bin = 0;

	for (*before = 0; bin < 63 && *before + s->histogram[bin] <= (s->rows - 1) / 2; bin++)
		*before += s->histogram[bin];
	return bin;
}

struct below_job {
	const ek_store *csr;
	int64_t length;
	int64_t count[PARTS];
};

static void below_part(void *arg, int part)
{
	struct below_job *job = arg;
	int64_t end = eki_cut(job->csr->rows, PARTS, part + 1), count = 0;

	for (int64_t i = eki_cut(job->csr->rows, PARTS, part); i < end; i++)
		count += eki_ptr_at(job->csr, i + 1) - eki_ptr_at(job->csr, i) <= job->length;
	job->count[part] = count;
}

/* Finds the median row length by bisection within its bin of the histogram. Each step counts rows
 * in one pass over row_ptr; few steps are needed, since most bins of most matrices are narrow. */
static int64_t exact_median(const ek_context *ctx, const ek_store *csr, const ek_stats *s)
{
	int64_t before, rows;

	if (csr->rows == 0)
		return 0;
	int bin = median_bin(s, &before);
	int64_t low = bin ? INT64_C(1) << (bin - 1) : 0, high = bin ? low + (low - 1) : 0;

	high = high < s->row_max ? high : s->row_max;
	while (low < high) {
		struct below_job job = {.csr = csr, .length = low + (high - low) / 2};

		eki_parallel(ctx, csr->rows < SMALL ? 1 : ctx->threads, PARTS, below_part, &job);
		rows = 0;
		for (int part = 0; part < PARTS; part++)
			rows += job.count[part];
		if (rows > (s->rows - 1) / 2)
			high = job.length;
		else
			low = job.length + 1;
	}
	return low;
}

/* ---- The pattern ----------------------------------------------------------------------------- */

static bool is_sorted(const ek_context *ctx, const ek_store *csr)
{
	static eki_part_fn *const fn[EK_NTYPE] = EK_BY_TYPE(stats_sorted);
	struct sorted_job job = {.csr = csr};
	bool sorted = true;

	eki_partition_rows(csr, PARTS, job.bound);
	eki_parallel(ctx, csr->nnz < SMALL ? 1 : ctx->threads, PARTS,
	             fn[eki_type(csr->value, csr->index)], &job);
	for (int part = 0; part < PARTS; part++)
		sorted &= job.sorted[part];
	return sorted;
}

/* Counts the columns without an entry. `seen` has a byte for each column. If it is NULL, since
 * there are too many columns, a sorted list of the columns that have entries is made instead. */
static ek_status empty_columns(const ek_context *ctx, const ek_store *csr,
                               const _Atomic unsigned char *seen, int64_t *empty)
{
	int64_t *list, count;

	*empty = 0;
	for (int64_t j = 0; seen && j < csr->cols; j++)
		*empty += !seen[j];
	if (seen)
		return EK_OK;
	EK_RETURN_IF(eki_distinct(ctx, csr, false, &list, &count));
	eki_free(ctx, list, csr->nnz, sizeof *list);
	*empty = csr->cols - count;
	return EK_OK;
}

/* Adds to *s the statistics that are computed from the columns. `csr` is A with ascending
 * columns. */
static ek_status pattern_stats(const ek_context *ctx, const ek_store *csr, ek_stats *s)
{
	static eki_part_fn *const fn[EK_NTYPE] = EK_BY_TYPE(stats_pattern);
	struct pattern_job job = {.csr = csr};
	struct pattern_part all = {.symmetric = true, .skew = true};
	void *seen = NULL;
	ek_status status;

	if (!eki_many_columns(csr))
		EK_RETURN_IF(eki_calloc(ctx, csr->cols, 1, &seen));
	job.seen = seen;
	job.one_sided = csr->rows != csr->cols;
	eki_partition_rows(csr, PARTS, job.bound);
	eki_parallel(ctx, csr->nnz < SMALL ? 1 : ctx->threads, PARTS,
	             fn[eki_type(csr->value, csr->index)], &job);
	for (int part = 0; part < PARTS; part++) {
		const struct pattern_part *p = &job.part[part];

		all.lower = p->lower > all.lower ? p->lower : all.lower;
		all.upper = p->upper > all.upper ? p->upper : all.upper;
		all.below += p->below;
		all.above += p->above;
		s->diagonal += p->diagonal;
		s->duplicates += p->duplicates;
		all.symmetric &= p->symmetric;
		all.skew &= p->skew;
	}
	s->lower_bandwidth = all.lower;
	s->upper_bandwidth = all.upper;
	/* The condition means that the pattern is symmetric: each place above the diagonal has a
	 * mirror image, and there are no other places below the diagonal. */
	if (!job.one_sided && all.below == all.above)
		s->symmetric = all.symmetric ? 1 : all.skew ? 3 : 2;
	status = empty_columns(ctx, csr, eki_many_columns(csr) ? NULL : job.seen, &s->empty_cols);
	eki_free(ctx, seen, csr->cols, 1);
	return status;
}

ek_status ek_matrix_stats(const ek_matrix *A, ek_stats *stats)
{
	eki_features f;
	ek_store copy = {0}, ordered = {0};
	const ek_store *csr;
	int64_t first;
	bool sorted;
	ek_status status;

	EK_RETURN_IF(eki_matrix_check(A));
	EK_RETURN_IF(EKI_STRUCT_CHECK("stats", ek_stats, stats));
	EK_TRY(eki_matrix_csr(A, false, &copy, &csr)); /* sorts rows if A is in CSC */
	sorted = is_sorted(A->ctx, A->transposed ? &A->store : csr);
	if (!sorted && !A->transposed) {
		EK_TRY(eki_sorted_copy(A->ctx, csr, &ordered, &first));
		csr = &ordered;
	}
	EK_TRY(eki_row_stats(A->ctx, csr, &f));
	row_histogram(A->ctx, csr, f.stats.histogram);
	f.stats.row_median = exact_median(A->ctx, csr, &f.stats);
	f.stats.sorted = sorted;
	EK_TRY(pattern_stats(A->ctx, csr, &f.stats));
	EKI_STRUCT_OUT(ek_stats, &f.stats, stats);
done:
	eki_store_free(A->ctx, &copy);
	eki_store_free(A->ctx, &ordered);
	return status;
}

#endif
