/* SPDX-License-Identifier: BSD-3-Clause
 * Twins of published matrices: generated matrices with the same numbers of rows, columns and
 * nonzeros, and the same lengths of the shortest and the longest row. Columns are arranged as is
 * usual for the kind of problem. The originals would need a download of gigabytes, while the speed
 * of products depends mainly on the sizes and the arrangement.
 *
 * Row lengths are drawn one by one from a distribution, which depends on the class of the matrix.
 * They are then corrected so that their sum is exact. All rows of one node of a finite-element mesh
 * have the same columns, in blocks, and the same length, which is drawn once for the node. */
#include <string.h>

#include "gen/pattern.h"

/* ---- The table ------------------------------------------------------------------------------- */

typedef void class_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col);

enum lengths {
	BELL, /* bell-shaped around the mean, as wide as the shortest and longest row allow */
	ZIPF, /* many short rows, few long, some very long */
	FALL, /* many short rows, few long */
	HUBS  /* a handful of very long rows, all others as BELL */
};

typedef struct twin_class {
	enum lengths lengths;
	int64_t group; /* number of consecutive nodes whose rows have the same length and columns */
	int64_t run;   /* largest number of consecutive columns, counted in nodes */
	double local;  /* share of the columns near the diagonal */
	class_fill *fill;
} twin_class;

typedef struct twin_row {
	ek_twin twin;
	const twin_class *class;
	int64_t dof;
} twin_row;

static class_fill lines_fill, stencil_fill, web_fill, scatter_fill, circuit_fill, lp_fill;

static const twin_class class_fem = {BELL, 1, 3, 0, lines_fill};
static const twin_class class_qcd = {BELL, 1, 1, 0, lines_fill};
static const twin_class class_chemistry = {FALL, 8, 8, 0, lines_fill};
static const twin_class class_power = {FALL, 2, 8, 0, lines_fill};
static const twin_class class_dense = {BELL, 1, 1, 0, lp_fill};
static const twin_class class_stencil = {BELL, 1, 1, 0, stencil_fill};
static const twin_class class_circuit = {HUBS, 1, 1, 0, circuit_fill};
static const twin_class class_optimization = {HUBS, 1, 8, 0, lines_fill};
static const twin_class class_web = {ZIPF, 1, 1, 0.6, web_fill};
static const twin_class class_graph = {BELL, 1, 1, 0.4, scatter_fill};
static const twin_class class_citations = {ZIPF, 1, 1, 0.1, scatter_fill};
static const twin_class class_economics = {FALL, 1, 1, 0.7, scatter_fill};
static const twin_class class_lp = {FALL, 1, 1, 0, lp_fill};

static const twin_row table[] = {
#define TWIN(name, paper, rows, cols, nnz, shortest, longest, structure, dof, works) \
	{{name, paper, rows, cols, nnz, shortest, longest, #structure, works},       \
	 &class_##structure,                                                         \
	 dof},
#include "gen/twins.def"
#undef TWIN
};
enum { TWINS = sizeof table / sizeof *table };

const ek_twin *ek_twin_next(const ek_twin *after)
{
	size_t k = 0;

	if (after)
		while (k < TWINS && &table[k++].twin != after)
			;
	return k < TWINS ? &table[k].twin : NULL;
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
		char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;

		if (x != y)
			return false;
	}
	return *a == *b;
}

static const char *twin_name(const void *list, size_t k)
{
	(void)list;
	return k < TWINS ? table[k].twin.name : NULL;
}

static ek_status no_such_twin(const char *name)
{
	return eki_fail_list(EK_EINVAL, twin_name, NULL,
	                     "twin: there is no matrix \"%s\"; these exist:", name);
}

/* ---- Lengths --------------------------------------------------------------------------------- */

/* Indices into g->dim: the number of rows in a group, the least and the greatest length of ordinary
 * rows, and the row numbers of the shortest and of the longest row. */
enum { GROUP, LOW, HIGH, SHORT_ROW, LONG_ROW };

static ek_status twin_setup(eki_gen *g)
{
	const twin_row *row = NULL;

	for (int k = 0; k < TWINS; k++)
		if (same_name(g->name, table[k].twin.name) ||
		    same_name(g->name, table[k].twin.paper_name))
			row = &table[k];
	if (!row)
		return no_such_twin(g->name);
	const ek_twin *t = &row->twin;
	double mean = (double)t->nnz / (double)t->rows, above = mean - (double)t->row_min;

	g->model = row;
	g->rows = t->rows;
	g->cols = t->cols;
	g->dim[GROUP] = row->dof * row->class->group;
	g->dim[LOW] = t->row_min;
	g->dim[HIGH] = t->row_max;
	g->dim[SHORT_ROW] = t->rows / 3;
	g->dim[LONG_ROW] = t->rows / 3 * 2;
	if (row->class->lengths == ZIPF)
		return eki_gen_zipf(g, t->row_min, t->row_max, 1 + above,
		                    eki_gen_zipf_fit(t->row_min, t->row_max, 1 + above, mean));
	if (row->class->lengths == FALL)
		return eki_gen_geometric(g, t->row_min, t->row_max, mean);
	if (row->class->lengths != HUBS)
		return EK_OK;
	EK_RETURN_IF(eki_hubs_make(g, t->row_max, 32 * ((int64_t)mean + 1), 16));
	g->dim[HIGH] = 4 * (int64_t)mean < t->row_max ? 4 * (int64_t)mean : t->row_max;
	g->dim[LONG_ROW] = g->table_len ? (int64_t)g->table[0] : g->dim[LONG_ROW];
	return EK_OK;
}

