/* SPDX-License-Identifier: BSD-3-Clause
 * The blocks that a shared heap has handed out, as a tree that is ordered by address: a treap,
 * whose shape is that of a search tree to which the blocks were added in random order. So a path
 * from the root has O(log n) blocks, whatever the order of calls is. The random numbers that make
 * it so are mixed from the addresses. No function allocates memory.
 *
 * Source: Seidel and Aragon 1996, randomized search trees. */
#ifndef EK_GPU_BLOCKS_H
#define EK_GPU_BLOCKS_H

#include <stddef.h>

typedef struct eki_block {
	struct eki_block *child[2]; /* the blocks below at lower and at higher addresses */
	char *host;
	void *device;
	size_t bytes;
} eki_block;

/* Adds a block that overlaps with none of the tree. `child` need not be set. */
void eki_blocks_add(eki_block **root, eki_block *block);
/* Takes the block that begins at `host` out of the tree. Returns NULL if there is none. */
eki_block *eki_blocks_take(eki_block **root, const void *host);
/* Returns the block that contains `bytes` bytes from `at` on, or NULL if there is none. */
eki_block *eki_blocks_around(eki_block *root, const void *at, size_t bytes);

#endif
