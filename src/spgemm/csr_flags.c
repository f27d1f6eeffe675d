/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on CSR by rows, with sums in a dense window of columns and flags of the columns that have
 * an entry (flags.c). Preparation reads the pattern of A and counts products. C is made in one
 * pass, or in two if memory is limited (output.c); a run into an existing C has one pass without
 * flags (numeric.c).
 *
 * The window has all columns of C if the sums of all threads fit into half of the last-level cache,
 * else as many as fit into half of a core's cache. hints.memory makes it smaller.
 *
 * With hints.unsorted, rows are lists (unsorted.c) in a window of all columns, unless the rows of B
 * have what makes sorted rows as fast: runs of consecutive columns; or the columns of the row
 * before plus 1, if rows are long or several runs are announced. Measured (Zen 5, one thread, 26
 * squares): lists took 0.5 to 0.95 times as long on the others (1.2 on two with many products for
 * an entry of C), up to 2.6 times as long with runs, and 0.75 to 1.2 on grids; runs into an
 * existing C took 0.87 to 1.09 times as long, and up to 1.7 on grids. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "spgemm/numeric.h"
#include "spgemm/unsorted.h"

enum { LEAST_WIDTH = 4096 }; /* columns of the smallest window */

typedef struct flags {
	eki_batches batches;
	eki_batch_buffers buffers;
	eki_b_pattern b;
	eki_flags_fn *rows, *numeric;
	eki_sort_short_fn *sort;
	/* Products of a row that `sort` can sort; 0 if columns are too large for keys. */
	int64_t few;
	eki_sort_short_fn *sort_list;
	int64_t list_most, near;       /* as in eki_window */
	int64_t width, at, part_bytes; /* of the window; scratch, and its bytes for each thread */
	bool unsorted;                 /* whether rows are lists, in a window of all columns */
} flags;

/* Returns the bytes of scratch that a thread needs, with a window of `width` columns. */
static int64_t thread_bytes(const eki_step *step, const flags *s, int64_t width)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);

	return width * (size + 1) + width / 8 + width / 64 +
	       eki_align((s->batches.row_lists + 2) * 8);
}

/* Does the same for rows that are lists. */
static int64_t list_bytes(const eki_step *step, int64_t width)
{
	const ek_store *A = step->in[0];

	return width * (int64_t)(ek_value_size(A->value) + 1 + eki_idx_size(A->index));
}

/* Returns how many columns have sums that half of a core's cache holds. */
static int64_t core_columns(const eki_step *step)
{
	return (int64_t)step->ctx->machine->core_bytes / 2 /
	       (int64_t)ek_value_size(step->in[0]->value);
}

int64_t eki_flags_window(const eki_step *step)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t shared = eki_cpu_cache() / 2 / step->parts / size;
	const int64_t core = core_columns(step);

	return shared > core ? shared : core;
}

/* Returns the width of a window of all columns, and of one more. */
static int64_t full_width(const eki_step *step)
{
	return eki_times(LEAST_WIDTH, step->in[1]->cols / LEAST_WIDTH + 1);
}

/* Returns the width of the window if memory is not limited. Each run clears the window, so it has
 * no more columns than there are products. */
static int64_t usual_width(const eki_step *step, const eki_batches *batches)
{
	const int64_t cols = eki_times(LEAST_WIDTH, eki_groups(step->in[1]->cols, LEAST_WIDTH));
	const int64_t core = core_columns(step);
	int64_t most = eki_flags_window(step);

	if (batches->products < (double)most)
		most = (int64_t)batches->products;
	if (cols <= most)
		return cols;
	most = core < most ? core : most;
	return most > LEAST_WIDTH ? most & -LEAST_WIDTH : LEAST_WIDTH;
}

/* Narrows the window as far as the limit on memory demands. If even the smallest is too large, the
 * plan refuses the method (eki_operands_limit). */
static void limit_width(const eki_step *step, flags *s)
{
	const int64_t left = step->problem->memory - eki_plan_needs(step->plan);
	const int64_t least = s->width < LEAST_WIDTH ? s->width : LEAST_WIDTH;

	if (step->problem->memory <= 0)
		return;
	while (s->width > least && step->parts * thread_bytes(step, s, s->width) > left)
		s->width = s->width / 2 > least ? s->width / 2 & -LEAST_WIDTH : least;
}

/* Tells whether rows of C are lists. Not if results must be reproducible, since runs of B are
 * looked for where there are vectors; and not in steps for a part of the rows, which another step
 * may compute in the next run. Clearing the windows of all threads takes no longer than the
 * products. */
static bool is_unsorted(const eki_step *step, const flags *s)
{
	const eki_problem *p = step->problem;
	const ek_store *B = step->in[1];
	const bool grid = s->b.shifted && (p->calls > 1 || B->nnz / EKI_RUN > B->rows);
	const double width = (double)full_width(step);

	return p->unsorted && !step->part && p->reproducible != EK_REPRO_STRICT && p->memory <= 0 &&
	       !s->b.run_ptr && !grid &&
	       (width <= LEAST_WIDTH || width * step->parts <= s->batches.products);
}

/* Returns how many columns of a window stay in the cache of a core with their sums and flags, and
 * leave room for their numbers in 31 bits. */
static int64_t near_columns(const eki_step *step, int64_t width)
{
	const double size = (double)ek_value_size(step->in[0]->value) + 1;
	const double most = fmin(step->ctx->machine->core_bytes / 2 / size,
	                         INT32_MAX >> EKI_LIST_BITS);

	return (double)width < most ? width : (int64_t)most;
}

