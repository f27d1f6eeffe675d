/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of segmented scan and segmented sum share: segments given by flags or by
 * offsets, seen alike. */
#ifndef EK_PRIM_SEGMENTED_H
#define EK_PRIM_SEGMENTED_H

#include "prim/prim.h"

/* Should results leave past the caches? `bytes` is half of what is read and written; of a large
 * cache, which belongs to many cores, a process gets a part (scan_blocked.c). */
static inline bool eki_segments_stream(int64_t bytes)
{
	int64_t half = eki_cpu_cache() / 2, most = (int64_t)32 << 20;

	return bytes > (half < most ? half : most);
}

/* Where part `part` of n flags begins: at a multiple of 64. */
static inline int64_t eki_flags_cut(int64_t n, int parts, int part)
{
	return part == parts ? n : 64 * eki_cut(n / 64, parts, part);
}

/* Every method calls it first: are the segments what ek.h asks for? EK_TRUSTED: not looked at.
 * before, bits: NULL or, for sums with flags, filled even with EK_TRUSTED. before has room for
 * a->threads + 1 numbers, how many segments begin before entry eki_flags_cut(n, threads, part);
 * bits, for n / 64 + 1, has a bit for each flag. */
ek_status eki_segments_check(const ek_context *ctx, const eki_array *a, int64_t *before,
                             uint64_t *bits);

static inline int64_t eki_offset_at(const ek_segments *s, int64_t k)
{
	return s->offset_type == EK_INT64 ? ((const int64_t *)s->offset)[k]
	                                  : ((const int32_t *)s->offset)[k];
}

/* Where segment s ends, which has entry `begin` < n; `limit` at most. */
static inline int64_t eki_segment_end(const eki_array *a, int64_t s, int64_t begin, int64_t limit)
{
	const uint8_t *flag = a->segments.flag;

	if (!flag) {
		int64_t end = eki_offset_at(&a->segments, s + 1);

		return end < limit ? end : limit;
	}
	for (begin++; begin < limit && !flag[begin];)
		begin++;
	return begin;
}

/* A number of any type, which a pass copies to and from a VAL. */
typedef struct eki_number {
	_Alignas(8) uint8_t byte[8];
} eki_number;

/* ---- segmented_marks.c: a byte or a bit for each entry --------------------------------------- */

/* How many of n flags are not 0; bits, if not NULL, are which. */
int64_t eki_flags_bits(ek_isa isa, const uint8_t *flag, int64_t n, uint64_t *bits);

/* The first segment that begins at entry i or behind it; count if there is none. */
int64_t eki_segment_from(const ek_segments *s, int64_t i);
/* mark[offset[k] - base] = 1 for k = first, first + 1, ... while k < last and offset[k] < end;
 * returns that k. base may be one less than the least of them: then mark[-1] is written too. */
int64_t eki_segments_mark(const ek_segments *s, int64_t first, int64_t last, int64_t base,
                          int64_t end, uint8_t *mark);

/* to[k] = offset[first + k], 0 <= k < count */
void eki_offsets_copy(const ek_segments *s, int64_t first, int64_t count, int64_t *to);
/* A byte for each entry, 1 where a segment begins, by all threads. */
void eki_segments_flags(const eki_array *a, uint8_t *flag);

/* ---- segsum_split.c: sums in parts of equal work --------------------------------------------- */

typedef struct eki_segsum_part {
	int64_t begin, end;   /* entries */
	int64_t first, last;  /* segments that end in it: it writes their sums */
	bool stream;          /* past the caches */
	const uint64_t *bits; /* of all flags, and a 1 behind the last; NULL with offsets */
	eki_number open;      /* sum of the entries behind the last of these */
} eki_segsum_part;

/* Fills out[first .. last - 1] with sums over the part's own entries, and `open`. */
typedef void eki_segsum_kernel(const eki_array *a, eki_segsum_part *part);
/* The whole sum by a->threads parts. The kernel must not read entries of others. */
ek_status eki_segsum_split(const ek_context *ctx, const eki_array *a, eki_segsum_kernel *kernel);

/* ---- segscan_tree.c -------------------------------------------------------------------------- */

/* The exclusive segmented scan of `in` with zeros behind it up to a power of 2. */
typedef struct eki_segtree {
	int64_t size;
	void *sum, *begins, *some;
} eki_segtree;
ek_status eki_segtree_make(const ek_context *ctx, const eki_array *a, eki_segtree *tree);
void eki_segtree_free(const ek_context *ctx, const eki_array *a, eki_segtree *tree);

#endif
