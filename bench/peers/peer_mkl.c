/* SPDX-License-Identifier: BSD-3-Clause
 * Intel MKL's inspector-executor products: mkl_sparse_?_mv, or mkl_sparse_?_mm for blocks, with a
 * handle from mkl_sparse_?_create_csr, after mkl_sparse_optimize with a hint of many products; and
 * the Sparse BLAS level 1. Operations with a sparse result are in mkl_sparse.c. MKL is told to use
 * the GNU OpenMP run time, like the rest of the process. */
#include <stdio.h>
#include <stdlib.h>

#include "mkl_peer.h"

struct product {
	const ek_peer_problem *p;
	sparse_matrix_t A;
	sparse_operation_t op;
	struct matrix_descr descr;
};

sparse_status_t mkl_peer_failure;

const char *mkl_peer_error(void)
{
	static const char *const text[] = {"success",          "not initialised",  "out of memory",
	                                   "an invalid value", "execution failed", "internal error",
	                                   "not supported"};

	return (size_t)mkl_peer_failure < sizeof text / sizeof *text ? text[mkl_peer_failure]
	                                                             : "unknown error";
}

const char *mkl_peer_version(void)
{
	static char text[32];
	MKLVersion v;

	mkl_get_version(&v);
	snprintf(text, sizeof text, "%d.%d.%d", v.MajorVersion, v.MinorVersion, v.UpdateVersion);
	return text;
}

static int supports(const ek_peer_problem *p)
{
	return p->ptr_bytes == 4 && p->idx_bytes == 4 && p->rows > 0 && p->cols > 0 &&
	       p->x_order == p->y_order;
}

static sparse_layout_t layout(const ek_peer_problem *p)
{
	return p->x_order == EK_ROW_MAJOR ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR;
}

static MKL_INT leading(const ek_peer_problem *p, int64_t rows)
{
	return (MKL_INT)(p->x_order == EK_ROW_MAJOR ? p->width : rows);
}

/* MKL takes non-const pointers even to arrays that it only reads. */
sparse_status_t mkl_peer_create(const ek_peer_problem *p, int64_t cols, const void *ptr,
                                const void *idx, const void *values, sparse_matrix_t *A)
{
	MKL_INT *row_ptr = (MKL_INT *)(uintptr_t)ptr;
	MKL_INT *col_idx = (MKL_INT *)(uintptr_t)idx;
	void *val = (void *)(uintptr_t)values;

	if (p->value_bytes == 4)
		return mkl_sparse_s_create_csr(A, SPARSE_INDEX_BASE_ZERO, (MKL_INT)p->rows,
		                               (MKL_INT)cols, row_ptr, row_ptr + 1, col_idx, val);
	return mkl_sparse_d_create_csr(A, SPARSE_INDEX_BASE_ZERO, (MKL_INT)p->rows, (MKL_INT)cols,
	                               row_ptr, row_ptr + 1, col_idx, val);
}

static void release(void *state)
{
	struct product *m = state;

	if (m && m->A)
		mkl_sparse_destroy(m->A);
	free(m);
}

