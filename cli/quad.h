/* SPDX-License-Identifier: BSD-3-Clause
 * A floating-point type of 113 bits, by which results are judged: its own error is below 2^-50 of
 * any bound for double precision. long double is that type on AArch64, s390x and RISC-V; gcc and
 * clang have another one for x86, where long double has 64 bits. The tests use this file too. */
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
