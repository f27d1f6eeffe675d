/* SPDX-License-Identifier: BSD-3-Clause
 * Intel MKL's inspector-executor products: mkl_sparse_?_mv, or mkl_sparse_?_mm for blocks, with a
 * handle from mkl_sparse_?_create_csr, after mkl_sparse_optimize with a hint of many products;
 * mkl_sparse_sp2m for products of sparse matrices, with and without mkl_sparse_order;
 * mkl_sparse_?_add for sums; and the Sparse BLAS level 1. MKL is told to use the GNU OpenMP run
 * time, like the rest of the process. */
#include <mkl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

struct product {
	const ek_peer_problem *p;
	sparse_matrix_t A;
	sparse_operation_t op;
	struct matrix_descr descr;
};

static sparse_status_t failure;

static const char *error(void)
{
	static const char *const text[] = {"success",          "not initialised",  "out of memory",
	                                   "an invalid value", "execution failed", "internal error",
	                                   "not supported"};

	return (size_t)failure < sizeof text / sizeof *text ? text[failure] : "unknown error";
}

static const char *version(void)
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

/* Makes a handle. MKL takes non-const pointers even to arrays that it only reads. */
static sparse_status_t create(const ek_peer_problem *p, const void *ptr, const void *idx,
                              const void *values, sparse_matrix_t *A)
{
	MKL_INT *row_ptr = (MKL_INT *)(uintptr_t)ptr;
	MKL_INT *col_idx = (MKL_INT *)(uintptr_t)idx;
	void *val = (void *)(uintptr_t)values;

	if (p->value_bytes == 4)
		return mkl_sparse_s_create_csr(A, SPARSE_INDEX_BASE_ZERO, (MKL_INT)p->rows,
		                               (MKL_INT)p->cols, row_ptr, row_ptr + 1, col_idx,
		                               val);
	return mkl_sparse_d_create_csr(A, SPARSE_INDEX_BASE_ZERO, (MKL_INT)p->rows,
	                               (MKL_INT)p->cols, row_ptr, row_ptr + 1, col_idx, val);
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

	failure = SPARSE_STATUS_ALLOC_FAILED;
	if (!m)
		return 1;
	m->p = p;
	m->op = p->transposed ? SPARSE_OPERATION_TRANSPOSE : SPARSE_OPERATION_NON_TRANSPOSE;
	m->descr.type = SPARSE_MATRIX_TYPE_GENERAL;
	mkl_set_num_threads(p->threads);
	failure = create(p, p->row_ptr, p->col_idx, p->val, &m->A);
	if (failure == SPARSE_STATUS_SUCCESS)
		failure = p->operation == EK_SPMV
		                  ? mkl_sparse_set_mv_hint(m->A, m->op, m->descr, (MKL_INT)p->calls)
		                  : mkl_sparse_set_mm_hint(m->A, m->op, m->descr, layout(p),
		                                           (MKL_INT)p->width, (MKL_INT)p->calls);
	if (failure == SPARSE_STATUS_SUCCESS || failure == SPARSE_STATUS_NOT_SUPPORTED)
		failure = mkl_sparse_optimize(m->A);
	if (failure != SPARSE_STATUS_SUCCESS && failure != SPARSE_STATUS_NOT_SUPPORTED) {
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
		failure = m->p->operation == EK_SPMV ? multiply(m) : multiply_blocks(m);
		if (failure != SPARSE_STATUS_SUCCESS)
			return 1;
	}
	return 0;
}

static const ek_peer mkl = {
	.abi = EK_PEER_ABI,
	.operations = EK_PEER_OF(EK_SPMV) | EK_PEER_OF(EK_SPMM),
	.name = "mkl",
	.text = "Intel MKL, mkl_sparse_optimize with a hint of many products, then mkl_sparse_?_mv "
		"or _mm",
	.version = version,
	.supports = supports,
	.prepare = prepare,
	.run = run,
	.release = release,
	.error = error,
};

/* ---- Sparse results -------------------------------------------------------------------------- */

struct sparse_product {
	const ek_peer_problem *p;
	bool sorted;
	sparse_matrix_t A, B, C; /* B is only for sums */
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

