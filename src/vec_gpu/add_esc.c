/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors on a device by expansion, sorting and compression. Expansion:
 * all entries of both go to one array. Sorting: by index, with the bitonic network
 * (prim_gpu/network.c). Compression: entries whose index differs from that of the one before are
 * heads of segments; a scan of the heads gives the segments their places in z, and the work-item of
 * a head adds up its segment, which has two entries at most.
 *
 * Cost: log2(n / tile)^2 / 2 passes of the network over n entries beyond the size of a tile, about
 * 2048, and six more passes. Liu 2015, section 7.4.2, Figure 7.2; Dalton, Olson and Bell 2015 for
 * the name. */
#include "vec_gpu/add.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_add_esc, "vec_gpu/add_esc.cl");

enum { WG = EKI_GPU_ADD_WG };

static ek_status use_program(eki_gpu_add *s)
{
	return eki_gpu_add_program(s, WG, 1, "add_esc", eki_cl_add_esc);
}

static ek_status expand(eki_gpu_add *s, int64_t n, const eki_gpu_pair *all)
{
	const eki_arg args[] = {eki_arg_i64(s->a->x.nnz),    eki_arg_i64(s->a->y.nnz),
	                        eki_arg_buffer(&s->x.key),   eki_arg_buffer(&s->x.value),
	                        eki_gpu_add_factor(s, 0),    eki_arg_buffer(&s->y.key),
	                        eki_arg_buffer(&s->y.value), eki_gpu_add_factor(s, 1),
	                        eki_arg_buffer(&all->key),   eki_arg_buffer(&all->value)};

	EK_RETURN_IF(use_program(s));
	return eki_job_launch(&s->on.job, "expand", eki_groups(n, WG), WG, args, EKI_COUNT(args));
}

static ek_status compress(eki_gpu_add *s, int64_t n, const eki_gpu_pair *all, int64_t *count)
{
	eki_job *job = &s->on.job;
	eki_buffer *place;

	EK_RETURN_IF(eki_job_buffer(job, n + 1, ek_value_size(s->a->x.index), &place));
	const eki_arg heads[] = {eki_arg_i64(n), eki_arg_buffer(&all->key), eki_arg_buffer(place)};
	const eki_arg args[] = {
		eki_arg_i64(n),        eki_arg_buffer(&all->key), eki_arg_buffer(&all->value),
		eki_arg_buffer(place), eki_arg_buffer(&s->z.key), eki_arg_buffer(&s->z.value)};

	EK_RETURN_IF(use_program(s));
	EK_RETURN_IF(
		eki_job_launch(job, "heads", eki_groups(n + 1, WG), WG, heads, EKI_COUNT(heads)));
	EK_RETURN_IF(eki_gpu_places(&s->on.job, s->a->x.index, n, n, place, count));
	EK_RETURN_IF(use_program(s));
	return eki_job_launch(job, "compress", eki_groups(n, WG), WG, args, EKI_COUNT(args));
}

static ek_status add(eki_gpu_add *s, int64_t *count)
{
	const int64_t n = s->a->x.nnz + s->a->y.nnz;
	const ek_pairs kind = ek_key_value(s->a->x.index, ek_value_size(s->a->type), n, NULL, NULL);
	eki_gpu_pair all;

	EK_RETURN_IF(eki_gpu_add_room(s, n, &all));
	EK_RETURN_IF(expand(s, n, &all));
	EK_RETURN_IF(eki_gpu_bitonic_sort(&s->on.job, &kind, n, &all));
	return compress(s, n, &all, count);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	return eki_gpu_add_run(step, v, add);
}

const ek_method ek_add_gpu_esc = {
	.name = "add.esc.gpu",
	.text = "expand, bitonic sort, compress by scan and segmented sum, on a device",
	.source = "Liu 2015, section 7.4.2",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_GPU,
	.run = run,
};

#endif
