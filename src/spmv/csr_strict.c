/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with the same bits for any number of threads and any instruction set.
 *
 * There is one fixed order of summation. A row is cut into chunks of 4096 entries from its start.
 * Entry k of a chunk is added to lane k mod 8 by a fused multiply-add. The lanes are added in the
 * tree ((0+1)+(2+3))+((4+5)+(6+7)). The sums of the chunks are added from left to right. For
 * doubles, eight lanes are one register of AVX-512, two of AVX2, or eight scalars. If the last step
 * of a chunk has fewer than eight entries, the other lanes do not change. Threads get whole chunks,
 * so several threads can share a row of a million entries. The transposed product is the plain
 * product with a transposed copy, which preparation makes, so the two give the same bits.
 *
 * Cost: as many additions as csr_vector.c, but in one dependent chain for each lane of a row. The
 * scalar level calls the C library's fma. The aim is that of Demmel, Nguyen 2015, but the method is
 * not. They compute sums that do not depend on the order of summation; fixing the order is
 * cheaper. */
#include <string.h>

#include "drive/split.h"
#define EK_FILE "spmv/csr_strict.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"

#ifndef EK_STRICT_STATE
#define EK_STRICT_STATE
enum { LANES = 8, CHUNK = 4096 };
#endif
#define STEPS (LANES / W) /* number of vectors that hold the lanes */

/* Multiplies entries [k, end), at most a chunk, of the `nnz` entries of a matrix by x, and stores
 * the sums of the 8 lanes in lane[]. */
static inline void FN(strict_lanes)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t nnz,
                                    int64_t k, int64_t end, vec lane[STEPS])
{
	for (int s = 0; s < STEPS; s++)
		lane[s] = vzero();
	for (; end - k >= LANES; k += LANES) {
		EK_AHEAD(val + k);
		EK_AHEAD(col_idx + k);
		for (int s = 0; s < STEPS; s++)
			lane[s] = vfused(vload(val + k + s * W), vgather(x, col_idx + k + s * W),
			                 lane[s]);
	}
	EK_AHEAD(val + k);
	EK_AHEAD(col_idx + k);
	for (int s = 0; s < STEPS && k < end; s++, k += W) {
		vmask m = vmask_n(end - k < W ? end - k : W);

		lane[s] = vfused_n(vload_n(val + k, m),
		                   vgather_within(x, col_idx + k, m, nnz - k), lane[s], m);
	}
}

/* Adds up the lanes of W chunks at the same time, each in the order of the tree. lane[s][r] is
 * vector s of chunk r. */
static inline vec FN(strict_trees)(vec lane[STEPS][W])
{
	vec sum[STEPS];

	for (int s = 0; s < STEPS; s++)
		sum[s] = vsum_rows(lane[s]);
	for (int d = 1; d < STEPS; d *= 2)
		for (int s = 0; s + d < STEPS; s += 2 * d)
			sum[s] = vadd(sum[s], sum[s + d]);
	return sum[0];
}

/* Multiplies entries [begin, end), a chunk of one row, by x, and stores their sum in *sum. */
static void FN(strict_chunk)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                             void *sum)
{
	vec lane[STEPS], rows[STEPS][W];
	VAL result[W];

	FN(strict_lanes)(A->array[CSR_COL], A->array[CSR_VAL], v->x.data, A->nnz, begin, end,
	                 lane);
	for (int s = 0; s < STEPS; s++) {
		rows[s][0] = lane[s];
		for (int r = 1; r < W; r++)
			rows[s][r] = vzero();
	}
	vstore(result, FN(strict_trees)(rows));
	*(VAL *)sum = result[0];
}

