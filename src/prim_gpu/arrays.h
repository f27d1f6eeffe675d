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

#include "gpu/job.h"
#include "prim/prim.h"

enum { EKI_GPU_RESULTS = 4, EKI_GPU_WORDS = 640 };

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
/* Brings the n numbers of on->array, of `size` bytes each, to the device, and takes a place for as
 * many results, which may be in the same array. */
ek_status eki_gpu_array_through(eki_gpu_arrays *on, size_t size, eki_buffer *in, eki_buffer *out);
/* Says that only the first `bytes` bytes of a result were written. */
void eki_gpu_arrays_shorten(eki_gpu_arrays *on, const void *data, int64_t bytes);
/* Ends the call. `status` is the result so far: if it is EK_OK, results are copied to the host. */
ek_status eki_gpu_arrays_end(eki_gpu_arrays *on, ek_status status);

/* Writes the #define lines for numbers of a type: VAL, and EK_F64 if the type is f64. */
void eki_gpu_type(ek_value type, char *defines, size_t size);
/* Writes those for numbers and an operator: also OP(a, b) and IDENTITY. Maximum and minimum are NaN
 * if one of the numbers is NaN. */
void eki_gpu_type_and_op(ek_value type, ek_monoid op, char *defines, size_t size);

/* Writes those for pairs of keys and values: KEY, the integer of a key's size, and KEY_MOST, its
 * greatest value; FLIP, 1 if keys are floats; VALUES, 1 if there are values, and VALUE, the integer
 * of their size. Kernels that get no values get the keys in their place, and do not use them. */
void eki_gpu_pairs(ek_value type, size_t value_size, char *defines, size_t size);
/* Makes the kernels of `text` those of the next launches, for numbers and an operator, groups of
 * EK_WG work-items, and ITEMS numbers for each of these. */
ek_status eki_gpu_tiles_program(eki_job *job, ek_value type, ek_monoid op, int wg, int items,
                                const char *name, const char *text);
/* Appends a line for a number to `defines`, which has EKI_GPU_WORDS bytes. */
void eki_gpu_word(char *defines, const char *name, int64_t number);

/* Computes the scan of n numbers of a type in a job, also in place (scan_tiles.c). The bits of the
 * results depend on n alone. Takes temporary memory of about n / 2000 numbers. */
ek_status eki_gpu_scan(eki_job *job, ek_value type, ek_monoid op, ek_scan_kind kind, int64_t n,
                       const eki_buffer *in, const eki_buffer *out);

/* `place` has n + 1 integers of a type: how many entries each of n places has, and a 0. Replaces
 * them by the sums of the numbers before them, by a scan. Sets *total to the sum of all, and waits
 * for it. Returns EK_EDEVICE if it is not in 0 .. most. Makes other kernels those of the next
 * launches (arrays.c). */
ek_status eki_gpu_places(eki_job *job, ek_value type, int64_t n, int64_t most,
                         const eki_buffer *place, int64_t *total);

/* ---- segments.c, segscan_tiles.c: segments on a device --------------------------------------- */

/* The segments of a call as kernels get them. `flag` has a byte for each entry, not 0 where a
 * segment begins; the byte of entry 0 may be 0. `offset` has count + 1 numbers of type `type`. */
typedef struct eki_gpu_segments {
	eki_buffer flag, offset;
	int64_t count;
	ek_value type;
} eki_gpu_segments;

enum { EKI_GPU_FLAGS = 1, EKI_GPU_OFFSETS = 2 };

/* Brings the segments of on->array to the device, with the members that `need` names, the other
 * form being computed there. Segments in memory of the host are checked first, and those on the
 * device are not; wrong ones do not make kernels write outside of their buffers. */
ek_status eki_gpu_segments_in(eki_gpu_arrays *on, const ek_context *ctx, unsigned need,
                              eki_gpu_segments *s);

/* What a segmented scan writes: all entries of an inclusive or an exclusive scan, or of an
 * inclusive scan only the last entry of each segment. */
typedef enum eki_gpu_scanned {
	EKI_GPU_INCLUSIVE = 0,
	EKI_GPU_EXCLUSIVE = 1,
	EKI_GPU_LAST = 2
} eki_gpu_scanned;

/* Computes the scan of each segment of n numbers of a type in a job, also in place. The bits of the
 * results depend on n and the segments alone. Takes temporary memory of about n / 2000 numbers. */
ek_status eki_gpu_segmented_scan(eki_job *job, ek_value type, ek_monoid op, eki_gpu_scanned what,
                                 int64_t n, const eki_buffer *in, const eki_buffer *flag,
                                 const eki_buffer *out);

#endif
