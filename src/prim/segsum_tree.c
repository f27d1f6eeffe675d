/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented sum from a segmented scan by the balanced tree (segscan_tree.c): the sum of a
 * segment is the exclusive scan at its last entry, plus that entry. Liu 2015, section 4.4.4. */
#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segsum_tree.c"
#include "base/for_each.h"

static void FN(segtree_ends)(const eki_array *a, const eki_segtree *tree)
{
	const VAL *in = a->in, *sum = tree->sum;
	VAL *out = a->out;

	for (int64_t s = 0, i = 0; s < a->segments.count; s++) {
		int64_t end = eki_segment_end(a, s, i, a->n);

		out[s] = end > i ? sop(EK_SUM, sum[end - 1], in[end - 1]) : 0;
		i = end;
	}
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static void (*const ends[])(const eki_array *, const eki_segtree *) =
		EK_BY_VALUE(segtree_ends);
	eki_segtree tree;

	EK_RETURN_IF(eki_segments_check(ctx, a, NULL, NULL));
	EK_RETURN_IF(eki_segtree_make(ctx, a, &tree));
	ends[eki_value_row(a->type)](a, &tree);
	eki_segtree_free(ctx, a, &tree);
	return EK_OK;
}

const ek_method ek_segsum_tree = {
	.name = "segsum.tree",
	.text = "the ends of a segmented scan by a balanced tree",
	.source = "Liu 2015, section 4.4.4",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
