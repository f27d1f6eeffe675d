/* SPDX-License-Identifier: BSD-3-Clause
 * Finding rows of the same shape.
 *
 * For the CPU, shapes are stored for groups of eight rows; for devices, which handle rows one by
 * one, for single rows. The rows are cut into parts. Each part looks for earlier rows of the same
 * shape in a table of 4096 places, indexed by a hash of a few offsets, and compares the rows in
 * full. One pass counts, a second pass writes. Each part has a table of its own, so that the result
 * depends only on the matrix and the number of parts. Cost: the time of about four products; at
 * most 2 bytes an entry, plus 8 a row.
 *
 * A row whose columns span 2^16 or more begins a list only if groups are made and the next row is
 * the same one column further, as in a run. A list of 32-bit offsets saves nothing unless a run
 * shares it, and where two rows share it, it takes no more room than two lists of 16-bit
 * offsets. */
#include <string.h>

#include "spmv/patterns.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/patterns.c"
#include "base/for_each.h"

#ifndef EK_PATTERNS_PART
#define EK_PATTERNS_PART
enum { TABLE = 4096, PADDING = 16 };

/* One part of the rows, as the preparation handles it. */
typedef struct part {
	int64_t begin, end; /* range of rows; whole groups, if groups are made */
	/* after the first pass, the number of shapes and the total length of the lists of this
	 * part; after find_all, the positions at which its shapes and lists begin */
	int64_t shapes, lists;
	int64_t saved;     /* bytes of CSR that runs do not read, thanks to the patterns */
	int64_t *table;    /* for each of TABLE hashes, 1 + the last row that began a list, or 0 */
	row_shape *of_row; /* shapes of all rows of the matrix */
	bool groups;       /* whether groups are made, which can have lists of 32-bit offsets */
} part;
#endif

#if EK_PER_TYPE

static uint32_t FN(shape_hash)(const IDX *col, int64_t n)
{
	uint32_t h = (uint32_t)n * 0x9e3779b1u;

	h = (h ^ (uint32_t)(col[n - 1] - col[0])) * 0x85ebca6bu;
	h = (h ^ (uint32_t)(col[n / 2] - col[0])) * 0xc2b2ae35u;
	h = (h ^ (uint32_t)(col[n / 4] - col[0])) * 0x9e3779b1u;
	return (h ^ h >> 15) % TABLE;
}

static bool FN(same_shape)(const IDX *a, const IDX *b, int64_t n)
{
	const IDX move = b[0] - a[0];
	IDX differ = 0;

	for (int64_t k = 0; k < n; k++)
		differ |= (b[k] - a[k]) ^ move;
	return differ == 0;
}

/* Tells whether a row of n entries can have a list of 16-bit offsets: the distances of its columns
 * from the first must fit unsigned 16-bit numbers, and n must be at most LENGTH. Columns may be in
 * any order, so all are checked. */
static bool FN(narrow)(const IDX *col, int64_t n)
{
	IDX low = col[0], high = col[0];

	for (int64_t k = 1; k < n; k++) {
		low = col[k] < low ? col[k] : low;
		high = col[k] > high ? col[k] : high;
	}
	return low == col[0] && high - low <= UINT16_MAX && n <= (int64_t)LENGTH;
}

/* Tells whether rows i and j have the same shape. Both have entries. */
static bool FN(alike)(const ek_store *A, int64_t i, int64_t j)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const int64_t n = row_ptr[i + 1] - row_ptr[i];

	return row_ptr[j + 1] - row_ptr[j] == n &&
	       FN(same_shape)(col_idx + row_ptr[i], col_idx + row_ptr[j], n);
}

/* Returns how many words of a list the offsets of row i would take each, or 0 if it can begin no
 * list. */
static int FN(list_words)(const ek_store *A, const part *p, int64_t i)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col = (const IDX *)A->array[CSR_COL] + row_ptr[i];
	const int64_t n = row_ptr[i + 1] - row_ptr[i];

	if (FN(narrow)(col, n))
		return 1;
	if (!p->groups || n > (int64_t)LENGTH || i + 1 == p->end)
		return 0;
	return FN(alike)(A, i, i + 1) && col[n] == col[0] + 1 ? 2 : 0;
}

/* Does the first pass for a part: finds the shapes of its rows and the total length of its
 * lists. */
