/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products of sparse matrices by every method of the table, and by `auto`, in every type,
 * instruction set and number of threads, on products of awkward shapes with each other and with
 * their transposes, held as CSR and as CSC, with and without an added matrix D. A new row of the
 * table is tested without a change here. */
#include "plan/plan.h"
#include "support/plan_case.h"
#include "support/spgemm_case.h"

enum { PRODUCTS_MOST = 400000 };

static struct rng draw;

static struct spgemm_variant drawn(const struct spgemm_problem *p, const ek_method *m)
{
	struct spgemm_variant v = {
		.method = m, .ctx = contexts_any((int)rng_below(&draw, contexts.levels), 2, &draw)};

	spgemm_draw(p, &draw, &v);
	return v;
}

static void check_times(struct spgemm_problem *p, int times)
{
	spgemm_references(p);
	for (const ek_method *m = processor_method_next(NULL, EK_SPGEMM);;
	     m = processor_method_next(m, EK_SPGEMM)) {
		for (int k = 0; k < times; k++) {
			const struct spgemm_variant v = drawn(p, m);
			size_t bytes;
			void *bits;

			spgemm_check(p, &v, &draw, &bits, &bytes);
			free(bits);
		}
		if (!m)
			break;
	}
	spgemm_references_free(p);
}

static void check_once(struct spgemm_problem *p)
{
	check_times(p, 1);
}

static void check_problem(struct spgemm_problem *p)
{
	check_times(p, test_tier() <= TIER_QUICK ? 1 : 6);
}

static void walk(enum data data)
{
	const enum tier tier = test_tier();
	const int every = tier == TIER_BRIEF ? 4 : tier == TIER_QUICK ? 2 : 1;

	for (int k = 0; k < shape_count(); k++)
		for (int value = EK_F32; value <= EK_F64; value++)
			if ((k + value + (int)data) % every == 1 % every ||
			    (shape_is_core(k) && tier > TIER_BRIEF))
				spgemm_products_of_shape(k, (ek_value)value, data, &draw,
				                         check_problem);
}

static void test_integer_data(void **state)
{
	(void)state;
	walk(DATA_EXACT);
}

static void test_real_data(void **state)
{
	(void)state;
	walk(DATA_REAL);
}

static void test_random(void **state)
{
	(void)state;
	spgemm_products_at_random(test_tier() == TIER_BRIEF   ? 20
	                          : test_tier() == TIER_QUICK ? 60
	                                                      : 400,
	                          &draw, check_once);
}

/* Makes shape k, or, behind the last one, a matrix of nodes with real values. */
static void shape_or_nodes(struct shape *s, int k)
{
	if (k < shape_count()) {
		shape_make(s, k, DATA_REAL);
		return;
	}
	sparse_nodes(&draw, s, 40, 300);
	for (int64_t e = 0; e < s->nnz; e++)
		s->val[e] = s->val2[e] = rng_real(&draw, 40);
}

/* Checks that methods with EK_REPRO_STRICT give the same bits as each other, for all numbers of
 * threads and instruction sets. */
static void test_strict(void **state)
{
	(void)state;
	for (int k = 0; k < shape_count() + 2; k += 2) {
		const bool nodes = k >= shape_count();
		struct shape s;
		void *first = NULL, *bits;
		size_t bytes;

		shape_or_nodes(&s, k);
		/* The rows of the transpose of nodes need rows with the same columns. */
		struct spgemm_problem p = {.shape = {&s, &s, NULL},
		                           .op = {nodes, !nodes},
		                           .value = EK_F64,
		                           .data = DATA_REAL};
		const struct operand a = {&s, nodes}, b = {&s, !nodes};
		const int64_t products = sparse_products(a, b);

		if (products < PRODUCTS_MOST && !shape_repeats(&s)) {
			for (int r = 0; r < 2; r++)
				sparse_reference_make(&p.ref[r], a, b, NULL, EK_F64, r);
			for (const ek_method *m = processor_method_next(NULL, EK_SPGEMM); m;
			     m = processor_method_next(m, EK_SPGEMM))
				for (int at = 0; at < contexts.levels * contexts.counts; at++) {
					struct spgemm_variant v = {
						.method = m,
						.index = {EK_I32, EK_I32, EK_I32},
						.ctx = contexts.of[at % contexts.levels]
					                          [at / contexts.levels],
						.alpha = 1.1,
						.repro = EK_REPRO_STRICT};

					if (!ek_method_supports(m, EK_OP_N, EK_REPRO_STRICT))
						break;
					spgemm_check(&p, &v, &draw, &bits, &bytes);
					if (first && memcmp(first, bits, bytes) != 0)
						fail_msg("%s: other bits", product_where);
					free(first);
					first = bits;
				}
			sparse_reference_free(&p.ref[0]);
			sparse_reference_free(&p.ref[1]);
		}
		free(first);
		shape_free(&s);
	}
}

/* Uses only the longest rows of B, so that C has more entries than mean row lengths suggest. With
 * the library's own heap, C is made in one pass. */
