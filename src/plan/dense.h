/* SPDX-License-Identifier: BSD-3-Clause
 * Checks that products make on callers' vectors and blocks before they run. Part of plan/plan.h. */
#ifndef EK_DENSE_H
#define EK_DENSE_H

/* Accepts an ek_dense from the caller. If its `size` differs from the library's, copies to *copy
 * those members that the library knows, and sets *v to `copy`. */
static inline ek_status eki_dense_in(const char *name, ek_dense *copy, const ek_dense **v)
{
	if (!*v)
		return eki_fail(EK_EINVAL, "%s is NULL", name);
	if ((*v)->size != sizeof **v) {
		EK_RETURN_IF(EKI_STRUCT_IN(name, ek_dense, *v, copy));
		*v = copy;
	}
	return EK_OK;
}

/* Checks type, leading dimension and address of a vector or block whose shape is right. */
ek_status eki_dense_check_but_shape(const char *name, const ek_dense *v, ek_value value);
/* Checks shape, type, leading dimension and address of a vector or block. `rows` is the number of
 * rows or of columns of op(A). In messages, `what` ("rows" or "columns") says which. */
ek_status eki_dense_check(const char *name, const ek_dense *v, ek_value value, int64_t rows,
                          int64_t cols, const char *what);
/* Does all checks of eki_dense_check for a vector of n contiguous entries. Called if the quick
 * check in eki_vector_check fails. */
ek_status eki_vector_check_all(const char *name, const ek_dense *v, ek_value value, int64_t n,
                               const char *what);
/* Does the checks of eki_dense_check for a vector of n contiguous entries. A quick inline test
 * accepts most valid vectors without a call. */
static inline ek_status eki_vector_check(const char *name, const ek_dense *v, ek_value value,
                                         int64_t n, const char *what)
{
	const size_t misplaced =
		(uintptr_t)v->data & (eki_alignment((size_t)eki_value_bytes(value)) - 1);

	if (v->value == value && v->rows == n && v->cols == 1 && v->ld >= n && !v->where &&
	    v->order == EK_COL_MAJOR && v->data && !misplaced)
		return EK_OK;
	return eki_vector_check_all(name, v, value, n, what);
}
/* Fails if A has so many rows or columns that a vector of that length does not fit in the address
 * space. Plans call this function when they are made, so later code can add up the bytes of several
 * vectors without overflow. `what` names the vector in the message. */
ek_status eki_lengths_check(const eki_problem *problem, const char *what);
/* Returns the number of bytes from the first to the last entry of a checked vector or block. */
int64_t eki_dense_bytes(const ek_dense *v);
bool eki_overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes);
/* Fills plan->array with the arrays of the plan's matrix, for eki_dense_apart. */
void eki_plan_arrays(ek_plan *plan);
/* Checks that the plan's method can access x and y, and that writing y changes neither x nor A.
 * Both x and y have already passed eki_dense_check. */
ek_status eki_dense_apart(const ek_plan *plan, const char *x_name, const ek_dense *x,
                          const char *y_name, const ek_dense *y);
/* Does the same for two contiguous vectors. An inline test accepts most valid pairs. */
static inline ek_status eki_vectors_apart(const ek_plan *plan, const char *x_name,
                                          const ek_dense *x, const char *y_name, const ek_dense *y)
{
	const int64_t size = eki_value_bytes(y->value);
	const uintptr_t begin = (uintptr_t)y->data, end = begin + (uintptr_t)(y->rows * size),
	                from = (uintptr_t)x->data, to = from + (uintptr_t)(x->rows * size);
	bool apart = !x->where && !y->where && (end <= from || to <= begin);

	for (int k = 0; k < plan->arrays; k++) {
		const uintptr_t array = (uintptr_t)plan->array[k].data;

		apart &= end <= array || array + (uintptr_t)plan->array[k].bytes <= begin;
	}
	return apart ? EK_OK : eki_dense_apart(plan, x_name, x, y_name, y);
}
/* Checks that a method on the processor can access y, and that writing y does not change A. y has
 * passed eki_dense_check_but_shape. */
ek_status eki_dense_writable(const ek_plan *plan, const char *name, const ek_dense *y);
/* Returns the strides and the address of a checked vector or block. */
static inline eki_dense eki_dense_of(const ek_dense *v)
{
	return v->order == EK_ROW_MAJOR ? (eki_dense){v->data, v->ld, 1, v->where}
	                                : (eki_dense){v->data, 1, v->ld, v->where};
}

#endif
