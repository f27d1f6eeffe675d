/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products (P^T A) P in one pass: each row of P^T A is added up and immediately multiplied
 * by P, so P^T A is neither stored nor sorted.
 *
 * A row of P^T A has a sum and a flag for each column of A, and a list of its columns in the order
 * in which they first occur. The list grows without a branch: each column is written at the end of
 * the list, and the end moves on if the flag of the column was not set. The row of C is added up in
 * a window of all columns of C and read from it in order, as in spgemm/flags.c. Flags mark the
 * columns that the row has, and the groups of 64 columns that have some of them, so that reading
 * skips empty groups.
 *
 * Products are added up in the order of the entries of P^T and A, and in the order of the list, so
 * the bits depend neither on the number of threads nor on the instruction set.
 *
 * Cost: as many products as (P^T A) P in two steps. P^T, A and P are read and C is written. A row
 * of A is read from memory once if it stays in a cache as long as it is needed, and otherwise at
 * most once for each entry in the same row of P. Two separate products would also move 4 times the
 * bytes of P^T A, in new pages. Each thread has sums for all columns of A and of C; the number of
 * threads is limited so that all sums take at most twice the bytes of A.
 *
 * Gustavson 1978 (rows); Patwary et al. 2015 (flags); the fusion is our own, after the row-wise
 * triple product of McInnes et al. (PETSc, MatPtAP). */
#include "spgemm/flags.h"
#include "triple/triple.h"
#define EK_FILE "triple/csr_fused.c"
#include "base/for_each.h"

#include "spgemm/window_read.h"

#ifndef EK_TRIPLE_FUSED
#define EK_TRIPLE_FUSED

/* The scratch of one thread. Everything but `list` is 0 between rows. */
typedef struct fused_scratch {
	void *sum;     /* for each column of P^T A */
	uint8_t *flag; /* for each column of P^T A: 1 if the row has an entry there */
	void *list;    /* the columns of the row of P^T A */
	eki_window c;
} fused_scratch;

typedef int64_t fused_fn(const eki_rows_task *, const eki_triple *, const fused_scratch *);

#endif

/* Adds up row i of P^T A. Returns the number of its entries. */
static inline int64_t FN(fused_left)(const eki_triple *t, const fused_scratch *s, int64_t i,
                                     VAL alpha, bool read)
{
	const PTR *r_ptr = t->R->array[CSR_PTR], *a_ptr = t->A->array[CSR_PTR];
	const IDX *r_col = t->R->array[CSR_COL], *a_col = t->A->array[CSR_COL];
	const VAL *r_val = t->R->array[CSR_VAL], *a_val = t->A->array[CSR_VAL];
	VAL *restrict sum = s->sum;
	uint8_t *restrict flag = s->flag;
	IDX *restrict list = s->list;
	int64_t n = 0;

	for (PTR k = r_ptr[i]; k < r_ptr[i + 1]; k++) {
		const VAL r = read ? alpha * r_val[k] : 0;

		for (PTR e = a_ptr[r_col[k]]; e < a_ptr[r_col[k] + 1]; e++) {
			const IDX j = a_col[e];

			list[n] = j;
			n += !flag[j];
			flag[j] = 1;
			if (read)
				sum[j] += r * a_val[e];
		}
	}
	return n;
}

/* Multiplies the n entries of a row of P^T A by rows of P, adds the products to the window, and
 * clears the sums of that row. Returns the number of groups of 64 columns up to the last column
 * that was met. */
