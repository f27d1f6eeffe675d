/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations on arrays of numbers, with Advanced SIMD (NEON) of AArch64. A vector has 16
 * bytes: four lanes of 4 bytes, or two lanes of 8 bytes. simd/array_scalar.h says what each
 * operation means. The instructions have the same names for all types, apart from the type at the
 * end, which EK_NEON appends. Masks are vectors of unsigned numbers; EK_UNSIGNED names their
 * instructions. */
#include "simd/array_op.h"

#if EK_VAL_64
#define W                 2
#define EK_MASK           uint64x2_t
#define EK_UNSIGNED(name) name##_u64
#define EK_LANES()        ((vec){0, 1})
#define EK_LANE_BITS()    ((EK_MASK){1, 2})
#else
#define W                 4
#define EK_MASK           uint32x4_t
#define EK_UNSIGNED(name) name##_u32
#define EK_LANES()        ((vec){0, 1, 2, 3})
#define EK_LANE_BITS()    ((EK_MASK){1, 2, 4, 8})
#endif

#if EK_VAL_FLOAT && EK_VAL_64
#define vec              float64x2_t
#define EK_NEON(name)    name##_f64
#define EK_BYTES(v)      vreinterpretq_u8_f64(v)
#define EK_FROM_BYTES(v) vreinterpretq_f64_u8(v)
#elif EK_VAL_FLOAT
#define vec              float32x4_t
#define EK_NEON(name)    name##_f32
#define EK_BYTES(v)      vreinterpretq_u8_f32(v)
#define EK_FROM_BYTES(v) vreinterpretq_f32_u8(v)
#elif EK_VAL_64
#define vec              int64x2_t
#define EK_NEON(name)    name##_s64
#define EK_BYTES(v)      vreinterpretq_u8_s64(v)
#define EK_FROM_BYTES(v) vreinterpretq_s64_u8(v)
#else
#define vec              int32x4_t
#define EK_NEON(name)    name##_s32
#define EK_BYTES(v)      vreinterpretq_u8_s32(v)
#define EK_FROM_BYTES(v) vreinterpretq_s32_u8(v)
#endif

/* Vectors and numbers in memory. Methods that only compare read floats as integers. */
typedef vec __attribute__((may_alias, aligned(sizeof(VAL)))) FN(vec_at);
typedef VAL __attribute__((may_alias)) FN(val_at);

#define EK_IOTA()       ((uint8x16_t){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
#define EK_GT(a, b)     EK_NEON(vcgtq)(a, b)
#define EK_MIX(m, a, b) EK_NEON(vbslq)(m, a, b)
#define EK_MOVEMASK(m)  ((unsigned)EK_UNSIGNED(vaddvq)(EK_UNSIGNED(vandq)(m, EK_LANE_BITS())))
/* Returns a mask whose lane i is all ones if bit i of `bits` is 1, else all zeros. */
#define EK_EXPAND(bits)     EK_UNSIGNED(vtstq)(EK_UNSIGNED(vdupq_n)(bits), EK_LANE_BITS())
#define vset1(a)            EK_NEON(vdupq_n)(a)
#define vload(p)            FN(vload)(p)
#define vstore(p, v)        FN(vstore)(p, v)
#define vstream(p, v)       vstore(p, v)
#define vstream_end()       ((void)0)
#define vlt(a, b)           EK_MOVEMASK(EK_NEON(vcltq)(a, b))
#define vle(a, b)           EK_MOVEMASK(EK_NEON(vcleq)(a, b))
#define veq(a, b)           EK_MOVEMASK(EK_NEON(vceqq)(a, b))
#define vselect(bits, a, b) EK_MIX(EK_EXPAND(bits), a, b)
#define EK_VADD(a, b)       EK_NEON(vaddq)(a, b)
#if EK_VAL_FLOAT
/* The lanes of `a` that are NaN, or that the comparison `m` chooses. */
#define EK_NAN(a, m)  EK_UNSIGNED(vornq)(m, EK_NEON(vceqq)(a, a))
#define EK_VMAX(a, b) EK_MIX(EK_NAN(a, EK_GT(a, b)), a, b)
#define EK_VMIN(a, b) EK_MIX(EK_NAN(a, EK_GT(b, a)), a, b)
#define EK_VOR(a, b)  EK_VADD(a, b)
#else
#define EK_VMAX(a, b) EK_MIX(EK_GT(a, b), a, b)
#define EK_VMIN(a, b) EK_MIX(EK_GT(a, b), b, a)
#define EK_VOR(a, b)  EK_NEON(vorrq)(a, b)
#define vorder(v, flip) \
	EK_NEON(veorq)  \
	(v, EK_NEON(vandq)(EK_NEON(vshrq_n)(v, 8 * (int)sizeof(VAL) - 1), vset1(flip)))
