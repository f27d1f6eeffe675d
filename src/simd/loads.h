/* SPDX-License-Identifier: BSD-3-Clause
 * Gathers without gather instructions: each lane is loaded by itself, and the lanes are then put
 * together. On some processors the instruction takes several times as long as this: on AMD's Zen,
 * and on Intel's with the microcode against Downfall. Included by avx2.h and avx512.h in passes
 * with EK_LOADS, and by neon.h, which has no other way and defines EK_LANES_AT(c), the vector of
 * x[c[0]], x[c[1]] ... simd/scalar.h says what each operation means. */
#ifndef EK_LANES_AT
#if EK_VAL_F64
#define EK_PAIR(i, j) _mm_loadh_pd(_mm_load_sd(x + (i)), x + (j))
#define EK_QUAD(i, j, k, l) \
	_mm256_insertf128_pd(_mm256_castpd128_pd256(EK_PAIR(i, j)), EK_PAIR(k, l), 1)
#if W == 8
#define EK_TOGETHER(low, high) _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1)
#endif
#else
#define EK_QUAD(i, j, k, l)    _mm_setr_ps(x[i], x[j], x[k], x[l])
#define EK_TOGETHER(low, high) _mm256_set_m128(high, low)
#endif
#if W == 8
#define EK_LANES_AT(c)                                         \
	EK_TOGETHER(EK_QUAD((c)[0], (c)[1], (c)[2], (c)[3]), \
	            EK_QUAD((c)[4], (c)[5], (c)[6], (c)[7]))
#else
#define EK_LANES_AT(c) EK_QUAD((c)[0], (c)[1], (c)[2], (c)[3])
#endif
#endif

static inline __attribute__((always_inline)) vec FN(vgather_inlined)(const VAL *x, const IDX *c)
{
#if EK_IDX_64
	return EK_LANES_AT(c);
#else
	size_t at[W]; /* two columns by one load: the number of loads is the limit */

	EK_UNROLL
	for (int k = 0; k < W; k += 2) {
		uint64_t two;

		memcpy(&two, c + k, sizeof two);
		at[k] = (uint32_t)two;
		at[k + 1] = two >> 32;
	}
	return EK_LANES_AT(at);
#endif
}

static inline vec FN(vgather)(const VAL *x, const IDX *c)
{
	return FN(vgather_inlined)(x, c);
}

static inline vec FN(vgather_u16)(const VAL *x, const uint16_t *c)
{
	return EK_LANES_AT(c);
}

/* Gathers the first n lanes; the others are 0. No branch depends on n unless it is 0, since rows
 * have all lengths: a lane that is not active reads what the last active one reads, and is
 * cleared. */
static inline vec FN(vgather_first)(const VAL *x, const IDX *c, int n, vmask m)
{
	IDX at[W];

	if (n == 0)
		return vzero();
	EK_UNROLL
	for (int k = 0; k < W; k++)
		at[k] = c[k < n ? k : n - 1];
	return vkeep(EK_LANES_AT(at), m);
}

static inline vec FN(vgather_first_u16)(const VAL *x, const uint16_t *c, int n, vmask m)
{
	IDX at[W];

	EK_UNROLL
	for (int k = 0; k < W; k++)
		at[k] = c[k];
	return FN(vgather_first)(x, at, n, m);
}

/* Gathers the first n lanes at the end of an array: a call, so that code which is inlined W times
 * stays short. */
static __attribute__((noinline, cold, unused)) vec FN(vgather_end)(const VAL *x, const IDX *c,
                                                                   int n)
{
	return FN(vgather_first)(x, c, n, vmask_n(n));
}

static inline vec FN(vgather_within)(const VAL *x, const IDX *c, vmask m, int64_t left)
{
	return left >= W ? vkeep(FN(vgather)(x, c), m) : FN(vgather_end)(x, c, vcount(m));
}

static inline vec FN(vgather_within_u16)(const VAL *x, const uint16_t *c, vmask m, int64_t left)
{
	return left >= W ? vkeep(FN(vgather_u16)(x, c), m)
	                 : FN(vgather_first_u16)(x, c, vcount(m), m);
}

/* Inlined W times, gathers by loads took up to a quarter longer than called W times (Zen 4, rows of
 * 5 to 15 entries, measured). */
#define EK_ONE_OF_W __attribute__((noinline))
#define vgather_within(x, c, m, left)     FN(vgather_within)(x, c, m, left)
#define vgather_u16_within(x, c, m, left) FN(vgather_within_u16)(x, c, m, left)
#define vgather(x, c)          FN(vgather)(x, c)
#define vgather_inlined(x, c)  FN(vgather_inlined)(x, c)
#define vgather_n(x, c, m)     FN(vgather_first)(x, c, vcount(m), m)
#define vgather_u16(x, c)      FN(vgather_u16)(x, c)
#define vgather_u16_n(x, c, m) FN(vgather_first_u16)(x, c, vcount(m), m)
#undef EK_PAIR
#undef EK_QUAD
#undef EK_TOGETHER
