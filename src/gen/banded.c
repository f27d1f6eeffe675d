/* SPDX-License-Identifier: BSD-3-Clause
 * Generator of matrices with a band around the diagonal. Each place of the band has an entry with
 * the given probability; places on the diagonal always have an entry. For each row, counting and
 * filling draw the same random numbers in the order of places, so they agree on which places have
 * entries. Cost: O(n * band). */
#include "gen/gen.h"

enum { N, LOWER, UPPER, DENSITY };

static ek_status banded_setup(eki_gen *g)
{
	g->rows = g->cols = (int64_t)g->param[N];
	return EK_OK;
}

/* Returns the number of entries of row i and, unless `col` is NULL, writes their columns to `col`.
 * Both passes, counting and filling, call this function. */
static int64_t banded_row(const eki_gen *g, int64_t i, int64_t *col)
{
	int64_t begin = i - (int64_t)g->param[LOWER], end = i + (int64_t)g->param[UPPER] + 1, n = 0;
	uint64_t rng = eki_rng(g, EKI_RNG_COLUMN, i);

	begin = begin > 0 ? begin : 0;
	end = end < g->cols ? end : g->cols;
	if (g->param[DENSITY] == 1 && !col)
		return end - begin;
	for (int64_t j = begin; j < end; j++) {
		if (g->param[DENSITY] < 1 && eki_rng_unit(&rng) >= g->param[DENSITY] && j != i)
			continue;
		if (col)
			col[n] = j;
		n++;
	}
	return n;
}

static int64_t banded_count(const eki_gen *g, int64_t i)
{
	return banded_row(g, i, NULL);
}

static void banded_fill(const eki_gen *g, int64_t i, int64_t n, int64_t *col)
{
	(void)n;
	banded_row(g, i, col);
}

const ek_generator eki_gen_banded = {
	.name = "banded",
	.text = "a band, full or with holes, around a full diagonal",
	.example = "banded:n=200000,lower=10,upper=10,density=1,seed=1,values=real",
	.limit = {{"n", 0, 1e12, false},
                  {"lower", 0, 1e9, false},
                  {"upper", 0, 1e9, false},
                  {"density", 0, 1, true}},
	.setup = banded_setup,
	.count = banded_count,
	.fill = banded_fill,
};
