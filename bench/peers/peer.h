/* SPDX-License-Identifier: BSD-3-Clause
 * A peer: another library's sparse matrix-vector product, for comparison in `ek bench`.
 *
 * Each peer is a module of its own, peer_NAME.so, built only where the library is installed and
 * loaded by the tool at run time, so that the tool itself depends on none of them. A module exports
 * one function, ek_peer_list. It sees plain CSR arrays, which it must neither change nor keep
 * beyond release.
 */
#ifndef EK_PEER_H
#define EK_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EK_PEER_ABI 2

/* y = alpha op(A) x + beta y. x and y are the vectors of all runs. */
typedef struct ek_peer_problem {
	int64_t rows, cols, nnz;
	const void *row_ptr, *col_idx, *val;
	int value_bytes; /* 4: float, 8: double */
	int ptr_bytes;   /* of a row pointer: 4 or 8 */
	int idx_bytes;   /* of a column index: 4 or 8 */
	int transposed;  /* op */
	int threads;
	int64_t calls; /* announced */
	double alpha, beta;
	const void *x;
	void *y;
	int device; /* number of the CUDA device to use; -1: there is none */
} ek_peer_problem;

typedef struct ek_peer {
	int abi;          /* EK_PEER_ABI */
	const char *name; /* "mkl": the tool shows "peer.mkl" */
	const char *text; /* one line: which call, prepared how */
	const char *(*version)(void);
	/* 1 if the peer can do this problem; asked before anything else. */
	int (*supports)(const ek_peer_problem *problem);
	/* Everything that its users do once for a matrix; *state is the peer's own. 0 is success.
	 * The problem stays where it is until release. */
	int (*prepare)(const ek_peer_problem *problem, void **state);
	/* The product, `calls` times; after it, y of the problem holds the result, if the peer has
	 * no fetch. 0 is success. */
	int (*run)(void *state, int64_t calls);
	/* For peers with vectors of their own: loads y of the problem into them before a run, and
	 * stores the result there after it; not timed. NULL: not needed. */
	int (*load)(void *state);
	int (*fetch)(void *state);
	void (*release)(void *state);
	/* Why the last call failed. */
	const char *(*error)(void);
	/* 1: it runs on a device, and is measured with those who do. Then it has vectors of its own
	 * there, and `elapsed` gives the seconds of the last `run` by the device's clock. */
	int device;
	double (*elapsed)(void *state);
} ek_peer;

/* The peers of a module, ended by NULL (one library may be used in more than one way). NULL: the
 * library does not work here. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const ek_peer *const *
ek_peer_list(void);

#ifdef __cplusplus
}
#endif
#endif
