/* SPDX-License-Identifier: BSD-3-Clause
 * What the two files about twins share: twin.c has the table and the row lengths, twin_columns.c
 * the columns. */
#ifndef EK_TWIN_H
#define EK_TWIN_H

#include "gen/pattern.h"

typedef void eki_twin_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col);

enum eki_lengths {
	EKI_BELL, /* bell-shaped around the mean */
	EKI_ZIPF, /* many short rows, few long, some very long */
	EKI_FALL, /* many short rows, few long */
	EKI_HUBS  /* a handful of very long rows, all others as EKI_BELL */
};

typedef struct eki_twin_class {
	enum eki_lengths lengths;
	int64_t group; /* number of consecutive nodes whose rows have the same length and columns */
	int64_t run;   /* largest number of consecutive columns, counted in nodes */
	double local;  /* share of the columns near the diagonal */
	int64_t dims;  /* dimensions of the mesh; 1 if there is none */
	eki_twin_fill *fill;
} eki_twin_class;

/* A row of the table. The members after `dof` determine the numbers of products and of nonzeros of
 * A^2. A^2 takes a product for each entry a_ij of A and each entry of row j. So a long row j makes
 * many products if other long rows, or many rows, have an entry in column j. The products of row i
 * make few entries of A^2 if the rows j have many columns in common. A member that is zero leaves
 * its property as the class has it. */
typedef struct eki_twin_row {
	ek_twin twin;
	const eki_twin_class *class;
	int64_t dof; /* unknowns at each node, whose rows have the same length and columns */
	/* Standard deviation of bell-shaped row lengths, before they are limited to the range
	 * between the shortest and the longest row. Zero: as wide as this range allows. */
	double spread;
	/* Edge, in nodes, of a cube of the mesh (without a mesh: number of consecutive nodes) in
	 * which all rows have nearly the same length. Real meshes have such regions, where they are
	 * refined or elements are of higher order. So long rows have entries in the columns of
	 * other long rows. */
	int64_t patch;
	/* Share of the columns that are drawn so that the probability of column j is proportional
	 * to the length of row j, as in a symmetric matrix or in a graph whose hubs have many links
	 * in both directions. `reach` is the largest distance of these columns from the diagonal
	 * (zero: no limit). */
	double popular;
	int64_t reach;
	double regular; /* for a mesh: 1 if all lines are aligned, 0 if half of them are shifted */
	int64_t run;    /* replaces that of the class; rows with long runs share many columns */
	double local;   /* replaces that of the class */
	/* Share of the links of a page that all pages of its site have. Pages of a site are next to
	 * each other, and links are often next to each other, too (Boldi and Vigna 2004). */
	double copied;
	int64_t dims;   /* dimensions of a lattice; the more, the fewer columns rows share */
} eki_twin_row;

/* Indices into g->dim: the number of rows in a group, the smallest and the greatest length of
 * ordinary rows, the row numbers of the shortest and of the longest row, and the nodes on an edge
 * of the mesh. */
enum { EKI_GROUP, EKI_LOW, EKI_HIGH, EKI_SHORT_ROW, EKI_LONG_ROW, EKI_SIDE };

/* Functions that draw n columns of row i, one for each kind of class. */
eki_twin_fill eki_lines_fill, eki_stencil_fill, eki_lattice_fill, eki_web_fill, eki_scatter_fill,
	eki_circuit_fill, eki_lp_fill;

/* Writes the columns of row i, which has n. */
void eki_twin_columns(const eki_gen *g, int64_t i, int64_t n, int64_t *col);

#endif
