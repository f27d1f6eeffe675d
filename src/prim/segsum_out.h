/* SPDX-License-Identifier: BSD-3-Clause
 * The output of segmented sums. Sums are collected in a buffer in the first-level cache. If the
 * arrays fit the caches, sums are written as they come; otherwise they are written with
 * non-temporal stores, in whole aligned lines. A line that is written in part would have to be read
 * first, which costs as much again as writing it. Included after base/for_each.h. */
#ifndef SEGSUM_CAPACITY
#define SEGSUM_CAPACITY 2048 /* largest number of sums in a call of sums_put */
#endif

typedef struct FN(sums) {
	VAL *out;     /* where the first buffered sum goes */
	int64_t held; /* number of buffered sums, less than a line */
	bool stream;
	/* The buffered sums. Up to max(W, 8) places after the last one may be overwritten. */
	_Alignas(EKI_ALIGNMENT) VAL sum[SEGSUM_CAPACITY + 2 * W + 8];
} FN(sums);

static inline void FN(sums_start)(FN(sums) * s, VAL *out, bool stream)
{
	s->out = out;
	s->held = 0;
	s->stream = stream;
}

/* Returns where the caller stores the next sums, for sums_put. */
static inline VAL *FN(sums_next)(FN(sums) * s)
{
	return s->sum + s->held;
}

/* Takes in `count` sums that the caller has stored at sums_next(), and writes out all whole
 * lines. */
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
