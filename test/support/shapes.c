/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices of awkward shapes. A kind of shape is a function of one parameter, which appends the
 * rows. The table lists the kinds and the parameters to use. */
#include <inttypes.h>

#include "support/support.h"
#include "support/shapes.h"

/* ---- Building -------------------------------------------------------------------------------- */

static void start(struct shape *s, int64_t cols)
{
	s->rows = s->nnz = s->room = 0;
	s->cols = cols;
	s->ptr = calloc(1, sizeof *s->ptr);
	s->col = NULL;
}

static void entry(struct shape *s, int64_t col)
{
	if (s->nnz == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->col = realloc(s->col, (size_t)s->room * sizeof *s->col);
	}
	s->col[s->nnz++] = col;
}

static void end_row(struct shape *s)
{
	s->rows++;
	if ((s->rows & (s->rows - 1)) == 0)
		s->ptr = realloc(s->ptr, (size_t)(2 * s->rows + 1) * sizeof *s->ptr);
	s->ptr[s->rows] = s->nnz;
}

/* Appends a row with entries in `len` different columns, which ascend and are spread over all
 * columns; len <= cols. */
static void spread(struct shape *s, int64_t len)
{
	int64_t shift = s->cols ? (s->rows * 7919 + 13) % s->cols : 0;

	for (int64_t t = 0; t < len; t++)
		entry(s, (t * s->cols + shift) / len);
	end_row(s);
}

static void empties(struct shape *s, int64_t n)
{
	while (n-- > 0)
		end_row(s);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void no_rows(struct shape *s, int p)
{
	start(s, p);
}

static void no_entries(struct shape *s, int p)
{
	start(s, p % 100);
	empties(s, p / 100);
}

static void single(struct shape *s, int p)
{
	(void)p;
	start(s, 1);
	spread(s, 1);
}

static void one_row(struct shape *s, int p)
{
	start(s, p);
	spread(s, p);
}

static void one_column(struct shape *s, int p)
{
	start(s, 1);
	for (int i = 0; i < p; i++)
		spread(s, i % 7 != 3);
}

/* Builds 37 rows of p entries. */
static void equal(struct shape *s, int p)
{
	start(s, 2 * p + 3);
	for (int i = 0; i < 37; i++)
		spread(s, p);
}

/* Builds p rows, of 0 to 6 entries in turn. */
static void row_count(struct shape *s, int p)
{
	start(s, 40);
	for (int i = 0; i < p; i++)
		spread(s, (i * 5 + 2) % 7);
}

/* Builds rows of 0 to 70 entries, each length twice, in an order given by p. */
static void mixed(struct shape *s, int p)
{
	start(s, 90);
	for (int i = 0; i < 142; i++)
		spread(s, (int64_t)i * p % 71);
}

static void leading(struct shape *s, int p)
{
	start(s, 30);
	empties(s, p);
	for (int i = 0; i < 40; i++)
		spread(s, 1 + i % 9);
}

static void trailing(struct shape *s, int p)
{
	start(s, 30);
	for (int i = 0; i < 40; i++)
		spread(s, 1 + i % 9);
	empties(s, p);
}

static void interleaved(struct shape *s, int p)
{
	start(s, 50);
	for (int i = 0; i < 30; i++) {
		empties(s, p);
		spread(s, 1 + i % 11);
	}
}

/* Builds a row of p entries before short rows. The next two functions put the long row between and
 * after short rows. */
static void first_huge(struct shape *s, int p)
{
	start(s, p + 1);
	spread(s, p);
	for (int i = 0; i < 60; i++)
		spread(s, i % 4);
}

static void middle_huge(struct shape *s, int p)
{
	start(s, p + 1);
	for (int i = 0; i < 61; i++)
		spread(s, i == 30 ? p : i % 4);
}

static void last_huge(struct shape *s, int p)
{
	start(s, p + 1);
	for (int i = 0; i < 60; i++)
		spread(s, i % 4);
	spread(s, p);
}

/* Builds a p x p diagonal matrix with one dense row and one dense column. */
static void cross(struct shape *s, int p)
{
	start(s, p);
	for (int i = 0; i < p; i++) {
		if (i == p / 3) {
			spread(s, p);
			continue;
		}
		for (int j = 0; j < p; j++)
			if (j == i || j == p / 2)
				entry(s, j);
		end_row(s);
	}
}

static void power_law(struct shape *s, int p)
{
	start(s, p + p / 2);
	for (int i = 0; i < p; i++)
		spread(s, p / (1 + (int64_t)i * 131 % p));
}

static void banded(struct shape *s, int p)
{
	start(s, p);
	for (int i = 0; i < p; i++) {
		for (int j = i - 3; j <= i + 2; j++)
			if (j >= 0 && j < p)
				entry(s, j);
		end_row(s);
	}
}

/* Builds a matrix of dense 3 x 3 blocks. */
static void blocked(struct shape *s, int p)
{
	start(s, 3 * p);
	for (int i = 0; i < 3 * p; i++) {
		for (int b = 0; b < p; b++)
			if ((b + i / 3) % 4 == 0 || b == i / 3)
				for (int j = 3 * b; j < 3 * b + 3; j++)
					entry(s, j);
		end_row(s);
	}
}

/* Builds rows in which each column is repeated two or three times. */
static void repeated(struct shape *s, int p)
{
	start(s, 25);
	for (int i = 0; i < 33; i++) {
		for (int t = 0; t < i % p; t++)
			entry(s, t / (2 + i % 2) * 7 % 25);
		end_row(s);
	}
}

/* Builds rows whose columns are in descending order or in no order. */
static void unsorted(struct shape *s, int p)
{
	start(s, 64);
	for (int i = 0; i < 40; i++) {
		for (int t = 0; t < i; t++)
			entry(s, (i % 2 ? t * 37 + i : 64 * 37 - t) % 64 * p % 64);
		end_row(s);
	}
}

/* Builds p rows of 10 entries. If these are cut into 2, 3, 6, 7, ... equal parts, each part ends at
 * the end of a row. */
static void part_edges(struct shape *s, int p)
{
	start(s, 21);
	for (int i = 0; i < p; i++)
		spread(s, 10);
}

/* Builds two long rows, into which all cuts fall, with many empty rows between them. */
static void two_rows(struct shape *s, int p)
{
	start(s, p);
	empties(s, 5);
	spread(s, p);
	empties(s, 100);
	spread(s, p);
	empties(s, 3);
}

static void hypersparse(struct shape *s, int p)
{
	start(s, p);
	for (int i = 0; i < p; i++)
		spread(s, i % 251 == 77);
}

/* Builds p rows of 0 to 9 entries. */
static void uniform(struct shape *s, int p)
{
	start(s, p);
	for (int i = 0; i < p; i++)
		spread(s, (int64_t)i * 7 % 10);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*build)(struct shape *s, int p);
	int p[24]; /* parameters, each of which gives one shape; the list ends with -1 */
	int core;
} table[] = {
	{"no-rows", no_rows, {0, 5, -1}, 0},
	{"no-entries", no_entries, {100, 507, 101, -1}, 0},
	{"single", single, {0, -1}, 1},
	{"one-row", one_row, {3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000, -1}, 0},
	{"one-column", one_column, {5, 300, -1}, 0},
	{"equal",
         equal,
         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, -1},
         0},
	{"equal",
         equal,
         {21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 38, 40, -1},
         0},
	{"row-count", row_count, {2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, -1}, 1},
	{"mixed", mixed, {1, 31, 70, -1}, 1},
	{"leading", leading, {1, 50, -1}, 1},
	{"trailing", trailing, {1, 50, -1}, 1},
	{"interleaved", interleaved, {1, 4, 17, -1}, 1},
	{"first-huge", first_huge, {3000, -1}, 0},
	{"middle-huge", middle_huge, {3000, 100000, -1}, 0},
	{"last-huge", last_huge, {3000, -1}, 0},
	{"cross", cross, {300, -1}, 0},
	{"power-law", power_law, {50, 700, -1}, 0},
	{"banded", banded, {90, -1}, 0},
	{"blocked", blocked, {20, -1}, 0},
	{"repeated", repeated, {9, 60, -1}, 1},
	{"unsorted", unsorted, {1, 3, -1}, 1},
	{"part-edges", part_edges, {42, 84, 7, -1}, 0},
	{"two-rows", two_rows, {100, 5000, -1}, 0},
	{"hypersparse", hypersparse, {5000, -1}, 0},
	{"uniform", uniform, {25000, -1}, 0},
};

