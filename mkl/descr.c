/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices for descriptors other than general. A triangle or the diagonal is filtered from the hub;
 * a symmetric matrix is its triangle and the mirror image; a unit diagonal replaces what is stored.
 * They remember which entry each value came from, so new values cost one pass. Making one costs two
 * passes over the hub, and it takes, for each entry, what the hub takes and 8 bytes. */
#include "door.h"
#include <stdlib.h>
#include <string.h>

ekm_status ekm_descr_check(const ekm_arrays *a, int op, ekm_descr *descr)
{
	const bool symmetric = descr->type == EKM_SYMMETRIC || descr->type == EKM_HERMITIAN;

	if (op < EKM_OP_N || op > EKM_OP_H)
		return EKM_INVALID_VALUE;
	if (descr->type == EKM_BLOCK_TRIANGULAR || descr->type == EKM_BLOCK_DIAGONAL) {
		if (a->shape == EKM_BSR)
			return EKM_NOT_SUPPORTED;
		descr->type += EKM_TRIANGULAR - EKM_BLOCK_TRIANGULAR; /* a block is an entry */
	}
	if (descr->type == EKM_GENERAL) {
		*descr = (ekm_descr){.type = EKM_GENERAL};
		return EKM_SUCCESS;
	}
	if (descr->diag != EKM_UNIT && descr->diag != EKM_NON_UNIT)
		return EKM_INVALID_VALUE;
	if (descr->type == EKM_DIAGONAL) {
		descr->mode = 0;
		return EKM_SUCCESS;
	}
	if ((!symmetric && descr->type != EKM_TRIANGULAR) || (symmetric && a->rows != a->cols) ||
	    (descr->mode != EKM_LOWER && descr->mode != EKM_UPPER))
		return EKM_INVALID_VALUE;
	if (symmetric)
		descr->type = EKM_SYMMETRIC; /* values are real */
	return EKM_SUCCESS;
}

/* What the rules of a descriptor make of an entry of the hub: how many entries. Lines of a hub in
 * csc are columns, so there the lower triangle is that with line < index. */
static int entries_of(ekm_descr descr, bool csc, int64_t line, int64_t index)
{
	if (line == index)
		return descr.diag == EKM_UNIT ? 0 : 1;
	if (descr.type == EKM_DIAGONAL || (line > index) != ((descr.mode == EKM_LOWER) != csc))
		return 0;
	return descr.type == EKM_SYMMETRIC ? 2 : 1;
}

/* Arrays of a derived matrix in the making; indices begin at 0. */
typedef struct making {
	bool wide;
	int64_t *next; /* where the next entry of each line goes */
	void *ptr, *idx, *val;
	int64_t *from;
} making;

static void add(making *m, int64_t line, int64_t index, int64_t k)
{
	const int64_t at = m->next[line]++;

	if (m->from) { /* the second pass */
		ekm_put(m->wide, m->idx, at, index);
		m->from[at] = k;
	}
}

/* Calls add for each entry of the derived matrix. */
static void pass(const ekm_view *hub, ekm_descr descr, int64_t indices, making *m)
{
	const int64_t first = ekm_get(m->wide, hub->ptr, 0);

	for (int64_t line = 0; line < hub->lines; line++) {
		const int64_t end = ekm_get(m->wide, hub->ptr, line + 1) - first;

		if (descr.diag == EKM_UNIT && line < indices)
			add(m, line, line, -1);
		for (int64_t k = ekm_get(m->wide, hub->ptr, line) - first; k < end; k++) {
			const int64_t index = ekm_get(m->wide, hub->idx, k) - hub->base;
			const int n = entries_of(descr, hub->csc, line, index);

			if (n > 0)
				add(m, line, index, k);
			if (n > 1)
				add(m, index, line, k);
		}
	}
}

static void gather(ek_value value, const void *val, const ekm_derived *d, void *to)
{
	for (int64_t k = 0; k < d->count; k++)
		if (value == EK_F64)
			((double *)to)[k] = d->from[k] < 0 ? 1 : ((const double *)val)[d->from[k]];
		else
			((float *)to)[k] = d->from[k] < 0 ? 1 : ((const float *)val)[d->from[k]];
}

