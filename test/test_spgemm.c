/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products of sparse matrices by every method of the table, and by `auto`, in every type,
 * instruction set and number of threads, on products of awkward shapes with each other and with
 * their transposes, held as CSR and as CSC, with and without an added matrix D. A new row of the
 * table is tested without a change here. */
#include <math.h>

#include "plan/plan.h"
#include "support/held.h"
#include "support/plan_case.h"
#include "support/sparse.h"

enum { PRODUCTS_MOST = 400000 };

static struct rng draw;

/* One product to test. */
struct problem {
	struct shape *shape[3]; /* of A, B and D */
	int op[2];
	ek_value value;
	enum data data;
	/* without and with D, with the first and the second values */
	struct sparse_reference ref[4];
};

/* One way to compute the product. */
struct variant {
	const ek_method *method;
	int held[3];
	ek_index index[3], result;
	ek_context *ctx;
	ek_reproducible repro;
	double alpha, beta;
	bool with_d;
};

static void check(const struct problem *p, const struct variant *v, const ek_matrix *C, bool second)
{
	char text[400];

	if (!sparse_check(&p->ref[2 * v->with_d + second], C, p->data, v->alpha, v->beta, text,
	                  sizeof text))
		fail_msg("%s: %s", product_where, text);
}

static void where(const struct problem *p, const struct variant *v)
{
	snprintf(product_where, sizeof product_where,
	         "%s, op %c of %s (%s, %s) by op %c of %s (%s, %s), %s, result %s, %d threads, %s, "
	         "alpha %g, beta %g, %s",
	         name_or_auto(v->method), p->op[0] ? 'T' : 'N', p->shape[0]->name,
	         v->held[0] == HELD_CSC ? "csc" : "csr", ek_index_name(v->index[0]),
	         p->op[1] ? 'T' : 'N', p->shape[1]->name, v->held[1] == HELD_CSC ? "csc" : "csr",
	         ek_index_name(v->index[1]), ek_value_name(p->value),
	         v->result ? ek_index_name(v->result) : "any", ek_context_threads(v->ctx),
	         ek_isa_name(ek_context_isa(v->ctx)), v->alpha, v->beta, v->with_d ? "D" : "no D");
}

/* Runs into a new matrix and into an existing one, with first and second values. Sets *bits to the
 * result for the first. */
static void check_variant(const struct problem *p, const struct variant *v, void **bits,
                          size_t *bytes)
{
	struct held h[3];
	ek_matrix *C = NULL;
	ek_plan *plan;
	size_t again_bytes;

	where(p, v);
	for (int k = 0; k < 2 + v->with_d; k++)
		held_make(&h[k], p->shape[k], v->held[k], p->value, v->index[k],
		          (int)rng_below(&draw, 2), v->ctx);
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name_or_auto(v->method),
	                        .op = p->op[0] ? EK_OP_T : EK_OP_N,
	                        .op_b = p->op[1] ? EK_OP_T : EK_OP_N,
	                        .B = h[1].M,
	                        .D = v->with_d ? h[2].M : NULL,
	                        .index = v->result,
	                        .reproducible = v->repro};

	expect_status(ek_plan_create(EK_SPGEMM, h[0].M, &hints, &plan), EK_OK);
	expect_status(ek_spgemm(plan, v->alpha, v->beta, &C), EK_OK);
	check(p, v, C, false);
	*bits = values_copy(C, bytes);
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < 2 + v->with_d; k++)
			held_values(&h[k], second);
		expect_status(ek_spgemm(plan, v->alpha, v->beta, &C), EK_OK);
		check(p, v, C, second);
	}
	void *again = values_copy(C, &again_bytes);

	if (memcmp(again, *bits, *bytes) != 0)
		fail_msg("%s: other bits in an existing C", product_where);
	free(again);
	ek_plan_destroy(plan);
	for (int k = 0; k < 2 + v->with_d; k++)
		held_free(&h[k]);
	ek_matrix_destroy(C);
}

static struct variant drawn(const struct problem *p, const ek_method *m)
{
	static const double factor[] = {1, 0, -1, 2.5, 1, 0.5};
	struct variant v = {.method = m,
	                    .ctx = contexts_any((int)rng_below(&draw, contexts.levels), 2, &draw),
	                    .alpha = factor[rng_below(&draw, 6)],
	                    .beta = factor[rng_below(&draw, 6)],
	                    .with_d = p->shape[2] && rng_below(&draw, 2)};
	const int all = (int)rng_below(&draw, 4); /* 0: all in CSC */

	for (int k = 0; k < 3; k++) {
		v.held[k] = all == 0 || rng_below(&draw, 3) == 0 ? HELD_CSC : HELD_CSR;
		v.index[k] = (ek_index)(1 + rng_below(&draw, all == 1 ? 3 : 1));
	}
	v.result = (ek_index)rng_below(&draw, 4);
	for (int k = 0; k < 2 + v.with_d; k++)
		if (v.index[k] == EK_I64 && v.result)
			v.result = EK_I64;
	return v;
}

