/* SPDX-License-Identifier: BSD-3-Clause
 * A stable counting sort for several threads: each part counts its own entries by key, the counts
 * become positions, and each part writes its entries to these positions. The caller does the
 * counting and the writing; this file has the counters, and the step in between that turns counts
 * into positions. */
#ifndef EK_PRIM_COUNTERS_H
#define EK_PRIM_COUNTERS_H

#include "plan/plan.h"

/* Counters for keys 0 .. n - 1, of `size` bytes each, 4 or 8. The counters of the last part are
 * begin[1 .. n], in the result itself. While the last part places its entries, each of these
 * counters advances to the position where its key ends and the next key begins. */
typedef struct eki_counters {
	int64_t n;
	size_t size;
	int parts;
	void *own;   /* eki_counters_len() counters, for all parts except the last */
	void *begin; /* n + 1 positions: where the entries of each key begin, and where all end */
} eki_counters;

static inline int64_t eki_counters_len(const eki_counters *c)
{
	return c->n * (c->parts - 1);
}

/* Returns the counters of a part, one for each key. Before eki_counters_scan, a counter is the
 * number of entries of the part with that key; afterwards it is the position for the next of these
 * entries. */
static inline void *eki_counters_of(const eki_counters *c, int part)
{
	return part == c->parts - 1 ? (char *)c->begin + c->size
	                            : (char *)c->own + (size_t)part * (size_t)c->n * c->size;
}

/* Sets the counters of a part to 0 and returns them. */
void *eki_counters_clear(const eki_counters *c, int part);
/* Turns the counts into positions, ordered by key and, within a key, by part. Uses at most `most`
 * threads. */
void eki_counters_scan(const ek_context *ctx, const eki_counters *c, int most);

#endif
