/* SPDX-License-Identifier: BSD-3-Clause
 * Preparation that all methods on a device share: the transposed copy for op T, the program,
 * mirrors of the store's arrays, and buffers for vectors on the host. */
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_vector, "gpu/launch.cl");

/* ---- op T ------------------------------------------------------------------------------------ */

/* Computes the transpose of a store, as CSR. */
static ek_status transpose(const eki_step *step, const ek_store *in, ek_store *csr)
{
	ek_store copy = {0};
	const ek_store *use;
	ek_status status;

	EK_TRY(eki_format_csr(step->ctx, in, &copy, &use));
	EK_TRY(eki_transpose(step->ctx, use, csr, NULL));
done:
	eki_store_free(step->ctx, &copy);
	return status;
}

/* Replaces the store by its transpose in the same format. If the store is A's own, the transpose
 * gets the same format parameters. Otherwise parameters that were asked for are used, and the
 * others get defaults that suit the transpose. */
static ek_status use_transpose(eki_step *step, eki_gpu *g)
{
	int64_t dim[EKI_MAX_DIMS];
	ek_store csr = {0};
	ek_status status;

	if (step->in[0]->format == &ek_format_csr)
		return eki_step_transpose(step, &g->transposed);
	EK_TRY(transpose(step, step->in[0], &csr));
	if (step->in[0] != &step->problem->A[0].M->store)
		memcpy(dim, step->dim, sizeof dim);
	else
		eki_format_ask(step->in[0], dim);
	EK_TRY(eki_format_make(step->ctx, &csr, step->in[0]->format, dim, 0, &g->transposed.store));
	g->transposed.in = step->in[0];
	g->transposed_here = true;
	step->bytes += eki_store_bytes(&g->transposed.store) - eki_store_bytes(step->in[0]);
	step->in[0] = &g->transposed.store;
	step->op[0] = EK_OP_N;
done:
	eki_store_free(step->ctx, &csr);
	return status;
}

static ek_status transpose_again(eki_step *step)
{
	ek_store csr = {0};
	ek_status status;

	if (step->in[0]->format == &ek_format_csr) {
		eki_transposed_refresh(step, &step->gpu->transposed);
		return EK_OK;
	}
	EK_TRY(transpose(step, step->gpu->transposed.in, &csr));
	EK_TRY(eki_format_values(step->ctx, &csr, &step->gpu->transposed.store));
done:
	eki_store_free(step->ctx, &csr);
	return status;
}

/* ---- Preparation ----------------------------------------------------------------------------- */

ek_status eki_gpu_program(eki_step *step, const char *name, const char *defines, const char *text)
{
	char full[2048];
	size_t used;

	eki_program_types(step->in[0]->value, step->in[0]->index, full, sizeof full);
	used = strlen(full);
	if (used + strlen(defines) >= sizeof full)
		return eki_fail(EK_ELIMIT, "kernel %s has too many parameters", name);
	strcpy(full + used, defines);
	return eki_program_get(step->gpu->device, name, full, text, &step->gpu->program);
}

ek_status eki_gpu_open(eki_step *step)
{
	eki_device *dev = step->ctx->device;
	eki_gpu *g;

	if (step->in[0]->value == EK_F64 && !dev->info.f64)
		return eki_fail(EK_EUNSUPPORTED, "device %s (%s) cannot compute with f64",
		                dev->info.name, dev->info.text);
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *g, &g));
	memset(g, 0, sizeof *g);
	g->device = dev;
	if (pthread_mutex_init(&g->lock, NULL) != 0)
		return eki_fail(EK_EIO, "the system has no more locks");
	step->gpu = g;
	return EK_OK;
}

/* Builds the programs and allocates buffers for x and y. */
static ek_status complete(eki_step *step, const char *name, const char *defines, const char *text)
{
	eki_device *dev = step->ctx->device;
	const size_t size = ek_value_size(step->in[0]->value);
	const int64_t width = eki_gpu_width(step);
	eki_gpu *g = step->gpu;

	EK_RETURN_IF(eki_gpu_program(step, "vector", "", eki_cl_vector));
	EK_RETURN_IF(dev->driver->kernel(dev, g->program, "scale", &g->scale));
	if (text)
		EK_RETURN_IF(eki_gpu_program(step, name, defines, text));
	if (step != &step->plan->root && step->plan->root.gpu)
		return EK_OK;
	EK_RETURN_IF(eki_buffer_alloc(dev, eki_times(step->x_len, width), size, false, &g->x));
	return eki_buffer_alloc(dev, eki_times(step->y_len, width), size, false, &g->y);
}

