/* SPDX-License-Identifier: BSD-3-Clause
 * A tree of blocks by address (blocks.h). Each block has a rank, and none is above one of a higher
 * rank. Adding a block divides the blocks of lower rank that are in its place, and taking one away
 * merges its two sides; both go down one path. */
#include "gpu/blocks.h"

#include "base/mix.h"

#ifndef EK_NO_GPU

static uint64_t rank(const eki_block *b)
{
	return eki_mix((uintptr_t)b->host);
}

/* Compares addresses of different blocks as numbers. */
static int is_above(const void *a, const void *b)
{
	return (uintptr_t)a > (uintptr_t)b;
}

void eki_blocks_add(eki_block **root, eki_block *block)
{
	eki_block **at = root, **end[2] = {&block->child[0], &block->child[1]}, *rest;

	while (*at && rank(*at) > rank(block))
		at = &(*at)->child[is_above(block->host, (*at)->host)];
	rest = *at;
	*at = block;
	while (rest) {
		const int side = is_above(rest->host, block->host);

		*end[side] = rest;
		end[side] = &rest->child[!side];
		rest = *end[side];
	}
	*end[0] = *end[1] = NULL;
}

eki_block *eki_blocks_take(eki_block **root, const void *host)
{
	eki_block **at = root, *block, *side[2];

	while (*at && (*at)->host != host)
		at = &(*at)->child[is_above(host, (*at)->host)];
	block = *at;
	if (!block)
		return NULL;
	side[0] = block->child[0];
	side[1] = block->child[1];
	while (side[0] && side[1]) {
		const int upper = rank(side[1]) > rank(side[0]);

		*at = side[upper];
		at = &side[upper]->child[!upper];
		side[upper] = *at;
	}
	*at = side[0] ? side[0] : side[1];
	return block;
}

eki_block *eki_blocks_around(eki_block *root, const void *at, size_t bytes)
{
	eki_block *last = NULL; /* the last one that does not begin behind `at` */
	size_t before;

	while (root) {
		const int above = is_above(root->host, at);

		if (!above)
			last = root;
		root = root->child[!above];
	}
	before = last ? (size_t)((uintptr_t)at - (uintptr_t)last->host) : 0;
	return last && before <= last->bytes && bytes <= last->bytes - before ? last : NULL;
}

#endif
