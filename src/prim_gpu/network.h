/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of keys and values on a device: what the sorts and the merges share (network.c). */
#ifndef EK_PRIM_GPU_NETWORK_H
#define EK_PRIM_GPU_NETWORK_H

#include "prim_gpu/arrays.h"

enum { EKI_GPU_TILE_BYTES = 24 << 10 }; /* local memory for the pairs of a tile */

/* The arrays of pairs as kernels get them. If there are no values, `value` is `key` again. */
typedef struct eki_gpu_pair {
	eki_buffer key, value;
} eki_gpu_pair;

/* Bring n pairs of the caller to the device: input, output, or both. */
ek_status eki_gpu_pairs_in(eki_gpu_arrays *on, const ek_pairs *p, int64_t n, eki_gpu_pair *at);
ek_status eki_gpu_pairs_out(eki_gpu_arrays *on, const ek_pairs *p, int64_t n, eki_gpu_pair *at);
ek_status eki_gpu_pairs_both(eki_gpu_arrays *on, const ek_pairs *p, int64_t n, eki_gpu_pair *at);
/* Takes temporary memory for n pairs of the kind that `p` has. */
ek_status eki_gpu_pairs_temporary(eki_job *job, const ek_pairs *p, int64_t n, eki_gpu_pair *at);

/* Returns the most pairs of a kind, a power of two up to `most`, that a group keeps in local
 * memory. / */
int eki_gpu_tile(const ek_pairs *p, int most);
/* Returns the smallest power of two that is at least n. */
int64_t eki_gpu_power(int64_t n);

/* A network on a batch of arrays of n pairs, with groups of `group` work-items. */
typedef struct eki_gpu_network {
	eki_job *job;
	int64_t n, batch;
	int group, tile;
	const eki_gpu_pair *pair;
} eki_gpu_network;

/* Makes the kernels of network.cl those of the next launches. */
ek_status eki_gpu_network_use(const eki_gpu_network *net, const ek_pairs *kind);
/* Sorts the tiles of one array, whose pairs are at `from`, into net->pair, by one of the
 * networks. */
ek_status eki_gpu_tiles_sort(const eki_gpu_network *net, const eki_gpu_pair *from, bool odd);
/* Do single steps (prim_body/network.cl). */
ek_status eki_gpu_half_step(const eki_gpu_network *net, int64_t shift, int64_t stride);
ek_status eki_gpu_odd_step(const eki_gpu_network *net, int64_t shift, int64_t size, int64_t stride);
/* Does the steps with strides `stride`, stride / 2 ... 1, by which the bitonic network sorts. */
ek_status eki_gpu_halves(const eki_gpu_network *net, int64_t stride);
/* Sorts n pairs of the kind that `kind` has, by the bitonic network. */
ek_status eki_gpu_bitonic_sort(eki_job *job, const ek_pairs *kind, int64_t n,
                               const eki_gpu_pair *pair);

#endif
