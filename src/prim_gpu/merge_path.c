/* SPDX-License-Identifier: BSD-3-Clause
 * Merges on a device by merge path, and the sort that consists of them.
 *
 * A group writes a tile of consecutive pairs of the result. Two searches find the pairs of both
 * lists that belong to it, and a search for each work-item divides the tile evenly, whatever the
 * lists are. If a tile has room for the results of several merges, a group does so many.
 *
 * The sort lets groups sort tiles in local memory by the bitonic network, and then merges
 * neighbouring runs, launch after launch, between the array and temporary memory of the same size.
 *
 * Cost of a merge: one read and one write of all pairs. Cost of the sort: 1 + log2(n / tile) of
 * these. Green, McColl and Bader 2012; Liu 2015, section 4.5.5, Algorithm 18. */
#include "prim_gpu/merge_lists.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_merge_path, "prim_gpu/merge_path.cl");

enum { WG = 256, ITEMS = 7, SORT_TILE = 2048 };

static ek_status use_program(eki_job *job, const ek_pairs *kind, int group)
{
	char defines[EKI_GPU_WORDS];

	eki_gpu_pairs(kind->type, kind->value_size, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", group);
	eki_gpu_word(defines, "ITEMS", ITEMS);
	return eki_job_program(job, "merge_path", defines, eki_cl_merge_path);
}

/* ---- Merges ---------------------------------------------------------------------------------- */

ek_status eki_gpu_merge_path(eki_job *job, const eki_array *a, int group, const eki_gpu_pair at[3])
{
	const int64_t n = a->a.n + a->b.n, tile = (int64_t)group * ITEMS;
	const int64_t per = eki_groups(n, tile), several = tile / n;
	const eki_arg lists[] = {eki_arg_buffer(&at[0].key), eki_arg_buffer(&at[0].value),
	                         eki_arg_buffer(&at[1].key), eki_arg_buffer(&at[1].value),
	                         eki_arg_buffer(&at[2].key), eki_arg_buffer(&at[2].value)};
	eki_arg args[10];
	int used = 0;

	EK_RETURN_IF(use_program(job, &a->a, group));
	if (several > 0) {
		args[used++] = eki_arg_i64(a->batch);
		args[used++] = eki_arg_i32((int32_t)a->a.n);
		args[used++] = eki_arg_i32((int32_t)a->b.n);
		args[used++] = eki_arg_i32((int32_t)several);
	} else {
		args[used++] = eki_arg_i64(a->a.n);
		args[used++] = eki_arg_i64(a->b.n);
		args[used++] = eki_arg_i64(per);
	}
	memcpy(args + used, lists, sizeof lists);
	used += EKI_COUNT(lists);
	if (several > 0)
		return eki_job_launch(job, "merge_short", eki_groups(a->batch, several), group,
		                      args, used);
	return eki_job_launch(job, "merge_long", eki_times(per, a->batch), group, args, used);
}

static ek_status run_merge(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	eki_gpu_pair at[3];
	eki_gpu_arrays on;
	ek_status status;

	EK_RETURN_IF(eki_gpu_power_of_two(step, 0));
	eki_array_note(a, "group", eki_gpu_param(step, 0, WG));
	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_pairs_in(&on, &a->a, a->batch * a->a.n, &at[0]));
	EK_TRY(eki_gpu_pairs_in(&on, &a->b, a->batch * a->b.n, &at[1]));
	EK_TRY(eki_gpu_pairs_out(&on, &a->c, a->batch * (a->a.n + a->b.n), &at[2]));
	status = eki_gpu_merge_path(&on.job, a, (int)eki_gpu_param(step, 0, WG), at);
done:
	return eki_gpu_arrays_end(&on, status);
}

static double pair_bytes(const ek_pairs *p)
{
	return (double)(ek_value_size(p->type) + p->value_size);
}

static double cost_merge(const eki_features *f)
{
	const eki_array *a = f->array;

	return eki_gpu_cost(f, 2 * (double)(a->batch * (a->a.n + a->b.n)) * pair_bytes(&a->a), 1);
}

/* ---- The sort -------------------------------------------------------------------------------- */

static ek_status sort_tiles(const eki_gpu_network *net, const ek_pairs *kind,
                            const eki_gpu_pair *from)
{
	EK_RETURN_IF(eki_gpu_network_use(net, kind));
	return eki_gpu_tiles_sort(net, from, false);
}

static ek_status merge_runs(eki_job *job, int64_t n, int64_t run, const eki_gpu_pair *from,
                            const eki_gpu_pair *to)
{
	const int64_t per = eki_groups(2 * run, (int64_t)WG * ITEMS);
	const eki_arg args[] = {eki_arg_i64(n),
	                        eki_arg_i64(run),
	                        eki_arg_i64(per),
	                        eki_arg_buffer(&from->key),
	                        eki_arg_buffer(&from->value),
	                        eki_arg_buffer(&to->key),
	                        eki_arg_buffer(&to->value)};

	return eki_job_launch(job, "merge_runs", per * eki_groups(n, 2 * run), WG, args,
	                      EKI_COUNT(args));
}

static ek_status run_sort(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	eki_gpu_pair at[2];
	eki_gpu_arrays on;
	eki_gpu_network net = {.job = &on.job,
	                       .n = a->n,
	                       .batch = 1,
	                       .group = WG,
	                       .tile = eki_gpu_tile(&a->a, SORT_TILE)};
	int now = 0;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_pairs_both(&on, &a->a, a->n, &at[0]));
	if (a->n > net.tile)
		EK_TRY(eki_gpu_pairs_temporary(&on.job, &a->a, a->n, &at[1]));
	for (int64_t run = net.tile; run < a->n; run *= 2)
		now = 1 - now; /* the result must end in the array itself */
	net.pair = &at[now];
	EK_TRY(sort_tiles(&net, &a->a, &at[0]));
	EK_TRY(use_program(&on.job, &a->a, WG));
	for (int64_t run = net.tile; run < a->n; run *= 2, now = 1 - now)
		EK_TRY(merge_runs(&on.job, a->n, run, &at[now], &at[1 - now]));
done:
	return eki_gpu_arrays_end(&on, status);
}

static double cost_sort(const eki_features *f)
{
	const eki_array *a = f->array;
	int passes = 1;

	for (int64_t run = eki_gpu_tile(&a->a, SORT_TILE); run < a->n; run *= 2)
		passes++;
	return eki_gpu_cost(f, 2 * passes * (double)a->n * pair_bytes(&a->a), passes);
}

const ek_method ek_merge_gpu_path = {
	.name = "merge.path.gpu",
	.text = "merge path, on a device",
	.source = "Green, McColl, Bader 2012; Liu 2015, Algorithm 18",
	.operation = EK_MERGE,
	.param = {EKI_GPU_GROUP_PARAM},
	.backend = EKI_GPU,
	.cost = cost_merge,
	.run = run_merge,
};

const ek_method ek_sort_gpu_merge = {
	.name = "sort.merge.gpu",
	.text = "tiles by the bitonic network, then merge path, on a device",
	.source = "Batcher 1968; Green, McColl, Bader 2012",
	.operation = EK_SORT,
	.backend = EKI_GPU,
	.cost = cost_sort,
	.run = run_sort,
};

#endif
