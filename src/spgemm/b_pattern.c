/* SPDX-License-Identifier: BSD-3-Clause
 * What the rows of B have in common, for spgemm/flags.c: runs of consecutive columns, which are
 * added as vectors; rows with the columns of the row before, as the unknowns of a node of a finite
 * element mesh have; and rows that equal the row before, shifted by one column, as on grids. A
 * sample of rows shows which of these are frequent enough to record. */
#include <string.h>

#include "spgemm/b_pattern.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/b_pattern.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Returns the length of the run that begins at entry k of a row that ends at `end`. */
static inline int FN(run_length)(const IDX *col, PTR k, PTR end)
{
	int n = 1;

	while (k + n < end && col[k + n] == col[k] + n && col[k + n] % EKI_RUN)
		n++;
	return n;
}

/* Tells whether row i has the columns of row i - 1, each plus `shift`. */
static bool FN(is_shifted)(const void *row_ptr, const void *col_idx, int64_t i, int shift)
{
	const PTR *ptr = row_ptr;
	const IDX *col = col_idx;
	const PTR n = ptr[i + 1] - ptr[i];
	IDX differ = 0;

	if (i == 0 || n == 0 || ptr[i] - ptr[i - 1] != n)
		return false;
	for (PTR k = ptr[i]; k < ptr[i + 1]; k++)
		differ |= col[k] ^ (col[k - n] + (IDX)shift);
	return differ == 0;
}

/* Counts the runs in rows [begin, end). */
static int64_t FN(pattern_count)(const ek_store *B, int64_t begin, int64_t end)
{
	const PTR *ptr = B->array[CSR_PTR];
	const IDX *col = B->array[CSR_COL];
	int64_t runs = 0;

	for (int64_t i = begin; i < end; i++)
		for (PTR k = ptr[i]; k < ptr[i + 1]; k += FN(run_length)(col, k, ptr[i + 1]))
			runs++;
	return runs;
}

/* Records the runs of rows [begin, end), the first of which is run number `run`. run_ptr[0] is
 * there already: each row writes where its runs end, so no two parts write one element. */
static void FN(pattern_runs)(const ek_store *B, int64_t begin, int64_t end, int64_t run,
                             const eki_b_pattern *b)
{
	const PTR *ptr = B->array[CSR_PTR];
	const IDX *col = B->array[CSR_COL];
	PTR *run_ptr = b->run_ptr;
	IDX *run_col = b->run_col;

	for (int64_t i = begin; i < end; i++) {
		for (PTR k = ptr[i], n; k < ptr[i + 1]; k += n, run++) {
			const IDX first = col[k] % EKI_RUN;

			n = FN(run_length)(col, k, ptr[i + 1]);
			run_col[run] = col[k] - first;
			b->run_bits[run] = (uint8_t)(((1 << n) - 1) << first);
		}
		run_ptr[i + 1] = (PTR)run;
	}
}

/* Sets the bits of those of rows [begin, end) that are the row before, moved by `shift` columns. */
static void FN(pattern_shifted)(const ek_store *B, int64_t begin, int64_t end, int shift,
                                uint64_t *bits)
{
	for (int64_t i = begin; i < end; i++)
		if (FN(is_shifted)(B->array[CSR_PTR], B->array[CSR_COL], i, shift))
			bits[i / 64] |= (uint64_t)1 << (i % 64);
}

#endif
#if EK_ONCE

/* Rows like the row before are recorded if they are at least this share of all rows. */
#define LIKE_SHARE 0.25
/* Share of the time for the runs of a row that is saved if they are added with those of the row
 * before. */
#define SAME_GAIN 0.6
/* Factor by which runs must be longer where a vector has only half of EKI_RUN lanes. */
#define HALVES 1.5

typedef int64_t count_fn(const ek_store *, int64_t, int64_t);
typedef bool shift_fn(const void *, const void *, int64_t, int);
typedef void runs_fn(const ek_store *, int64_t, int64_t, int64_t, const eki_b_pattern *);
typedef void shifted_fn(const ek_store *, int64_t, int64_t, int, uint64_t *);

enum { PARTS = 64, SAMPLES = 256, SAMPLE_ROWS = 8 };

struct pattern_job {
	const ek_store *B;
	eki_b_pattern *b;
	int parts, type;
	bool with_runs, with_shifted, with_same;
	int64_t runs[PARTS], first[PARTS];
};

/* Returns the first row of a part, which is a multiple of 64. */
static int64_t bound(const struct pattern_job *job, int part)
{
	const int64_t row = 64 * eki_cut(eki_groups(job->B->rows, 64), job->parts, part);

	return row < job->B->rows ? row : job->B->rows;
}

static void count_part(void *arg, int part)
{
	static count_fn *const count[EK_NTYPE] = EK_BY_TYPE(pattern_count);
	struct pattern_job *job = arg;

	job->runs[part] = count[job->type](job->B, bound(job, part), bound(job, part + 1));
}

