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

#ifndef EK_PATTERN_SAMPLE
#define EK_PATTERN_SAMPLE
/* What a sample of rows has. like[shift] counts rows with the columns of the row before, each plus
 * `shift`. */
struct pattern_sample {
	int64_t rows, entries, runs, like[2];
};
#endif

#if EK_PER_TYPE

/* Tells whether entry k begins a run, as the first entry of a row does in any case. */
static inline bool FN(begins_run)(const IDX *col, PTR k)
{
	return (col[k] != col[k - 1] + 1) | (col[k] % EKI_RUN == 0);
}

/* Tells whether row i has the columns of row i - 1, each plus `shift`. */
static inline bool FN(is_shifted)(const PTR *ptr, const IDX *col, int64_t i, int shift)
{
	const PTR begin = ptr[i], n = ptr[i + 1] - begin;
	IDX differ = 0;

	if (i == 0 || n == 0 || begin - ptr[i - 1] != n ||
	    col[begin] != col[begin - n] + (IDX)shift)
		return false;
	for (PTR k = begin; k < begin + n; k++)
		differ |= col[k] ^ (col[k - n] + (IDX)shift);
	return differ == 0;
}

/* Counts the runs in rows [begin, end): as if all were one row, in a loop that compilers vectorise,
 * and then those that begin rows only. */
static int64_t FN(pattern_count)(const ek_store *B, int64_t begin, int64_t end)
{
	const PTR *ptr = B->array[CSR_PTR];
	const IDX *col = B->array[CSR_COL];
	const PTR from = ptr[begin], to = ptr[end], most = 1 << 30;
	int64_t runs = to > from;

	for (PTR k = from + 1, stop; k < to; k = stop) {
		IDX count = 0; /* of the type of columns, so that vectors hold as many of both */

		stop = to - k < most ? to : k + most;
		for (PTR at = k; at < stop; at++)
			count += FN(begins_run)(col, at);
		runs += count;
	}
	for (int64_t i = begin; i < end; i++)
		if (ptr[i] > from && ptr[i] < ptr[i + 1])
			runs += !FN(begins_run)(col, ptr[i]);
	return runs;
}

/* Adds rows [begin, end) to a sample. */
static void FN(pattern_sample)(const ek_store *B, int64_t begin, int64_t end,
                               struct pattern_sample *s)
{
	const PTR *ptr = B->array[CSR_PTR];
	const IDX *col = B->array[CSR_COL];

	s->rows += end - begin;
	s->entries += ptr[end] - ptr[begin];
	s->runs += FN(pattern_count)(B, begin, end);
	for (int64_t i = begin; i < end; i++)
		for (int shift = 0; shift < 2; shift++)
			s->like[shift] += FN(is_shifted)(ptr, col, i, shift);
}

/* Records the runs of rows [begin, end), the first of which is run number `run`. run_ptr[0] is
 * there already: each row writes where its runs end, so no two parts write one element. An entry
 * that goes on with a run writes it again, which takes no branch. */
static void FN(pattern_runs)(const ek_store *B, int64_t begin, int64_t end, int64_t run,
                             const eki_b_pattern *b)
{
	const PTR *ptr = B->array[CSR_PTR];
	const IDX *col = B->array[CSR_COL];
	PTR *run_ptr = b->run_ptr;
	IDX *run_col = b->run_col;

	for (int64_t i = begin; i < end; i++) {
		unsigned bits = 0;

		for (PTR k = ptr[i]; k < ptr[i + 1]; k++) {
			const bool begins = k == ptr[i] || FN(begins_run)(col, k);
			const IDX place = col[k] % EKI_RUN;

			run += begins;
			bits = (begins ? 0 : bits) | 1U << place;
			run_col[run - 1] = col[k] - place;
			b->run_bits[run - 1] = (uint8_t)bits;
		}
		run_ptr[i + 1] = (PTR)run;
	}
}

