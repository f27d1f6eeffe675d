/* SPDX-License-Identifier: BSD-3-Clause
 * An array peer: another library's scan, sort, merge ..., for comparison in `ek bench`. Like the
 * peers for matrices (peer.h) each is a module of its own, array_NAME.so, built only where the
 * library is installed and loaded by the tool at run time. A module exports one function,
 * ek_array_peer_list.
 */
#ifndef EK_ARRAY_PEER_H
#define EK_ARRAY_PEER_H

#include <evenkeel/ek.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EK_ARRAY_PEER_ABI 1

/* Which of the arrays are used depends on the operation:
 *   reduce   in[n] to out[1]
 *   scan     in[n] to out[n], which may be the same array
 *   segsum   in[n], cut by offset[count + 1], to out[count]
 *   sort     key[n], and value[n] of value_size bytes each, in place
 *   merge    batch times: in[n] and in_b[n], with their values, to key[2 n] and value[2 n]
 *   kselect  the k-th smallest of each of `batch` lists of n numbers of `in` to out[batch] */
typedef struct ek_array_peer_problem {
	ek_operation operation;
	ek_value type; /* of the numbers, or of the keys */
	ek_monoid op;
	ek_scan_kind kind;
	int threads;
	int64_t n, batch, k, count;
	size_t value_size; /* 0, 4 or 8 */
	const void *in, *in_b, *in_value, *in_b_value;
	const int32_t *offset;
	void *out, *key, *value;
} ek_array_peer_problem;

typedef struct ek_array_peer {
	int abi;          /* EK_ARRAY_PEER_ABI */
	const char *name; /* "tbb": the tool shows "peer.tbb" */
	const char *text; /* one line: which call */
	const char *(*version)(void);
	/* 1 if the peer can do this problem; asked before anything else. */
	int (*supports)(const ek_array_peer_problem *problem);
	/* Threads and temporary memory; *state is the peer's own. 0 is success. */
	int (*prepare)(const ek_array_peer_problem *problem, void **state);
	/* The operation, once. The arrays may be others than at prepare, of the same sizes. 0 is
	 * success. */
	int (*run)(void *state, const ek_array_peer_problem *problem);
	void (*release)(void *state);
} ek_array_peer;

/* The peers of a module, ended by NULL. NULL: the library does not work here. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const ek_array_peer *const *
ek_array_peer_list(void);

#ifdef __cplusplus
}
#endif
#endif
