/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of segmented scan and segmented sum share: segments given by flags or by offsets,
 * seen alike. */
#ifndef EK_PRIM_SEGMENTED_H
#define EK_PRIM_SEGMENTED_H

#include "prim/prim.h"

/* Every method calls it first: are the segments what ek.h asks for? EK_TRUSTED: not looked at.
 * before: NULL or, for sums with flags, room for a->threads + 1 numbers, which are filled even with
 * EK_TRUSTED: how many segments begin before entry eki_cut(n, threads, part). */
ek_status eki_segments_check(const ek_context *ctx, const eki_array *a, int64_t *before);

static inline int64_t eki_offset_at(const ek_segments *s, int64_t k)
{
	return s->offset_type == EK_INT64 ? ((const int64_t *)s->offset)[k]
	                                  : ((const int32_t *)s->offset)[k];
}

/* Where segment s ends, which begins at entry `begin` < n. */
static inline int64_t eki_segment_end(const eki_array *a, int64_t s, int64_t begin)
{
	const uint8_t *flag = a->segments.flag;

	if (!flag)
		return eki_offset_at(&a->segments, s + 1);
	for (begin++; begin < a->n && !flag[begin];)
		begin++;
	return begin;
}

#endif
