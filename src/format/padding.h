/* SPDX-License-Identifier: BSD-3-Clause
 * Padding: what a format stores in places that hold no entry of the matrix. */
#ifndef EK_FORMAT_PADDING_H
#define EK_FORMAT_PADDING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The maximum number of rows, or pieces of rows, that a format with padding stores side by side
 * (lanes.h). */
enum { EKI_MOST_LANES = 64 };

/* A chunk of `lanes` lanes with `steps` places each. Its first place is place `at` of the format's
 * arrays. Lane l holds the len[l] entries of CSR that begin at position first[l]. Padding of the
 * lane gets the column of entry pad[l] of CSR. This is the last entry of the lane or, if the lane
 * has none, any nearby entry. */
typedef struct lane_chunk {
	int64_t lanes, steps, at;
	int64_t first[EKI_MOST_LANES], len[EKI_MOST_LANES], pad[EKI_MOST_LANES];
} lane_chunk;

/* Puts `len` entries of CSR, beginning at position `first`, into lane l of chunk *h. `nnz` is the
 * number of entries of the matrix. */
static inline void lane_set(lane_chunk *h, int64_t l, int64_t first, int64_t len, int64_t nnz)
{
	h->first[l] = first;
	h->len[l] = len;
	h->pad[l] = len ? first + len - 1 : first < nnz ? first : first - 1;
}

/* Copies the entries of the first steps, as far as all lanes have entries, from CSR to a chunk.
 * Returns the number of these steps. An entry has `size` bytes, a compile-time constant. Goes along
 * one lane after the other, but not so far that the places beside each other leave the core's cache
 * meanwhile. */
static inline int64_t lanes_copy(const lane_chunk *h, const void *from, void *to, const size_t size)
{
	enum { STEPS = 32 };
	const size_t step = (size_t)h->lanes * size;
	int64_t full = h->steps;

	for (int64_t l = 0; l < h->lanes; l++)
		full = h->len[l] < full ? h->len[l] : full;
	for (int64_t begin = 0; begin < full; begin += STEPS) {
		const int64_t end = full - begin < STEPS ? full : begin + STEPS;

		for (int64_t l = 0; l < h->lanes; l++) {
			const size_t first = (size_t)(h->first[l] + begin);
			const char *entry = (const char *)from + first * size;
			char *place = (char *)to + (size_t)(h->at + l) * size;

			place += (size_t)begin * step;

			for (int64_t j = begin; j < end; j++, entry += size, place += step)
				memcpy(place, entry, size);
		}
	}
	return full;
}

/* Tells whether a value is +0, the only value allowed in padding (-0 is not allowed). */
static inline bool eki_pads(double value)
{
	return value == 0 && !signbit(value);
}

#endif
