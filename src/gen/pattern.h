/* SPDX-License-Identifier: BSD-3-Clause
 * Columns of a row by kind of structure, shared by generators and twins. Each function writes n
 * columns, mostly in ascending order; the driver settles repetitions and edges. */
#ifndef EK_PATTERN_H
#define EK_PATTERN_H

#include "gen/gen.h"

/* One column in each of n equal ranges. */
void eki_pattern_strata(uint64_t *rng, int64_t cols, int64_t n, int64_t *col);
/* Runs of up to 8 neighbours, one run in each of some equal ranges. */
void eki_pattern_runs(uint64_t *rng, int64_t cols, int64_t n, int64_t *col);
/* Runs of at most `run` columns in blocks of `block`, along the mesh lines around `centre`: the
 * line itself and its neighbours at multiples of `line` and of `plane`. */
typedef struct eki_lines {
	int64_t centre, line, plane;
	int64_t block, run;
} eki_lines;
void eki_pattern_lines(uint64_t *rng, const eki_lines *lines, int64_t n, int64_t *col);
/* The diagonal, its neighbours, the lines above and below, and so on, nearest first. */
void eki_pattern_stencil(int64_t i, int64_t line, int64_t n, int64_t *col);
/* A share `local` near `centre`, the others anywhere; crowded: rather at low numbers. */
void eki_pattern_scatter(uint64_t *rng, int64_t centre, int64_t cols, double local, bool crowded,
                         int64_t n, int64_t *col);
/* The diagonal, and others of which most are near it. */
void eki_pattern_circuit(uint64_t *rng, int64_t i, int64_t cols, int64_t n, int64_t *col);

/* Hubs: a few very long rows, each half as long as the one before, and columns of the same numbers
 * and about the same lengths. At most `most` of them, none below `shortest`; kept in the table of
 * g. g->rows must be set. */
ek_status eki_hubs_make(eki_gen *g, int64_t longest, int64_t shortest, int64_t most);
int64_t eki_hub_length(const eki_gen *g, int64_t i); /* of row i; 0: an ordinary row */
int64_t eki_hub_total(const eki_gen *g);             /* entries of all hub rows */
/* The hub columns that row i has, at most n; returns how many. */
int64_t eki_hub_columns(const eki_gen *g, uint64_t *rng, int64_t n, int64_t *col);

#endif