/* Counts the entries of each line, then makes the arrays. */
static ekm_status fill(const ekm_arrays *a, const ekm_view *hub, ekm_derived *d, making *m)
{
	const int64_t indices = a->rows < a->cols ? a->rows : a->cols;
	int64_t sum = 0;

	pass(hub, d->descr, indices, m);
	m->ptr = ekm_alloc(hub->lines + 1, ekm_index_size(a));
	if (!m->ptr)
		return EKM_ALLOC_FAILED;
	for (int64_t line = 0; line < hub->lines; line++) {
		const int64_t count = m->next[line];

		m->next[line] = sum;
		if (!a->wide && sum > INT32_MAX - count)
			return EKM_INVALID_VALUE;
		ekm_put(a->wide, m->ptr, line, sum);
		sum += count;
	}
	ekm_put(a->wide, m->ptr, hub->lines, sum);
	d->count = sum;
	d->from = m->from = ekm_alloc(sum, sizeof *d->from);
	m->idx = ekm_alloc(sum, ekm_index_size(a));
	m->val = ekm_alloc(sum, ek_value_size(a->value));
	if (!m->from || !m->idx || !m->val)
		return EKM_ALLOC_FAILED;
	pass(hub, d->descr, indices, m);
	gather(a->value, hub->val, d, m->val);
	return EKM_SUCCESS;
}

static ekm_status make(ekm_handle *A, ekm_derived *d)
{
	const ekm_arrays *a = &A->a;
	making m = {.wide = a->wide};
	ekm_view hub;
	ek_context *ctx;
	ekm_status status = ekm_context(&ctx);

	if (!status)
		status = ekm_view_of(A->hub, &hub);
	if (status)
		return status;
	m.next = calloc((size_t)hub.lines + 1, sizeof *m.next);
	status = m.next ? fill(a, &hub, d, &m) : EKM_ALLOC_FAILED;
	if (!status)
		status = ekm_status_of((hub.csc ? ek_matrix_from_csc : ek_matrix_from_csr)(
			ctx, a->value, ekm_index(a), a->rows, a->cols, m.ptr, m.idx, m.val,
			EK_ADOPT | EK_TRUSTED, &d->matrix));
	free(m.next);
	if (status) {
		free(m.ptr);
		free(m.idx);
		free(m.val);
	}
	return status;
}

ekm_status ekm_derive(ekm_handle *A, ekm_descr descr, const ek_matrix **M)
{
	ekm_derived *d = A->derived;
	ekm_status status = EKM_SUCCESS;

	if (!A->hub)
		return EKM_NOT_INITIALIZED;
	if (descr.type == EKM_GENERAL) {
		*M = A->hub;
		return EKM_SUCCESS;
	}
	while (d && memcmp(&d->descr, &descr, sizeof descr) != 0)
		d = d->next;
	if (!d) {
		d = calloc(1, sizeof *d);
		if (!d)
			return EKM_ALLOC_FAILED;
		d->descr = descr;
		status = make(A, d);
		if (status) {
			free(d->from);
			free(d);
			return status;
		}
		d->next = A->derived;
		A->derived = d;
	}
	*M = d->matrix;
	return EKM_SUCCESS;
}

ekm_status ekm_derived_refresh(ekm_handle *A, ekm_derived *d)
{
	ekm_view hub;
	ekm_status status = ekm_view_of(A->hub, &hub);
	void *val;

	if (status)
		return status;
	val = ekm_alloc(d->count, ek_value_size(A->a.value));
	if (!val)
		return EKM_ALLOC_FAILED;
	gather(A->a.value, hub.val, d, val);
	status = ekm_status_of(ek_matrix_set_values(d->matrix, d->count, val));
	free(val);
	return status;
}

ekm_status ekm_operand(ekm_handle *A, int op, ekm_descr descr, const ek_matrix **M, ek_op *ek)
{
	ekm_status status;

	if (!A)
		return EKM_NOT_INITIALIZED;
	status = ekm_descr_check(&A->a, op, &descr);
	if (status)
		return status;
	pthread_mutex_lock(&A->lock);
	status = ekm_derive(A, descr, M);
	pthread_mutex_unlock(&A->lock);
	*ek = op == EKM_OP_N ? EK_OP_N : EK_OP_T;
	return status;
}
