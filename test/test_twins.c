/* SPDX-License-Identifier: BSD-3-Clause
 * Tests which twins are in Table 8.2 of Liu's thesis (2015), and two sizes of the twins' squares
 * A^2: the number of products, which is the work, and the number of nonzeros, which is the memory.
 * Table
 * 9.2 of the thesis gives both in millions, and twins must match within a tenth. Both are counted
 * exactly, by a pass over the products with a mark for each column. */
#include <stdbool.h>

#include "support/support.h"

static const struct {
	const char *name;
	double products, nnz; /* of A^2, in millions */
} square[] = {
	{"cant", 269.5, 17.4},      {"mac_econ_fwd500", 7.6, 6.7}, {"mc2depi", 8.4, 5.2},
	{"filter3D", 86, 20.2},     {"pwtk", 626.1, 32.8},         {"shipsec1", 450.6, 24.1},
	{"rma10", 156.5, 7.9},      {"pdb1HYS", 555.3, 19.6},      {"consph", 463.8, 26.5},
	{"2cubes_sphere", 27.5, 9}, {"cop20k_A", 79.9, 18.7},      {"cage12", 34.6, 15.2},
	{"hood", 562, 34.2},        {"m133-b3", 3.2, 3.2},         {"majorbasis", 19.2, 8.2},
	{"mario002", 12.8, 6.4},    {"mono_500Hz", 204, 41.4},     {"offshore", 71.3, 23.4},
	{"patents_main", 2.6, 2.3}, {"poisson3Da", 11.8, 3},       {"conf5_4-8x8-20", 74.8, 10.9},
	{"scircuit", 8.7, 5.2},     {"webbase-1M", 69.5, 51.1},
};
enum { SQUARES = sizeof square / sizeof *square };

struct sizes {
	int64_t products, nnz;
};

/* Counts the products and the nonzeros of A^2 if A is square. */
static struct sizes sizes_of_square(const ek_matrix *A, int64_t rows)
{
	ek_view ptr = {.size = sizeof ptr}, col = {.size = sizeof col};
	int32_t *seen =
		malloc((size_t)rows * sizeof *seen); /* last row with an entry in a column */
	struct sizes sizes = {0, 0};

	assert_non_null(seen);
	expect_status(ek_matrix_array(A, "row_ptr", &ptr), EK_OK);
	expect_status(ek_matrix_array(A, "col_idx", &col), EK_OK);

	const int32_t *p = ptr.data, *c = col.data;

	for (int64_t j = 0; j < rows; j++)
		seen[j] = -1;
	for (int32_t i = 0; i < rows; i++)
		for (int32_t k = p[i]; k < p[i + 1]; k++) {
			const int32_t end = p[c[k] + 1];

			sizes.products += end - p[c[k]];
			for (int32_t e = p[c[k]]; e < end; e++) {
				sizes.nnz += seen[c[e]] != i;
				seen[c[e]] = i;
			}
		}
	free(seen);
	return sizes;
}

static bool near(int64_t found, double millions)
{
	return (double)found >= 0.9e6 * millions && (double)found <= 1.1e6 * millions;
}

/* The 20 matrices of Table 8.2 have that word in their works, and no others. */
static void test_table_8_2(void **state)
{
	static const char *const name[] = {
		"dense2",         "pdb1HYS",   "consph",          "cant",    "pwtk",     "rma10",
		"conf5_4-8x8-20", "shipsec1",  "mac_econ_fwd500", "mc2depi", "cop20k_A", "scircuit",
		"webbase-1M",     "rail4284",  "ASIC_680k",       "boyd2",   "dc2",      "ins2",
		"rajat21",        "transient",
	};
	enum { NAMES = sizeof name / sizeof *name };
	int found = 0;

	(void)state;
	for (const ek_twin *t = NULL; (t = ek_twin_next(t));) {
		int k = 0;

		while (k < NAMES && strcmp(name[k], t->name) != 0)
			k++;
		assert_int_equal(k < NAMES, strstr(t->works, "A.1 8.2") != NULL);
		found += k < NAMES;
	}
	assert_int_equal(found, NAMES);
}

static void test_squares(void **state)
{
	int64_t most = test_tier() >= TIER_FULL    ? INT64_MAX
	               : test_tier() == TIER_QUICK ? 2500000
	                                           : 800800;
	const ek_options options = {.size = sizeof options, .threads = 2};
	ek_context *ctx = NULL;
	int wrong = 0;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	for (const ek_twin *t = NULL; (t = ek_twin_next(t));) {
		char spec[128];
		ek_matrix *A = NULL;
		int s = 0;

		while (s < SQUARES && strcmp(square[s].name, t->name) != 0)
			s++;
		/* the table above has exactly the matrices of Table 9.2 */
		assert_int_equal(s < SQUARES, strstr(t->works, "9.2") != NULL);
		if (s == SQUARES || t->nnz > most)
			continue;
		snprintf(spec, sizeof spec, "twin:name=%s", t->name);
		expect_status(ek_matrix_generate(ctx, spec, EK_F32, EK_I32, &A), EK_OK);

		const struct sizes sizes = sizes_of_square(A, t->rows);

		if (!near(sizes.products, square[s].products) || !near(sizes.nnz, square[s].nnz)) {
			print_error("%s: %.2f million products for %.1f, %.2f million nonzeros for "
			            "%.1f\n",
			            t->name, (double)sizes.products / 1e6, square[s].products,
			            (double)sizes.nnz / 1e6, square[s].nnz);
			wrong++;
		}
		ek_matrix_destroy(A);
	}
	assert_int_equal(wrong, 0);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_8_2),
	                                   cmocka_unit_test(test_squares)};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
