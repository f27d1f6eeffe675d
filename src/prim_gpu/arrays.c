/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of the caller on the device, for primitives. An array on the device, or in memory that
 * host and device share, is used where it is. Any other is copied to a temporary buffer, and
 * results are copied back at the end, once nothing can fail any more but the copies themselves. */
#include <stdio.h>
#include <string.h>

#include "prim_gpu/arrays.h"

#ifndef EK_NO_GPU

void eki_gpu_arrays_begin(const eki_step *step, const eki_array *array, eki_gpu_arrays *on)
{
	*on = (eki_gpu_arrays){.array = array};
	eki_job_begin(step->ctx->device, &on->job);
}

static ek_status place(eki_gpu_arrays *on, const void *data, int64_t bytes, eki_buffer *buffer)
{
	if (on->array->where != EK_ON_DEVICE || bytes == 0)
		return eki_job_place(&on->job, data, bytes, buffer);
	*buffer = eki_device_memory(on->job.device, data, bytes);
	return EK_OK;
}

ek_status eki_gpu_array_in(eki_gpu_arrays *on, const void *data, int64_t bytes, eki_buffer *buffer)
{
	EK_RETURN_IF(place(on, data, bytes, buffer));
	return buffer->foreign ? EK_OK : eki_buffer_write(on->job.device, buffer, data, bytes);
}

ek_status eki_gpu_array_out(eki_gpu_arrays *on, void *data, int64_t bytes, eki_buffer *buffer)
{
	EK_RETURN_IF(place(on, data, bytes, buffer));
	if (!buffer->foreign) {
		on->result[on->results].buffer = *buffer;
		on->result[on->results++].host = data;
	}
	return EK_OK;
}

ek_status eki_gpu_array_both(eki_gpu_arrays *on, void *data, int64_t bytes, eki_buffer *buffer)
{
	EK_RETURN_IF(eki_gpu_array_out(on, data, bytes, buffer));
	return buffer->foreign ? EK_OK : eki_buffer_write(on->job.device, buffer, data, bytes);
}

ek_status eki_gpu_array_through(eki_gpu_arrays *on, size_t size, eki_buffer *in, eki_buffer *out)
{
	const eki_array *a = on->array;
	const int64_t bytes = a->n * (int64_t)size;

	if (a->in == a->out) {
		EK_RETURN_IF(eki_gpu_array_both(on, a->out, bytes, out));
		*in = *out;
		return EK_OK;
	}
	EK_RETURN_IF(eki_gpu_array_in(on, a->in, bytes, in));
	return eki_gpu_array_out(on, a->out, bytes, out);
}

void eki_gpu_arrays_shorten(eki_gpu_arrays *on, const void *data, int64_t bytes)
{
	for (int k = 0; k < on->results; k++)
		if (on->result[k].host == data)
			on->result[k].buffer.bytes = bytes;
}

ek_status eki_gpu_arrays_end(eki_gpu_arrays *on, ek_status status)
{
	eki_device *dev = on->job.device;

	for (int k = 0; k < on->results && status == EK_OK; k++)
		status = eki_buffer_read(dev, &on->result[k].buffer, on->result[k].host,
		                         on->result[k].buffer.bytes);
	/* The host may change arrays in shared memory once the call has returned. */
	if (status == EK_OK)
		status = on->array->where == EK_ON_DEVICE ? dev->driver->flush(dev)
		                                          : dev->driver->wait(dev);
	eki_job_end(&on->job);
	return status;
}

ek_status eki_gpu_places(eki_job *job, ek_value type, int64_t n, int64_t most,
                         const eki_buffer *place, int64_t *total)
{
	const int64_t size = (int64_t)ek_value_size(type);
	eki_device *dev = job->device;
	union {
		uint32_t u32;
		int64_t i64;
	} sum = {0};

	EK_RETURN_IF(eki_gpu_scan(job, type, EK_SUM, EK_EXCLUSIVE, n + 1, place, place));
	EK_RETURN_IF(eki_buffer_read_part(dev, place, n * size, &sum, size));
	/* The number of all indices of 32 bits, 2^31, is more than the type holds. */
	*total = type == EK_INT32 ? (int64_t)sum.u32 : sum.i64;
	if (*total < 0 || *total > most)
		return eki_fail(EK_EDEVICE, "device %s counted %lld entries, of at most %lld",
		                eki_device_name(dev->ctx), (long long)*total, (long long)most);
	return EK_OK;
}

/* ---- Words for kernels ----------------------------------------------------------------------- */

static const char *const type_name[] = {
	[EK_F32] = "float", [EK_F64] = "double", [EK_INT32] = "int", [EK_INT64] = "ek_i64"};

void eki_gpu_type(ek_value type, char *defines, size_t size)
{
	snprintf(defines, size, "%s#define VAL %s\n", type == EK_F64 ? "#define EK_F64\n" : "",
	         type_name[type]);
}

void eki_gpu_type_and_op(ek_value type, ek_monoid op, char *defines, size_t size)
{
	static const char *const combine[] = {[EK_SUM] = "((a) + (b))",
	                                      [EK_MAX] = "((a) > (b) || (a) != (a) ? (a) : (b))",
	                                      [EK_MIN] = "((a) < (b) || (a) != (a) ? (a) : (b))",
	                                      [EK_OR] = "((a) | (b))"};
	static const char *const least[] = {[EK_F32] = "(-EK_INFINITY)",
	                                    [EK_F64] = "(-EK_INFINITY)",
	                                    [EK_INT32] = "(-2147483647 - 1)",
	                                    [EK_INT64] = "(ek_i64)((ek_u64)1 << 63)"};
	static const char *const most[] = {[EK_F32] = "EK_INFINITY",
	                                   [EK_F64] = "EK_INFINITY",
	                                   [EK_INT32] = "2147483647",
	                                   [EK_INT64] = "(ek_i64)(((ek_u64)1 << 63) - 1)"};

	size_t used;

	eki_gpu_type(type, defines, size);
	used = strlen(defines);
	snprintf(defines + used, size - used, "#define OP(a, b) %s\n#define IDENTITY ((VAL)%s)\n",
	         combine[op],
	         op == EK_MAX   ? least[type]
	         : op == EK_MIN ? most[type]
	                        : "0");
}

ek_status eki_gpu_tiles_program(eki_job *job, ek_value type, ek_monoid op, int wg, int items,
                                const char *name, const char *text)
{
	char defines[EKI_GPU_WORDS];

	eki_gpu_type_and_op(type, op, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", wg);
	eki_gpu_word(defines, "ITEMS", items);
	return eki_job_program(job, name, defines, text);
}

void eki_gpu_pairs(ek_value type, size_t value_size, char *defines, size_t size)
{
	const bool wide = ek_value_size(type) == 8;

	snprintf(defines, size,
	         "#define KEY %s\n#define KEY_MOST %s\n#define FLIP %d\n#define VALUES %d\n"
	         "#define VALUE %s\n",
	         wide ? "ek_i64" : "int", wide ? "(ek_i64)(((ek_u64)1 << 63) - 1)" : "2147483647",
	         type == EK_F32 || type == EK_F64, value_size > 0,
	         value_size == 8 ? "ek_i64" : "int");
}

void eki_gpu_word(char *defines, const char *name, int64_t number)
{
	const size_t used = strlen(defines);

	snprintf(defines + used, EKI_GPU_WORDS - used, "#define %s %lld\n", name,
	         (long long)number);
}

#endif
