/* SPDX-License-Identifier: BSD-3-Clause
 * Column indices of CSR in 16 bits, for methods that go through CSR by segments of entries.
 *
 * Most columns of a segment of neighbouring rows are in one window of nearly 2^16 columns. Each
 * entry gets a code of 16 bits. If segments have at most `most` entries, FIRST_FAR is 2^16 - most.
 * A code below FIRST_FAR is the distance of the column from the start of the window. The other
 * codes are for far entries, which are outside the window: the k-th far entry of a segment, counted
 * from 0, has the code FIRST_FAR + k, and the columns of far entries are stored in an array of
 * their own. So the column of an entry follows from its code alone, without the codes of its
 * neighbours. If a fraction f of the entries is far, a column takes 2 + 4 f bytes on average
 * instead of 4 or 8.
 *
 * The codes are made on the device, by two launches that read the columns. For each segment,
 * windows around 32 of its columns are tried, and the window with the fewest far entries is taken.
 *
 * evenkeel; narrow offsets after Kourtis, Goumas and Koziris 2008. */
#ifndef EK_GPU_SPMV_CSR_NARROW_H
#define EK_GPU_SPMV_CSR_NARROW_H

#include "gpu/gpu.h"

/* An item describes a segment by CSR_ITEM numbers of the size of row pointers. CSR_ITEM_BEGIN and
 * CSR_ITEM_END are the indices of the numbers that tell where the entries of the segment begin and
 * end. */
enum { CSR_ITEM_BEGIN = 1, CSR_ITEM_END, CSR_ITEM = 4 };

/* Returns element k of an array whose elements have the size of row pointers. */
static inline int64_t csr_number_at(ek_index index, const void *array, int64_t k)
{
	return index == EK_I32 ? ((const int32_t *)array)[k] : ((const int64_t *)array)[k];
}
static inline void csr_number_set(ek_index index, void *array, int64_t k, int64_t v)
{
	if (index == EK_I32)
		((int32_t *)array)[k] = (int32_t)v;
	else
		((int64_t *)array)[k] = v;
}

typedef struct csr_narrow {
	/* `window` has two numbers, of the size of row pointers, for each segment: the start of its
	 * window, and where the columns of its far entries begin in `far`. All three buffers are
	 * NULL if 16-bit columns were not made. */
	eki_buffer *code, *far, *window;
	int first_far;
} csr_narrow;

/* Makes 16-bit columns for the segments in `item`, which have at most `most` entries each. Makes
 * nothing if a column would take more than `worth` bytes on average. */
ek_status csr_narrow_make(eki_step *step, const eki_buffer *item, int64_t items, int64_t most,
                          int group_size, double worth, csr_narrow *n);

#endif
