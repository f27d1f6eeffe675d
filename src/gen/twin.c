/* SPDX-License-Identifier: BSD-3-Clause
 * Twins of published matrices: generated matrices with the same numbers of rows, columns and
 * nonzeros, and the same lengths of the shortest and the longest row. Columns are arranged as is
 * usual for the kind of problem. The originals would need a download of gigabytes, while the speed
 * of products depends mainly on the sizes and the arrangement.
 *
 * Row lengths are drawn one by one from a distribution, which depends on the class of the matrix.
 * They are then corrected so that their sum is exact. All rows of one node of a finite-element mesh
 * have the same columns, in blocks, and the same length, which is drawn once for the node.
 *
 * The work and the memory of A^2 depend on more than sizes: on whether long rows have entries in
 * columns j whose rows j are long too, and on how many columns neighbouring rows share. For the
 * matrices whose squares Liu's thesis (2015) measures, the table has members for both properties
 * (twin.h). */
#include <math.h>
#include <string.h>

#include "gen/twin.h"

/* ---- The table ------------------------------------------------------------------------------- */

/* The columns are the members of eki_twin_class. */
#define CLASS(name, lengths, group, run, local, dims, fill) \
	static const eki_twin_class class_##name = {lengths, group, run, local, dims, fill};

CLASS(fem, EKI_BELL, 1, 3, 0, 3, eki_lines_fill)
CLASS(qcd, EKI_BELL, 1, 1, 0, 3, eki_lines_fill)
CLASS(chemistry, EKI_FALL, 8, 8, 0, 3, eki_lines_fill)
CLASS(power, EKI_FALL, 2, 8, 0, 3, eki_lines_fill)
CLASS(optimization, EKI_HUBS, 1, 8, 0, 3, eki_lines_fill)
CLASS(stencil, EKI_BELL, 1, 1, 0, 2, eki_stencil_fill)
CLASS(lattice, EKI_BELL, 1, 1, 0, 1, eki_lattice_fill)
CLASS(circuit, EKI_HUBS, 1, 1, 0, 1, eki_circuit_fill)
CLASS(web, EKI_ZIPF, 1, 1, 0.6, 1, eki_web_fill)
CLASS(graph, EKI_BELL, 1, 1, 0.4, 1, eki_scatter_fill)
CLASS(citations, EKI_ZIPF, 1, 1, 0.1, 1, eki_scatter_fill)
CLASS(economics, EKI_FALL, 1, 1, 0.7, 1, eki_scatter_fill)
CLASS(dense, EKI_BELL, 1, 1, 0, 1, eki_lp_fill)
CLASS(lp, EKI_FALL, 1, 1, 0, 1, eki_lp_fill)
#undef CLASS

