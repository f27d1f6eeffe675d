/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors on a device by merging. The sum begins with the values of x.
 * (1) Each index of y is searched for in x: if it is there, the values are added, otherwise the
 * entry gets a mark. (2) A scan of the marks gives the marked entries their places. (3) They are
 * copied there, so that they are a vector that has no index in common with x. (4) That vector and x
 * are merged into z by merge path (prim_gpu/merge_path.c). The indices of x are not copied: the
 * merge reads them where they are.
 *
 * No two entries of y are added to the same entry of x, so the bits are those of the processor.
 *
 * Cost: a search for each entry of y, three more passes over y, one over the values of x, and a
 * merge. Liu 2015, section 7.4.3, Figure 7.3. */
#include "prim_gpu/merge_lists.h"
#include "vec_gpu/add.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_add_merge, "vec_gpu/add_merge.cl");

enum { WG = EKI_GPU_ADD_WG, EACH = 4 };

static ek_status use_program(eki_gpu_add *s)
{
	return eki_gpu_add_program(s, WG, EACH, "add_merge", eki_cl_add_merge);
}

/* Adds the values at common indices to those of x, in `sum`. Marks the other entries of y. */
static ek_status fuse(eki_gpu_add *s, const eki_buffer *sum, const eki_buffer *place)
{
	const int64_t xn = s->a->x.nnz, yn = s->a->y.nnz;
	const eki_arg scale[] = {eki_arg_i64(xn), eki_arg_buffer(&s->x.value),
	                         eki_gpu_add_factor(s, 0), eki_arg_buffer(sum)};
	const eki_arg args[] = {eki_arg_i64(xn),
	                        eki_arg_i64(yn),
	                        eki_arg_buffer(&s->x.key),
	                        eki_arg_buffer(&s->y.key),
	                        eki_arg_buffer(&s->y.value),
	                        eki_gpu_add_factor(s, 1),
	                        eki_arg_buffer(sum),
	                        eki_arg_buffer(place)};

	EK_RETURN_IF(use_program(s));
	EK_RETURN_IF(eki_job_launch(&s->on.job, "scale", eki_groups(xn, WG), WG, scale,
	                            EKI_COUNT(scale)));
	return eki_job_launch(&s->on.job, "fuse", eki_groups(yn, WG * EACH), WG, args,
	                      EKI_COUNT(args));
}

static ek_status copy(eki_gpu_add *s, const eki_buffer *place, const eki_gpu_pair *rest)
{
	const eki_arg args[] = {eki_arg_i64(s->a->y.nnz),    eki_arg_buffer(&s->y.key),
	                        eki_arg_buffer(&s->y.value), eki_gpu_add_factor(s, 1),
	                        eki_arg_buffer(place),       eki_arg_buffer(&rest->key),
	                        eki_arg_buffer(&rest->value)};

	EK_RETURN_IF(use_program(s));
	return eki_job_launch(&s->on.job, "copy", eki_groups(s->a->y.nnz, WG), WG, args,
	                      EKI_COUNT(args));
}

/* Merges x, whose values are in `sum`, with the `more` entries of `rest`. */
static ek_status join(eki_gpu_add *s, const eki_buffer *sum, int64_t more, const eki_gpu_pair *rest)
{
	const ek_value type = s->a->x.index;
	const size_t size = ek_value_size(s->a->type);
	const eki_array merge = {.batch = 1,
	                         .a = ek_key_value(type, size, s->a->x.nnz, NULL, NULL),
	                         .b = ek_key_value(type, size, more, NULL, NULL)};
	const eki_gpu_pair at[3] = {{s->x.key, *sum}, *rest, s->z};

	return eki_gpu_merge_path(&s->on.job, &merge, EKI_GPU_ADD_WG, at);
}

static ek_status add(eki_gpu_add *s, int64_t *count)
{
	const int64_t xn = s->a->x.nnz, yn = s->a->y.nnz;
	eki_buffer *sum, *place;
	eki_gpu_pair rest;
	int64_t more = 0;

	EK_RETURN_IF(eki_job_buffer(&s->on.job, xn, ek_value_size(s->a->type), &sum));
	EK_RETURN_IF(eki_job_buffer(&s->on.job, yn + 1, ek_value_size(s->a->x.index), &place));
	EK_RETURN_IF(eki_gpu_add_room(s, yn, &rest));
	EK_RETURN_IF(fuse(s, sum, place));
	if (yn > 0) {
		EK_RETURN_IF(eki_gpu_places(&s->on.job, s->a->x.index, yn, yn, place, &more));
		EK_RETURN_IF(copy(s, place, &rest));
	}
	EK_RETURN_IF(join(s, sum, more, &rest));
	*count = xn + more;
	return EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	return eki_gpu_add_run(step, v, add);
}

/* Predicts the time from what is read and written: values of x for the sums, entries of y to be
 * searched for and copied, their places five times, and everything in the merge. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const double index = (double)ek_value_size(a->x.index),
		     value = (double)ek_value_size(a->type);
	const double x = 2 * value, y = 3 * (index + value) + 5 * index,
		     merge = 2 * (index + value);

	return eki_gpu_cost(f, (double)a->x.nnz * (x + merge) + (double)a->y.nnz * (y + merge), 7);
}

const ek_method ek_add_gpu_merge = {
	.name = "add.merge.gpu",
	.text = "binary search fuses equal indices, scan, copy, merge by merge path, on a device",
	.source = "Liu 2015, section 7.4.3",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_GPU,
	.cost = cost,
	.run = run,
};

#endif
