/* SPDX-License-Identifier: BSD-3-Clause
 * The rule by which the cocktail format assigns entries to parts: it counts bytes. With values of w
 * bytes and indices of i bytes, an entry takes w + i in CSR and in ELLPACK, and w + 2 i in
 * coordinates. A diagonal takes w for each row, and a block of b x b takes b b w + i. Each part
 * after the first needs another pass over the vectors, which moves 2 w rows + w cols.
 *
 * 1. A diagonal is dense if its entries would take more in CSR than all its places do: with 32-bit
 *    indices, if it is more than 2/3 full (doubles) or 1/2 full (floats). No diagonal is dense if
 *    there are so many columns that counters for all diagonals take more memory than the matrix.
 * 2. An aligned block of b x b is dense by the same rule. The bytes that blocks of 2 x 2 to 8 x 8
 *    would save are counted in sampled rows: for all entries, and for those on no dense diagonal.
 * 3. The choices are: no special part, dense diagonals, dense blocks of the best b, or diagonals
 *    first and then blocks of the other entries. The choice that saves the most bytes wins, after
 *    the bytes of further passes over the vectors have been subtracted.
 * 4. Dense diagonals go to BDIA if they have neighbours, two of a band on average, else to DIA.
 *    They take the same bytes in both; in bands, those of x are read less often.
 * 5. Dense blocks go where they take the fewest bytes: to BCSR; to BELL, padded to the longest
 *    block row; or to SBELL, in slices.
 * 6. So do the other entries: to CSR; to SELL; to coordinates, which touch only rows with such
 *    entries; or the first k of each row to ELLPACK, the rest to coordinates. k is the largest
 *    width for which a column of ELLPACK takes no more bytes than its entries would take in
 *    coordinates. To account for time, ROW_BYTES are added for each row in CSR and, on a device,
 *    for each block row in BCSR.
 *
 * The priority of diagonals over blocks, and of blocks over flat formats, is that of Su and Keutzer
 * 2012, section 4. They decide by throughputs measured on a machine; this rule uses bytes. The
 * choices of steps 4 to 6 are in format/cocktail_choose.c. */
#include <string.h>

#include "format/cocktail_choose.h"
#include "format/cocktail_split.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/cocktail_split.c"
#include "base/for_each.h"

#include "format/cocktail_blocks.h"

#ifndef EK_COCKTAIL_SPLIT
#define EK_COCKTAIL_SPLIT
/* The sample for blocks: an eighth of the rows in 8 to 64 segments, and the most entries of a block
 * row. */
enum { LEAST_SEGMENTS = 8, SEGMENTS = 64, SEGMENT_ROWS = 40, SAMPLED = 8, MOST_ENTRIES = 4096 };
/* Marks of entries whose part is not decided yet: of those in dense blocks, and of flat ones. */
enum { BLOCKED = PARTS, FLAT };

/* Bytes that dense blocks save in sampled rows: `all` if they hold all entries, `left` if they hold
 * only those on no dense diagonal. `entries` is the number of entries sampled. */
typedef struct block_saving {
	double all, left, entries;
} block_saving;

static inline int64_t segments_of(const ek_store *csr)
{
	const int64_t n = csr->rows / (SAMPLED * SEGMENT_ROWS);

	return n < LEAST_SEGMENTS ? LEAST_SEGMENTS : n < SEGMENTS ? n : SEGMENTS;
}
#endif

#if EK_PER_TYPE

/* Counts the entries of rows [begin, end) on each diagonal d and adds their number to count[d]. */
static void FN(diagonal_counts)(const ek_store *csr, int64_t *count, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			count[col_idx[k] - i + csr->rows - 1]++;
}

static void FN(sample_blocks)(const ek_store *csr, const uint8_t *dense, int64_t b, block_saving *s)
{
	const block_bytes size = bytes_of_block(csr, b);
	const int64_t segments = segments_of(csr);

	for (int64_t k = 0; k < segments; k++) {
		int64_t i = csr->rows / segments * k / b * b;
		const int64_t end = i + SEGMENT_ROWS < csr->rows ? i + SEGMENT_ROWS : csr->rows;

		for (; i < end; i += b) {
			int64_t most = MOST_ENTRIES;
			block_rows rows;

			FN(open_rows)(csr, i, b, &rows);
			while (most > 0 && FN(next_block)(csr, dense, b, &rows)) {
				const int64_t all = block_gain(size, rows.all);
				const int64_t left = block_gain(size, rows.left);

				s->all += all > 0 ? (double)all : 0;
				s->left += left > 0 ? (double)left : 0;
				s->entries += (double)rows.all;
				most -= rows.all;
			}
		}
	}
}

/* Marks the entries of block rows [begin, end) with the part for diagonals, as BLOCKED or as FLAT,
 * and counts the FLAT entries of each row and the dense blocks of each block row. */
