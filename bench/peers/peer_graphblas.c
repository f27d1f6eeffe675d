/* SPDX-License-Identifier: BSD-3-Clause
 * SuiteSparse:GraphBLAS: GrB_mxv with the PLUS_TIMES semiring on a matrix from GrB_Matrix_import
 * and a full vector. Blocks are full matrices, held by rows; GrB_mxm adds to a Y of zeros, which
 * stays full. This is several times as fast as creating Y anew. Sparse results are made by GrB_mxm,
 * twice for Galerkin products, by GrB_Matrix_eWiseAdd_BinaryOp and by GrB_transpose. Version 10 is
 * told to hold 32-bit indices. These functions have no alpha and beta, so only y = op(A) x is
 * compared.
 *
 * Products with sparse vectors are in graphblas_spmspv.c. The Python wheel with version 10 has no
 * header, so graphblas.h declares the functions that are used. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphblas.h"

#ifndef PEER_VERSION
#define PEER_VERSION "unknown"
#endif

struct product {
	const ek_peer_problem *p;
	GrB_Matrix A, X, Y; /* X and Y are blocks */
	GrB_Vector x, y;
	GrB_Semiring semiring;
	GrB_Descriptor descriptor;
	GrB_Index in, out, width;
};

static char message[64];

const char *graphblas_error(void)
{
	return message;
}

const char *graphblas_version(void)
{
	return PEER_VERSION;
}

bool graphblas_failed(const char *what, int info)
{
	if (info == SUCCESS)
		return false;
	snprintf(message, sizeof message, "%s returned %d", what, info);
	return true;
}

static int supports(const ek_peer_problem *p)
{
	return p->alpha == 1 && p->beta == 0 && p->rows > 0 && p->cols > 0 &&
	       (p->operation != EK_SPMM ||
	        (p->x_order == EK_ROW_MAJOR && p->y_order == EK_ROW_MAJOR));
}

GrB_Index *graphblas_indices(const void *data, int bytes, int64_t count)
{
	GrB_Index *wide = malloc((size_t)(count + 1) * sizeof *wide);

	for (int64_t k = 0; wide && k < count; k++)
		wide[k] = bytes == 4 ? (GrB_Index)((const int32_t *)data)[k]
		                     : (GrB_Index)((const int64_t *)data)[k];
	return wide;
}

bool graphblas_import(const ek_peer_problem *p, int64_t columns, int64_t entries, const void *ptr,
                      const void *idx, const void *val, GrB_Matrix *A)
{
	GrB_Index rows = (GrB_Index)p->rows, cols = (GrB_Index)columns, nnz = (GrB_Index)entries;
	GrB_Index *row_ptr = graphblas_indices(ptr, p->ptr_bytes, p->rows + 1);
	GrB_Index *col_idx = graphblas_indices(idx, p->idx_bytes, entries);
	int info = -1;

	if (row_ptr && col_idx && p->value_bytes == 4)
		info = GrB_Matrix_import_FP32(A, GrB_FP32, rows, cols, row_ptr, col_idx, val,
		                              rows + 1, nnz, nnz, CSR_FORMAT);
	else if (row_ptr && col_idx)
		info = GrB_Matrix_import_FP64(A, GrB_FP64, rows, cols, row_ptr, col_idx, val,
		                              rows + 1, nnz, nnz, CSR_FORMAT);
	free(row_ptr);
	free(col_idx);
	return !graphblas_failed("GrB_Matrix_import", info) &&
	       !graphblas_failed("GrB_Matrix_wait", GrB_Matrix_wait(*A, MATERIALIZE));
}