static void check_problem(struct problem *p, int times)
{
	for (int k = 0; k < 4; k++)
		sparse_reference_make(&p->ref[k], (struct operand){p->shape[0], p->op[0]},
		                      (struct operand){p->shape[1], p->op[1]},
		                      k & 2 ? p->shape[2] : NULL, p->value, k & 1);
	for (const ek_method *m = processor_method_next(NULL, EK_SPGEMM);;
	     m = processor_method_next(m, EK_SPGEMM)) {
		for (int k = 0; k < times; k++) {
			const struct variant v = drawn(p, m);
			size_t bytes;
			void *bits;

			check_variant(p, &v, &bits, &bytes);
			free(bits);
		}
		if (!m)
			break;
	}
	for (int k = 0; k < 4; k++)
		sparse_reference_free(&p->ref[k]);
}

/* Multiplies a shape by its transpose, on both sides, and by a random matrix. */
static void check_shape(int k, ek_value value, enum data data)
{
	struct shape s, b, d;

	shape_make(&s, k, data);
	for (int turn = 0; turn < 4; turn++) {
		struct problem p = {.shape = {&s, &s, NULL},
		                    .op = {turn & 1, !(turn & 1)},
		                    .value = value,
		                    .data = data};

		if (turn >= 2) {
			sparse_random(&draw, &b, turn & 1 ? 12 : s.cols, turn & 1 ? s.cols : 40, 6);
			p.shape[1] = &b;
			p.op[0] = 0;
		} else if (value == EK_F32) {
			p.data = DATA_REAL; /* products of two integers of a shape need f64 */
		}
		const int64_t products = sparse_products((struct operand){p.shape[0], p.op[0]},
		                                         (struct operand){p.shape[1], p.op[1]});

		if (products >= 0 && products < PRODUCTS_MOST) {
			const int64_t rows = p.op[0] ? s.cols : s.rows;
			const int64_t cols = p.op[1] ? p.shape[1]->rows : p.shape[1]->cols;

			sparse_random(&draw, &d, rows, cols, 3);
			p.shape[2] = &d;
			check_problem(&p, test_tier() <= TIER_QUICK ? 1 : 6);
			shape_free(&d);
		}
		if (turn >= 2)
			shape_free(&b);
	}
	shape_free(&s);
}

static void walk(enum data data)
{
	for (int k = 0; k < shape_count(); k++)
		for (int value = EK_F32; value <= EK_F64; value++)
			if (test_tier() > TIER_QUICK || (k + value + (int)data) % 2 ||
			    (shape_is_core(k) && test_tier() > TIER_BRIEF))
				check_shape(k, (ek_value)value, data);
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

/* Tests random products of many sizes, since row lengths decide which code computes a row. */
static void test_random(void **state)
{
	static const int64_t size[] = {1, 7, 64, 65, 300, 5000};
	const int times = test_tier() == TIER_BRIEF ? 20 : test_tier() == TIER_QUICK ? 60 : 400;

	(void)state;
	for (int turn = 0; turn < times; turn++) {
		const int64_t rows = size[rng_below(&draw, 5)], inner = size[rng_below(&draw, 6)];
		const int64_t cols = size[rng_below(&draw, 6)];
		struct shape a, b, d;
		struct problem p = {.shape = {&a, &b, &d},
		                    .value = turn & 1 ? EK_F64 : EK_F32,
		                    .data = DATA_EXACT};

		sparse_random(&draw, &a, rows, inner, 1 + rng_below(&draw, 30));
		sparse_random(&draw, &b, inner, cols, 1 + rng_below(&draw, 60));
		sparse_random(&draw, &d, rows, cols, 5);
		check_problem(&p, 1);
		shape_free(&a);
		shape_free(&b);
		shape_free(&d);
	}
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
		struct problem p = {.shape = {&s, &s, NULL},
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
					struct variant v = {
						.method = m,
						.index = {EK_I32, EK_I32, EK_I32},
						.ctx = contexts.of[at % contexts.levels]
					                          [at / contexts.levels],
						.alpha = 1.1,
						.repro = EK_REPRO_STRICT};

					if (!ek_method_supports(m, EK_OP_N, EK_REPRO_STRICT))
						break;
					check_variant(&p, &v, &bits, &bytes);
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
	struct problem p = {.shape = {&a, &b, NULL}, .value = EK_F64, .data = DATA_EXACT};
	struct variant v = {.index = {EK_I32, EK_I32, EK_I32}, .alpha = 1};
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
		check_variant(&p, &v, &bits, &bytes);
		free(bits);
		ek_context_destroy(v.ctx);
	}
	for (int r = 0; r < 2; r++)
		sparse_reference_free(&p.ref[r]);
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
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
