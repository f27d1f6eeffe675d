/* SPDX-License-Identifier: BSD-3-Clause
 * What methods on a device share: preparation (the transpose for op T, the program, mirrors of the
 * arrays, room for vectors of the host), and the way of a run: vectors in, kernels, vectors out.
 *
 * Runs with vectors of the device put work into the queue and return. Runs with vectors of the host
 * copy x, and y if beta is not 0, wait, and copy y back; vectors in memory that both sides share
 * are used where they are. */
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_vector, "gpu/launch.cl");

enum { SCALE_GROUP = 256 };

/* ---- op T ------------------------------------------------------------------------------------ */

/* The transpose of the plan's store, as CSR. */
static ek_status transpose(const ek_plan *p, const ek_store *in, ek_store *csr)
{
	ek_store room = {0};
	const ek_store *use;
	ek_status status;

	EK_TRY(eki_format_csr(p->ctx, in, &room, &use));
	EK_TRY(eki_transpose(p->ctx, use, csr, NULL));
done:
	eki_store_free(p->ctx, &room);
	return status;
}

/* Puts the transpose in place of the store, in the same format; with the same parameters if A has
 * it, else with those that were asked for, and the others as suit the transpose. */
static ek_status turn(ek_plan *p, eki_gpu *g)
{
	int64_t dim[EKI_MAX_DIMS];
	ek_store csr = {0};
	ek_status status;

	if (p->store->format == &ek_format_csr)
		return eki_plan_transpose(p, &g->turned);
	EK_TRY(transpose(p, p->store, &csr));
	if (p->store == &p->own)
		memcpy(dim, p->dim, sizeof dim);
	else
		eki_format_ask(p->store, dim);
	EK_TRY(eki_format_make(p->ctx, &csr, p->store->format, dim, 0, &g->turned.store));
	g->turned_here = true;
	p->bytes += eki_store_bytes(&g->turned.store) - eki_store_bytes(p->store);
	p->store = &g->turned.store;
	p->op = EK_OP_N;
done:
	eki_store_free(p->ctx, &csr);
	return status;
}

static ek_status turn_again(ek_plan *p)
{
	const ek_store *in = p->own.format ? &p->own : &p->A->store;
	ek_store csr = {0};
	ek_status status;

	if (p->store->format == &ek_format_csr) {
		eki_transposed_refresh(p, &p->gpu->turned);
		return EK_OK;
	}
	EK_TRY(transpose(p, in, &csr));
	EK_TRY(eki_format_values(p->ctx, &csr, &p->gpu->turned.store));
done:
	eki_store_free(p->ctx, &csr);
	return status;
}

/* ---- Preparation ----------------------------------------------------------------------------- */

ek_status eki_gpu_program(ek_plan *p, const char *name, const char *defines, const char *text)
{
	char full[2048];
	size_t used;

	eki_program_types(p->store->value, p->store->index, full, sizeof full);
	used = strlen(full);
	if (used + strlen(defines) >= sizeof full)
		return eki_fail(EK_ELIMIT, "kernel %s has too many parameters", name);
	strcpy(full + used, defines);
	return eki_program_get(p->gpu->device, name, full, text, &p->gpu->program);
}

ek_status eki_gpu_prepare(ek_plan *p, const char *name, const char *defines, const char *text)
{
	eki_device *dev = p->ctx->device;
	const size_t size = ek_value_size(p->store->value);
	eki_gpu *g;

	if (p->store->value == EK_F64 && !dev->info.f64)
		return eki_fail(EK_EUNSUPPORTED, "device %s (%s) cannot compute with f64",
		                dev->info.name, dev->info.text);
	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *g, &g));
	memset(g, 0, sizeof *g);
	g->device = dev;
	p->gpu = g;
	if (p->op == EK_OP_T)
		EK_RETURN_IF(turn(p, g));
	EK_RETURN_IF(eki_gpu_program(p, "vector", "", eki_cl_vector));
	EK_RETURN_IF(dev->driver->kernel(dev, g->program, "scale", &g->scale));
	if (text)
		EK_RETURN_IF(eki_gpu_program(p, name, defines, text));
	EK_RETURN_IF(eki_buffer_alloc(dev, p->x_len, size, false, &g->x));
	return eki_buffer_alloc(dev, p->y_len, size, false, &g->y);
}

static size_t elem_size(const ek_store *s, int k)
{
	return eki_elem_size(s->format->array[k].elem, s->value, s->index);
}

