/* SPDX-License-Identifier: BSD-3-Clause
 * What parallel segmented sums share. The entries are cut evenly between the threads whatever the
 * segments are; with offsets the path through the merge of segments' ends and entries is cut
 * (Merrill and Garland 2016), so that many empty segments are shared out too. A part sums its own
 * entries; the sum of the segment that it leaves open goes, from left to right, to the part that
 * closes it. So there is nothing to wait for and nothing atomic, and the order of additions depends
 * on the number of threads alone. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segsum_split.c"
#include "core/for_each.h"

static void FN(segsum_carry)(const eki_array *a, const eki_segsum_part *part)
{
	VAL *out = a->out, carry = 0, open;

	for (int p = 0; p < a->threads; p++) {
		memcpy(&open, &part[p].open, sizeof open);
		if (part[p].first < part[p].last) {
			out[part[p].first] = sop(EK_SUM, carry, out[part[p].first]);
			carry = open;
		} else {
			carry = sop(EK_SUM, carry, open);
		}
	}
}

#if EK_ONCE

typedef struct job {
	const eki_array *a;
	eki_segsum_kernel *kernel;
	eki_segsum_part *part;
} job;

/* The segment that entry i lies in, known from how many segments begin before it; behind the last
 * entry the number of segments. */
static int64_t segment_at(const eki_array *a, int64_t i, int64_t before)
{
	return i == 0 ? 0 : i == a->n ? before : before + (a->segments.flag[i] != 0) - 1;
}

static void cut_flags(const eki_array *a, const int64_t *before, eki_segsum_part *part)
{
	for (int p = 0; p < a->threads; p++) {
		part[p].begin = eki_flags_cut(a->n, a->threads, p);
		part[p].end = eki_flags_cut(a->n, a->threads, p + 1);
		part[p].first = segment_at(a, part[p].begin, before[p]);
		part[p].last = segment_at(a, part[p].end, before[p + 1]);
	}
}

/* How many segments have ended where the merge of ends and entries has taken `taken` of both. */
static int64_t ended(const eki_array *a, int64_t taken)
{
	const ek_segments *s = &a->segments;
	int64_t low = taken > a->n ? taken - a->n : 0, high = taken < s->count ? taken : s->count;

	while (low < high) {
		int64_t mid = low + (high - low) / 2;

		if (eki_offset_at(s, mid + 1) <= taken - mid - 1)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void cut_offsets(const eki_array *a, eki_segsum_part *part)
{
	int64_t begin = 0, first = 0;

	for (int p = 0; p < a->threads; p++) {
		int64_t taken = eki_cut(a->n + a->segments.count, a->threads, p + 1);

		part[p].begin = begin;
		part[p].first = first;
		first = part[p].last = ended(a, taken);
		begin = part[p].end = taken - first;
	}
}

static void run_part(void *arg, int part)
{
	const job *j = arg;

	j->kernel(j->a, &j->part[part]);
}

ek_status eki_segsum_split(const ek_context *ctx, const eki_array *a, eki_segsum_kernel *kernel)
{
	static void (*const carry[])(const eki_array *, const eki_segsum_part *) =
		EK_BY_VALUE(segsum_carry);
	const int64_t words = a->segments.flag ? a->n / 64 + 2 : 0;
	ek_status status = EK_OK;
	void *room = NULL, *before = NULL, *flags = NULL;
	eki_segsum_part *part;
	uint64_t *bits = NULL;

	EK_TRY(eki_alloc(ctx, a->threads, sizeof *part, &room));
	EK_TRY(eki_alloc(ctx, a->threads + 1, sizeof(int64_t), &before));
	if (words) {
		EK_TRY(eki_alloc(ctx, words, sizeof *bits, &flags));
		bits = flags;
		bits[words - 2] = bits[words - 1] = 0;
	}
	EK_TRY(eki_segments_check(ctx, a, before, bits));
	part = room;
	if (a->n == 0) { /* arrays may be NULL */
		if (a->segments.count > 0)
			memset(a->out, 0, (size_t)a->segments.count * ek_value_size(a->type));
		goto done;
	}
	if (bits) {
		bits[a->n / 64] |= UINT64_C(1) << a->n % 64;
		cut_flags(a, before, part);
	} else {
		cut_offsets(a, part);
	}
	for (int p = 0; p < a->threads; p++) {
		part[p].stream = eki_segments_stream((a->n + a->segments.count) *
		                                     (int64_t)ek_value_size(a->type) / 2);
		part[p].bits = bits;
	}

	job j = {a, kernel, part};
	eki_parallel(a->threads, a->threads, run_part, &j);
	carry[eki_value_row(a->type)](a, part);
done:
	eki_free(ctx, room, a->threads, sizeof *part);
	eki_free(ctx, before, a->threads + 1, sizeof(int64_t));
	eki_free(ctx, flags, words, sizeof *bits);
	return status;
}

#endif
