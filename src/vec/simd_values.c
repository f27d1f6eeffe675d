/* SPDX-License-Identifier: BSD-3-Clause
 * The values of a merged block: of two values with the same index, the sum is kept, by a masked
 * addition and a compression in registers. */
#include <string.h>

#include "vec/simd.h"
#define EK_ARRAYS
#define EK_FILE "vec/simd_values.c"
#include "base/for_each.h"

#include "vec/terms.h"

static void FN(block_values)(const void *val, int64_t n, const eki_block_bits *bits, void *to,
                             int64_t space)
{
	const VAL *v = val;
	VAL *zv = to;
	int64_t count = 0;

	for (int64_t k = 0; k < n; k += 64) {
		const uint64_t pair = bits->pair[k / 64], head = bits->head[k / 64];
		int w = 0;

		for (; w < 64 && count + W <= space; w += W) {
			const uint64_t lanes = (UINT64_C(1) << W) - 1;
			const unsigned keep = (unsigned)(head >> w & lanes);

			vcompress(zv + count,
			          vaddif((unsigned)(pair >> w & lanes), vload(v + k + w),
			                 vload(v + k + w + 1)),
			          keep);
			count += W == 1 ? (int)keep : __builtin_popcount(keep);
		}
		for (; w < 64; w++)
			if (head >> w & 1)
				zv[count++] = pair >> w & 1 ? sop(EK_SUM, v[k + w], v[k + w + 1])
				                            : v[k + w];
	}
}

static void FN(block_scale)(eki_scalar factor, const void *val, int64_t n, void *to)
{
	const VAL *v = val, f = (VAL)factor.re;
	VAL *out = to;

	if (n == 0)
		return;
	if (f == 0)
		memset(out, 0, (size_t)n * sizeof *out);
	else
		for (int64_t k = 0; k < n; k++)
			out[k] = FN(times)(f, v[k]);
}

#if EK_ONCE

eki_block_values_fn *const eki_block_values[EK_NISA][4] = EK_BY_ISA_AND_VALUE(block_values);
eki_block_scale_fn *const eki_block_scale[EK_NISA][4] = EK_BY_ISA_AND_VALUE(block_scale);

#endif
