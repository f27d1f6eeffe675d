/* SPDX-License-Identifier: BSD-3-Clause
 * The operation Y = alpha X op(A) + beta Y with dense blocks X and Y on the left of A (Liu 2015,
 * section 2.3.3), and its public function. It is a product of the transposes, Y^T = alpha op(A)^T
 * X^T + beta Y^T, and the transpose of a block is the same memory in the other order. So nothing is
 * copied, and the methods are those of SpMM with op N and op T exchanged. */
#include "spmm/spmm.h"

static ek_status shape_check(const char *name, const ek_dense *v, int64_t rows, int64_t cols,
                             const char *what)
{
	if (v->rows == rows && v->cols == cols)
		return EK_OK;
	return eki_fail(EK_EINVAL,
	                "%s is %lld x %lld; op(A) has %lld %s, so %lld x %lld is expected", name,
	                (long long)v->rows, (long long)v->cols, (long long)cols, what,
	                (long long)rows, (long long)cols);
}

static ek_status blocks_check(const ek_plan *p, const ek_dense *X, const ek_dense *Y)
{
	const ek_value value = p->problem.A[0].M->store.value;

	if (X->rows < 0)
		return eki_fail(EK_EINVAL, "X.rows is %lld; it must not be negative",
		                (long long)X->rows);
	EK_RETURN_IF(shape_check("X", X, X->rows, p->root.y_len, "rows"));
	EK_RETURN_IF(eki_dense_check_but_shape("X", X, value));
	EK_RETURN_IF(shape_check("Y", Y, X->rows, p->root.x_len, "columns"));
	EK_RETURN_IF(eki_dense_check_but_shape("Y", Y, value));
	return eki_dense_apart(p, "X", X, "Y", Y);
}

/* Returns the transpose of a block, in the same memory. */
static ek_dense transpose(const ek_dense *v)
{
	ek_dense t = *v;

	t.rows = v->cols;
	t.cols = v->rows;
	t.order = v->order == EK_ROW_MAJOR ? EK_COL_MAJOR : EK_ROW_MAJOR;
	return t;
}

ek_status ek_dense_spmm(ek_plan *plan, double alpha, const ek_dense *X, double beta,
                        const ek_dense *Y)
{
	ek_dense x_copy, y_copy;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_DENSE_SPMM));
	EK_RETURN_IF(eki_dense_in("X", &x_copy, &X));
	EK_RETURN_IF(eki_dense_in("Y", &y_copy, &Y));
	EK_RETURN_IF(blocks_check(plan, X, Y));
	x_copy = transpose(X);
	y_copy = transpose(Y);
	return eki_blocks_multiply(plan, alpha, &x_copy, beta, &y_copy);
}

const eki_operation eki_op_dense_spmm = {
	.name = "dense_spmm",
	.text = "Y = alpha X op(A) + beta Y, X and Y dense",
	.number = EK_DENSE_SPMM,
	.matrices = 1,
	.width = EKI_USUAL_WIDTH,
	.check = eki_blocks_check,
	.measured = true,
};
