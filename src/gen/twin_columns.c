/* SPDX-License-Identifier: BSD-3-Clause
 * The columns of twins. A class of matrices draws them by one of the patterns of pattern.c. Two
 * kinds of columns are drawn before those: the hubs of classes that have hubs, and the popular
 * columns of twins that have some. A column is popular in proportion to the length of the row with
 * the same number. To draw one, a random entry of the matrix is chosen and its row number taken as
 * the column, which costs a search in the row pointers. Graphs have such columns if new links
 * prefer nodes with many links (Barabasi and Albert 1999). */
#include "gen/twin.h"
#include "prim_body/search.h"

void eki_lines_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	const eki_twin_row *row = g->model;
	int64_t dof = row->dof, side = g->dim[EKI_SIDE], group = g->dim[EKI_GROUP];
	eki_lines lines = {.centre = i / group * group + group / 2 / dof * dof,
	                   .line = side * dof,
	                   .plane = side * side * dof,
	                   .block = dof,
	                   .run = (row->run ? row->run : row->class->run) * dof,
	                   .shifted = (1 - row->regular) / 2};

	eki_pattern_lines(rng, &lines, n, col);
}

void eki_stencil_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	(void)rng;
	eki_pattern_stencil(i, g->dim[EKI_SIDE], n, col);
}

void eki_lattice_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	const eki_twin_row *row = g->model;

	(void)rng;
	eki_pattern_star(i, row->dims, g->dim[EKI_SIDE], n, col);
}

static void scatter(const eki_gen *g, uint64_t *rng, int64_t i, bool crowded, int64_t n,
                    int64_t *col)
{
	const eki_twin_row *row = g->model;
	eki_scatter at = {.centre = i,
	                  .cols = g->cols,
	                  .window = eki_scatter_window(n),
	                  .local = row->local > 0 ? row->local : row->class->local,
	                  .crowded = crowded};

	eki_pattern_scatter(rng, &at, n, col);
}

/* Draws the links of a page: its own, and those of its site, which are the same for all pages of
 * the site. Every third of these is next to the one before. */
static void site_links(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	enum { PAGES = 32 };
	const eki_twin_row *row = g->model;
	uint64_t site = eki_rng(g, EKI_RNG_OTHER, i / PAGES);
	int64_t link = 0;

	for (int64_t k = 0; k < n; k++) {
		if (k % 3 != 1)
			scatter(g, &site, i / PAGES * PAGES, true, 1, &link);
		else
			link++;
		if (eki_rng_unit(rng) < row->copied)
			col[k] = link;
		else
			scatter(g, rng, i, true, 1, &col[k]);
	}
}

void eki_web_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	const eki_twin_row *row = g->model;

	if (row->copied > 0)
		site_links(g, rng, i, n, col);
	else
		scatter(g, rng, i, true, n, col);
}

void eki_scatter_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	scatter(g, rng, i, false, n, col);
}

void eki_circuit_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	eki_pattern_circuit(rng, i, g->cols, n, col);
}

void eki_lp_fill(const eki_gen *g, uint64_t *rng, int64_t i, int64_t n, int64_t *col)
{
	(void)i;
	eki_pattern_runs(rng, g->cols, n, col);
}

struct entry {
	const ek_store *csr;
	int64_t k;
};

/* Tells whether row i ends before an entry. */
static bool ends_before(const void *of, int64_t i)
{
	const struct entry *e = of;

	return eki_ptr_at(e->csr, i + 1) <= e->k;
}

/* Draws a random entry from the rows that are at most `reach` rows away from row i. Returns its
 * row. */
static int64_t popular(const eki_gen *g, uint64_t *rng, int64_t i)
{
	const eki_twin_row *row = g->model;
	int64_t reach = row->reach ? row->reach : g->rows;
	int64_t begin = i > reach ? i - reach : 0;
	int64_t end = i < g->rows - reach ? i + reach : g->rows;
	int64_t first = eki_ptr_at(g->csr, begin), last = eki_ptr_at(g->csr, end);

	return eki_search(begin, end, ends_before,
	                  &(struct entry){g->csr, first + eki_rng_below(rng, last - first)});
}

void eki_twin_columns(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	const eki_twin_row *row = g->model;
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i / g->dim[EKI_GROUP]);
	int64_t drawn = 0;

	if (row->class->lengths == EKI_HUBS) {
		if (eki_hub_length(g, i)) {
			eki_pattern_strata(&rng, g->cols, n, col);
			return;
		}
		drawn = eki_hub_columns(g, &rng, n - 1, col);
	}
	for (int64_t left = n - drawn; row->popular > 0 && left > 0; left--)
		if (eki_rng_unit(&rng) < row->popular)
			col[drawn++] = popular(g, &rng, i);
	row->class->fill(g, &rng, i, n - drawn, col + drawn);
}
