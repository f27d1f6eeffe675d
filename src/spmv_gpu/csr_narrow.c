/* SPDX-License-Identifier: BSD-3-Clause
 * Column indices in 16 bits, made on the device (csr_narrow.h). */
#include <stdio.h>

#include "spmv_gpu/csr_narrow.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_narrow, "spmv_gpu/csr_narrow.cl");

/* Replaces the number of far entries of each segment by the sum over all segments before it, and
 * sets *far to the sum over all segments. */
static ek_status place(const eki_step *step, const eki_buffer *window, int64_t items, int64_t *far)
{
	eki_device *dev = step->gpu->device;
	const ek_index index = step->in[0]->index;
	void *copy;
	ek_status status;

	*far = 0;
	EK_RETURN_IF(eki_alloc(step->ctx, window->bytes, 1, &copy));
	EK_TRY(eki_buffer_read(dev, window, copy, window->bytes));
	for (int64_t k = 1; k < 2 * items; k += 2) {
		const int64_t count = csr_number_at(index, copy, k);

		csr_number_set(index, copy, k, *far);
		*far += count;
	}
	EK_TRY(eki_buffer_write(dev, window, copy, window->bytes));
done:
	eki_free(step->ctx, copy, window->bytes, 1);
	return status;
}

static ek_status make(eki_step *step, const eki_buffer *item, int64_t items, int group_size,
                      double worth, const eki_buffer *col, csr_narrow *n)
{
	const int64_t nnz = step->in[0]->nnz;
	eki_buffer *window;
	int64_t far;

	EK_RETURN_IF(eki_gpu_buffer(step, 2 * items, eki_ptr_size(step->in[0]->index), false, NULL,
	                            &window));
	const eki_arg in[] = {eki_arg_buffer(item), eki_arg_buffer(col), eki_arg_buffer(window)};

	EK_RETURN_IF(eki_gpu_once(step, "csr_narrow_window", items, group_size, in, 3));
	EK_RETURN_IF(place(step, window, items, &far));
	if (2.0 * (double)nnz + 4.0 * (double)far > worth * (double)nnz)
		return EK_OK;
	EK_RETURN_IF(eki_gpu_buffer(step, nnz, sizeof(uint16_t), false, NULL, &n->code));
	EK_RETURN_IF(
		eki_gpu_buffer(step, far > 0 ? far : 1, sizeof(int32_t), false, NULL, &n->far));
	n->window = window;
	step->bytes += n->code->bytes + n->far->bytes + window->bytes;
	return eki_gpu_once(
		step, "csr_narrow_codes", items, group_size,
		(eki_arg[]){in[0], in[1], in[2], eki_arg_buffer(n->code), eki_arg_buffer(n->far)},
		5);
}

/* Frees the plan's buffers that were allocated after `last`. */
static void drop(eki_gpu *g, const eki_gpu_buffers *last)
{
	for (; g->buffers != last; g->buffers = g->buffers->next)
		eki_buffer_free(g->device, &g->buffers->buffer);
}

ek_status csr_narrow_make(eki_step *step, const eki_buffer *item, int64_t items, int64_t most,
                          int group_size, double worth, csr_narrow *n)
{
	const ek_store *A = step->in[0];
	eki_device *dev = step->gpu->device;
	const eki_gpu_buffers *buffers = step->gpu->buffers;
	const eki_buffer *col;
	char defines[80];
	ek_status status;

	*n = (csr_narrow){.first_far = 65536 - (int)most};
	if (A->cols > INT32_MAX)
		return EK_OK;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define FIRST_FAR %d\n", group_size,
	         n->first_far);
	EK_RETURN_IF(eki_gpu_program(step, "csr_narrow", defines, eki_cl_csr_narrow));
	EK_RETURN_IF(eki_mirror_get(dev, A->array[CSR_COL],
	                            A->nnz * (int64_t)eki_idx_size(A->index), 0, &col));
	status = make(step, item, items, group_size, worth, col, n);
	eki_mirror_put(dev, col);
	if (status == EK_OK && n->code)
		return EK_OK;
	*n = (csr_narrow){0};
	drop(step->gpu, buffers);
	/* If there is too little memory, columns stay as they are, which is not an error. */
	return status == EK_ENOMEM ? EK_OK : status;
}

#endif
