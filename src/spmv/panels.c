/* SPDX-License-Identifier: BSD-3-Clause
 * Rearranging a matrix into tiles of 65,536 rows and columns.
 *
 * The rows that a part multiplies are cut into blocks of 65,536 rows. The entries of a block are
 * sorted by panel, a panel being 65,536 columns; the sort is stable, so entries stay in the order
 * of rows. One pass over a block counts its tiles, a second writes columns and rows, and a third
 * writes values; when values change, only the third is repeated. A segment is a run of at most
 * 65,535 entries of one row in one panel. A row whose columns are not sorted may have several
 * segments in a tile.
 *
 * The rows of a tile are stored in the way that takes the fewest words, with one exception: tiles
 * with fewer than FEW entries a segment on average list the row of each entry, so that a product
 * needs no inner loop of changing length. Cost: the time of six to thirteen products; memory for
 * nnz values and 16-bit columns, and at most 2 words an entry. */
#include <string.h>

#include "spmv/panels.h"
#include "drive/split.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/panels.c"
#include "base/for_each.h"

#ifndef EK_PANELS_TALLY
#define EK_PANELS_TALLY
enum { LONGEST = UINT16_MAX, FEW = 5, PADDING = 16 };

/* State of one panel of a block: first its counts, later the positions of its next entry and next
 * word. */
typedef struct eki_tally {
	int64_t entries, segments;
	int64_t row;   /* last row so far that has a segment */
	int64_t again; /* number of segments in the same row as the segment before */
	int64_t entry, word;
	eki_tile_kind kind;
} tally;
#endif

#if EK_PER_TYPE

/* Returns the end of the segment that begins with entry k, in a row that ends before entry
 * `end`. */
static inline int64_t FN(segment_end)(const IDX *col_idx, int64_t k, int64_t end)
{
	const IDX panel = col_idx[k] >> PANEL_BITS;

	if (end - k > LONGEST)
		end = k + LONGEST;
	for (k++; k < end && col_idx[k] >> PANEL_BITS == panel; k++)
		;
	return k;
}

/* Counts the entries and segments of each panel of a block. Before the call, all members of the
 * tallies must be 0, except `row`, which must be -1. */
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

/* Writes the columns and words of the tiles of a block. */
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
	const eki_step *step;
	eki_panels *s;
	void (*fn)(const eki_step *, eki_panels *, int64_t block, tally *);
};

static void step_part(void *arg, int part)
{
	const struct panels_job *job = arg;
	const eki_step *step = job->step;
	int64_t end = eki_cut(job->s->blocks, step->parts, part + 1);

	for (int64_t b = eki_cut(job->s->blocks, step->parts, part); b < end; b++)
		job->fn(step, job->s, b, job->s->tally + part * job->s->panels);
}

static int64_t words_of(const tally *t, eki_tile_kind kind, int64_t rows)
{
	return kind == EKI_TILE_ALL        ? rows
	       : kind == EKI_TILE_SEGMENTS ? 2 * t->segments
	                                   : t->entries;
}

