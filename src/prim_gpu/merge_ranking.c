/* SPDX-License-Identifier: BSD-3-Clause
 * Merges on a device by ranks: each pair finds by binary search how many pairs of the other list
 * come before it, and thereby its place in the result. Keys of short lists are in local memory, and
 * so are the places that the pairs of the result come from, so that neighbouring work-items write
 * neighbouring pairs. Pairs of long lists are written directly to where they belong.
 *
 * Cost: log2 n steps for each pair. Satish, Harris and Garland 2009; Liu 2015, section 4.5.4,
 * Algorithm 17. */
#include "prim_gpu/merge_lists.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_merge_ranking, "prim_gpu/merge_ranking.cl");

/* Returns the most pairs in local memory; a pair takes its key and a place of 4 bytes. */
static int most(const ek_pairs *kind)
{
	(void)kind;
	return 2048;
}

static ek_status merge_short(const eki_gpu_merge *c)
{
	const eki_arg numbers[] = {eki_arg_i32((int32_t)c->a->a.n),
	                           eki_arg_i32((int32_t)c->a->b.n)};

	return eki_gpu_merge_launch(c, "rank_short", c->a->batch, numbers, EKI_COUNT(numbers));
}

static ek_status merge_long(const eki_gpu_merge *c)
{
	const int64_t per = eki_groups(c->n, c->group);
	const eki_arg numbers[] = {eki_arg_i64(c->a->a.n), eki_arg_i64(c->a->b.n),
	                           eki_arg_i64(per)};

	return eki_gpu_merge_launch(c, "rank_long", per * c->a->batch, numbers, EKI_COUNT(numbers));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static const eki_gpu_merger by = {"merge_ranking", eki_cl_merge_ranking, most, merge_short,
	                                  merge_long};

	return eki_gpu_merge_run(step, v, &by);
}

const ek_method ek_merge_gpu_ranking = {
	.name = "merge.ranking.gpu",
	.text = "ranks by binary search, on a device",
	.source = "Satish, Harris, Garland 2009; Liu 2015, Algorithm 17",
	.operation = EK_MERGE,
	.param = {EKI_GPU_GROUP_PARAM},
	.backend = EKI_GPU,
	.run = run,
};

#endif
