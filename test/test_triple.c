/* SPDX-License-Identifier: BSD-3-Clause
 * Tests Galerkin products by every method of the table, and by `auto`, in every type, instruction
 * set and number of threads, with awkward shapes as P and, if they are square, as A, held as CSR
 * and as CSC, with both ops. A new row of the table is tested without a change here. */
#include "plan/plan.h"
#include "support/plan_case.h"
#include "support/sparse.h"

enum { TRIPLES_MOST = 200000 };

static struct rng draw;

struct problem {
	struct operand of[2]; /* A and P */
	ek_value value;
	enum data data;
	struct sparse_reference ref[2]; /* with the first and the second values */
};

/* One way to compute the product. */
struct variant {
	const ek_method *method;
	int held[2];
	ek_index index[2], result;
	ek_context *ctx;
	ek_reproducible repro;
	double alpha;
};

struct held {
	const struct shape *s;
	struct shape T;
	struct typed typed;
	ek_matrix *M;
	bool columns;
};

static void hold(struct held *h, const struct problem *p, const struct variant *v, int k)
{
	h->s = p->of[k].s;
	h->columns = v->held[k] == HELD_CSC;
	shape_transpose(h->s, &h->T);
	typed_make(&h->typed, h->columns ? &h->T : h->s, p->value, v->index[k],
	           (int)rng_below(&draw, 2));
	expect_status((h->columns ? typed_csc : typed_csr)(v->ctx, &h->typed, 0, &h->M), EK_OK);
}

static void take_values(struct held *h, bool second)
{
	const struct shape *s = h->columns ? &h->T : h->s;

	typed_values(&h->typed, second ? s->val2 : s->val);
	expect_status(ek_matrix_values_changed(h->M), EK_OK);
}

static void release(struct held *h)
{
	ek_matrix_destroy(h->M);
	typed_free(&h->typed);
	shape_free(&h->T);
}

static void check(const struct problem *p, const struct variant *v, const ek_matrix *C, bool second)
{
	ek_matrix_info info = {.size = sizeof info};
	char text[400];

	if (!sparse_check(&p->ref[second], C, p->data, v->alpha, 0, text, sizeof text))
		fail_msg("%s: %s", product_where, text);
	expect_status(ek_matrix_get_info(C, &info), EK_OK);
	const bool columns = v->held[0] == HELD_CSC && v->held[1] == HELD_CSC;

	assert_string_equal(info.format, columns ? "csc" : "csr");
	if (v->result)
		assert_int_equal(info.index, v->result);
}

/* Copies the values of C, so that results can be compared bit for bit. */
static void *values_of(const ek_matrix *C, size_t *bytes)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(C, "val", &view), EK_OK);
	*bytes = (size_t)view.len * view.elem_size;
	void *copy = malloc(*bytes + 1);

	if (*bytes)
		memcpy(copy, view.data, *bytes);
	return copy;
}

static void where(const struct problem *p, const struct variant *v)
{
	snprintf(product_where, sizeof product_where,
	         "%s, A op %c of %s (%s, %s), P op %c of %s (%s, %s), %s, result %s, %d threads, "
	         "%s, alpha %g",
	         name_or_auto(v->method), p->of[0].op ? 'T' : 'N', p->of[0].s->name,
	         v->held[0] == HELD_CSC ? "csc" : "csr", ek_index_name(v->index[0]),
	         p->of[1].op ? 'T' : 'N', p->of[1].s->name, v->held[1] == HELD_CSC ? "csc" : "csr",
	         ek_index_name(v->index[1]), ek_value_name(p->value),
	         v->result ? ek_index_name(v->result) : "any", ek_context_threads(v->ctx),
	         ek_isa_name(ek_context_isa(v->ctx)), v->alpha);
}

/* Runs into a new matrix and into an existing one, with first and second values. Sets *bits to the
 * result for the first. */
static void check_variant(const struct problem *p, const struct variant *v, void **bits,
                          size_t *bytes)
{
	struct held h[2];
	ek_matrix *C = NULL;
	ek_plan *plan;
	size_t again_bytes;

	where(p, v);
	for (int k = 0; k < 2; k++)
		hold(&h[k], p, v, k);
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name_or_auto(v->method),
	                        .op = p->of[0].op ? EK_OP_T : EK_OP_N,
	                        .op_b = p->of[1].op ? EK_OP_T : EK_OP_N,
	                        .B = h[1].M,
	                        .index = v->result,
	                        .reproducible = v->repro};

	expect_status(ek_plan_create(EK_TRIPLE, h[0].M, &hints, &plan), EK_OK);
	expect_status(ek_triple(plan, v->alpha, &C), EK_OK);
	check(p, v, C, false);
	assert_string_equal(ek_plan_format(plan),
	                    v->held[0] == HELD_CSC && v->held[1] == HELD_CSC ? "csc" : "csr");
	*bits = values_of(C, bytes);
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < 2; k++)
			take_values(&h[k], second);
		expect_status(ek_triple(plan, v->alpha, &C), EK_OK);
		check(p, v, C, second);
	}
	void *again = values_of(C, &again_bytes);

	if (memcmp(again, *bits, *bytes) != 0)
		fail_msg("%s: other bits in an existing C", product_where);
	free(again);
	ek_plan_destroy(plan);
	for (int k = 0; k < 2; k++)
		release(&h[k]);
	ek_matrix_destroy(C);
}

