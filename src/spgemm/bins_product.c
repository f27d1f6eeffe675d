/* SPDX-License-Identifier: BSD-3-Clause
 * Stages 3 and 4 of SpGEMM by bins (csr_bins.c): the rows of C are computed, most of them into
 * temporary rows, and copied to C.
 *
 * In a launch, threads take pieces of bins one after the other, those with the longest rows first,
 * so there is little to wait for at the end. Which thread computes a row does not change the
 * result.
 *
 * Temporary rows lie side by side in one block. Rows that are full - of group 5 or, if rooms are
 * guessed, of groups 3 to 5 - get new places in another block, and are launched again. Blocks are
 * freed when C is done. Rows are copied in the order of C, so its pages are written from first to
 * last.
 *
 * Liu 2015, section 9.4.2. */
#include <string.h>

#include "spgemm/bins_product.h"
#include "spgemm/bins_rooms.h"
#include "prim_body/search.h"

enum {
	BLOCKS = 96, /* temporary rows, their states, and one block for each time that rows grow */
	ARRANGE_ROWS = 1024 /* rows that a thread copies at a time */
};

/* ---- Stage 3 --------------------------------------------------------------------------------- */

typedef struct product {
	const eki_step *step;
	const eki_bins_state *s;
	eki_rows_task task;
	const int64_t *at;
	eki_long_row *longs; /* states of the rows that may grow, or NULL */
	int64_t pieces;
	_Atomic int64_t next, nnz;
	/* memory of the run */
	struct {
		void *block;
		int64_t count;
		size_t size;
	} block[BLOCKS];
	int blocks;
	int64_t bytes, uncapped, launches;
} product;

/* Returns the place, in s->bins.row, of the first row that may grow. */
static int64_t row_of_long(const eki_bins_state *s)
{
	return s->bins.begin[eki_bins_growing(&s->bins)];
}

static int64_t longs_of(const eki_bins_state *s)
{
	return s->bins.begin[EKI_BINS] - row_of_long(s);
}

/* Computes piece number `number`. Returns the number of its entries. */
static int64_t piece_rows(const product *o, const eki_rows_task *task, int64_t number)
{
	const eki_run *v = task->run;
	const eki_bins_state *s = o->s;
	int bin = EKI_BIN_LONG;

	while (number >= s->piece_end[bin])
		bin--;
	number -= bin == EKI_BIN_LONG ? 0 : s->piece_end[bin + 1];
	const int64_t begin = s->bins.begin[bin] + number * s->piece_rows[bin];
	const int64_t left = s->bins.begin[bin + 1] - begin;
	const eki_bin_group group = eki_bin_group_of(bin);
	const eki_bins_piece piece = {
		.task = task,
		.tools = &s->tools,
		.scratch = (eki_bins_scratch *)(void *)(v->scratch + s->scratch) + task->part,
		.counted = v->scratch + s->counted + task->part * s->counted_bytes,
		.group = group > EKI_GROUP_COPY && !s->keys ? EKI_GROUP_MERGE : group,
		.row = s->bins.row + begin,
		.rows = left < s->piece_rows[bin] ? left : s->piece_rows[bin],
		.at = o->at,
		.long_rows = bin >= eki_bins_growing(&s->bins) && o->longs
	                             ? o->longs + begin - row_of_long(s)
	                             : NULL};
	const ek_store *A = o->step->in[0];

	return eki_bins_rows[eki_type(A->value, A->index)](&piece);
}

static void launch_part(void *arg, int part)
{
	product *o = arg;
	eki_rows_task task = o->task;
	int64_t number, nnz = 0;

	task.part = part;
	while ((number = atomic_fetch_add(&o->next, 1)) < o->pieces)
		nnz += piece_rows(o, &task, number);
	atomic_fetch_add(&o->nnz, nnz);
}

/* Computes the rows of the first `pieces` pieces. */
static void launch(product *o, eki_rows_mode mode, int64_t pieces)
{
	o->task.mode = mode;
	o->pieces = pieces;
	o->launches++;
	atomic_store(&o->next, 0);
	eki_parallel(o->step->ctx, o->step->threads, o->step->parts, launch_part, o);
}

