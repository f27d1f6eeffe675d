/* SPDX-License-Identifier: BSD-3-Clause
 * MergeTrans: the entries are cut into blocks that fit into a core's cache. Each block is
 * transposed by a counting sort. Then neighbouring blocks are merged, pair by pair, until one is
 * left. Since the rows of one block come before those of the next, a merged column is the column of
 * the first block followed by that of the second. In each round all threads share the columns of
 * all pairs.
 *
 * Cost: log2(blocks) + 1 passes over the entries, all in order, and blocks * columns column
 * pointers; so there are at most as many blocks as entries in an average column. Entries move
 * between the arrays of C and scratch, and the last round ends in C. Source: Wang, Liu, Hou, Feng
 * 2016, section 4.2 (MergeTrans). */
#include "transpose/transpose.h"
#define EK_TYPES_ONLY
#define EK_FILE "transpose/csr_blocks.c"
#include "base/for_each.h"

#ifndef EK_MERGE_TASK
#define EK_MERGE_TASK

/* Arrays that hold the entries after a round. `ptr` has (cols + 1) positions for each block: where
 * its columns begin, counted from the first entry of the matrix. `idx` is NULL if only values
 * move. */
struct side {
	void *ptr, *idx, *val;
};

struct task {
	const ek_store *in;
	int64_t cols, blocks; /* blocks to transpose or, when merging, blocks of `from` */
	int parts;
	struct side from, to;
};
#endif

#if EK_PER_TYPE

/* Transposes entries [begin, end) as block number `block` of t->to. */
static void FN(merge_block)(const struct task *t, int64_t block, int64_t begin, int64_t end)
{
	const PTR *row_ptr = t->in->array[CSR_PTR];
	const IDX *col_idx = t->in->array[CSR_COL];
	const VAL *val = t->in->array[CSR_VAL];
	PTR *ptr = (PTR *)t->to.ptr + block * (t->cols + 1), *at = ptr + 1, next = (PTR)begin;
	IDX *idx = t->to.idx;
	VAL *out = t->to.val;

	memset(ptr, 0, (size_t)(t->cols + 1) * sizeof *ptr);
	ptr[0] = (PTR)begin;
	for (int64_t k = begin; k < end; k++)
		at[col_idx[k]]++;
	for (int64_t j = 0; j < t->cols; j++) {
		const PTR n = at[j];

		at[j] = next; /* moves to the end of column j, where column j + 1 begins */
		next += n;
	}
	for (int64_t i = begin < end ? eki_row_of(t->in, begin) : 0, k = begin; k < end; i++)
		for (const int64_t stop = row_ptr[i + 1] < end ? row_ptr[i + 1] : end; k < stop;
		     k++) {
			const PTR p = at[col_idx[k]]++;

			if (idx)
				idx[p] = (IDX)i;
			out[p] = val[k];
		}
}

/* Copies entries [begin, end) of t->from to position `at` of t->to. */
static inline void FN(merge_copy)(const struct task *t, PTR begin, PTR end, PTR at)
{
	const VAL *val = t->from.val;
	VAL *out = t->to.val;

	for (PTR k = 0; k < end - begin; k++)
		out[at + k] = val[begin + k];
	if (t->to.idx) {
		const IDX *idx = t->from.idx;
		IDX *out_idx = t->to.idx;

		for (PTR k = 0; k < end - begin; k++)
			out_idx[at + k] = idx[begin + k];
	}
}

/* Merges columns [begin, end) of blocks 2 * pair and, if there is one, 2 * pair + 1. */
static void FN(merge_pair)(const struct task *t, int64_t pair, int64_t begin, int64_t end)
{
	const PTR *a = (const PTR *)t->from.ptr + 2 * pair * (t->cols + 1);
	const bool single = 2 * pair + 1 == t->blocks;
	const PTR *b = single ? NULL : a + t->cols + 1;
	PTR *ptr = (PTR *)t->to.ptr + pair * (t->cols + 1);
	/* after the entries of both blocks in earlier columns */
	PTR at = single ? a[begin] : (PTR)(a[begin] + (b[begin] - b[0]));

	for (int64_t j = begin; j < end; j++) {
		ptr[j] = at;
		FN(merge_copy)(t, a[j], a[j + 1], at);
		at += a[j + 1] - a[j];
		if (single)
			continue;
		FN(merge_copy)(t, b[j], b[j + 1], at);
		at += b[j + 1] - b[j];
	}
	if (begin < end && end == t->cols) /* parts after the last column have none */
		ptr[t->cols] = at;
}

