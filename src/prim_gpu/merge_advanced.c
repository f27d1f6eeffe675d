/* SPDX-License-Identifier: BSD-3-Clause
 * Merges on a device by the last stage of the bitonic network, three steps at a time: a work-item
 * takes the eight pairs that three steps compare with each other to registers. So there is a third
 * of the accesses and of the barriers. The published method does this for global memory; Liu uses
 * it for local memory too, and so do short lists here. Long lists take three long strides for each
 * launch.
 *
 * Cost: log2 n steps for each pair. Peters and Schulz-Hildebrandt 2011; Liu 2015, section 4.5.6. */
#include "prim_gpu/merge_lists.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_merge_advanced, "prim_gpu/merge_advanced.cl");

static ek_status merge_short(const eki_gpu_merge *c)
{
	const eki_arg numbers[] = {eki_arg_i32((int32_t)c->a->a.n), eki_arg_i32((int32_t)c->a->b.n),
	                           eki_arg_i32((int32_t)(eki_gpu_power(c->n) / 2))};

	return eki_gpu_merge_launch(c, "advanced_short", c->a->batch, numbers, EKI_COUNT(numbers));
}

static ek_status merge_long(const eki_gpu_merge *c);

static const eki_gpu_merger advanced = {"merge_advanced", eki_cl_merge_advanced, eki_gpu_merge_most,
                                        merge_short, merge_long};

static ek_status merge_long(const eki_gpu_merge *c)
{
	const eki_gpu_network net = eki_gpu_merge_network(c);
	int64_t stride = eki_gpu_power(c->n) / 2;

	EK_RETURN_IF(eki_gpu_merge_lay(c, true));
	EK_RETURN_IF(eki_gpu_merge_use(c, &advanced));
	for (; stride >= 4 * (int64_t)c->tile; stride /= 8) {
		const int64_t q = stride / 4;
		const int64_t per = eki_groups(eki_groups(c->n, 8 * q) * q, c->group);
		const eki_arg args[] = {eki_arg_i64(c->n), eki_arg_i64(per), eki_arg_i64(q),
		                        eki_arg_buffer(&c->at[2].key),
		                        eki_arg_buffer(&c->at[2].value)};

		EK_RETURN_IF(eki_job_launch(c->job, "eight_step", per * c->a->batch, c->group, args,
		                            EKI_COUNT(args)));
	}
	EK_RETURN_IF(eki_gpu_network_use(&net, &c->a->a));
	return eki_gpu_halves(&net, stride);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	return eki_gpu_merge_run(step, v, &advanced);
}

const ek_method ek_merge_gpu_advanced = {
	.name = "merge.advanced.gpu",
	.text = "last stage of the bitonic network, three steps at a time in registers, on a "
		"device",
	.source = "Peters, Schulz-Hildebrandt 2011; Liu 2015, section 4.5.6",
	.operation = EK_MERGE,
	.param = {EKI_GPU_GROUP_PARAM},
	.backend = EKI_GPU,
	.run = run,
};

#endif
