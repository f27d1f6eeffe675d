/* SPDX-License-Identifier: BSD-3-Clause
 * Checked runs of SpGEMM. */
#include <pthread.h>

#include "support/support.h"
#include "support/spgemm_case.h"

enum { PRODUCTS_MOST = 400000 };

/* ---- References ------------------------------------------------------------------------------ */

void spgemm_references(struct spgemm_problem *p)
{
	for (int k = 0; k < 4; k++)
		sparse_reference_make(&p->ref[k], (struct operand){p->shape[0], p->op[0]},
		                      (struct operand){p->shape[1], p->op[1]},
		                      k & 2 ? p->shape[2] : NULL, p->value, k & 1);
}

void spgemm_references_free(struct spgemm_problem *p)
{
	for (int k = 0; k < 4; k++)
		sparse_reference_free(&p->ref[k]);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void check(const struct spgemm_problem *p, const struct spgemm_variant *v,
                  const ek_matrix *C, bool second)
{
	ek_matrix *sorted = v->unsorted ? sparse_sorted(C) : NULL;
	char text[400];

	if (!sparse_check(&p->ref[2 * v->with_d + second], sorted ? sorted : C, p->data, v->alpha,
	                  v->beta, text, sizeof text))
		fail_msg("%s: %s", product_where, text);
	ek_matrix_destroy(sorted);
}

/* Returns a copy of the values of C, by rows in the order of the columns. */
static void *sorted_values(const ek_matrix *C, size_t *bytes)
{
	ek_matrix *sorted = sparse_sorted(C);
	void *values = values_copy(sorted, bytes);

	ek_matrix_destroy(sorted);
	return values;
}

static void where(const struct spgemm_problem *p, const struct spgemm_variant *v)
{
	snprintf(product_where, sizeof product_where,
	         "%s%s%s, op %c of %s (%s, %s) by op %c of %s (%s, %s), %s, result %s, %d threads, "
	         "%s, "
	         "alpha %g, beta %g, %s%s%s%s",
	         name_or_auto(v->method), v->params ? ":" : "", v->params ? v->params : "",
	         p->op[0] ? 'T' : 'N', p->shape[0]->name, v->held[0] == HELD_CSC ? "csc" : "csr",
	         ek_index_name(v->index[0]), p->op[1] ? 'T' : 'N', p->shape[1]->name,
	         v->held[1] == HELD_CSC ? "csc" : "csr", ek_index_name(v->index[1]),
	         ek_value_name(p->value), v->result ? ek_index_name(v->result) : "any",
	         ek_context_threads(v->ctx), ek_isa_name(ek_context_isa(v->ctx)), v->alpha, v->beta,
	         v->with_d ? "D" : "no D", v->unsorted ? ", unsorted" : "", v->on ? ", on " : "",
	         v->on ? v->on : "");
}

/* Checks that another method gives C, bit for bit. */
static void check_same(const struct spgemm_variant *v, const struct held *h, ek_hints hints,
                       const ek_matrix *C)
{
	ek_matrix *other = NULL, *sorted = sparse_sorted(C);
	const char *array;
	ek_plan *plan;

	hints.method = v->same_as;
	hints.unsorted = 0;
	expect_status(ek_plan_create(EK_SPGEMM, h[0].M, &hints, &plan), EK_OK);
	expect_status(ek_spgemm(plan, v->alpha, v->beta, &other), EK_OK);
	array = different_array(v->unsorted ? sorted : C, other);
	if (array)
		fail_msg("%s: %s differs from that of %s", product_where, array, v->same_as);
	ek_plan_destroy(plan);
	ek_matrix_destroy(other);
	ek_matrix_destroy(sorted);
}

/* Runs a plan into a new C and then, with second and first values, into the same one. */
static void run(const struct spgemm_problem *p, const struct spgemm_variant *v,
                const struct held *h, const ek_hints *hints, void **bits, size_t *bytes)
{
	ek_matrix *C = NULL;
	size_t again_bytes;
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, h[0].M, hints, &plan), EK_OK);
	expect_status(ek_spgemm(plan, v->alpha, v->beta, &C), EK_OK);
	check(p, v, C, false);
	if (v->same_as)
		check_same(v, h, *hints, C);
	*bits = sorted_values(C, bytes);
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < 2 + v->with_d; k++)
			held_values((struct held *)(uintptr_t)&h[k], second);
		expect_status(ek_spgemm(plan, v->alpha, v->beta, &C), EK_OK);
		check(p, v, C, second);
	}
	void *again = sorted_values(C, &again_bytes);

	if (memcmp(again, *bits, *bytes) != 0)
		fail_msg("%s: other bits in an existing C", product_where);
	free(again);
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
}

