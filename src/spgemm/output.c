/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of C. There are two ways to fill them.
 *
 * In one pass: threads take batches of rows in order. A thread computes a batch into a buffer that
 * fits into its cache. Then it waits until the number of entries before the batch is known,
 * publishes the number after the batch, and copies the buffer to its place in C. So every page of C
 * is written once, C is in order, and there is no other large array. The arrays are allocated for
 * an estimate of nnz(C), from a sample of rows. Pages that are never written take no memory. If the
 * estimate was too low, the threads stop, the arrays grow, and the threads go on with the batch
 * that did not fit. The chained wait is that of a scan in one pass (Merrill, Garland 2016:
 * decoupled look-back). One thread alone computes rows where they stay, without a buffer, as long
 * as there is room for all entries that the next row may have.
 *
 * In two passes: the first counts the entries of all rows. Then the arrays are allocated with the
 * right lengths, and the second pass fills them. This takes the least memory. It is used if memory
 * is limited, if functions of the caller allocate it, where unused pages may take memory, and if
 * the buffers would be large.
 *
 * If C has a pattern already, one pass writes the values. */
#include <math.h>
#include <string.h>

#include "spgemm/estimate.h"

/* Room for MARGIN times the estimate of nnz(C), plus MARGIN_PLUS entries; then GROWTH times as
 * much. */
#define MARGIN      1.1
#define MARGIN_PLUS 4096
#define GROWTH      1.5
enum { BUFFER_MOST = 4 << 20 }; /* largest buffer for a batch, in bytes */

struct output {
	const eki_step *step;
	const eki_run *run;
	const eki_batches *batches;
	const eki_batch_buffers *buffers;
	eki_rows_fn *rows;
	ek_store *C;
	eki_rows_mode mode;
	size_t col_size, val_size;
	int64_t capacity;      /* entries that the arrays have room for */
	_Atomic int64_t next;  /* batch to take next */
	_Atomic int64_t ready; /* number of batches before which all lengths are known */
	_Atomic int full;      /* 1 if batch `ready` did not fit */
	int64_t at;            /* number of entries in the batches before `ready` */
	int64_t row;           /* the next row, if one thread makes C */
	_Atomic int64_t nnz;   /* number of entries that were counted */
};

/* ---- Common parts ---------------------------------------------------------------------------- */

static ek_status overflow(const ek_store *C, int64_t nnz)
{
	return eki_fail(EK_EOVERFLOW,
	                "C has %lld entries, which do not fit row pointers of type %s: set "
	                "hints.index to EK_I64_32",
	                (long long)nnz, ek_index_name(C->index));
}

static eki_rows_task task_of(const struct output *o, int part, int64_t batch, bool fresh)
{
	return (eki_rows_task){.step = o->step,
	                       .run = o->run,
	                       .mode = o->mode,
	                       .part = part,
	                       .fresh = fresh,
	                       .begin = o->batches->begin[batch],
	                       .end = o->batches->begin[batch + 1]};
}

int eki_output_parts(const eki_step *step, const eki_batches *b)
{
	const double work = b->products + (double)step->in[0]->rows;

	return work <= 2.0 * (double)step->ctx->small_work ? 1 : step->parts;
}

/* ---- Two passes ------------------------------------------------------------------------------ */

/* Takes batches and computes them, until none is left. */
static void two_pass_part(void *arg, int part)
{
	struct output *o = arg;
	int64_t batch, nnz = 0;

	for (bool fresh = true; (batch = atomic_fetch_add(&o->next, 1)) < o->batches->count;
	     fresh = false) {
		eki_rows_task task = task_of(o, part, batch, fresh);

		if (o->mode == EKI_ROWS_COUNT) {
			task.lengths = o->C;
		} else {
			const int64_t at = eki_ptr_at(o->C, task.begin);

			task.col = (char *)o->C->array[CSR_COL] + (size_t)at * o->col_size;
			task.val = (char *)o->C->array[CSR_VAL] + (size_t)at * o->val_size;
		}
		nnz += o->rows(&task);
	}
	atomic_fetch_add(&o->nnz, nnz);
}

static void two_pass(struct output *o, eki_rows_mode mode, int parts)
{
	if (mode != EKI_ROWS_COUNT && o->C->nnz == 0) /* C may have no arrays */
		return;
	o->mode = mode;
	atomic_store(&o->next, 0);
	eki_parallel(o->step->ctx, o->step->threads, parts, two_pass_part, o);
}

ek_status eki_output_begin(const eki_step *step, ek_store *C)
{
	const ek_store *A = step->in[0], *B = step->in[1];

	*C = (ek_store){.format = &ek_format_csr,
	                .value = A->value,
	                .index = step->problem->index,
	                .rows = A->rows,
	                .cols = B->cols,
	                .len = {A->rows + 1},
	                .there = C->there};
	return eki_alloc(step->ctx, A->rows + 1, eki_ptr_size(C->index), &C->array[CSR_PTR]);
}

