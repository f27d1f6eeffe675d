/* SPDX-License-Identifier: BSD-3-Clause
 * Reads sparse vectors as matrices of one column, and turns results into such matrices. In CSC the
 * row indices of such a matrix ascend, and are the indices of the vector. */
#include "vector.h"

/* Sets v->v to a view of the arrays of v->A, which is in CSC. */
static ek_status view_arrays(struct vector *v, const ek_matrix_info *info)
{
	ek_view idx = {.size = sizeof idx}, val = {.size = sizeof val};
	const ek_value index = info->index == EK_I64 ? EK_INT64 : EK_INT32;
	ek_status status = ek_matrix_array(v->A, "row_idx", &idx);

	if (status == EK_OK)
		status = ek_matrix_array(v->A, "val", &val);
	if (status == EK_OK)
		v->v = ek_sparse_vector(info->value, index, info->rows, info->nnz, idx.data,
		                        val.data);
	return status;
}

int vector_read(ek_context *ctx, const struct tool_options *o, const char *text, struct vector *v)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *A = NULL;
	int code = tool_matrix(ctx, o, text, &v->source, &A);

	if (code == TOOL_OK)
		code = tool_check(ek_matrix_get_info(A, &info));
	if (code == TOOL_OK && info.cols != 1)
		code = tool_fail(TOOL_INPUT,
		                 "%s: has %lld rows and %lld columns; a vector, a matrix of one "
		                 "column, is expected",
		                 text, (long long)info.rows, (long long)info.cols);
	if (code == TOOL_OK)
		code = tool_convert("csc", -1, "", &A);
	v->A = A;
	if (code == TOOL_OK)
		code = tool_check(view_arrays(v, &info));
	return code;
}

void vector_free(struct vector *v)
{
	ek_matrix_destroy(v->A);
}

int vector_same_length(const struct vector *x, const char *name, int64_t rows)
{
	if (rows == x->v.n)
		return TOOL_OK;
	return tool_fail(TOOL_INPUT,
	                 "%s: has %lld rows, and %s has %lld; vectors of the same length "
	                 "are expected",
	                 name, (long long)rows, x->source.path, (long long)x->v.n);
}

int vector_matrix(ek_context *ctx, const ek_sparse *z, int64_t count, ek_matrix **Z)
{
	const int32_t narrow[2] = {0, (int32_t)count};
	const int64_t wide[2] = {0, count};
	const bool long_index = z->index == EK_INT64;

	if (long_index)
		return tool_check(ek_matrix_from_csc(ctx, z->value, EK_I64, z->n, 1, wide, z->idx,
		                                     z->val, EK_COPY, Z));
	if (count > INT32_MAX)
		return tool_check(ek_matrix_from_csc(ctx, z->value, EK_I64_32, z->n, 1, wide,
		                                     z->idx, z->val, EK_COPY, Z));
	return tool_check(ek_matrix_from_csc(ctx, z->value, EK_I32, z->n, 1, narrow, z->idx, z->val,
	                                     EK_COPY, Z));
}
