/* SPDX-License-Identifier: BSD-3-Clause
 * The matrices for test_patterns.c. Each function builds one matrix, group by group, with sizes
 * close to one limit. */
#include "spmv/patterns.h"
#include "support/groups.h"
#include "support/support.h"

enum { MAX_ROWS = GROUPS_MAX * GROUP, MAX_ENTRIES = 1 << 20, FEW = 25 };

/* ---- Building -------------------------------------------------------------------------------- */

static void begin(struct groups *b, int64_t cols)
{
	b->s = (struct shape){.cols = cols, .room = MAX_ENTRIES};
	b->s.ptr = calloc(MAX_ROWS + 1, sizeof *b->s.ptr);
	b->s.col = calloc(MAX_ENTRIES, sizeof *b->s.col);
}

/* Appends a row of n entries, in the columns first + list[k]. */
static void row(struct groups *b, int64_t first, int64_t n)
{
	struct shape *s = &b->s;

	assert_true(s->rows < MAX_ROWS && s->nnz + n <= MAX_ENTRIES);
	for (int64_t k = 0; k < n; k++) {
		int64_t col = first + b->list[k];

		assert_true(col >= 0 && col < s->cols);
		s->col[s->nnz++] = col;
	}
	s->ptr[++s->rows] = s->nnz;
}

/* Records the kind that the method must find for the group that ends here. */
static void kind(struct groups *b, int64_t expected)
{
	assert_int_equal(b->s.rows % GROUP, 0);
	b->kind[b->s.rows / GROUP - 1] = expected;
}

static int64_t largest(const struct groups *b, int64_t n)
{
	int64_t max = 0;

	for (int64_t k = 0; k < n; k++)
		max = b->list[k] > max ? b->list[k] : max;
	return max;
}

/* Appends eight rows with the current list. Each row is shifted by one column from the row
 * before. */
static void run(struct groups *b, int64_t first, int64_t n, int64_t expected)
{
	for (int r = 0; r < GROUP; r++)
		row(b, first + r, n);
	kind(b, expected);
}

/* Appends eight rows as `run` does, placed so that the last one reaches the matrix's last
 * column. */
static void last_run(struct groups *b, int64_t n, int64_t expected)
{
	run(b, b->s.cols - GROUP - largest(b, n), n, expected);
}

static void straight(struct groups *b, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		b->list[k] = k;
}

/* Sets the list to ascending offsets with gaps, which differ for each v from the third on. */
static void gaps(struct groups *b, int64_t n, int64_t v)
{
	for (int64_t k = 0; k < n; k++)
		b->list[k] = k * (2 + v % 3) + (k * (1 + v / 3)) % 2;
}