ek_status eki_gpu_prepare(eki_step *step, const char *name, const char *defines, const char *text)
{
	EK_RETURN_IF(eki_gpu_open(step));
	if (step->op[0] == EK_OP_T)
		EK_RETURN_IF(use_transpose(step, step->gpu));
	return complete(step, name, defines, text);
}

ek_status eki_gpu_prepare_as_is(eki_step *step, const char *name, const char *defines,
                                const char *text)
{
	EK_RETURN_IF(eki_gpu_open(step));
	return complete(step, name, defines, text);
}

static size_t elem_size(const ek_store *s, int k)
{
	return eki_elem_size(s->format->array[k].elem, s->value, s->index);
}

/* Returns the state number of array k of a store whose values have the number `state`. Other arrays
 * never change while a plan uses them. */
static uint64_t array_state(const ek_store *s, int k, uint64_t state)
{
	return s->format->array[k].elem == EKI_VALUE ? state : 0;
}

ek_status eki_gpu_mirror_some(eki_step *step, uint64_t arrays)
{
	const ek_store *s = step->in[0];

	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (arrays >> k & 1)
			EK_RETURN_IF(eki_mirror_get(step->gpu->device, s->array[k],
			                            s->len[k] * (int64_t)elem_size(s, k),
			                            array_state(s, k, eki_step_values(step)),
			                            &step->gpu->array[k]));
	return EK_OK;
}

ek_status eki_gpu_mirror(eki_step *step)
{
	return eki_gpu_mirror_some(step, UINT64_MAX);
}

ek_status eki_gpu_refresh(eki_step *step)
{
	eki_gpu *g = step->gpu;
	eki_device *dev = g->device;
	const ek_store *s = step->in[0];

	if (s == &g->transposed.store)
		EK_RETURN_IF(transpose_again(step));
	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (g->array[k] && s->format->array[k].elem == EKI_VALUE)
			EK_RETURN_IF(eki_mirror_renew(dev, g->array[k], eki_step_values(step)));
	return EK_OK;
}

/* Returns the state number of the values of operand m. If they are not those of one matrix, it is
 * that of the values of all. */
static uint64_t operand_state(const eki_step *step, int m)
{
	return step->from[m] ? atomic_load(&step->from[m]->state) : eki_latest_state(step->plan);
}

ek_status eki_gpu_mirror_operand(eki_step *step, int m)
{
	eki_gpu *g = step->gpu;
	const ek_store *s = step->in[m];

	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (s->there && s->there[k])
			g->operand[m][k] = s->there[k];
		else
			EK_RETURN_IF(eki_mirror_get(
				g->device, s->array[k], s->len[k] * (int64_t)elem_size(s, k),
				array_state(s, k, operand_state(step, m)), &g->operand[m][k]));
	return EK_OK;
}

ek_status eki_gpu_mirror_operands(eki_step *step)
{
	for (int m = 0; m < EKI_MAX_MATRICES && step->in[m]; m++)
		EK_RETURN_IF(eki_gpu_mirror_operand(step, m));
	return EK_OK;
}

ek_status eki_gpu_refresh_operands(eki_step *step)
{
	eki_gpu *g = step->gpu;

	for (int m = 0; m < EKI_MAX_MATRICES && step->in[m]; m++)
		for (int k = 0; k < EKI_MAX_ARRAYS && step->in[m]->format->array[k].name; k++)
			if (step->in[m]->format->array[k].elem == EKI_VALUE &&
			    eki_gpu_mirrors(step, m, k))
				EK_RETURN_IF(eki_mirror_renew(g->device, g->operand[m][k],
				                              operand_state(step, m)));
	return EK_OK;
}

ek_status eki_gpu_buffer(eki_step *step, int64_t count, size_t size, bool both, const void *from,
                         eki_buffer **out)
{
	eki_gpu *g = step->gpu;
	eki_gpu_buffers *b;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *b, &b));
	EK_RETURN_IF(eki_buffer_alloc(g->device, count, size, both, &b->buffer));
	b->next = g->buffers;
	g->buffers = b;
	if (from)
		EK_RETURN_IF(eki_buffer_write(g->device, &b->buffer, from, b->buffer.bytes));
	*out = &b->buffer;
	return EK_OK;
}

ek_status eki_gpu_kernel(eki_step *step, const char *name, void **kernel)
{
	eki_gpu *g = step->gpu;
	eki_gpu_kernels *k;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *k, &k));
	EK_RETURN_IF(g->device->driver->kernel(g->device, g->program, name, kernel));
	k->kernel = *kernel;
	k->next = g->kernels;
	g->kernels = k;
	return EK_OK;
}

