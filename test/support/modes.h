/* SPDX-License-Identifier: BSD-3-Clause
 * The floating-point modes that a program may have set before it calls the library: each rounding
 * mode, with and without flush-to-zero and denormals-are-zero (where these exist and can be
 * set). */
#ifndef TEST_MODES_H
#define TEST_MODES_H

#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { MODES = 8 };

static inline void mode_set(int k)
{
	static const int rounding[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

	fesetround(rounding[k % 4]);
#if defined(__x86_64__)
	_mm_setcsr((_mm_getcsr() & ~0x8040u) | (k >= 4 ? 0x8040u : 0));
#elif defined(__aarch64__)
	unsigned long long word;

	__asm__ volatile("mrs %0, fpcr" : "=r"(word));
	word = (word & ~(1ULL << 24)) | (k >= 4 ? 1ULL << 24 : 0);
	__asm__ volatile("msr fpcr, %0" : : "r"(word));
#endif
}

#endif
