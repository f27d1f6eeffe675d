/* SPDX-License-Identifier: BSD-3-Clause
 * The operations that write to a dense vector at the indices of a sparse one, or read from it
 * there: ek_sparse_axpy, ek_gather, ek_gather_zero, ek_scatter. This file checks their arguments;
 * the methods are in the files axpy.c, gather.c and scatter.c. */
#include "vec/vec.h"

/* Checks x and y and runs the method. The arrays that are written are those of y if `to_y` is true,
 * and the values of x if `to_x` is true. */
static ek_status call(ek_context *ctx, const ek_array_options *options, const ek_sparse *x,
                      const ek_dense *y, bool to_x, bool to_y, eki_array *a)
{
	ek_dense dense;

	EK_RETURN_IF(eki_sparse_in("x", x, &a->x));
	EK_RETURN_IF(eki_sparse_dense_in("y", y, &a->x, "x->n", &dense));
	a->type = a->x.value;
	a->dense = dense.data;

	const eki_region idx = eki_idx_region("x->idx", &a->x);
	const eki_region val = eki_val_region("x->val", &a->x);
	const eki_region data = {"y.data", dense.data,
	                         dense.rows * (int64_t)ek_value_size(a->type)};

	if (to_x && to_y)
		EK_RETURN_IF(eki_regions_apart(false, 2, (const eki_region[]){val, data}, 1, &idx));
	else if (to_x)
		EK_RETURN_IF(eki_regions_apart(false, 1, &val, 2, (const eki_region[]){idx, data}));
	else
		EK_RETURN_IF(eki_regions_apart(false, 1, &data, 2, (const eki_region[]){idx, val}));
	return eki_array_call(ctx, options, a->x.nnz, a);
}

ek_status ek_sparse_axpy(ek_context *ctx, const ek_array_options *options, double alpha,
                         const ek_sparse *x, const ek_dense *y)
{
	eki_array a = {.operation = EK_SPARSE_AXPY};
	ek_sparse own;

	EK_RETURN_IF(eki_sparse_in("x", x, &own));
	EK_RETURN_IF(eki_factor_in("alpha", alpha, own.value, &a.alpha));
	return call(ctx, options, x, y, false, true, &a);
}

ek_status ek_gather(ek_context *ctx, const ek_array_options *options, const ek_dense *y,
                    const ek_sparse *x)
{
	eki_array a = {.operation = EK_GATHER};

	return call(ctx, options, x, y, true, false, &a);
}

ek_status ek_gather_zero(ek_context *ctx, const ek_array_options *options, const ek_dense *y,
                         const ek_sparse *x)
{
	eki_array a = {.operation = EK_GATHER_ZERO};

	return call(ctx, options, x, y, true, true, &a);
}

ek_status ek_scatter(ek_context *ctx, const ek_array_options *options, const ek_sparse *x,
                     const ek_dense *y)
{
	eki_array a = {.operation = EK_SCATTER};

	return call(ctx, options, x, y, false, true, &a);
}

const eki_operation eki_op_sparse_axpy = {
	.name = "axpy",
	.text = "a dense vector plus a multiple of a sparse one",
	.number = EK_SPARSE_AXPY,
	.contents = eki_contents_of_x,
};

const eki_operation eki_op_gather = {
	.name = "gather",
	.text = "entries of a dense vector as the values of a sparse one",
	.number = EK_GATHER,
	.contents = eki_contents_of_x,
};

const eki_operation eki_op_gather_zero = {
	.name = "gather_zero",
	.text = "gather, and zeros in place of the entries",
	.number = EK_GATHER_ZERO,
	.contents = eki_contents_of_x,
};

const eki_operation eki_op_scatter = {
	.name = "scatter",
	.text = "the values of a sparse vector as entries of a dense one",
	.number = EK_SCATTER,
	.contents = eki_contents_of_x,
};