static void FN(part_special)(const ek_store *csr, ek_store *marks, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const uint8_t *dense = marks->array[MARK_DENSE];
	const cocktail_choice *choice = marks->array[MARK_CHOICE];
	const int64_t b = choice->block;
	const block_bytes size = bytes_of_block(csr, b);
	uint8_t *part = marks->array[MARK_PART];
	PTR *flat = marks->array[MARK_FLAT], *blocks = marks->array[MARK_BLOCKS];

	for (int64_t i = begin * b; i < end * b && i < csr->rows; i++) {
		flat[i] = 0;
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			const bool on = dense && dense[col_idx[k] - i + csr->rows - 1];

			part[k] = on ? choice->diagonals : FLAT;
			flat[i] += !on;
		}
	}
	for (int64_t block_row = begin; block_row < end && b > 1; block_row++) {
		block_rows s;

		blocks[block_row] = 0;
		FN(open_rows)(csr, block_row * b, b, &s);
		while (FN(next_block)(csr, dense, b, &s)) {
			if (block_gain(size, s.left) <= 0)
				continue;
			blocks[block_row]++;
			for (int r = 0; r < s.n; r++)
				for (int64_t k = s.from[r]; k < s.at[r]; k++)
					if (part[k] == FLAT) {
						part[k] = BLOCKED;
						flat[s.first + r]--;
					}
		}
	}
}

/* Sets the part of each entry of rows [begin, end) that is marked as BLOCKED or FLAT. */
static void FN(part_others)(const ek_store *csr, ek_store *marks, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const cocktail_choice *choice = marks->array[MARK_CHOICE];
	uint8_t *part = marks->array[MARK_PART];

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = row_ptr[i], n = 0; k < row_ptr[i + 1]; k++)
			if (part[k] == FLAT)
				part[k] = n++ < choice->width ? choice->lanes : choice->rest;
			else if (part[k] == BLOCKED)
				part[k] = choice->blocks;
}

#endif
#if EK_ONCE

typedef void counts_fn(const ek_store *, int64_t *, int64_t, int64_t);
typedef void sample_fn(const ek_store *, const uint8_t *, int64_t, block_saving *);

/* ---- Diagonals ------------------------------------------------------------------------------- */

struct count_job {
	const ek_store *csr;
	counts_fn *fn;
	int64_t *count, diagonals, bound[65];
};

static void count_part(void *arg, int part)
{
	struct count_job *job = arg;

	job->fn(job->csr, job->count + part * job->diagonals, job->bound[part],
	        job->bound[part + 1]);
}

/* Marks the dense diagonals. Sets *on to the number of their entries and *saved to the bytes that
 * they save. The counters of all threads together take no more memory than the matrix. */
static ek_status find_diagonals(const ek_context *ctx, const ek_store *csr, ek_store *marks,
                                double *on, double *saved)
{
	static counts_fn *const counts[EK_NTYPE] = EK_BY_TYPE(diagonal_counts);
	const int64_t places = (csr->rows + 31) / 32 * 32;
	const double whole = (double)places * (double)ek_value_size(csr->value) +
	                     (double)eki_idx_size(csr->index);
	struct count_job job = {.csr = csr,
	                        .fn = counts[eki_type(csr->value, csr->index)],
	                        .diagonals = marks->len[MARK_DENSE]};
	int64_t most = 1 + csr->nnz / (job.diagonals + 1);
	uint8_t *dense = marks->array[MARK_DENSE];
	int parts = eki_parts(ctx, csr->nnz);
	void *block;

	*on = *saved = 0;
	if (job.diagonals == 0)
		return EK_OK;
	most = most < 64 ? most : 64;
	parts = parts < most ? parts : (int)most;
	EK_RETURN_IF(eki_calloc(ctx, eki_times(parts, job.diagonals), sizeof *job.count, &block));
	job.count = block;
	eki_partition_rows(csr, parts, job.bound);
	eki_parallel(ctx, ctx->threads, parts, count_part, &job);
	for (int64_t d = 0; d < job.diagonals; d++) {
		int64_t n = 0;
		double gain;

		for (int part = 0; part < parts; part++)
			n += job.count[part * job.diagonals + d];
		gain = (double)n * (double)eki_entry_bytes(csr) - whole;
		dense[d] = gain > 0;
		*on += gain > 0 ? (double)n : 0;
		*saved += gain > 0 ? gain : 0;
	}
	eki_free(ctx, block, parts * job.diagonals, sizeof *job.count);
	return EK_OK;
}

/* ---- Dense blocks, and the choice of special parts ------------------------------------------- */

/* Returns the bytes saved, less those of further passes. Dense diagonals, which have `on` entries,
 * save `diagonals` bytes, and dense blocks save `blocks` bytes; 0 means that they are not used. */
