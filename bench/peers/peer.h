/* SPDX-License-Identifier: BSD-3-Clause
 * A peer: a product with a sparse matrix, a scan, a sort ... of another library, for comparison in
 * `ek bench`.
 *
 * Each library has a module, peer_NAME.so, which is built only where the library is installed and
 * loaded by the tool at run time, so that the tool itself depends on no other library. A module
 * exports one function, ek_peer_list. It must not change its inputs, nor keep pointers to them
 * after `release`.
 */
#ifndef EK_PEER_H
#define EK_PEER_H

#include <evenkeel/ek.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EK_PEER_ABI 7

/* A sparse result, in CSR. Its arrays belong to the peer, and are valid until the next call. */
typedef struct ek_peer_result {
	const void *row_ptr, *col_idx, *val;
	int ptr_bytes, idx_bytes;
} ek_peer_result;

/* A problem for peers. Which members are used depends on the operation:
 *   spmv     y = alpha op(A) x + beta y, A in CSR
 *   spmm     the same with blocks of `width` columns, contiguous, each row- or column-major
 *   spmspv   op(A) x with a sparse x, given as B, a matrix of one row without b_row_ptr; to a new
 *            vector in each run, which `result` describes in the same form
 *   spgemm   A B or, if `transposed`, A B^T, to a new matrix in each run; `fetch` describes it
 *            in `result`. B has the types of A, and is A itself if b_val is val
 *   spadd    A + B or, if `transposed`, A + B^T, likewise; B has as many rows and columns as A
 *   triple   B^T A B, likewise; A is square, and B has as many rows
 *   transpose A^T, to a new matrix in each run, as for spgemm
 *   reduce   in[n] to out[1]
 *   scan     in[n] to out[n], which may be the same array
 *   segsum   in[n], cut by offset[count + 1], to out[count]
 *   sort     key[n], and value[n] of value_size bytes each, in place
 *   merge    batch times: in[n] and in_b[n], with their values, to key[2 n] and value[2 n]
 *   dot_dense, axpy, gather, gather_zero, scatter
 *            a sparse x with the n values `in` at the indices `offset` (NULL: they have
 *            64 bits), and a dense y: the product of x and in_b to out[1]; key += alpha x;
 *            entries of in_b, or of key, which become 0, to out[n]; x to key
 *   kselect  the k-th smallest of each of `batch` lists of n numbers of `in` to out[batch]
 * Products have the same arrays in all runs. In other operations the pointers may change between
 * runs, but not the sizes. */
typedef struct ek_peer_problem {
	ek_operation operation;
	ek_value type; /* type of the matrix and the vectors, of the numbers, or of the keys */
	int threads;
	int device; /* number of the CUDA device to use, or -1 if there is none */
	/* for products */
	int64_t rows, cols, nnz;
	const void *row_ptr, *col_idx, *val;
	const void *b_row_ptr, *b_col_idx, *b_val; /* B, for operations on two matrices */
	int64_t b_cols, b_nnz;
	int value_bytes;      /* 4 for float, 8 for double */
	int ptr_bytes;        /* bytes of a row pointer: 4 or 8 */
	int idx_bytes;        /* bytes of a column index: 4 or 8 */
	int transposed;       /* 1 if op(A), or of two matrices op(B), is transposed */
	int64_t width;        /* number of columns of x and y */
	int x_order, y_order; /* EK_ROW_MAJOR or EK_COL_MAJOR */
	int64_t calls;        /* number of products that peers may prepare for */
	double alpha, beta;
	const void *x;
	void *y;
	ek_peer_result *result;
	/* for operations on arrays */
	ek_monoid op;
	ek_scan_kind kind;
	int64_t n, batch, k, count;
	size_t value_size; /* bytes of a value: 0, 4 or 8 */
	const void *in, *in_b, *in_value, *in_b_value;
	const int32_t *offset;
	void *out, *key, *value;
} ek_peer_problem;

/* The bit of an operation in ek_peer.operations. */
#define EK_PEER_OF(operation) (1u << (operation))

typedef struct ek_peer {
	int abi;             /* EK_PEER_ABI of the header that the module was built with */
	unsigned operations; /* bits of the operations that the peer has */
	const char *name;    /* name such as "mkl", which the tool shows as "peer.mkl" */
	const char *text;    /* one line: the call that is measured, and its preparation */
	const char *(*version)(void);
	/* Returns 1 if the peer can do this problem. It is called before any other function. */
	int (*supports)(const ek_peer_problem *problem);
	/* Does what users of the library do once for a matrix, sets the number of threads, and
	 * allocates temporary memory. *state is what the other functions get. The problem stays
	 * valid until `release`. Returns 0 on success. */
	int (*prepare)(const ek_peer_problem *problem, void **state);
	/* Makes `calls` calls. If the peer has no `fetch`, the result is then in the outputs of the
	 * problem. Returns 0 on success. */
	int (*run)(void *state, int64_t calls);
	/* For peers with vectors of their own; NULL for other peers. Before a run, `load` copies y
	 * from the problem to the peer's own y. After the run, `fetch` copies the result back.
	 * Neither is timed. Both return 0 on success. */
	int (*load)(void *state);
	int (*fetch)(void *state);
	void (*release)(void *state);
	/* Returns why the last call failed. */
	const char *(*error)(void);
	/* 1 if the peer runs on a device. Then it has vectors of its own there, and `elapsed`
	 * returns the seconds of the last `run` on the device's clock. */
	int device;
	double (*elapsed)(void *state);
	/* 1 if runs replace the values of a sparse result that the peer made before, as "NAME
	 * again" of our methods does. */
	int again;
} ek_peer;

/* Members of a peer of the processor: what it is, and its functions, of which `fetch_` may be
 * NULL. */
#define EK_PEER(name_, text_, operations_, version_)                                 \
	.abi = EK_PEER_ABI, .operations = operations_, .name = name_, .text = text_, \
	.version = version_
#define EK_PEER_CALLS(supports_, prepare_, run_, fetch_, release_, error_)        \
	.supports = supports_, .prepare = prepare_, .run = run_, .fetch = fetch_, \
	.release = release_, .error = error_

/* Returns the peers of a module, ending with NULL, one for each way to use the library; or NULL if
 * the library does not work on this machine. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const ek_peer *const *
ek_peer_list(void);

#ifdef __cplusplus
}
#endif
#endif