ek_status eki_output_arrays(const eki_step *step, ek_store *C, int64_t nnz)
{
	const ek_context *ctx = step->ctx;

	if (nnz > eki_ptr_max(C->index))
		return overflow(C, nnz);
	if (!C->there)
		EK_RETURN_IF(eki_alloc(ctx, nnz, eki_idx_size(C->index), &C->array[CSR_COL]));
	C->len[CSR_COL] = nnz;
	if (!C->there)
		EK_RETURN_IF(eki_alloc(ctx, nnz, ek_value_size(C->value), &C->array[CSR_VAL]));
	C->len[CSR_VAL] = C->nnz = nnz;
	return EK_OK;
}

ek_status eki_output_entries(const eki_step *step, ek_store *C, int64_t nnz)
{
	EK_RETURN_IF(eki_output_arrays(step, C, nnz));
	eki_ptr_sum(step->ctx, C);
	return EK_OK;
}

static ek_status count_and_fill(struct output *o, int parts)
{
	two_pass(o, EKI_ROWS_COUNT, parts);
	EK_RETURN_IF(eki_output_entries(o->step, o->C, atomic_load(&o->nnz)));
	two_pass(o, EKI_ROWS_MAKE, parts);
	return EK_OK;
}

/* ---- One pass -------------------------------------------------------------------------------- */

/* Waits until all batches before `batch` have published their lengths. Returns false if the threads
 * must stop. */
static bool wait_for_turn(struct output *o, int64_t batch)
{
	for (eki_wait wait = {0}; atomic_load_explicit(&o->ready, memory_order_acquire) != batch;) {
		if (atomic_load_explicit(&o->full, memory_order_relaxed))
			return false;
		eki_pause(&wait);
	}
	return true;
}

/* Makes row pointers of the lengths of a batch whose first entry is number `at`. */
static void end_rows(struct output *o, const eki_rows_task *task, int64_t at)
{
	for (int64_t i = task->begin; i < task->end; i++)
		eki_ptr_set(o->C, i + 1, at += eki_ptr_at(o->C, i + 1));
}

static void copy_batch(struct output *o, const eki_rows_task *task, int64_t at, int64_t count)
{
	ek_store *C = o->C;

	if (count > 0) { /* otherwise C may have no arrays */
		memcpy((char *)C->array[CSR_COL] + (size_t)at * o->col_size, task->col,
		       (size_t)count * o->col_size);
		memcpy((char *)C->array[CSR_VAL] + (size_t)at * o->val_size, task->val,
		       (size_t)count * o->val_size);
	}
	end_rows(o, task, at);
}

static void one_pass_part(void *arg, int part)
{
	struct output *o = arg;
	const int64_t entries = o->buffers->entries;
	const size_t bytes = (size_t)entries * (o->col_size + o->val_size);
	char *buffer = o->run->scratch + o->buffers->at + (size_t)part * bytes;
	int64_t batch;

	for (bool fresh = true; (batch = atomic_fetch_add(&o->next, 1)) < o->batches->count;
	     fresh = false) {
		eki_rows_task task = task_of(o, part, batch, fresh);
		int64_t count, at;

		task.val = buffer;
		task.col = buffer + (size_t)entries * o->val_size;
		task.lengths = o->C;
		count = o->rows(&task);
		if (!wait_for_turn(o, batch))
			return;
		at = o->at;
		if (at + count > o->capacity) {
			atomic_store(&o->full, 1);
			return;
		}
		o->at = at + count;
		atomic_store_explicit(&o->ready, batch + 1, memory_order_release);
		copy_batch(o, &task, at, count);
	}
}

/* Returns how far the rows from `begin` on, of the batch that ends at `end`, surely fit. */
static int64_t fitting(const struct output *o, int64_t begin, int64_t end)
{
	const eki_batches *b = o->batches;
	int64_t room = o->capacity - o->at, i = begin;

	if (room >= o->buffers->entries || (double)o->capacity >= b->bound)
		return end;
	for (; i < end; i++) {
		const double terms =
			b->even ? INFINITY : eki_batch_terms(o->step, b->kind, i, i + 1);

		room -= terms < (double)b->row_bound ? (int64_t)terms : b->row_bound;
		if (room < 0)
			break;
	}
	return i;
}

/* Computes rows from o->row on, in batch `ready`, in their places in C, as long as they fit. */
static void fill_in_place(struct output *o)
{
	int64_t batch = atomic_load(&o->ready);

	for (bool fresh = true; batch < o->batches->count; fresh = false) {
		eki_rows_task task = task_of(o, 0, batch, fresh);
		const int64_t at = o->at, end = task.end;

		task.begin = o->row;
		task.end = fitting(o, task.begin, end);
		if (task.begin == task.end)
			break;
		task.col = (char *)o->C->array[CSR_COL] + (size_t)at * o->col_size;
		task.val = (char *)o->C->array[CSR_VAL] + (size_t)at * o->val_size;
		task.lengths = o->C;
		o->at += o->rows(&task);
		end_rows(o, &task, at);
		o->row = task.end;
		batch += task.end == end;
	}
	atomic_store(&o->ready, batch);
}