static int locate(int k, int *param)
{
	for (int row = 0; row < (int)(sizeof table / sizeof *table); row++)
		for (int i = 0; table[row].p[i] >= 0; i++)
			if (k-- == 0) {
				*param = table[row].p[i];
				return row;
			}
	return -1;
}

int shape_count(void)
{
	int count = 0, param = 0;

	while (locate(count, &param) >= 0)
		count++;
	return count;
}

const char *shape_name(int k)
{
	int param = 0;

	return table[locate(k, &param)].name;
}

int shape_is_core(int k)
{
	int param = 0;

	return table[locate(k, &param)].core;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int64_t longest_line(const struct shape *s)
{
	int64_t *count = calloc((size_t)s->cols + 1, sizeof *count), longest = 1;

	for (int64_t i = 0; i < s->rows; i++)
		if (s->ptr[i + 1] - s->ptr[i] > longest)
			longest = s->ptr[i + 1] - s->ptr[i];
	for (int64_t k = 0; k < s->nnz; k++)
		if (++count[s->col[k]] > longest)
			longest = count[s->col[k]];
	free(count);
	return longest;
}

/* Returns the largest integer that values may have, `max`. Multiples of 1/2 below 2^22 are exact in
 * f32 in any order of summation. So longest_line * max * SHAPE_X * 2.5 + 2.5 * SHAPE_Y must be
 * below 2^22. */
static int64_t largest_integer(const struct shape *s)
{
	int64_t max = (((int64_t)1 << 22) - 3 * SHAPE_Y) / (longest_line(s) * SHAPE_X * 5 / 2);

	return max > 4096 ? 4096 : max;
}

void shape_make(struct shape *s, int k, enum data data)
{
	struct rng rng = {(uint64_t)k};
	int param = 0, row = locate(k, &param);
	int64_t max;

	table[row].build(s, param);
	snprintf(s->name, sizeof s->name, "%s:%d", table[row].name, param);
	s->val = calloc((size_t)s->nnz + 1, sizeof *s->val);
	s->val2 = calloc((size_t)s->nnz + 1, sizeof *s->val2);
	max = largest_integer(s);
	for (int64_t e = 0; e < s->nnz; e++) {
		s->val[e] = data == DATA_EXACT ? rng_integer(&rng, max) : rng_real(&rng, 40);
		s->val2[e] = data == DATA_EXACT ? rng_integer(&rng, max) : rng_real(&rng, 40);
	}
}

void shape_free(struct shape *s)
{
	free(s->ptr);
	free(s->col);
	free(s->val);
	free(s->val2);
	memset(s, 0, sizeof *s);
}
