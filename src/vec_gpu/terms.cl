/* SPDX-License-Identifier: BSD-3-Clause
 * The terms of a sum of sparse vectors: a line #include "vec_gpu/terms.cl" in a kernel is replaced
 * by this text (gpu/prelude.c). The same as in vec/terms.h. */
#ifndef EK_TERMS_CL
#define EK_TERMS_CL

/* Returns `factor` times value k of v. If the factor is 0, the value is not read and counts as
 * +0. */
EK_FN VAL ek_term(VAL factor, const EK_GLOBAL VAL *v, ek_i64 k)
{
	return EK_IS_ZERO(factor) ? (VAL)0 : EK_MUL(factor, v[k]);
}

#endif