/* Returns how many entries the buffer for a batch should have. */
static int64_t buffer_entries(const eki_step *step)
{
	const ek_store *A = step->in[0];
	const double entry = (double)(ek_value_size(A->value) + eki_idx_size(A->index));

	return (int64_t)(step->ctx->machine->core_bytes / 2 / entry);
}

static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0];
	const int64_t entries = buffer_entries(step);
	flags *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	EK_RETURN_IF(eki_batches_make(step, EKI_PRODUCT, entries, &s->batches));
	EK_RETURN_IF(eki_b_pattern_make(step, &s->batches, &s->b));
	step->parts = eki_output_parts(step, &s->batches);
	s->rows = eki_flags_rows[step->isa][eki_type(A->value, A->index)];
	s->numeric = eki_numeric_rows[step->isa][eki_type(A->value, A->index)];
	s->sort = eki_sort_short[step->isa][1][0];
	s->few = eki_short_max(step->isa, EK_INT64, 0);
	if (step->in[1]->cols >= INT64_MAX >> EKI_FEW_BITS)
		s->few = 0;
	s->sort_list = eki_sort_short[step->isa][A->index == EK_I64][0];
	s->list_most = eki_short_max(step->isa, A->index == EK_I64 ? EK_INT64 : EK_INT32, 0);
	s->unsorted = is_unsorted(step, s);
	if (s->unsorted) {
		s->width = full_width(step);
		s->part_bytes = list_bytes(step, s->width);
	} else {
		s->width = usual_width(step, &s->batches);
		limit_width(step, s);
		s->near = near_columns(step, s->width);
		s->part_bytes = thread_bytes(step, s, s->width);
	}
	step->state = s;
	EK_RETURN_IF(eki_output_buffers(step, &s->batches, &s->buffers));
	return eki_step_scratch(step, eki_times(step->parts, s->part_bytes), 1, &s->at);
}

/* Computes rows, sorted. */
static int64_t rows(const eki_rows_task *t)
{
	const flags *s = t->step->state;
	const int64_t size = (int64_t)ek_value_size(t->step->in[0]->value);
	char *scratch = t->run->scratch + s->at + t->part * s->part_bytes;
	uint8_t *flag = (uint8_t *)scratch + s->width * size;
	uint8_t *bits = flag + s->width, *group = bits + s->width / 8;
	int64_t *at = (int64_t *)(void *)(group + s->width / 64);
	const eki_window b = {.sum = scratch,
	                      .flag = flag,
	                      .bits = (uint64_t *)(void *)bits,
	                      .group = group,
	                      .at = at,
	                      .width = s->width,
	                      .clean = at + s->batches.row_lists + 1,
	                      .sort = s->sort,
	                      .few = s->few,
	                      .sort_list = s->sort_list,
	                      .list_most = s->list_most,
	                      .near = s->near,
	                      .b = &s->b};

	if (t->fresh && t->mode == EKI_ROWS_VALUES)
		*b.clean = 0;
	else if (t->fresh)
		memset(scratch, 0, (size_t)((char *)b.at - scratch));
	return t->mode == EKI_ROWS_VALUES ? s->numeric(t, &b) : s->rows(t, &b);
}

/* Does the same for rows that are lists. */
static int64_t unsorted_rows(const eki_rows_task *t)
{
	const flags *s = t->step->state;
	const ek_store *A = t->step->in[0];
	const int64_t flag = s->width * (int64_t)ek_value_size(A->value), list = flag + s->width;
	char *scratch = t->run->scratch + s->at + t->part * s->part_bytes;
	const eki_window b = {.sum = scratch,
	                      .flag = (uint8_t *)scratch + flag,
	                      .list = scratch + list,
	                      .width = s->width,
	                      .b = &s->b};

	if (t->fresh)
		memset(scratch, 0, (size_t)(t->mode == EKI_ROWS_VALUES ? flag : list));
	return eki_unsorted_rows[eki_type(A->value, A->index)](t, &b);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const flags *s = step->state;

	return eki_output(step, v, &s->batches, &s->buffers, s->unsorted ? unsorted_rows : rows);
}

static void report(const eki_step *step, char *text, size_t size)
{
	const flags *s = step->state;

	if (step->problem->unsorted)
		snprintf(text, size, "columns in rows of C: %s",
		         s->unsorted ? "in the order of the products, not sorted" : "ascending");
}

/* Predicts the time of the lists of B, one for each entry of A. A product costs what scattering
 * costs: in a product by op T where columns are consecutive, else, with finding the columns of C,
 * in a transposition. How many entries C has is not known: of 15 squares on a Zen 5 14 took 0.8 to
 * 2.9 times as long, one of 34 rows 5 times. */
static double cost(const eki_features *f)
{
	const double lists = (double)f->stats.nnz, apart = f->products - f->products_beside;

	return eki_cost(f, f->csr_bytes,
	                eki_work(f, EKI_LOOP_SCATTER, lists, lists * f->products_beside) +
	                        lists * apart * f->machine->scatter_entry);
}

const ek_method ek_spgemm_csr_flags = {
	.name = "spgemm.csr.flags",
	.text = "sums and flags in a dense window of columns",
	.source = "Gustavson 1978; Patwary et al. 2015; own",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.cost = cost,
	.prepare = prepare,
	.run = run,
	.report = report,
};
