/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs in registers, for sorting networks: one register has the keys of W pairs, another their
 * values. Included in each pass (base/for_each.h) of a file that defines EK_INTS_ONLY and uses
 * vectors. If keys and values differ in size, those of 4 bytes are widened to 8 as they are loaded.
 * A comparator compares keys and moves pairs; it leaves pairs with equal keys where they are.
 *
 *   ks, vs    size of a key and of a value in memory, compile-time constants; vs is 0 if there are
 *             no values
 *   flip      mask for vorder: all bits except the sign if keys are floats, else 0, which leaves
 *             keys as they are */
typedef struct FN(pack) {
	vec k, v;
} FN(pack);

#include "prim_body/order.h"

#if EK_VAL_64
#define EK_EACH_PAIR EKI_PAIRS_OF_64
#else
#define EK_EACH_PAIR EKI_PAIRS_OF_32
#endif

/* Functions marked INLINE are hidden from the undefined-behaviour sanitizer, which would put a
 * dozen checks around each register of a network; compiling that takes ten minutes. The address
 * sanitizer still checks these functions. */
#ifdef __clang__
#define INLINE static inline __attribute__((always_inline, no_sanitize("undefined")))
#else
#define INLINE static inline __attribute__((always_inline))
#endif

#if W == 1
#define NET_GREATER(a, b) ((a) > (b))
#define NET_MIX(m, a, b)  ((m) ? (a) : (b))
#define EK_VMIN(a, b)     ((a) < (b) ? (a) : (b))
#define EK_VMAX(a, b)     ((a) > (b) ? (a) : (b))
#elif W == 64 / (EK_VAL_64 ? 8 : 4)
#if EK_VAL_64
#define NET_GREATER(a, b)       _mm512_cmpgt_epi64_mask(a, b)
#define NET_GREATER_IN(m, a, b) _mm512_mask_cmpgt_epi64_mask((FN(lanes_mask))(m), a, b)
#define NET_OTHER(a, b)         _mm512_cmpneq_epi64_mask(a, b)
#define NET_MIX(m, a, b)        _mm512_mask_mov_epi64(b, m, a)
#define NET_ORDER(x)                                                                               \
	_mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), vset1(x))
#define NET_MAX(a, m, x, y)     _mm512_mask_max_epi64(a, m, x, y)
#define NET_PERMUTE(v, o)       _mm512_permutexvar_epi64(o, v)
#define NET_TAKE(v, m, o)       _mm512_mask_permutexvar_epi64(v, m, o, v)
typedef __mmask8 FN(lanes_mask);
#else
#define NET_GREATER(a, b)       _mm512_cmpgt_epi32_mask(a, b)
#define NET_GREATER_IN(m, a, b) _mm512_mask_cmpgt_epi32_mask((FN(lanes_mask))(m), a, b)
#define NET_OTHER(a, b)         _mm512_cmpneq_epi32_mask(a, b)
#define NET_MIX(m, a, b)        _mm512_mask_mov_epi32(b, m, a)
#define NET_ORDER(x)                                                                              \
	_mm512_xor_si512(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), \
	                 vset1(x))
#define NET_MAX(a, m, x, y) _mm512_mask_max_epi32(a, m, x, y)
#define NET_PERMUTE(v, o)   _mm512_permutexvar_epi32(o, v)
#define NET_TAKE(v, m, o)   _mm512_mask_permutexvar_epi32(v, m, o, v)
typedef __mmask16 FN(lanes_mask);
#endif
typedef vec FN(places);
/* The mask of the lanes whose number has bit `b` set, where `b` is 1, 2, 4 or 8. */
#define NET_UPPER(b) \
	((FN(lanes_mask))((b) == 1 ? 0xaaaa : (b) == 2 ? 0xcccc : (b) == 4 ? 0xf0f0 : 0xff00))