/* Multiplies rows [begin, end), none of which is longer than a chunk. */
static void FN(strict_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;
	int64_t i = begin;

	for (; i + W <= end; i += W) {
		vec lane[STEPS], rows[STEPS][W];

		EK_UNROLL
		for (int r = 0; r < W; r++) {
			FN(strict_lanes)(col_idx, val, x, A->nnz, row_ptr[i + r],
			                 row_ptr[i + r + 1], lane);
			for (int s = 0; s < STEPS; s++)
				rows[s][r] = lane[s];
		}
		FN(finish_rows)(FN(strict_trees)(rows), alpha, beta, y0 + i, y + i);
	}
	for (; i < end; i++) {
		VAL sum;

		FN(strict_chunk)(A, v, row_ptr[i], row_ptr[i + 1], &sum);
		FN(finish_row)(sum, alpha, beta, y0 + i, y + i);
	}
}
#undef STEPS

#if EK_PER_TYPE

/* Finishes row i from the sums of its chunks. */
static void FN(strict_long)(const void *chunk_sum, int64_t chunks, const eki_run *v, int64_t i)
{
	const VAL *part = chunk_sum, alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	VAL sum = part[0];

	for (int64_t c = 1; c < chunks; c++)
		sum += part[c];
	FN(finish_row)(sum, alpha, beta, (const VAL *)v->y0.data + i, (VAL *)v->y.data + i);
}

#endif
#if EK_ONCE

typedef void long_fn(const void *, int64_t, const eki_run *, int64_t);

/* A long row, that is, a row with more than one chunk. `first` and `entries` are the numbers of
 * chunks and of entries in all long rows before it. */
typedef struct long_row {
	int64_t row, first, entries;
} long_row;

typedef struct strict {
	eki_transposed copy; /* transposed matrix, which runs use for op T */
	long_row *longs;     /* long rows; an extra element marks the end */
	int64_t count;       /* number of long rows */
	/* offset in the scratch at which the sums of the chunks of long rows begin */
	int64_t chunk_sum;
	/* first row of each part, where rows are cut by rows plus entries; then the end */
	int64_t *bound;
	/* first chunk of each part, where the chunks of long rows are cut evenly; then the end */
	int64_t *chunk;
} strict;

static int64_t chunks_of(int64_t entries)
{
	return (entries + CHUNK - 1) / CHUNK;
}

static ek_status list_long_rows(eki_step *step, strict *s)
{
	const ek_store *A = step->in[0];
	int64_t first = 0, entries = 0, count = 0;

	for (int64_t i = 0; i < A->rows; i++)
		count += eki_ptr_at(A, i + 1) - eki_ptr_at(A, i) > CHUNK;
	EK_RETURN_IF(eki_step_alloc(step, count + 1, sizeof *s->longs, &s->longs));
	for (int64_t i = 0; i < A->rows; i++) {
		int64_t n = eki_ptr_at(A, i + 1) - eki_ptr_at(A, i);

		if (n > CHUNK) {
			s->longs[s->count++] = (long_row){i, first, entries};
			first += chunks_of(n);
			entries += n;
		}
	}
	s->longs[s->count] = (long_row){A->rows, first, entries};
	return eki_step_scratch(step, first, ek_value_size(A->value), &s->chunk_sum);
}

struct sought {
	const ek_store *A;
	const strict *s;
	int64_t at;
};

static bool is_before_row(const void *of, int64_t k)
{
	const struct sought *to = of;

	return to->s->longs[k].row < to->at;
}

/* Returns the index in `longs` of the first long row at or after row i. */
static int64_t long_row_from(const strict *s, int64_t i)
{
	return eki_search(0, s->count, is_before_row, &(struct sought){NULL, s, i});
}

/* Counts the rows before row i and their entries, except entries of long rows. Tells whether the
 * two numbers add up to less than sought.at. */
static bool is_before_cut(const void *of, int64_t i)
{
	const struct sought *to = of;
	const int64_t in_long = to->s->longs[long_row_from(to->s, i)].entries;

	return i + eki_ptr_at(to->A, i) - in_long < to->at;
}

/* Cuts the rows so that each part gets the same number of rows plus entries. Entries of long rows
 * do not count here, since the chunks of long rows are cut evenly on their own. */
