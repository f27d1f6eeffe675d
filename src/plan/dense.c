/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of the vectors and blocks that a run gets, in constant time. */
#include "plan/plan.h"

static ek_status layout_check(const char *name, const ek_dense *v)
{
	const bool by_rows = v->order == EK_ROW_MAJOR;
	const int64_t inner = by_rows ? v->cols : v->rows, outer = by_rows ? v->rows : v->cols;

	if (v->order != EK_COL_MAJOR && v->order != EK_ROW_MAJOR)
		return eki_fail(EK_EINVAL,
		                "%s.order is %lld; EK_COL_MAJOR or EK_ROW_MAJOR is expected", name,
		                (long long)v->order);
	if (v->ld < inner)
		return eki_fail(EK_EINVAL, "%s has leading dimension %lld, less than its %lld %s",
		                name, (long long)v->ld, (long long)inner,
		                by_rows ? "columns" : "rows");
	if (eki_times(eki_times(outer, outer > 1 ? v->ld : inner), eki_value_bytes(v->value)) >
	    INT64_MAX / 4)
		return eki_fail(EK_EINVAL,
		                "%s is %lld x %lld with leading dimension %lld, which does not fit "
		                "the address space",
		                name, (long long)v->rows, (long long)v->cols, (long long)v->ld);
	return EK_OK;
}

ek_status eki_dense_check_but_shape(const char *name, const ek_dense *v, ek_value value)
{
	if (v->value != value)
		return eki_fail(EK_EINVAL, "%s has values of type %s, A of type %s", name,
		                ek_value_name(v->value) ? ek_value_name(v->value) : "unknown",
		                ek_value_name(value));
	EK_RETURN_IF(layout_check(name, v));
	if (v->where != 0 && v->where != EK_ON_DEVICE)
		return eki_fail(EK_EINVAL, "%s.where is %d; 0 or EK_ON_DEVICE is expected", name,
		                v->where);
	if (!v->data && v->rows > 0 && v->cols > 0)
		return eki_fail(EK_EINVAL, "%s.data is NULL", name);
	if ((uintptr_t)v->data & (eki_alignment((size_t)eki_value_bytes(value)) - 1))
		return eki_fail(EK_EINVAL, "%s.data lies at %p, which is not aligned to %s", name,
		                v->data, ek_value_name(value));
	return EK_OK;
}

ek_status eki_dense_check(const char *name, const ek_dense *v, ek_value value, int64_t rows,
                          int64_t cols, const char *what)
{
	if (v->rows != rows || v->cols != cols)
		return eki_fail(EK_EINVAL,
		                "%s is %lld x %lld; op(A) has %lld %s, so %lld x %lld is expected",
		                name, (long long)v->rows, (long long)v->cols, (long long)rows, what,
		                (long long)rows, (long long)cols);
	return eki_dense_check_but_shape(name, v, value);
}

ek_status eki_vector_check_all(const char *name, const ek_dense *v, ek_value value, int64_t n,
                               const char *what)
{
	EK_RETURN_IF(eki_dense_check(name, v, value, n, 1, what));
	if (v->order != EK_COL_MAJOR)
		return eki_fail(EK_EINVAL, "%s.order is %lld; EK_COL_MAJOR is expected of vectors",
		                name, (long long)v->order);
	return EK_OK;
}

ek_status eki_lengths_check(const eki_problem *problem, const char *what)
{
	const ek_store *s = &problem->A[0].M->store;
	const int64_t n = s->rows > s->cols ? s->rows : s->cols;

	if (eki_times(n, (int64_t)ek_value_size(s->value)) > INT64_MAX / 4)
		return eki_fail(EK_EOVERFLOW,
		                "%s has %lld entries of %zu bytes, which do not fit the address "
		                "space",
		                what, (long long)n, ek_value_size(s->value));
	return EK_OK;
}

