/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting networks on a device, for the sorts and the merges. A step with a stride within a tile is
 * done in local memory, with all that follow it; any other is one launch over global memory. The
 * odd-even network compares across the borders of tiles with every stride, so all its steps on more
 * than a tile are launches. */
#include "prim_gpu/network.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_network, "prim_gpu/network.cl");

/* ---- Pairs ----------------------------------------------------------------------------------- */

static ek_status bring(eki_gpu_arrays *on, const ek_pairs *p, int64_t n, eki_gpu_pair *at,
                       ek_status (*place)(eki_gpu_arrays *, void *, int64_t, eki_buffer *))
{
	EK_RETURN_IF(place(on, p->key, n * (int64_t)ek_value_size(p->type), &at->key));
	at->value = at->key;
	return p->value_size ? place(on, p->value, n * (int64_t)p->value_size, &at->value) : EK_OK;
}

static ek_status array_in(eki_gpu_arrays *on, void *data, int64_t bytes, eki_buffer *buffer)
{
	return eki_gpu_array_in(on, data, bytes, buffer);
}

ek_status eki_gpu_pairs_in(eki_gpu_arrays *on, const ek_pairs *p, int64_t n, eki_gpu_pair *at)
{
	return bring(on, p, n, at, array_in);
}

ek_status eki_gpu_pairs_out(eki_gpu_arrays *on, const ek_pairs *p, int64_t n, eki_gpu_pair *at)
{
	return bring(on, p, n, at, eki_gpu_array_out);
}

ek_status eki_gpu_pairs_both(eki_gpu_arrays *on, const ek_pairs *p, int64_t n, eki_gpu_pair *at)
{
	return bring(on, p, n, at, eki_gpu_array_both);
}

ek_status eki_gpu_pairs_temporary(eki_job *job, const ek_pairs *p, int64_t n, eki_gpu_pair *at)
{
	eki_buffer *key, *value;

	EK_RETURN_IF(eki_job_buffer(job, n, ek_value_size(p->type), &key));
	at->key = at->value = *key;
	if (p->value_size) {
		EK_RETURN_IF(eki_job_buffer(job, n, p->value_size, &value));
		at->value = *value;
	}
	return EK_OK;
}

int eki_gpu_tile(const ek_pairs *p, int most)
{
	const int size = (int)(ek_value_size(p->type) + p->value_size);

	while (most * size > EKI_GPU_TILE_BYTES)
		most /= 2;
	return most;
}

