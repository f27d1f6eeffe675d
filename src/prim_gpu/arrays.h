/* SPDX-License-Identifier: BSD-3-Clause
 * What the primitives on devices share: their arrays on the device, and the words that their
 * kernels use for types and operators (arrays.c). A method's run is
 *
 *   eki_gpu_arrays_begin, then eki_gpu_array_in and eki_gpu_array_out for its arrays,
 *   launches by eki_job_launch(&on.job, ...),
 *   eki_gpu_arrays_end, which copies results to arrays of the host, and always gives memory back.
 */
#ifndef EK_PRIM_GPU_ARRAYS_H
#define EK_PRIM_GPU_ARRAYS_H

#include "gpu/gpu.h"
#include "prim/prim.h"

enum { EKI_GPU_RESULTS = 4 };

/* The arrays of one call. */
typedef struct eki_gpu_arrays {
	eki_job job;
	const eki_array *array;
	/* results that go to the host, each with the buffer that it is computed in */
	struct {
		eki_buffer buffer;
		void *host;
	} result[EKI_GPU_RESULTS];
	int results;
} eki_gpu_arrays;

void eki_gpu_arrays_begin(const eki_step *step, const eki_array *array, eki_gpu_arrays *on);
/* Sets *buffer to the memory in which kernels find `bytes` bytes of the caller's array `data`: the
 * array itself if it is on the device or in shared memory, else a copy. */
ek_status eki_gpu_array_in(eki_gpu_arrays *on, const void *data, int64_t bytes, eki_buffer *buffer);
/* Sets *buffer to the memory in which kernels write `bytes` bytes of the caller's array `data`. */
ek_status eki_gpu_array_out(eki_gpu_arrays *on, void *data, int64_t bytes, eki_buffer *buffer);
/* Does the same for an array that kernels read and write. */
ek_status eki_gpu_array_both(eki_gpu_arrays *on, void *data, int64_t bytes, eki_buffer *buffer);
/* Ends the call. `status` is the result so far: if it is EK_OK, results are copied to the host. */
ek_status eki_gpu_arrays_end(eki_gpu_arrays *on, ek_status status);

/* Writes the #define lines for numbers of a type: VAL, and EK_F64 if the type is f64. */
void eki_gpu_type(ek_value type, char *defines, size_t size);
/* Writes those for numbers and an operator: also OP(a, b) and IDENTITY. Maximum and minimum are NaN
 * if one of the numbers is NaN. */
void eki_gpu_type_and_op(ek_value type, ek_monoid op, char *defines, size_t size);

/* Computes the scan of n numbers of a type in a job, also in place (scan_tiles.c). The bits of the
 * results depend on n alone. Takes temporary memory of about n / 2000 numbers. */
ek_status eki_gpu_scan(eki_job *job, ek_value type, ek_monoid op, ek_scan_kind kind, int64_t n,
                       const eki_buffer *in, const eki_buffer *out);

#endif