static double saving(const ek_store *csr, double on, double diagonals, double blocks)
{
	const double left = (double)csr->nnz - on;
	const double passes = (diagonals > 0) + (blocks > 0) - 1;

	if (passes < 0)
		return 0;
	return diagonals + blocks - passes * pass_bytes(csr) - touch_bytes(csr, left);
}

/* Makes the choice of step 3 at the top of this file. Sets *diagonals to tell whether dense
 * diagonals are used. Returns the block size b, or 1 if no blocks are used. */
static int64_t choose_special(const ek_store *csr, const uint8_t *dense, double on, double saved,
                              bool *diagonals)
{
	static sample_fn *const sample[EK_NTYPE] = EK_BY_TYPE(sample_blocks);
	double most = saving(csr, on, saved, 0);
	int64_t best = 1;

	*diagonals = most > 0;
	most = most > 0 ? most : 0;
	for (int64_t b = 2; b <= MOST_BLOCK; b++) {
		block_saving s = {0};
		double scale, rows, all, left;

		sample[eki_type(csr->value, csr->index)](csr, dense, b, &s);
		scale = s.entries > 0 ? (double)csr->nnz / s.entries : 0;
		rows = (double)(csr->rows / b) * (double)eki_ptr_size(csr->index);
		all = scale * s.all > rows ? saving(csr, 0, 0, scale * s.all - rows) : 0;
		left = scale * s.left > rows && saved > 0
		               ? saving(csr, on, saved, scale * s.left - rows)
		               : 0;
		if (all > most || left > most) {
			*diagonals = left > all;
			most = left > all ? left : all;
			best = b;
		}
	}
	return best;
}

/* ---- All together ---------------------------------------------------------------------------- */

static ek_status make_marks(const ek_context *ctx, const ek_store *csr, ek_store *marks)
{
	void **const array = marks->array;
	int64_t *const len = marks->len;

	len[MARK_DENSE] = eki_many_columns(csr) ? 0 : csr->rows + csr->cols;
	len[MARK_PART] = csr->nnz;
	len[MARK_FLAT] = len[MARK_BLOCKS] = csr->rows;
	EK_RETURN_IF(eki_calloc(ctx, len[MARK_DENSE], 1, &array[MARK_DENSE]));
	EK_RETURN_IF(eki_alloc(ctx, len[MARK_PART], 1, &array[MARK_PART]));
	EK_RETURN_IF(
		eki_alloc(ctx, len[MARK_BLOCKS], eki_ptr_size(csr->index), &array[MARK_BLOCKS]));
	return eki_alloc(ctx, len[MARK_FLAT], eki_ptr_size(csr->index), &array[MARK_FLAT]);
}

ek_status eki_cocktail_split(const ek_context *ctx, const ek_store *csr, cocktail_split *split)
{
	static eki_fill_fn *const special[EK_NTYPE] = EK_BY_TYPE(part_special);
	static eki_fill_fn *const others[EK_NTYPE] = EK_BY_TYPE(part_others);
	cocktail_choice choice = {0};
	ek_store marks = {.array = {[MARK_CHOICE] = &choice}};
	double on = 0, saved = 0;
	unsigned seen = 0; /* a bit for each part */
	bool diagonals;
	ek_status status;

	*split = (cocktail_split){0};
	EK_TRY(make_marks(ctx, csr, &marks));
	EK_TRY(find_diagonals(ctx, csr, &marks, &on, &saved));
	split->block = choice.block =
		choose_special(csr, marks.array[MARK_DENSE], on, saved, &diagonals);
	if (!diagonals && marks.len[MARK_DENSE] > 0)
		memset(marks.array[MARK_DENSE], 0, (size_t)marks.len[MARK_DENSE]);
	eki_cocktail_diagonals(marks.array[MARK_DENSE], marks.len[MARK_DENSE], &choice);
	eki_fill(ctx, special, csr, &marks, eki_groups(csr->rows, choice.block), csr->nnz);
	if (choice.block > 1)
		eki_cocktail_blocks(ctx, csr, &marks, &choice);
	EK_TRY(eki_cocktail_flat(ctx, csr, &marks, &choice));
	eki_fill(ctx, others, csr, &marks, csr->rows, csr->nnz);
	split->part = marks.array[MARK_PART];
	for (int64_t k = 0; k < csr->nnz; k++)
		seen |= 1u << split->part[k];
	for (int k = 0; k < PARTS; k++)
		split->has[k] = seen >> k & 1;
	marks.array[MARK_PART] = NULL;
done:
	eki_free(ctx, marks.array[MARK_DENSE], marks.len[MARK_DENSE], 1);
	eki_free(ctx, marks.array[MARK_PART], marks.len[MARK_PART], 1);
	eki_free(ctx, marks.array[MARK_FLAT], marks.len[MARK_FLAT], eki_ptr_size(csr->index));
	eki_free(ctx, marks.array[MARK_BLOCKS], marks.len[MARK_BLOCKS], eki_ptr_size(csr->index));
	return status;
}

#endif
