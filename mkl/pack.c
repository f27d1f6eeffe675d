/* SPDX-License-Identifier: BSD-3-Clause
 * From the arrays of the interface to the hub.
 *
 * CSR and CSC whose lines follow each other without gaps are borrowed; only the pointers are
 * copied, unless they are one array of lines + 1 that begins at the base. So values that the caller
 * changes in place are those that products read. CSR with gaps and BSR are packed into arrays that
 * the hub owns, blocks with all their entries, zeros too. COO is assembled by evenkeel. */
#include "door.h"
#include <stdlib.h>
#include <string.h>

typedef struct packed {
	void *ptr, *idx, *val;
} packed;

/* Writes pointers, indices and values of the packed arrays, from 0; each may be NULL. */
static void pack(const ekm_arrays *a, packed to)
{
	const size_t size = ek_value_size(a->value);
	const int64_t b = a->block;
	int64_t at = 0;

	for (int64_t row = 0; row < a->lines * b; row++) {
		const int64_t line = row / b, r = row % b;
		const int64_t end = ekm_get(a->wide, a->end, line) - a->base;

		if (to.ptr)
			ekm_put(a->wide, to.ptr, row, at);
		for (int64_t k = ekm_get(a->wide, a->start, line) - a->base; k < end; k++)
			for (int64_t c = 0; c < b; c++, at++) {
				const int64_t in = k * b * b + ekm_in_block(a, r, c);
				const int64_t col = ekm_get(a->wide, a->idx, k) - a->base;

				if (to.idx)
					ekm_put(a->wide, to.idx, at, col * b + c);
				if (to.val)
					memcpy(ekm_at(to.val, at, size), ekm_at(a->val, in, size),
					       size);
			}
	}
	if (to.ptr)
		ekm_put(a->wide, to.ptr, a->lines * b, at);
}

/* Says whether the columns of blocks [begin, end) are in the matrix; packed, a wrong one could wrap
 * round to one that is. The hub checks the indices of the other shapes. */
static bool blocks_fit(const ekm_arrays *a, int64_t begin, int64_t end)
{
	const int64_t cols = a->cols / a->block;

	for (int64_t k = begin; k < end; k++) {
		const int64_t col = ekm_get(a->wide, a->idx, k) - a->base;

		if (col < 0 || col >= cols)
			return false;
	}
	return true;
}

/* What a pass over the lines finds: their entries, and whether there are gaps. */
typedef struct lines {
	int64_t count;
	bool gaps;
} lines;

static ekm_status look(const ekm_arrays *a, lines *found)
{
	*found = (lines){0};
	for (int64_t i = 0; i < a->lines; i++) {
		const int64_t begin = ekm_get(a->wide, a->start, i);
		const int64_t end = ekm_get(a->wide, a->end, i);

		if (begin < a->base || end < begin)
			return EKM_INVALID_VALUE;
		if (a->shape == EKM_BSR && a->idx &&
		    !blocks_fit(a, begin - a->base, end - a->base))
			return EKM_INVALID_VALUE;
		found->count += end - begin;
		found->gaps |= i + 1 < a->lines && ekm_get(a->wide, a->start, i + 1) != end;
	}
	return found->count && (!a->idx || !a->val) ? EKM_NOT_INITIALIZED : EKM_SUCCESS;
}

static ek_status from_arrays(const ekm_arrays *a, ek_context *ctx, packed p, unsigned flags,
                             ek_matrix **hub)
{
	return (a->shape == EKM_CSC ? ek_matrix_from_csc : ek_matrix_from_csr)(
		ctx, a->value, ekm_index(a), a->rows, a->cols, p.ptr, p.idx, p.val, flags, hub);
}

static ekm_status borrow(ekm_handle *A, ek_context *ctx, bool trusted)
{
	ekm_arrays *a = &A->a;
	const size_t size = ekm_index_size(a);
	const int64_t first = ekm_get(a->wide, a->start, 0) - a->base;
	const packed p = {.idx = ekm_at(a->idx, first, size),
	                  .val = ekm_at(a->val, first, ek_value_size(a->value)),
	                  .ptr = a->start};
	packed mine = p;

	if (first || a->end != ekm_at(a->start, 1, size)) {
		A->ptr = ekm_alloc(a->lines + 1, size);
		if (!A->ptr)
			return EKM_ALLOC_FAILED;
		for (int64_t i = 0; i < a->lines; i++)
			ekm_put(a->wide, A->ptr, i, ekm_get(a->wide, a->start, i) - first);
		ekm_put(a->wide, A->ptr, a->lines, ekm_get(a->wide, a->end, a->lines - 1) - first);
		mine.ptr = A->ptr;
	}
	A->in_place = true;
	return ekm_status_of(from_arrays(
		a, ctx, mine, EK_BORROW | (a->base ? EK_BASE1 : 0) | (trusted ? EK_TRUSTED : 0),
		&A->hub));
}

