/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with the same bits for any number of threads and any instruction set.
 *
 * One order of summation, kept by all. A row is cut into chunks of 4096 entries from its start;
 * entry k of a chunk goes to lane k mod 8 by a fused multiply-add; the lanes are added as the tree
 * (0+1)+(2+3), (4+5)+(6+7); the sums of the chunks are added from left to right. Eight lanes are
 * one register of AVX-512, two of AVX2 for doubles, or eight scalars; the last entries of a chunk
 * leave the other lanes alone. Threads get whole chunks, so a row of a million entries is still
 * shared. The transposed product runs on a transposed copy made at preparation, and so gives the
 * bits of the plain product of that matrix.
 *
 * Cost: the additions of csr_vector.c; a chain of one accumulator a row, and no instruction of W <
 * 8 lanes. The scalar level calls the C library's fma. After Demmel, Nguyen 2015 in the aim, not
 * the means: fixing the order is cheaper than sums that do not depend on it. */
#include <string.h>

#include "spmv/split.h"
#define EK_FILE "spmv/csr_strict.c"
#include "core/for_each.h"

#include "spmv/finish.h"

#ifndef EK_STRICT_STATE
#define EK_STRICT_STATE
enum { LANES = 8, CHUNK = 4096 };
#endif
#define STEPS (LANES / W) /* vectors that hold the lanes */

/* Entries [k, end), at most a chunk, to the lanes. */
static inline void FN(strict_lanes)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t k,
                                    int64_t end, vec lane[STEPS])
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

		lane[s] = vfused_n(vload_n(val + k, m), vgather_n(x, col_idx + k, m), lane[s], m);
	}
}

/* The trees of W chunks at once. */
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

/* The chunk [begin, end) of one row. */
static void FN(strict_chunk)(const ek_store *A, const void *x, int64_t begin, int64_t end,
                             void *sum)
{
	vec lane[STEPS], rows[STEPS][W];
	VAL result[W];

	FN(strict_lanes)(A->array[CSR_COL], A->array[CSR_VAL], x, begin, end, lane);
	for (int s = 0; s < STEPS; s++) {
		rows[s][0] = lane[s];
		for (int r = 1; r < W; r++)
			rows[s][r] = vzero();
	}
	vstore(result, FN(strict_trees)(rows));
	*(VAL *)sum = result[0];
}

/* Rows [begin, end), none longer than a chunk. */
static void FN(strict_rows)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const VAL *y0 = v->y0;
	VAL *y = v->y;
	int64_t i = begin;

	for (; i + W <= end; i += W) {
		vec lane[STEPS], rows[STEPS][W];

		EK_UNROLL
		for (int r = 0; r < W; r++) {
			FN(strict_lanes)(col_idx, val, x, row_ptr[i + r], row_ptr[i + r + 1], lane);
			for (int s = 0; s < STEPS; s++)
				rows[s][r] = lane[s];
		}
		FN(finish_rows)(FN(strict_trees)(rows), alpha, beta, y0 + i, y + i);
	}
	for (; i < end; i++) {
		VAL sum;

		FN(strict_chunk)(A, x, row_ptr[i], row_ptr[i + 1], &sum);
		FN(finish_row)(sum, alpha, beta, y0 + i, y + i);
	}
}
#undef STEPS

#if EK_PER_TYPE

/* Row i from the sums of its chunks. */
static void FN(strict_long)(const void *chunk_sum, int64_t chunks, const ek_args *v, int64_t i)
{
	const VAL *part = chunk_sum;
	VAL sum = part[0];

	for (int64_t c = 1; c < chunks; c++)
		sum += part[c];
	FN(finish_row)(sum, (VAL)v->alpha, (VAL)v->beta, (const VAL *)v->y0 + i, (VAL *)v->y + i);
}

#endif
#if EK_ONCE

typedef void long_fn(const void *, int64_t, const ek_args *, int64_t);

/* A row of more than one chunk, and the chunks and entries of all such rows before it. */
typedef struct long_row {
	int64_t row, first, entries;
} long_row;

typedef struct strict {
	eki_transposed copy; /* op T: what is multiplied with */
	long_row *longs;     /* with one more at the end */
	int64_t count;
	char *chunk_sum;
	int64_t *bound; /* rows, parts + 1: cut by rows plus entries */
	int64_t *chunk; /* chunks of long rows, parts + 1: cut evenly */
} strict;

static int64_t chunks_of(int64_t entries)
{
	return (entries + CHUNK - 1) / CHUNK;
}

static ek_status list_long_rows(ek_plan *p, strict *s)
{
	const ek_store *A = p->store;
	int64_t first = 0, entries = 0;

	for (int64_t i = 0; i < A->rows; i++)
		s->count += eki_ptr_at(A, i + 1) - eki_ptr_at(A, i) > CHUNK;
	EK_RETURN_IF(eki_plan_alloc(p, s->count + 1, sizeof *s->longs, &s->longs));
	s->count = 0;
	for (int64_t i = 0; i < A->rows; i++) {
		int64_t n = eki_ptr_at(A, i + 1) - eki_ptr_at(A, i);

		if (n > CHUNK) {
			s->longs[s->count++] = (long_row){i, first, entries};
			first += chunks_of(n);
			entries += n;
		}
	}
	s->longs[s->count] = (long_row){A->rows, first, entries};
	return eki_plan_alloc(p, first, ek_value_size(A->value), &s->chunk_sum);
}

