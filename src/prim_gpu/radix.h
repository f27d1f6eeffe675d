/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting entries by an index on a device, and what becomes of the sorted ones (radix.c). */
#ifndef EK_PRIM_GPU_RADIX_H
#define EK_PRIM_GPU_RADIX_H

#include "prim_gpu/arrays.h"

/* Temporary memory of sorts of n entries, whose indices have the column type of `index` and whose
 * numbers the type of row pointers. */
typedef struct eki_gpu_radix {
	eki_job *job;
	ek_index index;
	int64_t n;
	eki_buffer *key[2], *from, *place;
} eki_gpu_radix;

/* Takes the memory, and returns how many bytes it takes. */
ek_status eki_gpu_radix_begin(eki_job *job, ek_index index, int64_t n, eki_gpu_radix *r);
int64_t eki_gpu_radix_bytes(ek_index index, int64_t n);
/* Sorts entries by `key`, stably; indices are in 0 .. end - 1. given[k] is the number of entry k,
 * or k if `given` is NULL. Puts the numbers of the sorted entries into `from`, and sets *sorted to
 * their indices, which stay there until the next sort; neither `key` nor `given` is changed. All
 * these functions make other kernels those of the next launches. */
ek_status eki_gpu_radix_sort(eki_gpu_radix *r, int64_t end, const eki_buffer *key,
                             const eki_buffer *given, const eki_buffer *from,
                             const eki_buffer **sorted);
/* Writes the index of each entry whose number is in `from`. */
ek_status eki_gpu_gather(const eki_gpu_radix *r, const eki_buffer *from, const eki_buffer *key,
                         const eki_buffer *to);
/* Writes the row of each of n entries, from row pointers. */
ek_status eki_gpu_expand(eki_job *job, ek_index index, int64_t rows, int64_t n,
                         const eki_buffer *ptr, const eki_buffer *row);
/* Writes where each index in 0 .. end begins among n entries that are sorted by index: the reverse
 * of eki_gpu_expand. */
ek_status eki_gpu_compress(eki_job *job, ek_index index, int64_t end, int64_t n,
                           const eki_buffer *key, const eki_buffer *ptr);

#endif
