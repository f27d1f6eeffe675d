/* SPDX-License-Identifier: BSD-3-Clause
 * What parallel segmented sums share. The work is divided evenly among the threads, whatever the
 * segments are. With flags, the entries are divided. With offsets, the path of the merge of segment
 * ends and entries is divided (Merrill and Garland 2016), so that many empty segments are divided
 * evenly too. A part sums its own entries. The sum of the segment that it leaves open is carried,
 * from left to right, to the part that closes the segment. So no thread waits and nothing is
 * atomic, and the order of additions depends on the number of threads alone. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segsum_split.c"
#include "base/for_each.h"

#include "prim_body/segmented.h"

static void FN(segsum_carry)(const eki_array *a, const eki_segsum_part *part)
{
	VAL *out = a->out, carry = 0, open;

	for (int p = 0; p < a->threads; p++) {
		memcpy(&open, &part[p].open, sizeof open);
		const bool ends = part[p].first < part[p].last;

		if (ends)
			out[part[p].first] = sop(EK_SUM, carry, out[part[p].first]);
		carry = FN(section_join)(EK_SUM, carry, open, ends);
	}
}

#if EK_ONCE

typedef struct job {
	const eki_array *a;
	eki_segsum_kernel *kernel;
	eki_segsum_part *part;
} job;

/* Returns the segment that contains entry i. `before` is the number of segments that begin before
 * entry i. If i is n, returns `before`, which is then the number of segments. */
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

struct diagonal {
	const ek_segments *s;
	int64_t d;
};

static bool ends_before(const void *of, int64_t k)
{
	const struct diagonal *at = of;

	return eki_offset_at(at->s, k + 1) <= at->d - k - 1;
}

/* Returns how many segments have ended once the merge of segment ends and entries has taken `taken`
 * items in all. */
static int64_t ended(const eki_array *a, int64_t taken)
{
	return eki_merge_path(a->segments.count, a->n, taken, ends_before,
	                      &(struct diagonal){&a->segments, taken});
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
	void *memory = NULL, *before = NULL, *flags = NULL;
	eki_segsum_part *part;
	uint64_t *bits = NULL;

	EK_TRY(eki_alloc(ctx, a->threads, sizeof *part, &memory));
	EK_TRY(eki_alloc(ctx, a->threads + 1, sizeof(int64_t), &before));
	if (words) {
		EK_TRY(eki_alloc(ctx, words, sizeof *bits, &flags));
		bits = flags;
		bits[words - 2] = bits[words - 1] = 0;
	}
	EK_TRY(eki_segments_check(ctx, a, before, bits));
	part = memory;
	if (a->n == 0) { /* arrays may then be NULL */
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
		part[p].stream = eki_array_streams((a->n + a->segments.count) *
		                                   (int64_t)ek_value_size(a->type) / 2);
		part[p].bits = bits;
	}

	job j = {a, kernel, part};
	eki_parallel(a->ctx, a->threads, a->threads, run_part, &j);
	carry[eki_value_row(a->type)](a, part);
done:
	eki_free(ctx, memory, a->threads, sizeof *part);
	eki_free(ctx, before, a->threads + 1, sizeof(int64_t));
	eki_free(ctx, flags, words, sizeof *bits);
	return status;
}

#endif