ek_status eki_gpu_pin(eki_step *step, void *host, int64_t bytes)
{
	eki_gpu *g = step->gpu;
	const eki_driver *driver = g->device->driver;
	eki_gpu_pinned *p;

	if (!driver->pin || !bytes)
		return EK_OK;
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *p, &p));
	if (driver->pin(g->device, host, bytes) == EK_OK) {
		*p = (eki_gpu_pinned){host, g->pinned};
		g->pinned = p;
	}
	return EK_OK;
}

ek_status eki_gpu_once(const eki_step *step, const char *name, int64_t groups, int group_size,
                       const eki_arg *args, int count)
{
	eki_device *dev = step->gpu->device;
	void *kernel;
	ek_status status;

	EK_RETURN_IF(dev->driver->kernel(dev, step->gpu->program, name, &kernel));
	EK_TRY(eki_gpu_launch(step, kernel, groups, group_size, args, count));
	/* The kernel and its arguments may be freed only after the kernel is done. */
	EK_TRY(dev->driver->wait(dev));
done:
	dev->driver->drop(dev, kernel);
	return status;
}

void eki_gpu_release(eki_step *step)
{
	eki_gpu *g = step->gpu;

	if (!g)
		return;
	g->device->driver->wait(g->device); /* wait until the device uses nothing that `g` holds */
	eki_gpu_forget(g);
	for (int k = 0; k < EKI_MAX_ARRAYS; k++)
		if (g->array[k])
			eki_mirror_put(g->device, g->array[k]);
	for (int m = 0; m < EKI_MAX_MATRICES; m++)
		for (int k = 0; k < EKI_MAX_ARRAYS; k++)
			if (eki_gpu_mirrors(step, m, k))
				eki_mirror_put(g->device, g->operand[m][k]);
	for (eki_gpu_buffers *b = g->buffers; b; b = b->next)
		eki_buffer_free(g->device, &b->buffer);
	for (const eki_gpu_kernels *k = g->kernels; k; k = k->next)
		g->device->driver->drop(g->device, k->kernel);
	for (const eki_gpu_pinned *p = g->pinned; p; p = p->next)
		g->device->driver->unpin(g->device, p->host);
	if (g->scale)
		g->device->driver->drop(g->device, g->scale);
	eki_buffer_free(g->device, &g->x);
	eki_buffer_free(g->device, &g->y);
	if (g->transposed_here)
		eki_store_free(step->ctx, &g->transposed.store);
	pthread_mutex_destroy(&g->lock);
	step->gpu = NULL;
}

/* ---- Helpers for methods --------------------------------------------------------------------- */

double eki_gpu_cost(const eki_features *f, double bytes, int launches)
{
	/* `launch` and `device_gbps` have values of their own for processors. On a processor, one
	 * thread runs the work-items of a group one after the other, from barrier to barrier. */
	return f->machine->launch[f->on_processor] * launches +
	       bytes / f->machine->device_gbps[f->on_processor];
}

double eki_gpu_loop_cost(const eki_features *f, double bytes)
{
	return f->machine->launch[1] + bytes / f->machine->loop_gbps;
}

double eki_gpu_format_cost(const eki_features *f, double least, double slow, int launches,
                           double chain)
{
	const double bytes = f->store ? eki_format_bytes(f) : least * f->csr_bytes;

	return eki_gpu_cost(f, slow * bytes, launches) + f->machine->lane_gather * chain;
}

ek_status eki_gpu_power_of_two(const eki_step *step, int k)
{
	const int64_t n = step->param[k];

	if (n & (n - 1))
		return eki_fail(EK_EINVAL, "method %s: %s is %lld; a power of two is expected",
		                step->method->name, step->method->param[k].name, (long long)n);
	return EK_OK;
}

static ek_status check_local(const eki_step *step, int64_t bytes, int64_t most)
{
	if (bytes > most)
		return eki_fail(EK_EUNSUPPORTED,
		                "method %s needs %lld bytes of local memory with these parameters; "
		                "device %s has %lld",
		                step->method->name, (long long)bytes, step->ctx->device->info.name,
		                (long long)most);
	return EK_OK;
}

ek_status eki_gpu_local(const eki_step *step, int64_t bytes)
{
	return check_local(step, bytes, step->ctx->device->info.local);
}

ek_status eki_gpu_local_most(const eki_step *step, int64_t bytes)
{
	return check_local(step, bytes, step->ctx->device->info.local_most);
}

int eki_gpu_lanes(int64_t n, int64_t entries, int least, int most)
{
	int lanes = least;

	while (lanes < most && lanes * n < entries)
		lanes *= 2;
	return lanes;
}
#endif
