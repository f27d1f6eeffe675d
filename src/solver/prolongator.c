/* SPDX-License-Identifier: BSD-3-Clause
 * The smoothed prolongator P = (I - w D^-1 F) T. T is constant on each aggregate (aggregate.c). F
 * is A without its weak entries, which are added to the diagonal; D is the diagonal of F. So a row
 * has the same sum in F as in A, and where this sum is 0, P interpolates a constant as a constant.
 * w is omega divided by a bound on the eigenvalues of D^-1 F, the largest sum of |f_ij| / |d_i|
 * over a row (Gershgorin 1931).
 *
 * For row i of P, the entries of row i of F are added up by the aggregates of their columns. The
 * sums of a row are in a list, and an array has the place of each aggregate in the list. A lookup
 * in the list shows whether a place is left over from an earlier row (Briggs, Torczon 1993), so
 * nothing is cleared between rows. The list is sorted. One pass finds D, the bound and the lengths
 * of rows, the other writes P.
 *
 * Cost: A is read twice. The bits do not depend on the number of threads: the entries of a row are
 * added up in their order, and the bound is a maximum.
 *
 * Vanek, Mandel, Brezina 1996, as in aggregate.c. */
#include <math.h>

#include "prim_body/sort.h"
#include "solver/solver.h"
#include "spgemm/batches.h"
#define EK_TYPES_ONLY
#define EK_FILE "solver/prolongator.c"
#include "base/for_each.h"

#ifndef EK_SOLVER_PROLONGATOR
#define EK_SOLVER_PROLONGATOR

/* What a thread needs to smooth rows [begin, end). */
typedef struct smooth_part {
	const eki_coupling *c;
	const void *of;   /* aggregate of each row */
	ek_store *P;      /* has only row pointers in the first pass, then all arrays */
	double *diagonal; /* that of F */
	double step;      /* w */
	int64_t begin, end, most;
	void *at; /* place of each aggregate in the list */
	/* the list, with room for 2 * most aggregates and sums */
	void *list;
	double *sum;
	double bound;
	int64_t bad; /* first row whose diagonal is 0 or not finite, or -1 */
} smooth_part;

#endif

#if EK_PER_TYPE

/* Returns the diagonal entry of row i of F. Sets *others to the sum of the magnitudes of the row's
 * other entries. */
static double FN(filtered_diagonal)(const eki_coupling *c, int64_t i, double *others)
{
	const PTR *row_ptr = c->A->array[CSR_PTR];
	const IDX *col_idx = c->A->array[CSR_COL];
	const VAL *val = c->A->array[CSR_VAL];
	double d = c->diagonal[i];

	*others = 0;
	for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
		const double a = (double)val[k];

		if (col_idx[k] == i)
			continue;
		if (eki_is_strong(c, i, col_idx[k], a))
			*others += fabs(a);
		else
			d += a;
	}
	return d;
}

/* Lists the aggregates of row i of F, with the sums of their entries. Returns their number. */
static int64_t FN(list_sums)(const smooth_part *s, int64_t i)
{
	const eki_coupling *c = s->c;
	const PTR *row_ptr = c->A->array[CSR_PTR];
	const IDX *col_idx = c->A->array[CSR_COL], *of = s->of;
	const VAL *val = c->A->array[CSR_VAL];
	IDX *at = s->at, *list = s->list;
	int64_t n = 0;

	for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
		const IDX j = col_idx[k], g = of[j];
		const double a = j == i ? s->diagonal[i] : (double)val[k];

		if (g < 0 || (j != i && !eki_is_strong(c, i, j, a)))
			continue;
		if (at[g] >= n || list[at[g]] != g) {
			at[g] = (IDX)n;
			s->sum[n] = 0;
			list[n++] = g;
		}
		s->sum[at[g]] += a;
	}
	return n;
}

static void FN(smooth_count)(smooth_part *s)
{
	IDX *at = s->at;

	for (int64_t g = 0; g < s->P->cols; g++)
		at[g] = 0;
	for (int64_t i = s->begin; i < s->end; i++) {
		double others, d = FN(filtered_diagonal)(s->c, i, &others);

		s->diagonal[i] = d;
		if (s->bad < 0 && (d == 0 || !EK_IS_FINITE(d)))
			s->bad = i;
		s->bound = fmax(s->bound, 1 + others / fabs(d));
		eki_ptr_set(s->P, i + 1, FN(list_sums)(s, i));
	}
}

static void FN(smooth_fill)(smooth_part *s)
{
	const eki_pair_kind kind = {.key = sizeof(IDX), .value = sizeof(double)};
	const PTR *row_ptr = s->P->array[CSR_PTR];
	const IDX *of = s->of, *list = s->list;
	IDX *col_idx = s->P->array[CSR_COL];
	VAL *val = s->P->array[CSR_VAL];

	for (int64_t i = s->begin; i < s->end; i++) {
		const int64_t n = FN(list_sums)(s, i);
		const double scale = s->step / s->diagonal[i];

		eki_sort_pairs(n, (eki_pair_at){s->list, (char *)s->sum},
		               (eki_pair_at){(IDX *)s->list + s->most, (char *)(s->sum + s->most)},
		               kind);
		for (int64_t k = 0; k < n; k++) {
			col_idx[row_ptr[i] + k] = list[k];
			val[row_ptr[i] + k] = (VAL)((list[k] == of[i]) - scale * s->sum[k]);
		}
	}
}

#endif
#if EK_ONCE

typedef void smooth_fn(smooth_part *);

enum { PARTS = 64 };

struct smooth_job {
	const eki_coupling *c;
	eki_aggregates g;
	ek_store P;
	double *diagonal;
	int parts;
	int64_t most; /* length of the longest row of A */
	size_t idx;   /* bytes of a column index */
	void *at, *list, *sum;
	smooth_fn *fn;
	smooth_part part[PARTS];
};

