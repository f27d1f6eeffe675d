/* SPDX-License-Identifier: BSD-3-Clause
 * The way out for segmented sums: they gather in a buffer in the first-level cache, and leave it as
 * they come or, where the arrays do not fit the caches, past them in whole aligned lines. A line
 * that is written in part is read first, which costs as much again as writing it. Included behind
 * core/for_each.h. */
#ifndef SEGSUM_ROOM
#define SEGSUM_ROOM 2048 /* sums that are put at once, at most */
#endif

typedef struct FN(sums) {
	VAL *out;     /* where the first of them goes */
	int64_t held; /* how many wait: less than a line */
	bool stream;
	_Alignas(EKI_ALIGNMENT)
		VAL sum[SEGSUM_ROOM + 2 * W + 8]; /* W or 8 behind the last may be written */
} FN(sums);

static inline void FN(sums_start)(FN(sums) * s, VAL *out, bool stream)
{
	s->out = out;
	s->held = 0;
	s->stream = stream;
}

/* Where the next sums are to be stored. */
static inline VAL *FN(sums_next)(FN(sums) * s)
{
	return s->sum + s->held;
}

/* `count` of them have been stored. */
static inline void FN(sums_put)(FN(sums) * s, int64_t count)
{
	int64_t n = s->held + count, i = 0,
		past = (int64_t)((uintptr_t)s->out / sizeof(VAL)) & (W - 1);

	if (!s->stream) {
		memcpy(s->out, s->sum, (size_t)n * sizeof(VAL));
		s->out += n;
		return;
	}
	if (past) {
		i = n < W - past ? n : W - past;
		vstore_n(s->out, vload(s->sum), i);
	}
	for (; i + W <= n; i += W)
		vstream(s->out + i, vload(s->sum + i));
	s->out += i;
	s->held = n - i;
	vstore(s->sum, vload(s->sum + i));
}

static inline void FN(sums_end)(FN(sums) * s)
{
	memcpy(s->out, s->sum, (size_t)s->held * sizeof(VAL));
	if (s->stream)
		vstream_end();
}
