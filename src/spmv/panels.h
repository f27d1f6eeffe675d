/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix cut into tiles of 65,536 rows and columns, so that 16 bits say where an entry is in its
 * tile: what csr_forward.c multiplies with, and panels.c makes. */
#ifndef EK_SPMV_PANELS_H
#define EK_SPMV_PANELS_H

#include "core/ek_core.h"

enum { PANEL_BITS = 16, PANEL = 1 << PANEL_BITS };

/* How the rows of a tile's entries are told, in words of 16 bits. Segments are pieces of rows;
 * entries stand segment by segment. */
typedef enum eki_tile_kind {
	EKI_TILE_ALL,      /* for each row of the block how many entries it has, be it none */
	EKI_TILE_SEGMENTS, /* for each segment its row, counted from the block's first; its length */
	EKI_TILE_ENTRIES   /* for each entry its row */
} eki_tile_kind;

typedef struct eki_tile {
	int64_t entry, word; /* where its entries and words begin */
	int32_t panel, kind; /* columns from panel * PANEL on */
} eki_tile;

/* PANEL rows or fewer; its tiles go up to the next block's. */
typedef struct eki_block {
	int64_t begin, end; /* rows */
	int64_t tile;
	int64_t entry, word; /* where those of its first tile begin */
} eki_block;

typedef struct eki_panels {
	int64_t blocks, panels;
	eki_block *block; /* by rows; one more for the end of the tiles */
	eki_tile *tile;   /* of a block by panels; one more for the end of the words */
	uint16_t *col, *word;
	void *val;
	struct eki_tally *tally; /* for each part and panel: for making, and for new values */
} eki_panels;

/* Tiles of the plan's rows that eki_split_whole tells; they belong to the plan, whose `bytes`
 * become what a run moves. */
ek_status eki_panels_make(ek_plan *plan, eki_panels **out);
/* Fetches the values anew. */
void eki_panels_refresh(const ek_plan *plan, eki_panels *s);

#endif
