/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented scan by a balanced tree, level by level up and down. It takes 2 n additions in 2
 * log2 n levels; near the root its strides use only one entry of each cache line. It is meant for
 * machines with a processor for each entry, and is here for comparison. Large levels are divided
 * among the threads.
 *
 * Liu 2015, Algorithm 11 (after Blelloch 1990), on a copy of the array padded to a power of 2, so
 * that flag_original[k + 2^d] of the listing always exists. In the listing, one array of flags is
 * overwritten and is also read as if unchanged. Here there are two arrays: `begins` stays as it is,
 * and `some` tells whether the subtree that ends at an entry has a flag. The inclusive scan is the
 * exclusive scan plus the entry. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segscan_tree.c"
#include "base/for_each.h"

/* Computes nodes `from` to `to` - 1 of the level whose subtrees have 2 * half entries each. */
static void FN(segtree_up)(const eki_array *a, const eki_segtree *t, int64_t half, int64_t from,
                           int64_t to)
{
	VAL *sum = t->sum;
	uint8_t *some = t->some;

	for (int64_t node = from; node < to; node++) {
		int64_t left = node * 2 * half + half - 1, right = left + half;

		if (!some[right])
			sum[right] = sop(a->op, sum[left], sum[right]);
		some[right] |= some[left];
	}
}

static void FN(segtree_down)(const eki_array *a, const eki_segtree *t, int64_t half, int64_t from,
                             int64_t to)
{
	VAL *sum = t->sum;
	const uint8_t *some = t->some, *begins = t->begins;

	for (int64_t node = from; node < to; node++) {
		int64_t left = node * 2 * half + half - 1, right = left + half;
		VAL child = sum[left], before = sum[right];

		sum[left] = before;
		sum[right] = begins[left + 1] ? FN(identity)(a->op)
		             : some[left]     ? child
		                              : sop(a->op, before, child);
	}
}

static void FN(segtree_in)(const eki_array *a, const eki_segtree *t, int64_t half, int64_t from,
                           int64_t to)
{
	const VAL *in = a->in;
	VAL *sum = t->sum;

	(void)half;
	for (int64_t i = from; i < to; i++)
		sum[i] = i < a->n ? in[i] : FN(identity)(a->op);
}

static void FN(segtree_out)(const eki_array *a, const eki_segtree *t, int64_t half, int64_t from,
                            int64_t to)
{
	const VAL *in = a->in, *sum = t->sum;
	VAL *out = a->out;

	(void)half;
	for (int64_t i = from; i < to; i++)
		out[i] = a->kind == EK_EXCLUSIVE ? sum[i] : sop(a->op, sum[i], in[i]);
}

static void FN(segtree_root)(const eki_array *a, const eki_segtree *t, int64_t half, int64_t from,
                             int64_t to)
{
	(void)half;
	(void)from;
	((VAL *)t->sum)[to - 1] = FN(identity)(a->op);
}

#if EK_ONCE

typedef void level_fn(const eki_array *, const eki_segtree *, int64_t, int64_t, int64_t);

typedef struct level {
	const eki_array *a;
	const eki_segtree *tree;
	level_fn *fn;
	int64_t half, nodes;
	int parts;
} level;

static void level_part(void *arg, int part)
{
	const level *s = arg;

	s->fn(s->a, s->tree, s->half, eki_cut(s->nodes, s->parts, part),
	      eki_cut(s->nodes, s->parts, part + 1));
}

/* Computes the `nodes` nodes of one level of the tree, with the function in `fn` for the array's
 * type. No two nodes touch the same data. */
static void do_level(const eki_array *a, const eki_segtree *tree, level_fn *const fn[],
                     int64_t half, int64_t nodes)
{
	level s = {a, tree, fn[eki_value_row(a->type)], half, nodes, nodes < 4096 ? 1 : a->threads};

	eki_parallel(a->ctx, s.parts, s.parts, level_part, &s);
}

ek_status eki_segtree_make(const ek_context *ctx, const eki_array *a, eki_segtree *tree)
{
	static level_fn *const in[] = EK_BY_VALUE(segtree_in), *const up[] =
								       EK_BY_VALUE(segtree_up);
	static level_fn *const root[] = EK_BY_VALUE(segtree_root);
	static level_fn *const down[] = EK_BY_VALUE(segtree_down);
	ek_status status = EK_OK;
	eki_segtree t = {.size = 1};

	while (t.size < a->n)
		t.size *= 2;
	EK_TRY(eki_alloc(ctx, t.size, ek_value_size(a->type), &t.sum));
	EK_TRY(eki_calloc(ctx, t.size, 1, &t.begins));
	EK_TRY(eki_alloc(ctx, t.size, 1, &t.some));
	eki_segments_flags(a, t.begins);
	memcpy(t.some, t.begins, (size_t)t.size);
	do_level(a, &t, in, 1, t.size);
	for (int64_t half = 1; half < t.size; half *= 2)
		do_level(a, &t, up, half, t.size / half / 2);
	root[eki_value_row(a->type)](a, &t, 0, 0, t.size);
	for (int64_t half = t.size / 2; half; half /= 2)
		do_level(a, &t, down, half, t.size / half / 2);
	*tree = t;
	return EK_OK;
done:
	eki_segtree_free(ctx, a, &t);
	return status;
}

void eki_segtree_free(const ek_context *ctx, const eki_array *a, eki_segtree *tree)
{
	eki_free(ctx, tree->sum, tree->size, ek_value_size(a->type));
	eki_free(ctx, tree->begins, tree->size, 1);
	eki_free(ctx, tree->some, tree->size, 1);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static level_fn *const out[] = EK_BY_VALUE(segtree_out);
	eki_segtree tree;

	EK_RETURN_IF(eki_segments_check(ctx, a, NULL, NULL));
	if (a->n == 0)
		return EK_OK;
	EK_RETURN_IF(eki_segtree_make(ctx, a, &tree));
	do_level(a, &tree, out, 1, a->n);
	eki_segtree_free(ctx, a, &tree);
	return EK_OK;
}

const ek_method ek_segscan_tree = {
	.name = "segscan.tree",
	.text = "a balanced tree up and down, flags beside it",
	.source = "Liu 2015, Algorithm 11; Blelloch 1990",
	.operation = EK_SEGMENTED_SCAN,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
