/* SPDX-License-Identifier: BSD-3-Clause
 * ek_sparse_add: checks of its arguments. The methods are in the files add_*.c and unite_*.c,
 * and in vec_gpu/. */
#include "vec/vec.h"

ek_status ek_sparse_add(ek_context *ctx, const ek_array_options *options, double alpha,
                        const ek_sparse *x, double beta, const ek_sparse *y, int64_t *count,
                        const ek_sparse *z)
{
	eki_array a = {.operation = EK_SPARSE_ADD,
	               .op = EK_SUM,
	               .count = count,
	               .handles = eki_array_handles(ctx, options)};

	EK_RETURN_IF(eki_sparse_in("x", x, &a.x));
	EK_RETURN_IF(eki_sparse_in("y", y, &a.y));
	EK_RETURN_IF(eki_sparse_in("z", z, &a.z));
	EK_RETURN_IF(eki_sparse_like("y", &a.y, &a.x));
	EK_RETURN_IF(eki_sparse_like("z", &a.z, &a.x));
	a.type = a.x.value;
	EK_RETURN_IF(eki_factor_in("alpha", alpha, a.type, &a.alpha));
	EK_RETURN_IF(eki_factor_in("beta", beta, a.type, &a.beta));
	if (a.z.nnz < a.x.nnz + a.y.nnz)
		return eki_fail(EK_EINVAL,
		                "z->nnz is %lld, and z must have space for x->nnz + y->nnz = %lld "
		                "entries",
		                (long long)a.z.nnz, (long long)(a.x.nnz + a.y.nnz));
	EK_RETURN_IF(eki_array_check("count", count, 1, sizeof *count));

	const eki_region output[3] = {eki_idx_region("z->idx", &a.z),
	                              eki_val_region("z->val", &a.z),
	                              {"count", count, sizeof *count}};
	const eki_region input[4] = {eki_idx_region("x->idx", &a.x), eki_val_region("x->val", &a.x),
	                             eki_idx_region("y->idx", &a.y),
	                             eki_val_region("y->val", &a.y)};

	EK_RETURN_IF(eki_regions_apart(a.handles, 3, output, 4, input));
	/* The work is never 0, so the method runs for empty vectors too and sets *count to 0. */
	return eki_array_call(ctx, options, a.x.nnz + a.y.nnz + 1, &a);
}

const eki_operation eki_op_sparse_add = {
	.name = "add",
	.text = "the sum of two sparse vectors as a sparse vector",
	.number = EK_SPARSE_ADD,
	.contents = eki_contents_of_x_and_y,
};
