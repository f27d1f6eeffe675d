/* SPDX-License-Identifier: BSD-3-Clause
 * Generators of matrices with rows of many different lengths, with empty rows, and with nearly all
 * rows empty. These shapes are meant to break methods, not to resemble an application. */
#include "gen/pattern.h"

/* ---- Shares of empty rows -------------------------------------------------------------------- */

enum { ROWS, COLS, PER_ROW, LEADING, INTERLEAVED, TRAILING };

static ek_status emptyrows_setup(eki_gen *g)
{
	g->rows = (int64_t)g->param[ROWS];
	g->cols = (int64_t)g->param[COLS];
	EK_RETURN_IF(
		eki_gen_at_most(g, PER_ROW, g->param[COLS], "at most one entry for each column"));
	if (g->param[LEADING] + g->param[TRAILING] > 1)
		return eki_gen_bad(g, LEADING, "a share that makes at most 1 with trailing");
	return EK_OK;
}

static int64_t emptyrows_count(const eki_gen *g, int64_t i)
{
	double rows = (double)g->rows;
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, i);

	if ((double)i < g->param[LEADING] * rows ||
	    (double)(g->rows - i) <= g->param[TRAILING] * rows)
		return 0;
	return eki_rng_unit(&rng) < g->param[INTERLEAVED] ? 0 : (int64_t)g->param[PER_ROW];
}

static void anywhere_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);

	eki_gen_choose(&rng, 0, g->cols, n, col);
}

const ek_generator eki_gen_emptyrows = {
	.name = "emptyrows",
	.text = "k random columns in a row, or none: shares of the rows at the start, between, at "
		"the end",
	.example =
		"emptyrows:rows=1000000,cols=1000000,k=16,leading=0.1,interleaved=0.5,trailing=0.1,"
		"seed=1,values=real",
	.limit = {{"rows", 0, 1e12, false},
                  {"cols", 0, 1e12, false},
                  {"k", 0, 1e12, false},
                  {"leading", 0, 1, true},
                  {"interleaved", 0, 1, true},
                  {"trailing", 0, 1, true}},
	.setup = emptyrows_setup,
	.count = emptyrows_count,
	.fill = anywhere_fill,
};

/* ---- Hypersparse ----------------------------------------------------------------------------- */

enum { HYPER_ROWS, HYPER_COLS, HYPER_MEAN };

static ek_status hypersparse_setup(eki_gen *g)
{
	g->rows = (int64_t)g->param[HYPER_ROWS];
	g->cols = (int64_t)g->param[HYPER_COLS];
	return EK_OK;
}

static int64_t hypersparse_count(const eki_gen *g, int64_t i)
{
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, i);

	return eki_rng_unit(&rng) < g->param[HYPER_MEAN];
}

const ek_generator eki_gen_hypersparse = {
	.name = "hypersparse",
	.text = "far more rows than entries: mean is the share of the rows that have one",
	.example = "hypersparse:rows=10000000,cols=10000000,mean=0.01,seed=1,values=real",
	.limit = {{"rows", 0, 1e12, false}, {"cols", 1, 1e12, false}, {"mean", 0, 1, true}},
	.setup = hypersparse_setup,
	.count = hypersparse_count,
	.fill = anywhere_fill,
};

/* ---- Any lengths ----------------------------------------------------------------------------- */

enum { RANDOM_ROWS, RANDOM_COLS, RANDOM_MIN, RANDOM_MEAN, RANDOM_MAX };

static ek_status random_setup(eki_gen *g)
{
	g->rows = (int64_t)g->param[RANDOM_ROWS];
	g->cols = (int64_t)g->param[RANDOM_COLS];
	const double most = g->param[RANDOM_MAX];

	eki_gen_fit(g, RANDOM_MAX, g->param[RANDOM_COLS]);
	if (g->param[RANDOM_MAX] < most || g->param[RANDOM_MEAN] > g->param[RANDOM_MAX])
		eki_gen_fit(g, RANDOM_MEAN, (g->param[RANDOM_MIN] + g->param[RANDOM_MAX]) / 2);
	if (g->param[RANDOM_MAX] > g->param[RANDOM_COLS])
		return eki_gen_bad(g, RANDOM_MAX, "at most one entry for each column");
	if (g->param[RANDOM_MEAN] < g->param[RANDOM_MIN] ||
	    g->param[RANDOM_MEAN] > g->param[RANDOM_MAX])
		return eki_gen_bad(g, RANDOM_MEAN, "a mean from min to max");
	return EK_OK;
}

/* Draws the length of row i: uniform from min to mean, or uniform from mean to max. The odds of the
 * two are such that the expected length is the mean. */
static int64_t random_count(const eki_gen *g, int64_t i)
{
	double min = g->param[RANDOM_MIN], mean = g->param[RANDOM_MEAN], max = g->param[RANDOM_MAX];
	uint64_t rng = eki_rng(g, EKI_RNG_LENGTH, i);
	bool below = eki_rng_unit(&rng) * (max - min) < max - mean;
	double u = eki_rng_unit(&rng);
	double length = below ? min + u * (mean - min) : mean + u * (max - mean);

	int64_t rounded = (int64_t)(length + eki_rng_unit(&rng));

	return rounded < (int64_t)max ? rounded : (int64_t)max;
}

const ek_generator eki_gen_random = {
	.name = "random",
	.text = "random columns in rows of random lengths from min to max",
	.example = "random:rows=500000,cols=500000,min=0,mean=10,max=100,seed=1,values=real",
	.limit = {{"rows", 0, 1e12, false},
                  {"cols", 0, 1e12, false},
                  {"min", 0, 1e12, false},
                  {"mean", 0, 1e12, true},
                  {"max", 0, 1e12, false}},
	.setup = random_setup,
	.count = random_count,
	.fill = anywhere_fill,
};
