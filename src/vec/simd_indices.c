/* SPDX-License-Identifier: BSD-3-Clause
 * The indices of a merged block: neighbours are compared a vector at a time, and a compression in
 * registers keeps one of two equal indices. */
#include "vec/simd.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "vec/simd_indices.c"
#include "base/for_each.h"

#include "prim_body/order.h"

static int64_t FN(block_indices)(const void *idx, int64_t n, eki_block_bits *bits, void *to,
                                 int64_t space)
{
	const VAL *v = idx;
	VAL *zi = to;
	uint64_t before = 0; /* 1 if the last entry equals the next one */
	int64_t count = 0;

	for (int64_t k = 0; k < n; k += 64) {
		/* The last entry of the block has no next one. */
		const uint64_t inside =
			n - k > 64 ? ~UINT64_C(0) : (UINT64_C(1) << (n - k - 1)) - 1;
		uint64_t pair = 0, head;
		int w = 0;

		for (int l = 0; l < 64; l += W)
			pair |= (uint64_t)veq(vload(v + k + l), vload(v + k + l + 1)) << l;
		pair &= inside;
		head = ~(pair << 1 | before) & (inside << 1 | 1);
		before = pair >> 63;
		bits->pair[k / 64] = pair;
		bits->head[k / 64] = head;
		for (; w < 64 && count + W <= space; w += W) {
			const unsigned keep = (unsigned)(head >> w & ((UINT64_C(1) << W) - 1));

			vcompress(zi + count, vload(v + k + w), keep);
			count += FN(count)(keep);
		}
		for (; w < 64; w++)
			if (head >> w & 1)
				zi[count++] = v[k + w];
	}
	return count;
}

#if EK_ONCE

eki_block_indices_fn *const eki_block_indices[EK_NISA][2] = EK_BY_ISA_AND_INT(block_indices);

#endif
