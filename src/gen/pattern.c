/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that choose the columns of a row, one for each kind of structure. Two properties decide
 * how well a matrix of an application uses caches: whether the columns of a row form runs, and
 * whether neighbouring rows share columns. */
#include "gen/pattern.h"

void eki_pattern_strata(uint64_t *rng, int64_t cols, int64_t n, int64_t *col)
{
	double width = (double)cols / (double)n;

	for (int64_t k = 0; k < n; k++)
		col[k] = (int64_t)(((double)k + eki_rng_unit(rng)) * width);
}

void eki_pattern_runs(uint64_t *rng, int64_t cols, int64_t n, int64_t *col)
{
	double width = (double)cols / (double)n;

	for (int64_t k = 0; k < n;) {
		int64_t run = 1 + eki_rng_below(rng, 8);
		int64_t start = (int64_t)(((double)k + (double)run * eki_rng_unit(rng)) * width);

		for (int64_t end = k + run < n ? k + run : n; k < end; k++)
			col[k] = start++;
	}
}

/* The lines of a brick mesh near a node, nearest first. Each pair is the offset of a line from the
 * node's own line: first in planes, then in lines within the plane. */
static const signed char near_line[][2] = {
	{0, 0},  {0, -1},  {0, 1},  {-1, 0}, {1, 0},  {-1, -1}, {1, 1},  {-1, 1}, {1, -1},
	{0, -2}, {0, 2},   {-2, 0}, {2, 0},  {-1, 2}, {1, -2},  {-2, 1}, {2, -1}, {-1, -2},
	{1, 2},  {-2, -1}, {2, 1},  {-2, 2}, {2, -2}, {-2, -2}, {2, 2}};
enum { LINES = sizeof near_line / sizeof *near_line };

void eki_pattern_lines(uint64_t *rng, const eki_lines *lines, int64_t n, int64_t *col)
{
	int64_t blocks = (n + lines->block - 1) / lines->block;
	int64_t in_run = lines->run / lines->block, runs = (blocks + in_run - 1) / in_run;
	int64_t start[LINES], known = runs < LINES ? runs : LINES, k = 0;
	int64_t held = blocks < known * in_run ? blocks : known * in_run;

	int64_t half = known ? held / known / 2 * lines->block : 0;

	/* The node's own line is never shifted. */
	for (int64_t r = 0; r < known; r++)
		start[r] = lines->centre + near_line[r][0] * lines->plane +
		           near_line[r][1] * lines->line - half +
		           (r > 0 && eki_rng_unit(rng) >= 1 - lines->shifted ? lines->block : 0);
	eki_gen_sort(start, known);
	for (int64_t r = 0; r < known; r++)
		for (int64_t j = start[r]; k < held * (r + 1) / known * lines->block && k < n; j++)
			col[k++] = j;
	/* Columns that do not fit on the lines go into further runs nearby. */
	while (k < n) {
		int64_t away = eki_rng_below(rng, 8 * lines->plane + 1) - 4 * lines->plane;
		int64_t j = lines->centre + away / lines->block * lines->block;

		for (int64_t end = k + lines->run; k < end && k < n; j++)
			col[k++] = j;
	}
}

void eki_pattern_stencil(int64_t i, int64_t line, int64_t n, int64_t *col)
{
	/* Steps {lines, points} from the centre: first a star of 5 points, then the corners of the
	 * box around it, then the nearest points of the next ring. */
	static const signed char step[][2] = {{0, 0},   {0, -1}, {0, 1},  {-1, 0}, {1, 0},
	                                      {-1, -1}, {1, 1},  {-1, 1}, {1, -1}, {0, -2},
	                                      {0, 2},   {-2, 0}, {2, 0}};
	enum { STEPS = sizeof step / sizeof *step };

	for (int64_t k = 0; k < n; k++)
		col[k] = k < STEPS ? i + step[k][0] * line + step[k][1] : i + k;
}

void eki_pattern_star(int64_t i, int64_t dims, int64_t side, int64_t n, int64_t *col)
{
	int64_t k = 0;

	if (n > 0)
		col[k++] = i;
	for (int64_t away = 1; k < n; away++)
		for (int64_t d = 0, stride = away; d < dims && k < n; d++, stride *= side) {
			col[k++] = i - stride;
			if (k < n)
				col[k++] = i + stride;
		}
}

void eki_pattern_scatter(uint64_t *rng, const eki_scatter *scatter, int64_t n, int64_t *col)
{
	int64_t window = scatter->window;

	for (int64_t k = 0; k < n; k++) {
		bool near = eki_rng_unit(rng) < scatter->local;
		double u = eki_rng_unit(rng);

		col[k] = near ? scatter->centre + (int64_t)(u * (double)window) - window / 2
		              : (int64_t)((scatter->crowded ? u * u * u : u) *
		                          (double)scatter->cols);
	}
}

void eki_pattern_circuit(uint64_t *rng, int64_t i, int64_t cols, int64_t n, int64_t *col)
{
	if (n > 0)
		col[0] = i;
	for (int64_t k = 1; k < n; k++) {
		uint64_t kind = eki_rng_next(rng) >> 59; /* number from 0 to 31 */
		double u = eki_rng_unit(rng);
		int64_t away = 1 + (int64_t)(kind < 24 ? u * u * 32 : u * u * u * u * 10000);

		col[k] = kind > 29 ? (int64_t)(u * (double)cols) : kind & 1 ? i + away : i - away;
	}
}

/* ---- Hubs ------------------------------------------------------------------------------------ */

/* Fills the table with the row number and the length of each hub, the longest hub first. In the
 * matrix, the longest hub comes first, the second longest last, the third longest second, and so
 * on. Hubs are spread over the whole matrix, so that they do not all fall to one thread. */
ek_status eki_hubs_make(eki_gen *g, int64_t longest, int64_t shortest, int64_t most)
{
	int64_t count = 0;

	for (int64_t n = longest; n >= shortest && n > 0 && count < most; n /= 2)
		count++;
	EK_RETURN_IF(eki_gen_table(g, 2 * count));
	for (int64_t h = 0; h < count; h++) {
		int64_t slot = h % 2 ? count - 1 - h / 2 : h / 2;

		g->table[2 * h] = (uint64_t)((2 * slot + 1) * (g->rows / (2 * count)));
		g->table[2 * h + 1] = (uint64_t)(longest >> h);
	}
	return EK_OK;
}

int64_t eki_hub_length(const eki_gen *g, int64_t i)
{
	for (int64_t h = 0; h < g->table_len; h += 2)
		if ((int64_t)g->table[h] == i)
			return (int64_t)g->table[h + 1];
	return 0;
}

int64_t eki_hub_total(const eki_gen *g)
{
	int64_t sum = 0;

	for (int64_t h = 0; h < g->table_len; h += 2)
		sum += (int64_t)g->table[h + 1];
	return sum;
}

int64_t eki_hub_columns(const eki_gen *g, uint64_t *rng, int64_t n, int64_t *col)
{
	int64_t k = 0;

	for (int64_t h = 0; h < g->table_len && k < n; h += 2)
		if (eki_rng_unit(rng) * (double)g->rows < (double)g->table[h + 1])
			col[k++] = (int64_t)g->table[h];
	return k;
}
