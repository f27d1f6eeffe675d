/* SPDX-License-Identifier: BSD-3-Clause
 * Public functions that query the properties and arrays of a matrix, check it, and give it new
 * values on the same pattern. */
#include <stdio.h>
#include <string.h>

#include "matrix/matrix.h"

/* ---- Queries --------------------------------------------------------------------------------- */

/* Returns the format of A as callers see it: CSC if the store is a transpose, else the format of
 * the store. The returned format names the arrays. */
static const ek_format *given_format(const ek_matrix *A)
{
	return A->transposed ? &ek_format_csc : A->store.format;
}

ek_status ek_matrix_get_info(const ek_matrix *A, ek_matrix_info *info)
{
	EK_RETURN_IF(eki_matrix_check(A));
	EK_RETURN_IF(EKI_STRUCT_CHECK("info", ek_matrix_info, info));
	const ek_store *s = &A->store;
	ek_matrix_info all = {.rows = A->transposed ? s->cols : s->rows,
	                      .cols = A->transposed ? s->rows : s->cols,
	                      .nnz = s->nnz,
	                      .value = s->value,
	                      .index = s->index,
	                      .format = given_format(A)->name,
	                      .borrowed = s->borrowed != 0,
	                      .bytes = eki_store_bytes(s),
	                      .base = s->base,
	                      .state = atomic_load(&A->state)};

	for (int k = 0; k < EKI_FORMAT_DIMS && s->format->param[k].name; k++)
		all.dim[k] = s->dim[k]; /* further elements of dim are private to the format */
	EKI_STRUCT_OUT(ek_matrix_info, &all, info);
	return EK_OK;
}

static ek_value elem_type(eki_elem elem, ek_value value, size_t size)
{
	if (elem == EKI_VALUE)
		return value;
	return elem != EKI_PTR && elem != EKI_IDX ? (ek_value)0 : size == 4 ? EK_INT32 : EK_INT64;
}

static const char *array_name(const void *list, size_t k)
{
	return k < EKI_MAX_ARRAYS ? ((const ek_array_desc *)list)[k].name : NULL;
}

ek_status ek_matrix_array(const ek_matrix *A, const char *name, ek_view *view)
{
	ek_store s;

	EK_RETURN_IF(eki_matrix_check(A));
	if (!name)
		return eki_fail(EK_EINVAL, "name is NULL");
	EK_RETURN_IF(EKI_STRUCT_CHECK("view", ek_view, view));
	const ek_array_desc *array = given_format(A)->array;

	eki_matrix_given(A, &s);
	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++) {
		if (strcmp(name, array[k].name) == 0) {
			ek_view all = {.data = s.array[k], .len = s.len[k]};

			all.elem_size = eki_elem_size(array[k].elem, s.value, s.index);
			all.type = elem_type(array[k].elem, s.value, all.elem_size);
			EKI_STRUCT_OUT(ek_view, &all, view);
			return EK_OK;
		}
	}
	return eki_fail_list(EK_EINVAL, array_name, array, "the matrix has no array \"%s\"; it has",
	                     name);
}

ek_status ek_matrix_check(const ek_matrix *A)
{
	ek_store s;

	EK_RETURN_IF(eki_matrix_check(A));
	eki_matrix_given(A, &s);
	return s.format->check(A->ctx, &s);
}

/* ---- New values ------------------------------------------------------------------------------ */

uint64_t eki_new_state(void)
{
	static _Atomic uint64_t last;

	return atomic_fetch_add(&last, 1) + 1;
}

ek_status ek_matrix_values_changed(ek_matrix *A)
{
	EK_RETURN_IF(eki_matrix_check(A));
	atomic_store(&A->state, eki_new_state());
	return EK_OK;
}

/* Adds a value to a sum. The sum begins as -0 and not as +0, because adding -0 changes no number.
 * While the sum is -0, the value is copied and not added, so that a single value keeps its bits in
 * every rounding and flush-to-zero mode. */
static void add_value(ek_value type, void *sum, const void *v)
{
	const double none = -0.0;
	const float none32 = -0.0F;
	const size_t size = ek_value_size(type);

	if (memcmp(sum, type == EK_F64 ? (const void *)&none : &none32, size) == 0)
		memcpy(sum, v, size);
	else if (type == EK_F64)
		*(double *)sum += *(const double *)v;
	else
		*(float *)sum += *(const float *)v;
}

/* Writes new values to the CSR store of a matrix that was made with EK_KEEP_ORDER. Duplicates are
 * added up in the order given, as in eki_assemble. */
static void scatter_values(const ek_matrix *A, const void *val, ek_store *s)
{
	const size_t size = ek_value_size(s->value);
	bool wide = s->index != EK_I32;

	for (int64_t k = 0; k < s->nnz; k++)
		if (s->value == EK_F64)
			((double *)s->array[CSR_VAL])[k] = -0.0;
		else
			((float *)s->array[CSR_VAL])[k] = -0.0f;
	for (int64_t k = 0; k < A->order_len; k++) {
		int64_t p = wide ? ((const int64_t *)A->order)[k] : ((const int32_t *)A->order)[k];

		if (p >= 0) /* if p < 0, a later entry replaced this one (EK_DUP_LAST) */
			add_value(s->value, (char *)s->array[CSR_VAL] + (size_t)p * size,
			          (const char *)val + (size_t)k * size);
	}
}

/* Returns EK_EINVAL if `val` is the matrix's own array of values, unless that array is in the order
 * in which callers give the values. */
static ek_status values_apart(const ek_matrix *A, int64_t count, const void *val)
{
	const ek_array_desc *array = A->store.format->array;

	if (!count || (!A->order && A->store.format == &ek_format_csr))
		return EK_OK;
	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++)
		if (array[k].elem == EKI_VALUE && val == A->store.array[k])
			return eki_fail(EK_EINVAL, "val is the array of values itself, which is "
			                           "not in the order given");
	return EK_OK;
}

ek_status ek_matrix_set_values(ek_matrix *A, int64_t count, const void *val)
{
	ek_store *s;

	EK_RETURN_IF(eki_matrix_check(A));
	s = &A->store;
	if (s->borrowed)
		return eki_fail(EK_EINVAL, "the values are borrowed: change them in place and call "
		                           "ek_matrix_values_changed");
	if (A->merged)
		return eki_fail(EK_EINVAL, "the order in which the values were given is not known "
		                           "any more: make the matrix with EK_KEEP_ORDER (COO) or "
		                           "without EK_DUP_SUM and EK_DUP_LAST (CSR, CSC)");
	if (count != A->value_count)
		return eki_fail(EK_EINVAL, "count is %lld, the matrix was made from %lld values",
		                (long long)count, (long long)A->value_count);
	EK_RETURN_IF(eki_array_check("val", val, count, ek_value_size(s->value)));
	EK_RETURN_IF(values_apart(A, count, val));
	EK_RETURN_IF(eki_device_settle(A->ctx));
	if (s->format != &ek_format_csr)
		EK_RETURN_IF(eki_format_set_values(A->ctx, val, s));
	else if (A->order)
		scatter_values(A, val, s);
	else if (count) /* memmove, since val may be the array of values itself */
		memmove(s->array[CSR_VAL], val, (size_t)count * ek_value_size(s->value));
	return ek_matrix_values_changed(A);
}
