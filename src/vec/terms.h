/* SPDX-License-Identifier: BSD-3-Clause
 * Products and sums of values that do not overflow: those of integers wrap around. Included in each
 * pass of a file with EK_VECTORS or EK_ARRAYS. */

static inline __attribute__((always_inline)) VAL FN(times)(VAL a, VAL b)
{
#if EK_VAL_FLOAT
	return a * b;
#else
	return (VAL)((UNS)a * (UNS)b);
#endif
}

/* Returns `factor` times value k of v. If the factor is 0, the value is not read and counts as
 * +0. */
static inline __attribute__((always_inline)) VAL FN(term)(VAL factor, const VAL *v, int64_t k)
{
	return factor == 0 ? 0 : FN(times)(factor, v[k]);
}
