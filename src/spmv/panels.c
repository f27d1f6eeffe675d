/* SPDX-License-Identifier: BSD-3-Clause
 * Rearranging a matrix into tiles of 65,536 rows and columns.
 *
 * The rows that a part multiplies are cut into blocks of 65,536; the entries of a block are sorted
 * by panel of 65,536 columns, stably, so that they stay in the order of rows. One pass over a
 * block's columns counts its tiles, one writes columns and rows, one the values; the last is all
 * that new values cost. A run of entries of one row in one panel is a segment, of 65,535 entries at
 * most; a row whose columns are not sorted may have several in a tile.
 *
 * Rows are told in the way that takes the fewest words, except that tiles with fewer than FEW
 * entries in a segment list the row of each entry: then a product needs no loop of changing length.
 * About six to thirteen products; nnz values and 16-bit columns, and at most 2 words an entry. */
#include <string.h>

#include "spmv/panels.h"
#include "spmv/split.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/panels.c"
#include "core/for_each.h"

#ifndef EK_PANELS_TALLY
#define EK_PANELS_TALLY
enum { LONGEST = UINT16_MAX, FEW = 5, PADDING = 16 };

/* What is known of one panel of a block: counts, then where its next entry and word go. */
typedef struct eki_tally {
	int64_t entries, segments;
	int64_t row;   /* the last that has a segment */
	int64_t again; /* segments that follow one of the same row */
	int64_t entry, word;
	eki_tile_kind kind;
} tally;
#endif

#if EK_PER_TYPE

/* The end of the segment that begins at k, in a row that ends at `end`. */
static inline int64_t FN(segment_end)(const IDX *col_idx, int64_t k, int64_t end)
{
	const IDX panel = col_idx[k] >> PANEL_BITS;

	if (end - k > LONGEST)
		end = k + LONGEST;
	for (k++; k < end && col_idx[k] >> PANEL_BITS == panel; k++)
		;
	return k;
}

/* The tallies of a block are counted; they were zero, with row = -1. */
static void FN(count_block)(const ek_store *A, const eki_block *b, tally *tallies)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];

	for (int64_t i = b->begin; i < b->end; i++)
		for (int64_t k = row_ptr[i], next; k < row_ptr[i + 1]; k = next) {
			tally *t = &tallies[col_idx[k] >> PANEL_BITS];

			next = FN(segment_end)(col_idx, k, row_ptr[i + 1]);
			t->entries += next - k;
			t->segments++;
			t->again += t->row == i;
			t->row = i;
		}
}

/* Columns and words of a block. */
static void FN(write_block)(const ek_store *A, const eki_block *b, tally *tallies, eki_panels *s)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];

	for (int64_t i = b->begin; i < b->end; i++)
		for (int64_t k = row_ptr[i], next; k < row_ptr[i + 1]; k = next) {
			tally *t = &tallies[col_idx[k] >> PANEL_BITS];
			uint16_t *col = s->col + t->entry, *word = s->word + t->word;
			uint16_t row = (uint16_t)(i - b->begin);

			next = FN(segment_end)(col_idx, k, row_ptr[i + 1]);
			for (int64_t j = k; j < next; j++)
				*col++ = (uint16_t)(col_idx[j] & (PANEL - 1));
			t->entry += next - k;
			if (t->kind == EKI_TILE_ALL) {
				word[row] = (uint16_t)(next - k);
			} else if (t->kind == EKI_TILE_SEGMENTS) {
				word[0] = row;
				word[1] = (uint16_t)(next - k);
				t->word += 2;
			} else {
				for (int64_t j = k; j < next; j++)
					*word++ = row;
				t->word += next - k;
			}
		}
}

static void FN(write_values)(const ek_store *A, const eki_block *b, tally *tallies, eki_panels *s)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL];
	VAL *out = s->val;

	for (int64_t i = b->begin; i < b->end; i++)
		for (int64_t k = row_ptr[i], next; k < row_ptr[i + 1]; k = next) {
			tally *t = &tallies[col_idx[k] >> PANEL_BITS];

			next = FN(segment_end)(col_idx, k, row_ptr[i + 1]);
			for (int64_t j = k; j < next; j++)
				out[t->entry++] = val[j];
		}
}

#endif
#if EK_ONCE

typedef void count_fn(const ek_store *, const eki_block *, tally *);
typedef void write_fn(const ek_store *, const eki_block *, tally *, eki_panels *);

struct panels_job {
	const ek_plan *plan;
	eki_panels *s;
	void (*step)(const ek_plan *, eki_panels *, int64_t block, tally *);
};

static void step_part(void *arg, int part)
{
	const struct panels_job *job = arg;
	const ek_plan *p = job->plan;
	int64_t end = eki_cut(job->s->blocks, p->parts, part + 1);

	for (int64_t b = eki_cut(job->s->blocks, p->parts, part); b < end; b++)
		job->step(p, job->s, b, job->s->tally + part * job->s->panels);
}

static int64_t words_of(const tally *t, eki_tile_kind kind, int64_t rows)
{
	return kind == EKI_TILE_ALL        ? rows
	       : kind == EKI_TILE_SEGMENTS ? 2 * t->segments
	                                   : t->entries;
}

