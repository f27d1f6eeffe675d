/* SPDX-License-Identifier: BSD-3-Clause
 * Operations on the lanes of a vector of W numbers that take the same steps with all instruction
 * sets. The scan needs EK_SHIFT, which moves lanes up; array_avx2.h, whose shifts differ from step
 * to step, has its own. EK_FMA, if there is one, multiplies and adds floats. Included by
 * simd/array_*.h. */
static inline VAL FN(vfold)(ek_monoid op, vec v)
{
	VAL lane[W];

	vstore(lane, v);
	for (int half = W / 2; half; half /= 2)
		for (int k = 0; k < half; k++)
			lane[k] = sop(op, lane[k], lane[k + half]);
	return lane[0];
}

/* A masked addition is one instruction with some instruction sets. */
#define vopif(op, bits, a, b) \
	((op) == EK_SUM ? vaddif(bits, a, b) : vselect(bits, FN(vop)(op, b, a), a))

#ifdef EK_FMA
/* Returns 1 in all lanes. Hides from the compiler that it is 1, since a compiler may replace a
 * multiplication by 1 and an addition by the addition alone. */
static inline __attribute__((always_inline)) vec FN(vone)(void)
{
	vec one = vset1(1);

	__asm__("" : "+x"(one));
	return one;
}
#define vone()                FN(vone)()
#define vaside(op, one, a, b) ((op) == EK_SUM ? EK_FMA(one, a, b) : FN(vop)(op, a, b))
#else
#define vone()                vset1(1)
#define vaside(op, one, a, b) ((void)(one), FN(vop)(op, a, b))
#endif

#ifdef EK_SHIFT
/* Computes the inclusive scan of the lanes by the method of Kogge and Stone: each step doubles the
 * number of lanes that are combined in a lane. */
static inline __attribute__((always_inline)) vec FN(vscan)(ek_monoid op, vec v)
{
	const vec none = vset1(FN(identity)(op));

	v = FN(vop)(op, EK_SHIFT(v, 1, none), v);
#if W > 2
	v = FN(vop)(op, EK_SHIFT(v, 2, none), v);
#endif
#if W > 4
	v = FN(vop)(op, EK_SHIFT(v, 4, none), v);
#endif
#if W > 8
	v = FN(vop)(op, EK_SHIFT(v, 8, none), v);
#endif
	return v;
}
#endif
