/* SPDX-License-Identifier: BSD-3-Clause
 * Plans for products with dense vectors and blocks. A call finds its plan in a list that only
 * grows while calls may run at the same time, without a lock; the first call makes it, under one.
 *
 * Without mkl_sparse_optimize, plans have no copy of the values, so that those changed in place are
 * the next product's. mkl_sparse_optimize makes the plans for the hints that were given, in
 * whatever format is predicted to be the fastest, unless the memory hint forbids copies. */
#include "door.h"
#include <stdlib.h>
#include <string.h>

/* Calls that a plan without a hint is made for: preparations must pay for themselves soon. */
enum { CALLS = 10 };

bool ekm_key_same(const ekm_key *a, const ekm_key *b)
{
	return a->op == b->op && a->width == b->width && a->descr.type == b->descr.type &&
	       a->descr.mode == b->descr.mode && a->descr.diag == b->descr.diag;
}

static ekm_plan *find(ekm_handle *A, const ekm_key *key)
{
	ekm_plan *p = atomic_load_explicit(&A->plans, memory_order_acquire);

	while (p && !ekm_key_same(&p->key, key))
		p = p->next;
	return p;
}

/* Brings keys that mean the same to one form. Plans for blocks serve widths up to a power of 2. */
static ekm_status canonical(const ekm_arrays *a, ekm_key *key)
{
	ekm_status status = ekm_descr_check(a, key->op, &key->descr);
	int64_t width = key->width > 0;

	while (width < key->width && width < 256)
		width *= 2;
	key->width = width;
	key->op = key->op == EKM_OP_N || key->descr.type == EKM_SYMMETRIC ||
	                          (key->descr.type == EKM_DIAGONAL && a->rows == a->cols)
	                  ? EKM_OP_N
	                  : EKM_OP_T;
	return status;
}

void ekm_plans_forget(ekm_handle *A)
{
	for (ekm_plan *p = atomic_exchange(&A->plans, NULL), *next; p; p = next) {
		next = p->next;
		ek_plan_destroy(p->plan);
		free(p);
	}
}

static ekm_hint *find_hint(const ekm_handle *A, const ekm_key *key)
{
	ekm_hint *hint = A->hints;

	while (hint && !ekm_key_same(&hint->key, key))
		hint = hint->next;
	return hint;
}

/* Makes a plan; the lock is held. */
static ekm_status make(ekm_handle *A, const ekm_key *key, ekm_plan **made)
{
	const ekm_hint *hint = A->optimized ? find_hint(A, key) : NULL;
	ek_matrix_info info = {.size = sizeof info};
	ek_hints hints = {.size = sizeof hints,
	                  .op = key->op == EKM_OP_N ? EK_OP_N : EK_OP_T,
	                  .width = key->width,
	                  .calls = hint ? hint->calls : CALLS};
	const ek_matrix *M;
	ekm_plan *p;
	ekm_status status = ekm_derive(A, key->descr, &M);

	if (status)
		return status;
	ek_matrix_get_info(M, &info);
	if (!hint || A->memory == EKM_MEMORY_NONE) { /* less than any copy of the values takes */
		hints.memory = info.nnz * (int64_t)ek_value_size(info.value) - 1;
		hints.memory = hints.memory > 0 ? hints.memory : 1;
		hints.format = info.format;
	}
	p = calloc(1, sizeof *p);
	if (!p)
		return EKM_ALLOC_FAILED;
	p->key = *key;
	status = ekm_status_of(ek_plan_create(key->width ? EK_SPMM : EK_SPMV, M, &hints, &p->plan));
	if (status) {
		free(p);
		return status;
	}
	p->next = atomic_load_explicit(&A->plans, memory_order_relaxed);
	atomic_store_explicit(&A->plans, p, memory_order_release);
	*made = p;
	return EKM_SUCCESS;
}

ekm_status ekm_plan_get(ekm_handle *A, ekm_key key, ek_plan **plan)
{
	ekm_status status = canonical(&A->a, &key);
	ekm_plan *p;

	if (status)
		return status;
	p = find(A, &key);
	if (!p) {
		pthread_mutex_lock(&A->lock);
		p = find(A, &key); /* another thread may have made it meanwhile */
		status = p ? EKM_SUCCESS : make(A, &key, &p);
		pthread_mutex_unlock(&A->lock);
	}
	if (!status)
		*plan = p->plan;
	return status;
}

static ekm_status set_hint(ekm_handle *A, ekm_key key, int64_t calls)
{
	ekm_hint *hint;
	ekm_status status;

	if (!A)
		return EKM_NOT_INITIALIZED;
	status = canonical(&A->a, &key);
	if (status)
		return status;
	if (calls <= 0)
		return EKM_INVALID_VALUE;
	hint = find_hint(A, &key);
	if (!hint) {
		hint = calloc(1, sizeof *hint);
		if (!hint)
			return EKM_ALLOC_FAILED;
		hint->key = key;
		hint->next = A->hints;
		A->hints = hint;
	}
	hint->calls = calls;
	return EKM_SUCCESS;
}

/* Values may have been changed in place before, so the copies are made anew. */
static ekm_status optimize(ekm_handle *A)
{
	ekm_status status = A && A->hub ? EKM_SUCCESS : EKM_NOT_INITIALIZED;

	if (status)
		return status;
	ekm_plans_forget(A);
	status = ekm_values_changed(A);
	A->optimized = true;
	for (ekm_hint *hint = A->hints; hint && !status; hint = hint->next) {
		ek_plan *plan;

		status = ekm_plan_get(A, hint->key, &plan);
	}
	return status;
}

#define HINTS(suffix, INT, wide)                                                                  \
	EKM_API ekm_status mkl_sparse_set_mv_hint##suffix(ekm_handle *A, int op, ekm_descr descr, \
	                                                  INT calls)                              \
	{                                                                                         \
		return set_hint(A, (ekm_key){op, descr, 0}, calls);                               \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_set_mm_hint##suffix(ekm_handle *A, int op, ekm_descr descr, \
	                                                  int layout, INT width, INT calls)       \
	{                                                                                         \
		if (width <= 0 || !ekm_is_layout(layout))                                         \
			return EKM_INVALID_VALUE;                                                 \
		return set_hint(A, (ekm_key){op, descr, width}, calls);                           \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_set_memory_hint##suffix(ekm_handle *A, int policy)          \
	{                                                                                         \
		if (!A)                                                                           \
			return EKM_NOT_INITIALIZED;                                               \
		if (policy != EKM_MEMORY_NONE && policy != EKM_MEMORY_AGGRESSIVE)                 \
			return EKM_INVALID_VALUE;                                                 \
		A->memory = policy;                                                               \
		return EKM_SUCCESS;                                                               \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_optimize##suffix(ekm_handle *A)                             \
	{                                                                                         \
		return optimize(A);                                                               \
	}
EKM_WIDTHS(HINTS)
