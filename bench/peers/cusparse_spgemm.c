/* SPDX-License-Identifier: BSD-3-Clause
 * cuSPARSE's products of two sparse matrices, in the module of peer_cusparse.c.
 *
 * cusparseSpGEMM makes a new C in each call, in three phases: workEstimation, compute and copy.
 * Each of the first two says how much temporary memory it wants, which the caller allocates. ALG2
 * and ALG3 are told by estimateMemory what compute wants; ALG3 makes a part of the products at a
 * time. A call has all phases, and allocates and frees all temporary memory and C.
 *
 * The operands stay on the device, and so does C, except with the peer "host": each of its calls
 * copies the operands to the device and C to new memory of the host, as calls of our methods do.
 *
 * cusparseSpGEMMreuse, the peer "reuse", knows the pattern of C and computes its values again. */
#include <stdlib.h>
#include <string.h>

#include "cusparse_peer.h"

#define CHUNK 0.2f /* of the products, at a time: the value of NVIDIA's example for ALG3 */

enum { PTR, COL, VAL, ARRAYS };
enum { BUFFERS = 5 };

/* A way to use the library. */
struct way {
	cusparseSpGEMMAlg_t algorithm;
	int estimates; /* 1 if estimateMemory says what compute wants */
	int host;      /* 1 if the operands come from the host and C goes there in each call */
};

struct product {
	struct cusparse_session own;
	const ek_peer_problem *p;
	struct way way;
	cusparseSpGEMMDescr_t state;
	cusparseSpMatDescr_t A, B, C;
	void *a[ARRAYS], *b[ARRAYS], *c[ARRAYS]; /* their arrays on the device */
	void *on_host[ARRAYS];                   /* those of C on the host */
	int64_t nnz;                             /* entries of C */
	void *work[BUFFERS];
	union {
		float f;
		double d;
	} alpha, beta;
};

