/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations of width 1. They are the fallback, and this comment lists the operations that
 * an instruction set must provide.
 *
 *   W                  number of lanes of a vector
 *   vec, vmask         types of a vector of VAL and of a mask, which says which lanes are active
 *   vmask_n(n)         mask in which the first n lanes are active, 0 <= n <= W
 *   vmask_last(n)      mask in which the last n lanes are active, 0 <= n <= W; not here
 *   vmask_bits(b)      mask in which lane k is active if bit k of b is set, k < W
 *   vzero() vset1(a)                  0 or `a` in all lanes
 *   vload(p) vload_n(p, m)            load; inactive lanes are 0, and their memory is not touched
 *   vload_few(p, n)                   load of the first n lanes, n <= W / 2; others are 0. It is a
 *                                     narrow one, so that it seldom takes two cache lines
 *   vstore(p, v) vstore_n(p, v, m)    store; inactive lanes are not written
 *   vstream(p, v)                     a non-temporal store; p is aligned to the vector. Call
 *                                     vstream_end() before other threads read
 *   vgather(x, c) vgather_n(x, c, m)  x[c[0]], x[c[1]], ...; the elements of c have type IDX
 *                                     The active lanes must be the first ones
 *   vgather_inlined(x, c)             vgather, inlined even where that takes many instructions: for
 *                                     kernels with few gathers in which all else is inlined, too
 *   vgather_u16(x, c) vgather_u16_n(x, c, m)   the same, where c has elements of type uint16_t; all
 *                                     W elements may be read, even those of inactive lanes
 *   vgather_within(x, c, m, left)     vgather_n, where the next `left` elements of c are columns
 *                                     too, so that inactive lanes among them may be loaded
 *   vgather_u16_within(x, c, m, left) the same for vgather_u16_n
 *   EK_ONE_OF_W                       stands before a function that gathers and is called for each
 *                                     of W rows in an unrolled loop: `inline` where that is faster
 *   vscatter(y, c, v)                 y[c[0]] = lane 0 of v, y[c[1]] = lane 1, ...; the elements of
 *                                     c have type IDX and differ
 *   vtranspose(p, n, m, t)            lane r of t[j] is p[r n + j], or 0 if j >= m; m <= W. No
 *                                     other memory is touched
 *   vadd vmul vfma(a, b, c)           vfma is a * b + c, rounded once or twice, whichever is fast
 *   vadd_n(a, b, m)                   a + b; `a` in inactive lanes
 *   vfused(a, b, c) vfused_n(a, b, c, m)   a * b + c, rounded once; c in inactive lanes
 *   vwords                            type of a vector of 32-bit words, one for each lane
 *   vwords_load(p) vwords_next(w)     load W words; shift each word right by one bit
 *   vclear(a, w)                      `a`, but 0 in lanes where the lowest bit of the word is set
 *   vflags(p)                         bit k is 1 if byte p[k] is not 0, k < 64; bytes are 0 or 1
 *   vpack(p, v, m)                    stores the active lanes side by side, and nothing else
 *   vpack_lanes(p, first, m)          stores first + k, of type IDX, for active lanes k likewise.
 *                                     Only AVX-512 has these two, so ask #ifdef vpack
 *   vfinite(a)                        true if no lane is Inf or NaN
 *   vsum(v)                           sum of the lanes, as a tree
 *   vsum_rows(a)                      lane r of the result is the sum of the lanes of a[r], r < W
 *   vleave()                          ends a kernel that gives vectors to functions which are not
 *                                     inlined: clears the upper halves of the registers, without
 *                                     which the caller's own SSE code may run at half its speed.
 *                                     Elsewhere compilers do this, but gcc expects such functions
 *                                     to do it, and does not do it in them
 *
 * Included once for each type, between base/for_each_type.h and simd/end.h. */
#define W     1
#define vec   VAL
#define vmask int

#define vmask_n(n)             ((n) > 0)
#define vmask_bits(b)          ((int)((b)&1))
#define vzero()                ((VAL)0)
#define vset1(a)               (a)
#define vload(p)               (*(p))
#define vload_n(p, m)          ((m) ? *(p) : (VAL)0)
#define vload_few(p, n)        vload_n(p, vmask_n(n))
#define vstore(p, v)           (*(p) = (v))
#define vstore_n(p, v, m)      ((m) ? (void)(*(p) = (v)) : (void)0)
#define vstream(p, v)          (*(p) = (v))
#define vstream_end()          ((void)0)
#define vleave()               ((void)0)
#define vgather(x, c)          ((x)[*(c)])
#define vgather_n(x, c, m)     ((m) ? (x)[*(c)] : (VAL)0)
#define vgather_u16(x, c)      vgather(x, c)
#define vgather_u16_n(x, c, m) vgather_n(x, c, m)
#include "simd/gather_active.h"
#define vscatter(y, c, v)      ((void)((y)[*(c)] = (v)))
#define vtranspose(p, n, m, t) ((void)(n), (void)(m), (void)(*(t) = *(p)))
#define vadd(a, b)             ((a) + (b))
#define vadd_n(a, b, m)        ((m) ? (a) + (b) : (a))
#define vmul(a, b)             ((a) * (b))
#define vwords                 uint32_t
#define vwords_load(p)         (*(p))
#define vwords_next(w)         ((w) >> 1)
#define vclear(a, w)           ((w)&1 ? (VAL)0 : (a))
#define vflags(p)              eki_flags(p)
#define vfinite(a)             ((a) - (a) == 0)
#define vsum(v)                (v)
#define vsum_rows(a)           ((a)[0])
/* Rounds twice, because rounding once would take a call of the C library: scalar code has no fused
 * instruction. */
#define vfma(a, b, c) ((a) * (b) + (c))
#if EK_VAL_F64
#define vfused(a, b, c) fma(a, b, c)
#else
#define vfused(a, b, c) fmaf(a, b, c)
#endif
#define vfused_n(a, b, c, m) ((m) ? vfused(a, b, c) : (c))