static inline int64_t FN(fused_right)(const eki_triple *t, const fused_scratch *s, int64_t n,
                                      bool read, bool mark)
{
	const PTR *p_ptr = t->P->array[CSR_PTR];
	const IDX *p_col = t->P->array[CSR_COL], *list = s->list;
	const VAL *p_val = t->P->array[CSR_VAL];
	VAL *restrict left = s->sum, *restrict sum = s->c.sum;
	uint8_t *restrict flag = s->c.flag, *restrict group = s->c.group;
	IDX last = -1;

	for (int64_t k = 0; k < n; k++) {
		const IDX row = list[k];
		const PTR begin = p_ptr[row], end = p_ptr[row + 1];
		const VAL a = left[row];

		left[row] = 0;
		s->flag[row] = 0;
		for (PTR e = begin; e < end; e++) {
			const IDX j = p_col[e];

			if (read)
				sum[j] += a * p_val[e];
			if (mark) {
				flag[j] = 1;
				group[j >> 6] = 1;
			}
		}
		if (end > begin && p_col[end - 1] > last)
			last = p_col[end - 1];
	}
	return ((int64_t)last + 64) / 64;
}

static int64_t FN(fused_rows)(const eki_rows_task *task, const eki_triple *t,
                              const fused_scratch *s)
{
	const VAL alpha = EK_SCALAR(task->run->alpha);
	const bool read = task->mode != EKI_ROWS_COUNT && eki_reads_factors(task->run);
	const ek_store *C = task->run->C;
	int64_t all = 0;

	for (int64_t i = task->begin; i < task->end; i++) {
		const int64_t n = read ? FN(fused_left)(t, s, i, alpha, true)
		                       : FN(fused_left)(t, s, i, alpha, false);
		const bool count = task->mode == EKI_ROWS_COUNT;
		IDX *col = count ? NULL : (IDX *)task->col + all;
		VAL *val = count ? NULL : (VAL *)task->val + all;
		int64_t entries, groups;

		if (task->mode == EKI_ROWS_VALUES) {
			entries = eki_ptr_at(C, i + 1) - eki_ptr_at(C, i);
			FN(fused_right)(t, s, n, read, false);
			FN(collect)
			(&s->c, (const IDX *)C->array[CSR_COL] + eki_ptr_at(C, i), entries, 0, val);
		} else {
			groups = read ? FN(fused_right)(t, s, n, true, true)
			              : FN(fused_right)(t, s, n, false, true);
			entries = FN(write)(&s->c, groups, 0, EKI_MARK_BOTH, col, val, 0);
		}
		if (task->lengths)
			eki_ptr_set(task->lengths, i + 1, entries);
		all += entries;
	}
	return all;
}

#if EK_ONCE

typedef struct fused {
	eki_triple t;
	eki_batches batches;
	eki_batch_buffers buffers;
	fused_fn *rows;
	int64_t list, width; /* longest list; columns of the window, a multiple of 4096 */
	int64_t at, part_bytes;
} fused;

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Cuts the rows of C into the batches that P^T A would have, and multiplies the bounds on their
 * entries by the length of the longest row of P. */
static ek_status make_batches(eki_step *step, fused *s)
{
	const int64_t entry = (int64_t)(ek_value_size(s->t.A->value) + eki_idx_size(s->t.A->index));
	const int64_t longest = eki_longest_row(step->ctx, s->t.P), cols = s->t.P->cols;
	const int64_t most =
		(int64_t)(step->ctx->machine->core_bytes / 2) / entry / (longest + !longest) + 1;
	eki_batches *b = &s->batches;
	eki_step left = *step;

	left.in[0] = s->t.R;
	left.in[1] = s->t.A;
	EK_RETURN_IF(eki_batches_make(&left, EKI_PRODUCT, most, b));
	s->list = b->row_bound;
	b->row_bound = least(eki_times(s->list, longest), cols);
	b->entries = eki_times(least(b->entries, most), longest);
	if (b->entries < b->row_bound)
		b->entries = b->row_bound;
	b->bound = fmin(b->bound * (double)longest, (double)s->t.R->rows * (double)cols);
	b->even = true; /* so that the entries of C are estimated by rows */
	return EK_OK;
}