static void test_longer_than_the_mean(void **state)
{
	enum { A_ROWS = 3000, ROWS = 20000, FEW = 1000 };
	struct shape a, b;
	struct spgemm_problem p = {.shape = {&a, &b, NULL}, .value = EK_F64, .data = DATA_EXACT};
	struct spgemm_variant v = {.index = {EK_I32, EK_I32, EK_I32}, .alpha = 1};
	size_t bytes;
	void *bits;

	(void)state;
	sparse_random(&draw, &a, A_ROWS, ROWS, 3);
	sparse_random(&draw, &b, ROWS, ROWS, 50);
	a.nnz = b.nnz = 0;
	for (int64_t i = 0; i < ROWS; i++) {
		for (int64_t k = 0; k < 3 && i < A_ROWS; k++) {
			a.col[a.nnz] = 300 * k + i % 300;
			a.val[a.nnz] = a.val2[a.nnz] = 1;
			a.nnz++;
		}
		for (int64_t k = 0; k < (i < FEW ? 50 : 20); k++) {
			b.col[b.nnz] = 350 * k + i % 350;
			b.val[b.nnz] = b.val2[b.nnz] = 2;
			b.nnz++;
		}
		if (i < A_ROWS)
			a.ptr[i + 1] = a.nnz;
		b.ptr[i + 1] = b.nnz;
	}
	for (int r = 0; r < 2; r++)
		sparse_reference_make(&p.ref[r], (struct operand){&a, 0}, (struct operand){&b, 0},
		                      NULL, EK_F64, r);
	for (int threads = 1; threads <= 3; threads++) {
		const ek_options options = {.size = sizeof options, .threads = threads};

		expect_status(ek_context_create(&options, &v.ctx), EK_OK);
		spgemm_check(&p, &v, &draw, &bits, &bytes);
		free(bits);
		ek_context_destroy(v.ctx);
	}
	for (int r = 0; r < 2; r++)
		sparse_reference_free(&p.ref[r]);
	shape_free(&a);
	shape_free(&b);
}

/* ---- Values of a known C --------------------------------------------------------------------- */

/* Makes a matrix with real values for a grid of n points in each of three directions, of which the
 * last may have one: each point has an entry for the points at most `reach` away in each direction
 * or, if `cross`, in one of them. A quarter of the rows, at both ends, is empty if `cut`. */
static void make_grid(struct shape *s, const int64_t n[3], int64_t reach, bool cross, bool cut)
{
	const int64_t rows = n[0] * n[1] * n[2], side = 2 * reach + 1;
	const int64_t room = rows * side * (n[1] > 1 ? side : 1) * (n[2] > 1 ? side : 1);

	*s = (struct shape){.name = "grid", .rows = rows, .cols = rows};
	s->ptr = calloc((size_t)rows + 1, sizeof *s->ptr);
	s->col = calloc((size_t)room, sizeof *s->col);
	s->val = calloc((size_t)room, sizeof *s->val);
	s->val2 = calloc((size_t)room, sizeof *s->val2);
	for (int64_t i = 0; i < rows; i++) {
		const int64_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
		const bool empty = cut && (i < rows / 8 || i >= rows - rows / 8);

		for (int64_t j = 0; j < rows && !empty; j++) {
			const int64_t x = llabs(j % n[0] - at[0]);
			const int64_t y = llabs(j / n[0] % n[1] - at[1]);
			const int64_t z = llabs(j / n[0] / n[1] - at[2]);

			if (x > reach || y > reach || z > reach ||
			    (cross && (x > 0) + (y > 0) + (z > 0) > 1))
				continue;
			s->col[s->nnz] = j;
			s->val[s->nnz] = rng_real(&draw, 20);
			s->val2[s->nnz++] = rng_real(&draw, 20);
		}
		s->ptr[i + 1] = s->nnz;
	}
}

/* Checks A B in all instruction sets, into a new C and with new values into the same one. */
static void check_again(struct shape *a, struct shape *b)
{
	for (int value = EK_F32; value <= EK_F64; value++) {
		struct spgemm_problem p = {.shape = {a, b, NULL},
		                           .value = (ek_value)value,
		                           .data = DATA_REAL};

		for (int r = 0; r < 2; r++)
			sparse_reference_make(&p.ref[r], (struct operand){a, 0},
			                      (struct operand){b, 0}, NULL, p.value, r);
		for (int k = 0; k < 2 * contexts.levels; k++) {
			struct spgemm_variant v = {.ctx = contexts.of[k / 2][k % contexts.counts],
			                           .alpha = k % 2 ? -1 : 1.1};
			const ek_index index = (ek_index)(EK_I32 + k % 3);
			size_t bytes;
			void *bits;

			for (int m = 0; m < 3; m++)
				v.index[m] = index;
			spgemm_check(&p, &v, &draw, &bits, &bytes);
			free(bits);
		}
		for (int r = 0; r < 2; r++)
			sparse_reference_free(&p.ref[r]);
	}
}

/* Checks grids: most rows are the row before, shifted by one column. C has rows without gaps, rows
 * of several groups of vectors, and rows that have too many columns or products for that. */
static void test_grids(void **state)
{
	static const struct {
		int64_t n[3], reach;
		bool cross, cut;
	} grid[] = {
		{{150, 1, 1}, 1, false, false}, {{200, 1, 1}, 9, false, true},
		{{190, 1, 1}, 17, false, false}, {{21, 19, 1}, 1, false, false},
		{{23, 17, 1}, 2, true, true},   {{20, 20, 1}, 3, false, false},
		{{13, 6, 5}, 1, true, false},   {{11, 5, 5}, 1, false, false},
	};

	(void)state;
	for (size_t k = 0; k < sizeof grid / sizeof *grid; k++) {
		struct shape s;

		make_grid(&s, grid[k].n, grid[k].reach, grid[k].cross, grid[k].cut);
		check_again(&s, &s);
		shape_free(&s);
	}
}

/* Checks a B that is larger than caches, of which A needs rows in no order. */
static void test_far_rows(void **state)
{
	struct shape a, b;

	(void)state;
	sparse_random(&draw, &a, 300, 60000, 8);
	sparse_random(&draw, &b, 60000, 3000, 8);
	check_again(&a, &b);
	shape_free(&a);
	shape_free(&b);
}

static int setup(void **state)
{
	draw.state = 12;
	return contexts_setup(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_longer_than_the_mean),
		cmocka_unit_test(test_grids),
		cmocka_unit_test(test_far_rows),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