static bool import_vectors(struct product *m)
{
	GrB_Type type = m->p->value_bytes == 4 ? GrB_FP32 : GrB_FP64;
	GrB_Index bytes = m->in * m->width * (GrB_Index)m->p->value_bytes;
	void *x = malloc(bytes);

	if (!x)
		return !graphblas_failed("malloc", -1);
	memcpy(x, m->p->x, bytes);
	if (m->p->operation == EK_SPMM)
		return !graphblas_failed("GxB_Matrix_import_FullR",
		                         GxB_Matrix_import_FullR(&m->X, type, m->in, m->width, &x,
		                                                 bytes, false, NULL)) &&
		       !graphblas_failed("GrB_Matrix_new",
		                         GrB_Matrix_new(&m->Y, type, m->out, m->width));
	return !graphblas_failed(
		       "GxB_Vector_import_Full",
		       GxB_Vector_import_Full(&m->x, type, m->in, &x, bytes, false, NULL)) &&
	       !graphblas_failed("GrB_Vector_new", GrB_Vector_new(&m->y, type, m->out));
}

static void release(void *state)
{
	struct product *m = state;

	GrB_Matrix_free(&m->A);
	GrB_Matrix_free(&m->X);
	GrB_Matrix_free(&m->Y);
	GrB_Vector_free(&m->x);
	GrB_Vector_free(&m->y);
	free(m);
}

/* Starts the library. */
static bool start(int threads)
{
	omp_set_num_threads(threads);
	if (graphblas_failed("GrB_init", GrB_init(NONBLOCKING)))
		return false;
#ifdef PEER_GRAPHBLAS_32BIT
	GrB_Global_set_INT32(GrB_GLOBAL, 32, ROWINDEX_HINT);
	GrB_Global_set_INT32(GrB_GLOBAL, 32, COLINDEX_HINT);
	GrB_Global_set_INT32(GrB_GLOBAL, 32, OFFSET_HINT);
#endif
	return true;
}

bool graphblas_start(int threads)
{
	static bool done;

	done = done || start(threads);
	return done && (GxB_Global_Option_set(NTHREADS, threads) == SUCCESS ||
	                !graphblas_failed("GxB_Global_Option_set",
	                                  GxB_Global_Option_set(NTHREADS_OLD, threads)));
}

