/* SPDX-License-Identifier: BSD-3-Clause
 * Handles for matrices that evenkeel made: the arrays of the matrix are those of the handle, but
 * for a copy of the indices if they begin at 1, and for blocks, which are new arrays. */
#include "door.h"
#include <stdlib.h>
#include <string.h>

/* Copies `count` numbers, adding 1. */
static void *from_one(const ekm_arrays *a, const void *numbers, int64_t count)
{
	void *copy = ekm_alloc(count, ekm_index_size(a));

	for (int64_t k = 0; copy && k < count; k++)
		ekm_put(a->wide, copy, k, ekm_get(a->wide, numbers, k) + 1);
	return copy;
}

/* The arrays of csr, csc and coo. `block` gets what is allocated. */
static ekm_status take(const ek_matrix *M, ekm_arrays *a, void **block)
{
	static const char *const names[][2] = {[EKM_CSR] = {"row_ptr", "col_idx"},
	                                       [EKM_CSC] = {"col_ptr", "row_idx"},
	                                       [EKM_COO] = {"row_idx", "col_idx"}};
	ek_view ptr = {.size = sizeof ptr}, idx = ptr, val = ptr;
	ek_status status = ek_matrix_array(M, names[a->shape][0], &ptr);

	if (!status)
		status = ek_matrix_array(M, names[a->shape][1], &idx);
	if (!status)
		status = ek_matrix_array(M, "val", &val);
	if (status)
		return ekm_status_of(status);
	a->start = (void *)(uintptr_t)ptr.data;
	a->idx = (void *)(uintptr_t)idx.data;
	a->val = (void *)(uintptr_t)val.data;
	if (a->base) {
		a->start = block[0] = from_one(a, ptr.data, ptr.len);
		a->idx = block[1] = from_one(a, idx.data, idx.len);
		if (!a->start || !a->idx)
			return EKM_ALLOC_FAILED;
	}
	a->lines = a->shape == EKM_COO ? val.len : ptr.len - 1;
	a->end = a->shape == EKM_COO ? NULL : ekm_at(a->start, 1, ekm_index_size(a));
	return EKM_SUCCESS;
}

static void add(ek_value value, void *to, int64_t at, const void *from, int64_t k)
{
	if (value == EK_F64)
		((double *)to)[at] += ((const double *)from)[k];
	else
		((float *)to)[at] += ((const float *)from)[k];
}

/* Numbers the blocks that have an entry of csr, row of blocks by row of blocks, in the order in
 * which entries name them, and returns how many there are. If a->start is not NULL, it also fills
 * the arrays; values begin as 0. `last` has a number for each column of blocks. */
static int64_t walk(const ekm_view *csr, ekm_arrays *a, int64_t *last)
{
	const int64_t b = a->block;
	int64_t count = 0, first = 0;

	for (int64_t j = 0; j < a->cols / b; j++)
		last[j] = -1;
	for (int64_t i = 0; i < a->rows; i++) {
		const int64_t end = ekm_get(a->wide, csr->ptr, i + 1);

		if (i % b == 0) {
			first = count;
			if (a->start)
				ekm_put(a->wide, a->start, i / b, count + a->base);
		}
		for (int64_t k = ekm_get(a->wide, csr->ptr, i); k < end; k++) {
			const int64_t j = ekm_get(a->wide, csr->idx, k), r = i % b, c = j % b;
			int64_t *block = &last[j / b];

			if (*block < first) { /* of an earlier row of blocks, or none */
				*block = count++;
				if (a->start)
					ekm_put(a->wide, a->idx, *block, j / b + a->base);
			}
			if (a->start)
				add(a->value, a->val, *block * b * b + ekm_in_block(a, r, c),
				    csr->val, k);
		}
	}
	if (a->start)
		ekm_put(a->wide, a->start, a->rows / b, count + a->base);
	return count;
}

/* The arrays of BSR, from M in csr. */
static ekm_status make_blocks(const ek_matrix *M, ekm_arrays *a, void **block)
{
	const size_t size = ekm_index_size(a);
	const int64_t most = a->wide ? INT64_MAX : INT32_MAX, area = a->block * a->block;
	int64_t *last, count;
	ekm_view csr;
	ekm_status status = ekm_view_of(M, &csr);

	if (status)
		return status;
	if (a->rows % a->block || a->cols % a->block)
		return EKM_INVALID_VALUE;
	last = ekm_alloc(a->cols / a->block, sizeof *last);
	if (!last)
		return EKM_ALLOC_FAILED;
	count = walk(&csr, a, last);
	a->lines = a->rows / a->block;
	status = count > most / area ? EKM_INVALID_VALUE : EKM_ALLOC_FAILED;
	if (status == EKM_ALLOC_FAILED) {
		block[0] = ekm_alloc(a->lines + 1, size);
		block[1] = ekm_alloc(count, size);
		block[2] = ekm_alloc(count * area, ek_value_size(a->value));
	}
	if (block[0] && block[1] && block[2]) {
		memset(block[2], 0, (size_t)(count * area) * ek_value_size(a->value));
		a->start = block[0];
		a->end = ekm_at(a->start, 1, size);
		a->idx = block[1];
		a->val = block[2];
		walk(&csr, a, last);
		status = ekm_sort_lines(a);
	}
	free(last);
	return status;
}

const char *ekm_format(ekm_shape shape)
{
	static const char *const formats[] = {
		[EKM_CSR] = "csr", [EKM_CSC] = "csc", [EKM_BSR] = "csr", [EKM_COO] = "coo"};

	return formats[shape];
}

/* M, or what replaces it: a copy in the format that the arrays are taken from. */
static ekm_status convert(ek_matrix **M, ekm_shape shape)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *copy;
	ekm_status status = ekm_status_of(ek_matrix_get_info(*M, &info));

	if (status || strcmp(info.format, ekm_format(shape)) == 0)
		return status;
	status = ekm_status_of(ek_matrix_convert(*M, ekm_format(shape), NULL, &copy));
	if (!status)
		*M = copy;
	return status;
}

ekm_status ekm_result(ek_matrix *M, const ekm_arrays *like, ekm_handle **C)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *own = M;
	ekm_handle *made = NULL;
	void *block[3] = {NULL};
	ekm_arrays a = {.shape = like->shape,
	                .base = like->base,
	                .layout = like->layout,
	                .block = like->shape == EKM_BSR ? like->block : 1};
	ekm_status status = ekm_status_of(ek_matrix_get_info(M, &info));

	if (!status)
		status = convert(&own, a.shape);
	a.value = info.value;
	a.wide = info.index == EK_I64;
	a.rows = info.rows;
	a.cols = info.cols;
	if (!status)
		status = (a.shape == EKM_BSR ? make_blocks : take)(own, &a, block);
	if (!status)
		status = ekm_create(&a, true, &made);
	if (status) {
		for (int k = 0; k < 3; k++)
			free(block[k]);
		if (own != M)
			ek_matrix_destroy(own);
		return status;
	}
	memcpy(made->block, block, sizeof block);
	if (own != M)
		ek_matrix_destroy(M);
	if (a.shape == EKM_BSR) /* the arrays are not those of the matrix */
		ek_matrix_destroy(own);
	else
		made->own = own;
	*C = made;
	return EKM_SUCCESS;
}