static ek_status take_block(product *o, int64_t count, size_t size, void *out)
{
	void *block;

	EK_RETURN_IF(eki_alloc(o->step->ctx, count, size, &block));
	o->block[o->blocks].block = block;
	o->block[o->blocks].count = count;
	o->block[o->blocks++].size = size;
	o->bytes += count * (int64_t)size;
	memcpy(out, &block, sizeof block);
	return EK_OK;
}

/* Allocates room for `count` entries. The wider of columns and values comes first, so that both are
 * aligned. */
static ek_status take_entries(product *o, int64_t count, char **col, char **val)
{
	const size_t idx = eki_idx_size(o->step->in[0]->index);
	const size_t size = ek_value_size(o->step->in[0]->value);
	char *block;

	EK_RETURN_IF(take_block(o, count, idx + size, &block));
	*col = block && size > idx ? block + (size_t)count * size : block;
	*val = block && size <= idx ? block + (size_t)count * idx : block;
	return EK_OK;
}

/* Gives the rows that may grow their first places. */
static ek_status begin_longs(product *o)
{
	const eki_bins_state *s = o->s;
	const int64_t *row = s->bins.row + row_of_long(s);
	const size_t idx = eki_idx_size(o->step->in[0]->index);
	const size_t size = ek_value_size(o->step->in[0]->value);

	EK_RETURN_IF(take_block(o, longs_of(s), sizeof *o->longs, &o->longs));
	for (int64_t k = 0; k < longs_of(s); k++) {
		const size_t at = (size_t)s->bins.at[row[k]];
		const int64_t room = s->bins.room ? s->bins.room[row[k]] : EKI_LONG_FIRST;

		o->longs[k] = (eki_long_row){.col = (char *)o->task.col + at * idx,
		                             .val = (char *)o->task.val + at * size,
		                             .capacity = room,
		                             .uncapped = room};
	}
	return EK_OK;
}

/* Lets the room of each full row grow, up to its bound. Sets *some to whether there are full
 * rows. */
static ek_status grow(product *o, bool *some)
{
	const size_t idx = eki_idx_size(o->step->in[0]->index);
	const size_t size = ek_value_size(o->step->in[0]->value);
	const eki_bin_memory memory = o->s->memory;
	int64_t all = 0, uncapped = 0;
	char *col, *val;

	*some = false;
	for (int64_t k = 0; k < longs_of(o->s); k++) {
		eki_long_row *r = &o->longs[k];

		if (r->done)
			continue;
		*some = true;
		all = eki_plus(all, eki_bins_grown(memory, r->capacity, r->bound));
		r->uncapped = eki_bins_grown(memory, r->uncapped, INT64_MAX);
		uncapped = eki_plus(uncapped, r->uncapped);
	}
	if (!*some)
		return EK_OK;
	EK_RETURN_IF(take_entries(o, all, &col, &val));
	o->uncapped += uncapped * (int64_t)(idx + size);
	for (int64_t k = 0; k < longs_of(o->s); k++) {
		eki_long_row *r = &o->longs[k];

		if (r->done)
			continue;
		r->old_col = r->col;
		r->old_val = r->val;
		r->capacity = eki_bins_grown(memory, r->capacity, r->bound);
		r->col = col;
		r->val = val;
		col += (size_t)r->capacity * idx;
		val += (size_t)r->capacity * size;
	}
	return EK_OK;
}

/* ---- Stage 4 --------------------------------------------------------------------------------- */

/* Returns the state of row i, or NULL if it does not grow. *next is the state of the first of the
 * rows that grow and come later, unless each row has its place in s->bins.rank. */
static const eki_long_row *state_of(const product *o, int64_t i, int64_t *next)
{
	const eki_bins_state *s = o->s;
	const int64_t *longs = s->bins.row + row_of_long(s);
	const int64_t *rank = s->bins.rank;

	if (rank)
		return rank[i] < row_of_long(s) ? NULL : o->longs + rank[i] - row_of_long(s);
	if (*next >= longs_of(s) || longs[*next] != i)
		return NULL;
	return o->longs + (*next)++;
}

