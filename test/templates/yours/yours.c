/* SPDX-License-Identifier: BSD-3-Clause
 * The operation y = |op(A)| |x| and its public function. A run checks its vectors in constant time
 * and calls the plan's method. Author year, section 1. */
#include "yours/yours.h"

static ek_status check(const eki_problem *problem)
{
	return eki_lengths_check(problem, "x or y");
}

ek_status ek_yours(ek_plan *plan, const ek_dense *x, const ek_dense *y)
{
	ek_dense x_copy, y_copy;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_YOURS));
	EK_RETURN_IF(eki_dense_in("x", &x_copy, &x));
	EK_RETURN_IF(eki_dense_in("y", &y_copy, &y));

	const eki_step *root = &plan->root;
	const ek_value value = root->in[0]->value;

	EK_RETURN_IF(eki_vector_check("x", x, value, root->x_len, "columns"));
	EK_RETURN_IF(eki_vector_check("y", y, value, root->y_len, "rows"));
	EK_RETURN_IF(eki_dense_apart(plan, "x", x, "y", y));
	/* beta stays 0, which tells the method that y is only written, not read. */
	eki_run run = {.x = eki_dense_of(x),
	               .y = eki_dense_of(y),
	               .y0 = eki_dense_of(y),
	               .width = 1,
	               .alpha = eki_real(1)};

	return eki_plan_run(plan, &run);
}

const eki_operation eki_op_yours = {
	.name = "yours",
	.text = "y = |op(A)| |x|",
	.number = EK_YOURS,
	.matrices = 1,
	.check = check,
};
