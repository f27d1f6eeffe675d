/* SPDX-License-Identifier: BSD-3-Clause
 * Changes of a matrix: mkl_sparse_?_set_value, ?_update_values and mkl_sparse_order. As in MKL, the
 * first and the last write to the caller's arrays. The new values of the second are copied, to an
 * array of the handle's that takes the place of the caller's. No other call may use the handle
 * meanwhile. */
#include "door.h"
#include <stdlib.h>
#include <string.h>

/* COO has one line, of all entries. */
static int64_t lines_of(const ekm_arrays *a)
{
	return a->shape == EKM_COO ? 1 : a->lines;
}

static int64_t begin_of(const ekm_arrays *a, int64_t line)
{
	return a->shape == EKM_COO ? 0 : ekm_get(a->wide, a->start, line) - a->base;
}

static int64_t end_of(const ekm_arrays *a, int64_t line)
{
	return a->shape == EKM_COO ? a->lines : ekm_get(a->wide, a->end, line) - a->base;
}

/* Bytes of the values of an entry, or of a block. */
static size_t entry_size(const ekm_arrays *a)
{
	return ek_value_size(a->value) * (size_t)(a->block * a->block);
}

/* Returns where the value of the entry in row i and column j is in a->val, or -1. */
static int64_t place(const ekm_arrays *a, int64_t i, int64_t j)
{
	const int64_t b = a->block, r = i % b, c = j % b;
	const int64_t line = a->shape == EKM_CSC ? j : i / b,
		      index = a->shape == EKM_CSC ? i : j / b;

	if (i < 0 || j < 0 || i >= a->rows || j >= a->cols)
		return -1;
	for (int64_t k = begin_of(a, line); k < end_of(a, line); k++)
		if (ekm_get(a->wide, a->idx, k) - a->base == index &&
		    (a->shape != EKM_COO || ekm_get(a->wide, a->start, k) - a->base == line))
			return k * b * b + ekm_in_block(a, r, c);
	return -1;
}

static ekm_status check(const ekm_handle *A, ek_value value, bool wide)
{
	if (!A || !A->hub)
		return EKM_NOT_INITIALIZED;
	return ekm_is_of(&A->a, value, wide) ? EKM_SUCCESS : EKM_INVALID_VALUE;
}

/* Gives the handle an array of values of its own. Arrays that a call made are such already. */
static ekm_status own_values(ekm_handle *A)
{
	const size_t size = entry_size(&A->a);
	void *const old = A->a.val;
	int64_t count = 0;
	ekm_status status;

	if (A->own || A->block[2])
		return EKM_SUCCESS;
	for (int64_t line = 0; line < lines_of(&A->a); line++)
		if (end_of(&A->a, line) > count)
			count = end_of(&A->a, line);
	A->a.val = ekm_alloc(count, size);
	if (A->a.val && count)
		memcpy(A->a.val, old, (size_t)count * size);
	status = !A->a.val ? EKM_ALLOC_FAILED : A->in_place ? ekm_hub_renew(A) : EKM_SUCCESS;
	if (status) {
		free(A->a.val);
		A->a.val = old;
	} else {
		A->block[2] = A->a.val;
	}
	return status;
}

/* New values for the entries at (row[k], col[k]), which count from the base. */
static ekm_status update(ekm_handle *A, ek_value value, bool wide, bool own, int64_t count,
                         const void *row, const void *col, const void *val)
{
	const size_t size = ek_value_size(value);
	ekm_status status = check(A, value, wide);
	int64_t *at;

	if (status || !row || !col || !val || count < 0)
		return status ? status : EKM_INVALID_VALUE;
	at = ekm_alloc(count, sizeof *at);
	if (!at)
		return EKM_ALLOC_FAILED;
	for (int64_t k = 0; k < count && !status; k++) {
		at[k] = place(&A->a, ekm_get(wide, row, k) - A->a.base,
		              ekm_get(wide, col, k) - A->a.base);
		status = at[k] < 0 ? EKM_INVALID_VALUE : EKM_SUCCESS;
	}
	if (own && !status)
		status = own_values(A);
	for (int64_t k = 0; k < count && !status; k++)
		memcpy(ekm_at(A->a.val, at[k], size), (const char *)val + k * (int64_t)size, size);
	free(at);
	return status ? status : ekm_values_changed(A);
}

