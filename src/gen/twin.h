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

/* A row of the table. What follows `dof` decides two sizes of a second order: the products of A^2
 * and its nonzeros. There is a product for each entry of A and each entry of the row that has the
 * number of its column. So long rows make many products if other long rows, or many rows, have
 * entries in their columns. The products of a row make few entries of A^2 if the rows that they
 * come from have columns in common. Members that are zero leave everything as the class has it. */
typedef struct eki_twin_row {
	ek_twin twin;
	const eki_twin_class *class;
	int64_t dof; /* unknowns at each node, whose rows have the same length and columns */
	/* Standard deviation of bell-shaped row lengths, before they are confined to those between
	 * the shortest and the longest row. Zero: as wide as these two allow. */
	double spread;
	/* Edge, in nodes, of a cube of the mesh (without a mesh: number of consecutive nodes) in
	 * which all rows have the same length, as where a mesh is fine or elements are of higher
	 * order. Then the columns of long rows belong to long rows. */
	int64_t patch;
	/* Share of the columns that belong to row j with a probability in proportion to its length,
	 * as in a symmetric matrix or in a graph whose hubs have many links in both directions; and
	 * how far, in rows, these columns are from the diagonal at most (zero: anywhere). */
	double popular;
	int64_t reach;
	double regular; /* of a mesh: 1 if all is in line, 0 if half of the lines are shifted */
	int64_t run;    /* in place of that of the class; long runs have much in common */
	double local;   /* in place of that of the class */
	int64_t dims;   /* dimensions of a lattice; the more, the less rows have in common */
} eki_twin_row;

/* Indices into g->dim: the number of rows in a group, the least and the greatest length of ordinary
 * rows, the row numbers of the shortest and of the longest row, and the nodes on an edge of the
 * mesh. */
enum { EKI_GROUP, EKI_LOW, EKI_HIGH, EKI_SHORT_ROW, EKI_LONG_ROW, EKI_SIDE };

/* Functions that draw n columns of row i, one for each kind of class. */
eki_twin_fill eki_lines_fill, eki_stencil_fill, eki_lattice_fill, eki_web_fill, eki_scatter_fill,
	eki_circuit_fill, eki_lp_fill;

/* Writes the columns of row i, which has n. */
void eki_twin_columns(const eki_gen *g, int64_t i, int64_t n, int64_t *col);

#endif