int64_t eki_dense_bytes(const ek_dense *v)
{
	const bool by_rows = v->order == EK_ROW_MAJOR;
	const int64_t inner = by_rows ? v->cols : v->rows, outer = by_rows ? v->rows : v->cols;

	return inner == 0 || outer == 0 ? 0
	                                : ((outer - 1) * v->ld + inner) * eki_value_bytes(v->value);
}

bool eki_overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes)
{
	uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;

	return a_bytes > 0 && b_bytes > 0 && p < q + (uintptr_t)b_bytes &&
	       q < p + (uintptr_t)a_bytes;
}

/* Tells whether two blocks have no entries in common although their address ranges overlap. This is
 * so if they are side by side in one larger array: in different columns of a row-major array, or in
 * different rows of a column-major one. */
static bool interleaved(const ek_dense *x, const ek_dense *y)
{
	const int64_t size = eki_value_bytes(x->value);
	const bool by_rows = x->order == EK_ROW_MAJOR;
	const int64_t from = (int64_t)(uintptr_t)x->data - (int64_t)(uintptr_t)y->data;
	int64_t at;

	if (x->order != y->order || x->ld != y->ld || from % size)
		return false;
	at = from / size % x->ld;
	at += at < 0 ? x->ld : 0;
	return at >= (by_rows ? y->cols : y->rows) && at + (by_rows ? x->cols : x->rows) <= x->ld;
}

static void add_array(ek_plan *p, const void *data, int64_t len, size_t size, const char *name)
{
	if (!data || !len)
		return;
	p->array[p->arrays].data = data;
	p->array[p->arrays].bytes = len * (int64_t)size;
	p->array[p->arrays++].name = name;
}

void eki_plan_arrays(ek_plan *p)
{
	const ek_matrix *A = p->problem.A[0].M;
	const ek_store *s = &A->store;
	const ek_array_desc *desc = A->transposed ? ek_format_csc.array : s->format->array;

	add_array(p, A->given_ptr, s->len[CSR_PTR], eki_ptr_size(s->index), desc[CSR_PTR].name);
	for (int k = 0; k < EKI_MAX_ARRAYS && desc[k].name; k++)
		add_array(p, s->array[k], s->len[k],
		          eki_elem_size(desc[k].elem, s->value, s->index), desc[k].name);
}

/* Checks that y does not overlap the arrays of A. */
static ek_status apart_from_arrays(const ek_plan *p, const char *name, const ek_dense *y)
{
	const int64_t bytes = eki_dense_bytes(y);

	for (int k = 0; k < p->arrays; k++)
		if (eki_overlap(y->data, bytes, p->array[k].data, p->array[k].bytes))
			return eki_fail(EK_EINVAL, "%s overlaps the array %s of A", name,
			                p->array[k].name);
	return EK_OK;
}

ek_status eki_dense_writable(const ek_plan *p, const char *name, const ek_dense *y)
{
	if (y->where)
		return eki_fail(EK_EINVAL, "%s is on a device, and method %s runs on the processor",
		                name, p->root.method->name);
	return apart_from_arrays(p, name, y);
}

ek_status eki_dense_apart(const ek_plan *p, const char *x_name, const ek_dense *x,
                          const char *y_name, const ek_dense *y)
{
	const int64_t bytes = eki_dense_bytes(y);

	if ((x->where || y->where) && (p->root.method->backend & EKI_CPU))
		return eki_fail(EK_EINVAL, "%s is on a device, and method %s runs on the processor",
		                x->where ? x_name : y_name, p->root.method->name);
	/* Pointers that are handles, not addresses, can only be compared for equality. */
	if ((x->where || y->where) && !eki_device_addresses(p->ctx))
		return x->where && y->where && x->data == y->data && bytes > 0
		               ? eki_fail(EK_EINVAL, "%s and %s overlap", x_name, y_name)
		               : EK_OK;
	if (eki_overlap(x->data, eki_dense_bytes(x), y->data, bytes) && !interleaved(x, y))
		return eki_fail(EK_EINVAL, "%s and %s overlap", x_name, y_name);
	return apart_from_arrays(p, y_name, y);
}
