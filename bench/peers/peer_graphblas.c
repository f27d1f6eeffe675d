/* SPDX-License-Identifier: BSD-3-Clause
 * SuiteSparse:GraphBLAS: GrB_mxv with the PLUS_TIMES semiring on a matrix from GrB_Matrix_import
 * and a full vector. Version 10 is asked to hold 32-bit indices. alpha and beta are not part of
 * GrB_mxv, so only y = op(A) x is compared.
 *
 * The wheel that carries version 10 has no header, so the handful of functions used here, all of
 * them of the C API standard 2.0 but for GxB_Vector_import_Full, are declared below. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

#ifndef PEER_VERSION
#define PEER_VERSION "unknown"
#endif

typedef struct GB_Type_opaque *GrB_Type;
typedef struct GB_Semiring_opaque *GrB_Semiring;
typedef struct GB_Matrix_opaque *GrB_Matrix;
typedef struct GB_Vector_opaque *GrB_Vector;
typedef struct GB_Descriptor_opaque *GrB_Descriptor;
typedef struct GB_Global_opaque *GrB_Global;
typedef uint64_t GrB_Index;

extern GrB_Type GrB_FP32, GrB_FP64;
extern GrB_Semiring GrB_PLUS_TIMES_SEMIRING_FP32, GrB_PLUS_TIMES_SEMIRING_FP64;
extern GrB_Descriptor GrB_DESC_T0;
int GrB_init(int mode);
int GrB_Matrix_import_FP32(GrB_Matrix *, GrB_Type, GrB_Index, GrB_Index, const GrB_Index *,
                           const GrB_Index *, const float *, GrB_Index, GrB_Index, GrB_Index, int);
int GrB_Matrix_import_FP64(GrB_Matrix *, GrB_Type, GrB_Index, GrB_Index, const GrB_Index *,
                           const GrB_Index *, const double *, GrB_Index, GrB_Index, GrB_Index, int);
int GrB_Matrix_wait(GrB_Matrix, int);
int GrB_Matrix_free(GrB_Matrix *);
int GxB_Vector_import_Full(GrB_Vector *, GrB_Type, GrB_Index, void **, GrB_Index, bool,
                           GrB_Descriptor);
int GrB_Vector_new(GrB_Vector *, GrB_Type, GrB_Index);
int GrB_Vector_wait(GrB_Vector, int);
int GrB_Vector_free(GrB_Vector *);
int GrB_Vector_extractTuples_FP32(GrB_Index *, float *, GrB_Index *, GrB_Vector);
int GrB_Vector_extractTuples_FP64(GrB_Index *, double *, GrB_Index *, GrB_Vector);
int GrB_mxv(GrB_Vector, GrB_Vector, void *, GrB_Semiring, GrB_Matrix, GrB_Vector, GrB_Descriptor);
#ifdef PEER_GRAPHBLAS_32BIT
extern GrB_Global GrB_GLOBAL;
int GrB_Global_set_INT32(GrB_Global, int32_t, int);
enum { ROWINDEX_HINT = 7053, COLINDEX_HINT = 7054, OFFSET_HINT = 7056 };
#endif
enum { SUCCESS = 0, NONBLOCKING = 0, MATERIALIZE = 1, CSR_FORMAT = 0 };

struct product {
	const ek_peer_problem *p;
	GrB_Matrix A;
	GrB_Vector x, y;
	GrB_Semiring semiring;
	GrB_Descriptor descriptor;
	GrB_Index in, out;
};

static char message[64];

static const char *error(void)
{
	return message;
}

static const char *version(void)
{
	return PEER_VERSION;
}

static bool failed(const char *what, int info)
{
	if (info == SUCCESS)
		return false;
	snprintf(message, sizeof message, "%s returned %d", what, info);
	return true;
}

static int supports(const ek_peer_problem *p)
{
	return p->alpha == 1 && p->beta == 0 && p->rows > 0 && p->cols > 0;
}

/* A copy with 64-bit entries, which is what the import function takes. */
static GrB_Index *widen(const void *data, int bytes, int64_t count)
{
	GrB_Index *wide = malloc((size_t)(count + 1) * sizeof *wide);

	for (int64_t k = 0; wide && k < count; k++)
		wide[k] = bytes == 4 ? (GrB_Index)((const int32_t *)data)[k]
		                     : (GrB_Index)((const int64_t *)data)[k];
	return wide;
}