static void FN(find_shapes)(const ek_store *A, part *p)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	row_shape *shape = p->of_row;

	p->lists = 1; /* a list of length 0, for empty rows */
	for (int64_t i = p->begin; i < p->end; i++) {
		int64_t n = row_ptr[i + 1] - row_ptr[i];

		shape[i] = (row_shape){0, 0};
		if (n == 0)
			continue;

		const IDX *col = col_idx + row_ptr[i];
		int64_t *place = &p->table[FN(shape_hash)(col, n)], other = *place - 1;

		shape[i].first = (int32_t)col[0];
		if (other >= 0 && FN(alike)(A, other, i)) {
			shape[i].list = shape[other].list;
			continue;
		}

		const int words = FN(list_words)(A, p, i);

		shape[i].list = WIDE;
		if (words) {
			*place = i + 1;
			shape[i].list = (uint32_t)p->lists + (words == 2 ? TWO_WORDS : 0);
			p->lists += 1 + words * n;
		}
	}
}

/* Writes the offsets of a row of n entries to `list`, in one word each or in two. Returns what the
 * list begins with: the number of entries, and STRAIGHT if it is that. */
static uint16_t FN(write_offsets)(const IDX *col, int64_t n, bool two_words, uint16_t *list)
{
	bool straight = n > 1;

	for (int64_t k = 0; k < n; k++) {
		const int32_t offset = (int32_t)(col[k] - col[0]);

		if (two_words)
			memcpy(list + 2 * k, &offset, sizeof offset);
		else
			list[k] = (uint16_t)offset;
		straight &= offset == k;
	}
	return (uint16_t)(n | (straight ? STRAIGHT : 0));
}

/* Does the second pass for a part: writes its lists from list[p->lists] on. */
static void FN(write_lists)(const ek_store *A, const part *p, uint16_t *list)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	int64_t next = 1; /* position after the empty list */

	list += p->lists;
	list[0] = 0;
	for (int64_t i = p->begin; i < p->end; i++) {
		if (p->of_row[i].list == WIDE || (p->of_row[i].list & ~TWO_WORDS) != next)
			continue;

		const bool two_words = p->of_row[i].list & TWO_WORDS;
		const int64_t n = row_ptr[i + 1] - row_ptr[i];

		list[next] = FN(write_offsets)(col_idx + row_ptr[i], n, two_words, list + next + 1);
		next += 1 + (two_words ? 2 * n : n);
	}
}

#endif
#if EK_ONCE

typedef void find_fn(const ek_store *, part *);
typedef void write_fn(const ek_store *, const part *, uint16_t *);

struct patterns_job {
	const ek_store *A;
	patterns *s; /* NULL if no groups are made */
	uint16_t *list;
	part *parts;
};

static uint32_t kind_of(const row_shape *shape)
{
	bool run = true, two_words = false;

	for (int r = 0; r < GROUP; r++) {
		if (shape[r].list == WIDE)
			return CSR;
		two_words |= (shape[r].list & TWO_WORDS) != 0;
		run &= shape[r].list == shape[0].list && shape[r].first == shape[0].first + r;
	}
	if (two_words)
		return run ? WIDE_RUN : CSR;
	return run ? RUN : EACH;
}

static int64_t shapes_of(uint32_t kind)
{
	return kind == EACH ? GROUP : kind == CSR ? 0 : 1;
}

static void find_groups(const ek_store *A, part *p, patterns *s)
{
	for (int64_t g = p->begin / GROUP; g < p->end / GROUP; g++) {
		s->group[g] = kind_of(p->of_row + g * GROUP);
		p->shapes += shapes_of(s->group[g]);
		if (s->group[g] != CSR)
			p->saved += GROUP * (int64_t)eki_ptr_size(A->index) +
			            (eki_ptr_at(A, (g + 1) * GROUP) - eki_ptr_at(A, g * GROUP)) *
			                    (int64_t)eki_idx_size(A->index);
	}
}

static void find_part(void *arg, int k)
{
	static find_fn *const find[EK_NTYPE] = EK_BY_TYPE(find_shapes);
	const struct patterns_job *job = arg;
	part *p = &job->parts[k];

	memset(p->table, 0, TABLE * sizeof *p->table);
	find[eki_type(job->A->value, job->A->index)](job->A, p);
	if (job->s)
		find_groups(job->A, p, job->s);
}

static void write_groups(const part *p, patterns *s)
{
	int64_t at = p->shapes;

	for (int64_t g = p->begin / GROUP; g < p->end / GROUP; g++) {
		int64_t n = shapes_of(s->group[g]);

		s->group[g] |= (uint32_t)at;
		for (int64_t r = 0; r < n; r++) {
			s->shape[at] = p->of_row[g * GROUP + r];
			s->shape[at++].list &= ~TWO_WORDS;
		}
	}
}

static void write_part(void *arg, int k)
{
	static write_fn *const write[EK_NTYPE] = EK_BY_TYPE(write_lists);
	const struct patterns_job *job = arg;
	const part *p = &job->parts[k];

	write[eki_type(job->A->value, job->A->index)](job->A, p, job->list);
	for (int64_t i = p->begin; i < p->end; i++)
		if (p->of_row[i].list != WIDE)
			p->of_row[i].list += (uint32_t)p->lists;
	if (job->s)
		write_groups(p, job->s);
}

