/* SPDX-License-Identifier: BSD-3-Clause
 * What stands where a format has a place and the matrix no entry. */
#ifndef EK_FORMAT_PADDING_H
#define EK_FORMAT_PADDING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The most rows or pieces of rows that a format with padding has side by side (lanes.h). */
enum { EKI_MOST_LANES = 64 };

/* A chunk of `lanes` lanes with room for `steps` entries each, from place `at` on: where each lane
 * begins in CSR, how long it is, and the entry whose column pads it: its last one or, of a lane
 * without entries, any that is near. */
typedef struct lane_chunk {
	int64_t lanes, steps, at;
	int64_t first[EKI_MOST_LANES], len[EKI_MOST_LANES], pad[EKI_MOST_LANES];
} lane_chunk;

static inline void lane_set(lane_chunk *h, int64_t l, int64_t first, int64_t len, int64_t nnz)
{
	h->first[l] = first;
	h->len[l] = len;
	h->pad[l] = len ? first + len - 1 : first < nnz ? first : first - 1;
}

/* Is that what padding has to be: 0, and not -0? */
static inline bool eki_pads(double value)
{
	return value == 0 && !signbit(value);
}

#endif