static bool import_matrix(struct product *m)
{
	const ek_peer_problem *p = m->p;
	GrB_Index rows = (GrB_Index)p->rows, cols = (GrB_Index)p->cols, nnz = (GrB_Index)p->nnz;
	GrB_Index *row_ptr = widen(p->row_ptr, p->ptr_bytes, p->rows + 1);
	GrB_Index *col_idx = widen(p->col_idx, p->idx_bytes, p->nnz);
	int info = -1;

	if (row_ptr && col_idx && p->value_bytes == 4)
		info = GrB_Matrix_import_FP32(&m->A, GrB_FP32, rows, cols, row_ptr, col_idx, p->val,
		                              rows + 1, nnz, nnz, CSR_FORMAT);
	else if (row_ptr && col_idx)
		info = GrB_Matrix_import_FP64(&m->A, GrB_FP64, rows, cols, row_ptr, col_idx, p->val,
		                              rows + 1, nnz, nnz, CSR_FORMAT);
	free(row_ptr);
	free(col_idx);
	return !failed("GrB_Matrix_import", info) &&
	       !failed("GrB_Matrix_wait", GrB_Matrix_wait(m->A, MATERIALIZE));
}

static bool import_vectors(struct product *m)
{
	GrB_Type type = m->p->value_bytes == 4 ? GrB_FP32 : GrB_FP64;
	GrB_Index bytes = m->in * (GrB_Index)m->p->value_bytes;
	void *x = malloc(bytes);

	if (!x)
		return !failed("malloc", -1);
	memcpy(x, m->p->x, bytes);
	return !failed("GxB_Vector_import_Full",
	               GxB_Vector_import_Full(&m->x, type, m->in, &x, bytes, false, NULL)) &&
	       !failed("GrB_Vector_new", GrB_Vector_new(&m->y, type, m->out));
}

static void release(void *state)
{
	struct product *m = state;

	GrB_Matrix_free(&m->A);
	GrB_Vector_free(&m->x);
	GrB_Vector_free(&m->y);
	free(m);
}

/* The first problem decides how many threads the library uses. */
static bool initialise(int threads)
{
	static bool done;

	if (done)
		return true;
	omp_set_num_threads(threads);
	if (failed("GrB_init", GrB_init(NONBLOCKING)))
		return false;
#ifdef PEER_GRAPHBLAS_32BIT
	GrB_Global_set_INT32(GrB_GLOBAL, 32, ROWINDEX_HINT);
	GrB_Global_set_INT32(GrB_GLOBAL, 32, COLINDEX_HINT);
	GrB_Global_set_INT32(GrB_GLOBAL, 32, OFFSET_HINT);
#endif
	return done = true;
}

static int prepare(const ek_peer_problem *p, void **state)
{
	struct product *m = initialise(p->threads) ? calloc(1, sizeof *m) : NULL;

	if (!m)
		return 1;
	m->p = p;
	m->in = (GrB_Index)(p->transposed ? p->rows : p->cols);
	m->out = (GrB_Index)(p->transposed ? p->cols : p->rows);
	m->semiring =
		p->value_bytes == 4 ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64;
	m->descriptor = p->transposed ? GrB_DESC_T0 : NULL;
	if (!import_matrix(m) || !import_vectors(m)) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

static int run(void *state, int64_t calls)
{
	struct product *m = state;

	for (; calls > 0; calls--)
		if (failed("GrB_mxv",
		           GrB_mxv(m->y, NULL, NULL, m->semiring, m->A, m->x, m->descriptor)) ||
		    failed("GrB_Vector_wait", GrB_Vector_wait(m->y, MATERIALIZE)))
			return 1;
	return 0;
}

/* Rows without entries are not in the result; they are zero. */
static int fetch(void *state)
{
	struct product *m = state;
	GrB_Index n = m->out, *at = malloc((n + 1) * sizeof *at);
	size_t size = (size_t)m->p->value_bytes;
	char *value = malloc((n + 1) * size), *y = m->p->y;
	int info = -1;

	if (at && value)
		info = size == 4
		               ? GrB_Vector_extractTuples_FP32(at, (float *)(void *)value, &n, m->y)
		               : GrB_Vector_extractTuples_FP64(at, (double *)(void *)value, &n,
		                                               m->y);
	memset(y, 0, m->out * size);
	for (GrB_Index k = 0; info == SUCCESS && k < n; k++)
		memcpy(y + at[k] * size, value + k * size, size);
	free(at);
	free(value);
	return failed("GrB_Vector_extractTuples", info);
}

static const ek_peer graphblas = {
	.abi = EK_PEER_ABI,
	.name = "graphblas",
	.text = "SuiteSparse:GraphBLAS, GrB_mxv with PLUS_TIMES",
	.version = version,
	.supports = supports,
	.prepare = prepare,
	.run = run,
	.fetch = fetch,
	.release = release,
	.error = error,
};

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&graphblas, NULL};

	return list;
}