#endif
#if EK_ONCE

enum { MOST_BLOCKS = 4096, PIECES = 8 };

typedef struct state {
	int64_t blocks;
	int rounds;
	int64_t ptr[2], idx, val; /* in the scratch of a run */
} state;

static void block_part(void *arg, int block)
{
	static void (*const make[])(const struct task *, int64_t, int64_t, int64_t) =
		EK_BY_TYPE(merge_block);
	const struct task *t = arg;
	const ek_store *in = t->in;

	make[eki_type(in->value, in->index)](t, block, eki_cut(in->nnz, (int)t->blocks, block),
	                                     eki_cut(in->nnz, (int)t->blocks, block + 1));
}

static void pair_part(void *arg, int part)
{
	static void (*const pair[])(const struct task *, int64_t, int64_t, int64_t) =
		EK_BY_TYPE(merge_pair);
	const struct task *t = arg;
	const int pieces = PIECES * t->parts;

	pair[eki_type(t->in->value, t->in->index)](t, part / pieces,
	                                           eki_cut(t->cols, pieces, part % pieces),
	                                           eki_cut(t->cols, pieces, part % pieces + 1));
}

/* Returns the number of blocks. A block should fit into a quarter of a core's cache, and there
 * should be one for each part, but not more blocks than an average column has entries. */
static int64_t blocks_of(const eki_step *step)
{
	const ek_store *in = step->in[0];
	const double bytes = (double)in->nnz * (double)eki_entry_bytes(in);
	const int64_t fit = 1 + (int64_t)(4 * bytes / step->ctx->machine->core_bytes);
	const int64_t wanted = fit > step->parts ? fit : step->parts;
	const int64_t most = in->cols > 0 ? in->nnz / in->cols : 1;
	const int64_t blocks = wanted < most ? wanted : most;

	return blocks < 1 ? 1 : blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
}

static ek_status prepare(eki_step *step)
{
	const ek_store *in = step->in[0];
	const size_t size = eki_ptr_size(in->index);
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	step->parts = eki_flip_parts(step->ctx, in, step->threads);
	*s = (state){.blocks = blocks_of(step)};
	while ((int64_t)1 << s->rounds < s->blocks)
		s->rounds++;
	for (int k = 0; k < 2; k++)
		EK_RETURN_IF(eki_step_scratch(
			step, eki_times(in->cols + 1, k ? (s->blocks + 1) / 2 : s->blocks), size,
			&s->ptr[k]));
	if (!s->rounds)
		return EK_OK;
	EK_RETURN_IF(eki_step_scratch(step, in->nnz, eki_idx_size(in->index), &s->idx));
	return eki_step_scratch(step, in->nnz, ek_value_size(in->value), &s->val);
}

/* Returns the arrays that hold the entries when `left` rounds are left to do. */
static struct side side_of(const eki_flip *f, const state *s, char *scratch, int left)
{
	const ek_store *out = f->out;
	struct side side = {.ptr = scratch + s->ptr[(s->rounds - left) % 2],
	                    .idx = out->array[CSR_COL],
	                    .val = out->array[CSR_VAL]};

	if (left % 2) {
		side.idx = scratch + s->idx;
		side.val = scratch + s->val;
	}
	if (left == 0 && !f->values)
		side.ptr = out->array[CSR_PTR];
	if (f->values)
		side.idx = NULL;
	return side;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	eki_flip flip;

	EK_RETURN_IF(eki_flip_begin(step, v, &flip));

	struct task t = {.in = flip.in,
	                 .cols = flip.in->cols,
	                 .blocks = s->blocks,
	                 .parts = step->parts,
	                 .to = side_of(&flip, s, v->scratch, s->rounds)};

	eki_parallel(step->ctx, step->threads, (int)t.blocks, block_part, &t);
	for (int left = s->rounds - 1; left >= 0; left--) {
		const int64_t pairs = (t.blocks + 1) / 2;

		t.from = t.to;
		t.to = side_of(&flip, s, v->scratch, left);
		eki_parallel(step->ctx, step->threads, (int)pairs * PIECES * t.parts, pair_part,
		             &t);
		t.blocks = pairs;
	}
	return EK_OK;
}

const ek_method ek_transpose_csr_blocks = {
	.name = "transpose.csr.blocks",
	.text = "blocks that fit a cache are transposed, then merged pair by pair",
	.source = "Wang, Liu, Hou, Feng 2016, section 4.2 (MergeTrans)",
	.operation = EK_TRANSPOSE,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_STRICT,
	.prepare = prepare,
	.run = run,
};

#endif
