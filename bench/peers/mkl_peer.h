/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of MKL's module share. */
#ifndef PEERS_MKL_PEER_H
#define PEERS_MKL_PEER_H

#include <mkl.h>

#include "peer.h"

/* What the last call of a peer returned, and a text for it. */
extern sparse_status_t mkl_peer_failure;
const char *mkl_peer_error(void);
const char *mkl_peer_version(void);
/* Makes a handle of a matrix with the types and the rows of A. */
sparse_status_t mkl_peer_create(const ek_peer_problem *p, int64_t cols, const void *row_ptr,
                                const void *col_idx, const void *val, sparse_matrix_t *A);
extern const ek_peer mkl_sorted, mkl_unsorted, mkl_transpose; /* mkl_sparse.c */

#endif
