/* SPDX-License-Identifier: BSD-3-Clause
 * Segments of rows, and the runs in them (csr_runs.h).
 *
 * First, as many rows are taken as fit into a segment. A shaped segment gets at most one of these
 * rows for each work-item. If more than a quarter of the work-items would then be idle, it gets
 * half, a quarter, ... as many rows as there are work-items. If all of its rows have shapes, they
 * are described by runs. The description is dropped if it takes too many bytes; then the segment
 * has all rows that fit, without a description. */
#include <string.h>

#include "spmv_gpu/csr_runs.h"
#include "spmv/patterns.h"
#include "spmv/row_blocks.h"

#ifndef EK_NO_GPU

enum {
	SHAPED = 4, /* kind of a shaped item; LOG_LANES to FIVES are factors in `what` */
	LOG_LANES = 1 << 3,
	ROWS = 1 << 7,
	RUNS = 1 << 17,
	FIVES = 1 << 27,
	RECORD = 4, /* numbers that describe a run */
	LONG_FOR_LANE = 4 * CSR_FLIGHT
};

/* A run: rows [row, end) of a segment, counted from the segment's first row. */
typedef struct row_run {
	int64_t row, end, start; /* start: first entry, counted from the segment's first entry */
	int64_t length;          /* entries of each row */
	uint32_t list;
	/* `first` is the column that the offsets of the first row count from, `step` the shift from
	 * row to row. */
	int64_t first, step;
} row_run;

/* The runs under construction. */
typedef struct maker {
	const ek_store *A;
	int w;
	int64_t tile;
	row_shapes found;
	/* If list l is in `offset`, place[l] is 1 + its position there. Otherwise place[l] is minus
	 * the number of rows that have the list. */
	int32_t *place;
	csr_runs r;
} maker;

static int64_t entries_of(const ek_store *A, int64_t begin, int64_t end)
{
	return eki_ptr_at(A, end) - eki_ptr_at(A, begin);
}

/* ---- One segment ----------------------------------------------------------------------------- */

/* Tells whether row i of the segment, which has the given shape, continues run r. If it is the
 * second row of the run, sets r->step. */
static bool continues(row_run *r, int64_t i, const row_shape *shape)
{
	const int64_t step = shape->first - r->first;

	if (shape->list != r->list)
		return false;
	if (i == r->row + 1 && step >= INT16_MIN && step <= INT16_MAX)
		r->step = step;
	return step == r->step * (i - r->row);
}

static void put_run(int32_t *record, const row_run *r)
{
	record[0] = (int32_t)r->list;
	record[1] = (int32_t)r->first;
	record[2] = (int32_t)(r->start + 65536 * r->row);
	record[3] = (int32_t)(r->length + 65536 * r->step);
}

/* Returns how many bytes of its list are charged to the run. The bytes of a list are divided
 * equally among all rows that use it. Returns 0 if the list already has a place in `offset`. */
static int64_t list_bytes(const maker *m, const row_run *r)
{
	const int64_t rows = -m->place[r->list];

	return rows > 0 ? eki_groups(2 * r->length * (r->end - r->row), rows) : 0;
}

/* Returns the place in `offset` of a list of n offsets. If the list has no place yet, assigns
 * one. */
static int64_t place_of(maker *m, uint32_t list, int64_t n)
{
	if (m->place[list] <= 0) {
		m->place[list] = (int32_t)m->r.offsets + 1;
		m->r.offsets += n;
	}
	return m->place[list] - 1;
}

/* Returns the run that begins with row i of the segment of rows [first, end). */
static row_run next_run(const maker *m, int64_t first, int64_t end, int64_t i)
{
	const row_shape *shape = m->found.of_row + first;
	row_run r = {.row = i, .list = shape[i].list, .first = shape[i].first};

	r.start = entries_of(m->A, first, first + i);
	r.length = entries_of(m->A, first + i, first + i + 1);
	for (r.end = i + 1; r.end < end - first; r.end++)
		if (!continues(&r, r.end, shape + r.end))
			break;
	return r;
}

