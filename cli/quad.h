/* SPDX-License-Identifier: BSD-3-Clause
 * A floating-point type with a mantissa of 113 bits, in which results are checked: its own rounding
 * error is below 2^-50 times any bound for double precision. long double is such a type on AArch64,
 * s390x and RISC-V. On x86 its mantissa has only 64 bits, but gcc and clang have such a type under
 * another name. The tests use this file too. */
#ifndef QUAD_H
#define QUAD_H

#include <float.h>

#if LDBL_MANT_DIG >= 113
typedef long double quad;
#elif defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
#error "no type of 113 bits here: build the library alone, -DEK_BUILD_TOOL=OFF -DEK_BUILD_TESTS=OFF"
#endif

#endif
