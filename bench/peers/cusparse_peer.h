/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of cuSPARSE's module share. */
#ifndef PEERS_CUSPARSE_PEER_H
#define PEERS_CUSPARSE_PEER_H

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include "peer.h"

/* Why the last call of a peer failed. */
const char *cusparse_peer_error(void);
const char *cusparse_peer_version(void);
/* Tell whether a call failed, and keep the reason. `what` is the name of the function. */
int cuda_failed(const char *what, cudaError_t status);
int sparse_failed(const char *what, cusparseStatus_t status);
/* Allocates a block of `bytes` bytes on the host that is all zero. Returns 1 if that failed. */
int host_block(size_t bytes, void **block);
/* Allocates memory on the device, and copies `from` to it unless that is NULL. Returns 1 if that
 * failed. */
int device_take(void **to, const void *from, int64_t bytes);
/* Tells whether the device of a problem is there. */
int cusparse_peer_here(const ek_peer_problem *p);

/* What each peer has: the first member of its state. */
struct cusparse_session {
	cusparseHandle_t handle;
	cudaEvent_t start, stop; /* before and after the calls of the last run */
	cudaDataType type;       /* of the values */
};

/* Opens a session, all zero before, on the device of a problem. Returns 1 if that failed; the
 * caller closes it all the same. */
int cusparse_session_open(const ek_peer_problem *p, struct cusparse_session *s);
void cusparse_session_close(struct cusparse_session *s);
/* Calls call(state) `calls` times, between the two events, and waits. Returns 1 if that failed. */
int cusparse_session_run(void *state, int64_t calls, int (*call)(void *state));
/* Returns the seconds of the last run, or 0 if they are not known. */
double cusparse_session_elapsed(void *state);

/* ---- cusparse_product.c: products of two sparse matrices ------------------------------------- */

enum { CUSPARSE_PTR, CUSPARSE_COL, CUSPARSE_VAL, CUSPARSE_ARRAYS };
enum { CUSPARSE_BUFFERS = 5 };

/* A matrix in CSR on the device, with indices of 32 bits. */
struct cusparse_csr {
	cusparseSpMatDescr_t of;
	int64_t rows, cols, nnz;
	void *array[CUSPARSE_ARRAYS];
};

/* A product. The factors are not its own. */
struct cusparse_product {
	const struct cusparse_session *session;
	int value_bytes;
	cusparseSpGEMMAlg_t algorithm;
	int estimates; /* 1 if estimateMemory says what compute wants */
	const struct cusparse_csr *A, *B;
	struct cusparse_csr C;
	cusparseSpGEMMDescr_t state;
	void *work[CUSPARSE_BUFFERS];
	union {
		float f;
		double d;
	} alpha, beta;
};

/* Tells whether the matrices of a problem have indices of 32 bits and entries. */
int cusparse_product_can(const ek_peer_problem *p);
/* Frees memory on the device. */
int device_give(void **block);
/* Returns the bytes of an array of a matrix. */
int64_t cusparse_csr_bytes(int array, int64_t rows, int64_t nnz, int value_bytes);
/* Copies arrays of the host to the device. The matrix is all zero before. Like all functions here,
 * returns 1 if it failed, and then the caller drops the matrix all the same. */
int cusparse_csr_take(struct cusparse_csr *M, const struct cusparse_session *s, int value_bytes,
                      int64_t rows, int64_t cols, int64_t nnz, const void *const *array);
/* Makes the transpose of a matrix on the device. */
int cusparse_csr_transpose(const struct cusparse_csr *M, const struct cusparse_session *s,
                           int value_bytes, struct cusparse_csr *T);
/* Frees a matrix, or what there is of it, and makes it all zero. */
int cusparse_csr_drop(struct cusparse_csr *M);
/* Copies the arrays of a matrix to new memory of the host, in place of what was there. */
int cusparse_csr_copy_out(const struct cusparse_csr *M, int value_bytes,
                          void *on_host[CUSPARSE_ARRAYS]);
/* Begins a product, all zero before, by an algorithm. */
void cusparse_product_begin(struct cusparse_product *m, const struct cusparse_session *s,
                            int value_bytes, cusparseSpGEMMAlg_t algorithm, int estimates);
/* Makes a new C of the factors A and B; the C before is freed. */
int cusparse_product_make(struct cusparse_product *m, const struct cusparse_csr *A,
                          const struct cusparse_csr *B);
/* Makes C, with its pattern. cusparse_product_again computes the values of such a C. */
int cusparse_product_pattern(struct cusparse_product *m, const struct cusparse_csr *A,
                             const struct cusparse_csr *B);
int cusparse_product_again(struct cusparse_product *m);
int cusparse_product_drop(struct cusparse_product *m);

/* cusparse_triple.c */
extern const ek_peer cusparse_galerkin, cusparse_galerkin_left, cusparse_galerkin_host;
/* cusparse_spgemm.c */
extern const ek_peer cusparse_product, cusparse_product_alg1, cusparse_product_alg2,
	cusparse_product_alg3, cusparse_product_host, cusparse_product_reuse;

#endif