static void cut_rows(const eki_step *step, strict *s)
{
	const ek_store *A = step->in[0];
	int64_t total = A->rows + A->nnz - s->longs[s->count].entries;

	for (int part = 0; part <= step->parts; part++) {
		s->bound[part] =
			eki_search(0, A->rows, is_before_cut,
		                   &(struct sought){A, s, eki_cut(total, step->parts, part)});
		s->chunk[part] = eki_cut(s->longs[s->count].first, step->parts, part);
	}
	s->bound[step->parts] = A->rows;
}

static ek_status prepare(eki_step *step)
{
	strict *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (strict){.count = 0};
	step->state = s;
	if (step->op[0] == EK_OP_T)
		EK_RETURN_IF(eki_step_transpose(step, &s->copy));
	if (step->in[0]->nnz + step->in[0]->rows < step->ctx->small_work)
		step->threads = step->parts = 1;
	EK_RETURN_IF(list_long_rows(step, s));
	EK_RETURN_IF(
		eki_step_alloc(step, 2 * ((int64_t)step->parts + 1), sizeof *s->bound, &s->bound));
	s->chunk = s->bound + step->parts + 1;
	cut_rows(step, s);
	return EK_OK;
}

static ek_status refresh(eki_step *step)
{
	strict *s = step->state;

	if (step->in[0] == &s->copy.store)
		eki_transposed_refresh(step, &s->copy);
	return EK_OK;
}

struct strict_job {
	const eki_step *step;
	const eki_run *v;
	eki_rows_fn *rows;
	eki_dot_fn *chunk;
};

/* Multiplies the short rows of a part, and its share of the chunks of long rows. */
static void run_part(void *arg, int part)
{
	const struct strict_job *job = arg;
	const eki_step *step = job->step;
	const strict *s = step->state;
	const ek_store *A = step->in[0];
	int64_t i = s->bound[part], end = s->bound[part + 1];

	for (int64_t r = long_row_from(s, i); i < end; r++) {
		int64_t stop = s->longs[r].row < end ? s->longs[r].row : end;

		if (i < stop)
			job->rows(A, job->v, i, stop);
		i = stop + 1;
	}

	int64_t r = 0;

	for (int64_t c = s->chunk[part]; c < s->chunk[part + 1]; c++) {
		while (s->longs[r + 1].first <= c)
			r++;
		int64_t begin = eki_ptr_at(A, s->longs[r].row) + (c - s->longs[r].first) * CHUNK;
		int64_t stop = eki_ptr_at(A, s->longs[r].row + 1);

		job->chunk(A, job->v, begin, begin + CHUNK < stop ? begin + CHUNK : stop,
		           job->v->scratch + s->chunk_sum + c * (int64_t)ek_value_size(A->value));
	}
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(strict_rows);
	static eki_dot_fn *const chunk[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(strict_chunk);
	static long_fn *const finish[EK_NTYPE] = EK_BY_TYPE(strict_long);
	const strict *s = step->state;
	const int type = eki_type(step->in[0]->value, step->in[0]->index);
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	struct strict_job job = {step, v, rows[step->isa][type], chunk[step->isa][type]};

	eki_parallel(step->ctx, step->threads, step->parts, run_part, &job);
	for (int64_t r = 0; r < s->count; r++)
		finish[type](v->scratch + s->chunk_sum + s->longs[r].first * size,
		             s->longs[r + 1].first - s->longs[r].first, v, s->longs[r].row);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	const eki_features t = f->op == EK_OP_T ? eki_transposed_features(f) : *f;

	return eki_cost(&t, f->csr_bytes, eki_work_csr(&t, EKI_LOOP_STRICT)) +
	       (f->op == EK_OP_T ? eki_transpose_share(f) : 0);
}

static double memory(const eki_features *f)
{
	return f->op == EK_OP_T ? eki_transposed_bytes(f) : 0;
}

const ek_method ek_spmv_csr_strict = {
	.name = "spmv.csr.strict",
	.text = "one fixed order of summation: the same bits for all threads and instruction sets",
	.source = "evenkeel; the aim: Demmel and Nguyen 2015",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_BASE1_N,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
