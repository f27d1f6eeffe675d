/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR in which most rows are empty, by a list of the rows that are not: "doubly compressed"
 * rows. Off-diagonal blocks of distributed matrices and incidence matrices of hypergraphs are such
 * matrices. The list has the number of each nonempty row and the position of its first entry, which
 * is also where the row before it ends. The arrays of A stay as they are.
 *
 * Cost: a run first computes y = beta y0, by streaming, and then adds to the nonempty rows alone.
 * If beta is 1 and y0 is y, the first step does nothing, so the time depends on nonempty rows and
 * entries, not on rows: row_ptr is not read, and neither are the empty rows of y. Short rows are
 * summed W at a time, as in csr_vector.c. Parts have the same number of entries. A thread scales
 * the rows of y between those of its part, so that they are in its cache when it adds to them; a y
 * longer than the caches is scaled before, evenly. The transposed product reads x at the nonempty
 * rows only. Preparation is one pass over row_ptr.
 *
 * Buluc, Gilbert 2008 (DCSC; this is the same for rows). */
#include "spmv/csr_transposed.h"
#include "spmv/csr_vector.h"
#define EK_FILE "spmv/csr_nonempty.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/row_sums.h"

#ifndef EK_NONEMPTY
#define EK_NONEMPTY
/* The list. `rows` is A without its empty rows, but has only the row pointers. row[k], of type IDX,
 * is the number of its row k in A. */
typedef struct nonempty {
	ek_store rows;
	void *row;
	bool few;    /* whether one thread adds all products if y need not be scaled */
	bool long_y; /* whether y is longer than the caches of the cores */
} nonempty;
#endif

/* Adds alpha A x to rows [k, k + W) of the list. If each has one entry, the common case, x is read
 * entry by entry like y, since gathers were slower by 6 % (Zen 4). */
static inline void FN(nonempty_add)(const ek_store *A, const eki_run *v, const PTR *start,
                                    const IDX *number)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	const PTR begin = start[0];
	VAL *y = v->y.data, sum[W];
	vec row[W];

	if (start[W] - begin == W) {
		EK_AHEAD(val + begin);
		EK_AHEAD(col_idx + begin);
		EK_UNROLL
		for (int r = 0; r < W; r++)
			y[number[r]] += alpha * (val[begin + r] * x[col_idx[begin + r]]);
		return;
	}
	EK_UNROLL
	for (int r = 0; r < W; r++)
		row[r] = FN(row_sums)(col_idx, val, x, start[r], start[r + 1]);
	vstore(sum, vmul(vset1(alpha), vsum_rows(row)));
	for (int r = 0; r < W; r++)
		y[number[r]] += sum[r];
}

/* The rows of y between the first and the last are first set to beta y0, all at once, since gaps
 * between nonempty rows are too short for loops of their own. */
static void FN(nonempty_carry)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                               eki_carry *carry)
{
	const nonempty *list = v->aux;
	const PTR *start = list->rows.array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL], *row = list->row;
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	const int64_t first = eki_row_of(&list->rows, begin);
	const int64_t last = eki_row_of(&list->rows, end - 1);
	const int64_t stop = first < last ? start[first + 1] : end;
	int64_t k = first + 1;
	VAL *y = v->y.data;

	carry->first = row[first];
	carry->last = row[last];
	*(VAL *)carry->first_sum = vsum(FN(row_sums)(col_idx, val, x, begin, stop));
	if (first == last)
		return;
	*(VAL *)carry->last_sum = vsum(FN(row_sums)(col_idx, val, x, start[last], end));
	eki_scale_serial(A, v, carry->first + 1, carry->last);
	for (; k + W <= last; k += W) {
		EK_AHEAD(row + k);
		EK_AHEAD(start + k);
		FN(nonempty_add)(A, v, start + k, row + k);
	}
	for (; k < last; k++)
		y[row[k]] += alpha * vsum(FN(row_sums)(col_idx, val, x, start[k], start[k + 1]));
}

/* Adds alpha A^T x, for entries [k, end), to the sums at `to`. The sum of column `first` comes
 * first. */
static void FN(nonempty_scatter)(const ek_store *A, const eki_run *v, int64_t k, int64_t end,
                                 int64_t first, void *to)
{
	const nonempty *list = v->aux;
	const PTR *start = list->rows.array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL], *row = list->row;
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *sum = to;

	for (int64_t i = k < end ? eki_row_of(&list->rows, k) : 0; k < end; i++) {
		const int64_t stop = start[i + 1] < end ? start[i + 1] : end;
		const VAL xi = alpha * x[row[i]];

		for (; k < stop; k++)
			sum[col_idx[k] - first] += val[k] * xi;
	}
}

#if EK_PER_TYPE

/* Fills the arrays of the list and sets its number of rows. Each row is written, and the next
 * overwrites it if it was empty, so that there are no branches. */
static void FN(nonempty_list)(const ek_store *A, nonempty *list)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	PTR *start = list->rows.array[CSR_PTR];
	IDX *row = list->row;
	int64_t n = 0;

	for (int64_t i = 0; i < A->rows; i++) {
		row[n] = (IDX)i;
		start[n] = row_ptr[i];
		n += row_ptr[i] < row_ptr[i + 1];
	}
	start[n] = (PTR)A->nnz;
	list->rows.rows = n;
}