/* Counts a block, and chooses how the rows of each of its tiles are told. */
static void tally_block(const ek_plan *p, const eki_panels *s, const eki_block *b, tally *t)
{
	static count_fn *const count[EK_NTYPE] = EK_BY_TYPE(count_block);
	const ek_store *A = p->store;

	for (int64_t c = 0; c < s->panels; c++)
		t[c] = (tally){.row = -1};
	count[eki_type(A->value, A->index)](A, b, t);
	for (int64_t c = 0; c < s->panels; c++)
		if (t[c].entries < FEW * t[c].segments)
			t[c].kind = EKI_TILE_ENTRIES;
		else if (t[c].again || 2 * t[c].segments < b->end - b->begin)
			t[c].kind = EKI_TILE_SEGMENTS;
		else
			t[c].kind = EKI_TILE_ALL;
}

/* First step: how many tiles, entries and words a block has. */
static void measure(const ek_plan *p, eki_panels *s, int64_t block, tally *t)
{
	eki_block *b = &s->block[block];

	tally_block(p, s, b, t);
	for (int64_t c = 0; c < s->panels; c++)
		if (t[c].entries) {
			b->tile++;
			b->entry += t[c].entries;
			b->word += words_of(&t[c], t[c].kind, b->end - b->begin);
		}
}

static void write_tiles(const ek_plan *p, eki_panels *s, int64_t block, tally *t)
{
	static write_fn *const write[EK_NTYPE] = EK_BY_TYPE(write_block);
	const eki_block *b = &s->block[block];
	int64_t tile = b->tile, entry = b->entry, word = b->word;

	tally_block(p, s, b, t);
	for (int64_t c = 0; c < s->panels; c++)
		if (t[c].entries) {
			s->tile[tile++] = (eki_tile){entry, word, (int32_t)c, (int32_t)t[c].kind};
			t[c].entry = entry;
			t[c].word = word;
			entry += t[c].entries;
			word += words_of(&t[c], t[c].kind, b->end - b->begin);
		}
	memset(s->word + b->word, 0, (size_t)(word - b->word) * sizeof *s->word);
	write[eki_type(p->store->value, p->store->index)](p->store, b, t, s);
}

static void fetch_values(const ek_plan *p, eki_panels *s, int64_t block, tally *t)
{
	static write_fn *const write[EK_NTYPE] = EK_BY_TYPE(write_values);
	const eki_block *b = &s->block[block];

	for (int64_t k = b->tile; k < b[1].tile; k++)
		t[s->tile[k].panel].entry = s->tile[k].entry;
	write[eki_type(p->store->value, p->store->index)](p->store, b, t, s);
}

void eki_panels_refresh(const ek_plan *p, eki_panels *s)
{
	eki_parallel(p->threads, p->parts, step_part, &(struct panels_job){p, s, fetch_values});
}

/* Cuts the rows of each part into blocks; counts only, if block is NULL. */
static int64_t make_blocks(const ek_plan *p, eki_block *block)
{
	int64_t n = 0;

	for (int part = 0; part < p->parts; part++) {
		int64_t begin, end;

		eki_split_whole(p, part, &begin, &end);
		for (; begin < end; begin += PANEL, n++)
			if (block)
				block[n] = (eki_block){.begin = begin,
				                       .end = end - begin > PANEL ? begin + PANEL
				                                                  : end};
	}
	return n;
}

/* Numbers of each block become where they begin; the last block has the sums. */
static void add_up(eki_panels *s)
{
	eki_block sum = {0};

	for (int64_t k = 0; k <= s->blocks; k++) {
		eki_block *b = &s->block[k], n = *b;

		b->tile = sum.tile;
		b->entry = sum.entry;
		b->word = sum.word;
		sum.tile += n.tile;
		sum.entry += n.entry;
		sum.word += n.word;
	}
}

ek_status eki_panels_make(ek_plan *p, eki_panels **out)
{
	const ek_store *A = p->store;
	size_t size = ek_value_size(A->value);
	eki_panels *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	s->blocks = make_blocks(p, NULL);
	s->panels = (A->cols + PANEL - 1) >> PANEL_BITS;
	EK_RETURN_IF(eki_plan_alloc(p, s->blocks + 1, sizeof *s->block, &s->block));
	EK_RETURN_IF(eki_plan_alloc(p, p->parts * s->panels, sizeof *s->tally, &s->tally));
	make_blocks(p, s->block);
	s->block[s->blocks] = (eki_block){.begin = A->rows, .end = A->rows};
	eki_parallel(p->threads, p->parts, step_part, &(struct panels_job){p, s, measure});
	add_up(s);

	const eki_block *all = &s->block[s->blocks];

	EK_RETURN_IF(eki_plan_alloc(p, all->tile + 1, sizeof *s->tile, &s->tile));
	EK_RETURN_IF(eki_plan_alloc(p, all->entry + PADDING, sizeof *s->col, &s->col));
	EK_RETURN_IF(eki_plan_alloc(p, all->word + PADDING, sizeof *s->word, &s->word));
	EK_RETURN_IF(eki_plan_alloc(p, all->entry, size, &s->val));
	s->tile[all->tile] = (eki_tile){.entry = all->entry, .word = all->word};
	memset(s->col + all->entry, 0, PADDING * sizeof *s->col);
	eki_parallel(p->threads, p->parts, step_part, &(struct panels_job){p, s, write_tiles});
	eki_panels_refresh(p, s);
	p->bytes += all->entry * (2 - (int64_t)eki_idx_size(A->index)) + all->word * 2 +
	            all->tile * (int64_t)sizeof *s->tile -
	            A->rows * (int64_t)eki_ptr_size(A->index);
	*out = s;
	return EK_OK;
}

#endif
