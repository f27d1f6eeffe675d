/* SPDX-License-Identifier: BSD-3-Clause
 * Stretches of rows, and the runs in them (csr_runs.h).
 *
 * As many rows as fit, first; if they all have shapes, as many of them as there are work-items, or
 * half, a quarter, ... of that where else more than a quarter of the work-items had nothing to do.
 * They are described in any case, and that is forgotten if it takes too many bytes. */
#include <string.h>

#include "gpu_spmv/csr_runs.h"
#include "spmv/patterns.h"
#include "spmv/row_blocks.h"

#ifndef EK_NO_GPU

enum {
	SHAPED = 4, /* places in `what`, as in the kernel */
	LOG_LANES = 1 << 3,
	ROWS = 1 << 7,
	RUNS = 1 << 17,
	FIVES = 1 << 27,
	RECORD = 4, /* numbers of a run */
	LONG_FOR_LANE = 4 * CSR_FLIGHT
};

/* Rows [row, end) of a stretch, counted from its start. */
typedef struct row_run {
	int64_t row, end, start; /* start: of their entries, likewise */
	int64_t length;          /* of a row */
	uint32_t list;
	int64_t first, step; /* columns */
} row_run;

/* What is being made. */
typedef struct maker {
	const ek_store *A;
	int w;
	int64_t tile;
	row_shapes found;
	int32_t *place; /* where a list begins in `offset`, plus one; before it has a place, of how
	                 * many rows it is, negative */
	csr_runs r;
} maker;

static int64_t entries_of(const ek_store *A, int64_t begin, int64_t end)
{
	return eki_ptr_at(A, end) - eki_ptr_at(A, begin);
}

/* ---- One stretch ----------------------------------------------------------------------------- */

/* Does row i of the stretch, of this shape, go on with the run? */
static bool goes_on(row_run *r, int64_t i, const row_shape *shape)
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

/* Bytes of the run's list, if that has no place yet: the share of these rows. */
static int64_t list_bytes(const maker *m, const row_run *r)
{
	const int64_t rows = -m->place[r->list];

	return rows > 0 ? eki_groups(2 * r->length * (r->end - r->row), rows) : 0;
}

/* The place of a list of n offsets, which is given one if it has none. */
static int64_t place_of(maker *m, uint32_t list, int64_t n)
{
	if (m->place[list] <= 0) {
		m->place[list] = (int32_t)m->r.offsets + 1;
		m->r.offsets += n;
	}
	return m->place[list] - 1;
}

/* The next run of rows [first, end), from row i of them on. */
static row_run next_run(const maker *m, int64_t first, int64_t end, int64_t i)
{
	const row_shape *shape = m->found.of_row + first;
	row_run r = {.row = i, .list = shape[i].list, .first = shape[i].first};

	r.start = entries_of(m->A, first, first + i);
	r.length = entries_of(m->A, first + i, first + i + 1);
	for (r.end = i + 1; r.end < end - first; r.end++)
		if (!goes_on(&r, r.end, shape + r.end))
			break;
	return r;
}

/* Describes rows [first, end), which have shapes, behind what is there, with lists still by their
 * own numbers; gives the number of runs, and adds the bytes of lists. */
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

/* The runs described last are to be kept: lists get places. */
static void keep(maker *m, int64_t rows, int64_t runs)
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

/* The end of a stretch of shaped rows from row `first` on, of which those before `end` fit: one for
 * each work-item, or a power of two if else more than a quarter of these had none. */
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

/* The longest row, 0 if these are no rows for a stretch of shaped ones. */
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

/* Are 5 entries at once better than CSR_FLIGHT for n of them, counting what is read in vain, and
 * the wait as two entries? */
static bool by_fives(int64_t n)
{
	return eki_groups(n, 5) * (5 + 2) < eki_groups(n, CSR_FLIGHT) * (CSR_FLIGHT + 2);
}

/* Describes the rows, if they are a stretch of shaped ones and that takes fewer bytes than their
 * columns in 16 bits and row pointers. */
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
	keep(m, rows, runs);
	m->r.where[m->r.count] = m->r.used;
	m->r.what[m->r.count] = SHAPED + LOG_LANES * log + ROWS * rows + RUNS * runs +
	                        FIVES * by_fives(eki_groups(longest, INT64_C(1) << log));
	m->r.used += used;
	m->r.rows += rows;
	m->r.entries += entries;
	return true;
}

/* ---- All of them ----------------------------------------------------------------------------- */

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

/* The lists that runs have, without their lengths. */
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

static ek_status make_room(const ek_context *ctx, maker *m)
{
	const eki_row_limit limit = {m->tile, m->tile / 2 < m->w ? m->tile / 2 : m->w};
	csr_runs *r = &m->r;
	void *block[3];

	/* Twice, since a stretch of a power of two of rows is only known to be half full. */
	r->most = 2 * eki_row_blocks_most(m->A->rows, m->A->nnz, limit) + 1;
	r->room = RECORD * m->A->rows + m->A->rows / 16 + 3 * r->most;
	EK_RETURN_IF(eki_alloc(ctx, 3 * r->most, sizeof *r->first, &block[0]));
	r->first = block[0];
	r->what = r->first + r->most;
	r->where = r->what + r->most;
	EK_RETURN_IF(eki_alloc(ctx, r->room, sizeof *r->shape, &block[1]));
	r->shape = block[1];
	EK_RETURN_IF(eki_calloc(ctx, m->found.lists, sizeof *m->place, &block[2]));
	m->place = block[2];
	return EK_OK;
}

ek_status csr_runs_make(const ek_plan *p, int w, int64_t tile, csr_runs *out)
{
	maker m = {.A = p->store, .w = w, .tile = tile};
	ek_status status;

	EK_RETURN_IF(eki_row_shapes_find(p->ctx, m.A, p->threads, &m.found));
	EK_TRY(make_room(p->ctx, &m));
	cut(&m);
	EK_TRY(collect(p->ctx, &m));
done:
	eki_free(p->ctx, m.place, m.found.lists, sizeof *m.place);
	eki_row_shapes_free(p->ctx, &m.found);
	*out = m.r;
	return status;
}

void csr_runs_free(const ek_context *ctx, csr_runs *r)
{
	eki_free(ctx, r->first, 3 * r->most, sizeof *r->first);
	eki_free(ctx, r->shape, r->room, sizeof *r->shape);
	eki_free(ctx, r->offset, r->offsets, sizeof *r->offset);
}

#endif
