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

/* cusparse_spgemm.c */
extern const ek_peer cusparse_product, cusparse_product_alg1, cusparse_product_alg2,
	cusparse_product_alg3, cusparse_product_host, cusparse_product_reuse;

#endif
