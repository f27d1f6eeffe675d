/* SPDX-License-Identifier: BSD-3-Clause
 * NVIDIA's cuSPARSE: cusparseSpMV, or cusparseSpMM for blocks, with CSR, by each of its algorithms,
 * with and without the preprocess function, which examines the pattern of the matrix first. Each
 * peer has a copy of the matrix and the vectors on the device. Time is measured between two events
 * around the products. Products of sparse matrices are in cusparse_spgemm.c and
 * cusparse_triple.c. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cusparse_peer.h"

/* A way to use the library: its algorithms for vectors and for blocks, and whether the pattern is
 * examined first. */
struct way {
	cusparseSpMVAlg_t vectors;
	cusparseSpMMAlg_t blocks;
	int preprocess;
};

struct product {
	struct cusparse_session own;
	const ek_peer_problem *p;
	struct way way;
	cusparseSpMatDescr_t A;
	cusparseDnVecDescr_t x, y;
	cusparseDnMatDescr_t X, Y; /* X and Y are blocks */
	void *row_ptr, *col_idx, *val, *x_data, *y_data, *work;
	cusparseOperation_t op;
	union {
		float f;
		double d;
	} alpha, beta;
};

static char failure[256];

/* ---- What the module shares ------------------------------------------------------------------ */

const char *cusparse_peer_error(void)
{
	return failure;
}

int cuda_failed(const char *what, cudaError_t status)
{
	if (status != cudaSuccess)
		snprintf(failure, sizeof failure, "%s: %s", what, cudaGetErrorString(status));
	return status != cudaSuccess;
}

int sparse_failed(const char *what, cusparseStatus_t status)
{
	if (status != CUSPARSE_STATUS_SUCCESS)
		snprintf(failure, sizeof failure, "%s: %s", what, cusparseGetErrorString(status));
	return status != CUSPARSE_STATUS_SUCCESS;
}

const char *cusparse_peer_version(void)
{
	static char text[32];
	int major = 0, minor = 0, patch = 0;

	cusparseGetProperty(MAJOR_VERSION, &major);
	cusparseGetProperty(MINOR_VERSION, &minor);
	cusparseGetProperty(PATCH_LEVEL, &patch);
	snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
	return text;
}

int host_block(size_t bytes, void **block)
{
	*block = calloc(1, bytes);
	if (!*block)
		snprintf(failure, sizeof failure, "out of memory");
	return !*block;
}

int device_take(void **to, const void *from, int64_t bytes)
{
	if (cuda_failed("cudaMalloc", cudaMalloc(to, (size_t)(bytes > 0 ? bytes : 1))))
		return 1;
	return from && bytes > 0 &&
	       cuda_failed("cudaMemcpy",
	                   cudaMemcpy(*to, from, (size_t)bytes, cudaMemcpyHostToDevice));
}

int cusparse_peer_here(const ek_peer_problem *p)
{
	int count = 0;

	return p->device >= 0 && cudaGetDeviceCount(&count) == cudaSuccess && p->device < count;
}

int cusparse_session_open(const ek_peer_problem *p, struct cusparse_session *s)
{
	s->type = p->value_bytes == 4 ? CUDA_R_32F : CUDA_R_64F;
	return cuda_failed("cudaSetDevice", cudaSetDevice(p->device)) ||
	       cuda_failed("cudaEventCreate", cudaEventCreate(&s->start)) ||
	       cuda_failed("cudaEventCreate", cudaEventCreate(&s->stop)) ||
	       sparse_failed("cusparseCreate", cusparseCreate(&s->handle));
}

void cusparse_session_close(struct cusparse_session *s)
{
	if (s->handle)
		cusparseDestroy(s->handle);
	if (s->start)
		cudaEventDestroy(s->start);
	if (s->stop)
		cudaEventDestroy(s->stop);
}

int cusparse_session_run(void *state, int64_t calls, int (*call)(void *state))
{
	const struct cusparse_session *s = state;

	if (cuda_failed("cudaEventRecord", cudaEventRecord(s->start, NULL)))
		return 1;
	for (; calls > 0; calls--)
		if (call(state))
			return 1;
	return cuda_failed("cudaEventRecord", cudaEventRecord(s->stop, NULL)) ||
	       cuda_failed("cudaEventSynchronize", cudaEventSynchronize(s->stop));
}

double cusparse_session_elapsed(void *state)
{
	const struct cusparse_session *s = state;
	float milliseconds = 0;

	return cudaEventElapsedTime(&milliseconds, s->start, s->stop) == cudaSuccess
	               ? 1e-3 * milliseconds
	               : 0;
}

