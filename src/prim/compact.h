/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of ek_compact share (compact.c). They get the pairs as a->a, the flags as
 * a->segments.flag, and the space for the result as a->c. */
#ifndef EK_PRIM_COMPACT_H
#define EK_PRIM_COMPACT_H

#include "prim/prim.h"

/* A part of an array that is compacted: its `count` entries from `begin` on whose flags are set go
 * to `out`. */
typedef struct eki_compact_part {
	const uint8_t *flag;
	int64_t begin, count;
	const void *in;
	void *out;
} eki_compact_part;

/* Returns the number of flags in [begin, end) that are set. */
int64_t eki_compact_count(const uint8_t *flag, int64_t begin, int64_t end);
/* Copies the `count` pairs from place `begin` on whose flags are set to place `at` of the
 * result. */
void eki_compact_move(const eki_array *a, int64_t begin, int64_t count, int64_t at);

#endif