static void write_part(void *arg, int part)
{
	static runs_fn *const runs[EK_NTYPE] = EK_BY_TYPE(pattern_runs);
	static shifted_fn *const shifted[EK_NTYPE] = EK_BY_TYPE(pattern_shifted);
	struct pattern_job *job = arg;
	const int64_t begin = bound(job, part), end = bound(job, part + 1);

	if (job->with_runs)
		runs[job->type](job->B, begin, end, job->first[part], job->b);
	if (job->with_shifted)
		shifted[job->type](job->B, begin, end, 1, job->b->shifted);
	if (job->with_same)
		shifted[job->type](job->B, begin, end, 0, job->b->same);
}

/* Finds out from a sample of rows what is worth recording. The sample consists of groups of
 * adjacent rows: single rows at equal distances could all be the first ones of their nodes. */
static void sample(struct pattern_job *job, ek_isa isa, double run_length)
{
	static count_fn *const count[EK_NTYPE] = EK_BY_TYPE(pattern_count);
	static shift_fn *const is_shifted[EK_NTYPE] = EK_BY_TYPE(is_shifted);
	const ek_store *B = job->B;
	const int64_t apart = eki_groups(B->rows, SAMPLES);
	const int64_t distance = apart > SAMPLE_ROWS ? apart : SAMPLE_ROWS;
	int64_t rows = 0, entries = 0, runs = 0, like[2] = {0};

	for (int64_t first = 0; first < B->rows; first += distance) {
		const int64_t end = B->rows - first < SAMPLE_ROWS ? B->rows : first + SAMPLE_ROWS;

		rows += end - first;
		entries += eki_ptr_at(B, end) - eki_ptr_at(B, first);
		runs += count[job->type](B, first, end);
		for (int64_t i = first; i < end; i++)
			for (int shift = 0; shift < 2; shift++)
				like[shift] += is_shifted[job->type](B->array[CSR_PTR],
				                                     B->array[CSR_COL], i, shift);
	}
	const double same = rows > 0 ? (double)like[0] / (double)rows : 0;

	job->with_runs = isa != EK_ISA_SCALAR &&
	                 run_length * (double)runs * (1 - SAME_GAIN * same) <= (double)entries;
	job->with_same = job->with_runs && same >= LIKE_SHARE;
	job->with_shifted = (double)like[1] >= LIKE_SHARE * (double)rows;
}

static ek_status allocate_bits(eki_step *step, int64_t rows, uint64_t **bits)
{
	const int64_t words = eki_groups(rows, 64);

	EK_RETURN_IF(eki_step_alloc(step, words, sizeof **bits, bits));
	memset(*bits, 0, (size_t)words * sizeof **bits);
	return EK_OK;
}

static ek_status allocate(eki_step *step, struct pattern_job *job, int64_t runs)
{
	const ek_store *B = job->B;
	eki_b_pattern *b = job->b;

	if (job->with_runs) {
		EK_RETURN_IF(
			eki_step_alloc(step, B->rows + 1, eki_ptr_size(B->index), &b->run_ptr));
		memset(b->run_ptr, 0, eki_ptr_size(B->index));
		EK_RETURN_IF(eki_step_alloc(step, runs, eki_idx_size(B->index), &b->run_col));
		EK_RETURN_IF(eki_step_alloc(step, runs, 1, &b->run_bits));
	}
	if (job->with_shifted)
		EK_RETURN_IF(allocate_bits(step, B->rows, &b->shifted));
	if (job->with_same)
		EK_RETURN_IF(allocate_bits(step, B->rows, &b->same));
	return EK_OK;
}

ek_status eki_b_pattern_make(eki_step *step, eki_b_pattern *b)
{
	const ek_store *B = step->in[1];
	const int parts = eki_parts(step->ctx, B->nnz + B->rows);
	const bool halves = eki_lanes(step->isa, B->value) < EKI_RUN;
	struct pattern_job job = {.B = B,
	                          .b = b,
	                          .parts = parts < PARTS ? parts : PARTS,
	                          .type = eki_type(B->value, B->index)};
	int64_t runs = 0;

	*b = (eki_b_pattern){.far = (double)eki_store_bytes(B) > step->ctx->machine->core_bytes};
	if (B->nnz == 0)
		return EK_OK;
	sample(&job, step->isa, step->ctx->machine->run_length * (halves ? HALVES : 1));
	if (job.with_runs)
		eki_parallel(step->ctx, step->threads, job.parts, count_part, &job);
	for (int part = 0; part < job.parts; part++) {
		job.first[part] = runs;
		runs += job.runs[part];
	}
	EK_RETURN_IF(allocate(step, &job, runs));
	if (job.with_runs || job.with_shifted || job.with_same)
		eki_parallel(step->ctx, step->threads, job.parts, write_part, &job);
	return EK_OK;
}

#endif
