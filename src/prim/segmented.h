/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of segmented scan and segmented sum share: one view of the segments, whether
 * they are given by flags or by offsets. */
#ifndef EK_PRIM_SEGMENTED_H
#define EK_PRIM_SEGMENTED_H

#include "prim/prim.h"

/* Returns the index of the first flag of part `part`, if n flags are divided into `parts` parts. It
 * is a multiple of 64, or n if `part` equals `parts`. */
static inline int64_t eki_flags_cut(int64_t n, int parts, int part)
{
	return part == parts ? n : 64 * eki_cut(n / 64, parts, part);
}

/* Checks that the segments are as ek.h requires, unless EK_TRUSTED is set; every method calls this
 * function first. `before` and `bits` may be NULL. For sums with flags, both are filled in, even
 * with EK_TRUSTED. `before` has a->threads + 1 elements: before[part] gets the number of segments
 * that begin before entry eki_flags_cut(n, threads, part). `bits` has n / 64 + 1 words, and gets a
 * bit for each flag. */
ek_status eki_segments_check(const ek_context *ctx, const eki_array *a, int64_t *before,
                             uint64_t *bits);

static inline int64_t eki_offset_at(const ek_segments *s, int64_t k)
{
	return s->offset_type == EK_INT64 ? ((const int64_t *)s->offset)[k]
	                                  : ((const int32_t *)s->offset)[k];
}

/* Returns the end of segment s, but at most `limit`. With flags, `begin` must be an entry of the
 * segment, less than n; with offsets, `begin` is not used. */
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

/* A number of any type; the pass for that type copies it to and from a VAL. */
typedef struct eki_number {
	_Alignas(8) uint8_t byte[8];
} eki_number;

/* ---- segmented_marks.c: a byte or a bit for each entry --------------------------------------- */

/* Returns how many of n flags are not 0. Stores a bit for each flag in `bits`, unless `bits` is
 * NULL. */
int64_t eki_flags_bits(ek_isa isa, const uint8_t *flag, int64_t n, uint64_t *bits);

/* Returns the first segment that begins at entry i or after it, or s->count if there is none. */
int64_t eki_segment_from(const ek_segments *s, int64_t i);
/* Sets mark[offset[k] - base] to 1 for k = first, first + 1, ... while k < last and offset[k] <
 * end. Returns the k at which it stops. The smallest of these offsets may be base - 1, in which
 * case mark[-1] is written too. */
int64_t eki_segments_mark(const ek_segments *s, int64_t first, int64_t last, int64_t base,
                          int64_t end, uint8_t *mark);

/* Sets to[k] to s->offset[first + k] for 0 <= k < count. */
void eki_offsets_copy(const ek_segments *s, int64_t first, int64_t count, int64_t *to);
/* Sets flag[i], for all entries i, to 1 if a segment begins at entry i, else to 0. Uses all
 * threads. */
void eki_segments_flags(const eki_array *a, uint8_t *flag);

/* ---- segsum_split.c: sums in parts of equal work --------------------------------------------- */

typedef struct eki_segsum_part {
	int64_t begin, end;   /* range of entries */
	int64_t first, last;  /* range of segments that end in the part and whose sums it writes */
	bool stream;          /* whether results are written with non-temporal stores */
	const uint64_t *bits; /* a bit for each flag, then a 1; NULL if segments have offsets */
	eki_number open;      /* sum of the part's entries after the end of segment last - 1 */
} eki_segsum_part;

/* Writes the sums of segments first .. last - 1 to a->out, over the part's own entries only. Sets
 * part->open. */
typedef void eki_segsum_kernel(const eki_array *a, eki_segsum_part *part);
/* Computes the sums of all segments in a->threads parts. The kernel must not read entries of other
 * parts. */
ek_status eki_segsum_split(const ek_context *ctx, const eki_array *a, eki_segsum_kernel *kernel);

/* ---- segscan_tree.c -------------------------------------------------------------------------- */

/* The exclusive segmented scan of an array, padded with the identity up to a power of 2. */
typedef struct eki_segtree {
	int64_t size;
	void *sum, *begins, *some;
} eki_segtree;
ek_status eki_segtree_make(const ek_context *ctx, const eki_array *a, eki_segtree *tree);
void eki_segtree_free(const ek_context *ctx, const eki_array *a, eki_segtree *tree);

#endif