static int supports(const ek_peer_problem *p)
{
	return cusparse_peer_here(p) && p->ptr_bytes == p->idx_bytes && p->rows > 0 &&
	       p->cols > 0 && p->nnz > 0;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static int64_t entries_of_x(const ek_peer_problem *p)
{
	return p->width * (p->transposed ? p->rows : p->cols);
}

static int64_t entries_of_y(const ek_peer_problem *p)
{
	return p->width * (p->transposed ? p->cols : p->rows);
}

static int take_arrays(struct product *m)
{
	const ek_peer_problem *p = m->p;
	int64_t value = p->value_bytes;

	return device_take(&m->row_ptr, p->row_ptr, (p->rows + 1) * p->ptr_bytes) ||
	       device_take(&m->col_idx, p->col_idx, p->nnz * p->idx_bytes) ||
	       device_take(&m->val, p->val, p->nnz * value) ||
	       device_take(&m->x_data, p->x, entries_of_x(p) * value) ||
	       device_take(&m->y_data, NULL, entries_of_y(p) * value);
}

static int describe_block(struct product *m, cusparseDnMatDescr_t *block, int64_t entries,
                          int order, void *data)
{
	const int64_t width = m->p->width, rows = entries / width;
	const bool by_rows = order == EK_ROW_MAJOR;

	return sparse_failed(
		"cusparseCreateDnMat",
		cusparseCreateDnMat(block, rows, width, by_rows ? width : rows, data, m->own.type,
	                            by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
}

static int describe(struct product *m)
{
	const ek_peer_problem *p = m->p;
	cusparseIndexType_t index = p->idx_bytes == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

	if (sparse_failed("cusparseCreateCsr",
	                  cusparseCreateCsr(&m->A, p->rows, p->cols, p->nnz, m->row_ptr, m->col_idx,
	                                    m->val, index, index, CUSPARSE_INDEX_BASE_ZERO,
	                                    m->own.type)))
		return 1;
	if (p->operation == EK_SPMM)
		return describe_block(m, &m->X, entries_of_x(p), p->x_order, m->x_data) ||
		       describe_block(m, &m->Y, entries_of_y(p), p->y_order, m->y_data);
	return sparse_failed("cusparseCreateDnVec",
	                     cusparseCreateDnVec(&m->x, entries_of_x(p), m->x_data, m->own.type)) ||
	       sparse_failed("cusparseCreateDnVec",
	                     cusparseCreateDnVec(&m->y, entries_of_y(p), m->y_data, m->own.type));
}

/* Arguments of the functions for vectors and for blocks, which differ only in X and Y. */
#define VECTORS(m) (m)->own.handle, (m)->op, &(m)->alpha, (m)->A, (m)->x, &(m)->beta, (m)->y
#define BLOCKS(m)                                                                                \
	(m)->own.handle, (m)->op, CUSPARSE_OPERATION_NON_TRANSPOSE, &(m)->alpha, (m)->A, (m)->X, \
		&(m)->beta, (m)->Y

static int buffer(struct product *m, size_t *bytes)
{
	return m->p->operation == EK_SPMV
	               ? sparse_failed("cusparseSpMV_bufferSize",
	                               cusparseSpMV_bufferSize(VECTORS(m), m->own.type,
	                                                       m->way.vectors, bytes))
	               : sparse_failed("cusparseSpMM_bufferSize",
	                               cusparseSpMM_bufferSize(BLOCKS(m), m->own.type,
	                                                       m->way.blocks, bytes));
}

static int preprocess(struct product *m)
{
	return m->p->operation == EK_SPMV
	               ? sparse_failed("cusparseSpMV_preprocess",
	                               cusparseSpMV_preprocess(VECTORS(m), m->own.type,
	                                                       m->way.vectors, m->work))
	               : sparse_failed("cusparseSpMM_preprocess",
	                               cusparseSpMM_preprocess(BLOCKS(m), m->own.type,
	                                                       m->way.blocks, m->work));
}

static int multiply(void *state)
{
	const struct product *m = state;

	return m->p->operation == EK_SPMV
	               ? sparse_failed("cusparseSpMV", cusparseSpMV(VECTORS(m), m->own.type,
	                                                            m->way.vectors, m->work))
	               : sparse_failed("cusparseSpMM", cusparseSpMM(BLOCKS(m), m->own.type,
	                                                            m->way.blocks, m->work));
}

static int analyse(struct product *m)
{
	size_t bytes = 0;

	return buffer(m, &bytes) || device_take(&m->work, NULL, (int64_t)bytes) ||
	       (m->way.preprocess && preprocess(m)) ||
	       cuda_failed("cudaDeviceSynchronize", cudaDeviceSynchronize());
}

static void release(void *state)
{
	struct product *m = state;

	if (!m)
		return;
	if (m->A)
		cusparseDestroySpMat(m->A);
	if (m->x)
		cusparseDestroyDnVec(m->x);
	if (m->y)
		cusparseDestroyDnVec(m->y);
	if (m->X)
		cusparseDestroyDnMat(m->X);
	if (m->Y)
		cusparseDestroyDnMat(m->Y);
	cusparse_session_close(&m->own);
	cudaFree(m->row_ptr);
	cudaFree(m->col_idx);
	cudaFree(m->val);
	cudaFree(m->x_data);
	cudaFree(m->y_data);
	cudaFree(m->work);
	free(m);
}

static int prepare(const ek_peer_problem *p, void **state, struct way way)
{
	struct product *m;
	void *block;

	if (host_block(sizeof *m, &block))
		return 1;
	m = block;
	m->p = p;
	m->way = way;
	m->op = p->transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
	if (p->value_bytes == 4) {
		m->alpha.f = (float)p->alpha;
		m->beta.f = (float)p->beta;
	} else {
		m->alpha.d = p->alpha;
		m->beta.d = p->beta;
	}
	if (cusparse_session_open(p, &m->own) || take_arrays(m) || describe(m) || analyse(m)) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

/* ---- Running --------------------------------------------------------------------------------- */

static int run(void *state, int64_t calls)
{
	return cusparse_session_run(state, calls, multiply);
}

static int load(void *state)
{
	struct product *m = state;

	return cuda_failed("cudaMemcpy",
	                   cudaMemcpy(m->y_data, m->p->y,
	                              (size_t)(entries_of_y(m->p) * m->p->value_bytes),
	                              cudaMemcpyHostToDevice));
}

static int fetch(void *state)
{
	struct product *m = state;

	return cuda_failed("cudaMemcpy",
	                   cudaMemcpy(m->p->y, m->y_data,
	                              (size_t)(entries_of_y(m->p) * m->p->value_bytes),
	                              cudaMemcpyDeviceToHost));
}

/* Defines a peer: `symbol` is its name in this file, `shown` its name in the tool. */
#define WAY(symbol, shown, which, vectors, blocks, preprocess, about)    \
	static int prepare_##symbol(const ek_peer_problem *p, void **s)  \
	{                                                                \
		const struct way way = {vectors, blocks, preprocess};    \
                                                                         \
		return prepare(p, s, way);                               \
	}                                                                \
	static const ek_peer symbol = {.abi = EK_PEER_ABI,               \
	                               .operations = which,              \
	                               .name = shown,                    \
	                               .text = "cuSPARSE, CSR, " about,  \
	                               .version = cusparse_peer_version, \
	                               .supports = supports,             \
	                               .prepare = prepare_##symbol,      \
	                               .run = run,                       \
	                               .load = load,                     \
	                               .fetch = fetch,                   \
	                               .release = release,               \
	                               .error = cusparse_peer_error,     \
	                               .device = 1,                      \
	                               .elapsed = cusparse_session_elapsed};
/* Defines two peers: one without and one with preprocessing. */
#define WAYS(symbol, shown, which, vectors, blocks, about)   \
	WAY(symbol, shown, which, vectors, blocks, 0, about) \
	WAY(symbol##_p, shown ".pre", which, vectors, blocks, 1, about ", preprocessed")

#define SPMM EK_PEER_OF(EK_SPMM)
#define BOTH (EK_PEER_OF(EK_SPMV) | EK_PEER_OF(EK_SPMM))

WAYS(plain, "cusparse", BOTH, CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMM_ALG_DEFAULT,
     "its default algorithm")
WAYS(alg1, "cusparse.alg1", BOTH, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG1, "CSR_ALG1")
WAYS(alg2, "cusparse.alg2", BOTH, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG2,
     "CSR_ALG2, SpMV with the same bits in each run")
WAYS(alg3, "cusparse.alg3", SPMM, CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG3, "CSR_ALG3")

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&plain,
	                                      &plain_p,
	                                      &alg1,
	                                      &alg1_p,
	                                      &alg2,
	                                      &alg2_p,
	                                      &alg3,
	                                      &alg3_p,
	                                      &cusparse_product,
	                                      &cusparse_product_alg1,
	                                      &cusparse_product_alg2,
	                                      &cusparse_product_alg3,
	                                      &cusparse_product_host,
	                                      &cusparse_product_reuse,
	                                      &cusparse_galerkin,
	                                      &cusparse_galerkin_left,
	                                      &cusparse_galerkin_host,
	                                      NULL};

	return list;
}
