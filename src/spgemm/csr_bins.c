/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on CSR with rows in bins, in four stages.
 *
 *   1  bound the entries of each row of C by the number of its products (bins.c)
 *   2  put the rows into 38 bins in five groups by their bounds (bins.c)
 *   3  compute the rows, into temporary rows: copy, heap, bitonic ESC or merge (bins_rows.c)
 *   4  add up the lengths of the rows, allocate C, and copy the rows
 *
 * Preparation does stages 1 and 2, which read the pattern only. In stage 3 threads take pieces of
 * bins, those with the longest rows first.
 *
 * The parameter `memory` says where rows of unknown length are stored:
 *
 *   1  hybrid, the default: in temporary rows with room for the bound, in group 5 for 256 entries
 *      at first. A row that is full stops at a checkpoint. When all threads are done, each such row
 *      gets twice the room, at most its bound, and goes on
 *   2  upper bound: in temporary rows with room for the bound
 *   3  precise: in C. All entries are counted first, so each row is computed twice
 *   4  probabilistic: in temporary rows with room for an estimate of their entries. Rows of groups
 *      3 to 5 are merged, and grow by half if the estimate was too low (bins_rooms.c)
 *   5  progressive: the same from room for 32 entries
 *
 * A run into an existing C computes the rows again and writes only values.
 *
 * All methods add the products of an entry in the order of the lists. If the columns are too many
 * for keys that contain the number of a product, rows of groups 3 and 4 are merged like those of
 * group 5.
 *
 * The method is published for comparison. It has no cost function, so it is never chosen
 * automatically, but plans with hints.measure try it where csr.flags needs several windows for most
 * rows of C, since they are so wide: no step here depends on the width. Cost: products times the
 * logarithm of the products of a row, and every entry is written twice.
 *
 * Liu 2015, chapter 9, Algorithms 33 to 35; Liu and Vinter 2014. */
#include <stdio.h>
#include <string.h>

#include "spgemm/bins_product.h"
#include "spgemm/bins_rooms.h"
#include "spgemm/flags.h"

enum {
	PIECE_PRODUCTS = 4096, /* bound on the products of a piece of more than one row */
	TEXT_BYTES = 4096,     /* upper bound on the text of the plan */
	SAMPLE_ROWS = 256,     /* rows of C that are looked at before a trial */
	SAMPLE_LISTS = 64      /* rows of B that are looked at for each of them */
};

/* Chooses the kernels, and keys of 4 or 8 bytes. */
static void choose_tools(const eki_step *step, eki_bins_state *s)
{
	const int64_t cols = step->in[1]->cols;
	const bool wide = cols > (int64_t)INT32_MAX >> EKI_ESC_BITS;

	s->keys = !s->bins.room && cols <= INT64_MAX >> EKI_ESC_BITS;
	s->tools = (eki_bins_tools){.narrow = !wide,
	                            .fuse = eki_heap_fuse[wide],
	                            .sort = eki_sort_short[step->isa][wide][0],
	                            .short_most =
	                                    eki_short_max(step->isa, wide ? EK_INT64 : EK_INT32, 0),
	                            .merge = eki_merge_run[step->isa][wide][0]};
}

static void cut_pieces(eki_bins_state *s)
{
	int64_t end = 0;

	for (int bin = EKI_BIN_LONG; bin >= 0; bin--) {
		const int64_t rows = s->bins.begin[bin + 1] - s->bins.begin[bin];
		const int64_t mean = s->bins.products[bin] / (rows + !rows) + 1;

		s->piece_rows[bin] = mean < PIECE_PRODUCTS ? PIECE_PRODUCTS / mean : 1;
		end += eki_groups(rows, s->piece_rows[bin]);
		s->piece_end[bin] = end;
	}
}

/* The temporary bytes that each memory method needs at most. */
typedef struct needs {
	int64_t bytes[EKI_MEMORY_METHODS + 1], hybrid_first, room_first, row_cols;
} needs;

static needs find_needs(const eki_step *step, const eki_bins *b)
{
	const ek_store *A = step->in[0];
	const int64_t idx = (int64_t)eki_idx_size(A->index);
	const int64_t entry = (int64_t)ek_value_size(A->value) + idx;
	const int64_t longs = (b->begin[EKI_BINS] - b->begin[eki_bins_growing(b)]) *
	                      (int64_t)sizeof(eki_long_row);
	const int64_t most = b->most < step->in[1]->cols ? b->most : step->in[1]->cols;
	needs n = {.row_cols = eki_align(eki_times(most, idx))};

	n.hybrid_first = eki_plus(eki_times(b->hybrid_first, entry), longs);
	n.bytes[EKI_MEMORY_HYBRID] = eki_plus(eki_times(b->hybrid_most, entry), longs);
	n.bytes[EKI_MEMORY_BOUND] = eki_times(b->total, entry);
	n.bytes[EKI_MEMORY_PRECISE] = eki_times(n.row_cols, step->parts);
	n.room_first = eki_plus(eki_times(b->room_first, entry), longs);
	n.bytes[EKI_MEMORY_PROBABILISTIC] = n.bytes[EKI_MEMORY_PROGRESSIVE] =
		eki_plus(eki_times(b->room_most, entry), longs);
	return n;
}

/* Chooses the memory method: that of the parameter; by default hybrid, or precise if the limit on
 * memory demands it. If even that takes too much, the plan refuses the method
 * (eki_operands_limit). */