/* Returns the length of row i if it must not be adjusted, because row i is the shortest row, the
 * longest row or a hub. Returns 0 for all other rows. */
static int64_t special_length(const eki_gen *g, int64_t i)
{
	const twin_row *row = g->model;

	if (i == g->dim[LONG_ROW])
		return row->twin.row_max;
	if (i == g->dim[SHORT_ROW])
		return row->twin.row_min;
	return row->class->lengths == HUBS ? eki_hub_length(g, i) : 0;
}

static bool is_special(const eki_gen *g, int64_t i)
{
	return i == g->dim[LONG_ROW] || i == g->dim[SHORT_ROW] || special_length(g, i) > 0;
}

static int64_t twin_count(const eki_gen *g, int64_t i)
{
	const twin_row *row = g->model;
	const ek_twin *t = &row->twin;
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, i / g->dim[GROUP]);
	double hubs = row->class->lengths == HUBS ? (double)eki_hub_total(g) : 0;
	double mean = ((double)t->nnz - hubs) / (double)t->rows, low = (double)g->dim[LOW];
	double above = (double)g->dim[HIGH] - mean, below = mean - low;

	if (is_special(g, i))
		return special_length(g, i);
	if (row->class->lengths == ZIPF || row->class->lengths == FALL)
		return eki_gen_table_draw(g, t->row_min, eki_rng_next(&rng));
	double x = eki_gen_bell(&rng, mean, above < below ? above : below);
	int64_t n = (int64_t)(x / (double)row->dof + eki_rng_unit(&rng)) * row->dof;

	return n < g->dim[LOW] ? g->dim[LOW] : n > g->dim[HIGH] ? g->dim[HIGH] : n;
}

/* Adds `missing` entries to the row lengths, evenly over the matrix, or removes entries if
 * `missing` is negative. The length of a row changes by a multiple of `unit`, the same for all rows
 * of a group. Returns the number of entries that are still missing. */
static int64_t spread(const eki_gen *g, ek_store *csr, int64_t missing, int64_t unit, int64_t group)
{
	int64_t groups = g->rows / group, units = missing / (unit * group), done = 0;

	for (int64_t q = 0; units && q < groups; q++) {
		int64_t step = (q + 1) * units / groups - q * units / groups;

		for (int64_t i = q * group; step && i < (q + 1) * group; i++) {
			int64_t n = eki_ptr_at(csr, i), to = n + step * unit;

			to = to < g->dim[LOW] ? g->dim[LOW] : to > g->dim[HIGH] ? g->dim[HIGH] : to;
			if (is_special(g, i))
				continue;
			eki_ptr_set(csr, i, to);
			done += to - n;
		}
	}
	return missing - done;
}

static void twin_adjust(const eki_gen *g, ek_store *csr)
{
	const twin_row *row = g->model;
	int64_t missing = row->twin.nnz;

	for (int64_t i = 0; i < g->rows; i++)
		missing -= eki_ptr_at(csr, i);
	/* First change lengths by whole blocks, so that few rows become different from the others
	 * of their group. A row whose length is at a bound cannot change, so several rounds are
	 * needed. */
	for (int round = 0; round < 16; round++)
		missing = spread(g, csr, missing, row->dof, g->dim[GROUP]);
	for (int round = 0; round < 16; round++)
		missing = spread(g, csr, missing, 1, 1);
	for (int64_t i = 0; i < g->rows && missing; i++) {
		int64_t n = eki_ptr_at(csr, i), to = n + missing;

		to = to < g->dim[LOW] ? g->dim[LOW] : to > g->dim[HIGH] ? g->dim[HIGH] : to;
		if (is_special(g, i))
			continue;
		eki_ptr_set(csr, i, to);
		missing -= to - n;
	}
}

/* ---- Columns --------------------------------------------------------------------------------- */

static void lines_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	const twin_row *row = g->model;
	int64_t dof = row->dof, side = eki_gen_root(g->rows / dof, 3);
	int64_t middle = g->dim[GROUP] / 2 / dof * dof;
	eki_lines lines = {.centre = i / g->dim[GROUP] * g->dim[GROUP] + middle,
	                   .line = side * dof,
	                   .plane = side * side * dof,
	                   .block = dof,
	                   .run = row->class->run * dof};

	eki_pattern_lines(rng, &lines, n, col);
}

static void stencil_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	(void)rng;
	eki_pattern_stencil(i, eki_gen_root(g->rows, 2), n, col);
}

static void web_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	const twin_row *row = g->model;

	eki_pattern_scatter(rng, i, g->cols, row->class->local, true, n, col);
}

static void scatter_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	const twin_row *row = g->model;

	eki_pattern_scatter(rng, i, g->cols, row->class->local, false, n, col);
}

static void circuit_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	eki_pattern_circuit(rng, i, g->cols, n, col);
}

static void lp_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	(void)i;
	eki_pattern_runs(rng, g->cols, n, col);
}

static void twin_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	const twin_row *row = g->model;
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i / g->dim[GROUP]);
	int64_t hubs = 0;

	if (row->class->lengths == HUBS) {
		if (eki_hub_length(g, i)) {
			eki_pattern_strata(&rng, g->cols, n, col);
			return;
		}
		hubs = eki_hub_columns(g, &rng, n - 1, col);
	}
	row->class->fill(g, &rng, i, n - hubs, col + hubs);
}

const ek_generator eki_gen_twin = {
	.name = "twin",
	.text = "a matrix with the figures of a published one, by either of its names",
	.example = "twin:name=webbase-1M,seed=1,values=real",
	.setup = twin_setup,
	.count = twin_count,
	.adjust = twin_adjust,
	.fill = twin_fill,
};
