/* SPDX-License-Identifier: BSD-3-Clause
 * The operators of ek_monoid on single numbers. Sums of integers wrap around: they are computed
 * with unsigned numbers, since C defines overflow only for these. Maximum and minimum are NaN if
 * `a` or `b` is NaN. A comparison with NaN is false and yields `b`, so only `a` has to be tested
 * for NaN. Included by simd/array_*.h in every pass. */
static inline __attribute__((always_inline)) VAL FN(sop)(ek_monoid op, VAL a, VAL b)
{
	switch (op) {
#if EK_VAL_FLOAT
	case EK_MAX: return a != a || a > b ? a : b;
	case EK_MIN: return a != a || a < b ? a : b;
	case EK_OR:
	case EK_SUM: break;
	}
	return a + b;
#else
	case EK_MAX: return a > b ? a : b;
	case EK_MIN: return a < b ? a : b;
	case EK_OR: return a | b;
	case EK_SUM: break;
	}
	return (VAL)((UNS)a + (UNS)b);
#endif
}
#define sop(op, a, b) FN(sop)(op, a, b)

/* Returns the identity of `op`, which changes no number that it is combined with. */
static inline __attribute__((always_inline)) VAL FN(identity)(ek_monoid op)
{
#if EK_VAL_FLOAT
	return op == EK_MAX ? (VAL)-INFINITY : op == EK_MIN ? (VAL)INFINITY : 0;
#else
	const VAL greatest = (VAL)((UNS)-1 >> 1);

	return op == EK_MAX ? -greatest - 1 : op == EK_MIN ? greatest : 0;
#endif
}
