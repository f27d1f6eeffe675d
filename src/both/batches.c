/* SPDX-License-Identifier: BSD-3-Clause
 * Products on a device whose memory does not hold the matrix. The entries of A go to the device in
 * batches of a fixed number of entries, through two pairs of buffers: while a batch is multiplied,
 * the next one is sent through the second queue. Row pointers, x and y stay on the device.
 *
 * Batches are cut between entries, not between rows, so a row may be longer than a batch. A kernel
 * adds such a row's later parts to y. Each part is alpha times its sum, so that may overflow where
 * the sum of the whole row does not; the bound of ek_spmv holds, since each part has entries.
 *
 * Cost: the bytes of A cross the bus in each run; a device with enough memory for A, or the
 * processor, is faster. */
#include "both/both.h"

#ifndef EK_NO_GPU

/* Usual bytes of a batch, but no more than this part of the device's memory. */
enum { USUAL_BYTES = 32 << 20, USUAL_PART = 16 };

static int64_t usual_bytes(const eki_step *step)
{
	const int64_t part = step->ctx->device->info.memory / USUAL_PART;

	return part < USUAL_BYTES ? part : USUAL_BYTES;
}

eki_batch eki_batch_of(const ek_store *A, const eki_both_batches *b, int64_t k)
{
	eki_batch batch = {.begin = k * b->entries,
	                   .end = (k + 1) * b->entries,
	                   .last = A->rows,
	                   .col = b->col[k % 2],
	                   .val = b->val[k % 2]};

	if (k > 0)
		batch.first = eki_row_of(A, batch.begin);
	if (k == b->count - 1) {
		batch.end = A->nnz;
		return batch;
	}
	batch.last = eki_row_of(A, batch.end);
	batch.last += eki_ptr_at(A, batch.last) < batch.end; /* the row goes on in the next batch */
	return batch;
}

static ek_status make_buffers(eki_step *step, eki_both_batches *b)
{
	const ek_store *A = step->in[0];
	const int64_t entries = b->entries < A->nnz ? b->entries : A->nnz;

	for (int k = 0; k < 2; k++) {
		EK_RETURN_IF(eki_gpu_buffer(step, entries, eki_idx_size(A->index), false, NULL,
		                            &b->col[k]));
		EK_RETURN_IF(eki_gpu_buffer(step, entries, ek_value_size(A->value), false, NULL,
		                            &b->val[k]));
	}
	EK_RETURN_IF(
		eki_gpu_pin(step, A->array[CSR_COL], A->nnz * (int64_t)eki_idx_size(A->index)));
	return eki_gpu_pin(step, A->array[CSR_VAL], A->nnz * (int64_t)ek_value_size(A->value));
}

ek_status eki_batches_prepare(eki_step *step, int64_t bytes, const char *name, const char *defines,
                              const char *text)
{
	eki_both_batches *b;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *b, &b));
	step->state = b;
	EK_RETURN_IF(eki_gpu_prepare(step, name, defines, text));
	const ek_store *A = step->in[0];
	const int64_t entry = eki_entry_bytes(A);

	step->param[0] = bytes ? bytes : usual_bytes(step);
	*b = (eki_both_batches){.entries = step->param[0] / entry};
	b->count = A->nnz ? eki_groups(A->nnz, b->entries) : 1;
	EK_RETURN_IF(eki_gpu_mirror_some(step, 1u << CSR_PTR));
	EK_RETURN_IF(make_buffers(step, b));
	EK_RETURN_IF(eki_gpu_kernel(step, name, &b->kernel));
	return eki_step_say(step, "         %lld batches of %lld entries\n", (long long)b->count,
	                    (long long)b->entries);
}

static ek_status send(const eki_step *step, const eki_batch *batch)
{
	const ek_store *A = step->in[0];
	eki_device *dev = step->gpu->device;
	const struct {
		const eki_buffer *to;
		int array;
		int64_t size;
	} part[] = {{batch->col, CSR_COL, (int64_t)eki_idx_size(A->index)},
	            {batch->val, CSR_VAL, (int64_t)ek_value_size(A->value)}};
	const int64_t entries = batch->end - batch->begin;

	for (int k = 0; k < EKI_COUNT(part) && entries > 0; k++) {
		const char *from = A->array[part[k].array];

		atomic_fetch_add(&dev->counted.to_device, entries * part[k].size);
		EK_RETURN_IF(dev->driver->send(dev, part[k].to, 0,
		                               from + batch->begin * part[k].size,
		                               entries * part[k].size));
	}
	return EK_OK;
}

/* Puts all batches into the queues. Copies wait for the batch that has used the buffers before, but
 * not for the one before theirs, which is not in its queue yet. */
static ek_status queue(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on,
                       eki_batch_fn *launch)
{
	const eki_both_batches *b = step->state;
	const ek_store *A = step->in[0];
	eki_device *dev = step->gpu->device;
	eki_batch next = eki_batch_of(A, b, 0);

	EK_RETURN_IF(dev->driver->follow(dev, true));
	EK_RETURN_IF(send(step, &next));
	for (int64_t k = 0; k < b->count; k++) {
		const eki_batch batch = next;

		EK_RETURN_IF(dev->driver->follow(dev, false));
		EK_RETURN_IF(dev->driver->follow(dev, true));
		EK_RETURN_IF(launch(step, v, on, &batch));
		EK_RETURN_IF(dev->driver->flush(dev));
		if (k + 1 == b->count)
			break;
		next = eki_batch_of(A, b, k + 1);
		EK_RETURN_IF(send(step, &next));
	}
	return EK_OK;
}

/* Waits at the end, unless the parent step does, since the caller may then change the values of A,
 * which copies in the queue may still read. */
ek_status eki_batches_run(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on,
                          eki_batch_fn *launch)
{
	eki_device *dev = step->gpu->device;
	ek_status status;

	EK_TRY(queue(step, v, on, launch));
	if (v->there)
		return EK_OK;
	return dev->driver->wait(dev);
done:
	return v->there ? status : eki_both_drain(dev, status);
}

#endif