void spgemm_check(const struct spgemm_problem *p, const struct spgemm_variant *v, struct rng *draw,
                  void **bits, size_t *bytes)
{
	struct held h[3];
	char name[128];

	where(p, v);
	for (int k = 0; k < 2 + v->with_d; k++)
		held_make(&h[k], p->shape[k], v->held[k], p->value, v->index[k],
		          (int)rng_below(draw, 2), v->ctx);
	snprintf(name, sizeof name, "%s%s%s", name_or_auto(v->method), v->params ? ":" : "",
	         v->params ? v->params : "");
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name,
	                        .op = p->op[0] ? EK_OP_T : EK_OP_N,
	                        .op_b = p->op[1] ? EK_OP_T : EK_OP_N,
	                        .B = h[1].M,
	                        .D = v->with_d ? h[2].M : NULL,
	                        .index = v->result,
	                        .reproducible = v->repro,
	                        .unsorted = v->unsorted};

	run(p, v, h, &hints, bits, bytes);
	for (int k = 0; k < 2 + v->with_d; k++)
		held_free(&h[k]);
}

void spgemm_draw(const struct spgemm_problem *p, struct rng *draw, struct spgemm_variant *v)
{
	static const double factor[] = {1, 0, -1, 2.5, 1, 0.5};

	v->alpha = factor[rng_below(draw, 6)];
	v->beta = factor[rng_below(draw, 6)];
	v->with_d = p->shape[2] && rng_below(draw, 2);
	v->unsorted = rng_below(draw, 2);
	const int all = (int)rng_below(draw, 4); /* 0: all in CSC */

	for (int k = 0; k < 3; k++) {
		v->held[k] = all == 0 || rng_below(draw, 3) == 0 ? HELD_CSC : HELD_CSR;
		v->index[k] = (ek_index)(1 + rng_below(draw, all == 1 ? 3 : 1));
	}
	v->result = (ek_index)rng_below(draw, 4);
	for (int k = 0; k < 2 + v->with_d; k++)
		if (v->index[k] == EK_I64 && v->result)
			v->result = EK_I64;
}

/* ---- Problems -------------------------------------------------------------------------------- */

void spgemm_products_of_shape(int k, ek_value value, enum data data, struct rng *draw,
                              void (*each)(struct spgemm_problem *p))
{
	struct shape s, b, d;

	shape_make(&s, k, data);
	for (int turn = 0; turn < 4; turn++) {
		struct spgemm_problem p = {.shape = {&s, &s, NULL},
		                           .op = {turn & 1, !(turn & 1)},
		                           .value = value,
		                           .data = data};

		if (turn >= 2) {
			sparse_random(draw, &b, turn & 1 ? 12 : s.cols, turn & 1 ? s.cols : 40, 6);
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

			sparse_random(draw, &d, rows, cols, 3);
			p.shape[2] = &d;
			each(&p);
			shape_free(&d);
		}
		if (turn >= 2)
			shape_free(&b);
	}
	shape_free(&s);
}

void spgemm_products_at_random(int times, struct rng *draw, void (*each)(struct spgemm_problem *p))
{
	static const int64_t size[] = {1, 7, 64, 65, 300, 5000};

	for (int turn = 0; turn < times; turn++) {
		const int64_t rows = size[rng_below(draw, 5)], inner = size[rng_below(draw, 6)];
		const int64_t cols = size[rng_below(draw, 6)];
		struct shape a, b, d;
		struct spgemm_problem p = {.shape = {&a, &b, &d},
		                           .value = turn & 1 ? EK_F64 : EK_F32,
		                           .data = DATA_EXACT};

		sparse_random(draw, &a, rows, inner, 1 + rng_below(draw, 30));
		sparse_random(draw, &b, inner, cols, 1 + rng_below(draw, 60));
		sparse_random(draw, &d, rows, cols, 5);
		each(&p);
		shape_free(&a);
		shape_free(&b);
		shape_free(&d);
	}
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void *run_often(void *plan)
{
	for (int k = 0; k < 4; k++) {
		ek_matrix *C = NULL;
		ek_status status = ek_spgemm(plan, 1, 0, &C);

		if (status == EK_OK)
			status = ek_spgemm(plan, 1, 0, &C);
		ek_matrix_destroy(C);
		if (status != EK_OK || ek_plan_memory(plan) <= 0)
			return plan;
	}
	return NULL;
}

void spgemm_in_two_threads(ek_plan *plan)
{
	pthread_t thread[2];
	void *failed;

	for (int k = 0; k < 2; k++)
		assert_int_equal(pthread_create(&thread[k], NULL, run_often, plan), 0);
	for (int k = 0; k < 2; k++) {
		pthread_join(thread[k], &failed);
		assert_null(failed);
	}
}
