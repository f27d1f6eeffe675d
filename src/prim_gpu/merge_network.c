/* SPDX-License-Identifier: BSD-3-Clause
 * Merges on a device by the last stage of the bitonic or of the odd-even network. Short lists are
 * merged in local memory. For long ones, each step with a stride beyond a tile is a launch.
 *
 * The bitonic stage sorts any sequence that descends and then ascends, of any length, so the first
 * list is laid in descending order. The odd-even stage has two ascending halves of 2^k places; the
 * first list ends at the border of the halves, and the places that are missing at both ends are not
 * compared. So lists may have any two lengths.
 *
 * Cost: log2 n steps for each pair. Batcher 1968; Liu 2015, section 4.5.6. */
#include "prim_gpu/merge_lists.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_merge_network, "prim_gpu/merge_network.cl");

/* Returns the smallest half of the odd-even network in which both lists have room. */
static int64_t half_of(const eki_gpu_merge *c)
{
	const int64_t a = c->a->a.n, b = c->a->b.n;

	return eki_gpu_power(a > b ? a : b);
}

static ek_status in_local(const eki_gpu_merge *c, bool odd)
{
	const int64_t side = odd ? half_of(c) : eki_gpu_power(c->n) / 2;
	const eki_arg numbers[] = {eki_arg_i32((int32_t)c->a->a.n), eki_arg_i32((int32_t)c->a->b.n),
	                           eki_arg_i32(odd), eki_arg_i32((int32_t)side)};

	return eki_gpu_merge_launch(c, "network_short", c->a->batch, numbers, EKI_COUNT(numbers));
}

static ek_status short_bitonic(const eki_gpu_merge *c)
{
	return in_local(c, false);
}

static ek_status short_oddeven(const eki_gpu_merge *c)
{
	return in_local(c, true);
}

/* Copies the lists to the result with the program in use. */
static ek_status lay(const eki_gpu_merge *c, bool turned)
{
	const int64_t per = eki_groups(c->n, c->group);
	const eki_arg numbers[] = {eki_arg_i64(c->a->a.n), eki_arg_i64(c->a->b.n), eki_arg_i64(per),
	                           eki_arg_i32(turned)};

	return eki_gpu_merge_launch(c, "lay_lists", per * c->a->batch, numbers, EKI_COUNT(numbers));
}

static ek_status long_bitonic(const eki_gpu_merge *c)
{
	const eki_gpu_network net = eki_gpu_merge_network(c);

	EK_RETURN_IF(lay(c, true));
	EK_RETURN_IF(eki_gpu_network_use(&net, &c->a->a));
	return eki_gpu_halves(&net, eki_gpu_power(c->n) / 2);
}

static ek_status long_oddeven(const eki_gpu_merge *c)
{
	const eki_gpu_network net = eki_gpu_merge_network(c);
	const int64_t half = half_of(c), shift = half - c->a->a.n;

	EK_RETURN_IF(lay(c, false));
	EK_RETURN_IF(eki_gpu_network_use(&net, &c->a->a));
	EK_RETURN_IF(eki_gpu_half_step(&net, shift, half));
	for (int64_t stride = half / 2; stride > 0; stride /= 2)
		EK_RETURN_IF(eki_gpu_odd_step(&net, shift, 2 * half, stride));
	return EK_OK;
}

static const eki_gpu_merger bitonic = {"merge_network", eki_cl_merge_network, eki_gpu_merge_most,
                                       short_bitonic, long_bitonic};
static const eki_gpu_merger oddeven = {"merge_network", eki_cl_merge_network, eki_gpu_merge_most,
                                       short_oddeven, long_oddeven};

ek_status eki_gpu_merge_lay(const eki_gpu_merge *c, bool turned)
{
	EK_RETURN_IF(eki_gpu_merge_use(c, &bitonic));
	return lay(c, turned);
}

static ek_status run_bitonic(const eki_step *step, const eki_run *v)
{
	return eki_gpu_merge_run(step, v, &bitonic);
}

static ek_status run_oddeven(const eki_step *step, const eki_run *v)
{
	return eki_gpu_merge_run(step, v, &oddeven);
}

const ek_method ek_merge_gpu_bitonic = {
	.name = "merge.bitonic.gpu",
	.text = "last stage of the bitonic network, on a device",
	.source = "Batcher 1968; Liu 2015, section 4.5.6",
	.operation = EK_MERGE,
	.param = {EKI_GPU_GROUP_PARAM},
	.backend = EKI_GPU,
	.run = run_bitonic,
};

const ek_method ek_merge_gpu_oddeven = {
	.name = "merge.oddeven.gpu",
	.text = "last stage of the odd-even network, on a device",
	.source = "Batcher 1968; Liu 2015, section 4.5.6",
	.operation = EK_MERGE,
	.param = {EKI_GPU_GROUP_PARAM},
	.backend = EKI_GPU,
	.run = run_oddeven,
};

#endif