	failure = SPARSE_STATUS_ALLOC_FAILED;
	if (!m)
		return 1;
	m->p = p;
	m->sorted = sorted;
	mkl_set_num_threads(p->threads);
	failure = create(p, p->row_ptr, p->col_idx, p->val, &m->A);
	if (failure == SPARSE_STATUS_SUCCESS && p->operation == EK_SPADD)
		failure = create(p, p->b_row_ptr, p->b_col_idx, p->b_val, &m->B);
	if (failure != SPARSE_STATUS_SUCCESS) {
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

/* Makes C. MKL adds op(B), its first operand, to A. */
static sparse_status_t compute(struct sparse_product *m)
{
	const struct matrix_descr descr = {.type = SPARSE_MATRIX_TYPE_GENERAL};
	const sparse_operation_t op =
		m->p->transposed ? SPARSE_OPERATION_TRANSPOSE : SPARSE_OPERATION_NON_TRANSPOSE;

	if (m->p->operation == EK_SPADD)
		return m->p->value_bytes == 4 ? mkl_sparse_s_add(op, m->B, 1, m->A, &m->C)
		                              : mkl_sparse_d_add(op, m->B, 1, m->A, &m->C);
	return mkl_sparse_sp2m(SPARSE_OPERATION_NON_TRANSPOSE, descr, m->A, op, descr, m->A,
	                       SPARSE_STAGE_FULL_MULT, &m->C);
}

static int sparse_run(void *state, int64_t calls)
{
	struct sparse_product *m = state;

	for (; calls > 0; calls--) {
		drop(m);
		failure = compute(m);
		if (failure == SPARSE_STATUS_SUCCESS && m->sorted)
			failure = mkl_sparse_order(m->C);
		if (failure != SPARSE_STATUS_SUCCESS)
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

	failure = m->p->value_bytes == 4
	                  ? mkl_sparse_s_export_csr(m->C, &base, &rows, &cols, &begin, &end, &col,
	                                            (float **)&val)
	                  : mkl_sparse_d_export_csr(m->C, &base, &rows, &cols, &begin, &end, &col,
	                                            (double **)&val);
	*m->p->result = (ek_peer_result){begin, col, val, 4, 4};
	return failure != SPARSE_STATUS_SUCCESS;
}

static int sparse_supports(const ek_peer_problem *p)
{
	return p->ptr_bytes == 4 && p->idx_bytes == 4 && p->rows > 0 && p->cols > 0;
}

static const ek_peer mkl_sorted = {
	.abi = EK_PEER_ABI,
	.operations = EK_PEER_OF(EK_SPGEMM) | EK_PEER_OF(EK_SPADD),
	.name = "mkl",
	.text = "Intel MKL, mkl_sparse_sp2m in one stage, or mkl_sparse_?_add, and "
		"mkl_sparse_order",
	.version = version,
	.supports = sparse_supports,
	.prepare = prepare_sorted,
	.run = sparse_run,
	.fetch = sparse_fetch,
	.release = sparse_release,
	.error = error,
};

static const ek_peer mkl_unsorted = {
	.abi = EK_PEER_ABI,
	.operations = EK_PEER_OF(EK_SPGEMM) | EK_PEER_OF(EK_SPADD),
	.name = "mkl.unsorted",
	.text = "Intel MKL, the same without mkl_sparse_order",
	.version = version,
	.supports = sparse_supports,
	.prepare = prepare_unsorted,
	.run = sparse_run,
	.fetch = sparse_fetch,
	.release = sparse_release,
	.error = error,
};

/* ---- Transposition --------------------------------------------------------------------------- */

static int transpose_run(void *state, int64_t calls)
{
	struct sparse_product *m = state;

	for (; calls > 0; calls--) {
		drop(m);
		failure = mkl_sparse_convert_csr(m->A, SPARSE_OPERATION_TRANSPOSE, &m->C);
		if (failure != SPARSE_STATUS_SUCCESS)
			return 1;
	}
	return 0;
}

static const ek_peer mkl_transpose = {
	.abi = EK_PEER_ABI,
	.operations = EK_PEER_OF(EK_TRANSPOSE),
	.name = "mkl",
	.text = "Intel MKL, mkl_sparse_convert_csr with SPARSE_OPERATION_TRANSPOSE",
	.version = version,
	.supports = sparse_supports,
	.prepare = prepare_sorted,
	.run = transpose_run,
	.fetch = sparse_fetch,
	.release = sparse_release,
	.error = error,
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
	.abi = EK_PEER_ABI,
	.operations = EK_PEER_OF(EK_SPARSE_DOT_DENSE) | EK_PEER_OF(EK_SPARSE_AXPY) |
                      EK_PEER_OF(EK_GATHER) | EK_PEER_OF(EK_GATHER_ZERO) | EK_PEER_OF(EK_SCATTER),
	.name = "mkl",
	.text = "Intel MKL, Sparse BLAS level 1: cblas_?doti, _?axpyi, _?gthr, _?gthrz, _?sctr",
	.version = version,
	.supports = vector_supports,
	.prepare = vector_prepare,
	.run = vector_run,
	.release = vector_release,
	.error = error,
};

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&mkl,           &mkl_sorted,  &mkl_unsorted,
	                                      &mkl_transpose, &mkl_vectors, NULL};

	mkl_set_interface_layer(MKL_INTERFACE_LP64);
	mkl_set_threading_layer(MKL_THREADING_GNU);
	return list;
}
