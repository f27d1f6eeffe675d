/* SPDX-License-Identifier: BSD-3-Clause
 * Floats as integers of the same order: the bits of a float, taken as a signed integer, have the
 * total order of IEEE 754 if all bits except the sign are inverted where the sign is set. Inverting
 * them once more gives the float back. So methods that only compare need kernels for i32 and i64
 * only, and NaN has a place in the order. Integers stay as they are: their `flip` is 0.
 *
 * Included in each pass of a file with EK_INTS_ONLY. Numbers of the caller are read and written as
 * FN(raw), which may alias floats; vorder(v, flip) converts a vector of numbers. */
#ifndef EK_MAY_ALIAS
#if defined(__GNUC__)
#define EK_MAY_ALIAS __attribute__((may_alias))
#else
#define EK_MAY_ALIAS
#endif
#endif

typedef VAL EK_MAY_ALIAS FN(raw);

static inline VAL FN(flip)(ek_value type)
{
	return type == EK_F32 || type == EK_F64 ? (VAL)((UNS)-1 >> 1) : 0;
}

static inline VAL FN(order)(VAL x, VAL flip)
{
	return x ^ (flip & -(VAL)(x < 0)); /* a mask, since compilers would branch on a condition */
}

/* Returns the number of lanes whose bit is 1. */
static inline int FN(count)(unsigned bits)
{
	return W == 1 ? (int)bits : __builtin_popcount(bits);
}
