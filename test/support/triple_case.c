/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products to test. */
#include "support/triple_case.h"

ek_status triple_plan(const struct triple_case *t, const char *method, ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = t->P,
	                        .op = t->op[0],
	                        .op_b = t->op[1],
	                        .memory = t->memory};

	return ek_plan_create(EK_TRIPLE, t->A, &hints, plan);
}

void triple_same(const struct triple_case *t, ek_plan *plan, const char *method, ek_matrix **C,
                 const char *what)
{
	struct triple_case limitless = *t;
	ek_matrix *R = NULL;
	ek_plan *right;
	const char *array;

	limitless.memory = 0;
	expect_status(ek_triple(plan, 2, C), EK_OK);
	expect_status(triple_plan(&limitless, method, &right), EK_OK);
	expect_status(ek_triple(right, 2, &R), EK_OK);
	if ((array = different_array(*C, R)))
		fail_msg("%s, %s: array %s is not that of %s: %s", product_where,
		         ek_plan_method(plan), array, method, what);
	ek_matrix_destroy(R);
	ek_plan_destroy(right);
}
