/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix cut into tiles of 65,536 rows and columns, so that 16 bits give the row or the column of
 * an entry within its tile. panels.c makes the tiles, csr_forward.c multiplies by them. */
#ifndef EK_SPMV_PANELS_H
#define EK_SPMV_PANELS_H

#include "plan/plan.h"

enum { PANEL_BITS = 16, PANEL = 1 << PANEL_BITS };

/* Kinds of tiles. They differ in the meaning of a tile's 16-bit words, which give the rows of its
 * entries. A segment is a piece of a row; entries are stored segment by segment. */
typedef enum eki_tile_kind {
	EKI_TILE_ALL,      /* for each row of the block, its number of entries in the tile */
	EKI_TILE_SEGMENTS, /* for each segment, its row within the block, and its length */
	EKI_TILE_ENTRIES   /* for each entry, its row */
} eki_tile_kind;

typedef struct eki_tile {
	int64_t entry, word; /* positions of its first entry and of its first word */
	int32_t panel, kind; /* its panel, which begins at column panel * PANEL; its kind */
} eki_tile;

/* A block of at most PANEL rows, cut into tiles. Its tiles end where those of the next block
 * begin. */
typedef struct eki_block {
	int64_t begin, end;  /* range of rows */
	int64_t tile;        /* number of its first tile */
	int64_t entry, word; /* positions of the first entry and of the first word of that tile */
} eki_block;

typedef struct eki_panels {
	int64_t blocks, panels;
	eki_block *block; /* blocks by row; an extra block marks the end of the tiles */
	eki_tile *tile;   /* tiles by block, then by panel; an extra tile marks the end */
	uint16_t *col, *word;
	void *val;
	/* scratch for making tiles and for copying values: a tally for each part and panel */
	struct eki_tally *tally;
} eki_panels;

/* Makes the tiles of the rows that eki_split_whole gives to the parts of the step. The tiles belong
 * to the plan. Changes step->bytes to the number of bytes that a run with the tiles moves. */
ek_status eki_panels_make(eki_step *step, eki_panels **out);
/* Copies the values of A into the tiles again, after they have changed. */
void eki_panels_refresh(const eki_step *step, eki_panels *s);

#endif