/* Writes a description of rows [first, end), which have shapes, after the last description. Lists
 * are still given by their positions in row_shapes. Returns the number of runs, and adds the bytes
 * of their lists to *bytes. */
static int64_t describe(const maker *m, int64_t first, int64_t end, int64_t *bytes)
{
	const int64_t words = eki_groups(end - first, 32);
	int32_t *shape = m->r.shape + m->r.used, *word = shape + 1, *record = word + 2 * words;
	int64_t runs = 0;

	shape[0] = (int32_t)first;
	for (int64_t i = 0, k = 0; k < words; k++) {
		uint32_t begun = 0;

		word[2 * k + 1] = (int32_t)runs;
		while (i < end - first && i < 32 * (k + 1)) {
			const row_run r = next_run(m, first, end, i);

			begun |= UINT32_C(1) << i % 32;
			put_run(record + RECORD * runs++, &r);
			*bytes += list_bytes(m, &r);
			i = r.end;
		}
		word[2 * k] = (int32_t)begun;
	}
	return runs;
}

/* In the last description, lists are given by their positions in row_shapes. Replaces these by
 * places in `offset`. Called only if the description is going to be used. */
static void place_lists(maker *m, int64_t rows, int64_t runs)
{
	int32_t *record = m->r.shape + m->r.used + 1 + 2 * eki_groups(rows, 32);

	for (; runs > 0; runs--, record += RECORD)
		record[0] = (int32_t)place_of(m, (uint32_t)record[0], record[3] & 65535);
}

static int log_lanes(int64_t rows, int w)
{
	int log = 0;

	while (rows << (log + 1) <= w)
		log++;
	return log;
}

/* Returns the end of a shaped segment that begins at row `first`, if the rows before row `end` fit
 * into a segment. The segment has one row for each work-item, or as many as fit. It has fewer rows,
 * a power of two, if otherwise more than a quarter of the work-items would be idle, and if at least
 * tile / 2 entries remain in it. */
static int64_t shaped_end(const maker *m, int64_t first, int64_t end)
{
	const int w = m->w;
	const int64_t rows = end - first < w ? end - first : w;
	const int log = log_lanes(rows, w);
	const int64_t fewer = first + (w >> (log + 1));

	if (first + rows < m->A->rows && 4 * (rows << log) < 3 * w &&
	    2 * entries_of(m->A, first, fewer) >= m->tile)
		return fewer;
	return first + rows;
}

/* Returns the length of the longest of rows [first, end), or 0 if these rows cannot be a shaped
 * segment. */
static int64_t longest_shaped(const maker *m, int64_t first, int64_t end)
{
	int64_t longest = 0;

	if (entries_of(m->A, first, end) > m->tile)
		return 0;
	for (int64_t i = first; i < end; i++) {
		const int64_t entries = entries_of(m->A, i, i + 1);

		if (m->found.of_row[i].list == WIDE)
			return 0;
		longest = entries > longest ? entries : longest;
	}
	return longest <= (int64_t)LONG_FOR_LANE << log_lanes(end - first, m->w) ? longest : 0;
}

/* Tells whether n entries are loaded faster in groups of 5 than in groups of CSR_FLIGHT. The
 * estimate also counts the loads beyond the last entry, and counts each wait as two entries. */
static bool by_fives(int64_t n)
{
	return eki_groups(n, 5) * (5 + 2) < eki_groups(n, CSR_FLIGHT) * (CSR_FLIGHT + 2);
}

/* Adds rows [first, end) as a shaped segment if they can be one and if their description takes
 * fewer bytes than their row pointers and 16-bit columns. Returns whether they were added. */