int64_t eki_gpu_power(int64_t n)
{
	int64_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

ek_status eki_gpu_network_use(const eki_gpu_network *net, const ek_pairs *kind)
{
	char defines[EKI_GPU_WORDS];

	eki_gpu_pairs(kind->type, kind->value_size, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", net->group);
	eki_gpu_word(defines, "TILE", net->tile);
	return eki_job_program(net->job, "network", defines, eki_cl_network);
}

ek_status eki_gpu_tiles_sort(const eki_gpu_network *net, const eki_gpu_pair *from, bool odd)
{
	const eki_arg args[] = {eki_arg_i64(net->n),
	                        eki_arg_i32(odd),
	                        eki_arg_buffer(&from->key),
	                        eki_arg_buffer(&from->value),
	                        eki_arg_buffer(&net->pair->key),
	                        eki_arg_buffer(&net->pair->value)};

	return eki_job_launch(net->job, "tile_sort", eki_groups(net->n, net->tile), net->group,
	                      args, EKI_COUNT(args));
}

/* Returns the number of groups for the comparators of a step on one array of n places. */
static int64_t groups_of(const eki_gpu_network *net, int64_t n, int64_t stride)
{
	return eki_groups(eki_groups(n, 2 * stride) * stride, net->group);
}

ek_status eki_gpu_half_step(const eki_gpu_network *net, int64_t shift, int64_t stride)
{
	const int64_t per = groups_of(net, net->n + shift, stride);
	const eki_arg args[] = {eki_arg_i64(net->n),
	                        eki_arg_i64(per),
	                        eki_arg_i64(shift),
	                        eki_arg_i64(stride),
	                        eki_arg_buffer(&net->pair->key),
	                        eki_arg_buffer(&net->pair->value)};

	return eki_job_launch(net->job, "half_step", per * net->batch, net->group, args,
	                      EKI_COUNT(args));
}

ek_status eki_gpu_odd_step(const eki_gpu_network *net, int64_t shift, int64_t size, int64_t stride)
{
	const int64_t per = groups_of(net, net->n + shift, stride);
	const eki_arg args[] = {eki_arg_i64(net->n),
	                        eki_arg_i64(per),
	                        eki_arg_i64(shift),
	                        eki_arg_i64(size),
	                        eki_arg_i64(stride),
	                        eki_arg_buffer(&net->pair->key),
	                        eki_arg_buffer(&net->pair->value)};

	return eki_job_launch(net->job, "odd_step", per * net->batch, net->group, args,
	                      EKI_COUNT(args));
}

ek_status eki_gpu_halves(const eki_gpu_network *net, int64_t stride)
{
	const int64_t tiles = eki_groups(net->n, net->tile);
	const eki_arg args[] = {eki_arg_i64(net->n), eki_arg_i64(tiles),
	                        eki_arg_buffer(&net->pair->key), eki_arg_buffer(&net->pair->value)};

	for (; stride >= net->tile; stride /= 2)
		EK_RETURN_IF(eki_gpu_half_step(net, 0, stride));
	return eki_job_launch(net->job, "tile_halves", tiles * net->batch, net->group, args,
	                      EKI_COUNT(args));
}

/* ---- Sorts ----------------------------------------------------------------------------------- */

static ek_status mirror_step(const eki_gpu_network *net, int64_t size)
{
	const eki_arg args[] = {eki_arg_i64(net->n), eki_arg_i64(size),
	                        eki_arg_buffer(&net->pair->key), eki_arg_buffer(&net->pair->value)};

	return eki_job_launch(net->job, "mirror_step", groups_of(net, net->n, size / 2), net->group,
	                      args, EKI_COUNT(args));
}

/* Merges neighbouring runs of size / 2 pairs. */
static ek_status stage(const eki_gpu_network *net, int64_t size, bool odd)
{
	if (!odd) {
		EK_RETURN_IF(mirror_step(net, size));
		return eki_gpu_halves(net, size / 4);
	}
	EK_RETURN_IF(eki_gpu_half_step(net, 0, size / 2));
	for (int64_t stride = size / 4; stride > 0; stride /= 2)
		EK_RETURN_IF(eki_gpu_odd_step(net, 0, size, stride));
	return EK_OK;
}

/* Sorts n pairs of the kind that `kind` has. */
static ek_status sort_pairs(eki_job *job, const ek_pairs *kind, int64_t n, const eki_gpu_pair *pair,
                            bool odd)
{
	enum { WG = 256, MOST = 2048 };
	const eki_gpu_network net = {.job = job,
	                             .n = n,
	                             .batch = 1,
	                             .group = WG,
	                             .tile = eki_gpu_tile(kind, MOST),
	                             .pair = pair};

	EK_RETURN_IF(eki_gpu_network_use(&net, kind));
	EK_RETURN_IF(eki_gpu_tiles_sort(&net, pair, odd));
	for (int64_t size = 2 * net.tile; size < 2 * n; size *= 2)
		EK_RETURN_IF(stage(&net, size, odd));
	return EK_OK;
}

ek_status eki_gpu_bitonic_sort(eki_job *job, const ek_pairs *kind, int64_t n,
                               const eki_gpu_pair *pair)
{
	return sort_pairs(job, kind, n, pair, false);
}

static ek_status sort(const eki_step *step, const eki_run *v, bool odd)
{
	const eki_array *a = v->array;
	eki_gpu_pair pair;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_pairs_both(&on, &a->a, a->n, &pair));
	status = sort_pairs(&on.job, &a->a, a->n, &pair, odd);
done:
	return eki_gpu_arrays_end(&on, status);
}

static ek_status run_bitonic(const eki_step *step, const eki_run *v)
{
	return sort(step, v, false);
}

static ek_status run_oddeven(const eki_step *step, const eki_run *v)
{
	return sort(step, v, true);
}

const ek_method ek_sort_gpu_bitonic = {
	.name = "sort.bitonic.gpu",
	.text = "bitonic network, tiles in local memory, on a device",
	.source = "Batcher 1968; Liu 2015, Algorithm 14",
	.operation = EK_SORT,
	.backend = EKI_GPU,
	.run = run_bitonic,
};

const ek_method ek_sort_gpu_oddeven = {
	.name = "sort.oddeven.gpu",
	.text = "odd-even network, tiles in local memory, on a device",
	.source = "Batcher 1968; Liu 2015, Algorithm 15",
	.operation = EK_SORT,
	.backend = EKI_GPU,
	.run = run_oddeven,
};

#endif
