/* SPDX-License-Identifier: BSD-3-Clause
 * Columns in 16 bits, made on the device (csr_narrow.h). */
#include <stdio.h>

#include "gpu_spmv/csr_narrow.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_narrow, "gpu_spmv/csr_narrow.cl");

/* Numbers of far entries become their places; *far: all of them. */
static ek_status place(const ek_plan *p, const eki_buffer *window, int64_t items, int64_t *far)
{
	eki_device *dev = p->gpu->device;
	const ek_index index = p->store->index;
	void *room;
	ek_status status;

	*far = 0;
	EK_RETURN_IF(eki_alloc(p->ctx, window->bytes, 1, &room));
	EK_TRY(eki_buffer_read(dev, window, room, window->bytes));
	for (int64_t k = 1; k < 2 * items; k += 2) {
		const int64_t count = csr_number_at(index, room, k);

		csr_number_set(index, room, k, *far);
		*far += count;
	}
	EK_TRY(eki_buffer_write(dev, window, room, window->bytes));
done:
	eki_free(p->ctx, room, window->bytes, 1);
	return status;
}

static ek_status make(ek_plan *p, const eki_buffer *item, int64_t items, int group_size,
                      double worth, const eki_buffer *col, csr_narrow *n)
{
	const int64_t nnz = p->store->nnz;
	eki_buffer *window;
	int64_t far;

	EK_RETURN_IF(
		eki_gpu_buffer(p, 2 * items, eki_ptr_size(p->store->index), false, NULL, &window));
	const eki_arg in[] = {eki_arg_buffer(item), eki_arg_buffer(col), eki_arg_buffer(window)};

	EK_RETURN_IF(eki_gpu_once(p, "csr_narrow_window", items, group_size, in, 3));
	EK_RETURN_IF(place(p, window, items, &far));
	if (2.0 * (double)nnz + 4.0 * (double)far > worth * (double)nnz)
		return EK_OK;
	EK_RETURN_IF(eki_gpu_buffer(p, nnz, sizeof(uint16_t), false, NULL, &n->code));
	EK_RETURN_IF(eki_gpu_buffer(p, far > 0 ? far : 1, sizeof(int32_t), false, NULL, &n->far));
	n->window = window;
	p->bytes += n->code->bytes + n->far->bytes + window->bytes;
	return eki_gpu_once(
		p, "csr_narrow_codes", items, group_size,
		(eki_arg[]){in[0], in[1], in[2], eki_arg_buffer(n->code), eki_arg_buffer(n->far)},
		5);
}

static void drop(eki_gpu *g, int first)
{
	while (g->buffers > first)
		eki_buffer_free(g->device, &g->buffer[--g->buffers]);
}

ek_status csr_narrow_make(ek_plan *p, const eki_buffer *item, int64_t items, int64_t most,
                          int group_size, double worth, csr_narrow *n)
{
	const ek_store *A = p->store;
	eki_device *dev = p->gpu->device;
	const int buffers = p->gpu->buffers;
	const eki_buffer *col;
	char defines[80];
	ek_status status;

	*n = (csr_narrow){.first_far = 65536 - (int)most};
	if (A->cols > INT32_MAX)
		return EK_OK;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define FIRST_FAR %d\n", group_size,
	         n->first_far);
	EK_RETURN_IF(eki_gpu_program(p, "csr_narrow", defines, eki_cl_csr_narrow));
	EK_RETURN_IF(eki_mirror_get(dev, A->array[CSR_COL],
	                            A->nnz * (int64_t)eki_idx_size(A->index),
	                            atomic_load(&p->A->state), &col));
	status = make(p, item, items, group_size, worth, col, n);
	eki_mirror_put(dev, col);
	if (status == EK_OK && n->code)
		return EK_OK;
	*n = (csr_narrow){0};
	drop(p->gpu, buffers);
	return status == EK_ENOMEM ? EK_OK : status; /* 32 bits want no more memory */
}

#endif