/* Sets the bits of those of rows [begin, end) that are the row before, moved by `shift` columns. */
static void FN(pattern_shifted)(const ek_store *B, int64_t begin, int64_t end, int shift,
                                uint64_t *bits)
{
	const PTR *ptr = B->array[CSR_PTR];
	const IDX *col = B->array[CSR_COL];

	for (int64_t i = begin; i < end; i++)
		if (FN(is_shifted)(ptr, col, i, shift))
			bits[i / 64] |= (uint64_t)1 << (i % 64);
}

#endif
#if EK_ONCE

/* Rows like the row before are recorded if they are at least this share of all rows. */
#define LIKE_SHARE 0.25
/* Share of the time for the runs of a row that is saved if they are added with those of the row
 * before. */
#define SAME_GAIN 0.6
/* Products with each entry of B from which its pattern is worth a look, which takes about as long
 * as one of them and saves a part of each. */
#define USES 2
/* Factor by which runs must be longer where a vector has only half of EKI_RUN lanes. */
#define HALVES 1.5

typedef int64_t count_fn(const ek_store *, int64_t, int64_t);
typedef void sample_fn(const ek_store *, int64_t, int64_t, struct pattern_sample *);
typedef void runs_fn(const ek_store *, int64_t, int64_t, int64_t, const eki_b_pattern *);
typedef void shifted_fn(const ek_store *, int64_t, int64_t, int, uint64_t *);

/* Groups of rows of a sample, at most and at least, and their rows. In between, each call pays for
 * a 64th of the rows. */
enum { PARTS = 64, SAMPLES = 256, SAMPLES_LEAST = 32, SAMPLE_ROWS = 8, SAMPLE_SHARE = 64 };

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
static void sample(struct pattern_job *job, int64_t calls, ek_isa isa, double run_length)
{
	static sample_fn *const rows[EK_NTYPE] = EK_BY_TYPE(pattern_sample);
	const ek_store *B = job->B;
	const double pays = (double)B->rows * (double)calls / (SAMPLE_SHARE * SAMPLE_ROWS);
	const int64_t groups = pays >= SAMPLES         ? SAMPLES
	                       : pays <= SAMPLES_LEAST ? SAMPLES_LEAST
	                                               : (int64_t)pays;
	const int64_t apart = eki_groups(B->rows, groups);
	const int64_t distance = apart > SAMPLE_ROWS ? apart : SAMPLE_ROWS;
	struct pattern_sample s = {0};

	for (int64_t first = 0; first < B->rows; first += distance)
		rows[job->type](B, first,
		                B->rows - first < SAMPLE_ROWS ? B->rows : first + SAMPLE_ROWS, &s);
	const double same = s.rows > 0 ? (double)s.like[0] / (double)s.rows : 0;

	job->with_runs = isa != EK_ISA_SCALAR &&
	                 run_length * (double)s.runs * (1 - SAME_GAIN * same) <= (double)s.entries;
	job->with_same = job->with_runs && same >= LIKE_SHARE;
	job->with_shifted = (double)s.like[1] >= LIKE_SHARE * (double)s.rows;
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

ek_status eki_b_pattern_make(eki_step *step, const eki_batches *batches, eki_b_pattern *b)
{
	const ek_store *B = step->in[1];
	const int parts = eki_parts(step->ctx, B->nnz + B->rows);
	const bool halves = eki_lanes(step->isa, B->value) < EKI_RUN;
	struct pattern_job job = {.B = B,
	                          .b = b,
	                          .parts = parts < PARTS ? parts : PARTS,
	                          .type = eki_type(B->value, B->index)};
	int64_t runs = 0;

	*b = (eki_b_pattern){.far = (double)eki_store_bytes(B) > step->ctx->machine->core_bytes,
	                     .brief = batches->longest[1] <= eki_lanes(step->isa, B->value) / 2};
	if (batches->products * (double)step->problem->calls < USES * (double)B->nnz || B->nnz == 0)
		return EK_OK;
	sample(&job, step->problem->calls, step->isa,
	       step->ctx->machine->run_length * (halves ? HALVES : 1));
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
