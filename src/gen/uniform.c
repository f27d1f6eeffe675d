/* SPDX-License-Identifier: BSD-3-Clause
 * Generator of rows of equal length, in which all columns are equally likely. */
#include "gen/gen.h"

/* Indices into g->param. */
enum { ROWS, COLS, PER_ROW, NNZ };
/* Indices into g->dim: the length of rows, and the number of rows that have one entry more. These
 * are the first rows. */
enum { LENGTH, LONGER };

static void uniform_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);

	eki_gen_choose(&rng, 0, g->cols, n, col);
}

static ek_status uniform_setup(eki_gen *g)
{
	int64_t nnz = (int64_t)g->param[NNZ];

	g->rows = (int64_t)g->param[ROWS];
	g->cols = (int64_t)g->param[COLS];
	eki_gen_fit(g, PER_ROW, g->param[COLS]);
	g->dim[LENGTH] = nnz && g->rows ? nnz / g->rows : (int64_t)g->param[PER_ROW];
	g->dim[LONGER] = nnz && g->rows ? nnz % g->rows : 0;
	if (g->dim[LENGTH] + (g->dim[LONGER] > 0) > g->cols)
		return eki_gen_bad(g, nnz ? NNZ : PER_ROW, "at most one entry for each column");
	return EK_OK;
}

static int64_t uniform_count(const eki_gen *g, int64_t i)
{
	return g->dim[LENGTH] + (i < g->dim[LONGER]);
}

const ek_generator eki_gen_uniform = {
	.name = "uniform",
	.text = "k different random columns in each row (or nnz entries in all, if not 0)",
	.example = "uniform:rows=500000,cols=500000,k=16,nnz=0,seed=1,values=real",
	.limit = {{"rows", 0, 1e12, false},
                  {"cols", 0, 1e12, false},
                  {"k", 0, 1e12, false},
                  {"nnz", 0, 1e14, false}},
	.setup = uniform_setup,
	.count = uniform_count,
	.fill = uniform_fill,
};
