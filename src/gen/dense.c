/* SPDX-License-Identifier: BSD-3-Clause
 * Generators of the two extremes: full matrices, and matrices with entries only on the main
 * diagonal. */
#include "gen/gen.h"

static ek_status dense_setup(eki_gen *g)
{
	g->rows = (int64_t)g->param[0];
	g->cols = (int64_t)g->param[1];
	return EK_OK;
}

static int64_t dense_count(const eki_gen *g, int64_t i)
{
	(void)i;
	return g->cols;
}

static void dense_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	(void)g;
	(void)i;
	for (int64_t k = 0; k < n; k++)
		col[k] = k;
}

const ek_generator eki_gen_dense = {
	.name = "dense",
	.text = "every entry, in sparse storage",
	.example = "dense:rows=2000,cols=2000,seed=1,values=real",
	.limit = {{"rows", 0, 1e9, false}, {"cols", 0, 1e9, false}},
	.setup = dense_setup,
	.count = dense_count,
	.fill = dense_fill,
};

static ek_status diagonal_setup(eki_gen *g)
{
	g->rows = g->cols = (int64_t)g->param[0];
	return EK_OK;
}

static int64_t diagonal_count(const eki_gen *g, int64_t i)
{
	(void)g;
	(void)i;
	return 1;
}

static void diagonal_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	(void)g;
	(void)n;
	col[0] = i;
}

const ek_generator eki_gen_diagonal = {
	.name = "diagonal",
	.text = "the main diagonal only",
	.example = "diagonal:n=1000000,seed=1,values=real",
	.limit = {{"n", 0, 1e12, false}},
	.setup = diagonal_setup,
	.count = diagonal_count,
	.fill = diagonal_fill,
};