/* Returns the bytes that the preparation needs for the tables of the parts and the shapes of all
 * rows. */
static int64_t work_bytes(const ek_store *A, int parts)
{
	return parts * TABLE * (int64_t)sizeof(int64_t) + A->rows * (int64_t)sizeof(row_shape);
}

static int parts_for(const ek_context *ctx, const ek_store *A)
{
	const int most = eki_parts(ctx, A->nnz);

	return most < MAX_PARTS ? most : MAX_PARTS;
}

/* Runs the first pass over all whole groups, or over all rows if no groups are made. Then sets the
 * positions at which each part writes its shapes and lists, and sets *shapes and *lists to the
 * totals. */
static void find_all(const ek_context *ctx, struct patterns_job *job, int threads, int count,
                     void *work, int64_t *shapes, int64_t *lists)
{
	const ek_store *A = job->A;
	const int64_t groups = A->rows / GROUP;
	int64_t *table = work;

	for (int k = 0; k < count; k++)
		job->parts[k] = (part){.begin = GROUP * eki_cut(groups, count, k),
		                       .end = GROUP * eki_cut(groups, count, k + 1),
		                       .table = table + (int64_t)k * TABLE,
		                       .of_row = (row_shape *)(table + (int64_t)count * TABLE),
		                       .groups = job->s != NULL};
	if (!job->s)
		job->parts[count - 1].end = A->rows;
	eki_parallel(ctx, threads, count, find_part, job);
	*shapes = *lists = 0;
	for (int k = 0; k < count; k++) {
		part *p = &job->parts[k];
		const int64_t part_shapes = p->shapes, part_lists = p->lists;

		p->shapes = *shapes;
		p->lists = *lists;
		*shapes += part_shapes;
		*lists += part_lists;
	}
}

/* Runs both passes, and allocates the arrays of the result between them. The caller can free `work`
 * afterwards. */
static ek_status find_patterns(eki_step *step, patterns *s, int count, void *work)
{
	part parts[MAX_PARTS];
	struct patterns_job job = {.A = step->in[0], .s = s, .parts = parts};
	const int64_t groups = step->in[0]->rows / GROUP;
	int64_t shapes, lists;

	find_all(step->ctx, &job, step->threads, count, work, &shapes, &lists);
	EK_RETURN_IF(eki_step_alloc(step, shapes, sizeof *s->shape, &s->shape));
	EK_RETURN_IF(eki_step_alloc(step, lists + PADDING, sizeof *s->list, &s->list));
	memset(s->list + lists, 0, PADDING * sizeof *s->list);
	job.list = s->list;
	eki_parallel(step->ctx, step->threads, count, write_part, &job);
	for (int k = 0; k < count; k++)
		step->bytes -= parts[k].saved;
	step->bytes += groups * 4 + shapes * (int64_t)sizeof *s->shape + lists * 2;
	return EK_OK;
}

ek_status eki_patterns_find(eki_step *step, patterns **out)
{
	const ek_store *A = step->in[0];
	const int count = parts_for(step->ctx, A);
	void *work;
	patterns *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_step_alloc(step, A->rows / GROUP, sizeof *s->group, &s->group));
	EK_RETURN_IF(eki_alloc(step->ctx, work_bytes(A, count), 1, &work));

	ek_status status = find_patterns(step, s, count, work);

	eki_free(step->ctx, work, work_bytes(A, count), 1);
	*out = s;
	return status;
}

ek_status eki_row_shapes_find(const ek_context *ctx, const ek_store *A, int threads,
                              row_shapes *out)
{
	part parts[MAX_PARTS];
	struct patterns_job job = {.A = A, .parts = parts};
	const int count = parts_for(ctx, A);
	row_shapes s = {.work_bytes = work_bytes(A, count)};
	int64_t shapes;
	void *list;
	ek_status status;

	EK_RETURN_IF(eki_alloc(ctx, s.work_bytes, 1, &s.work));
	find_all(ctx, &job, threads, count, s.work, &shapes, &s.lists);
	EK_TRY(eki_alloc(ctx, s.lists, sizeof *job.list, &list));
	job.list = list;
	eki_parallel(ctx, threads, count, write_part, &job);
	s.of_row = parts[0].of_row;
	s.list = list;
	*out = s;
	return EK_OK;
done:
	eki_free(ctx, s.work, s.work_bytes, 1);
	return status;
}

void eki_row_shapes_free(const ek_context *ctx, row_shapes *s)
{
	eki_free(ctx, s->work, s->work_bytes, 1);
	eki_free(ctx, s->list, s->lists, sizeof *s->list);
}

#endif