static ekm_status copy(ekm_handle *A, ek_context *ctx, int64_t entries)
{
	const ekm_arrays *a = &A->a;
	const int64_t most = a->wide ? INT64_MAX : INT32_MAX, area = a->block * a->block;
	packed p;
	ekm_status status = EKM_ALLOC_FAILED;

	if (entries && area > most / entries)
		return EKM_INVALID_VALUE;
	p.ptr = ekm_alloc(a->lines * a->block + 1, ekm_index_size(a));
	p.idx = ekm_alloc(entries * area, ekm_index_size(a));
	p.val = ekm_alloc(entries * area, ek_value_size(a->value));
	if (p.ptr && p.idx && p.val) {
		pack(a, p);
		status = ekm_status_of(from_arrays(a, ctx, p, EK_ADOPT, &A->hub));
	}
	if (status) {
		free(p.ptr);
		free(p.idx);
		free(p.val);
	}
	return status;
}

ekm_status ekm_hub_create(ekm_handle *A, bool trusted)
{
	static atomic_uint_fast64_t hubs;
	const ekm_arrays *a = &A->a;
	lines found;
	ek_context *ctx;
	ekm_status status = ekm_context(&ctx);

	A->number = atomic_fetch_add(&hubs, 1) + 1;
	if (status)
		return status;
	if (a->shape == EKM_COO)
		return ekm_status_of(ek_matrix_from_coo(
			ctx, a->value, ekm_index(a), a->rows, a->cols, a->lines, a->start, a->idx,
			a->val, EK_KEEP_ORDER | (a->base ? EK_BASE1 : 0), &A->hub));
	status = look(a, &found);
	if (status)
		return status;
	if (found.gaps || a->shape == EKM_BSR)
		return copy(A, ctx, found.count);
	return borrow(A, ctx, trusted);
}

ekm_status ekm_values_changed(ekm_handle *A)
{
	const ekm_arrays *a = &A->a;
	ekm_status status;

	if (A->in_place) {
		status = ekm_status_of(ek_matrix_values_changed(A->hub));
	} else if (a->shape == EKM_COO) {
		status = ekm_status_of(ek_matrix_set_values(A->hub, a->lines, a->val));
	} else {
		ek_matrix_info info = {.size = sizeof info};
		void *val;

		ek_matrix_get_info(A->hub, &info);
		val = ekm_alloc(info.nnz, ek_value_size(a->value));
		if (!val)
			return EKM_ALLOC_FAILED;
		pack(a, (packed){.val = val});
		status = ekm_status_of(ek_matrix_set_values(A->hub, info.nnz, val));
		free(val);
	}
	for (ekm_derived *d = A->derived; d && !status; d = d->next)
		status = ekm_derived_refresh(A, d);
	return status;
}

void ekm_forget(ekm_handle *A)
{
	ekm_plans_forget(A);
	for (ekm_derived *d = A->derived, *next; d; d = next) {
		next = d->next;
		ek_matrix_destroy(d->matrix);
		free(d->from);
		free(d);
	}
	A->derived = NULL;
}

ekm_status ekm_hub_renew(ekm_handle *A)
{
	const uint64_t number = A->number;
	const bool in_place = A->in_place;
	ek_matrix *hub = A->hub;
	void *ptr = A->ptr;
	ekm_status status;

	A->hub = NULL;
	A->ptr = NULL;
	status = ekm_hub_create(A, true);
	if (status) {
		free(A->ptr);
		A->ptr = ptr;
		A->hub = hub;
		A->in_place = in_place;
		A->number = number;
		return status;
	}
	ekm_forget(A);
	ek_plan_destroy(A->product.plan);
	A->product.plan = NULL;
	ek_matrix_destroy(hub);
	free(ptr);
	return EKM_SUCCESS;
}

ekm_status ekm_view_of(const ek_matrix *M, ekm_view *view)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_view ptr = {.size = sizeof ptr}, idx = ptr, val = ptr;
	ek_status status = ek_matrix_get_info(M, &info);
	const bool csc = !status && strcmp(info.format, "csc") == 0;

	if (!status)
		status = ek_matrix_array(M, csc ? "col_ptr" : "row_ptr", &ptr);
	if (!status)
		status = ek_matrix_array(M, csc ? "row_idx" : "col_idx", &idx);
	if (!status)
		status = ek_matrix_array(M, "val", &val);
	if (!status)
		*view = (ekm_view){.csc = csc,
		                   .base = info.base,
		                   .lines = csc ? info.cols : info.rows,
		                   .nnz = info.nnz,
		                   .ptr = ptr.data,
		                   .idx = idx.data,
		                   .val = val.data};
	return ekm_status_of(status);
}