static struct variant drawn(const ek_method *m)
{
	static const double factor[] = {1, 0, -1, 2.5, 1, 0.5};
	struct variant v = {.method = m,
	                    .ctx = contexts_any((int)rng_below(&draw, contexts.levels), 2, &draw),
	                    .alpha = factor[rng_below(&draw, 6)]};
	const int all = (int)rng_below(&draw, 4); /* 0: all in CSC */

	v.result = (ek_index)rng_below(&draw, 4);
	for (int k = 0; k < 2; k++) {
		v.held[k] = all == 0 || rng_below(&draw, 3) == 0 ? HELD_CSC : HELD_CSR;
		v.index[k] = (ek_index)(1 + rng_below(&draw, all == 1 ? 3 : 1));
		if (v.index[k] == EK_I64 && v.result)
			v.result = EK_I64;
	}
	return v;
}

static void references(struct problem *p)
{
	for (int second = 0; second < 2; second++)
		sparse_reference_triple(&p->ref[second], p->of[0], p->of[1], p->value, second);
}

static void free_references(struct problem *p)
{
	for (int second = 0; second < 2; second++)
		sparse_reference_free(&p->ref[second]);
}

static void check_problem(struct problem *p, int times)
{
	const ek_method *m = NULL;
	size_t bytes;
	void *bits;

	references(p);
	do
		for (int k = 0; k < times; k++) {
			const struct variant v = drawn(m);

			check_variant(p, &v, &bits, &bytes);
			free(bits);
		}
	while ((m = processor_method_next(m, EK_TRIPLE)));
	free_references(p);
}

/* Sets the values to integers so small that sums of products of three are exact in f32. */
static void small_integers(struct shape *s)
{
	for (int64_t k = 0; k < s->nnz; k++) {
		s->val[k] = rng_integer(&draw, 2);
		s->val2[k] = rng_integer(&draw, 2);
	}
}

/* Tests a shape as P, with both ops, and as A if it is square. */
static void check_shape(int k, ek_value value, enum data data)
{
	struct shape s, other;

	shape_make(&s, k, data);
	if (data == DATA_EXACT)
		small_integers(&s);
	for (int turn = 0; turn < (s.rows == s.cols ? 3 : 2); turn++) {
		struct problem p = {.value = value, .data = data};
		const int64_t rows = turn == 1 ? s.cols : s.rows;

		sparse_random(&draw, &other, rows, turn == 2 ? rows / 3 + 1 : rows, 5);
		p.of[turn != 2] = (struct operand){&s, turn == 1};
		p.of[turn == 2] = (struct operand){&other, 0};
		if (turn < 2)
			p.of[0].op = (int)rng_below(&draw, 2);
		const int64_t products = sparse_triples(p.of[0], p.of[1]);

		if (products >= 0 && products < TRIPLES_MOST)
			check_problem(&p, test_tier() <= TIER_QUICK ? 1 : 6);
		shape_free(&other);
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

/* Tests random products of many sizes; in some, columns of C are far apart or P has empty rows. */
static void test_random(void **state)
{
	static const int64_t size[] = {0, 1, 7, 64, 65, 300, 9000};
	const int times = test_tier() == TIER_BRIEF ? 15 : test_tier() == TIER_QUICK ? 60 : 400;

	(void)state;
	for (int turn = 0; turn < times; turn++) {
		const int64_t n = size[rng_below(&draw, 6)], m = size[rng_below(&draw, 7)];
		struct shape a, b;
		struct problem p = {.of = {{&a, 0}, {&b, 0}},
		                    .value = turn & 1 ? EK_F64 : EK_F32,
		                    .data = DATA_EXACT};

		sparse_random(&draw, &a, n, n, 1 + rng_below(&draw, 12));
		sparse_random(&draw, &b, n, m, 1 + rng_below(&draw, 12));
		small_integers(&a);
		small_integers(&b);
		if (sparse_triples(p.of[0], p.of[1]) < TRIPLES_MOST)
			check_problem(&p, 1);
		shape_free(&a);
		shape_free(&b);
	}
}

/* Checks that a method gives the same bits for all numbers of threads and instruction sets. */
static void test_strict(void **state)
{
	struct shape a, b;
	struct problem p = {.of = {{&a, 0}, {&b, 0}}, .value = EK_F64, .data = DATA_REAL};

	(void)state;
	sparse_random(&draw, &a, 700, 700, 9);
	sparse_random(&draw, &b, 700, 150, 5);
	for (int64_t k = 0; k < a.nnz; k++)
		a.val[k] = a.val2[k] = rng_real(&draw, 20);
	for (int64_t k = 0; k < b.nnz; k++)
		b.val[k] = b.val2[k] = rng_real(&draw, 20);
	references(&p);
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_TRIPLE));) {
		void *first = NULL, *bits;
		size_t bytes;

		assert_true(ek_method_supports(m, EK_OP_N, EK_REPRO_STRICT));
		for (int at = 0; at < contexts.levels * contexts.counts; at++) {
			const struct variant v = {
				.method = m,
				.index = {EK_I32, EK_I32},
				.ctx = contexts.of[at % contexts.levels][at / contexts.levels],
				.alpha = 1.1,
				.repro = EK_REPRO_STRICT};

			check_variant(&p, &v, &bits, &bytes);
			if (first && memcmp(first, bits, bytes) != 0)
				fail_msg("%s: other bits", product_where);
			free(first);
			first = bits;
		}
		free(first);
	}
	free_references(&p);
	shape_free(&a);
	shape_free(&b);
}

static int setup(void **state)
{
	draw.state = 21;
	return contexts_setup(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_strict),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