static bool add_shaped(maker *m, int64_t first, int64_t end)
{
	const int64_t rows = end - first, entries = entries_of(m->A, first, end);
	const int64_t longest = longest_shaped(m, first, end);
	const int log = log_lanes(rows, m->w);
	int64_t runs, used, bytes = 0;

	if (longest == 0)
		return false;
	runs = describe(m, first, end, &bytes);
	used = 1 + 2 * eki_groups(rows, 32) + RECORD * runs;
	if (4 * used + bytes >= 2 * entries + rows * (int64_t)eki_ptr_size(m->A->index))
		return false;
	place_lists(m, rows, runs);
	m->r.where[m->r.count] = m->r.used;
	m->r.what[m->r.count] = SHAPED + LOG_LANES * log + ROWS * rows + RUNS * runs +
	                        FIVES * by_fives(eki_groups(longest, INT64_C(1) << log));
	m->r.used += used;
	m->r.rows += rows;
	m->r.entries += entries;
	return true;
}

/* ---- All segments ---------------------------------------------------------------------------- */

static void cut(maker *m)
{
	const eki_row_limit limit = {m->tile, m->tile / 2};
	int64_t end;

	for (int64_t i = 0; i < m->A->rows; i++)
		if (m->found.of_row[i].list != WIDE)
			m->place[m->found.of_row[i].list]--;
	for (int64_t i = 0; i < m->A->rows; i = end) {
		const int64_t most = eki_row_block_end(m->A, i, m->A->rows, limit);

		end = shaped_end(m, i, most);
		m->r.first[m->r.count] = i;
		m->r.what[m->r.count] = 0;
		if (!add_shaped(m, i, end))
			end = most;
		m->r.first[++m->r.count] = end;
	}
}

/* Fills `offset` with the lists of the runs, each at its place and without the length that precedes
 * it. */
static ek_status collect(const ek_context *ctx, maker *m)
{
	void *block;

	m->r.offsets += CSR_FLIGHT;
	EK_RETURN_IF(eki_calloc(ctx, m->r.offsets, sizeof *m->r.offset, &block));
	m->r.offset = block;
	for (int64_t at = 0; at < m->found.lists; at++) {
		const uint16_t *list = m->found.list + at;
		const int64_t n = *list & LENGTH;

		if (m->place[at] > 0)
			memcpy(m->r.offset + m->place[at] - 1, list + 1, (size_t)n * sizeof *list);
		at += n;
	}
	return EK_OK;
}

static ek_status alloc_arrays(const ek_context *ctx, maker *m)
{
	const eki_row_limit limit = {m->tile, m->tile / 2 < m->w ? m->tile / 2 : m->w};
	csr_runs *r = &m->r;
	void *block[3];

	/* This is twice the usual bound, since a segment that is shortened may be half empty. */
	r->most = 2 * eki_row_blocks_most(m->A->rows, m->A->nnz, limit) + 1;
	r->capacity = RECORD * m->A->rows + m->A->rows / 16 + 3 * r->most;
	EK_RETURN_IF(eki_alloc(ctx, 3 * r->most, sizeof *r->first, &block[0]));
	r->first = block[0];
	r->what = r->first + r->most;
	r->where = r->what + r->most;
	EK_RETURN_IF(eki_alloc(ctx, r->capacity, sizeof *r->shape, &block[1]));
	r->shape = block[1];
	EK_RETURN_IF(eki_calloc(ctx, m->found.lists, sizeof *m->place, &block[2]));
	m->place = block[2];
	return EK_OK;
}

ek_status csr_runs_make(const eki_step *step, int w, int64_t tile, csr_runs *out)
{
	maker m = {.A = step->in[0], .w = w, .tile = tile};
	ek_status status;

	EK_TRY(eki_row_shapes_find(step->ctx, m.A, step->threads, &m.found));
	EK_TRY(alloc_arrays(step->ctx, &m));
	cut(&m);
	EK_TRY(collect(step->ctx, &m));
done:
	eki_free(step->ctx, m.place, m.found.lists, sizeof *m.place);
	eki_row_shapes_free(step->ctx, &m.found);
	*out = m.r;
	return status;
}

void csr_runs_free(const ek_context *ctx, csr_runs *r)
{
	eki_free(ctx, r->first, 3 * r->most, sizeof *r->first);
	eki_free(ctx, r->shape, r->capacity, sizeof *r->shape);
	eki_free(ctx, r->offset, r->offsets, sizeof *r->offset);
}

#endif
