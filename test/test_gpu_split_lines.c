/* SPDX-License-Identifier: BSD-3-Clause
 * Tests which lines of x go to a device with which chunk of its rows, and the rules for the number
 * of chunks and for the rows where they begin. */
#include <stdio.h>

#include "both/both.h"
#include "support/lengths.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- Lines of x ------------------------------------------------------------------------------ */

enum { PARTS = 4 };

/* Checks one range: it begins and ends with lines that are needed, unless the next one, of another
 * part, begins there. Its part is the earliest one that reads a line in it. */
static void check_range(const eki_lines *lines, int parts, const eki_range *r,
                        const eki_range *next)
{
	int least = EKI_NO_PART;

	assert_true(r->begin < r->end && r->begin % lines->span == 0);
	assert_true(lines->first[r->begin / lines->span] < parts);
	assert_true(lines->first[(r->end - 1) / lines->span] < parts ||
	            (next && next->begin == r->end));
	if (next)
		assert_true(next->begin > r->end ||
		            (next->begin == r->end && next->part != r->part));
	for (int64_t line = r->begin / lines->span; line * lines->span < r->end; line++)
		if (lines->first[line] < least)
			least = lines->first[line];
	assert_int_equal(r->part, least);
}

static void check_ranges(const eki_lines *lines, int64_t x_len)
{
	for (int parts = 0; parts <= PARTS; parts++) {
		eki_range range[EKI_COPIES];
		const int count = eki_lines_ranges(lines, parts, x_len, true, range);

		assert_in_range(count, 0, EKI_COPIES);
		for (int k = 0; k < count; k++)
			check_range(lines, parts, &range[k], k + 1 < count ? &range[k + 1] : NULL);
		assert_true(!count || range[count - 1].end <= x_len);
		for (int64_t line = 0; line < lines->count; line++) {
			bool in = false;

			for (int k = 0; k < count; k++)
				in |= range[k].begin <= line * lines->span &&
				      line * lines->span < range[k].end;
			assert_true(in || lines->first[line] >= parts);
		}
	}
}

static void lines(ek_context *ctx, eki_memory memory)
{
	static const char *const matrix[] = {
		"uniform:rows=1000,cols=3000,k=2", "uniform:rows=200,cols=100000,k=3",
		"banded:n=4000,lower=3,upper=3", "uniform:rows=7,cols=5,k=1"};

	(void)memory;
	for (size_t k = 0; k < sizeof matrix / sizeof *matrix; k++) {
		ek_matrix *A;
		eki_lines l = {0};

		expect_status(ek_matrix_generate(ctx, matrix[k], EK_F32, EK_I32, &A), EK_OK);
		const ek_store *s = &A->store;
		const int64_t begin[PARTS + 1] = {0, s->rows / 7, s->rows / 3, s->rows / 3,
		                                  s->rows};
		const eki_problem problem = {.width = 1};
		const eki_step step = {
			.ctx = ctx, .problem = &problem, .in = {s}, .x_len = s->cols, .threads = 2};

		eki_lines_size(&step, &l);
		assert_int_equal(l.span, 16);
		assert_int_equal(l.count, (s->cols + 15) / 16);
		l.first = malloc((size_t)l.count);
		eki_lines_find(&step, s, begin, PARTS, &l);
		for (int64_t line = 0; line < l.count; line++) {
			int first = EKI_NO_PART;

			for (int part = PARTS - 1; part >= 0; part--)
				for (int64_t e = eki_ptr_at(s, begin[part]);
				     e < eki_ptr_at(s, begin[part + 1]); e++)
					if (eki_col_at(s, e) / 16 == line)
						first = part;
			assert_int_equal(l.first[line], first);
		}
		check_ranges(&l, s->cols);
		free((void *)(uintptr_t)l.first);
		ek_matrix_destroy(A);
	}
}

ON_EACH_DEVICE(lines)

/* Makes ranges of lines whose first parts are given as digits, where - is for none, cut between
 * parts or not. They must be as in `expected`: their first lines, and where they end, and their
 * parts. */
static void expect_list(const char *digits, int parts, bool cuts, const char *expected)
{
	_Atomic uint8_t first[400];
	const eki_lines l = {.count = (int64_t)strlen(digits), .span = 2, .first = first};
	eki_range range[EKI_COPIES];
	char text[600] = "";
	size_t used = 0;
	int count;

	for (int64_t k = 0; k < l.count; k++)
		first[k] = digits[k] == '-' ? EKI_NO_PART : (uint8_t)(digits[k] - '0');
	count = eki_lines_ranges(&l, parts, 2 * l.count - 1, cuts, range);
	for (int k = 0; k < count; k++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld-%lld:%d",
		                         k ? " " : "", (long long)range[k].begin,
		                         (long long)range[k].end, range[k].part);
	assert_string_equal(text, expected);
}

static void expect_ranges(const char *digits, int parts, const char *expected)
{
	expect_list(digits, parts, true, expected);
}

