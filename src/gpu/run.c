/* SPDX-License-Identifier: BSD-3-Clause
 * The course of a run on a device: vectors are copied in, kernels are launched, and y is copied
 * out.
 *
 * A run with vectors on the device puts its work into the queue and returns. A run with vectors on
 * the host copies x to the device, and y too unless beta is 0. After the launches, it waits and
 * copies y back. Vectors in memory that host and device share are used in place. Threads that run
 * the same plan take turns. */
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

enum { SCALE_GROUP = 256 };

/* ---- Functions for methods ------------------------------------------------------------------- */

/* Sets *on to the buffer through which kernels access a vector. If the vector is in host memory
 * that is not shared, the buffer is `copy`. Returns true if the vector is on the host. */
static bool place(const eki_step *step, const void *data, int where, int64_t n,
                  const eki_buffer *copy, eki_buffer *on)
{
	const int64_t bytes = n * (int64_t)ek_value_size(step->in[0]->value);

	if (where == EK_ON_DEVICE)
		*on = eki_device_memory(step->gpu->device, data, bytes);
	else if (!eki_buffer_around(step->gpu->device, data, bytes, on))
		*on = *copy;
	return where != EK_ON_DEVICE;
}

ek_status eki_gpu_enter(const eki_step *step, const eki_run *v, eki_gpu_vectors *on)
{
	eki_device *dev = step->gpu->device;

	if (v->there) {
		*on = *v->there;
		return EK_OK;
	}
	on->x_host = place(step, v->x.data, v->x.where, step->x_len, &step->gpu->x, &on->x);
	on->y_host = place(step, v->y.data, v->y.where, step->y_len, &step->gpu->y, &on->y);
	if (on->x_host)
		EK_RETURN_IF(eki_buffer_write(dev, &on->x, v->x.data, on->x.bytes));
	if (on->y_host && !eki_is(v->beta, 0))
		EK_RETURN_IF(eki_buffer_write(dev, &on->y, v->y.data, on->y.bytes));
	return EK_OK;
}

ek_status eki_gpu_launch(const eki_step *step, void *kernel, int64_t groups, int group_size,
                         const eki_arg *args, int count)
{
	eki_device *dev = step->gpu->device;

	if (groups == 0)
		return EK_OK;
	if (eki_recording.on)
		eki_recording.launches++;
	else
		atomic_fetch_add(&dev->counted.launches, 1);
	return dev->driver->launch(dev, kernel, groups, group_size, args, count);
}

ek_status eki_gpu_leave(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on)
{
	eki_device *dev = step->gpu->device;

	if (v->there)
		return EK_OK;
	if (on->y_host)
		return eki_buffer_read(dev, &on->y, v->y.data, on->y.bytes);
	/* The caller may change x on the host once the run returns. So if kernels read x in place,
	 * in shared memory, this waits for the kernels. */
	return on->x_host && on->x.foreign ? dev->driver->wait(dev) : dev->driver->flush(dev);
}

ek_status eki_gpu_scale_there(const eki_step *step, eki_scalar beta, const eki_buffer *y)
{
	const eki_arg args[] = {eki_arg_i64(step->y_len), eki_arg_val(step->in[0]->value, beta),
	                        eki_arg_buffer(y)};

	if (eki_is(beta, 1))
		return EK_OK;
	return eki_gpu_launch(step, step->gpu->scale, eki_groups(step->y_len, SCALE_GROUP),
	                      SCALE_GROUP, args, EKI_COUNT(args));
}

/* ---- A run of the plan ----------------------------------------------------------------------- */

/* Returns the step that runs on the device: `step` itself or one of its children. */
static const eki_step *on_device(const eki_step *step)
{
	for (int k = 0; !step->gpu && k < step->children; k++)
		if (step->child[k].gpu)
			return &step->child[k];
	return step;
}

static int64_t held(const eki_step *step)
{
	const eki_gpu *g = step->gpu;
	int64_t bytes = 0;

	for (int k = 0; k < step->children; k++)
		bytes += held(&step->child[k]);
	if (!g)
		return bytes;
	bytes += g->x.bytes + g->y.bytes;
	if (g->transposed_here)
		bytes += eki_store_bytes(&g->transposed.store);
	for (const eki_gpu_buffers *b = g->buffers; b; b = b->next)
		bytes += b->buffer.bytes;
	for (int k = 0; k < EKI_MAX_ARRAYS; k++)
		if (g->array[k] && !g->array[k]->foreign)
			bytes += g->array[k]->bytes;
	for (int m = 0; m < EKI_MAX_MATRICES; m++)
		for (int k = 0; k < EKI_MAX_ARRAYS; k++)
			if (eki_gpu_mirrors(step, m, k) && !g->operand[m][k]->foreign)
				bytes += g->operand[m][k]->bytes;
	return bytes;
}

int64_t eki_gpu_bytes(const eki_step *step)
{
	eki_gpu *g = on_device(step)->gpu;
	int64_t bytes;

	if (g) /* a run may replace a buffer */
		pthread_mutex_lock(&g->lock);
	bytes = held(step);
	if (g)
		pthread_mutex_unlock(&g->lock);
	return bytes;
}

/* Copies v->y0 to v->y, and makes v->y0 the same as v->y, since methods on devices multiply y
 * itself by beta. */
static ek_status bring_y(const eki_step *step, eki_run *v)
{
	const int64_t bytes = step->y_len * (int64_t)ek_value_size(step->in[0]->value);
	const void *from = v->y0.data;
	eki_device *dev = step->gpu->device;

	v->y0 = v->y;
	if (from == v->y.data || !bytes)
		return EK_OK;
	if (v->y.where != EK_ON_DEVICE) {
		eki_copy_into(step->ctx, v->y.data, from, bytes, 1);
		return EK_OK;
	}
	const eki_buffer y = eki_device_memory(dev, v->y.data, bytes);
	const eki_buffer y0 = eki_device_memory(dev, from, bytes);

	return dev->driver->copy(dev, &y, 0, &y0, 0, bytes);
}

static ek_status scale_run(const eki_step *step, const eki_run *v)
{
	const eki_device *dev = step->gpu->device;
	const int64_t bytes = step->y_len * (int64_t)ek_value_size(step->in[0]->value);
	const eki_buffer y = eki_device_memory(dev, v->y.data, bytes);

	EK_RETURN_IF(eki_gpu_scale_there(step, v->beta, &y));
	return dev->driver->flush(step->gpu->device);
}

ek_status eki_gpu_run(const eki_step *step, eki_run *v)
{
	const eki_step *there = on_device(step);
	ek_status status;

	pthread_mutex_lock(&there->gpu->lock);
	EK_TRY(bring_y(there, v));
	EK_TRY(there == step ? eki_gpu_repeat(step, v) : eki_step_run(step, v));
done:
	pthread_mutex_unlock(&there->gpu->lock);
	return status;
}

ek_status eki_gpu_scale(const eki_step *step, eki_run *v)
{
	const eki_step *there = on_device(step);
	ek_status status;

	pthread_mutex_lock(&there->gpu->lock);
	EK_TRY(bring_y(there, v));
	EK_TRY(scale_run(there, v));
done:
	pthread_mutex_unlock(&there->gpu->lock);
	return status;
}

#endif