static const eki_twin_row table[] = {
#define FITTED(name, paper, rows, cols, nnz, shortest, longest, structure, dof, works, ...) \
	{{name, paper, rows, cols, nnz, shortest, longest, #structure, works},              \
	 &class_##structure,                                                                \
	 dof,                                                                               \
	 __VA_ARGS__},
#define TWIN(name, paper, rows, cols, nnz, shortest, longest, structure, dof, works) \
	FITTED(name, paper, rows, cols, nnz, shortest, longest, structure, dof, works, .spread = 0)
#include "gen/twins.def"
#undef TWIN
#undef FITTED
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

static ek_status twin_setup(eki_gen *g)
{
	const eki_twin_row *row = NULL;

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
	g->dim[EKI_GROUP] = row->dof * row->class->group;
	g->dim[EKI_LOW] = t->row_min;
	g->dim[EKI_HIGH] = t->row_max;
	g->dim[EKI_SHORT_ROW] = t->rows / 3;
	g->dim[EKI_LONG_ROW] = t->rows / 3 * 2;
	g->dim[EKI_SIDE] =
		eki_gen_root(g->rows / row->dof, (int)(row->dims ? row->dims : row->class->dims));
	if (row->class->lengths == EKI_ZIPF)
		return eki_gen_zipf(g, t->row_min, t->row_max, 1 + above,
		                    eki_gen_zipf_fit(t->row_min, t->row_max, 1 + above, mean));
	if (row->class->lengths == EKI_FALL)
		return eki_gen_geometric(g, t->row_min, t->row_max, mean);
	if (row->class->lengths != EKI_HUBS)
		return EK_OK;
	EK_RETURN_IF(eki_hubs_make(g, t->row_max, 32 * ((int64_t)mean + 1), 16));
	g->dim[EKI_HIGH] = 4 * (int64_t)mean < t->row_max ? 4 * (int64_t)mean : t->row_max;
	g->dim[EKI_LONG_ROW] = g->table_len ? (int64_t)g->table[0] : g->dim[EKI_LONG_ROW];
	return EK_OK;
}

/* Returns the length of row i if it must not be adjusted, because row i is the shortest row, the
 * longest row or a hub. Returns 0 for all other rows. */
static int64_t special_length(const eki_gen *g, int64_t i)
{
	const eki_twin_row *row = g->model;

	if (i == g->dim[EKI_LONG_ROW])
		return row->twin.row_max;
	if (i == g->dim[EKI_SHORT_ROW])
		return row->twin.row_min;
	return row->class->lengths == EKI_HUBS ? eki_hub_length(g, i) : 0;
}

static bool is_special(const eki_gen *g, int64_t i)
{
	return i == g->dim[EKI_LONG_ROW] || i == g->dim[EKI_SHORT_ROW] || special_length(g, i) > 0;
}

/* Returns a number for the patch to which group q belongs. */
static int64_t patch_of(const eki_gen *g, int64_t q)
{
	const eki_twin_row *row = g->model;
	int64_t side = g->dim[EKI_SIDE], patch = 0, place = 1;

	if (row->patch < 2)
		return q;
	for (int64_t d = 1; d < row->class->dims; d++) {
		patch += q % side / row->patch * place;
		q /= side;
		place *= side;
	}
	return patch + q / row->patch * place;
}

/* Returns the length of row i. Rows of a patch have nearly the same length: one length is drawn for
 * the patch, and a small deviation from it for each group of rows. */
static int64_t twin_count(const eki_gen *g, int64_t i)
{
	const eki_twin_row *row = g->model;
	const ek_twin *t = &row->twin;
	int64_t q = i / g->dim[EKI_GROUP], n;
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, patch_of(g, q));
	uint64_t own = eki_rng(g, EKI_RNG_OTHER, q), *differ = row->patch ? &own : &rng;
	double hubs = row->class->lengths == EKI_HUBS ? (double)eki_hub_total(g) : 0;
	double mean = ((double)t->nnz - hubs) / (double)t->rows, low = (double)g->dim[EKI_LOW];
	double above = (double)g->dim[EKI_HIGH] - mean, below = mean - low;

	if (is_special(g, i))
		return special_length(g, i);
	if (row->class->lengths == EKI_ZIPF || row->class->lengths == EKI_FALL) {
		n = eki_gen_table_draw(g, t->row_min, eki_rng_next(&rng));
		if (row->patch) {
			double share = 0.5 + eki_rng_unit(&own);

			n = t->row_min +
			    (int64_t)((double)(n - t->row_min) * share + eki_rng_unit(&own));
		}
	} else {
		/* how far the bell reaches from the mean, on each side */
		double reach = above < below ? above : below;
		double x =
			eki_gen_bell(&rng, mean, row->spread > 0 ? row->spread * sqrt(12) : reach);

		n = (int64_t)(x / (double)row->dof + eki_rng_unit(differ)) * row->dof;
	}
	return n < g->dim[EKI_LOW] ? g->dim[EKI_LOW] : n > g->dim[EKI_HIGH] ? g->dim[EKI_HIGH] : n;
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

			to = to < g->dim[EKI_LOW]    ? g->dim[EKI_LOW]
			     : to > g->dim[EKI_HIGH] ? g->dim[EKI_HIGH]
			                             : to;
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
	const eki_twin_row *row = g->model;
	int64_t missing = row->twin.nnz;

	for (int64_t i = 0; i < g->rows; i++)
		missing -= eki_ptr_at(csr, i);
	/* First change lengths by whole blocks, so that few rows become different from the others
	 * of their group. A row whose length is at a bound cannot change, so several rounds are
	 * needed. */
	for (int round = 0; round < 16; round++)
		missing = spread(g, csr, missing, row->dof, g->dim[EKI_GROUP]);
	for (int round = 0; round < 16; round++)
		missing = spread(g, csr, missing, 1, 1);
	for (int64_t i = 0; i < g->rows && missing; i++) {
		int64_t n = eki_ptr_at(csr, i), to = n + missing;

		to = to < g->dim[EKI_LOW]    ? g->dim[EKI_LOW]
		     : to > g->dim[EKI_HIGH] ? g->dim[EKI_HIGH]
		                             : to;
		if (is_special(g, i))
			continue;
		eki_ptr_set(csr, i, to);
		missing -= to - n;
	}
}

const ek_generator eki_gen_twin = {
	.name = "twin",
	.text = "a matrix with the figures of a published one, by either of its names",
	.example = "twin:name=webbase-1M,seed=1,values=real",
	.setup = twin_setup,
	.count = twin_count,
	.adjust = twin_adjust,
	.fill = eki_twin_columns,
};