static void test_ranges(void **state)
{
	char many[97];

	(void)state;
	expect_ranges("", 3, "");
	expect_ranges("----", 3, "");
	expect_ranges("0011122", 3, "0-4:0 4-10:1 10-13:2");
	expect_ranges("0011122", 2, "0-4:0 4-10:1");
	expect_ranges("-00-1-", 2, "2-6:0 8-10:1");
	expect_ranges("2101", 3, "0-2:2 2-4:1 4-6:0 6-7:1");
	expect_list("2101", 3, false, "0-7:2");
	expect_list("-00-12", 2, false, "2-6:0 8-10:1");
	/* 96 lines, so a range has 3 or more, but for the last one: a few lines that are needed
	 * later go with those before or behind them, which are needed earlier. */
	memset(many, '0', 96);
	many[96] = 0;
	memset(many + 30, '1', 2);
	expect_ranges(many, 2, "0-191:0");
	memset(many + 60, '1', 36);
	expect_ranges(many, 2, "0-120:0 120-191:1");
	memset(many, '1', 2);
	expect_ranges(many, 2, "0-120:0 120-191:1");
	memset(many, '1', 3);
	expect_ranges(many, 2, "0-6:1 6-120:0 120-191:1");
	many[95] = '0';
	expect_ranges(many, 2, "0-6:1 6-120:0 120-190:1 190-191:0");
	many[94] = '-'; /* then 95 lines are needed, in two ranges with a gap */
	expect_ranges(many, 2, "0-6:1 6-120:0 120-188:1 190-191:0");
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Returns the number of chunks for the rows above cut `at` of EKI_SHARES, if all rows read the same
 * lines or, with `local`, each row its own. */
static int chunks(eki_speeds speeds, bool local, int at)
{
	eki_above above[EKI_SHARES + 1];

	for (int k = 0; k <= EKI_SHARES; k++) {
		const double part = (double)k / EKI_SHARES;

		above[k] = (eki_above){.work = part, .lines = local ? part : k > 0, .rows = part};
	}
	return eki_chunks(&speeds, above, at);
}

static void test_rule(void **state)
{
	const eki_speeds as_long = {.device = 1, .to = 0.5, .back = 0.5, .most = EKI_CHUNKS};
	eki_speeds s = as_long;

	(void)state;
	/* Copies that take as long as kernels are worth chunks, but not as many as possible. */
	assert_in_range(chunks(s, true, 100), 2, EKI_CHUNKS - 1);
	/* They are not if there is little to hide, of one or the other, or all is short. */
	s = (eki_speeds){.device = 1, .to = 0.01, .back = 0.01, .most = EKI_CHUNKS};
	assert_int_equal(chunks(s, true, 100), 1);
	s = (eki_speeds){.device = 0.02, .to = 0.5, .back = 0.5, .most = EKI_CHUNKS};
	assert_int_equal(chunks(s, true, 100), 1);
	s = (eki_speeds){.device = 20e-6, .to = 10e-6, .back = 10e-6, .most = EKI_CHUNKS};
	assert_int_equal(chunks(s, true, 100), 1);
	/* If all rows read the same lines, only copies of y can overlap. */
	s = (eki_speeds){.device = 1, .to = 1, .most = EKI_CHUNKS};
	assert_true(chunks(s, true, 100) > 1);
	assert_int_equal(chunks(s, false, 100), 1);
	assert_true(chunks(as_long, false, 100) > 1);
	/* So it is if all of x goes before the first kernel. */
	s.early = true;
	assert_int_equal(chunks(s, true, 100), 1);
	s = as_long;
	s.early = true;
	assert_int_equal(chunks(s, true, 100), chunks(as_long, false, 100));
	/* The number stays between those that are possible. */
	s = as_long;
	s.most = 2;
	assert_int_equal(chunks(s, true, 100), 2);
	s.most = 0;
	assert_int_equal(chunks(s, true, 100), 1);
	s.least = s.most = 6;
	assert_int_equal(chunks(s, true, 100), 6);
	assert_true(chunks(as_long, true, 2) <= 2);
}

/* Rows from 0 to 1280, 10 in a part of the work. */
static void expect_cut(int at, bool moves, int chunk_count, const int64_t *begin, int count)
{
	int64_t bound[EKI_SHARES + 1], is[EKI_MOST_PIECES + 1];
	eki_balance b;

	for (int k = 0; k <= EKI_SHARES; k++)
		bound[k] = 10 * k;
	assert_int_equal(eki_balance_cut(bound, at, 1280, moves, chunk_count, is, &b), count);
	for (int k = 0; k < count; k++)
		assert_int_equal(is[k], begin[k]);
	assert_int_equal(is[count], 1280);
	assert_int_equal(b.least, count - (moves ? EKI_MOVABLE : 0) - 1);
	assert_int_equal(b.most, count - 1);
	assert_int_equal(is[b.now], 10 * at);
}

static void test_cuts(void **state)
{
	static const int64_t two[] = {0, 1000}, four[] = {0, 300, 600, 900},
			     moved[] = {0, 850, 900, 950, 1000, 1050, 1100, 1150},
			     both[] = {0, 420, 850, 900, 950, 1000, 1050, 1100, 1150},
			     few[] = {0, 10, 20, 70, 120, 170, 220, 270, 320},
			     none[] = {0, 0, 50, 100, 150, 200, 250, 300}, empty[] = {0, 0, 10, 20};

	(void)state;
	expect_cut(100, false, 1, two, 2);
	expect_cut(90, false, 3, four, 4);
	expect_cut(100, true, 1, moved, EKI_PIECES);
	expect_cut(100, true, 2, both, EKI_PIECES + 1);
	/* Runs that move pieces have no more chunks than bounds, unless that is none. */
	expect_cut(17, true, 6, few, EKI_PIECES + 1);
	expect_cut(15, true, 6, none, EKI_PIECES);
	expect_cut(2, false, 3, empty, 4);
	assert_int_equal(eki_balance_fixed(100, true), 85);
	assert_int_equal(eki_balance_fixed(10, true), 1);
	assert_int_equal(eki_balance_fixed(10, false), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_rule),
		cmocka_unit_test(test_cuts),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
