/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations of width 1: the fallback, and the list of what an instruction set has to offer.
 *
 *   W                  entries in a vector
 *   vec, vmask         a vector of VAL; which of its lanes count
 *   vmask_n(n)         the first n lanes, 0 <= n <= W
 *   vzero() vset1(a)
 *   vload(p) vload_n(p, m)            lanes that do not count are 0 and their memory is not touched
 *   vstore(p, v) vstore_n(p, v, m)    lanes that do not count are not written
 *   vstream(p, v)                     past the caches; p is aligned to the vector. vstream_end()
 *                                     before other threads read
 *   vgather(x, c) vgather_n(x, c, m)  x[c[0]], x[c[1]], ...; c of type IDX
 *   vgather_u16(x, c, m)              the same with c of type uint16_t, all W of which are read
 *   vtranspose(p, n, m, t)            lane r of t[j] is p[r n + j], j < m <= W, or 0; no other
 *                                     memory is touched
 *   vadd vmul vfma(a, b, c)           a b + c, rounded once or twice, whichever is fast
 *   vfused(a, b, c) vfused_n(a, b, c, m)   a b + c, rounded once; c where lanes do not count
 *   vwords                            a word of 32 bits for each lane
 *   vwords_load(p) vwords_next(w)     ... shifted by one bit towards the lowest
 *   vclear(a, w)                      a, but 0 in lanes whose word has its lowest bit set
 *   vfinite(a)                        is no lane Inf or NaN?
 *   vsum(v)                           sum of the lanes, as a tree
 *   vsum_rows(a)                      lane r of the result is the sum of the lanes of a[r], r < W
 *
 * Included anew for each type, between core/for_each_type.h and simd/end.h. */
#define W     1
#define vec   VAL
#define vmask int

#define vmask_n(n)             ((n) > 0)
#define vzero()                ((VAL)0)
#define vset1(a)               (a)
#define vload(p)               (*(p))
#define vload_n(p, m)          ((m) ? *(p) : (VAL)0)
#define vstore(p, v)           (*(p) = (v))
#define vstore_n(p, v, m)      ((m) ? (void)(*(p) = (v)) : (void)0)
#define vstream(p, v)          (*(p) = (v))
#define vstream_end()          ((void)0)
#define vgather(x, c)          ((x)[*(c)])
#define vgather_n(x, c, m)     ((m) ? (x)[*(c)] : (VAL)0)
#define vgather_u16(x, c, m)   vgather_n(x, c, m)
#define vtranspose(p, n, m, t) ((void)(n), (void)(m), (void)(*(t) = *(p)))
#define vadd(a, b)             ((a) + (b))
#define vmul(a, b)             ((a) * (b))
#define vwords                 uint32_t
#define vwords_load(p)         (*(p))
#define vwords_next(w)         ((w) >> 1)
#define vclear(a, w)           ((w) & 1 ? (VAL)0 : (a))
#define vfinite(a)             ((a) - (a) == 0)
#define vsum(v)                (v)
#define vsum_rows(a)           ((a)[0])
/* Two roundings: without the instruction a fused product costs a call of the C library. */
#define vfma(a, b, c) ((a) * (b) + (c))
#if EK_VAL_F64
#define vfused(a, b, c) fma(a, b, c)
#else
#define vfused(a, b, c) fmaf(a, b, c)
#endif
#define vfused_n(a, b, c, m) ((m) ? vfused(a, b, c) : (c))