static int supports(const ek_peer_problem *p)
{
	return cusparse_peer_here(p) && p->ptr_bytes == 4 && p->idx_bytes == 4 && !p->transposed &&
	       p->rows > 0 && p->cols > 0 && p->nnz > 0 && p->b_nnz > 0;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int give(void **block)
{
	void *old = *block;

	*block = NULL;
	return cuda_failed("cudaFree", cudaFree(old));
}

static int give_all(void **block, int count)
{
	int failed = 0;

	for (int k = 0; k < count; k++)
		failed |= give(&block[k]);
	return failed;
}

/* Returns the bytes of an array of a matrix. */
static int64_t bytes_of(const struct product *m, int array, int64_t rows, int64_t nnz)
{
	return array == PTR ? 4 * (rows + 1) : array == COL ? 4 * nnz : nnz * m->p->value_bytes;
}

static int copy_in(struct product *m, void **to, const void *const *from, int64_t rows, int64_t nnz)
{
	for (int k = 0; k < ARRAYS; k++)
		if (device_take(&to[k], from[k], bytes_of(m, k, rows, nnz)))
			return 1;
	return 0;
}

static int describe(struct product *m, cusparseSpMatDescr_t *M, int64_t rows, int64_t cols,
                    int64_t nnz, void *const *array)
{
	return sparse_failed("cusparseCreateCsr",
	                     cusparseCreateCsr(M, rows, cols, nnz, array[PTR], array[COL],
	                                       array[VAL], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
	                                       CUSPARSE_INDEX_BASE_ZERO, m->own.type));
}

static int drop_matrix(cusparseSpMatDescr_t *M, void **array)
{
	const cusparseSpMatDescr_t old = *M;

	*M = NULL;
	return (old && sparse_failed("cusparseDestroySpMat", cusparseDestroySpMat(old))) |
	       give_all(array, ARRAYS);
}

/* Copies the operands to the device. If B is A, it has no arrays of its own. */
static int take_operands(struct product *m)
{
	const ek_peer_problem *p = m->p;
	const void *const a[] = {p->row_ptr, p->col_idx, p->val};
	const void *const b[] = {p->b_row_ptr, p->b_col_idx, p->b_val};
	const int same = p->b_val == p->val;

	return copy_in(m, m->a, a, p->rows, p->nnz) ||
	       describe(m, &m->A, p->rows, p->cols, p->nnz, m->a) ||
	       (!same && copy_in(m, m->b, b, p->cols, p->b_nnz)) ||
	       describe(m, &m->B, p->cols, p->b_cols, p->b_nnz, same ? m->a : m->b);
}

static int drop_operands(struct product *m)
{
	return drop_matrix(&m->B, m->b) | drop_matrix(&m->A, m->a);
}

/* ---- Phases ---------------------------------------------------------------------------------- */

#define FACTORS(m) \
	(m)->own.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE
/* Arguments that the functions of cusparseSpGEMM have in common. */
#define PRODUCT(m)                                                                  \
	FACTORS(m), &(m)->alpha, (m)->A, (m)->B, &(m)->beta, (m)->C, (m)->own.type, \
		(m)->way.algorithm, (m)->state
/* Arguments that those of cusparseSpGEMMreuse have in common, except compute. */
#define PATTERN(m) FACTORS(m), (m)->A, (m)->B, (m)->C, (m)->way.algorithm, (m)->state

/* Calls a function of cusparseSpGEMM and tells whether it failed. */
#define CALL(function, ...) sparse_failed(#function, function(__VA_ARGS__))

/* Begins C, of which only the number of rows is known. */
static int begin(struct product *m)
{
	const ek_peer_problem *p = m->p;

	return CALL(cusparseSpGEMM_createDescr, &m->state) ||
	       device_take(&m->c[PTR], NULL, bytes_of(m, PTR, p->rows, 0)) ||
	       describe(m, &m->C, p->rows, p->b_cols, 0, m->c);
}

static int estimate_work(struct product *m)
{
	size_t bytes = 0;

	return CALL(cusparseSpGEMM_workEstimation, PRODUCT(m), &bytes, NULL) ||
	       device_take(&m->work[0], NULL, (int64_t)bytes) ||
	       CALL(cusparseSpGEMM_workEstimation, PRODUCT(m), &bytes, m->work[0]);
}

/* Finds out how much memory compute wants, by estimateMemory. */
static int estimate_memory(struct product *m, size_t *bytes)
{
	size_t own = 0;

	return CALL(cusparseSpGEMM_estimateMemory, PRODUCT(m), CHUNK, &own, NULL, NULL) ||
	       device_take(&m->work[1], NULL, (int64_t)own) ||
	       CALL(cusparseSpGEMM_estimateMemory, PRODUCT(m), CHUNK, &own, m->work[1], bytes) ||
	       give(&m->work[1]);
}

static int compute(struct product *m)
{
	size_t bytes = 0;
	const int failed = m->way.estimates
	                           ? estimate_memory(m, &bytes)
	                           : CALL(cusparseSpGEMM_compute, PRODUCT(m), &bytes, NULL);

	return failed || device_take(&m->work[2], NULL, (int64_t)bytes) ||
	       CALL(cusparseSpGEMM_compute, PRODUCT(m), &bytes, m->work[2]);
}

/* Allocates the columns and values of C. */
static int place(struct product *m)
{
	int64_t rows, cols;

	return CALL(cusparseSpMatGetSize, m->C, &rows, &cols, &m->nnz) ||
	       device_take(&m->c[COL], NULL, bytes_of(m, COL, 0, m->nnz)) ||
	       device_take(&m->c[VAL], NULL, bytes_of(m, VAL, 0, m->nnz)) ||
	       CALL(cusparseCsrSetPointers, m->C, m->c[PTR], m->c[COL], m->c[VAL]);
}

static int end(struct product *m)
{
	const cusparseSpGEMMDescr_t old = m->state;

	m->state = NULL;
	return (old && CALL(cusparseSpGEMM_destroyDescr, old)) | give_all(m->work, BUFFERS);
}

static void drop_on_host(struct product *m)
{
	for (int k = 0; k < ARRAYS; k++) {
		free(m->on_host[k]);
		m->on_host[k] = NULL;
	}
}

/* Copies C to new memory of the host. */
static int copy_out(struct product *m)
{
	drop_on_host(m);
	for (int k = 0; k < ARRAYS; k++) {
		const size_t bytes = (size_t)bytes_of(m, k, m->p->rows, m->nnz);

		if (host_block(bytes + 1, &m->on_host[k]) ||
		    cuda_failed("cudaMemcpy",
		                cudaMemcpy(m->on_host[k], m->c[k], bytes, cudaMemcpyDeviceToHost)))
			return 1;
	}
	return 0;
}

/* Makes a new C. */
static int multiply(void *state)
{
	struct product *m = state;

	return drop_matrix(&m->C, m->c) ||
	       (m->way.host && (drop_operands(m) || take_operands(m))) || begin(m) ||
	       estimate_work(m) || compute(m) || place(m) ||
	       CALL(cusparseSpGEMM_copy, PRODUCT(m)) || end(m) || (m->way.host && copy_out(m));
}

/* ---- A known pattern ------------------------------------------------------------------------- */

/* Finds the pattern of C. What compute needs stays in the last two buffers. */
static int find_pattern(struct product *m)
{
	size_t bytes[BUFFERS] = {0};
	void **w = m->work;

	if (begin(m) || CALL(cusparseSpGEMMreuse_workEstimation, PATTERN(m), &bytes[0], NULL) ||
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
	                   cudaMemset(m->c[VAL], 0, (size_t)bytes_of(m, VAL, 0, m->nnz))) ||
	       CALL(cusparseSpGEMMreuse_copy, PATTERN(m), &bytes[4], NULL) ||
	       device_take(&w[4], NULL, (int64_t)bytes[4]) ||
	       CALL(cusparseSpGEMMreuse_copy, PATTERN(m), &bytes[4], w[4]) || give(&w[2]);
}

static int multiply_again(void *state)
{
	struct product *m = state;

	return CALL(cusparseSpGEMMreuse_compute, PRODUCT(m));
}

/* ---- The peers ------------------------------------------------------------------------------- */

static void release(void *state)
{
	struct product *m = state;

	if (!m)
		return;
	end(m);
	drop_matrix(&m->C, m->c);
	drop_operands(m);
	drop_on_host(m);
	cusparse_session_close(&m->own);
	free(m);
}

static int prepare(const ek_peer_problem *p, void **state, struct way way, int again)
{
	struct product *m;
	void *block;

	if (host_block(sizeof *m, &block))
		return 1;
	m = block;
	m->p = p;
	m->way = way;
	if (p->value_bytes == 4)
		m->alpha.f = 1;
	else
		m->alpha.d = 1;
	if (cusparse_session_open(p, &m->own) || take_operands(m) || (again && find_pattern(m)) ||
	    cuda_failed("cudaDeviceSynchronize", cudaDeviceSynchronize())) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

static int run(void *state, int64_t calls)
{
	return cusparse_session_run(state, calls, multiply);
}

static int run_again(void *state, int64_t calls)
{
	return cusparse_session_run(state, calls, multiply_again);
}

static int fetch(void *state)
{
	struct product *m = state;

	if (!m->way.host && copy_out(m))
		return 1;
	*m->p->result = (ek_peer_result){m->on_host[PTR], m->on_host[COL], m->on_host[VAL], 4, 4};
	return 0;
}

/* Defines a peer: `symbol` is its name in the module, `shown` its name in the tool; then come its
 * way, `again` and `run`, and a text. */
#define WAY(symbol, shown, algorithm, estimates, host, again_, run_, about)                     \
	static int prepare_##symbol(const ek_peer_problem *p, void **s)                         \
	{                                                                                       \
		const struct way way = {algorithm, estimates, host};                            \
                                                                                                \
		return prepare(p, s, way, again_);                                              \
	}                                                                                       \
	const ek_peer symbol = {EK_PEER(shown, "cuSPARSE, cusparseSpGEMM" about,                \
	                                EK_PEER_OF(EK_SPGEMM), cusparse_peer_version),          \
	                        EK_PEER_CALLS(supports, prepare_##symbol, run_, fetch, release, \
	                                      cusparse_peer_error),                             \
	                        .device = 1, .elapsed = cusparse_session_elapsed,               \
	                        .again = again_};

WAY(cusparse_product, "cusparse", CUSPARSE_SPGEMM_DEFAULT, 0, 0, 0, run,
    ", its default algorithm, on the device")
WAY(cusparse_product_alg1, "cusparse.alg1", CUSPARSE_SPGEMM_ALG1, 0, 0, 0, run,
    ", ALG1, on the device")
WAY(cusparse_product_alg2, "cusparse.alg2", CUSPARSE_SPGEMM_ALG2, 1, 0, 0, run,
    ", ALG2, on the device")
WAY(cusparse_product_alg3, "cusparse.alg3", CUSPARSE_SPGEMM_ALG3, 1, 0, 0, run,
    ", ALG3, a fifth of the products at a time, on the device")
WAY(cusparse_product_host, "cusparse.host", CUSPARSE_SPGEMM_DEFAULT, 0, 1, 0, run,
    ", its default algorithm, from the host and to the host in each call")
WAY(cusparse_product_reuse, "cusparse.reuse", CUSPARSE_SPGEMM_DEFAULT, 0, 0, 1, run_again,
    "reuse_compute, into the values of an existing C on the device")