/* Index of the first long row at or after row i. */
static int64_t long_row_from(const strict *s, int64_t i)
{
	int64_t low = 0, high = s->count;

	while (low < high) {
		int64_t mid = low + (high - low) / 2;

		if (s->longs[mid].row < i)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Where to cut the rows: as many short rows, plus their entries, in each part; long rows are shared
 * otherwise. */
static void cut_rows(const ek_plan *p, strict *s)
{
	const ek_store *A = p->store;
	int64_t total = A->rows + A->nnz - s->longs[s->count].entries;

	for (int part = 0; part <= p->parts; part++) {
		int64_t want = eki_cut(total, p->parts, part), low = 0, high = A->rows;

		while (low < high) {
			int64_t mid = low + (high - low) / 2;
			int64_t in_long = s->longs[long_row_from(s, mid)].entries;

			if (mid + eki_ptr_at(A, mid) - in_long < want)
				low = mid + 1;
			else
				high = mid;
		}
		s->bound[part] = low;
		s->chunk[part] = eki_cut(s->longs[s->count].first, p->parts, part);
	}
	s->bound[p->parts] = A->rows;
}

static ek_status prepare(ek_plan *p)
{
	strict *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	*s = (strict){.count = 0};
	p->state = s;
	if (p->op == EK_OP_T)
		EK_RETURN_IF(eki_plan_transpose(p, &s->copy));
	if (p->store->nnz + p->store->rows < p->ctx->small_work)
		p->threads = p->parts = 1;
	EK_RETURN_IF(list_long_rows(p, s));
	EK_RETURN_IF(eki_plan_alloc(p, 2 * ((int64_t)p->parts + 1), sizeof *s->bound, &s->bound));
	s->chunk = s->bound + p->parts + 1;
	cut_rows(p, s);
	return EK_OK;
}

static ek_status refresh(ek_plan *p)
{
	strict *s = p->state;

	if (p->store == &s->copy.store)
		eki_transposed_refresh(p, &s->copy);
	return EK_OK;
}

struct strict_job {
	const ek_plan *plan;
	const ek_args *args;
	eki_rows_fn *rows;
	eki_dot_fn *chunk;
};

/* The short rows of a part, and its share of the chunks of the long ones. */
static void run_part(void *arg, int part)
{
	const struct strict_job *job = arg;
	const ek_plan *p = job->plan;
	const strict *s = p->state;
	const ek_store *A = p->store;
	int64_t i = s->bound[part], end = s->bound[part + 1];

	for (int64_t r = long_row_from(s, i); i < end; r++) {
		int64_t stop = s->longs[r].row < end ? s->longs[r].row : end;

		if (i < stop)
			job->rows(A, job->args, i, stop);
		i = stop + 1;
	}

	int64_t r = 0;

	for (int64_t c = s->chunk[part]; c < s->chunk[part + 1]; c++) {
		while (s->longs[r + 1].first <= c)
			r++;
		int64_t begin = eki_ptr_at(A, s->longs[r].row) + (c - s->longs[r].first) * CHUNK;
		int64_t stop = eki_ptr_at(A, s->longs[r].row + 1);

		job->chunk(A, job->args->x, begin, begin + CHUNK < stop ? begin + CHUNK : stop,
		           s->chunk_sum + (size_t)c * ek_value_size(A->value));
	}
}

static ek_status run(const ek_plan *p, const ek_args *args)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(strict_rows);
	static eki_dot_fn *const chunk[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(strict_chunk);
	static long_fn *const finish[EK_NTYPE] = EK_BY_TYPE(strict_long);
	const strict *s = p->state;
	int type = eki_type(p->store->value, p->store->index);
	struct strict_job job = {p, args, rows[p->isa][type], chunk[p->isa][type]};

	eki_parallel(p->threads, p->parts, run_part, &job);
	for (int64_t r = 0; r < s->count; r++)
		finish[type](s->chunk_sum +
		                     (size_t)s->longs[r].first * ek_value_size(p->store->value),
		             s->longs[r + 1].first - s->longs[r].first, args, s->longs[r].row);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	static const eki_speed speed[EK_NISA] = {{4, 4}, {2.5, 0.5}, {2.1, 0.25}};
	double copy = f->op == EK_OP_T ? 15.0 * (double)f->stats.nnz / (double)f->calls : 0;

	return eki_cost(f, f->csr_bytes, eki_work(f, speed)) + copy;
}

const ek_method ek_spmv_csr_strict = {
	.name = "spmv.csr.strict",
	.text = "one fixed order of summation: the same bits for all threads and instruction sets",
	.source = "evenkeel; the aim: Demmel and Nguyen 2015",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
