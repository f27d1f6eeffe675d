/* SPDX-License-Identifier: BSD-3-Clause
 * Checks that a call left the upper halves of the vector registers clear, as the calling convention
 * of x86-64 wants: otherwise the caller's SSE code is slow. */
#ifndef TEST_REGISTERS_H
#define TEST_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "evenkeel/ek.h"

#if defined(__x86_64__) && defined(__GNUC__)

/* Returns whether the bits 128 to 255 of registers 0 to 15 are 0. The processor must have AVX. */
static inline bool upper_halves_are_clear(void)
{
	uint64_t upper[16][2];
	uint64_t any = 0;

#define STORE_UPPER(n) "vextractf128 $1, %%ymm" #n ", 16*" #n "(%0)\n\t"
	__asm__ volatile(STORE_UPPER(0) STORE_UPPER(1) STORE_UPPER(2) STORE_UPPER(3) STORE_UPPER(4)
	                         STORE_UPPER(5) STORE_UPPER(6) STORE_UPPER(7) STORE_UPPER(8)
	                                 STORE_UPPER(9) STORE_UPPER(10) STORE_UPPER(11)
	                                         STORE_UPPER(12) STORE_UPPER(13) STORE_UPPER(14)
	                                                 STORE_UPPER(15)
	                 :
	                 : "r"(upper)
	                 : "memory");
#undef STORE_UPPER
	for (int k = 0; k < 16; k++)
		any |= upper[k][0] | upper[k][1];
	return any == 0;
}

/* Sets all bits of registers 0 to 15 that are above bit 127. The processor must have AVX. */
static inline void fill_upper_halves(void)
{
#define FILL(n) "vcmpps $15, %%ymm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
	__asm__ volatile(FILL(0) FILL(1) FILL(2) FILL(3) FILL(4) FILL(5) FILL(6) FILL(7) FILL(8)
	                         FILL(9) FILL(10) FILL(11) FILL(12) FILL(13) FILL(14) FILL(15)
	                 :
	                 :
	                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
	                   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#undef FILL
}

/* Tells whether a call with instruction set `isa` left the registers as it must. Without
 * optimisation, gcc never clears them. */
static inline bool registers_are_clear(ek_isa isa)
{
#if !defined(__OPTIMIZE__) && !defined(__clang__)
	return true;
#endif
	return isa == EK_ISA_SCALAR || upper_halves_are_clear();
}

#else

static inline bool registers_are_clear(ek_isa isa)
{
	(void)isa;
	return true;
}

#endif
#endif
