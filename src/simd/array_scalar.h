/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations of width 1 for arrays of numbers: the fallback, and the list of what an
 * instruction set has to offer.
 *
 *   W                     entries in a vector: all that fit the register, unlike simd/avx512.h
 *   vec
 *   vset1(a)
 *   vload(p) vstore(p, v)
 *   vload_n(p, n, fill)   the first n lanes, 0 <= n <= W; the others are those of the vector fill,
 *                         and their memory is not touched
 *   vstore_n(p, v, n)     the first n lanes
 *   vstream(p, v)         past the caches; p is aligned to the vector. vstream_end() before other
 *                         threads may look
 *   vop(op, a, b)         a op b, op a constant ek_monoid; a comes first (NaN: either gives NaN)
 *   vscan(op, v)          inclusive scan of the lanes
 *   vlast(v)              the last lane in all lanes
 *   vprevious(v, before)  lane i is lane i - 1 of v; lane 0 is the last lane of `before`
 *   vshift(v, k, before)  the same by k lanes, 0 <= k < W
 *   vsegscan(op, v, bits) inclusive scan; bit i of the unsigned `bits` says that lane i begins anew
 *   vsegstep(v, k, bits)  its step of k = 1, 2, 4 ... < W for sums: to lane i lane i - k is added if bit i
 *                         is 1, as never for i < k
 *   vaddif(bits, a, b)    a + b where the bit is 1, else a; more bits than lanes may be set
 *   vfold(op, v)          the scan's last lane, as a VAL
 *   vfolds(op, v)         of an array of W vectors: lane i is that of v[i]
 *   vlt(a, b) vle(a, b) veq(a, b)   unsigned bits, one for each lane
 *   vselect(bits, a, b)   lanes of a where the bit is 1, else of b
 *   vorder(v, flip)       integers only: lanes below 0 are XORed with the number flip (prim/order.h)
 *   vcompress(p, v, bits) stores the lanes whose bit is 1 side by side; W places at p are written
 *   vbytes(p)             64 bits, one for each of 64 bytes, aligned to nothing: is it not 0?
 *   sop(op, a, b)         the same as vop for single numbers; FN(identity)(op) its identity
 *
 * Included anew for each type, between core/for_each_array.h and simd/array_end.h. */
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
#define vscan(op, v)         (v)
#define vlast(v)             (v)
#define vprevious(v, before) ((void)(v), (before))
#define vshift(v, k, before) ((void)(k), (void)(before), (v))
#define vsegscan(op, v, b)   (v)
#define vsegstep(v, k, bits) ((void)(bits), (v))
#define vaddif(bits, a, b)   ((bits) & 1u ? sop(EK_SUM, a, b) : (a))
#define vfold(op, v)         (v)
#define vfolds(op, v)        ((v)[0])
#define vlt(a, b)            ((unsigned)((a) < (b)))
#define vle(a, b)            ((unsigned)((a) <= (b)))
#define veq(a, b)            ((unsigned)((a) == (b)))
#define vselect(bits, a, b)  ((bits) & 1u ? (a) : (b))
#define vorder(v, flip)      ((v) < 0 ? (v) ^ (flip) : (v))
#define vcompress(p, v, b)   (*(p) = (v))

/* Of eight bytes at a time: the highest bit of each that is not 0, and these side by side by a
 * multiplication that moves each to its place, the bytes taken in the order of memory. */
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