#elif W == 16 / (EK_VAL_64 ? 8 : 4)
#define NET_GREATER(a, b)     EK_GT(a, b)
#define NET_MIX(m, a, b)      EK_MIX(m, a, b)
#define NET_SWAP(k, y, upper) EK_UNSIGNED(vbslq)(upper, EK_GT(y, k), EK_GT(k, y))
/* Lanes are permuted by the numbers of their bytes. */
#define NET_ORDER(x)          veorq_u8(EK_IOTA(), vdupq_n_u8((uint8_t)((x) * (16 / W))))
#define NET_PERMUTE(v, o)     EK_FROM_BYTES(vqtbl1q_u8(EK_BYTES(v), o))
#define NET_UPPER(b)          EK_NEON(vtstq)(EK_LANES(), vset1(b))
typedef uint8x16_t FN(places);
typedef EK_MASK FN(lanes_mask);
#else
#define NET_GREATER(a, b) EK_GT(a, b)
#define NET_MIX(m, a, b)  EK_MIX(m, a, b)
/* Complements both sides in the upper lanes, which reverses the comparison there. */
#define NET_SWAP(k, y, upper) \
	EK_GT(_mm256_xor_si256(k, upper), _mm256_xor_si256(y, upper))
/* Lanes of 8 bytes are permuted as pairs of lanes of 4 bytes. */
#define NET_ORDER(x)                                                \
	_mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), \
	                 _mm256_set1_epi32((int)(x) << EK_VAL_64))
#define NET_PERMUTE(v, o) _mm256_permutevar8x32_epi32(v, o)
#define NET_UPPER(b)      EK_GT(_mm256_and_si256(EK_LANES(), vset1(b)), _mm256_setzero_si256())
typedef vec FN(places), FN(lanes_mask);
#endif

/* ---- Memory ---------------------------------------------------------------------------------- */

#if EK_VAL_64
/* Loads n numbers of 4 bytes, but at most W, and widens them to 8 bytes; the other lanes are 0.
 * FN(narrow) does the reverse: it stores the first n lanes as numbers of 4 bytes. */
INLINE vec FN(widen)(const char *p, int64_t n)
{
#if W == 1
	int32_t x = 0;

	if (n > 0)
		memcpy(&x, p, sizeof x);
	return x;
#elif W == 8
	return _mm512_cvtepi32_epi64(n >= W ? _mm256_loadu_si256((const void *)p)
	                                    : _mm256_maskz_loadu_epi32(EK_MASK(n), p));
#elif W == 2
	int32x2_t x = vdup_n_s32(0);

	if (n >= W)
		memcpy(&x, p, sizeof x);
	else if (n > 0)
		memcpy(&x, p, sizeof x / 2);
	return vmovl_s32(x);
#else
	return _mm256_cvtepi32_epi64(
		n >= W ? _mm_loadu_si128((const void *)p)
		       : _mm_maskload_epi32((const void *)p,
	                                    _mm_cmpgt_epi32(_mm_set1_epi32((int)n),
	                                                    _mm_setr_epi32(0, 1, 2, 3))));
#endif
}

INLINE void FN(narrow)(char *p, vec x, int64_t n)
{
#if W == 1
	const int32_t y = (int32_t)x;

	if (n > 0)
		memcpy(p, &y, sizeof y);
#elif W == 8
	const __m256i y = _mm512_cvtepi64_epi32(x);

	if (n >= W)
		_mm256_storeu_si256((void *)p, y);
	else
		_mm256_mask_storeu_epi32(p, EK_MASK(n), y);
#elif W == 2
	const int32x2_t y = vmovn_s64(x);

	if (n >= W)
		memcpy(p, &y, sizeof y);
	else if (n > 0)
		memcpy(p, &y, sizeof y / 2);
#else
	const __m128i y = _mm256_castsi256_si128(
		_mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));

	if (n >= W)
		_mm_storeu_si128((void *)p, y);
	else
		_mm_maskstore_epi32(
			(void *)p,
			_mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3)), y);
#endif
}
#endif

INLINE vec FN(lanes_load)(const char *p, int64_t n, vec fill, int size)
{
#if EK_VAL_64
	if (size == 4) {
		const vec x = FN(widen)(p, n);

		return n >= W ? x : vselect((1u << n) - 1, x, fill);
	}
#endif
	(void)size;
	return n >= W ? vload((const FN(raw) *)(const void *)p)
	              : vload_n((const FN(raw) *)(const void *)p, n, fill);
}

INLINE void FN(lanes_store)(char *p, vec x, int64_t n, int size)
{
#if EK_VAL_64
	if (size == 4) {
		FN(narrow)(p, x, n);
		return;
	}
#endif
	(void)size;
	if (n >= W)
		vstore((FN(raw) *)(void *)p, x);
	else
		vstore_n((FN(raw) *)(void *)p, x, n);
}

#define GREATEST ((VAL)((UNS)-1 >> 1))