#endif

static inline __attribute__((always_inline)) vec FN(vload)(const void *p)
{
	return *(const FN(vec_at) *)p;
}

static inline __attribute__((always_inline)) void FN(vstore)(void *p, vec v)
{
	*(FN(vec_at) *)p = v;
}

static inline __attribute__((always_inline)) vec FN(vload_n)(const VAL *p, int64_t n, vec fill)
{
	const FN(val_at) *from = (const void *)p;

	EK_UNROLL
	for (int k = 0; k < W; k++)
		if (k < n)
			fill[k] = from[k];
	return fill;
}

static inline __attribute__((always_inline)) void FN(vstore_n)(VAL *p, vec v, int64_t n)
{
	FN(val_at) *to = (void *)p;

	EK_UNROLL
	for (int k = 0; k < W; k++)
		if (k < n)
			to[k] = v[k];
}

static inline __attribute__((always_inline)) vec FN(vop)(ek_monoid op, vec a, vec b)
{
	switch (op) {
	case EK_MAX: return EK_VMAX(a, b);
	case EK_MIN: return EK_VMIN(a, b);
	case EK_OR: return EK_VOR(a, b);
	case EK_SUM: break;
	}
	return EK_VADD(a, b);
}

/* Moves lanes up by k, a constant from 1 to W - 1, and fills the lowest lanes with the last k lanes
 * of `fill`. */
#define EK_SHIFT(v, k, fill) EK_NEON(vextq)(fill, v, W - (k))
#define vlast(v)             EK_NEON(vdupq_laneq)(v, W - 1)
#define vprevious(v, before) EK_SHIFT(v, 1, before)

/* Picks 16 of the bytes of both vectors, which begin k lanes before those of v. */
static inline __attribute__((always_inline)) vec FN(vshift)(vec v, int64_t k, vec before)
{
	const uint8x16x2_t both = {{EK_BYTES(before), EK_BYTES(v)}};
	const uint8x16_t first = vdupq_n_u8((uint8_t)(16 - k * (int64_t)sizeof(VAL)));

	return EK_FROM_BYTES(vqtbl2q_u8(both, vaddq_u8(EK_IOTA(), first)));
}

#include "simd/array_steps.h"

#define vaddif(bits, a, b) vselect(bits, EK_VADD(b, a), a)
#define vsegstep(op, v, k, grow) \
	vopif(op, grow, v, (k) == 1 ? EK_SHIFT(v, 1, v) : EK_SHIFT(v, W / 2, v))

/* Stores all lanes one after the other. Each is overwritten by the next one if its bit is 0. */
static inline __attribute__((always_inline)) void FN(vcompress)(VAL *p, vec v, unsigned bits)
{
	FN(val_at) *to = (void *)p;

	EK_UNROLL
	for (int k = 0; k < W; k++) {
		*to = v[k];
		to += bits >> k & 1;
	}
}

/* Gives the byte k that is not 0 the value 1 << k, modulo 8, and adds up each eight of these. */
static inline __attribute__((always_inline)) uint64_t FN(vbytes)(const uint8_t *p)
{
	const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	uint64_t bits = 0;

	EK_UNROLL
	for (int k = 0; k < 64; k += 16) {
		const uint8x16_t v = vld1q_u8(p + k), set = vandq_u8(vtstq_u8(v, v), bit);

		bits |= (uint64_t)vaddv_u8(vget_low_u8(set)) << k |
		        (uint64_t)vaddv_u8(vget_high_u8(set)) << (k + 8);
	}
	return bits;
}

/* Joins two vectors into one: combines the lower half of the lanes of each with its upper half. */
#define EK_JOIN(op, a, b) FN(vop)(op, EK_NEON(vzip1q)(a, b), EK_NEON(vzip2q)(a, b))
static inline __attribute__((always_inline)) vec FN(vfolds)(ek_monoid op, const vec *v)
{
#if EK_VAL_64
	return EK_JOIN(op, v[0], v[1]);
#else
	const vec a = EK_JOIN(op, v[0], v[2]), b = EK_JOIN(op, v[1], v[3]);

	return EK_JOIN(op, a, b);
#endif
}

#define vload_n(p, n, fill)   FN(vload_n)(p, n, fill)
#define vstore_n(p, v, n)     FN(vstore_n)(p, v, n)
#define vop(op, a, b)         FN(vop)(op, a, b)
#define vscan(op, v)          FN(vscan)(op, v)
#define vshift(v, k, before)  FN(vshift)(v, k, before)
#define vfold(op, v)          FN(vfold)(op, v)
#define vcompress(p, v, bits) FN(vcompress)(p, v, bits)
#define vbytes(p)             FN(vbytes)(p)
#define vfolds(op, v)         FN(vfolds)(op, v)
