/* SPDX-License-Identifier: BSD-3-Clause
 * cuSPARSE's product of two sparse matrices on the device, for the peers of cusparse_spgemm.c and
 * cusparse_triple.c.
 *
 * cusparseSpGEMM makes a new C in each call, in three phases: workEstimation, compute and copy.
 * Each of the first two says how much temporary memory it wants, which the caller allocates. ALG2
 * and ALG3 are told by estimateMemory what compute wants; ALG3 makes a part of the products at a
 * time. cusparseSpGEMMreuse knows the pattern of C and computes its values again. */
#include <stdlib.h>

#include "cusparse_peer.h"

#define CHUNK 0.2f /* of the products, at a time: the value of NVIDIA's example for ALG3 */

enum { PTR = CUSPARSE_PTR, COL = CUSPARSE_COL, VAL = CUSPARSE_VAL, ARRAYS = CUSPARSE_ARRAYS };
enum { BUFFERS = CUSPARSE_BUFFERS };

int cusparse_product_can(const ek_peer_problem *p)
{
	return cusparse_peer_here(p) && p->ptr_bytes == 4 && p->idx_bytes == 4 && !p->transposed &&
	       p->rows > 0 && p->cols > 0 && p->nnz > 0 && p->b_nnz > 0;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

int device_give(void **block)
{
	void *old = *block;

	*block = NULL;
	return cuda_failed("cudaFree", cudaFree(old));
}

static int give_all(void **block, int count)
{
	int failed = 0;

	for (int k = 0; k < count; k++)
		failed |= device_give(&block[k]);
	return failed;
}

int64_t cusparse_csr_bytes(int array, int64_t rows, int64_t nnz, int value_bytes)
{
	return array == PTR ? 4 * (rows + 1) : array == COL ? 4 * nnz : nnz * value_bytes;
}

static int describe(struct cusparse_csr *M, const struct cusparse_session *s)
{
	return sparse_failed("cusparseCreateCsr",
	                     cusparseCreateCsr(&M->of, M->rows, M->cols, M->nnz, M->array[PTR],
	                                       M->array[COL], M->array[VAL], CUSPARSE_INDEX_32I,
	                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
	                                       s->type));
}

int cusparse_csr_take(struct cusparse_csr *M, const struct cusparse_session *s, int value_bytes,
                      int64_t rows, int64_t cols, int64_t nnz, const void *const *array)
{
	*M = (struct cusparse_csr){.rows = rows, .cols = cols, .nnz = nnz};
	for (int k = 0; k < ARRAYS; k++)
		if (device_take(&M->array[k], array ? array[k] : NULL,
		                cusparse_csr_bytes(k, rows, nnz, value_bytes)))
			return 1;
	return describe(M, s);
}

int cusparse_csr_transpose(const struct cusparse_csr *M, const struct cusparse_session *s,
                           int value_bytes, struct cusparse_csr *T)
{
	const int rows = (int)M->rows, cols = (int)M->cols, nnz = (int)M->nnz;
	void *work = NULL;
	size_t bytes = 0;

	if (cusparse_csr_take(T, s, value_bytes, M->cols, M->rows, M->nnz, NULL) ||
	    sparse_failed("cusparseCsr2cscEx2_bufferSize",
	                  cusparseCsr2cscEx2_bufferSize(
				  s->handle, rows, cols, nnz, M->array[VAL], M->array[PTR],
				  M->array[COL], T->array[VAL], T->array[PTR], T->array[COL],
				  s->type, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
				  CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes)) ||
	    device_take(&work, NULL, (int64_t)bytes))
		return 1;
	const int failed = sparse_failed(
		"cusparseCsr2cscEx2",
		cusparseCsr2cscEx2(s->handle, rows, cols, nnz, M->array[VAL], M->array[PTR],
	                           M->array[COL], T->array[VAL], T->array[PTR], T->array[COL],
	                           s->type, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
	                           CUSPARSE_CSR2CSC_ALG_DEFAULT, work));

	return device_give(&work) | failed;
}

int cusparse_csr_drop(struct cusparse_csr *M)
{
	struct cusparse_csr old = *M;

	*M = (struct cusparse_csr){0};
	return (old.of && sparse_failed("cusparseDestroySpMat", cusparseDestroySpMat(old.of))) |
	       give_all(old.array, ARRAYS);
}

int cusparse_csr_copy_out(const struct cusparse_csr *M, int value_bytes, void *on_host[ARRAYS])
{
	for (int k = 0; k < ARRAYS; k++) {
		const size_t bytes = (size_t)cusparse_csr_bytes(k, M->rows, M->nnz, value_bytes);

		free(on_host[k]);
		on_host[k] = NULL;
		if (host_block(bytes + 1, &on_host[k]) ||
		    cuda_failed("cudaMemcpy",
		                cudaMemcpy(on_host[k], M->array[k], bytes, cudaMemcpyDeviceToHost)))
			return 1;
	}
	return 0;
}

/* ---- Phases ---------------------------------------------------------------------------------- */

#define FACTORS(m) \
	(m)->session->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE
/* Arguments that the functions of cusparseSpGEMM have in common. */
#define PRODUCT(m)                                                              \
	FACTORS(m), &(m)->alpha, (m)->A->of, (m)->B->of, &(m)->beta, (m)->C.of, \
		(m)->session->type, (m)->algorithm, (m)->state
/* Arguments that those of cusparseSpGEMMreuse have in common, except compute. */
#define PATTERN(m) FACTORS(m), (m)->A->of, (m)->B->of, (m)->C.of, (m)->algorithm, (m)->state

/* Calls a function of cusparseSpGEMM and tells whether it failed. */
#define CALL(function, ...) sparse_failed(#function, function(__VA_ARGS__))

/* Begins C, of which only the number of rows is known. */
static int begin(struct cusparse_product *m, const struct cusparse_csr *A,
                 const struct cusparse_csr *B)
{
	m->A = A;
	m->B = B;
	if (cusparse_csr_drop(&m->C))
		return 1;
	m->C.rows = A->rows;
	m->C.cols = B->cols;
	return CALL(cusparseSpGEMM_createDescr, &m->state) ||
	       device_take(&m->C.array[PTR], NULL, cusparse_csr_bytes(PTR, A->rows, 0, 0)) ||
	       describe(&m->C, m->session);
}

static int estimate_work(struct cusparse_product *m)
{
	size_t bytes = 0;

	return CALL(cusparseSpGEMM_workEstimation, PRODUCT(m), &bytes, NULL) ||
	       device_take(&m->work[0], NULL, (int64_t)bytes) ||
	       CALL(cusparseSpGEMM_workEstimation, PRODUCT(m), &bytes, m->work[0]);
}

/* Finds out how much memory compute wants, by estimateMemory. */
static int estimate_memory(struct cusparse_product *m, size_t *bytes)
{
	size_t own = 0;

	return CALL(cusparseSpGEMM_estimateMemory, PRODUCT(m), CHUNK, &own, NULL, NULL) ||
	       device_take(&m->work[1], NULL, (int64_t)own) ||
	       CALL(cusparseSpGEMM_estimateMemory, PRODUCT(m), CHUNK, &own, m->work[1], bytes) ||
	       device_give(&m->work[1]);
}

static int compute(struct cusparse_product *m)
{
	size_t bytes = 0;
	const int failed = m->estimates ? estimate_memory(m, &bytes)
	                                : CALL(cusparseSpGEMM_compute, PRODUCT(m), &bytes, NULL);

	return failed || device_take(&m->work[2], NULL, (int64_t)bytes) ||
	       CALL(cusparseSpGEMM_compute, PRODUCT(m), &bytes, m->work[2]);
}

/* Allocates the columns and values of C. */
static int place(struct cusparse_product *m)
{
	struct cusparse_csr *C = &m->C;
	int64_t rows, cols;

	if (CALL(cusparseSpMatGetSize, C->of, &rows, &cols, &C->nnz))
		return 1;
	for (int k = COL; k <= VAL; k++)
		if (device_take(&C->array[k], NULL,
		                cusparse_csr_bytes(k, rows, C->nnz, m->value_bytes)))
			return 1;
	return CALL(cusparseCsrSetPointers, C->of, C->array[PTR], C->array[COL], C->array[VAL]);
}

static int end(struct cusparse_product *m)
{
	const cusparseSpGEMMDescr_t old = m->state;

	m->state = NULL;
	return (old && CALL(cusparseSpGEMM_destroyDescr, old)) | give_all(m->work, BUFFERS);
}

/* ---- Products -------------------------------------------------------------------------------- */

void cusparse_product_begin(struct cusparse_product *m, const struct cusparse_session *s,
                            int value_bytes, cusparseSpGEMMAlg_t algorithm, int estimates)
{
	m->session = s;
	m->value_bytes = value_bytes;
	m->algorithm = algorithm;
	m->estimates = estimates;
	if (value_bytes == 4)
		m->alpha.f = 1;
	else
		m->alpha.d = 1;
}

int cusparse_product_make(struct cusparse_product *m, const struct cusparse_csr *A,
                          const struct cusparse_csr *B)
{
	return begin(m, A, B) || estimate_work(m) || compute(m) || place(m) ||
	       CALL(cusparseSpGEMM_copy, PRODUCT(m)) || end(m);
}

/* What compute needs stays in the last two buffers. */
int cusparse_product_pattern(struct cusparse_product *m, const struct cusparse_csr *A,
                             const struct cusparse_csr *B)
{
	size_t bytes[BUFFERS] = {0};
	void **w = m->work;

	if (begin(m, A, B) ||
	    CALL(cusparseSpGEMMreuse_workEstimation, PATTERN(m), &bytes[0], NULL) ||
	    device_take(&w[0], NULL, (int64_t)bytes[0]) ||
	    CALL(cusparseSpGEMMreuse_workEstimation, PATTERN(m), &bytes[0], w[0]) ||
	    CALL(cusparseSpGEMMreuse_nnz, PATTERN(m), &bytes[1], NULL, &bytes[2], NULL, &bytes[3],
	         NULL))
		return 1;
	for (int k = 1; k < 4; k++)
		if (device_take(&w[k], NULL, (int64_t)bytes[k]))
			return 1;
	return CALL(cusparseSpGEMMreuse_nnz, PATTERN(m), &bytes[1], w[1], &bytes[2], w[2],
	            &bytes[3], w[3]) ||
	       give_all(w, 2) || place(m) ||
	       cuda_failed("cudaMemset",
	                   cudaMemset(m->C.array[VAL], 0,
	                              (size_t)cusparse_csr_bytes(VAL, m->C.rows, m->C.nnz,
	                                                         m->value_bytes))) ||
	       CALL(cusparseSpGEMMreuse_copy, PATTERN(m), &bytes[4], NULL) ||
	       device_take(&w[4], NULL, (int64_t)bytes[4]) ||
	       CALL(cusparseSpGEMMreuse_copy, PATTERN(m), &bytes[4], w[4]) || device_give(&w[2]);
}

int cusparse_product_again(struct cusparse_product *m)
{
	return CALL(cusparseSpGEMMreuse_compute, PRODUCT(m));
}

int cusparse_product_drop(struct cusparse_product *m)
{
	return end(m) | cusparse_csr_drop(&m->C);
}
