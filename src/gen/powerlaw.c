/* SPDX-License-Identifier: BSD-3-Clause
 * Two generators. `powerlaw` makes rows whose lengths follow Zipf's law, as in graphs of the web:
 * P(length) is proportional to (length - min + 1)^-exponent. Some of the columns are near the
 * diagonal. The others crowd at low numbers (with a density proportional to column^-2/3), where
 * such a graph has its hubs.
 *
 * `lp` makes linear programs of the covering type, such as the crew planning problems of railways:
 * few rows, whose lengths have a geometric distribution, and very many columns. */
#include "gen/pattern.h"

enum { ROWS, COLS, EXPONENT, MIN, MAX, LOCAL };

static ek_status powerlaw_setup(eki_gen *g)
{
	g->rows = (int64_t)g->param[ROWS];
	g->cols = (int64_t)g->param[COLS];
	EK_RETURN_IF(eki_gen_at_most(g, MAX, g->param[COLS], "at most one entry for each column"));
	EK_RETURN_IF(eki_gen_at_most(g, MIN, g->param[MAX], "a minimum not above the maximum"));
	return eki_gen_zipf(g, (int64_t)g->param[MIN], (int64_t)g->param[MAX], 1,
	                    g->param[EXPONENT]);
}

static int64_t powerlaw_count(const eki_gen *g, int64_t i)
{
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, i);

	return eki_gen_table_draw(g, (int64_t)g->param[MIN], eki_rng_next(&rng));
}

static void powerlaw_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);
	eki_scatter scatter = {.centre = (int64_t)((double)i / (double)g->rows * (double)g->cols),
	                       .cols = g->cols,
	                       .window = eki_scatter_window(n),
	                       .local = g->param[LOCAL],
	                       .crowded = true};

	eki_pattern_scatter(&rng, &scatter, n, col);
}

const ek_generator eki_gen_powerlaw = {
	.name = "powerlaw",
	.text = "row lengths by Zipf's law, a share of the columns near the diagonal",
	.example =
		"powerlaw:rows=1000000,cols=1000000,exponent=2.2,min=1,max=5000,local=0.6,seed=1,"
		"values=real",
	.limit = {{"rows", 0, 1e12, false},
                  {"cols", 0, 1e12, false},
                  {"exponent", 0, 8, true},
                  {"min", 0, 1e7, false},
                  {"max", 0, 1e7, false},
                  {"local", 0, 1, true}},
	.setup = powerlaw_setup,
	.count = powerlaw_count,
	.fill = powerlaw_fill,
};

enum { LP_ROWS, LP_COLS, LP_MEAN, LP_MAX };

static ek_status lp_setup(eki_gen *g)
{
	g->rows = (int64_t)g->param[LP_ROWS];
	g->cols = (int64_t)g->param[LP_COLS];
	EK_RETURN_IF(
		eki_gen_at_most(g, LP_MAX, g->param[LP_COLS], "at most one entry for each column"));
	EK_RETURN_IF(eki_gen_at_most(g, LP_MEAN, g->param[LP_MAX] / 2, "at most half of max"));
	return eki_gen_geometric(g, 1, (int64_t)g->param[LP_MAX], g->param[LP_MEAN]);
}

static int64_t lp_count(const eki_gen *g, int64_t i)
{
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, i);

	return eki_gen_table_draw(g, 1, eki_rng_next(&rng));
}

static void lp_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);

	eki_pattern_runs(&rng, g->cols, n, col);
}

const ek_generator eki_gen_lp = {
	.name = "lp",
	.text = "few rows of very different lengths, very many columns",
	.example = "lp:rows=4000,cols=1000000,mean=2500,max=50000,seed=1,values=real",
	.limit = {{"rows", 0, 1e12, false},
                  {"cols", 1, 1e12, false},
                  {"mean", 1, 1e6, true},
                  {"max", 1, 1e6, false}},
	.setup = lp_setup,
	.count = lp_count,
	.fill = lp_fill,
};
