/* SPDX-License-Identifier: BSD-3-Clause
 * Intel MKL's operations with a sparse result, in the module of peer_mkl.c: mkl_sparse_sp2m for
 * products of two and of three sparse matrices, mkl_sparse_?_add for sums, both with and without
 * mkl_sparse_order, and mkl_sparse_convert_csr for transposes.
 *
 * mkl_sparse_sypr, which has the Galerkin product in one call, does not take part. It takes only a
 * symmetric A, as one of its triangles, and makes only the upper triangle of C. */
#include <stdbool.h>
#include <stdlib.h>

#include "mkl_peer.h"

struct sparse_product {
	const ek_peer_problem *p;
	bool sorted;
	sparse_matrix_t A, B, C; /* B is only for sums, and P of Galerkin products */
};

static void drop(struct sparse_product *m)
{
	if (m->C)
		mkl_sparse_destroy(m->C);
	m->C = NULL;
}

static void sparse_release(void *state)
{
	struct sparse_product *m = state;

	drop(m);
	if (m->A)
		mkl_sparse_destroy(m->A);
	if (m->B)
		mkl_sparse_destroy(m->B);
	free(m);
}

static int sparse_prepare(const ek_peer_problem *p, bool sorted, void **state)
{
	struct sparse_product *m = calloc(1, sizeof *m);

	mkl_peer_failure = SPARSE_STATUS_ALLOC_FAILED;
	if (!m)
		return 1;
	m->p = p;
	m->sorted = sorted;
	mkl_set_num_threads(p->threads);
	mkl_peer_failure = mkl_peer_create(p, p->cols, p->row_ptr, p->col_idx, p->val, &m->A);
	if (mkl_peer_failure == SPARSE_STATUS_SUCCESS &&
	    (p->operation == EK_SPADD || p->operation == EK_TRIPLE))
		mkl_peer_failure =
			mkl_peer_create(p, p->b_cols, p->b_row_ptr, p->b_col_idx, p->b_val, &m->B);
	if (mkl_peer_failure != SPARSE_STATUS_SUCCESS) {
		sparse_release(m);
		return 1;
	}
	*state = m;
	return 0;
}

static int prepare_sorted(const ek_peer_problem *p, void **state)
{
	return sparse_prepare(p, true, state);
}

static int prepare_unsorted(const ek_peer_problem *p, void **state)
{
	return sparse_prepare(p, false, state);
}

static sparse_status_t multiply(sparse_operation_t op_a, sparse_matrix_t A, sparse_operation_t op_b,
                                sparse_matrix_t B, sparse_matrix_t *C)
{
	const struct matrix_descr descr = {.type = SPARSE_MATRIX_TYPE_GENERAL};

	return mkl_sparse_sp2m(op_a, descr, A, op_b, descr, B, SPARSE_STAGE_FULL_MULT, C);
}

/* Makes P^T (A P). */
static sparse_status_t multiply_three(struct sparse_product *m)
{
	sparse_matrix_t AP = NULL;
	sparse_status_t status = multiply(SPARSE_OPERATION_NON_TRANSPOSE, m->A,
	                                  SPARSE_OPERATION_NON_TRANSPOSE, m->B, &AP);

	if (status == SPARSE_STATUS_SUCCESS)
		status = multiply(SPARSE_OPERATION_TRANSPOSE, m->B, SPARSE_OPERATION_NON_TRANSPOSE,
		                  AP, &m->C);
	if (AP)
		mkl_sparse_destroy(AP);
	return status;
}

/* Makes C. MKL adds op(B), its first operand, to A. */
static sparse_status_t compute(struct sparse_product *m)
{
	const sparse_operation_t op =
		m->p->transposed ? SPARSE_OPERATION_TRANSPOSE : SPARSE_OPERATION_NON_TRANSPOSE;

	if (m->p->operation == EK_SPADD)
		return m->p->value_bytes == 4 ? mkl_sparse_s_add(op, m->B, 1, m->A, &m->C)
		                              : mkl_sparse_d_add(op, m->B, 1, m->A, &m->C);
	if (m->p->operation == EK_TRIPLE)
		return multiply_three(m);
	return multiply(SPARSE_OPERATION_NON_TRANSPOSE, m->A, op, m->A, &m->C);
}

static int sparse_run(void *state, int64_t calls)
{
	struct sparse_product *m = state;

	for (; calls > 0; calls--) {
		drop(m);
		mkl_peer_failure = compute(m);
		if (mkl_peer_failure == SPARSE_STATUS_SUCCESS && m->sorted)
			mkl_peer_failure = mkl_sparse_order(m->C);
		if (mkl_peer_failure != SPARSE_STATUS_SUCCESS)
			return 1;
	}
	return 0;
}

static int sparse_fetch(void *state)
{
	const struct sparse_product *m = state;
	sparse_index_base_t base;
	MKL_INT rows, cols, *begin, *end, *col;
	void *val;

	mkl_peer_failure = m->p->value_bytes == 4
	                           ? mkl_sparse_s_export_csr(m->C, &base, &rows, &cols, &begin,
	                                                     &end, &col, (float **)&val)
	                           : mkl_sparse_d_export_csr(m->C, &base, &rows, &cols, &begin,
	                                                     &end, &col, (double **)&val);
	*m->p->result = (ek_peer_result){begin, col, val, 4, 4};
	return mkl_peer_failure != SPARSE_STATUS_SUCCESS;
}

static int sparse_supports(const ek_peer_problem *p)
{
	return p->ptr_bytes == 4 && p->idx_bytes == 4 && p->rows > 0 && p->cols > 0;
}

const ek_peer mkl_sorted = {
	EK_PEER("mkl",
                "Intel MKL, mkl_sparse_sp2m in one stage, once or, for P^T (A P), twice, or "
                "mkl_sparse_?_add, and mkl_sparse_order",
                EK_PEER_OF(EK_SPGEMM) | EK_PEER_OF(EK_SPADD) | EK_PEER_OF(EK_TRIPLE),
                mkl_peer_version),
	EK_PEER_CALLS(sparse_supports, prepare_sorted, sparse_run, sparse_fetch, sparse_release,
                      mkl_peer_error),
};

const ek_peer mkl_unsorted = {
	EK_PEER("mkl.unsorted", "Intel MKL, the same without mkl_sparse_order",
                EK_PEER_OF(EK_SPGEMM) | EK_PEER_OF(EK_SPADD) | EK_PEER_OF(EK_TRIPLE),
                mkl_peer_version),
	EK_PEER_CALLS(sparse_supports, prepare_unsorted, sparse_run, sparse_fetch, sparse_release,
                      mkl_peer_error),
};

/* ---- Transposition --------------------------------------------------------------------------- */

static int transpose_run(void *state, int64_t calls)
{
	struct sparse_product *m = state;

	for (; calls > 0; calls--) {
		drop(m);
		mkl_peer_failure = mkl_sparse_convert_csr(m->A, SPARSE_OPERATION_TRANSPOSE, &m->C);
		if (mkl_peer_failure != SPARSE_STATUS_SUCCESS)
			return 1;
	}
	return 0;
}

const ek_peer mkl_transpose = {
	EK_PEER("mkl", "Intel MKL, mkl_sparse_convert_csr with SPARSE_OPERATION_TRANSPOSE",
                EK_PEER_OF(EK_TRANSPOSE), mkl_peer_version),
	EK_PEER_CALLS(sparse_supports, prepare_sorted, transpose_run, sparse_fetch, sparse_release,
                      mkl_peer_error),
};
