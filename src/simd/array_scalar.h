/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations of width 1 for arrays of numbers. They are the fallback, and this comment lists
 * the operations that an instruction set must provide. `bits` is an unsigned number with one bit
 * for each lane.
 *
 *   W                     number of lanes of a vector: as many as fit the register, unlike in
 *                         simd/avx512.h, where there are always 8
 *   vec                   type of a vector
 *   vset1(a)              `a` in all lanes
 *   vload(p) vstore(p, v) load and store W elements
 *   vload_n(p, n, fill)   loads the first n lanes, 0 <= n <= W; the other lanes are those of the
 *                         vector `fill`. No memory after the first n elements is touched
 *   vstore_n(p, v, n)     stores the first n lanes
 *   vstream(p, v)         a non-temporal store; p is aligned to the vector. Call vstream_end()
 *                         before other threads read
 *   vop(op, a, b)         `a` op `b`, in this order; op is a constant ek_monoid. The result is NaN
 *                         if `a` or `b` is NaN
 *   vaside(op, one, a, b) vop, whose floats may be added by the units that multiply, which some
 *                         processors have besides those that add; `one` is vone(). The bits of the
 *                         result are those of vop, except which NaN it is
 *   vscan(op, v)          inclusive scan of the lanes
 *   vlast(v)              the last lane of v in all lanes
 *   vprevious(v, before)  lane i is lane i - 1 of v; lane 0 is the last lane of `before`
 *   vshift(v, k, before)  vprevious by k lanes instead of one, 0 <= k < W
 *   vaddif(bits, a, b)    `a` + `b` where the bit is 1, else `a`. Bits beyond the lanes are ignored
 *   vopif(op, bits, a, b) likewise `b` op `a`
 *   vsegstep(op, v, k, bits)  a step of a segmented scan, k = 1, 2, 4 ... < W: combines lane i with
 *                         lane i - k if bit i is 1; bits below bit k are 0
 *   vfold(op, v)          all lanes combined by op, as a VAL
 *   vfolds(op, v)         v is an array of W vectors: lane i is vfold(op, v[i])
 *   vlt(a, b) vle(a, b) veq(a, b)   bits of the lanes for which a < b, a <= b, a == b
 *   vselect(bits, a, b)   lanes of `a` where the bit is 1, else of `b`
 *   vorder(v, flip)       for integers only: XORs negative lanes with the number `flip`
 *                         (prim_body/order.h)
 *   vcompress(p, v, bits) stores, side by side, the lanes whose bit is 1; writes W elements at p
 *   vbytes(p)             64 bits: bit i is 1 if the byte p[i] is not 0; p needs no alignment
 *   sop(op, a, b)         vop for single numbers; FN(identity)(op) is the identity of op
 *
 * Included once for each type, between base/for_each_array.h and simd/array_end.h. */
#define W   1
#define vec VAL

#include "simd/array_op.h"

#define vset1(a)             (a)
#define vload(p)             (*(p))
#define vstore(p, v)         (*(p) = (v))
#define vload_n(p, n, fill)  ((n) > 0 ? *(p) : (fill))
#define vstore_n(p, v, n)    ((n) > 0 ? (void)(*(p) = (v)) : (void)0)
#define vstream(p, v)        (*(p) = (v))
#define vstream_end()        ((void)0)
#define vop(op, a, b)        sop(op, a, b)
#define vone()               ((VAL)1)
#define vaside(op, one, a, b) ((void)(one), sop(op, a, b))
#define vscan(op, v)         (v)
#define vlast(v)             (v)
#define vprevious(v, before) ((void)(v), (before))
#define vshift(v, k, before) ((void)(k), (void)(before), (v))
#define vsegstep(op, v, k, bits) ((void)(op), (void)(bits), (v))
#define vaddif(bits, a, b)   ((bits) & 1u ? sop(EK_SUM, a, b) : (a))
#define vopif(op, bits, a, b) ((bits) & 1u ? sop(op, b, a) : (a))
#define vfold(op, v)         (v)
#define vfolds(op, v)        ((v)[0])
#define vlt(a, b)            ((unsigned)((a) < (b)))
#define vle(a, b)            ((unsigned)((a) <= (b)))
#define veq(a, b)            ((unsigned)((a) == (b)))
#define vselect(bits, a, b)  ((bits) & 1u ? (a) : (b))
#define vorder(v, flip)      ((v) < 0 ? (v) ^ (flip) : (v))
#define vcompress(p, v, b)   (*(p) = (v))

/* Handles eight bytes at a time, with the first byte in the lowest bits of a word. Sets the highest
 * bit of each byte that is not 0. A multiplication then moves each of these bits to its place in
 * the result. */
static inline uint64_t FN(vbytes)(const uint8_t *p)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t bits = 0;

	for (int k = 0; k < 8; k++, p += 8) {
		uint64_t b = 0;

		for (int j = 0; j < 8; j++)
			b |= (uint64_t)p[j] << 8 * j;
		b = (((b & low) + low) | b) & ~low;
		bits |= ((b >> 7) * UINT64_C(0x0102040810204080) >> 56) << 8 * k;
	}
	return bits;
}
#define vbytes(p) FN(vbytes)(p)
