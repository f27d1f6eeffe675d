/* SPDX-License-Identifier: BSD-3-Clause
 * ek_gemvi, the product of a dense matrix and a sparse vector: checks of its arguments. The methods
 * are in the files gemvi_*.c. */
#include "vec/vec.h"

/* Checks A, which has a column for each index of x. */
static ek_status matrix_in(const ek_dense *given, const ek_sparse *x, ek_dense *A)
{
	if (!given)
		return eki_fail(EK_EINVAL, "A is NULL");
	EK_RETURN_IF(EKI_STRUCT_IN("A", ek_dense, given, A));
	if (A->where != 0)
		return eki_fail(EK_EINVAL, "A.where is %d; 0, the host's memory, is expected",
		                A->where);
	if (A->value != x->value)
		return eki_fail(EK_EINVAL, "A has values of type %s, and x of type %s",
		                ek_value_name(A->value) ? ek_value_name(A->value) : "unknown",
		                ek_value_name(x->value));
	if (A->rows < 0 || A->cols != x->n)
		return eki_fail(EK_EINVAL,
		                "A is %lld x %lld; x->n is %lld, so as many columns are expected",
		                (long long)A->rows, (long long)A->cols, (long long)x->n);
	return eki_dense_check("A", A, A->value, A->rows, A->cols, "columns");
}

ek_status ek_gemvi(ek_context *ctx, const ek_array_options *options, double alpha,
                   const ek_dense *A, const ek_sparse *x, double beta, const ek_dense *y)
{
	eki_array a = {.operation = EK_GEMVI};
	ek_dense matrix, dense;
	ek_sparse as_y;

	EK_RETURN_IF(eki_sparse_in("x", x, &a.x));
	EK_RETURN_IF(matrix_in(A, &a.x, &matrix));
	as_y = a.x;
	as_y.n = matrix.rows;
	EK_RETURN_IF(eki_sparse_dense_in("y", y, &as_y, "A.rows", &dense));
	a.type = a.x.value;
	a.dense = dense.data;
	a.n = matrix.rows;
	a.block_of = eki_dense_of(&matrix);
	EK_RETURN_IF(eki_factor_in("alpha", alpha, a.type, &a.alpha));
	EK_RETURN_IF(eki_factor_in("beta", beta, a.type, &a.beta));

	const eki_region output = {"y.data", dense.data,
	                           dense.rows * (int64_t)ek_value_size(a.type)};
	const eki_region input[3] = {eki_idx_region("x->idx", &a.x),
	                             eki_val_region("x->val", &a.x),
	                             {"A.data", matrix.data, eki_dense_bytes(&matrix)}};

	EK_RETURN_IF(eki_regions_apart(false, 1, &output, 3, input));
	return eki_array_call(ctx, options, eki_plus(eki_times(a.x.nnz, a.n), a.n), &a);
}

const eki_operation eki_op_gemvi = {
	.name = "gemvi",
	.text = "y = alpha A x + beta y with a dense matrix and a sparse x",
	.number = EK_GEMVI,
	.contents = eki_contents_of_x,
};