/* Gives the arrays of C room for `capacity` entries, and keeps the entries that they have. */
static ek_status resize(struct output *o, int64_t capacity)
{
	const ek_context *ctx = o->step->ctx;
	const size_t size[] = {[CSR_COL] = o->col_size, [CSR_VAL] = o->val_size};

	for (int k = CSR_COL; k <= CSR_VAL; k++) {
		void *block;

		EK_RETURN_IF(eki_alloc(ctx, capacity, size[k], &block));
		eki_copy_into(ctx, block, o->C->array[k], o->at, size[k]);
		eki_free(ctx, o->C->array[k], o->C->len[k], size[k]);
		o->C->array[k] = block;
		o->C->len[k] = capacity;
	}
	o->capacity = capacity;
	return EK_OK;
}

/* Gives back the memory past the last entry. */
static ek_status trim(struct output *o)
{
	const ek_context *ctx = o->step->ctx;
	ek_store *C = o->C;

	C->nnz = o->at;
	EK_RETURN_IF(eki_trim(ctx, &C->array[CSR_COL], C->len[CSR_COL], o->at, o->col_size));
	C->len[CSR_COL] = o->at;
	EK_RETURN_IF(eki_trim(ctx, &C->array[CSR_VAL], C->len[CSR_VAL], o->at, o->val_size));
	C->len[CSR_VAL] = o->at;
	return EK_OK;
}

/* Starts over in two passes, since C may have more entries than its row pointers can count, or than
 * there is memory for. */
static ek_status count_again(struct output *o, int parts)
{
	for (int k = CSR_COL; k <= CSR_VAL; k++) {
		eki_free(o->step->ctx, o->C->array[k], o->C->len[k],
		         k == CSR_COL ? o->col_size : o->val_size);
		o->C->array[k] = NULL;
		o->C->len[k] = 0;
	}
	return count_and_fill(o, parts);
}

/* Returns for how many entries C gets room at first: all that there may be, if they are few and so
 * few rows have them that an estimate would compute many of these twice. */
static double first_room(struct output *o)
{
	const double bound = o->batches->bound;
	const bool in_place = o->buffers->in_place;

	if (in_place && o->C->rows < EKI_ESTIMATE_FROM &&
	    bound * (double)(o->col_size + o->val_size) <= BUFFER_MOST)
		return bound;
	return MARGIN * eki_output_estimate(o->step, o->run, o->batches, o->rows) + MARGIN_PLUS +
	       (in_place ? (double)o->batches->row_bound : 0);
}

static ek_status in_one_pass(struct output *o, int parts)
{
	const double bound = o->batches->bound;
	double want = first_room(o);

	eki_ptr_set(o->C, 0, 0);
	o->mode = EKI_ROWS_MAKE;
	while (atomic_load(&o->ready) < o->batches->count) {
		if (want > bound)
			want = bound;
		if (want > (double)eki_ptr_max(o->C->index) || resize(o, (int64_t)want) != EK_OK)
			return count_again(o, parts);
		atomic_store(&o->full, 0);
		atomic_store(&o->next, atomic_load(&o->ready));
		if (o->buffers->in_place)
			fill_in_place(o);
		else
			eki_parallel(o->step->ctx, o->step->threads, parts, one_pass_part, o);
		want = GROWTH * (double)o->capacity + (double)o->buffers->entries;
	}
	return trim(o);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

ek_status eki_output_buffers(eki_step *step, const eki_batches *batches, eki_batch_buffers *buffers)
{
	const ek_store *A = step->in[0];
	const size_t entry = ek_value_size(A->value) + eki_idx_size(A->index);
	/* a multiple of the alignment, so that the buffer of each part is aligned, too */
	const int64_t entries = eki_align(batches->entries);

	*buffers = (eki_batch_buffers){0};
	if (step->problem->memory > 0 || !eki_heap_is_default(step->ctx))
		return EK_OK;
	buffers->in_place = step->parts == 1;
	if (!buffers->in_place && entries > BUFFER_MOST / (int64_t)entry)
		return EK_OK;
	buffers->entries = entries;
	if (buffers->in_place)
		return EK_OK;
	return eki_step_scratch(step, step->parts, (size_t)entries * entry, &buffers->at);
}

static ek_status fill(struct output *o, int parts)
{
	ek_store *C = o->C;
	ek_status status;

	EK_TRY(eki_output_begin(o->step, C));
	status = o->buffers->entries && C->rows > 0 ? in_one_pass(o, parts)
	                                            : count_and_fill(o, parts);
done:
	if (status != EK_OK)
		eki_store_free(o->step->ctx, C);
	return status;
}

ek_status eki_output(const eki_step *step, const eki_run *v, const eki_batches *batches,
                     const eki_batch_buffers *buffers, eki_rows_fn *rows)
{
	const int parts = eki_output_parts(step, batches);
	struct output o = {.step = step,
	                   .run = v,
	                   .batches = batches,
	                   .buffers = buffers,
	                   .rows = rows,
	                   .C = v->C,
	                   .col_size = eki_idx_size(step->problem->index),
	                   .val_size = ek_value_size(step->in[0]->value)};

	if (!v->C->array[CSR_PTR])
		return fill(&o, parts);
	two_pass(&o, EKI_ROWS_VALUES, parts);
	return EK_OK;
}
