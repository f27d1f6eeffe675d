/* SPDX-License-Identifier: BSD-3-Clause
 * Splits y = alpha A x + beta y0 between threads.
 *
 * Part p has entries [entry[p], entry[p + 1]). It owns rows [row[p], row[p + 1]), which are the
 * rows that end in it, and writes y for them. If its last entries belong to a row that ends in a
 * later part, their sum is the carry of part p. When all parts are done, the carries are added to
 * y, in the order of the parts; a row that spans several parts gets several carries. So each y_i is
 * written by one part, even if the row is empty, and no atomic operation is needed. The result
 * depends on the number of parts, not on how many threads actually ran.
 *
 * Rounding: a term of a row of k entries goes through at most k - 1 additions, as in a plain sum.
 * The reason is that a row with c carries has at least c entries outside the part that owns it. */
#include "drive/split.h"
#define EK_FILE "drive/split.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "drive/row_sums.h"

static void FN(csr_dot)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end, void *sum)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL];

	*(VAL *)sum = vsum(FN(row_sums)(col_idx, val, v->x.data, begin, end));
}

#if EK_PER_TYPE

/* Writes y_i = alpha * piece + beta y0_i for row i, which began before this part; `piece` is the
 * sum of its entries in this part. */
static void FN(split_finish)(const eki_run *v, int64_t i, const void *piece)
{
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta), *sum = piece;
	const VAL *y0 = (const VAL *)v->y0.data + i * v->y0.row;
	VAL *y = (VAL *)v->y.data + i * v->y.row;

	for (int64_t j = 0; j < v->width; j++)
		FN(finish_row)(sum[j], alpha, beta, y0 + j * v->y0.col, y + j * v->y.col);
}

/* Adds a carry to row i: y_i += alpha * carry. */
static void FN(split_add)(const eki_run *v, int64_t i, const void *carry)
{
	const VAL alpha = EK_SCALAR(v->alpha), *sum = carry;
	VAL *y = (VAL *)v->y.data + i * v->y.row;

	for (int64_t j = 0; j < v->width; j++)
		y[j * v->y.col] += alpha * sum[j];
}

#endif
#if EK_ONCE

eki_dot_fn *const eki_csr_dot[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_dot);

typedef void row_fn(const eki_run *, int64_t, const void *);

typedef struct split {
	eki_rows_fn *rows;
	eki_dot_fn *dot;
	int parts, width;
	int64_t *entry, *row; /* first entry and first row of each part: parts + 1 numbers each */
	/* Offset, in the scratch, of `parts` carries, followed by `parts` pieces. Each carry and
	 * each piece has `width` values. The piece of a part is its sum for a row that began in an
	 * earlier part and ends in this one. */
	int64_t carry;
} split;

static void cut(const ek_store *A, eki_split_kind kind, split *s)
{
	for (int p = 0; p <= s->parts; p++) {
		int64_t d;

		switch (kind) {
		case EKI_SPLIT_EVEN: s->row[p] = eki_cut(A->rows, s->parts, p); break;
		case EKI_SPLIT_NNZ:
			s->entry[p] = eki_cut(A->nnz, s->parts, p);
			/* Sets row[p] to the number of rows that end before entry number entry[p],
			 * or to the number of all rows if there is no such entry. */
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

ek_status eki_split_prepare(eki_step *step, eki_split_kind kind, eki_rows_fn *rows, eki_dot_fn *dot)
{
	return eki_split_prepare_wide(step, kind, 1, rows, dot);
}

ek_status eki_split_prepare_wide(eki_step *step, eki_split_kind kind, int width, eki_rows_fn *rows,
                                 eki_dot_fn *dot)
{
	const ek_store *A = step->in[0];
	split *s;

	if (A->nnz + A->rows < step->ctx->small_work)
		step->threads = step->parts = 1;
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (split){.rows = rows, .dot = dot, .parts = step->parts, .width = width};
	EK_RETURN_IF(
		eki_step_alloc(step, 2 * ((int64_t)s->parts + 1), sizeof *s->entry, &s->entry));
	s->row = s->entry + s->parts + 1;
	cut(A, kind, s);
	step->state = s;
	return dot && s->parts > 1 ? eki_step_scratch(step, 2 * (int64_t)s->parts * width,
	                                              ek_value_size(A->value), &s->carry)
	                           : EK_OK;
}

/* Finds the rows that are wholly in a part. The first row that the part owns is left out if it
 * began in an earlier part. */
void eki_split_whole(const eki_step *step, int part, int64_t *begin, int64_t *end)
{
	const split *s = step->state;
	int64_t row = s->row[part];

	*end = s->row[part + 1];
	*begin = row < *end && s->entry[part] > eki_ptr_at(step->in[0], row) ? row + 1 : row;
}

struct split_job {
	const eki_step *step;
	const eki_run *v;
	row_fn *finish;
	int64_t bytes; /* size in bytes of the carry of one part */
	char *carry;
};

static void run_part(void *arg, int p)
{
	const struct split_job *job = arg;
	const split *s = job->step->state;
	const ek_store *A = job->step->in[0];
	int64_t row, end, tail = s->entry[p];
	char *carry = job->carry ? job->carry + p * job->bytes : NULL;

	eki_split_whole(job->step, p, &row, &end);
	if (row > s->row[p]) {
		char *piece = carry + s->parts * job->bytes;

		s->dot(A, job->v, s->entry[p], eki_ptr_at(A, row), piece);
		job->finish(job->v, row - 1, piece);
	}
	if (row < end)
		s->rows(A, job->v, row, end);
	if (s->row[p] < end)
		tail = eki_ptr_at(A, end);
	if (s->entry[p + 1] > tail)
		s->dot(A, job->v, tail, s->entry[p + 1], carry);
}

/* Adds alpha times the carry of each part to the row of y that the carry belongs to. */
static void add_carries(const struct split_job *job, row_fn *add)
{
	const split *s = job->step->state;
	const ek_store *A = job->step->in[0];

	for (int p = 0; p + 1 < s->parts; p++) {
		int64_t i = s->row[p + 1];
		int64_t begin = i < A->rows ? eki_ptr_at(A, i) : A->nnz;

		if (s->entry[p + 1] > (begin > s->entry[p] ? begin : s->entry[p]))
			add(job->v, i, job->carry + p * job->bytes);
		/* otherwise the part ends at the end of a row and has no carry */
	}
}

static void run_columns(const eki_step *step, const eki_run *v)
{
	static row_fn *const finish[EK_NTYPE] = EK_BY_TYPE(split_finish);
	static row_fn *const add[EK_NTYPE] = EK_BY_TYPE(split_add);
	const split *s = step->state;
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	if (s->parts == 1) {
		s->rows(A, v, 0, A->rows);
		return;
	}
	struct split_job job = {step, v, finish[type], s->width * (int64_t)ek_value_size(A->value),
	                        s->dot ? v->scratch + s->carry : NULL};

	eki_parallel(step->ctx, step->threads, s->parts, run_part, &job);
	if (s->dot)
		add_carries(&job, add[type]);
}

ek_status eki_split_run(const eki_step *step, const eki_run *v)
{
	const int64_t width = ((const split *)step->state)->width;

	if (v->width <= width) {
		run_columns(step, v);
		return EK_OK;
	}
	for (int64_t j = 0; j < v->width; j += width) {
		const eki_run part = eki_run_columns(v, ek_value_size(step->in[0]->value), j,
		                                     v->width - j < width ? v->width - j : width);

		run_columns(step, &part);
	}
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