/* Returns the size of a thread's scratch, in bytes. */
static int64_t thread_bytes(const fused *s)
{
	const int64_t size = (int64_t)ek_value_size(s->t.A->value);
	const int64_t idx = (int64_t)eki_idx_size(s->t.A->index);
	int64_t bytes = eki_align(eki_times(s->t.A->cols, size + 1));

	bytes = eki_plus(bytes, eki_align(eki_times(s->list + 1, idx)));
	bytes = eki_plus(bytes, eki_times(s->width, size + 1));
	return eki_align(eki_plus(bytes, s->width / 64));
}

/* Limits the number of threads: their scratch takes at most twice the bytes of A, and no more than
 * hints.memory allows. */
static void limit_parts(eki_step *step, const fused *s)
{
	const int64_t limit = step->problem->memory;
	const int64_t usual = eki_times(2, eki_store_bytes(s->t.A)) / s->part_bytes;

	if (usual < step->parts)
		step->parts = usual < 1 ? 1 : (int)usual;
	while (limit > 0 && step->parts > 1 &&
	       step->parts * s->part_bytes > limit - eki_plan_needs(step->plan))
		step->parts--;
}

static ek_status prepare(eki_step *step)
{
	static fused_fn *const fn[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(fused_rows);
	fused *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	EK_RETURN_IF(eki_triple_open(step, &s->t));
	step->state = s;
	EK_RETURN_IF(make_batches(step, s));
	step->in[0] = s->t.R; /* gives C its rows */
	step->in[1] = s->t.P; /* gives C its columns */
	step->parts = eki_output_parts(step, &s->batches);
	s->rows = fn[step->isa][eki_type(s->t.A->value, s->t.A->index)];
	s->width = 4096 * eki_groups(s->t.P->cols, 4096);
	s->part_bytes = thread_bytes(s);
	limit_parts(step, s);
	EK_RETURN_IF(eki_output_buffers(step, &s->batches, &s->buffers));
	return eki_step_scratch(step, eki_times(step->parts, s->part_bytes), 1, &s->at);
}

static ek_status refresh(eki_step *step)
{
	fused *s = step->state;

	eki_triple_refresh(step, &s->t);
	return EK_OK;
}

static int64_t rows(const eki_rows_task *t)
{
	const fused *s = t->step->state;
	const int64_t size = (int64_t)ek_value_size(s->t.A->value), n = s->t.A->cols;
	char *at = t->run->scratch + s->at + t->part * s->part_bytes;
	char *list = at + eki_align(n * (size + 1));
	char *sum = list + eki_align((s->list + 1) * (int64_t)eki_idx_size(s->t.A->index));
	uint8_t *flag = (uint8_t *)sum + s->width * size;
	uint8_t *group = flag + s->width;
	const fused_scratch scratch = {.sum = at,
	                               .flag = (uint8_t *)at + n * size,
	                               .list = list,
	                               .c = {.sum = sum, .flag = flag, .group = group}};

	if (t->fresh) {
		memset(at, 0, (size_t)(n * (size + 1)));
		memset(sum, 0, (size_t)((char *)group + s->width / 64 - sum));
	}
	return s->rows(t, &s->t, &scratch);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const fused *s = step->state;

	return eki_output(step, v, &s->batches, &s->buffers, rows);
}

/* Predicts the time of the products, and of reading the pattern. Only the comparison with the cost
 * of two products matters. */
static double cost(const eki_features *f)
{
	return eki_work_csr(f, EKI_LOOP_SCATTER);
}

/* Predicts the bytes of a thread's scratch, as if C had as many columns as A. */
static double memory(const eki_features *f)
{
	return 2 * (double)f->stats.cols * (double)(ek_value_size(f->value) + 1);
}

const ek_method ek_triple_csr_fused = {
	.name = "triple.csr.fused",
	.text = "(P^T A) P row by row, without storing P^T A",
	.source = "Gustavson 1978; own",
	.operation = EK_TRIPLE,
	.format = {&ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