/* Counts the entries of a block, and chooses how each tile stores the rows of its entries. */
static void tally_block(const eki_step *step, const eki_panels *s, const eki_block *b, tally *t)
{
	static count_fn *const count[EK_NTYPE] = EK_BY_TYPE(count_block);
	const ek_store *A = step->in[0];

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

/* Counts the tiles, entries and words of a block. */
static void measure(const eki_step *step, eki_panels *s, int64_t block, tally *t)
{
	eki_block *b = &s->block[block];

	tally_block(step, s, b, t);
	for (int64_t c = 0; c < s->panels; c++)
		if (t[c].entries) {
			b->tile++;
			b->entry += t[c].entries;
			b->word += words_of(&t[c], t[c].kind, b->end - b->begin);
		}
}

static void write_tiles(const eki_step *step, eki_panels *s, int64_t block, tally *t)
{
	static write_fn *const write[EK_NTYPE] = EK_BY_TYPE(write_block);
	const eki_block *b = &s->block[block];
	int64_t tile = b->tile, entry = b->entry, word = b->word;

	tally_block(step, s, b, t);
	for (int64_t c = 0; c < s->panels; c++)
		if (t[c].entries) {
			s->tile[tile++] = (eki_tile){entry, word, (int32_t)c, (int32_t)t[c].kind};
			t[c].entry = entry;
			t[c].word = word;
			entry += t[c].entries;
			word += words_of(&t[c], t[c].kind, b->end - b->begin);
		}
	memset(s->word + b->word, 0, (size_t)(word - b->word) * sizeof *s->word);
	write[eki_type(step->in[0]->value, step->in[0]->index)](step->in[0], b, t, s);
}

static void fetch_values(const eki_step *step, eki_panels *s, int64_t block, tally *t)
{
	static write_fn *const write[EK_NTYPE] = EK_BY_TYPE(write_values);
	const eki_block *b = &s->block[block];

	for (int64_t k = b->tile; k < b[1].tile; k++)
		t[s->tile[k].panel].entry = s->tile[k].entry;
	write[eki_type(step->in[0]->value, step->in[0]->index)](step->in[0], b, t, s);
}

void eki_panels_refresh(const eki_step *step, eki_panels *s)
{
	eki_parallel(step->ctx, step->threads, step->parts, step_part,
	             &(struct panels_job){step, s, fetch_values});
}

/* Cuts the rows of each part into blocks, or only counts the blocks if `block` is NULL. Returns the
 * number of blocks. */
static int64_t make_blocks(const eki_step *step, eki_block *block)
{
	int64_t n = 0;

	for (int part = 0; part < step->parts; part++) {
		int64_t begin, end;

		eki_split_whole(step, part, &begin, &end);
		for (; begin < end; begin += PANEL, n++)
			if (block)
				block[n] = (eki_block){.begin = begin,
				                       .end = end - begin > PANEL ? begin + PANEL
				                                                  : end};
	}
	return n;
}

/* Turns the counts of each block into positions: the block's tiles, entries and words begin after
 * those of all earlier blocks. The extra block at the end gets the totals. */
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

ek_status eki_panels_make(eki_step *step, eki_panels **out)
{
	const ek_store *A = step->in[0];
	size_t size = ek_value_size(A->value);
	eki_panels *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	s->blocks = make_blocks(step, NULL);
	s->panels = (A->cols + PANEL - 1) >> PANEL_BITS;
	EK_RETURN_IF(eki_step_alloc(step, s->blocks + 1, sizeof *s->block, &s->block));
	EK_RETURN_IF(eki_step_alloc(step, step->parts * s->panels, sizeof *s->tally, &s->tally));
	make_blocks(step, s->block);
	s->block[s->blocks] = (eki_block){.begin = A->rows, .end = A->rows};
	eki_parallel(step->ctx, step->threads, step->parts, step_part,
	             &(struct panels_job){step, s, measure});
	add_up(s);

	const eki_block *all = &s->block[s->blocks];

	EK_RETURN_IF(eki_step_alloc(step, all->tile + 1, sizeof *s->tile, &s->tile));
	EK_RETURN_IF(eki_step_alloc(step, all->entry + PADDING, sizeof *s->col, &s->col));
	EK_RETURN_IF(eki_step_alloc(step, all->word + PADDING, sizeof *s->word, &s->word));
	EK_RETURN_IF(eki_step_alloc(step, all->entry, size, &s->val));
	s->tile[all->tile] = (eki_tile){.entry = all->entry, .word = all->word};
	memset(s->col + all->entry, 0, PADDING * sizeof *s->col);
	eki_parallel(step->ctx, step->threads, step->parts, step_part,
	             &(struct panels_job){step, s, write_tiles});
	eki_panels_refresh(step, s);
	step->bytes += all->entry * (2 - (int64_t)eki_idx_size(A->index)) + all->word * 2 +
	               all->tile * (int64_t)sizeof *s->tile -
	               A->rows * (int64_t)eki_ptr_size(A->index);
	*out = s;
	return EK_OK;
}

#endif