static void choose_memory(eki_step *step, eki_bins_state *s, const needs *n)
{
	const int64_t limit = step->problem->memory;
	const int64_t held = eki_plan_needs(step->plan) + TEXT_BYTES +
	                     step->parts * (int64_t)sizeof(eki_bins_scratch);

	s->memory = step->param[0] ? (eki_bin_memory)step->param[0] : EKI_MEMORY_HYBRID;
	if (limit > 0 && !step->param[0] && eki_plus(held, n->bytes[s->memory]) > limit)
		s->memory = EKI_MEMORY_PRECISE;
	step->param[0] = s->memory;
	if (s->memory != EKI_MEMORY_PRECISE) /* the precise method has scratch only */
		step->plan->run_bytes = n->bytes[s->memory];
}

static ek_status say(eki_step *step, const eki_bins_state *s, const needs *n)
{
	EK_RETURN_IF(eki_bins_say(step, &s->bins));
	EK_RETURN_IF(eki_step_say(
		step,
		"         temporary bytes: hybrid %lld to %lld, upper bound %lld, precise %lld; "
		"this plan has memory=%d",
		(long long)n->hybrid_first, (long long)n->bytes[EKI_MEMORY_HYBRID],
		(long long)n->bytes[EKI_MEMORY_BOUND], (long long)n->bytes[EKI_MEMORY_PRECISE],
		(int)s->memory));
	return eki_bins_guess(s->memory)
	               ? eki_step_say(step, ", which takes %lld to %lld\n",
	                              (long long)n->room_first, (long long)n->bytes[s->memory])
	               : eki_step_say(step, "\n");
}

static ek_status prepare(eki_step *step)
{
	eki_bins_state *s;
	needs n;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	EK_RETURN_IF(eki_bins_make(step, &s->bins));
	if (eki_bins_guess((eki_bin_memory)step->param[0]))
		EK_RETURN_IF(eki_bins_rooms(step, &s->bins, (eki_bin_memory)step->param[0]));
	step->state = s;
	step->parts = eki_output_parts(step, &(eki_batches){.products = (double)s->bins.total});
	choose_tools(step, s);
	cut_pieces(s);
	n = find_needs(step, &s->bins);
	choose_memory(step, s, &n);
	EK_RETURN_IF(say(step, s, &n));
	if (s->memory == EKI_MEMORY_PRECISE)
		s->counted_bytes = n.row_cols;
	else
		s->temporary = eki_bins_places(&s->bins, s->memory);
	EK_RETURN_IF(eki_step_scratch(step, step->parts, sizeof(eki_bins_scratch), &s->scratch));
	return eki_step_scratch(step, eki_times(step->parts, s->counted_bytes), 1, &s->counted);
}

static void report(const eki_step *step, char *text, size_t size)
{
	eki_bins_state *s = step->state;

	if (atomic_load(&s->launches) > 0)
		snprintf(text, size,
		         "         last new C: %lld temporary bytes (%lld if rows grew beyond "
		         "their bounds), %lld launches\n",
		         (long long)atomic_load(&s->bytes), (long long)atomic_load(&s->uncapped),
		         (long long)atomic_load(&s->launches));
}

/* What is added up to a row of C: the number of rows that have entries, and their first and last
 * column. */
typedef struct extent {
	int64_t lists, first, last;
} extent;

/* Adds row i of B or D, whose columns ascend. */
static void extend(extent *e, const ek_store *M, int64_t i)
{
	const int64_t begin = eki_ptr_at(M, i), end = eki_ptr_at(M, i + 1);

	if (begin == end)
		return;
	const int64_t first = eki_col_at(M, begin), last = eki_col_at(M, end - 1);

	e->first = e->lists && e->first < first ? e->first : first;
	e->last = e->lists && e->last > last ? e->last : last;
	e->lists++;
}

/* Tells whether a row of C is more than a copy, and has columns at least `width` apart. */
static bool is_wide(const eki_step *step, int64_t i, int64_t width)
{
	const ek_store *A = step->in[0], *D = step->in[2];
	const int64_t begin = eki_ptr_at(A, i), n = eki_ptr_at(A, i + 1) - begin;
	const int count = n < SAMPLE_LISTS ? (int)n : SAMPLE_LISTS;
	extent e = {0};

	for (int k = 0; k < count; k++)
		extend(&e, step->in[1], eki_col_at(A, begin + eki_cut(n, count, k)));
	if (D)
		extend(&e, D, i);
	return e.lists > 1 && e.last - e.first >= width;
}

/* Tells whether csr.flags needs several windows for most rows of C, by a sample. */
static bool worth_trial(const eki_step *step)
{
	const int64_t width = eki_flags_window(step), rows = step->in[0]->rows;
	const int count = rows < SAMPLE_ROWS ? (int)rows : SAMPLE_ROWS;
	int wide = 0;

	if (step->in[1]->cols <= width)
		return false;
	for (int k = 0; k < count; k++)
		wide += is_wide(step, eki_cut(rows, count, k), width);
	return 2 * wide > count;
}

const ek_method ek_spgemm_csr_bins = {
	.name = "spgemm.csr.bins",
	.text = "rows in 38 bins by their products: copied, heap, bitonic ESC or merge",
	.source = "Liu 2015, chapter 9, Algorithms 33 to 35; Liu, Vinter 2014",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.param = EKI_BINS_PARAMETERS,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_TRIED,
	.worth_trial = worth_trial,
	.prepare = prepare,
	.run = eki_bins_run,
	.report = report,
};
