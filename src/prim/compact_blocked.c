/* SPDX-License-Identifier: BSD-3-Clause
 * Compaction of blocks: threads count the flags of each block, the counts are added up, and threads
 * move the blocks to their places (compact.c). Flags are read twice, a byte for each pair, and
 * nothing is written besides the result. It is the scan of compact_scan.c with one number for a
 * block instead of one for each pair. Liu 2015, section 4.4.1. */
#include "prim/compact.h"

enum { MOST_BLOCKS = 128, BLOCK_LEAST = 4096 };

struct compaction {
	const eki_array *a;
	int blocks;
	int64_t count[MOST_BLOCKS], at[MOST_BLOCKS];
};

static int64_t begin_of(const struct compaction *c, int block)
{
	return eki_cut(c->a->n, c->blocks, block);
}

static void count_block(void *arg, int block)
{
	struct compaction *c = arg;

	c->count[block] =
		eki_compact_count(c->a->segments.flag, begin_of(c, block), begin_of(c, block + 1));
}

static void move_block(void *arg, int block)
{
	const struct compaction *c = arg;

	eki_compact_move(c->a, begin_of(c, block), c->count[block], c->at[block]);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const int64_t blocks = a->n / BLOCK_LEAST + 1;
	struct compaction c = {.a = a, .blocks = blocks < MOST_BLOCKS ? (int)blocks : MOST_BLOCKS};
	int64_t all = 0;

	(void)step;
	eki_parallel(a->ctx, a->threads, c.blocks, count_block, &c);
	for (int k = 0; k < c.blocks; k++) {
		c.at[k] = all;
		all += c.count[k];
	}
	eki_parallel(a->ctx, a->threads, c.blocks, move_block, &c);
	*a->count = all;
	return EK_OK;
}

static double cost(const eki_features *f)
{
	return (double)f->array->n;
}

const ek_method ek_compact_blocked = {
	.name = "compact.blocked",
	.text = "flags counted by blocks, which threads then move",
	.source = "Liu 2015, section 4.4.1, with a scan of counts",
	.operation = EK_COMPACT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};
