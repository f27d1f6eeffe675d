/* SPDX-License-Identifier: BSD-3-Clause
 * Packs the coordinates of a block into a segment, which stores the index by which the file is
 * sorted once for each run of entries. Cost: one copy. */
#include <string.h>

#include "io/mtx.h"
#define EK_TYPES_ONLY
#define EK_FILE "io/pack.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(pack_part)(void *arg, int number)
{
	const struct mtx_block *b = arg;
	const struct mtx_part *part = &b->part[number];
	struct mtx_segment *s = b->segment;
	int64_t to = 0, n = part->count, run = part->runs_at;
	IDX *major = s->major;

	for (int k = 0; k < number; k++)
		to += b->part[k].count;
	if (n == 0)
		return;
	if (s->val)
		memcpy((VAL *)s->val + to, (const VAL *)b->val + part->at, (size_t)n * sizeof(VAL));
	if (!s->minor) /* an array file has values only */
		return;
	const IDX *row = (const IDX *)b->row + part->at, *col = (const IDX *)b->col + part->at;
	const IDX *from = s->by_row ? row : col;

	memcpy((IDX *)s->minor + to, s->by_row ? col : row, (size_t)n * sizeof(IDX));
	if (!s->run) {
		memcpy(major + to, from, (size_t)n * sizeof(IDX));
		return;
	}
	for (int64_t k = 0; k < n; k++)
		if (k == 0 || from[k] != from[k - 1]) {
			if (run > part->runs_at)
				s->run[run - 1] = (uint32_t)(to + k);
			major[run++] = from[k];
		}
	s->run[run - 1] = (uint32_t)(to + n);
}

#endif
#if EK_ONCE

static int64_t padded(int64_t count, size_t size)
{
	return (count * (int64_t)size + 7) / 8 * 8;
}

/* Allocates a segment. If `runs` is 0, the segment is for an array file and has values only. If
 * `long_runs` is false, every entry is a run of its own. */
ek_status eki_mtx_segment_new(const ek_context *ctx, int64_t count, int64_t runs, bool long_runs,
                              size_t isize, size_t vsize, struct mtx_segment **out)
{
	int64_t head = padded(1, sizeof(struct mtx_segment)), values = padded(count, vsize),
		minor = runs ? padded(count, isize) : 0, major = padded(runs, isize),
		ends = long_runs ? padded(runs, sizeof(uint32_t)) : 0;
	int64_t bytes = head + values + minor + major + ends;
	void *block;

	EK_RETURN_IF(eki_alloc(ctx, bytes, 1, &block));
	char *p = (char *)block + head;
	struct mtx_segment *s = block;

	*s = (struct mtx_segment){.count = count, .runs = runs, .bytes = bytes};
	s->val = vsize ? p : NULL;
	p += values;
	s->minor = runs ? p : NULL;
	p += minor;
	s->major = runs ? p : NULL;
	p += major;
	s->run = long_runs ? (uint32_t *)(void *)p : NULL;
	*out = s;
	return EK_OK;
}

void eki_mtx_segments_free(const ek_context *ctx, struct mtx_segment *list)
{
	while (list) {
		struct mtx_segment *next = list->next;

		eki_free(ctx, list, list->bytes, 1);
		list = next;
	}
}

ek_status eki_mtx_pack(const ek_context *ctx, struct mtx_block *b, ek_value value, ek_index index,
                       struct mtx_segment **out)
{
	static eki_part_fn *const pack_part[EK_NTYPE] = EK_BY_TYPE(pack_part);
	int64_t count = 0, row_runs = 0, col_runs = 0, runs = 0, lines = 0;
	bool by_row, long_runs;

	for (int k = 0; k < b->parts; k++) {
		const struct mtx_part *part = &b->part[k];

		count += part->count;
		lines += part->lines;
		row_runs += part->row_runs;
		col_runs += part->col_runs;
	}
	if (count == 0)
		return EK_OK;
	by_row = row_runs <= col_runs;
	runs = by_row ? row_runs : col_runs;
	long_runs = runs <= count / 2;
	EK_RETURN_IF(eki_mtx_segment_new(ctx, count, b->row ? (long_runs ? runs : count) : 0,
	                                 b->row && long_runs, eki_idx_size(index),
	                                 b->val ? ek_value_size(value) : 0, &b->segment));
	b->segment->by_row = by_row;
	b->segment->lines_known = lines == count;
	runs = 0;
	for (int k = 0; k < b->parts; k++) {
		b->part[k].runs_at = runs;
		runs += by_row ? b->part[k].row_runs : b->part[k].col_runs;
	}
	eki_parallel(ctx, ctx->threads, b->parts, pack_part[eki_type(value, index)], b);
	*out = b->segment;
	return EK_OK;
}

#endif
