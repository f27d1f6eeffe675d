/* SPDX-License-Identifier: BSD-3-Clause
 * NVIDIA's cuSPARSE: cusparseSpMV on CSR by each of its algorithms, with and without
 * cusparseSpMV_preprocess, which lets it look at the pattern first. Each has a copy of the matrix
 * and the vectors on the device, and the time is that between two events around the products.
 * 64-bit indices are for both row offsets and columns. */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

struct product {
	const ek_peer_problem *p;
	cusparseSpMVAlg_t algorithm;
	cusparseHandle_t handle;
	cusparseSpMatDescr_t A;
	cusparseDnVecDescr_t x, y;
	void *row_ptr, *col_idx, *val, *x_data, *y_data, *work;
	cudaEvent_t start, stop;
	cudaDataType type;
	cusparseOperation_t op;
	union {
		float f;
		double d;
	} alpha, beta;
};

static char failure[256];

static const char *error(void)
{
	return failure;
}

static int cuda(const char *what, cudaError_t status)
{
	if (status != cudaSuccess)
		snprintf(failure, sizeof failure, "%s: %s", what, cudaGetErrorString(status));
	return status != cudaSuccess;
}

static int sparse(const char *what, cusparseStatus_t status)
{
	if (status != CUSPARSE_STATUS_SUCCESS)
		snprintf(failure, sizeof failure, "%s: %s", what, cusparseGetErrorString(status));
	return status != CUSPARSE_STATUS_SUCCESS;
}

static const char *version(void)
{
	static char text[32];
	int major = 0, minor = 0, patch = 0;

	cusparseGetProperty(MAJOR_VERSION, &major);
	cusparseGetProperty(MINOR_VERSION, &minor);
	cusparseGetProperty(PATCH_LEVEL, &patch);
	snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
	return text;
}

