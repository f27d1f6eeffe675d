/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented sum by one scan over all entries, which ignores segments: the sum of a segment is
 * the scan at its tail (its last entry), minus the scan at its head (its first entry), plus the
 * entry at its head.
 *
 * Simple, and dangerous with floats: both values of the scan carry the error of everything before.
 * With G = gamma(d) of the scan and S the sum of |in| from the beginning of the array to the tail,
 *     |error| <= (2 G + 4 u) S (1 + O(u)),
 * whatever the segment itself holds. After a segment of large numbers, small ones lose all their
 * digits, and after an infinity or a NaN every sum is NaN. The method is right for integers, which
 * wrap around.
 *
 * Liu 2015, Algorithm 13, where seg_offset is the distance from head to tail. Here the scan goes to
 * an array of its own, since the listing overwrites entries that other threads have yet to read.
 * Where two threads share a segment, each takes the entries of the segment that are in its own part
 * (segsum_split.c). */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segsum_offset.c"
#include "base/for_each.h"

#ifndef SEGSUM_SCANNED
#define SEGSUM_SCANNED
typedef struct scanned {
	eki_array a; /* first member, since the kernel casts its address to `scanned` */
	void *scan;
} scanned;
#endif

static void FN(segsum_offset)(const eki_array *a, eki_segsum_part *part)
{
	const VAL *in = a->in, *scan = ((const scanned *)a)->scan;
	VAL *out = a->out, sum = 0;
	int64_t head = part->begin;

	for (int64_t s = part->first; s <= part->last; s++) {
		int64_t end = part->end;

		if (s < part->last)
			end = head < end ? eki_segment_end(a, s, head, end) : head;
		sum = 0;
		if (head < end) {
#if EK_VAL_FLOAT
			sum = scan[end - 1] - scan[head] + in[head];
#else
			sum = (VAL)((UNS)scan[end - 1] - (UNS)scan[head] + (UNS)in[head]);
#endif
		}
		if (s < part->last)
			out[s] = sum;
		head = end;
	}
	memcpy(&part->open, &sum, sizeof sum);
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static eki_segsum_kernel *const kernel[] = EK_BY_VALUE(segsum_offset);
	/* By name: EK_METHOD may name another scan, whose sums have another bound. */
	ek_array_options options = {
		.size = sizeof options, .method = "scan.blocked", .threads = a->threads};
	ek_status status = EK_OK;

	scanned s = {.a = *a};
	eki_array scan = {.operation = EK_SCAN,
	                  .type = a->type,
	                  .op = EK_SUM,
	                  .kind = EK_INCLUSIVE,
	                  .n = a->n,
	                  .in = a->in};

	EK_TRY(eki_alloc(ctx, a->n, ek_value_size(a->type), &s.scan));
	scan.out = s.scan;
	EK_TRY(eki_array_call(ctx, &options, a->n, &scan));
	EK_TRY(eki_segsum_split(ctx, &s.a, kernel[eki_value_row(a->type)]));
done:
	eki_free(ctx, s.scan, a->n, ek_value_size(a->type));
	return status;
}

const ek_method ek_segsum_offset = {
	.name = "segsum.offset",
	.text = "differences of one scan; floats lose digits behind large segments",
	.source = "Liu 2015, Algorithm 13",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.run = run,
};

#endif
