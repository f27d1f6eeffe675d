/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations with Advanced SIMD (NEON) of AArch64, on two doubles or four floats. Masks are
 * numbers with one bit for each lane, since there are neither masked loads nor masked stores: they
 * go lane by lane, which takes such bits. Gathers are loads of single lanes, and vstream is an
 * ordinary store. simd/scalar.h says what each operation means. */
#define vmask         unsigned
#define vmask_n(n)    ((1u << (n)) - 1)
#define vmask_last(n) (((1u << W) - 1) & ~((1u << (W - (n))) - 1))
#define vmask_bits(b) ((unsigned)(b) & ((1u << W) - 1))
#define vcount(m)     __builtin_popcount(m)
#define vflags(p)     eki_flags(p)
#define vstream(p, v) vstore(p, v)
#define vstream_end() ((void)0)
#define vleave()      ((void)0)

#if EK_VAL_F64
#define W              2
#define vec            float64x2_t
#define EK_NEON(name)  name##_f64
#define EK_WHERE(m)    vtstq_u64(vdupq_n_u64(m), (uint64x2_t){1, 2})
#define EK_BITS(a)     vreinterpretq_u64_f64(a)
#define EK_AND(a, m)   vreinterpretq_f64_u64(vandq_u64(EK_BITS(a), m))
#define EK_ALL(m)      (vminvq_u32(vreinterpretq_u32_u64(m)) != 0)
#define vwords         uint32x2_t
#define vwords_load(p) vld1_u32(p)
#define vwords_next(w) vshr_n_u32(w, 1)
/* Subtracts 1 from the lowest bit: all bits are 1 if it was 0, else none. */
#define vclear(a, w)     EK_AND(a, vsubq_u64(vmovl_u32(vand_u32(w, vdup_n_u32(1))), vdupq_n_u64(1)))
#define EK_LANES_AT(c)   vcombine_f64(vld1_f64(x + (c)[0]), vld1_f64(x + (c)[1]))
#define EK_EACH_LANE(of) of(0) of(1)
#else
#define W                4
#define vec              float32x4_t
#define EK_NEON(name)    name##_f32
#define EK_WHERE(m)      vtstq_u32(vdupq_n_u32(m), (uint32x4_t){1, 2, 4, 8})
#define EK_BITS(a)       vreinterpretq_u32_f32(a)
#define EK_AND(a, m)     vreinterpretq_f32_u32(vandq_u32(EK_BITS(a), m))
#define EK_ALL(m)        (vminvq_u32(m) != 0)
#define vwords           uint32x4_t
#define vwords_load(p)   vld1q_u32(p)
#define vwords_next(w)   vshrq_n_u32(w, 1)
#define vclear(a, w)     EK_AND(a, vsubq_u32(vandq_u32(w, vdupq_n_u32(1)), vdupq_n_u32(1)))
#define EK_LANES_AT(c)   ((float32x4_t){x[(c)[0]], x[(c)[1]], x[(c)[2]], x[(c)[3]]})
#define EK_EACH_LANE(of) of(0) of(1) of(2) of(3)
#endif

#define vzero()              EK_NEON(vdupq_n)(0)
#define vset1(a)             EK_NEON(vdupq_n)(a)
#define vload(p)             EK_NEON(vld1q)(p)
#define vstore(p, v)         EK_NEON(vst1q)(p, v)
#define vadd(a, b)           EK_NEON(vaddq)(a, b)
#define vadd_n(a, b, m)      EK_NEON(vbslq)(EK_WHERE(m), vadd(a, b), a)
#define vmul(a, b)           EK_NEON(vmulq)(a, b)
#define vfma(a, b, c)        EK_NEON(vfmaq)(c, a, b)
#define vfused(a, b, c)      vfma(a, b, c)
#define vfused_n(a, b, c, m) EK_NEON(vbslq)(EK_WHERE(m), vfma(a, b, c), c)
#define vkeep(a, m)          EK_AND(a, EK_WHERE(m))

static inline vec FN(vload_n)(const VAL *p, vmask m)
{
	vec v = vzero();

	if (m == vmask_n(W))
		return vload(p);
#define EK_LANE(k)         \
	if (m & 1u << (k)) \
		v = EK_NEON(vld1q_lane)(p + (k), v, k);
	EK_EACH_LANE(EK_LANE)
#undef EK_LANE
	return v;
}

static inline void FN(vstore_n)(VAL *p, vec v, vmask m)
{
	if (m == vmask_n(W)) {
		vstore(p, v);
		return;
	}
#define EK_LANE(k)         \
	if (m & 1u << (k)) \
		EK_NEON(vst1q_lane)(p + (k), v, k);
	EK_EACH_LANE(EK_LANE)
#undef EK_LANE
}

/* Tells whether no lane is Inf or NaN. In such a lane, `a` - `a` is NaN; in all other lanes it is
 * 0. */
static inline bool FN(vfinite)(vec a)
{
	const vec d = EK_NEON(vsubq)(a, a);

	return EK_ALL(EK_NEON(vceqq)(d, d));
}

#if EK_VAL_F64
#define vsum(v)      vpaddd_f64(v)
#define vsum_rows(a) vpaddq_f64((a)[0], (a)[1])

static inline void FN(vtranspose)(const VAL *p, int64_t n, int m, vec *t)
{
	const vec a = FN(vload_n)(p, vmask_n(m)), b = FN(vload_n)(p + n, vmask_n(m));

	t[0] = vzip1q_f64(a, b);
	t[1] = vzip2q_f64(a, b);
}

#else
/* Sums the lanes as a tree of neighbours, (0 + 1) + (2 + 3), like vsum_rows. */
#define vsum(v)      vaddvq_f32(v)
#define vsum_rows(a) vpaddq_f32(vpaddq_f32((a)[0], (a)[1]), vpaddq_f32((a)[2], (a)[3]))

static inline void FN(vtranspose)(const VAL *p, int64_t n, int m, vec *t)
{
	const vec a = FN(vload_n)(p, vmask_n(m)), b = FN(vload_n)(p + n, vmask_n(m));
	const vec c = FN(vload_n)(p + 2 * n, vmask_n(m)), d = FN(vload_n)(p + 3 * n, vmask_n(m));
	/* rows a and c, b and d: columns 0 and 1, then 2 and 3 */
	const vec ac = vzip1q_f32(a, c), bd = vzip1q_f32(b, d);
	const vec eg = vzip2q_f32(a, c), fh = vzip2q_f32(b, d);

	t[0] = vzip1q_f32(ac, bd);
	t[1] = vzip2q_f32(ac, bd);
	t[2] = vzip1q_f32(eg, fh);
	t[3] = vzip2q_f32(eg, fh);
}
#endif

#define vload_n(p, m)          FN(vload_n)(p, m)
#define vload_few(p, n)        vload_n(p, vmask_n(n))
#define vstore_n(p, v, m)      FN(vstore_n)(p, v, m)
#define vfinite(a)             FN(vfinite)(a)
#define vtranspose(p, n, m, t) FN(vtranspose)(p, n, m, t)
#ifdef EK_WITH_LOADS
#include "simd/loads.h"

static inline void FN(vscatter)(VAL *y, const IDX *c, vec v)
{
#define EK_LANE(k) EK_NEON(vst1q_lane)(y + c[k], v, k);
	EK_EACH_LANE(EK_LANE)
#undef EK_LANE
}
#define vscatter(y, c, v) FN(vscatter)(y, c, v)
#endif