static int supports(const ek_peer_problem *p)
{
	int count = 0;

	return p->device >= 0 && cudaGetDeviceCount(&count) == cudaSuccess && p->device < count &&
	       p->ptr_bytes == p->idx_bytes && p->rows > 0 && p->cols > 0 && p->nnz > 0;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static int64_t entries_of_x(const ek_peer_problem *p)
{
	return p->transposed ? p->rows : p->cols;
}

static int64_t entries_of_y(const ek_peer_problem *p)
{
	return p->transposed ? p->cols : p->rows;
}

/* Memory of the device; with a copy of `from`, unless that is NULL. */
static int take(void **to, const void *from, int64_t bytes)
{
	if (cuda("cudaMalloc", cudaMalloc(to, (size_t)(bytes > 0 ? bytes : 1))))
		return 1;
	return from && bytes > 0 &&
	       cuda("cudaMemcpy", cudaMemcpy(*to, from, (size_t)bytes, cudaMemcpyHostToDevice));
}

static int take_arrays(struct product *m)
{
	const ek_peer_problem *p = m->p;
	int64_t value = p->value_bytes;

	return take(&m->row_ptr, p->row_ptr, (p->rows + 1) * p->ptr_bytes) ||
	       take(&m->col_idx, p->col_idx, p->nnz * p->idx_bytes) ||
	       take(&m->val, p->val, p->nnz * value) ||
	       take(&m->x_data, p->x, entries_of_x(p) * value) ||
	       take(&m->y_data, NULL, entries_of_y(p) * value);
}

static int describe(struct product *m)
{
	const ek_peer_problem *p = m->p;
	cusparseIndexType_t index = p->idx_bytes == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

	return sparse("cusparseCreateCsr",
	              cusparseCreateCsr(&m->A, p->rows, p->cols, p->nnz, m->row_ptr, m->col_idx,
	                                m->val, index, index, CUSPARSE_INDEX_BASE_ZERO, m->type)) ||
	       sparse("cusparseCreateDnVec",
	              cusparseCreateDnVec(&m->x, entries_of_x(p), m->x_data, m->type)) ||
	       sparse("cusparseCreateDnVec",
	              cusparseCreateDnVec(&m->y, entries_of_y(p), m->y_data, m->type));
}

static int analyse(struct product *m, int preprocess)
{
	size_t bytes = 0;

	if (sparse("cusparseSpMV_bufferSize",
	           cusparseSpMV_bufferSize(m->handle, m->op, &m->alpha, m->A, m->x, &m->beta, m->y,
	                                   m->type, m->algorithm, &bytes)) ||
	    take(&m->work, NULL, (int64_t)bytes))
		return 1;
	if (preprocess &&
	    sparse("cusparseSpMV_preprocess",
	           cusparseSpMV_preprocess(m->handle, m->op, &m->alpha, m->A, m->x, &m->beta, m->y,
	                                   m->type, m->algorithm, m->work)))
		return 1;
	return cuda("cudaDeviceSynchronize", cudaDeviceSynchronize());
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
	if (m->handle)
		cusparseDestroy(m->handle);
	if (m->start)
		cudaEventDestroy(m->start);
	if (m->stop)
		cudaEventDestroy(m->stop);
	cudaFree(m->row_ptr);
	cudaFree(m->col_idx);
	cudaFree(m->val);
	cudaFree(m->x_data);
	cudaFree(m->y_data);
	cudaFree(m->work);
	free(m);
}

static int prepare(const ek_peer_problem *p, void **state, cusparseSpMVAlg_t algorithm,
                   int preprocess)
{
	struct product *m = calloc(1, sizeof *m);

	snprintf(failure, sizeof failure, "out of memory");
	if (!m)
		return 1;
	m->p = p;
	m->algorithm = algorithm;
	m->type = p->value_bytes == 4 ? CUDA_R_32F : CUDA_R_64F;
	m->op = p->transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
	if (p->value_bytes == 4) {
		m->alpha.f = (float)p->alpha;
		m->beta.f = (float)p->beta;
	} else {
		m->alpha.d = p->alpha;
		m->beta.d = p->beta;
	}
	if (cuda("cudaSetDevice", cudaSetDevice(p->device)) ||
	    cuda("cudaEventCreate", cudaEventCreate(&m->start)) ||
	    cuda("cudaEventCreate", cudaEventCreate(&m->stop)) ||
	    sparse("cusparseCreate", cusparseCreate(&m->handle)) || take_arrays(m) || describe(m) ||
	    analyse(m, preprocess)) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

/* ---- Running --------------------------------------------------------------------------------- */

static int run(void *state, int64_t calls)
{
	struct product *m = state;

	if (cuda("cudaEventRecord", cudaEventRecord(m->start, NULL)))
		return 1;
	for (; calls > 0; calls--)
		if (sparse("cusparseSpMV",
		           cusparseSpMV(m->handle, m->op, &m->alpha, m->A, m->x, &m->beta, m->y,
		                        m->type, m->algorithm, m->work)))
			return 1;
	return cuda("cudaEventRecord", cudaEventRecord(m->stop, NULL)) ||
	       cuda("cudaEventSynchronize", cudaEventSynchronize(m->stop));
}

static double elapsed(void *state)
{
	struct product *m = state;
	float milliseconds = 0;

	return cudaEventElapsedTime(&milliseconds, m->start, m->stop) == cudaSuccess
	               ? 1e-3 * milliseconds
	               : 0;
}

static int load(void *state)
{
	struct product *m = state;

	return cuda("cudaMemcpy",
	            cudaMemcpy(m->y_data, m->p->y, (size_t)(entries_of_y(m->p) * m->p->value_bytes),
	                       cudaMemcpyHostToDevice));
}

static int fetch(void *state)
{
	struct product *m = state;

	return cuda("cudaMemcpy",
	            cudaMemcpy(m->p->y, m->y_data, (size_t)(entries_of_y(m->p) * m->p->value_bytes),
	                       cudaMemcpyDeviceToHost));
}

/* A way to use it: `symbol` is what this file calls it, `shown` what the tool does. */
#define WAY(symbol, shown, algorithm, preprocess, about)                \
	static int prepare_##symbol(const ek_peer_problem *p, void **s) \
	{                                                               \
		return prepare(p, s, algorithm, preprocess);            \
	}                                                               \
	static const ek_peer symbol = {.abi = EK_PEER_ABI,              \
	                               .name = shown,                   \
	                               .text = "cuSPARSE, CSR, " about, \
	                               .version = version,              \
	                               .supports = supports,            \
	                               .prepare = prepare_##symbol,     \
	                               .run = run,                      \
	                               .load = load,                    \
	                               .fetch = fetch,                  \
	                               .release = release,              \
	                               .error = error,                  \
	                               .device = 1,                     \
	                               .elapsed = elapsed};

WAY(plain, "cusparse", CUSPARSE_SPMV_ALG_DEFAULT, 0, "its default algorithm")
WAY(plain_p, "cusparse.pre", CUSPARSE_SPMV_ALG_DEFAULT, 1, "its default algorithm, preprocessed")
WAY(alg1, "cusparse.alg1", CUSPARSE_SPMV_CSR_ALG1, 0, "CSR_ALG1")
WAY(alg1_p, "cusparse.alg1.pre", CUSPARSE_SPMV_CSR_ALG1, 1, "CSR_ALG1, preprocessed")
WAY(alg2, "cusparse.alg2", CUSPARSE_SPMV_CSR_ALG2, 0, "CSR_ALG2, the same bits in each run")
WAY(alg2_p, "cusparse.alg2.pre", CUSPARSE_SPMV_CSR_ALG2, 1, "CSR_ALG2, preprocessed")

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&plain, &plain_p, &alg1, &alg1_p,
	                                      &alg2,  &alg2_p,  NULL};

	return list;
}
