/* SPDX-License-Identifier: BSD-3-Clause
 * SuiteSparse:GraphBLAS: GrB_mxv with a sparse vector and the PLUS_TIMES semiring, in the module of
 * peer_graphblas.c. The library holds matrices by rows. It works by columns of op(A), in time that
 * depends on the number of products, only if it need not transpose what it holds: A for A^T x, or
 * A^T for A x. So both are measured, "graphblas" with A and "graphblas.t" with A^T, made by
 * GrB_transpose. */
#include <stdlib.h>
#include <string.h>

#include "graphblas.h"

struct vector_product {
	const ek_peer_problem *p;
	GrB_Matrix A; /* A or A^T */
	GrB_Vector x, y;
	GrB_Semiring semiring;
	GrB_Descriptor descriptor;
	GrB_Index *idx; /* result of `fetch` */
	void *val;
	int64_t row_ptr[2];
};

static void result_free(struct vector_product *m)
{
	free(m->idx);
	free(m->val);
	m->idx = NULL;
	m->val = NULL;
}

static void release(void *state)
{
	struct vector_product *m = state;

	result_free(m);
	GrB_Matrix_free(&m->A);
	GrB_Vector_free(&m->x);
	GrB_Vector_free(&m->y);
	free(m);
}

static int supports(const ek_peer_problem *p)
{
	return p->alpha == 1 && p->rows > 0 && p->cols > 0 && p->nnz > 0;
}

static bool make_vectors(struct vector_product *m)
{
	const ek_peer_problem *p = m->p;
	const GrB_Index rows = (GrB_Index)p->rows, cols = (GrB_Index)p->cols;
	const GrB_Index entries = (GrB_Index)p->b_nnz;
	const GrB_Type type = p->value_bytes == 4 ? GrB_FP32 : GrB_FP64;
	GrB_Index *idx = graphblas_indices(p->b_col_idx, p->idx_bytes, p->b_nnz);
	bool made = idx &&
	            !graphblas_failed("GrB_Vector_new",
	                              GrB_Vector_new(&m->x, type, p->transposed ? rows : cols)) &&
	            !graphblas_failed("GrB_Vector_new",
	                              GrB_Vector_new(&m->y, type, p->transposed ? cols : rows));

	if (made && p->value_bytes == 4)
		made = !graphblas_failed(
			"GrB_Vector_build",
			GrB_Vector_build_FP32(m->x, idx, p->b_val, entries, GrB_PLUS_FP32));
	else if (made)
		made = !graphblas_failed(
			"GrB_Vector_build",
			GrB_Vector_build_FP64(m->x, idx, p->b_val, entries, GrB_PLUS_FP64));
	free(idx);
	return made && !graphblas_failed("GrB_Vector_wait", GrB_Vector_wait(m->x, MATERIALIZE));
}

/* Replaces m->A by its transpose. */
static bool turn(struct vector_product *m)
{
	const ek_peer_problem *p = m->p;
	GrB_Matrix A = m->A;
	bool made;

	m->A = NULL;
	made = !graphblas_failed("GrB_Matrix_new",
	                         GrB_Matrix_new(&m->A, p->value_bytes == 4 ? GrB_FP32 : GrB_FP64,
	                                        (GrB_Index)p->cols, (GrB_Index)p->rows)) &&
	       !graphblas_failed("GrB_transpose", GrB_transpose(m->A, NULL, NULL, A, NULL)) &&
	       !graphblas_failed("GrB_Matrix_wait", GrB_Matrix_wait(m->A, MATERIALIZE));
	GrB_Matrix_free(&A);
	return made;
}

static int prepare_held(const ek_peer_problem *p, bool turned, void **state)
{
	struct vector_product *m = graphblas_start(p->threads) ? calloc(1, sizeof *m) : NULL;

	if (!m)
		return 1;
	m->p = p;
	m->semiring =
		p->value_bytes == 4 ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64;
	m->descriptor = turned != (p->transposed != 0) ? GrB_DESC_T0 : NULL;
	if (!graphblas_import(p, p->cols, p->nnz, p->row_ptr, p->col_idx, p->val, &m->A) ||
	    (turned && !turn(m)) || !make_vectors(m)) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

static int prepare(const ek_peer_problem *p, void **state)
{
	return prepare_held(p, false, state);
}

static int prepare_turned(const ek_peer_problem *p, void **state)
{
	return prepare_held(p, true, state);
}

static int run(void *state, int64_t calls)
{
	const struct vector_product *m = state;

	for (; calls > 0; calls--)
		if (graphblas_failed("GrB_mxv", GrB_mxv(m->y, NULL, NULL, m->semiring, m->A, m->x,
		                                        m->descriptor)) ||
		    graphblas_failed("GrB_Vector_wait", GrB_Vector_wait(m->y, MATERIALIZE)))
			return 1;
	return 0;
}

static int fetch(void *state)
{
	struct vector_product *m = state;
	const bool wide = m->p->value_bytes == 8;
	GrB_Index n = 0;

	result_free(m);
	if (graphblas_failed("GrB_Vector_nvals", GrB_Vector_nvals(&n, m->y)))
		return 1;
	m->idx = malloc((n + 1) * sizeof *m->idx);
	m->val = malloc((n + 1) * (size_t)m->p->value_bytes);
	if (!m->idx || !m->val)
		return graphblas_failed("malloc", -1);
	if (graphblas_failed("extractTuples",
	                     wide ? GrB_Vector_extractTuples_FP64(m->idx, m->val, &n, m->y)
	                          : GrB_Vector_extractTuples_FP32(m->idx, m->val, &n, m->y)))
		return 1;
	m->row_ptr[1] = (int64_t)n;
	*m->p->result = (ek_peer_result){m->row_ptr, m->idx, m->val, 8, 8};
	return 0;
}

#define HELD(called, how, made)                                                                  \
	{                                                                                        \
		.abi = EK_PEER_ABI, .operations = EK_PEER_OF(EK_SPMSPV), .name = called,         \
		.text = "SuiteSparse:GraphBLAS, GrB_mxv with a sparse vector, " how,             \
		.version = graphblas_version, .supports = supports, .prepare = made, .run = run, \
		.fetch = fetch, .release = release, .error = graphblas_error,                    \
	}
const ek_peer graphblas_spmspv = HELD("graphblas", "A by rows", prepare);
const ek_peer graphblas_spmspv_turned = HELD("graphblas.t", "A^T by rows", prepare_turned);