/* Loads n pairs (n >= 0), but at most W, beginning with pair i. The other lanes get the greatest
 * key, which a real pair may also have. */
INLINE FN(pack) FN(pack_load)(eki_pair_at p, int64_t i, int64_t n, int ks, int vs, VAL flip)
{
	const vec last = vset1(GREATEST);
	FN(pack) x = {last, last};
	const vec k = FN(lanes_load)((const char *)p.key + i * ks, n, last, ks);

	x.k = vorder(k, flip);
	if (vs)
		x.v = FN(lanes_load)(p.value + i * vs, n, last, vs);
	return x;
}

INLINE void FN(pack_store)(FN(pack) x, eki_pair_at p, int64_t i, int64_t n, int ks, int vs,
                           VAL flip)
{
	FN(lanes_store)((char *)p.key + i * ks, vorder(x.k, flip), n, ks);
	if (vs)
		FN(lanes_store)(p.value + i * vs, x.v, n, vs);
}

/* ---- Comparators ----------------------------------------------------------------------------- */

/* Moves lane i ^ x to lane i, for all i. With x = C - 1, this reverses each group of C lanes. */
INLINE FN(pack) FN(pack_xor)(FN(pack) a, int x, int vs)
{
#if W > 1
	const FN(places) order = NET_ORDER(x);

	a.k = NET_PERMUTE(a.k, order);
	if (vs)
		a.v = NET_PERMUTE(a.v, order);
#endif
	(void)x, (void)vs;
	return a;
}

/* Compares lane i of *a with lane i of *b, for all i, and puts the lesser pair into *a and the
 * greater into *b. The instructions for the minimum of 8-byte keys are slow. So if the values need
 * a mask anyway, that mask selects the keys too. */
INLINE void FN(compare)(FN(pack) * a, FN(pack) * b, int vs)
{
	const FN(pack) x = *a, y = *b;

	if (vs) {
		a->v = NET_MIX(NET_GREATER(x.k, y.k), y.v, x.v);
		b->v = NET_MIX(NET_GREATER(x.k, y.k), x.v, y.v);
	}
	if (vs && EK_VAL_64) {
		a->k = NET_MIX(NET_GREATER(x.k, y.k), y.k, x.k);
		b->k = NET_MIX(NET_GREATER(x.k, y.k), x.k, y.k);
	} else {
		a->k = EK_VMIN(x.k, y.k);
		b->k = EK_VMAX(x.k, y.k);
	}
}

/* Compares lane i with lane i ^ x, for all i. Puts the greater pair into the lane whose number has
 * bit `b` set, and the lesser pair into the other lane. */
INLINE void FN(compare_lanes)(FN(pack) * a, int x, int b, int vs)
{
#if W == 1
	(void)a, (void)x, (void)b, (void)vs;
#else
	const FN(places) order = NET_ORDER(x);
	const vec k = a->k, y = NET_PERMUTE(k, order);
	const FN(lanes_mask) upper = NET_UPPER(b);

#if W == 64 / (EK_VAL_64 ? 8 : 4)
	if (vs && EK_VAL_64) {
		const FN(lanes_mask) swap =
			NET_GREATER_IN(~upper, k, y) | NET_GREATER_IN(upper, y, k);

		a->k = NET_MIX(swap, y, k);
		a->v = NET_TAKE(a->v, swap, order);
	} else {
		a->k = NET_MAX(EK_VMIN(k, y), upper, k, y);
		if (vs)
			a->v = NET_TAKE(a->v, NET_OTHER(a->k, k), order);
	}
#else
	const FN(lanes_mask) swap = NET_SWAP(k, y, upper);

	a->k = NET_MIX(swap, y, k);
	if (vs)
		a->v = NET_MIX(swap, NET_PERMUTE(a->v, order), a->v);
#endif
#endif
}

/* Sorts each group of C lanes, which must be a bitonic sequence, by half-cleaners. */
INLINE void FN(clean_lanes)(FN(pack) * a, int C, int vs)
{
	if (W >= 16 && C >= 16)
		FN(compare_lanes)(a, 8, 8, vs);
	if (C >= 8)
		FN(compare_lanes)(a, 4, 4, vs);
	if (C >= 4)
		FN(compare_lanes)(a, 2, 2, vs);
	if (C >= 2)
		FN(compare_lanes)(a, 1, 1, vs);
}