ek_status eki_gpu_mirror_some(ek_plan *p, unsigned arrays)
{
	const ek_store *s = p->store;

	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (arrays >> k & 1)
			EK_RETURN_IF(eki_mirror_get(p->gpu->device, s->array[k],
			                            s->len[k] * (int64_t)elem_size(s, k),
			                            atomic_load(&p->A->state), &p->gpu->array[k]));
	return EK_OK;
}

ek_status eki_gpu_mirror(ek_plan *p)
{
	return eki_gpu_mirror_some(p, ~0u);
}

ek_status eki_gpu_refresh(ek_plan *p)
{
	eki_gpu *g = p->gpu;
	const ek_store *s = p->store;

	if (s == &g->turned.store)
		EK_RETURN_IF(turn_again(p));
	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (g->array[k] && s->format->array[k].elem == EKI_VALUE)
			EK_RETURN_IF(eki_mirror_renew(g->device, g->array[k],
			                              atomic_load(&p->A->state)));
	return EK_OK;
}

ek_status eki_gpu_buffer(ek_plan *p, int64_t count, size_t size, bool both, const void *from,
                         eki_buffer **out)
{
	eki_gpu *g = p->gpu;
	eki_buffer *b = &g->buffer[g->buffers];

	if (g->buffers == EKI_GPU_BUFFERS)
		return eki_fail(EK_ELIMIT, "a method wants more than %d buffers", EKI_GPU_BUFFERS);
	EK_RETURN_IF(eki_buffer_alloc(g->device, count, size, both, b));
	g->buffers++;
	if (from)
		EK_RETURN_IF(eki_buffer_write(g->device, b, from, b->bytes));
	*out = b;
	return EK_OK;
}

ek_status eki_gpu_kernel(ek_plan *p, const char *name, void **kernel)
{
	eki_gpu *g = p->gpu;

	if (g->kernels == EKI_GPU_KERNELS)
		return eki_fail(EK_ELIMIT, "a method wants more than %d kernels", EKI_GPU_KERNELS);
	EK_RETURN_IF(g->device->driver->kernel(g->device, g->program, name, kernel));
	g->kernel[g->kernels++] = *kernel;
	return EK_OK;
}

ek_status eki_gpu_once(const ek_plan *p, const char *name, int64_t groups, int group_size,
                       const eki_arg *args, int count)
{
	eki_device *dev = p->gpu->device;
	void *kernel;
	ek_status status;

	EK_RETURN_IF(dev->driver->kernel(dev, p->gpu->program, name, &kernel));
	EK_TRY(eki_gpu_launch(p, kernel, groups, group_size, args, count));
	/* The kernel and what it was given may go. */
	EK_TRY(dev->driver->wait(dev));
done:
	dev->driver->drop(dev, kernel);
	return status;
}

void eki_gpu_release(ek_plan *p)
{
	eki_gpu *g = p->gpu;

	if (!g)
		return;
	g->device->driver->wait(g->device); /* nothing that it holds is in use any more */
	for (int k = 0; k < EKI_MAX_ARRAYS; k++)
		if (g->array[k])
			eki_mirror_put(g->device, g->array[k]);
	for (int k = 0; k < g->buffers; k++)
		eki_buffer_free(g->device, &g->buffer[k]);
	for (int k = 0; k < g->kernels; k++)
		g->device->driver->drop(g->device, g->kernel[k]);
	if (g->scale)
		g->device->driver->drop(g->device, g->scale);
	eki_buffer_free(g->device, &g->x);
	eki_buffer_free(g->device, &g->y);
	if (g->turned_here)
		eki_store_free(p->ctx, &g->turned.store);
	p->gpu = NULL;
}