/* Sets the list to offsets: first the least, then others, unordered and some repeated. */
static void mixed(struct groups *b, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		b->list[k] = k * 7 % 23;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static void runs(struct groups *b)
{
	begin(b, 200);
	for (int64_t n = 1; n <= 30; n++)
		for (int v = 0; v < 3; v++) {
			if (v == 0)
				straight(b, n);
			else if (v == 1)
				gaps(b, n, n);
			else
				mixed(b, n);
			run(b, 0, n, RUN);
			last_run(b, n, RUN);
		}
	straight(b, 3);
	row(b, 197, 3);
}

static void straights(struct groups *b)
{
	begin(b, 100);
	for (int64_t n = 1; n <= 70; n++) {
		straight(b, n);
		for (int64_t r = 0; r < GROUP; r++)
			row(b, r % 2 ? r : 100 - n - r, n);
		kind(b, EACH);
		if (n % 5 == 0)
			last_run(b, n, RUN);
	}
	row(b, 30, 70);
	row(b, 30, 70);
}

static void lists(struct groups *b)
{
	begin(b, 300);
	for (int64_t n = 1; n <= 70; n++) {
		for (int64_t r = 0; r < GROUP; r++) {
			int64_t len = 1 + (n + r) % 70;

			gaps(b, len, r);
			row(b, r % 2 ? r : 299 - r - largest(b, len), len);
		}
		kind(b, EACH);
	}
	for (int64_t r = 0; r < 3; r++)
		row(b, r, 60);
}

/* Builds groups in which the columns of one row span about 2^16 (65534 to 69980). That row takes
 * each place in a group in turn. */
static void wide(struct groups *b)
{
	static const int64_t span[] = {65534, 65535, 65536, 65537, 69980};

	begin(b, 70000);
	for (int k = 0; k < 5; k++) {
		int64_t narrow = span[k] < 65536;

		for (int64_t at = 0; at < GROUP; at++) {
			for (int64_t r = 0; r < GROUP; r++) {
				gaps(b, 4, r);
				b->list[3] = r == at ? span[k] : b->list[3];
				row(b, 19 - r * 2, 4);
			}
			kind(b, narrow ? EACH : CSR);
		}
		gaps(b, 5, k);
		last_run(b, 5, RUN);
		b->list[4] = span[k];
		last_run(b, 5, narrow ? RUN : WIDE_RUN);
		for (int64_t r = 0; r < GROUP; r++)
			row(b, r / 2, 5);
		kind(b, narrow ? EACH : CSR);
		run(b, 0, 5, narrow ? RUN : WIDE_RUN);
	}
	for (int64_t r = 0; r < 5; r++)
		row(b, r, 5);
}

/* Builds groups with a row of 32766 to 33000 entries; a list has at most 2^15 - 1 = 32767. */
static void longs(struct groups *b)
{
	static const int64_t length[] = {32766, 32767, 32768, 33000};

	begin(b, 66100);
	for (int k = 0; k < 8; k++) {
		int64_t n = length[k / 2];

		for (int64_t r = 0; r < GROUP; r++)
			if (r == 3) {
				straight(b, n);
				for (int64_t e = 0; e < n && k % 2; e++)
					b->list[e] = e * 2 % 65534;
				row(b, 66099 - largest(b, n), n);
			} else {
				gaps(b, 3 + r, r);
				row(b, 50 - r, 3 + r);
			}
		kind(b, n <= 32767 ? EACH : CSR);
	}
	straight(b, 32767);
	last_run(b, 32767, RUN);
	row(b, 7, 32767);
}

static void empties(struct groups *b)
{
	begin(b, 60);
	gaps(b, 6, 1);
	for (int only = 0; only < 2; only++)
		for (int64_t at = -1; at < GROUP; at++) {
			for (int64_t r = 0; r < GROUP; r++)
				row(b, 10 + r, (r == at) == only ? 6 : 0);
			kind(b, at < 0 && !only ? RUN : EACH);
		}
	last_run(b, 6, RUN);
	for (int r = 0; r < 6; r++)
		row(b, 1, 0);
}

/* Builds groups with unsorted rows: a row whose first column is not its least has no list
 * of 16-bit offsets. */
static void unsorted(struct groups *b)
{
	begin(b, 80);
	for (int64_t n = 2; n <= 20; n++) {
		for (int64_t k = 0; k < n; k++)
			b->list[k] = n - k;
		last_run(b, n, WIDE_RUN);
		for (int64_t k = 0; k < n; k++)
			b->list[k] = k / 3 * 2;
		last_run(b, n, RUN);
		memset(b->list, 0, sizeof b->list);
		last_run(b, n, RUN);
		for (int64_t r = 0; r < GROUP; r++) {
			mixed(b, n);
			b->list[n - 1] = r == n % GROUP ? -1 : 1;
			row(b, 1 + r * 3, n);
		}
		kind(b, CSR);
	}
	row(b, 2, 2);
}

/* Builds groups that share sixteen lists, none of which occurs twice in a group. */
static void shared(struct groups *b)
{
	begin(b, 120);
	for (int64_t g = 0; g < 30; g++) {
		for (int64_t r = 0; r < GROUP; r++) {
			int64_t l = (g * 5 + r) % 16;

			gaps(b, 9 + l / 6, l % 6);
			row(b, (g * 7 + l * 3) % 60, 9 + l / 6);
		}
		kind(b, EACH);
	}
	row(b, 5, 9);
}

/* Sets the list to twelve multiples of four, and adds one to offset number v if v > 0. The lists
 * for all v that are used collide: the hash depends only on the length and on the first, quarter,
 * middle and last offset. */
static void collide(struct groups *b, int v)
{
	for (int64_t k = 0; k < 12; k++)
		b->list[k] = 4 * k + (v && k == v);
}

static void collisions(struct groups *b)
{
	static const int free_place[] = {1, 2, 4, 5, 7, 8, 9, 10};

	begin(b, 100);
	for (int at = 0; at < GROUP; at++) {
		int v = free_place[at];

		for (int r = 0; r < GROUP; r++) {
			collide(b, r == at ? v : 0);
			row(b, 3 + r, 12);
		}
		kind(b, EACH);
		for (int r = 0; r < GROUP; r++) {
			collide(b, r % 2 ? v : 0);
			row(b, 3 + r, 12);
		}
		kind(b, EACH);
		last_run(b, 12, RUN);
		collide(b, 0);
		last_run(b, 12, RUN);
	}
	for (int r = 0; r < 7; r++)
		row(b, r, 12);
}

static void random_lists(struct groups *b)
{
	struct rng rng = {7};

	begin(b, 500);
	for (int i = 0; i < 3001; i++) {
		int64_t n = rng_below(&rng, 7);

		for (int64_t k = 0; k < n; k++)
			b->list[k] = k ? rng_below(&rng, 12) : 0;
		row(b, rng_below(&rng, 489), n);
		if (b->s.rows % GROUP == 0)
			kind(b, GROUPS_ANY);
	}
}

/* Builds a matrix of few rows, from less than one group to a little more. */
static void few(struct groups *b, int64_t rows)
{
	begin(b, rows + 5);
	gaps(b, 3, 0);
	for (int64_t i = 0; i < rows; i++) {
		row(b, i, 3);
		if (b->s.rows % GROUP == 0)
			kind(b, RUN);
	}
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*build)(struct groups *b);
} table[] = {
	{"runs", runs},
	{"straights", straights},
	{"lists", lists},
	{"wide", wide},
	{"longs", longs},
	{"empties", empties},
	{"unsorted", unsorted},
	{"shared", shared},
	{"collisions", collisions},
	{"random-lists", random_lists},
};
enum { TABLE = sizeof table / sizeof *table };

int groups_count(void)
{
	return TABLE + FEW;
}

void groups_make(struct groups *b, int k)
{
	struct rng rng = {(uint64_t)k};
	struct shape *s = &b->s;

	if (k < TABLE)
		table[k].build(b);
	else
		few(b, k - TABLE + 1);
	snprintf(s->name, sizeof s->name, "%s:%d", k < TABLE ? table[k].name : "few", (int)s->rows);
	s->val = calloc((size_t)s->nnz + 1, sizeof *s->val);
	s->val2 = calloc((size_t)s->nnz + 1, sizeof *s->val2);
	for (int64_t e = 0; e < s->nnz; e++) {
		s->val[e] = rng_integer(&rng, 8);
		s->val2[e] = rng_integer(&rng, 8);
	}
}