static int prepare(const ek_peer_problem *p, void **state)
{
	struct product *m = calloc(1, sizeof *m);

	mkl_peer_failure = SPARSE_STATUS_ALLOC_FAILED;
	if (!m)
		return 1;
	m->p = p;
	m->op = p->transposed ? SPARSE_OPERATION_TRANSPOSE : SPARSE_OPERATION_NON_TRANSPOSE;
	m->descr.type = SPARSE_MATRIX_TYPE_GENERAL;
	mkl_set_num_threads(p->threads);
	mkl_peer_failure = mkl_peer_create(p, p->cols, p->row_ptr, p->col_idx, p->val, &m->A);
	if (mkl_peer_failure == SPARSE_STATUS_SUCCESS)
		mkl_peer_failure =
			p->operation == EK_SPMV
				? mkl_sparse_set_mv_hint(m->A, m->op, m->descr, (MKL_INT)p->calls)
				: mkl_sparse_set_mm_hint(m->A, m->op, m->descr, layout(p),
		                                         (MKL_INT)p->width, (MKL_INT)p->calls);
	if (mkl_peer_failure == SPARSE_STATUS_SUCCESS ||
	    mkl_peer_failure == SPARSE_STATUS_NOT_SUPPORTED)
		mkl_peer_failure = mkl_sparse_optimize(m->A);
	if (mkl_peer_failure != SPARSE_STATUS_SUCCESS &&
	    mkl_peer_failure != SPARSE_STATUS_NOT_SUPPORTED) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

static sparse_status_t multiply(const struct product *m)
{
	const ek_peer_problem *p = m->p;

	return p->value_bytes == 4
	               ? mkl_sparse_s_mv(m->op, (float)p->alpha, m->A, m->descr, p->x,
	                                 (float)p->beta, p->y)
	               : mkl_sparse_d_mv(m->op, p->alpha, m->A, m->descr, p->x, p->beta, p->y);
}

static sparse_status_t multiply_blocks(const struct product *m)
{
	const ek_peer_problem *p = m->p;
	const MKL_INT width = (MKL_INT)p->width;
	const MKL_INT x_ld = leading(p, p->transposed ? p->rows : p->cols);
	const MKL_INT y_ld = leading(p, p->transposed ? p->cols : p->rows);

	return p->value_bytes == 4
	               ? mkl_sparse_s_mm(m->op, (float)p->alpha, m->A, m->descr, layout(p), p->x,
	                                 width, x_ld, (float)p->beta, p->y, y_ld)
	               : mkl_sparse_d_mm(m->op, p->alpha, m->A, m->descr, layout(p), p->x, width,
	                                 x_ld, p->beta, p->y, y_ld);
}

static int run(void *state, int64_t calls)
{
	const struct product *m = state;

	for (; calls > 0; calls--) {
		mkl_peer_failure = m->p->operation == EK_SPMV ? multiply(m) : multiply_blocks(m);
		if (mkl_peer_failure != SPARSE_STATUS_SUCCESS)
			return 1;
	}
	return 0;
}

static const ek_peer mkl = {
	EK_PEER("mkl",
                "Intel MKL, mkl_sparse_optimize with a hint of many products, then mkl_sparse_?_mv "
                "or _mm",
                EK_PEER_OF(EK_SPMV) | EK_PEER_OF(EK_SPMM), mkl_peer_version),
	EK_PEER_CALLS(supports, prepare, run, NULL, release, mkl_peer_error),
};

/* ---- Sparse vectors -------------------------------------------------------------------------- */

static int vector_supports(const ek_peer_problem *p)
{
	return p->offset && (p->type == EK_F32 || p->type == EK_F64);
}

static int vector_prepare(const ek_peer_problem *p, void **state)
{
	mkl_set_num_threads(p->threads);
	*state = (void *)(uintptr_t)p;
	return 0;
}

/* Makes a call for the values of a type, whose name for MKL begins with the letter `t`. */
#define CALL(t, type)                                                                              \
	switch (p->operation) {                                                                    \
	case EK_SPARSE_DOT_DENSE:                                                                  \
		*(type *)p->out = cblas_##t##doti(n, p->in, p->offset, p->in_b);                   \
		break;                                                                             \
	case EK_SPARSE_AXPY: cblas_##t##axpyi(n, (type)p->alpha, p->in, p->offset, p->key); break; \
	case EK_GATHER: cblas_##t##gthr(n, p->in_b, p->out, p->offset); break;                     \
	case EK_GATHER_ZERO: cblas_##t##gthrz(n, p->key, p->out, p->offset); break;                \
	default: cblas_##t##sctr(n, p->in, p->offset, p->key); break;                              \
	}

static int vector_run(void *state, int64_t calls)
{
	const ek_peer_problem *p = state;
	const MKL_INT n = (MKL_INT)p->n;

	for (; calls > 0; calls--)
		if (p->type == EK_F32) {
			CALL(s, float)
		} else {
			CALL(d, double)
		}
	return 0;
}

static void vector_release(void *state)
{
	(void)state;
}

static const ek_peer mkl_vectors = {
	EK_PEER("mkl",
                "Intel MKL, Sparse BLAS level 1: cblas_?doti, _?axpyi, _?gthr, _?gthrz, _?sctr",
                EK_PEER_OF(EK_SPARSE_DOT_DENSE) | EK_PEER_OF(EK_SPARSE_AXPY) |
                        EK_PEER_OF(EK_GATHER) | EK_PEER_OF(EK_GATHER_ZERO) | EK_PEER_OF(EK_SCATTER),
                mkl_peer_version),
	EK_PEER_CALLS(vector_supports, vector_prepare, vector_run, NULL, vector_release,
                      mkl_peer_error),
};

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&mkl,           &mkl_sorted,  &mkl_unsorted,
	                                      &mkl_transpose, &mkl_vectors, NULL};

	mkl_set_interface_layer(MKL_INTERFACE_LP64);
	mkl_set_threading_layer(MKL_THREADING_GNU);
	return list;
}
