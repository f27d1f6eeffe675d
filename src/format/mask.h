/* SPDX-License-Identifier: BSD-3-Clause
 * A mask that tells which places of a format with padding hold entries: bit k % 32 of word k / 32
 * of an EKI_WORD array is 1 if place k holds an entry. With the mask, entries whose value is 0
 * survive conversion. If 0 times Inf in padding made the sum of a row NaN, the row can be summed
 * again from its entries alone. */
#ifndef EK_FORMAT_MASK_H
#define EK_FORMAT_MASK_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t mask_words(int64_t places)
{
	return places / 32 + (places % 32 != 0);
}

static inline bool mask_has(const uint32_t *mask, int64_t k)
{
	return mask[k / 32] >> (k % 32) & 1;
}

static inline void mask_put(uint32_t *mask, int64_t k)
{
	mask[k / 32] |= UINT32_C(1) << (k % 32);
}

static inline int64_t mask_count(const uint32_t *mask, int64_t words)
{
	int64_t count = 0;

	for (int64_t k = 0; k < words; k++)
		count += __builtin_popcount(mask[k]);
	return count;
}

#endif
