/* SPDX-License-Identifier: BSD-3-Clause
 * Objects destroyed in every order. */
#include <stdbool.h>

#include "support/orders.h"
#include "support/support.h"

enum { CONTEXT, MATRIX, PLAN, SECOND, HEAP, OBJECTS, N = 40, PER_ROW = 3 };

struct scene {
	const struct made *made;
	ek_context *ctx;
	ek_matrix *A;
	ek_plan *plan[2];
	ek_heap *heap;
	bool gone[OBJECTS];
	int64_t nodes;
	char text[200]; /* the order, for messages */
};

/* Returns the column of entry k of row i: i, i + 5 or i + 13, modulo N. The value of this entry is
 * i + 1 + k. */
static int column(int i, int k)
{
	static const int step[PER_ROW] = {0, 5, 13};

	return (i + step[k]) % N;
}

static void *fill(void *(*alloc)(size_t), int part, ek_value value)
{
	const int len = part == 0 ? N + 1 : PER_ROW * N;
	void *array = alloc((size_t)len * (part == 2 ? ek_value_size(value) : sizeof(int32_t)));

	for (int k = 0; k < len; k++)
		if (part == 2)
			value_set(value, array, k, k / PER_ROW + 1 + k % PER_ROW);
		else
			((int32_t *)array)[k] =
				part ? column(k / PER_ROW, k % PER_ROW) : PER_ROW * k;
	return array;
}

static void make(struct scene *s, void *(*alloc)(size_t), void *array[3])
{
	const struct made *m = s->made;
	ek_matrix *A;

	for (int k = 0; k < 3; k++)
		array[k] = fill(alloc, k, m->value);
	expect_status((m->format && strcmp(m->format, "csc") == 0
	                       ? ek_matrix_from_csc
	                       : ek_matrix_from_csr)(s->ctx, m->value, EK_I32, N, N, array[0],
	                                             array[1], array[2], m->flags, &s->A),
	              EK_OK);
	if (m->format && strcmp(m->format, "csc") != 0) {
		expect_status(ek_matrix_convert(s->A, m->format, NULL, &A), EK_OK);
		ek_matrix_destroy(s->A);
		s->A = A;
	}
	for (int k = 0; k < 2; k++) {
		const ek_hints hints = {
			.size = sizeof hints, .method = m->method[k], .op = m->op[k]};

		expect_status(ek_plan_create(EK_SPMV, s->A, &hints, &s->plan[k]), EK_OK);
	}
	expect_status(ek_heap_create(s->ctx, EK_F64, 0, 4, 2, &s->heap), EK_OK);
}

/* Tells whether the arrays are given as CSC, so that A is the transpose of the CSR matrix. */
static bool by_columns(const struct made *m)
{
	return m->format && strcmp(m->format, "csc") == 0;
}

static void check_product(const struct scene *s, ek_plan *plan, ek_op op)
{
	const ek_value value = s->made->value;
	double x[N] = {0}, y[N] = {0}, sum[N] = {0};
	const ek_dense xv = ek_vector(value, N, x), yv = ek_vector(value, N, y);

	for (int j = 0; j < N; j++) {
		value_set(value, x, j, j % 7 - 3);
		value_set(value, y, j, j);
	}
	for (int k = 0; k < PER_ROW * N; k++) {
		const int i = k / PER_ROW, j = column(i, k % PER_ROW), a = i + 1 + k % PER_ROW;

		if ((op == EK_OP_T) != by_columns(s->made))
			sum[j] += a * (i % 7 - 3);
		else
			sum[i] += a * (j % 7 - 3);
	}
	expect_status(ek_spmv(plan, 2, &xv, 1, &yv), EK_OK);
	for (int i = 0; i < N; i++)
		if (value_at(value, y, i) != 2 * sum[i] + i)
			fail_msg("%s: y[%d] is %g, not %g", s->text, i, value_at(value, y, i),
			         2 * sum[i] + i);
}

