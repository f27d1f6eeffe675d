/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of sparse vectors, of the dense vectors beside them, and of factors. */
#include <math.h>
#include <stdio.h>

#include "vec/vec.h"

ek_status eki_member_length(const char *name, const char *member, int64_t n)
{
	char text[24];

	if (n >= 0 && n <= INT64_MAX / 16)
		return EK_OK;
	snprintf(text, sizeof text, "%s%s", name, member);
	return eki_length_check(text, n);
}

ek_status eki_member_check(const char *name, const char *member, const void *array, int64_t n,
                           size_t size)
{
	char text[24];

	if ((array || n == 0) && ((uintptr_t)array & (eki_alignment(size) - 1)) == 0)
		return EK_OK;
	snprintf(text, sizeof text, "%s%s", name, member);
	return eki_array_check(text, array, n, size);
}

ek_status eki_sparse_in(const char *name, const ek_sparse *given, ek_sparse *own)
{
	if (!given)
		return eki_fail(EK_EINVAL, "%s is NULL", name);
	EK_RETURN_IF(EKI_STRUCT_IN(name, ek_sparse, given, own));
	if (!ek_value_name(own->value))
		return eki_fail(EK_EINVAL,
		                "%s->value is %d; EK_F32, EK_F64, EK_INT32 or EK_INT64 is expected",
		                name, (int)own->value);
	if (own->index != EK_INT32 && own->index != EK_INT64)
		return eki_fail(EK_EINVAL, "%s->index is %d; EK_INT32 or EK_INT64 is expected",
		                name, (int)own->index);
	if (own->n < 0)
		return eki_fail(EK_EINVAL, "%s->n is %lld; it must not be negative", name,
		                (long long)own->n);
	EK_RETURN_IF(eki_member_length(name, "->nnz", own->nnz));
	EK_RETURN_IF(
		eki_member_check(name, "->idx", own->idx, own->nnz, ek_value_size(own->index)));
	return eki_member_check(name, "->val", own->val, own->nnz, ek_value_size(own->value));
}

ek_status eki_sparse_like(const char *name, const ek_sparse *v, const ek_sparse *x)
{
	if (v->value != x->value)
		return eki_fail(EK_EINVAL, "%s->value is %s, and x->value is %s", name,
		                ek_value_name(v->value), ek_value_name(x->value));
	if (v->index != x->index)
		return eki_fail(EK_EINVAL, "%s->index is %s, and x->index is %s", name,
		                ek_value_name(v->index), ek_value_name(x->index));
	if (v->n != x->n)
		return eki_fail(EK_EINVAL, "%s->n is %lld, and x->n is %lld", name, (long long)v->n,
		                (long long)x->n);
	return EK_OK;
}

ek_status eki_sparse_dense_in(const char *name, const ek_dense *given, const ek_sparse *x,
                              const char *of, ek_dense *own)
{
	if (!given)
		return eki_fail(EK_EINVAL, "%s is NULL", name);
	EK_RETURN_IF(EKI_STRUCT_IN(name, ek_dense, given, own));
	if (own->value != x->value)
		return eki_fail(EK_EINVAL, "%s has values of type %s, and x of type %s", name,
		                ek_value_name(own->value) ? ek_value_name(own->value) : "unknown",
		                ek_value_name(x->value));
	if (own->rows != x->n || own->cols != 1)
		return eki_fail(EK_EINVAL,
		                "%s is %lld x %lld; %s is %lld, so %lld x 1 is expected", name,
		                (long long)own->rows, (long long)own->cols, of, (long long)x->n,
		                (long long)x->n);
	if (own->ld < own->rows)
		return eki_fail(EK_EINVAL, "%s has leading dimension %lld, less than its %lld rows",
		                name, (long long)own->ld, (long long)own->rows);
	if (own->order != EK_COL_MAJOR)
		return eki_fail(EK_EINVAL, "%s.order is %lld; EK_COL_MAJOR is expected of vectors",
		                name, (long long)own->order);
	if (own->where != 0)
		return eki_fail(EK_EINVAL, "%s.where is %d; 0, the host's memory, is expected",
		                name, own->where);
	EK_RETURN_IF(eki_member_length(name, ".rows", own->rows));
	return eki_member_check(name, ".data", own->data, own->rows, ek_value_size(own->value));
}

ek_status eki_factor_in(const char *name, double given, ek_value type, eki_scalar *own)
{
	const double end = type == EK_INT32 ? 0x1p31 : 0x1p63;

	if (type == EK_F32) {
		*own = eki_real(eki_widen(eki_narrow(given)));
	} else {
		if (type != EK_F64 && !(given >= -end && given < end && given == trunc(given)))
			return eki_fail(EK_EINVAL, "%s is %g; a number of type %s is expected",
			                name, given, ek_value_name(type));
		*own = eki_real(given);
	}
	return EK_OK;
}

/* ---- Overlaps -------------------------------------------------------------------------------- */

eki_region eki_idx_region(const char *name, const ek_sparse *v)
{
	return (eki_region){name, v->idx, v->nnz * (int64_t)ek_value_size(v->index)};
}

eki_region eki_val_region(const char *name, const ek_sparse *v)
{
	return (eki_region){name, v->val, v->nnz * (int64_t)ek_value_size(v->value)};
}

static ek_status apart(bool handles, const eki_region *p, const eki_region *q)
{
	return eki_array_overlap(handles, p->name, p->at, p->bytes, q->name, q->at, q->bytes, 1);
}

ek_status eki_regions_apart(bool handles, int outputs, const eki_region *output, int inputs,
                            const eki_region *input)
{
	for (int o = 0; o < outputs; o++) {
		for (int k = 0; k < inputs; k++)
			EK_RETURN_IF(apart(handles, &input[k], &output[o]));
		for (int k = o + 1; k < outputs; k++)
			EK_RETURN_IF(apart(handles, &output[o], &output[k]));
	}
	return EK_OK;
}
