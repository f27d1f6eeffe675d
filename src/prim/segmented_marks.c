/* SPDX-License-Identifier: BSD-3-Clause
 * Turns offsets into flags, and flags into bits. The offset of a segment becomes a flag, that is, a
 * byte that is stored into a block in the first-level cache. From then on kernels treat flags and
 * offsets alike, and turn 64 bytes at a time into bits. If bits were set one by one, each would
 * have to wait for the one before where segments are short. Flags that the caller gave become bits
 * while they are checked. So the flags are read from memory only once, and the bits stay in the
 * caches. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/segmented_marks.c"
#include "base/for_each.h"

static int64_t FN(flags_bits)(const uint8_t *flag, int64_t n, uint64_t *bits)
{
	int64_t count = 0, i = 0;
	uint8_t rest[64] = {0};

	for (; i < n; i += 64) {
		const uint8_t *p = flag + i;

		EK_AHEAD(p);
		if (n - i < 64)
			p = memcpy(rest, p, (size_t)(n - i));

		uint64_t here = vbytes(p);

		if (bits)
			bits[i / 64] = here;
		count += __builtin_popcountll(here);
	}
	return count;
}

#if EK_ONCE

int64_t eki_flags_bits(ek_isa isa, const uint8_t *flag, int64_t n, uint64_t *bits)
{
	static int64_t (*const count[][2])(const uint8_t *, int64_t, uint64_t *) =
		EK_BY_ISA_AND_INT(flags_bits);

	return count[isa][0](flag, n, bits);
}

int64_t eki_segment_from(const ek_segments *s, int64_t i)
{
	return s->offset_type == EK_INT64
	               ? eki_lower_bound((const int64_t *)s->offset, 0, s->count, i)
	               : eki_lower_bound((const int32_t *)s->offset, 0, s->count, i);
}

static int64_t mark_i32(const int32_t *offset, int64_t k, int64_t last, int64_t base, int64_t end,
                        uint8_t *mark)
{
	for (; k < last && offset[k] < end; k++)
		mark[offset[k] - base] = 1;
	return k;
}

static int64_t mark_i64(const int64_t *offset, int64_t k, int64_t last, int64_t base, int64_t end,
                        uint8_t *mark)
{
	for (; k < last && offset[k] < end; k++)
		mark[offset[k] - base] = 1;
	return k;
}

int64_t eki_segments_mark(const ek_segments *s, int64_t first, int64_t last, int64_t base,
                          int64_t end, uint8_t *mark)
{
	return s->offset_type == EK_INT64 ? mark_i64(s->offset, first, last, base, end, mark)
	                                  : mark_i32(s->offset, first, last, base, end, mark);
}

void eki_offsets_copy(const ek_segments *s, int64_t first, int64_t count, int64_t *to)
{
	if (s->offset_type == EK_INT64)
		memcpy(to, (const int64_t *)s->offset + first, (size_t)count * sizeof *to);
	else
		for (int64_t k = 0; k < count; k++)
			to[k] = ((const int32_t *)s->offset)[first + k];
}

typedef struct flags_job {
	const eki_array *a;
	uint8_t *flag;
} flags_job;

static void flags_part(void *arg, int part)
{
	const flags_job *j = arg;
	const ek_segments *s = &j->a->segments;
	int64_t begin = eki_cut(j->a->n, j->a->threads, part);
	int64_t end = eki_cut(j->a->n, j->a->threads, part + 1);

	if (s->flag) {
		for (int64_t i = begin; i < end; i++)
			j->flag[i] = s->flag[i] != 0;
	} else if (begin < end) {
		memset(j->flag + begin, 0, (size_t)(end - begin));
		eki_segments_mark(s, eki_segment_from(s, begin), s->count, begin, end,
		                  j->flag + begin);
	}
}

void eki_segments_flags(const eki_array *a, uint8_t *flag)
{
	flags_job j = {a, flag};

	eki_parallel(a->ctx, a->threads, a->threads, flags_part, &j);
}

#endif