static int prepare(const ek_peer_problem *p, void **state)
{
	struct product *m = graphblas_start(p->threads) ? calloc(1, sizeof *m) : NULL;

	if (!m)
		return 1;
	m->p = p;
	m->in = (GrB_Index)(p->transposed ? p->rows : p->cols);
	m->out = (GrB_Index)(p->transposed ? p->cols : p->rows);
	m->width = (GrB_Index)p->width;
	m->semiring =
		p->value_bytes == 4 ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64;
	m->descriptor = p->transposed ? GrB_DESC_T0 : NULL;
	if (!graphblas_import(p, p->cols, p->nnz, p->row_ptr, p->col_idx, p->val, &m->A) ||
	    !import_vectors(m)) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

/* Sets Y to 0, which the library stores as a single number, and multiplies. */
static bool multiplied_blocks(const struct product *m)
{
	const GrB_BinaryOp plus = m->p->value_bytes == 4 ? GrB_PLUS_FP32 : GrB_PLUS_FP64;

	return !graphblas_failed("GrB_Matrix_assign",
	                         GrB_Matrix_assign_FP64(m->Y, NULL, NULL, 0, GrB_ALL, m->out,
	                                                GrB_ALL, m->width, NULL)) &&
	       !graphblas_failed("GrB_mxm", GrB_mxm(m->Y, NULL, plus, m->semiring, m->A, m->X,
	                                            m->descriptor)) &&
	       !graphblas_failed("GrB_Matrix_wait", GrB_Matrix_wait(m->Y, MATERIALIZE));
}

static bool multiplied(const struct product *m)
{
	return !graphblas_failed("GrB_mxv", GrB_mxv(m->y, NULL, NULL, m->semiring, m->A, m->x,
	                                            m->descriptor)) &&
	       !graphblas_failed("GrB_Vector_wait", GrB_Vector_wait(m->y, MATERIALIZE));
}

static int run(void *state, int64_t calls)
{
	const struct product *m = state;

	while (calls > 0 && (m->p->operation == EK_SPMM ? multiplied_blocks(m) : multiplied(m)))
		calls--;
	return calls > 0;
}

/* Extracts the stored entries of the result, with their rows and columns. */
static int extract(const struct product *m, GrB_Index *i, GrB_Index *j, void *value, GrB_Index *n)
{
	const bool wide = m->p->value_bytes == 8;

	if (m->p->operation != EK_SPMV)
		return wide ? GrB_Matrix_extractTuples_FP64(i, j, value, n, m->Y)
		            : GrB_Matrix_extractTuples_FP32(i, j, value, n, m->Y);
	return wide ? GrB_Vector_extractTuples_FP64(i, value, n, m->y)
	            : GrB_Vector_extractTuples_FP32(i, value, n, m->y);
}

/* Stores the result in y, with zeros where the library stores no entry. */
static int fetch(void *state)
{
	struct product *m = state;
	GrB_Index n = m->out * m->width, *i = malloc((n + 1) * sizeof *i);
	GrB_Index *j = calloc(n + 1, sizeof *j);
	size_t size = (size_t)m->p->value_bytes;
	char *value = malloc((n + 1) * size), *y = m->p->y;
	int info = -1;

	memset(y, 0, n * size);
	if (i && j && value)
		info = extract(m, i, j, value, &n);
	for (GrB_Index k = 0; info == SUCCESS && k < n; k++)
		memcpy(y + (i[k] * m->width + j[k]) * size, value + k * size, size);
	free(i);
	free(j);
	free(value);
	return graphblas_failed("extractTuples", info);
}

static const ek_peer graphblas = {
	EK_PEER("graphblas",
                "SuiteSparse:GraphBLAS, GrB_mxv, or GrB_mxm added to zeros, with PLUS_TIMES",
                EK_PEER_OF(EK_SPMV) | EK_PEER_OF(EK_SPMM), graphblas_version),
	EK_PEER_CALLS(supports, prepare, run, fetch, release, graphblas_error),
};

/* ---- Sparse results -------------------------------------------------------------------------- */

struct sparse_product {
	struct product of; /* of.Y is C, of.X is B of a sum or P of a Galerkin product */
	GrB_Index *row, *row_ptr, *col;
	void *val;
};

static void sparse_free(struct sparse_product *m)
{
	free(m->row);
	free(m->row_ptr);
	free(m->col);
	free(m->val);
	m->row = m->row_ptr = m->col = NULL;
	m->val = NULL;
}

static void sparse_release(void *state)
{
	struct sparse_product *m = state;

	sparse_free(m);
	release(m); /* `of` is its first member */
}

static int sparse_prepare(const ek_peer_problem *p, void **state)
{
	const bool is_transposed =
		p->operation == EK_TRANSPOSE || (p->transposed && p->operation == EK_SPGEMM);
	const bool is_triple = p->operation == EK_TRIPLE;
	struct sparse_product *m = graphblas_start(p->threads) ? calloc(1, sizeof *m) : NULL;

	if (!m)
		return 1;
	m->of.p = p;
	m->of.out = (GrB_Index)(is_triple                      ? p->b_cols
	                        : p->operation == EK_TRANSPOSE ? p->cols
	                                                       : p->rows);
	m->of.width = (GrB_Index)(is_triple ? p->b_cols : is_transposed ? p->rows : p->cols);
	m->of.semiring =
		p->value_bytes == 4 ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64;
	m->of.descriptor = p->transposed ? GrB_DESC_T1 : NULL;
	if (!graphblas_import(p, p->cols, p->nnz, p->row_ptr, p->col_idx, p->val, &m->of.A) ||
	    ((is_triple || p->operation == EK_SPADD) &&
	     !graphblas_import(p, p->b_cols, p->b_nnz, p->b_row_ptr, p->b_col_idx, p->b_val,
	                       &m->of.X))) {
		sparse_release(m);
		return 1;
	}
	*state = m;
	return 0;
}

/* Makes P^T (A P), where P^T is P with a descriptor. */
static int multiply_three(struct product *m, GrB_Type type)
{
	const GrB_Index rows = (GrB_Index)m->p->rows;
	GrB_Matrix AP = NULL;
	int info = GrB_Matrix_new(&AP, type, rows, m->width);

	if (info == SUCCESS)
		info = GrB_mxm(AP, NULL, NULL, m->semiring, m->A, m->X, NULL);
	if (info == SUCCESS)
		info = GrB_mxm(m->Y, NULL, NULL, m->semiring, m->X, AP, GrB_DESC_T0);
	GrB_Matrix_free(&AP);
	return info;
}

static int compute(struct product *m, GrB_Type type)
{
	if (m->p->operation == EK_TRIPLE)
		return multiply_three(m, type);
	if (m->p->operation == EK_SPADD)
		return GrB_Matrix_eWiseAdd_BinaryOp(
			m->Y, NULL, NULL, m->p->value_bytes == 4 ? GrB_PLUS_FP32 : GrB_PLUS_FP64,
			m->A, m->X, m->descriptor);
	if (m->p->operation == EK_TRANSPOSE)
		return GrB_transpose(m->Y, NULL, NULL, m->A, NULL);
	return GrB_mxm(m->Y, NULL, NULL, m->semiring, m->A, m->A, m->descriptor);
}

static int sparse_run(void *state, int64_t calls)
{
	struct product *m = &((struct sparse_product *)state)->of;
	const GrB_Type type = m->p->value_bytes == 4 ? GrB_FP32 : GrB_FP64;

	for (; calls > 0; calls--) {
		GrB_Matrix_free(&m->Y);
		if (graphblas_failed("GrB_Matrix_new",
		                     GrB_Matrix_new(&m->Y, type, m->out, m->width)) ||
		    graphblas_failed("GrB_mxm, eWiseAdd or GrB_transpose", compute(m, type)) ||
		    graphblas_failed("GrB_Matrix_wait", GrB_Matrix_wait(m->Y, MATERIALIZE)))
			return 1;
	}
	return 0;
}

static int sparse_fetch(void *state)
{
	struct sparse_product *m = state;
	GrB_Index n = 0;
	const bool lost = graphblas_failed("GrB_Matrix_nvals", GrB_Matrix_nvals(&n, m->of.Y));

	sparse_free(m);
	m->row = malloc((n + 1) * sizeof *m->row);
	m->col = malloc((n + 1) * sizeof *m->col);
	m->row_ptr = calloc(m->of.out + 1, sizeof *m->row_ptr);
	m->val = malloc((n + 1) * (size_t)m->of.p->value_bytes);
	if (!m->row || !m->col || !m->row_ptr || !m->val)
		return graphblas_failed("malloc", -1);
	if (lost || graphblas_failed("extractTuples", extract(&m->of, m->row, m->col, m->val, &n)))
		return 1;
	for (GrB_Index k = 0; k < n; k++) /* the entries come row by row */
		m->row_ptr[m->row[k] + 1]++;
	for (GrB_Index i = 0; i < m->of.out; i++)
		m->row_ptr[i + 1] += m->row_ptr[i];
	*m->of.p->result = (ek_peer_result){m->row_ptr, m->col, m->val, 8, 8};
	return 0;
}

static const ek_peer graphblas_product = {
	EK_PEER("graphblas",
                "SuiteSparse:GraphBLAS, GrB_mxm with PLUS_TIMES, once or, for P^T (A P), twice, "
                "eWiseAdd with PLUS, or GrB_transpose, and GrB_Matrix_wait, which sorts rows",
                EK_PEER_OF(EK_SPGEMM) | EK_PEER_OF(EK_SPADD) | EK_PEER_OF(EK_TRANSPOSE) |
                        EK_PEER_OF(EK_TRIPLE),
                graphblas_version),
	EK_PEER_CALLS(supports, sparse_prepare, sparse_run, sparse_fetch, sparse_release,
                      graphblas_error),
};

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&graphblas, &graphblas_product, &graphblas_spmspv,
	                                      &graphblas_spmspv_turned, NULL};

	return list;
}