static void smooth(void *arg, int part)
{
	struct smooth_job *job = arg;

	job->fn(&job->part[part]);
}

static ek_status allocate(struct smooth_job *job)
{
	const ek_context *ctx = job->c->ctx;
	const ek_store *A = job->c->A;
	void *diagonal;

	EK_RETURN_IF(eki_alloc(ctx, A->rows, sizeof *job->diagonal, &diagonal));
	job->diagonal = diagonal;
	EK_RETURN_IF(eki_alloc(ctx, eki_times(job->g.count + 1, job->parts), job->idx, &job->at));
	EK_RETURN_IF(
		eki_alloc(ctx, eki_times(2 * job->most + 2, job->parts), job->idx, &job->list));
	EK_RETURN_IF(eki_alloc(ctx, eki_times(2 * job->most + 2, job->parts), sizeof(double),
	                       &job->sum));
	job->P = (ek_store){.format = &ek_format_csr,
	                    .value = A->value,
	                    .index = A->index,
	                    .rows = A->rows,
	                    .cols = job->g.count};
	EK_RETURN_IF(eki_alloc(ctx, A->rows + 1, eki_ptr_size(A->index), &job->P.array[CSR_PTR]));
	job->P.len[CSR_PTR] = A->rows + 1;
	return EK_OK;
}

static void release(struct smooth_job *job)
{
	const ek_context *ctx = job->c->ctx;

	eki_free(ctx, job->diagonal, job->c->A->rows, sizeof *job->diagonal);
	eki_free(ctx, job->at, eki_times(job->g.count + 1, job->parts), job->idx);
	eki_free(ctx, job->list, eki_times(2 * job->most + 2, job->parts), job->idx);
	eki_free(ctx, job->sum, eki_times(2 * job->most + 2, job->parts), sizeof(double));
}

static void open_parts(struct smooth_job *job)
{
	const int64_t rows = job->c->A->rows;

	for (int part = 0; part < job->parts; part++)
		job->part[part] = (smooth_part){
			.c = job->c,
			.of = job->g.of,
			.P = &job->P,
			.diagonal = job->diagonal,
			.begin = eki_cut(rows, job->parts, part),
			.end = eki_cut(rows, job->parts, part + 1),
			.most = job->most,
			.at = (char *)job->at + (size_t)(part * (job->g.count + 1)) * job->idx,
			.list = (char *)job->list + (size_t)(2 * part * (job->most + 1)) * job->idx,
			.sum = (double *)job->sum + 2 * part * (job->most + 1),
			.bad = -1};
}

/* Does the first pass, and allocates the entries of P. */
static ek_status count(struct smooth_job *job, double *bound)
{
	static smooth_fn *const fn[EK_NTYPE] = EK_BY_TYPE(smooth_count);
	const ek_store *A = job->c->A;
	ek_store *P = &job->P;

	job->fn = fn[eki_type(A->value, A->index)];
	eki_parallel(job->c->ctx, job->c->ctx->threads, job->parts, smooth, job);
	*bound = 1;
	for (int part = 0; part < job->parts; part++) {
		const int64_t bad = job->part[part].bad;

		if (bad >= 0)
			return eki_fail(EK_EINVAL,
			                "row %lld of A, from 0, has the diagonal %g when its weak "
			                "entries are added to it; it must be finite and not 0",
			                (long long)bad, job->diagonal[bad]);
		*bound = fmax(*bound, job->part[part].bound);
	}
	eki_ptr_sum(job->c->ctx, P);
	P->nnz = eki_ptr_at(P, P->rows);
	EK_RETURN_IF(eki_alloc(job->c->ctx, P->nnz, eki_idx_size(A->index), &P->array[CSR_COL]));
	P->len[CSR_COL] = P->nnz;
	EK_RETURN_IF(eki_alloc(job->c->ctx, P->nnz, ek_value_size(A->value), &P->array[CSR_VAL]));
	P->len[CSR_VAL] = P->nnz;
	return EK_OK;
}

static void fill(struct smooth_job *job, double bound)
{
	static smooth_fn *const fn[EK_NTYPE] = EK_BY_TYPE(smooth_fill);

	job->fn = fn[eki_type(job->P.value, job->P.index)];
	for (int part = 0; part < job->parts; part++)
		job->part[part].step = job->c->omega / bound;
	eki_parallel(job->c->ctx, job->c->ctx->threads, job->parts, smooth, job);
}

ek_status ek_prolongator(const ek_matrix *A, const ek_aggregation *options, ek_matrix **P)
{
	eki_coupling c;
	struct smooth_job job = {.c = &c};
	ek_status status;
	double bound;

	if (!P)
		return eki_fail(EK_EINVAL, "P, where the result goes, is NULL");
	EK_RETURN_IF(eki_coupling_open(A, options, &c));
	job.parts = eki_parts(c.ctx, c.A->nnz + c.A->rows);
	job.parts = job.parts < PARTS ? job.parts : PARTS;
	job.most = eki_longest_row(c.ctx, c.A);
	job.idx = eki_idx_size(c.A->index);
	EK_TRY(eki_aggregates_make(&c, &job.g));
	EK_TRY(allocate(&job));
	open_parts(&job);
	EK_TRY(count(&job, &bound));
	fill(&job, bound);
	EK_TRY(eki_matrix_from_store((ek_context *)(uintptr_t)c.ctx, &job.P, P));
done:
	if (status != EK_OK)
		eki_store_free(c.ctx, &job.P);
	release(&job);
	eki_aggregates_free(&c, &job.g);
	eki_coupling_close(&c);
	return status;
}

#endif
