/* SPDX-License-Identifier: BSD-3-Clause
 * Columns of CSR in 16 bits, for methods that go through CSR by stretches of entries.
 *
 * Most columns of a stretch of neighbouring rows lie in one window of nearly 2^16 columns. So an
 * entry gets a code of 16 bits: below FIRST_FAR = 2^16 - most, where the stretch has at most `most`
 * entries, it is the distance from the start of the window; from there on it says which of the
 * stretch's far entries this is, whose columns stand in an array of their own. Any entry is found
 * from its code alone, with no need to look at its neighbours. With a share f of far entries a
 * column takes 2 + 4 f bytes in place of 4 or 8.
 *
 * Made on the device by two launches that read the columns: windows are tried around 32 of a
 * stretch's columns, and the best is taken.
 *
 * evenkeel; narrow offsets after Kourtis, Goumas and Koziris 2008. */
#ifndef EK_GPU_SPMV_CSR_NARROW_H
#define EK_GPU_SPMV_CSR_NARROW_H

#include "gpu/gpu.h"

/* What a stretch is, in numbers of the size of row pointers, and in how many. */
enum { CSR_ITEM_BEGIN = 1, CSR_ITEM_END, CSR_ITEM = 4 };

/* Number k of an array of such numbers. */
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
	/* window: for each stretch its start, and the first of its far entries in `far`, in numbers
	 * of the size of row pointers. All NULL: not made. */
	eki_buffer *code, *far, *window;
	int first_far;
} csr_narrow;

/* For the stretches in `item`, of `most` entries at most. `worth`: the most bytes that a column may
 * take on average; with more, nothing is made. */
ek_status csr_narrow_make(ek_plan *p, const eki_buffer *item, int64_t items, int64_t most,
                          int group_size, double worth, csr_narrow *n);

#endif