/* All values anew, in the order in which the arrays have them. */
static ekm_status update_all(ekm_handle *A, ek_value value, bool wide, int64_t count,
                             const void *val)
{
	ekm_status status = check(A, value, wide);
	const ekm_arrays *a = A ? &A->a : NULL;
	const char *from = val;
	int64_t entries = 0;

	if (status)
		return status;
	for (int64_t line = 0; line < lines_of(a); line++)
		entries += end_of(a, line) - begin_of(a, line);
	if (!val || count != entries * a->block * a->block)
		return EKM_INVALID_VALUE;
	if (val != a->val)
		status = own_values(A);
	if (status)
		return status;
	for (int64_t line = 0; line < lines_of(a); line++) {
		const size_t size = entry_size(a);
		const size_t bytes = (size_t)(end_of(a, line) - begin_of(a, line)) * size;

		if (bytes) /* memmove, since val may be the array of the handle */
			memmove(ekm_at(a->val, begin_of(a, line), size), from, bytes);
		from += bytes;
	}
	return ekm_values_changed(A);
}

/* An entry to be sorted: by line (COO), then index, then as it was. */
typedef struct item {
	int64_t line, index, from;
} item;

static int compare(const void *a, const void *b)
{
	const item *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Sorts entries [begin, end). `items` and `val` have room for them. */
static void sort(const ekm_arrays *a, int64_t begin, int64_t end, item *items, char *val)
{
	const size_t size = entry_size(a);
	const bool coo = a->shape == EKM_COO;
	bool sorted = true;

	for (int64_t k = begin; k < end; k++) {
		item *it = &items[k - begin];

		*it = (item){coo ? ekm_get(a->wide, a->start, k) : 0, ekm_get(a->wide, a->idx, k),
		             k};
		sorted = sorted && (k == begin || compare(it - 1, it) < 0);
	}
	if (sorted)
		return;
	qsort(items, (size_t)(end - begin), sizeof *items, compare);
	for (int64_t k = 0; k < end - begin; k++) {
		memcpy(val + k * (int64_t)size, ekm_at(a->val, items[k].from, size), size);
		ekm_put(a->wide, a->idx, begin + k, items[k].index);
		if (coo)
			ekm_put(a->wide, a->start, begin + k, items[k].line);
	}
	memcpy(ekm_at(a->val, begin, size), val, (size_t)(end - begin) * size);
}

ekm_status ekm_sort_lines(const ekm_arrays *a)
{
	int64_t longest = 0;
	item *items;
	char *val;

	for (int64_t line = 0; line < lines_of(a); line++)
		if (end_of(a, line) - begin_of(a, line) > longest)
			longest = end_of(a, line) - begin_of(a, line);
	items = ekm_alloc(longest, sizeof *items);
	val = ekm_alloc(longest, entry_size(a));
	if (items && val)
		for (int64_t line = 0; line < lines_of(a); line++)
			sort(a, begin_of(a, line), end_of(a, line), items, val);
	free(items);
	free(val);
	return items && val ? EKM_SUCCESS : EKM_ALLOC_FAILED;
}

static ekm_status order(ekm_handle *A)
{
	ekm_status status;

	if (!A || !A->hub)
		return EKM_NOT_INITIALIZED;
	status = ekm_sort_lines(&A->a);
	return status ? status : ekm_hub_renew(A);
}

#define CHANGE(s, VAL, type, suffix, INT, wide)                                                 \
	EKM_API ekm_status mkl_sparse_##s##_set_value##suffix(ekm_handle *A, INT row, INT col,  \
	                                                      VAL value)                        \
	{                                                                                       \
		return update(A, type, wide, false, 1, &row, &col, &value);                     \
	}                                                                                       \
	EKM_API ekm_status mkl_sparse_##s##_update_values##suffix(ekm_handle *A, INT count,     \
	                                                          INT *row, INT *col, VAL *val) \
	{                                                                                       \
		return row || col ? update(A, type, wide, true, count, row, col, val)           \
		                  : update_all(A, type, wide, count, val);                      \
	}
EKM_TYPES(CHANGE)

#define ORDER(suffix, INT, wide)                                   \
	EKM_API ekm_status mkl_sparse_order##suffix(ekm_handle *A) \
	{                                                          \
		return order(A);                                   \
	}
EKM_WIDTHS(ORDER)
