/* SPDX-License-Identifier: BSD-3-Clause
 * The sum of an array by a balanced binary tree: neighbours are added, then neighbouring sums, and
 * so on. So no entry goes through more than ceil(log2 n) additions.
 *
 * The published form works level by level and overwrites its input. Here the same tree is walked in
 * the order of the entries: a subtree is finished as soon as its right half is. The number of open
 * subtrees at an entry is only the number of ones in the binary form of the entry's index, so their
 * sums need hardly any memory. Threads take complete subtrees of equal size; the tree above these
 * subtrees is walked the same way.
 *
 * Liu 2015, Algorithm 4 (for any length). */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/reduce_tree.c"
#include "base/for_each.h"

static VAL FN(reduce_tree)(ek_monoid op, const VAL *in, int64_t n)
{
	VAL open[64], sum;
	int top = 0;
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		const VAL *x = in + i;

		sum = sop(op, sop(op, sop(op, x[0], x[1]), sop(op, x[2], x[3])),
		          sop(op, sop(op, x[4], x[5]), sop(op, x[6], x[7])));
		for (int64_t k = i >> 3; k & 1; k >>= 1)
			sum = sop(op, open[--top], sum);
		open[top++] = sum;
	}
	for (; i < n; i++) {
		sum = in[i];
		for (int64_t k = i; k & 1; k >>= 1)
			sum = sop(op, open[--top], sum);
		open[top++] = sum;
	}
	if (top == 0)
		return FN(identity)(op);
	for (sum = open[--top]; top > 0;)
		sum = sop(op, open[--top], sum);
	return sum;
}

static void FN(reduce_subtree)(const eki_array *a, int64_t begin, int64_t end, void *out, int at)
{
	const VAL *in = a->in;

	((VAL *)out)[at] = FN(reduce_tree)(a->op, in + begin, end - begin);
}

#if EK_ONCE

enum { MOST_SUBTREES = 256 };
typedef void subtree_fn(const eki_array *, int64_t, int64_t, void *, int);

struct tree {
	const eki_array *a;
	subtree_fn *sum;
	int64_t leaves; /* number of entries of a subtree, a power of two */
	union {
		float f32[MOST_SUBTREES];
		double f64[MOST_SUBTREES];
		int32_t i32[MOST_SUBTREES];
		int64_t i64[MOST_SUBTREES];
	} sums;
};

static void sum_subtree(void *arg, int part)
{
	struct tree *t = arg;
	int64_t begin = part * t->leaves, left = t->a->n - begin;

	t->sum(t->a, begin, begin + (left < t->leaves ? left : t->leaves), &t->sums, part);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static subtree_fn *const sum[] = EK_BY_VALUE(reduce_subtree);
	struct tree t;
	eki_array top = *a;

	(void)step;
	t.a = a;
	t.sum = sum[eki_value_row(a->type)];
	for (t.leaves = 8; t.leaves * MOST_SUBTREES < a->n;)
		t.leaves *= 2;
	top.in = &t.sums;
	top.n = (a->n + t.leaves - 1) / t.leaves;
	eki_parallel(a->ctx, a->threads, (int)top.n, sum_subtree, &t);
	t.sum(&top, 0, top.n, a->out, 0);
	return EK_OK;
}

const ek_method ek_reduce_tree = {
	.name = "reduce.tree",
	.text = "a balanced binary tree, subtrees by threads",
	.source = "Liu 2015, Algorithm 4",
	.operation = EK_REDUCE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