static void check_matrix(const struct scene *s)
{
	const ek_hints hints = {.size = sizeof hints};
	ek_matrix_info info = {.size = sizeof info};
	char text[48];
	const int plans = !s->gone[PLAN] + !s->gone[SECOND];
	ek_plan *plan;

	if (!s->gone[MATRIX]) {
		expect_status(ek_matrix_check(s->A), EK_OK);
		expect_status(ek_plan_create(EK_SPMV, s->A, &hints, &plan), EK_OK);
		check_product(s, plan, EK_OP_N);
		ek_plan_destroy(plan);
	} else if (plans) {
		snprintf(text, sizeof text, "A was destroyed (%d of its plans", plans);
		expect_error(ek_matrix_get_info(s->A, &info), EK_EINVAL, text);
		expect_error(ek_plan_create(EK_SPMV, s->A, &hints, &plan), EK_EINVAL, text);
		ek_matrix_destroy(s->A); /* a second call does nothing */
	}
	if (!s->gone[MATRIX] && s->made->flags != EK_BORROW && plans) {
		snprintf(text, sizeof text, "A has %d live plan%s", plans, plans == 1 ? "," : "s,");
		expect_error(ek_matrix_convert_in_place(s->A, "coo", NULL), EK_EINVAL, text);
	}
}

/* Checks that all objects that the caller has not destroyed still work. */
static void check_rest(struct scene *s)
{
	const bool held = !s->gone[MATRIX] || !s->gone[PLAN] || !s->gone[SECOND] || !s->gone[HEAP];
	const double key = (double)s->nodes;
	double sum = 0, top;

	for (int k = 0; k < 2; k++)
		if (!s->gone[PLAN + k])
			check_product(s, s->plan[k], s->made->op[k]);
	check_matrix(s);
	if (!s->gone[HEAP]) {
		expect_status(ek_heap_insert(s->heap, &key, NULL), EK_OK);
		expect_status(ek_heap_node(s->heap, 0, &top, NULL), EK_OK);
		assert_true(top == key && ek_heap_size(s->heap) == ++s->nodes);
	}
	if (!s->gone[CONTEXT]) {
		expect_status(ek_reduce(s->ctx, NULL, EK_F64, EK_SUM, 1, &key, &sum), EK_OK);
	} else if (held) {
		expect_error(ek_reduce(s->ctx, NULL, EK_F64, EK_SUM, 1, &key, &sum), EK_EINVAL,
		             "ctx was destroyed");
		ek_context_destroy(s->ctx); /* a second call does nothing */
	}
}

static void destroy(struct scene *s, int object)
{
	switch (object) {
	case CONTEXT: ek_context_destroy(s->ctx); break;
	case MATRIX: ek_matrix_destroy(s->A); break;
	case HEAP: ek_heap_destroy(s->heap); break;
	default: ek_plan_destroy(s->plan[object - PLAN]);
	}
	s->gone[object] = true;
}

static void check_order(ek_context *(*open)(void), void *(*alloc)(size_t), const struct made *made,
                        const int order[OBJECTS])
{
	static const char *const name[] = {"context", "matrix", "plan", "second plan", "heap"};
	struct scene s = {.made = made, .ctx = open()};
	void *array[3];
	size_t used;

	make(&s, made->flags == EK_ADOPT ? alloc : malloc, array);
	used = (size_t)snprintf(s.text, sizeof s.text,
	                        "%s %s, destroyed:", ek_value_name(made->value),
	                        made->format ? made->format : "csr");
	check_rest(&s);
	for (int k = 0; k < OBJECTS; k++) {
		destroy(&s, order[k]);
		used += (size_t)snprintf(s.text + used, sizeof s.text - used, " %s",
		                         name[order[k]]);
		check_rest(&s);
	}
	for (int k = 0; k < 3 && made->flags != EK_ADOPT; k++)
		free(array[k]);
}

void orders_check(ek_context *(*open)(void), void *(*alloc)(size_t bytes), const struct made *made)
{
	for (int code = 0; code < OBJECTS * OBJECTS * OBJECTS * OBJECTS * OBJECTS; code++) {
		int order[OBJECTS], seen = 0, rest = code;

		for (int k = 0; k < OBJECTS; k++, rest /= OBJECTS)
			seen |= 1 << (order[k] = rest % OBJECTS);
		if (seen == (1 << OBJECTS) - 1)
			check_order(open, alloc, made, order);
	}
}
