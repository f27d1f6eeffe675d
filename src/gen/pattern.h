/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that choose the columns of a row, one for each kind of structure, shared by generators
 * and twins. Each writes n columns, mostly in ascending order; the driver takes care of repeated
 * columns and of columns outside the matrix. */
#ifndef EK_PATTERN_H
#define EK_PATTERN_H

#include "gen/gen.h"

/* Divides the columns into n equal ranges and draws one column from each. */
void eki_pattern_strata(uint64_t *rng, int64_t cols, int64_t n, int64_t *col);
/* Makes runs of up to 8 neighbouring columns. The columns are divided into ranges, one for each
 * run, with sizes in proportion to the runs' lengths. Each run begins at a random place in its
 * range. */
void eki_pattern_runs(uint64_t *rng, int64_t cols, int64_t n, int64_t *col);
/* Describes a mesh to eki_pattern_lines, which makes runs of at most `run` columns, in blocks of
 * `block`. The runs are on the mesh line through column `centre` and on neighbouring lines. `line`
 * and `plane` are the distances, in columns, between neighbouring lines and between neighbouring
 * planes of the mesh. The share `shifted` of the lines, drawn for each row, is shifted by a block,
 * as in an irregular mesh. */
typedef struct eki_lines {
	int64_t centre, line, plane;
	int64_t block, run;
	double shifted;
} eki_lines;
void eki_pattern_lines(uint64_t *rng, const eki_lines *lines, int64_t n, int64_t *col);
/* Writes column i and the columns around it on a grid whose lines have `line` points. Nearest
 * columns come first: those next to i on its line, then those on the lines above and below, and so
 * on. */
void eki_pattern_stencil(int64_t i, int64_t line, int64_t n, int64_t *col);
/* Writes column i and the columns of its neighbours on a grid of `dims` dimensions whose edges have
 * `side` points: first those one step away along each axis, then those two steps away, and so
 * on. */
void eki_pattern_star(int64_t i, int64_t dims, int64_t side, int64_t n, int64_t *col);
/* Describes the columns that eki_pattern_scatter draws. On average the fraction `local` of them is
 * within window / 2 of `centre`. The others can be anywhere or, if `crowded` is true, mostly at low
 * numbers. */
typedef struct eki_scatter {
	int64_t centre, cols, window;
	double local;
	bool crowded;
} eki_scatter;
void eki_pattern_scatter(uint64_t *rng, const eki_scatter *scatter, int64_t n, int64_t *col);
/* Returns a window that is wide enough for the columns of a row of length n. */
static inline int64_t eki_scatter_window(int64_t n)
{
	return n > 16 ? 4 * n : 64;
}
/* Writes column i, which is on the diagonal, and draws the other columns, most of them near i. */
void eki_pattern_circuit(uint64_t *rng, int64_t i, int64_t cols, int64_t n, int64_t *col);

/* Makes hubs: a few very long rows, and columns with the same numbers and about the same lengths.
 * The first hub has length `longest`, and each of the others is half as long as the one before it.
 * There are at most `most` hubs, none shorter than `shortest`. The table of g stores them; g->rows
 * must be set. */
ek_status eki_hubs_make(eki_gen *g, int64_t longest, int64_t shortest, int64_t most);
/* Returns the length of row i if it is a hub, otherwise 0. */
int64_t eki_hub_length(const eki_gen *g, int64_t i);
int64_t eki_hub_total(const eki_gen *g); /* returns the number of entries of all hub rows */
/* Draws the hub columns of a row at random and writes them, at most n, to `col`. Returns their
 * number. */
int64_t eki_hub_columns(const eki_gen *g, uint64_t *rng, int64_t n, int64_t *col);

#endif