/* Copies rows [begin, end) from their temporary places to C. */
static void arrange_rows(const product *o, int64_t begin, int64_t end)
{
	const eki_bins_state *s = o->s;
	const int64_t *longs = s->bins.row + row_of_long(s), count = longs_of(s);
	const ek_store *C = o->task.run->C;
	const size_t idx = eki_idx_size(C->index), size = ek_value_size(C->value);
	int64_t k = o->longs && !s->bins.rank ? eki_lower_bound(longs, 0, count, begin) : count;
	size_t at = (size_t)eki_ptr_at(C, begin), n;

	for (int64_t i = begin; i < end; i++, at += n) {
		const eki_long_row *state = o->longs ? state_of(o, i, &k) : NULL;
		const char *col, *val;

		n = (size_t)eki_ptr_at(C, i + 1) - at;
		if (n == 0) /* and so without an offset to arrays that may be NULL */
			continue;
		if (state) {
			col = state->col;
			val = state->val;
		} else {
			col = (char *)o->task.col + (size_t)o->at[i] * idx;
			val = (char *)o->task.val + (size_t)o->at[i] * size;
		}
		memcpy((char *)C->array[CSR_COL] + at * idx, col, n * idx);
		memcpy((char *)C->array[CSR_VAL] + at * size, val, n * size);
	}
}

static void arrange_part(void *arg, int part)
{
	product *o = arg;
	const int64_t rows = o->step->in[0]->rows;
	int64_t group;

	(void)part;
	while ((group = atomic_fetch_add(&o->next, 1)) < o->pieces)
		arrange_rows(o, eki_group(rows, ARRANGE_ROWS, group),
		             eki_group(rows, ARRANGE_ROWS, group + 1));
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Computes C by way of temporary rows. */
static ek_status with_temporary(product *o)
{
	const eki_bins_state *s = o->s;
	ek_store *C = o->task.run->C;
	bool some = false;
	char *col, *val;

	EK_RETURN_IF(take_entries(o, s->temporary, &col, &val));
	o->task.col = col;
	o->task.val = val;
	o->task.lengths = C;
	o->at = s->bins.at;
	if (eki_bins_grow(s->memory) && longs_of(s) > 0)
		EK_RETURN_IF(begin_longs(o));
	o->uncapped = o->bytes;
	launch(o, EKI_ROWS_MAKE, s->piece_end[0]);
	while (o->longs) {
		EK_RETURN_IF(grow(o, &some));
		if (!some)
			break;
		launch(o, EKI_ROWS_MAKE, s->piece_end[eki_bins_growing(&s->bins)]);
	}
	EK_RETURN_IF(eki_output_entries(o->step, C, atomic_load(&o->nnz)));
	o->pieces = eki_groups(C->rows, ARRANGE_ROWS);
	atomic_store(&o->next, 0);
	eki_parallel(o->step->ctx, o->step->threads, o->step->parts, arrange_part, o);
	return EK_OK;
}

static ek_status precisely(product *o)
{
	ek_store *C = o->task.run->C;
	const int64_t pieces = o->s->piece_end[0];

	o->task.lengths = C;
	launch(o, EKI_ROWS_COUNT, pieces);
	EK_RETURN_IF(eki_output_entries(o->step, C, atomic_load(&o->nnz)));
	o->task.lengths = NULL;
	o->task.col = C->array[CSR_COL];
	o->task.val = C->array[CSR_VAL];
	launch(o, EKI_ROWS_MAKE, pieces);
	o->bytes = o->uncapped = o->s->counted_bytes * o->step->parts;
	return EK_OK;
}

static ek_status make(product *o)
{
	eki_bins_state *s = o->step->state;
	ek_store *C = o->task.run->C;
	ek_status status;

	EK_TRY(eki_output_begin(o->step, C));
	status = s->memory == EKI_MEMORY_PRECISE ? precisely(o) : with_temporary(o);
	atomic_store(&s->bytes, o->bytes);
	atomic_store(&s->uncapped, o->uncapped);
	atomic_store(&s->launches, o->launches);
done:
	for (int k = 0; k < o->blocks; k++)
		eki_free(o->step->ctx, o->block[k].block, o->block[k].count, o->block[k].size);
	if (status != EK_OK)
		eki_store_free(o->step->ctx, C);
	return status;
}

ek_status eki_bins_run(const eki_step *step, const eki_run *v)
{
	product o = {.step = step, .s = step->state, .task = {.step = step, .run = v}};

	if (!v->C->array[CSR_PTR])
		return make(&o);
	o.task.val = v->C->array[CSR_VAL];
	launch(&o, EKI_ROWS_VALUES, o.s->piece_end[0]);
	return EK_OK;
}
