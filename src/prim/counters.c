/* SPDX-License-Identifier: BSD-3-Clause
 * Turns the counters of prim/counters.h from counts into positions, by an exclusive scan over keys
 * and, within a key, over parts. Each thread takes a range of keys. Unless there is only one range,
 * the sum of each range is computed first. So every counter is read once or twice, and written
 * once. Wang et al. 2016, ScanTrans. */
#include <string.h>

#include "prim/counters.h"
#include "prim_body/scan.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/counters.c"
#include "base/for_each.h"

/* Returns the number of entries whose keys are in [begin, end). */
static int64_t FN(counters_sum)(const eki_counters *c, int64_t begin, int64_t end)
{
	int64_t sum = 0;

	for (int part = 0; part < c->parts; part++) {
		const VAL *count = eki_counters_of(c, part);

		for (int64_t i = begin; i < end; i++)
			sum += count[i];
	}
	return sum;
}

/* Turns the counts of keys [begin, end) into positions, the first of which is `at`. */
static void FN(counters_positions)(const eki_counters *c, int64_t begin, int64_t end, int64_t at)
{
	VAL *last = eki_counters_of(c, c->parts - 1), next = (VAL)at;

	for (int64_t i = begin; i < end; i++) {
		VAL *count = c->own ? (VAL *)c->own + i : NULL, n;

		for (int part = 0; part < c->parts - 1; part++, count += c->n) {
			n = *count;
			*count = next;
			next += n;
		}
		n = last[i];
		last[i] = next;
		next += n;
	}
}

#if EK_ONCE

enum { MOST_RANGES = 64 };

struct job {
	const eki_counters *c;
	int row, ranges;
	int64_t at[MOST_RANGES + 1]; /* for each range of keys, position of its first entry */
};

static void sum_range(void *arg, int range)
{
	static int64_t (*const sum[])(const eki_counters *, int64_t, int64_t) =
		EK_BY_INT(counters_sum);
	struct job *j = arg;

	j->at[range + 1] = sum[j->row](j->c, eki_cut(j->c->n, j->ranges, range),
	                               eki_cut(j->c->n, j->ranges, range + 1));
}

static void scan_range(void *arg, int range)
{
	static void (*const positions[])(const eki_counters *, int64_t, int64_t, int64_t) =
		EK_BY_INT(counters_positions);
	const struct job *j = arg;

	positions[j->row](j->c, eki_cut(j->c->n, j->ranges, range),
	                  eki_cut(j->c->n, j->ranges, range + 1), j->at[range]);
}

void *eki_counters_clear(const eki_counters *c, int part)
{
	void *count = eki_counters_of(c, part);

	if (c->n)
		memset(count, 0, (size_t)c->n * c->size);
	return count;
}

void eki_counters_scan(const ek_context *ctx, const eki_counters *c, int most)
{
	const int parts = eki_parts(ctx, c->n), threads = parts < most ? parts : most;
	struct job j = {.c = c,
	                .row = c->size == 8,
	                .ranges = threads < MOST_RANGES ? threads : MOST_RANGES};

	memset(c->begin, 0, c->size);
	if (j.ranges > 1)
		eki_parallel(ctx, threads, j.ranges, sum_range, &j);
	eki_inclusive_sum(j.at + 1, j.ranges - 1);
	eki_parallel(ctx, threads, j.ranges, scan_range, &j);
}

#endif
