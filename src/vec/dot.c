/* SPDX-License-Identifier: BSD-3-Clause
 * ek_sparse_dot_dense and ek_sparse_dot: checks of their arguments. The methods are in the files
 * dot_*.c. */
#include "vec/vec.h"

/* Checks the result, which has the type of the values, and runs the method, even for empty vectors,
 * for which it gives 0. */
static ek_status dot_call(ek_context *ctx, const ek_array_options *options, int64_t work,
                          const eki_region *input, eki_array *a)
{
	const size_t size = ek_value_size(a->type);
	const eki_region output = {"result", a->out, (int64_t)size};

	EK_RETURN_IF(eki_array_check("result", a->out, 1, size));
	EK_RETURN_IF(eki_regions_apart(false, 1, &output, 4, input));
	return eki_array_call(ctx, options, work + 1, a);
}

ek_status ek_sparse_dot_dense(ek_context *ctx, const ek_array_options *options, const ek_sparse *x,
                              const ek_dense *y, void *result)
{
	eki_array a = {.operation = EK_SPARSE_DOT_DENSE, .out = result};
	ek_dense dense;

	EK_RETURN_IF(eki_sparse_in("x", x, &a.x));
	EK_RETURN_IF(eki_sparse_dense_in("y", y, &a.x, "x->n", &dense));
	a.type = a.x.value;
	a.dense = dense.data;

	const eki_region input[4] = {
		eki_idx_region("x->idx", &a.x),
		eki_val_region("x->val", &a.x),
		{"y.data", dense.data, dense.rows * (int64_t)ek_value_size(a.type)}};

	return dot_call(ctx, options, a.x.nnz, input, &a);
}

ek_status ek_sparse_dot(ek_context *ctx, const ek_array_options *options, const ek_sparse *x,
                        const ek_sparse *y, void *result)
{
	eki_array a = {.operation = EK_SPARSE_DOT, .out = result};

	EK_RETURN_IF(eki_sparse_in("x", x, &a.x));
	EK_RETURN_IF(eki_sparse_in("y", y, &a.y));
	EK_RETURN_IF(eki_sparse_like("y", &a.y, &a.x));
	a.type = a.x.value;

	const eki_region input[4] = {eki_idx_region("x->idx", &a.x), eki_val_region("x->val", &a.x),
	                             eki_idx_region("y->idx", &a.y),
	                             eki_val_region("y->val", &a.y)};

	return dot_call(ctx, options, a.x.nnz + a.y.nnz, input, &a);
}

const eki_operation eki_op_sparse_dot_dense = {
	.name = "dot_dense",
	.text = "the dot product of a sparse and a dense vector",
	.number = EK_SPARSE_DOT_DENSE,
	.contents = eki_contents_of_x,
};

const eki_operation eki_op_sparse_dot = {
	.name = "dot",
	.text = "the dot product of two sparse vectors",
	.number = EK_SPARSE_DOT,
	.contents = eki_contents_of_x_and_y,
};
