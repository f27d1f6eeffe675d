/* SPDX-License-Identifier: BSD-3-Clause
 * Compares sparse results with that of the operation's reference: the pattern must be the same, and
 * a value may differ by twice the bound in ek.h, since the reference has errors too. */
#include <math.h>
#include <string.h>

#include "../cli/sorted.h"
#include "sparse.h"

ek_view sparse_view(const ek_matrix *A, const char *name)
{
	ek_view view = {.size = sizeof view};

	if (ek_matrix_array(A, name, &view) != EK_OK)
		view.data = NULL;
	return view;
}

double sparse_number(const ek_view *v, int64_t k)
{
	switch (v->type) {
	case EK_F32: return (double)((const float *)v->data)[k];
	case EK_F64: return ((const double *)v->data)[k];
	case EK_INT32: return (double)((const int32_t *)v->data)[k];
	default: return (double)((const int64_t *)v->data)[k];
	}
}

static bool same_indices(const ek_matrix *A, const ek_matrix *B, const char *name)
{
	const ek_view a = sparse_view(A, name), b = sparse_view(B, name);

	for (int64_t k = 0; k < a.len && a.len == b.len; k++)
		if (sparse_number(&a, k) != sparse_number(&b, k))
			return false;
	return a.len == b.len;
}

/* Returns the largest error of a value of C over its bound. */
static double compare(const struct sparse *p, const ek_matrix *C)
{
	const ek_view c = sparse_view(C, "val"), ref = sparse_view(p->C, "val");
	const ek_view size = sparse_view(p->size, "val");
	const double u = c.type == EK_F32 ? 0x1p-24 : 0x1p-53, terms = p->depth * u;
	const double eta = c.type == EK_F32 ? 0x1p-149 : 0x1p-1074;
	double worst = 0;

	if (!same_indices(C, p->C, "row_ptr") || !same_indices(C, p->C, "col_idx"))
		return INFINITY;
	for (int64_t k = 0; k < c.len; k++) {
		const double bound = 2 * terms / (1 - terms) * sparse_number(&size, k) + 4 * eta;
		const double error = fabs(sparse_number(&c, k) - sparse_number(&ref, k));

		worst = error <= bound ? fmax(worst, error / bound) : INFINITY;
	}
	return worst;
}

/* Copies the result of a peer to a matrix with sorted rows. Returns NULL if that fails. */
static ek_matrix *sorted_peer(const struct sparse *p)
{
	const ek_peer_result *r = &p->from_peer;
	const ek_index index = r->ptr_bytes == 4   ? EK_I32
	                       : r->idx_bytes == 4 ? EK_I64_32
	                                           : EK_I64;
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *C = NULL;

	if (ek_matrix_get_info(p->C, &info) != EK_OK ||
	    ek_matrix_from_csr(p->ctx, info.value, index, info.rows, info.cols, r->row_ptr,
	                       r->col_idx, r->val, EK_COPY | EK_DUP_SUM, &C) != EK_OK)
		return NULL;
	return C;
}

/* Copies ours. Returns NULL also if a column is twice in a row. */
static ek_matrix *sorted_own(const struct sparse *p)
{
	ek_matrix *C = NULL;
	int64_t twice = 0;

	if (sorted_copy(p->ctx, p->result, &C, &twice) == EK_OK && !twice)
		return C;
	ek_matrix_destroy(C);
	return NULL;
}

/* Returns a copy to be compared in place of a result, or NULL for the result as it is. */
static ek_matrix *copy_of(const struct sparse *p)
{
	return !p->result ? sorted_peer(p) : p->unsorted ? sorted_own(p) : NULL;
}

double sparse_error(void *problem, const char *method)
{
	struct sparse *p = problem;
	ek_matrix *copy = copy_of(p);
	const double e = p->result || copy ? compare(p, copy ? copy : p->result) : INFINITY;

	(void)method;
	ek_matrix_destroy(copy);
	return e;
}

void sparse_spoil(void *problem)
{
	struct sparse *p = problem;

	p->result = NULL;
	memset(&p->from_peer, 0, sizeof p->from_peer);
}
