/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs one at a time, in each pass of a file with EK_INTS_ONLY. `vs` is the size of a value, a
 * constant where speed counts: the copy is then one instruction, or none. */
#include "prim/order.h"

static inline __attribute__((always_inline)) VAL FN(key_at)(eki_run p, int64_t i, VAL flip)
{
	return FN(order)(((const FN(raw) *)p.key)[i], flip);
}

/* Copies pair i of `from` to place o of `to`. */
static inline __attribute__((always_inline)) void FN(pair_move)(eki_run from, int64_t i, eki_run to,
                                                                int64_t o, int64_t vs)
{
	((FN(raw) *)to.key)[o] = ((const FN(raw) *)from.key)[i];
	if (vs)
		memcpy(to.value + o * vs, from.value + i * vs, (size_t)vs);
}