#endif
#if EK_ONCE

typedef void list_fn(const ek_store *, nonempty *);

static ek_status make_list(eki_step *step, nonempty **out)
{
	static list_fn *const fill[EK_NTYPE] = EK_BY_TYPE(nonempty_list);
	const ek_store *A = step->in[0];
	const int64_t most = A->nnz < A->rows ? A->nnz : A->rows;
	nonempty *list;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *list, &list));
	*list = (nonempty){.rows = {.format = &ek_format_csr, .index = A->index, .nnz = A->nnz}};
	EK_RETURN_IF(
		eki_step_alloc(step, most + 1, eki_ptr_size(A->index), &list->rows.array[CSR_PTR]));
	EK_RETURN_IF(eki_step_alloc(step, most + 1, eki_idx_size(A->index), &list->row));
	fill[eki_type(A->value, A->index)](A, list);
	step->aux = *out = list;
	return EK_OK;
}

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(A, CSR_COL, begin, end, span);
}

static ek_status prepare(eki_step *step)
{
	static eki_carry_fn *const carry[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(nonempty_carry);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] =
		EK_BY_ISA_AND_TYPE(nonempty_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	nonempty *list;

	EK_RETURN_IF(make_list(step, &list));
	const int64_t n = list->rows.rows, work = A->nnz + n;

	list->few = work < step->ctx->small_work;
	list->long_y = !eki_in_cores(step, A->rows);
	if (step->op[0] == EK_OP_T && work + A->cols < step->ctx->small_work)
		step->threads = step->parts = 1;
	step->bytes += n * (int64_t)(eki_ptr_size(A->index) + eki_idx_size(A->index)) -
	               A->rows * (int64_t)eki_ptr_size(A->index);
	EK_RETURN_IF(eki_step_say(step, "%lld of %lld rows have entries\n", (long long)n,
	                          (long long)A->rows));
	return eki_drive_prepare(step, &(eki_drive){.units = A->nnz,
	                                            .carry = carry[step->isa][type],
	                                            .scatter = scatter[step->isa][type],
	                                            .span = span});
}

/* Runs op N. The parts are the same for every beta, so the bits of the sums are, too. */
static ek_status run_rows(const eki_step *step, const eki_run *v)
{
	const nonempty *list = step->aux;
	eki_run sums = *v;
	eki_step alone;

	if (eki_scale_keeps(v) && list->few) {
		alone = *step;
		alone.threads = 1;
		return eki_drive_run(&alone, v);
	}
	if (list->long_y) {
		eki_scale(step, v, 0, step->in[0]->rows);
		sums.beta = eki_real(1);
		sums.y0 = v->y;
	}
	return eki_drive_run(step, &sums);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	return step->op[0] == EK_OP_N ? run_rows(step, v) : eki_drive_run(step, v);
}

/* Predicts the time of op T. Unless most rows are empty, the method counts as no better than
 * csr_transposed.c, since a transposed copy, of whose rows the features say nothing, is often
 * faster than predicted. */
static double cost_t(const eki_features *f, double bytes, double n)
{
	const double rows = (double)f->stats.rows;

	return 2 * n < rows ? eki_csr_scatter_cost(f, bytes, n)
	                    : eki_csr_scatter_cost(f, f->csr_bytes, rows);
}

/* Predicts the time of a run in which beta is not 1, since a plan does not know beta. If beta is 1,
 * a run takes less, and other methods take as long as otherwise. */
static double cost(const eki_features *f)
{
	const eki_machine *m = f->machine;
	const double rows = (double)f->stats.rows, nnz = (double)f->stats.nnz;
	const double n = fmin(rows - (double)f->stats.empty_rows, nnz);
	const double ptr = (double)eki_ptr_size(f->index), idx = (double)eki_idx_size(f->index);
	const double bytes = f->csr_bytes - rows * ptr + n * (ptr + idx);
	const double list = m->list_row * rows / (double)f->calls;
	const double y_bytes = rows * (double)ek_value_size(f->value);
	const double far = eki_far(m, y_bytes) * fmin(n, y_bytes / 64); /* lines of y */
	eki_features few = *f;

	if (f->op == EK_OP_T)
		return list + cost_t(f, bytes, n);
	few.stats.rows = (int64_t)n;
	few.stats.row_mean = n > 0 ? nnz / n : 0;
	/* The rows whose end is missed are among those that have entries. */
	few.unforeseen_steps = fmin(1, f->unforeseen_steps * rows / fmax(1, n));
	return list + m->call + far / f->threads +
	       eki_cost(f, bytes, eki_csr_vector_work(&few) + m->strip * n);
}

static double memory(const eki_features *f)
{
	const double most = fmin((double)f->stats.rows, (double)f->stats.nnz);

	return most * (double)(eki_ptr_size(f->index) + eki_idx_size(f->index));
}

const ek_method ek_spmv_csr_nonempty = {
	.name = "spmv.csr.nonempty",
	.text = "a list of the rows that have entries; with beta = 1 nothing depends on the number "
		"of rows",
	.source = "Buluc and Gilbert 2008, DCSC",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BASE1_N | EKI_BASE1_T,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.run = run,
};

#endif