int64_t eki_gpu_bytes(const ek_plan *p)
{
	const eki_gpu *g = p->gpu;
	int64_t bytes = 0;

	if (!g)
		return 0;
	bytes = g->x.bytes + g->y.bytes;
	if (g->turned_here)
		bytes += eki_store_bytes(&g->turned.store);
	for (int k = 0; k < g->buffers; k++)
		bytes += g->buffer[k].bytes;
	for (int k = 0; k < EKI_MAX_ARRAYS; k++)
		if (g->array[k] && !g->array[k]->foreign)
			bytes += g->array[k]->bytes;
	return bytes;
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* *on: the vector as kernels take it; `room` is for one of the host. True: it lies with the host.
 */
static bool place(const ek_plan *p, const void *data, int where, int64_t n, const eki_buffer *room,
                  eki_buffer *on)
{
	const int64_t bytes = n * (int64_t)ek_value_size(p->store->value);

	if (where == EK_ON_DEVICE)
		*on = eki_device_memory(p->gpu->device, data, bytes);
	else if (!eki_buffer_around(p->gpu->device, data, bytes, on))
		*on = *room;
	return where != EK_ON_DEVICE;
}

ek_status eki_gpu_enter(const ek_plan *p, const ek_args *v, eki_gpu_vectors *on)
{
	eki_device *dev = p->gpu->device;

	on->x_host = place(p, v->x, v->x_where, p->x_len, &p->gpu->x, &on->x);
	on->y_host = place(p, v->y, v->y_where, p->y_len, &p->gpu->y, &on->y);
	if (on->x_host)
		EK_RETURN_IF(eki_buffer_write(dev, &on->x, v->x, on->x.bytes));
	if (on->y_host && v->beta != 0)
		EK_RETURN_IF(eki_buffer_write(dev, &on->y, v->y, on->y.bytes));
	return EK_OK;
}

ek_status eki_gpu_launch(const ek_plan *p, void *kernel, int64_t groups, int group_size,
                         const eki_arg *args, int count)
{
	eki_device *dev = p->gpu->device;

	if (groups == 0)
		return EK_OK;
	atomic_fetch_add(&dev->counted.launches, 1);
	return dev->driver->launch(dev, kernel, groups, group_size, args, count);
}

ek_status eki_gpu_leave(const ek_plan *p, const ek_args *v, const eki_gpu_vectors *on)
{
	eki_device *dev = p->gpu->device;

	if (on->y_host)
		return eki_buffer_read(dev, &on->y, v->y, on->y.bytes);
	/* x of the host is the caller's again, also where it lies in memory that both sides see. */
	return on->x_host && on->x.foreign ? dev->driver->wait(dev) : dev->driver->flush(dev);
}

ek_status eki_gpu_scale_there(const ek_plan *p, double beta, const eki_buffer *y)
{
	const eki_arg args[] = {eki_arg_i64(p->y_len), eki_arg_val(p->store->value, beta),
	                        eki_arg_buffer(y)};

	if (beta == 1)
		return EK_OK;
	return eki_gpu_launch(p, p->gpu->scale, eki_groups(p->y_len, SCALE_GROUP), SCALE_GROUP,
	                      args, EKI_COUNT(args));
}

ek_status eki_gpu_scale(const ek_plan *p, const ek_args *v)
{
	if (v->y_where != EK_ON_DEVICE) {
		eki_scale(p, v->beta, v->y, v->y, p->y_len);
		return EK_OK;
	}
	const eki_buffer y = eki_device_memory(p->gpu->device, v->y,
	                                       p->y_len * (int64_t)ek_value_size(p->store->value));

	EK_RETURN_IF(eki_gpu_scale_there(p, v->beta, &y));
	return p->gpu->device->driver->flush(p->gpu->device);
}

ek_status eki_gpu_copy_y(const ek_plan *p, const void *y0, const ek_args *v)
{
	const size_t size = ek_value_size(p->store->value);
	eki_device *dev = p->gpu->device;

	if (v->y_where != EK_ON_DEVICE) {
		eki_copy_into(p->ctx, v->y, y0, p->y_len, size);
		return EK_OK;
	}
	const eki_buffer to = eki_device_memory(dev, v->y, p->y_len * (int64_t)size);
	const eki_buffer from = eki_device_memory(dev, y0, p->y_len * (int64_t)size);

	return p->y_len ? dev->driver->copy(dev, &to, &from, to.bytes) : EK_OK;
}

/* ---- What methods ask ------------------------------------------------------------------------ */

double eki_gpu_cost(const eki_features *f, double bytes, int launches)
{
	/* A thread of a processor walks through the work-items from barrier to barrier. */
	return f->on_processor ? 30000.0 * launches + bytes / 4 : 3000.0 * launches + bytes / 1000;
}

ek_status eki_gpu_power_of_two(const ek_plan *p, int k)
{
	const int64_t n = p->param[k];

	if (n & (n - 1))
		return eki_fail(EK_EINVAL, "method %s: %s is %lld; a power of two is expected",
		                p->method->name, p->method->param[k].name, (long long)n);
	return EK_OK;
}

ek_status eki_gpu_local(const ek_plan *p, int64_t bytes)
{
	const ek_device_info *on = &p->ctx->device->info;

	if (bytes > on->local)
		return eki_fail(EK_EUNSUPPORTED,
		                "method %s needs %lld bytes of local memory with these parameters; "
		                "device %s has %lld",
		                p->method->name, (long long)bytes, on->name, (long long)on->local);
	return EK_OK;
}

int eki_gpu_lanes(int64_t n, int64_t entries, int least, int most)
{
	int lanes = least;

	while (lanes < most && lanes * n < entries)
		lanes *= 2;
	return lanes;
}
#endif
