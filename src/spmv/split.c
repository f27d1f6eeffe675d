/* SPDX-License-Identifier: BSD-3-Clause
 * Cutting y = alpha A x + beta y between threads.
 *
 * Part p has the entries from entry[p] to entry[p + 1], and owns the rows from row[p] to row[p +
 * 1]: those that end in it. It writes y for them. What it holds of the row that ends in a later
 * part becomes its carry, which is added to y when all parts are done, in order; a row that covers
 * several parts gets several carries. So every y_i is written by one part, empty rows too, and no
 * atomic operation is needed. The result depends on the number of parts, not on how many threads
 * really ran.
 *
 * Rounding: a term of a row of k entries passes at most k - 1 additions, as in a plain sum, since a
 * row with c carries has at least c entries outside its own part. */
#include "spmv/split.h"
#define EK_FILE "spmv/split.c"
#include "core/for_each.h"

#include "spmv/row_sums.h"

static void FN(csr_dot)(const ek_store *A, const void *xv, int64_t begin, int64_t end, void *sum)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = xv;

	*(VAL *)sum = vsum(FN(row_sums)(col_idx, val, x, begin, end));
}

#if EK_ONCE

eki_dot_fn *const eki_csr_dot[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_dot);

typedef struct split {
	eki_rows_fn *rows;
	eki_dot_fn *dot;
	int parts;
	int64_t *entry, *row; /* parts + 1 each */
	char *carry;          /* a value for each part */
} split;

static void cut(const ek_store *A, eki_split_kind kind, split *s)
{
	for (int p = 0; p <= s->parts; p++) {
		int64_t d;

		switch (kind) {
		case EKI_SPLIT_EVEN: s->row[p] = eki_cut(A->rows, s->parts, p); break;
		case EKI_SPLIT_NNZ:
			s->entry[p] = eki_cut(A->nnz, s->parts, p);
			/* Rows that end at or before it: all, behind the last entry. */
			s->row[p] = s->entry[p] < A->nnz ? eki_row_of(A, s->entry[p]) : A->rows;
			if (p == 0)
				s->row[p] = 0;
			break;
		case EKI_SPLIT_ROWS:
		case EKI_SPLIT_MERGE:
			d = eki_cut(A->rows + A->nnz, s->parts, p);
			eki_merge_search(A, d, &s->row[p], &s->entry[p]);
			break;
		}
	}
	s->row[s->parts] = A->rows;
	if (kind == EKI_SPLIT_EVEN || kind == EKI_SPLIT_ROWS)
		for (int p = 0; p <= s->parts; p++)
			s->entry[p] = eki_ptr_at(A, s->row[p]);
}

ek_status eki_split_prepare(ek_plan *plan, eki_split_kind kind, eki_rows_fn *rows, eki_dot_fn *dot)
{
	const ek_store *A = plan->store;
	split *s;

	if (A->nnz + A->rows < plan->ctx->small_work)
		plan->threads = plan->parts = 1;
	EK_RETURN_IF(eki_plan_alloc(plan, 1, sizeof *s, &s));
	*s = (split){.rows = rows, .dot = dot, .parts = plan->parts};
	EK_RETURN_IF(
		eki_plan_alloc(plan, 2 * ((int64_t)s->parts + 1), sizeof *s->entry, &s->entry));
	EK_RETURN_IF(eki_plan_alloc(plan, s->parts, ek_value_size(A->value), &s->carry));
	s->row = s->entry + s->parts + 1;
	cut(A, kind, s);
	plan->state = s;
	return EK_OK;
}

/* The row at the left end is not whole if it began in an earlier part. */
void eki_split_whole(const ek_plan *plan, int part, int64_t *begin, int64_t *end)
{
	const split *s = plan->state;
	int64_t row = s->row[part];

	*end = s->row[part + 1];
	*begin = row < *end && s->entry[part] > eki_ptr_at(plan->store, row) ? row + 1 : row;
}

struct split_job {
	const ek_plan *plan;
	const ek_args *args;
};

/* The end of row i, which began before this part: y_i = alpha * piece + beta y0_i. */
static void finish_row(const ek_plan *plan, const ek_args *v, int64_t i, const void *piece)
{
	if (plan->store->value == EK_F64) {
		double *y = v->y, s = v->alpha * *(const double *)piece;

		y[i] = v->beta == 0 ? s : s + v->beta * ((const double *)v->y0)[i];
	} else {
		float *y = v->y, s = (float)v->alpha * *(const float *)piece;

		y[i] = (float)v->beta == 0 ? s : s + (float)v->beta * ((const float *)v->y0)[i];
	}
}

static void run_part(void *arg, int p)
{
	const struct split_job *job = arg;
	const split *s = job->plan->state;
	const ek_store *A = job->plan->store;
	int64_t row, end, tail = s->entry[p];
	double piece; /* room for either value type */

	eki_split_whole(job->plan, p, &row, &end);
	if (row > s->row[p]) {
		s->dot(A, job->args->x, s->entry[p], eki_ptr_at(A, row), &piece);
		finish_row(job->plan, job->args, row - 1, &piece);
	}
	if (row < end)
		s->rows(A, job->args, row, end);
	if (s->row[p] < end)
		tail = eki_ptr_at(A, end);
	if (s->entry[p + 1] > tail)
		s->dot(A, job->args->x, tail, s->entry[p + 1],
		       s->carry + (size_t)p * ek_value_size(A->value));
}

/* Adds alpha * carry of each part to the row that it belongs to. */
static void add_carries(const ek_plan *plan, const ek_args *v)
{
	const split *s = plan->state;
	const ek_store *A = plan->store;

	for (int p = 0; p + 1 < s->parts; p++) {
		int64_t i = s->row[p + 1];
		int64_t begin = i < A->rows ? eki_ptr_at(A, i) : A->nnz;

		if (s->entry[p + 1] <= (begin > s->entry[p] ? begin : s->entry[p]))
			continue; /* the part ends where a row ends */
		if (A->value == EK_F64)
			((double *)v->y)[i] += v->alpha * ((const double *)s->carry)[p];
		else
			((float *)v->y)[i] += (float)v->alpha * ((const float *)s->carry)[p];
	}
}

ek_status eki_split_run(const ek_plan *plan, const ek_args *args)
{
	const split *s = plan->state;

	if (s->parts == 1) {
		s->rows(plan->store, args, 0, plan->store->rows);
		return EK_OK;
	}
	eki_parallel(plan->threads, s->parts, run_part, &(struct split_job){plan, args});
	if (s->dot)
		add_carries(plan, args);
	return EK_OK;
}

double eki_cost_uncut(const eki_features *f, double work)
{
	double all = eki_cost(f, f->csr_bytes, work);
	double nnz = (double)f->stats.nnz, longest = (double)f->stats.row_max;
	eki_features one = *f;

	one.threads = 1;
	one.far_share *= nnz > 0 ? longest / nnz : 0;
	return nnz > 0 ? fmax(all,
	                      eki_cost(&one, f->csr_bytes * longest / nnz, work * longest / nnz))
	               : all;
}

#endif
