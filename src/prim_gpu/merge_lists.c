/* SPDX-License-Identifier: BSD-3-Clause
 * The course of a merge on a device by ranks or by a network. */
#include "prim_gpu/merge_lists.h"

#ifndef EK_NO_GPU

/* Merges of up to FEW pairs have smaller groups and tiles, so that a device holds more of them at
 * once. Each size is another program. */
enum { FEW = 512, FEW_WG = 64, USUAL_WG = 256, MOST_TILE = 4096 };

ek_status eki_gpu_merge_launch(const eki_gpu_merge *c, const char *kernel, int64_t groups,
                               const eki_arg *numbers, int count)
{
	const eki_arg arrays[] = {eki_arg_buffer(&c->at[0].key), eki_arg_buffer(&c->at[0].value),
	                          eki_arg_buffer(&c->at[1].key), eki_arg_buffer(&c->at[1].value),
	                          eki_arg_buffer(&c->at[2].key), eki_arg_buffer(&c->at[2].value)};
	eki_arg args[5 + EKI_COUNT(arrays)];

	memcpy(args, numbers, (size_t)count * sizeof *numbers);
	memcpy(args + count, arrays, sizeof arrays);
	return eki_job_launch(c->job, kernel, groups, c->group, args, count + EKI_COUNT(arrays));
}

int eki_gpu_merge_most(const ek_pairs *kind)
{
	return eki_gpu_tile(kind, MOST_TILE);
}

eki_gpu_network eki_gpu_merge_network(const eki_gpu_merge *c)
{
	return (eki_gpu_network){.job = c->job,
	                         .n = c->n,
	                         .batch = c->a->batch,
	                         .group = c->group,
	                         .tile = c->tile,
	                         .pair = &c->at[2]};
}

ek_status eki_gpu_merge_use(const eki_gpu_merge *c, const eki_gpu_merger *by)
{
	char defines[EKI_GPU_WORDS];

	eki_gpu_pairs(c->a->type, c->a->a.value_size, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", c->group);
	eki_gpu_word(defines, "TILE", c->tile);
	return eki_job_program(c->job, by->name, defines, by->text);
}

ek_status eki_gpu_merge_run(const eki_step *step, const eki_run *v, const eki_gpu_merger *by)
{
	const eki_array *a = v->array;
	const int64_t n = a->a.n + a->b.n;
	eki_gpu_arrays on;
	eki_gpu_merge c = {.job = &on.job,
	                   .a = a,
	                   .n = n,
	                   .group = (int)eki_gpu_param(step, 0, n <= FEW ? FEW_WG : USUAL_WG),
	                   .tile = n <= FEW ? FEW : by->most(&a->a)};
	ek_status status;

	EK_RETURN_IF(eki_gpu_power_of_two(step, 0));
	eki_array_note(a, "group", c.group);
	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_pairs_in(&on, &a->a, a->batch * a->a.n, &c.at[0]));
	EK_TRY(eki_gpu_pairs_in(&on, &a->b, a->batch * a->b.n, &c.at[1]));
	EK_TRY(eki_gpu_pairs_out(&on, &a->c, a->batch * n, &c.at[2]));
	EK_TRY(eki_gpu_merge_use(&c, by));
	status = n <= c.tile ? by->merge_short(&c) : by->merge_long(&c);
done:
	return eki_gpu_arrays_end(&on, status);
}

#endif
