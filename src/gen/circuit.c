/* SPDX-License-Identifier: BSD-3-Clause
 * Generators of matrices with short rows and a few very long rows and columns: circuits, whose
 * supply nets touch everything, and the simple cases of one dense row, one dense column, and
 * both. */
#include "gen/pattern.h"

/* ---- Circuits -------------------------------------------------------------------------------- */

enum { N, MEAN, LONGEST, HUBS };

static ek_status circuit_setup(eki_gen *g)
{
	g->rows = g->cols = (int64_t)g->param[N];
	EK_RETURN_IF(eki_gen_at_most(g, LONGEST, g->param[N], "a length of at most n"));
	EK_RETURN_IF(eki_gen_at_most(g, MEAN, g->param[N] / 2, "at most half of n"));
	return eki_hubs_make(g, (int64_t)g->param[LONGEST], 1, (int64_t)g->param[HUBS]);
}

static int64_t circuit_count(const eki_gen *g, int64_t i)
{
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, i);
	int64_t hub = eki_hub_length(g, i);

	return hub ? hub
	           : 1 + (int64_t)eki_gen_bell(&rng, g->param[MEAN] - 0.5, g->param[MEAN] - 1);
}

static void circuit_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);
	int64_t hubs;

	if (eki_hub_length(g, i)) {
		eki_pattern_strata(&rng, g->cols, n, col);
		return;
	}
	hubs = eki_hub_columns(g, &rng, n - 1, col);
	eki_pattern_circuit(&rng, i, g->cols, n - hubs, col + hubs);
}

const ek_generator eki_gen_circuit = {
	.name = "circuit",
	.text = "short rows near the diagonal, and hubs: very long rows and columns",
	.example = "circuit:n=700000,mean=5.5,longest=400000,hubs=4,seed=1,values=real",
	.limit = {{"n", 2, 1e12, false},
                  {"mean", 1, 1000, true},
                  {"longest", 1, 1e12, false},
                  {"hubs", 0, 24, false}},
	.setup = circuit_setup,
	.count = circuit_count,
	.fill = circuit_fill,
};

/* ---- Arrow ----------------------------------------------------------------------------------- */

enum { ARROW_N, ARROW_WIDTH };

static ek_status arrow_setup(eki_gen *g)
{
	g->rows = g->cols = (int64_t)g->param[ARROW_N];
	if (g->param[ARROW_WIDTH] > g->param[ARROW_N])
		return eki_gen_bad(g, ARROW_WIDTH, "a width of at most n");
	return EK_OK;
}

static int64_t arrow_count(const eki_gen *g, int64_t i)
{
	int64_t width = (int64_t)g->param[ARROW_WIDTH];

	return i < width ? g->cols : width + 1;
}

static void arrow_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	for (int64_t k = 0; k < n; k++)
		col[k] = k;
	if (n < g->cols)
		col[n - 1] = i;
}

const ek_generator eki_gen_arrow = {
	.name = "arrow",
	.text = "the first rows, the first columns and the diagonal",
	.example = "arrow:n=1000000,width=1,seed=1,values=real",
	.limit = {{"n", 1, 1e12, false}, {"width", 0, 1e6, false}},
	.setup = arrow_setup,
	.count = arrow_count,
	.fill = arrow_fill,
};

/* ---- One dense row, one dense column --------------------------------------------------------- */

enum { ROWS, COLS, PER_ROW };

static ek_status sparse_setup(eki_gen *g)
{
	g->rows = (int64_t)g->param[ROWS];
	g->cols = (int64_t)g->param[COLS];
	return eki_gen_at_most(g, PER_ROW, g->param[COLS], "at most one entry for each column");
}

static int64_t denserow_count(const eki_gen *g, int64_t i)
{
	return i == g->rows / 2 ? g->cols : (int64_t)g->param[PER_ROW];
}

static void denserow_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);

	eki_gen_choose(&rng, 0, g->cols, n, col);
}

static int64_t densecol_count(const eki_gen *g, int64_t i)
{
	(void)i;
	return (int64_t)g->param[PER_ROW];
}

static void densecol_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);

	/* Choose among cols - 1 columns. Then move each chosen column that is at or after the dense
	 * column to the right by one, so that the dense column is not chosen twice. */
	eki_gen_choose(&rng, 0, g->cols - 1, n - 1, col + 1);
	eki_gen_settle(col + 1, n - 1, g->cols - 1);
	for (int64_t k = 1; k < n; k++)
		col[k] += col[k] >= g->cols / 2;
	col[0] = g->cols / 2;
}

const ek_generator eki_gen_denserow = {
	.name = "denserow",
	.text = "the middle row full, k random columns in each other row",
	.example = "denserow:rows=500000,cols=500000,k=8,seed=1,values=real",
	.limit = {{"rows", 1, 1e12, false}, {"cols", 1, 1e12, false}, {"k", 0, 1e12, false}},
	.setup = sparse_setup,
	.count = denserow_count,
	.fill = denserow_fill,
};

const ek_generator eki_gen_densecol = {
	.name = "densecol",
	.text = "the middle column full, k columns in each row with it",
	.example = "densecol:rows=500000,cols=500000,k=8,seed=1,values=real",
	.limit = {{"rows", 1, 1e12, false}, {"cols", 1, 1e12, false}, {"k", 1, 1e12, false}},
	.setup = sparse_setup,
	.count = densecol_count,
	.fill = densecol_fill,
};
