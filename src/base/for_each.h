/* SPDX-License-Identifier: BSD-3-Clause
 * One source text for all types and instruction sets.
 *
 * A file that says
 *     #include "base/base.h"
 *     #define EK_FILE "spmv/csr_rows.c"
 *     #include "base/for_each.h"
 * is compiled once for each pair of a type (for_each_type.h) and an instruction set (src/simd/).
 * Each of these compilations is a pass. The last pass, scalar with f64_i32, is the text of the file
 * itself, not an include, so that editors and debuggers see live code. Each pass defines:
 *     VAL PTR IDX       value, row pointer and column type
 *     FN(name)          name of a function in this pass, for example ek_name_f64_i32_avx2
 *     W, vec, vload...  vector operations, listed in simd/scalar.h
 *     EK_SCALAR(s)      the eki_scalar s, converted to VAL
 *     EK_IS_FINITE(a)   whether a VAL is neither Inf nor NaN; isfinite takes only real numbers
 *     EK_PASS_OF(table) the function for this pass in a table that another file defines
 *     EK_PER_TYPE       1 in the scalar passes (one per type), for conversions and checks
 *     EK_ONCE           1 in the last pass: for tables, drivers and method rows
 * A file that gathers defines EK_WITH_LOADS before this include. It gets two passes for each
 * instruction set with gather instructions: one with them, one with loads of single lanes.
 * A file without code for particular instruction sets defines EK_TYPES_ONLY before this include. It
 * gets only the scalar passes. The last pass also defines initialisers of tables of functions:
 *     EK_BY_ISA_AND_TYPE(name)   FN(name) of all passes
 *     EK_BY_TYPE(name)           FN(name) of the scalar passes
 *
 * Primitives on arrays define EK_ARRAYS before this include (for_each_array.h). Their passes are
 * f32, i32, i64 and f64, with the vector operations of simd/array_*.h. Tables made by
 * EK_BY_ISA_AND_VALUE(name) are indexed by [isa][ek_value - 1], and tables made by
 * EK_BY_VALUE(name) by [ek_value - 1]. If EK_INTS_ONLY is defined too, the passes are only i32 and
 * i64. Tables made by EK_BY_ISA_AND_INT(name) are indexed by [isa][0 for i32, 1 for i64].
 *
 * Operations on sparse vectors define EK_VECTORS instead (for_each_vector.h). Their passes are all
 * pairs of these four types with indices of 32 and of 64 bits, with the same vector operations.
 * Tables made by EK_BY_ISA_AND_VECTOR(name) are indexed by [isa][0 for 32-bit indices, 1 for
 * 64-bit] [ek_value - 1], and tables made by EK_BY_VECTOR(name) by the last two.
 *
 * A pragma compiles the functions of a pass for its instruction set. So the build needs no flags
 * for single files. It must not have any, since the scalar code would then use instructions that
 * the machine may lack. */
#ifndef EK_NESTED
#define EK_NESTED

#if defined(__AVX__) && !defined(EK_ALLOW_NATIVE)
#error "compile for the baseline: instructions are chosen at run time (or define EK_ALLOW_NATIVE)"
#endif

/* gcc compiles kernels alike whatever level the build asks for, so that speed does not depend on
 * the flags of a packager: the differences between -O2 and -O3 are up to a third of the time, in
 * both directions. Files whose loops are fastest as they are written define EK_PLAIN_LOOPS: gcc
 * would make vectors of them, with gather instructions and sums over lanes in every row. Builds
 * without optimisation stay as they are, and so do those with EK_KEEP_LEVEL, as CMake's build type
 * Debug defines. clang has no such pragma. */
#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(EK_KEEP_LEVEL)
#pragma GCC optimize("O3")
#ifdef EK_PLAIN_LOOPS
#pragma GCC optimize("no-tree-vectorize")
#endif
#endif

/* Kernels do not fuse a multiplication with an addition that are written apart, since the bits of a
 * result would depend on the compiler. So a build needs no flag for it, but clang must not be given
 * -ffp-contract=fast, which overrides the pragma. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include <math.h>
#include <string.h>

#ifdef EK_HAVE_X86
#include <immintrin.h>
#elif defined(EK_HAVE_NEON)
#include <arm_neon.h>
#endif

#define EK_PASTE3(a, b, c) ek_##a##_##b##_##c
#define EK_PASTE(a, b, c)  EK_PASTE3(a, b, c)
#define FN(name)           EK_PASTE(name, EK_SUFFIX, EK_LEVEL)
#define EK_IS_FINITE(a)    ((a) - (a) == 0)
#define EK_PASS_OF(table)  ((table)[EK_ISA_OF_PASS][eki_type(EK_VALUE_OF_PASS, EK_INDEX_OF_PASS)])

/* Returns a word whose bit k is 1 if byte p[k] is 1. The bytes are 0 or 1. */
static inline uint64_t eki_flags(const uint8_t *p)
{
	uint64_t set = 0;

	for (int k = 0; k < 64; k += 8) {
		uint64_t eight;

		memcpy(&eight, p + k, sizeof eight);
		if (eight)
			for (int bit = 0; bit < 8; bit++)
				set |= (uint64_t)p[k + bit] << (k + bit);
	}
	return set;
}

/* A pragma to put before a loop of at most W steps over an array of vectors. It unrolls the loop,
 * so that the array stays in registers. */
#ifdef __clang__
#define EK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define EK_UNROLL _Pragma("GCC unroll 16")
#endif

/* Prefetches the data 4 KiB past `p` in an array that is read once, from beginning to end.
 * Processors prefetch by themselves, but they stop at the end of each 4 KiB page, and the gathers
 * in between disturb them. Measured: without this prefetch, products that read from memory reach
 * two thirds of the bandwidth; with it, they reach all of it. At a distance of 2 KiB the gain is
 * smaller, and at 1 KiB it is half of that at 4 KiB. Past the end of an array the prefetch does
 * nothing. */
#define EK_AHEAD(p) __builtin_prefetch((const void *)((uintptr_t)(p) + 4096))

#ifdef EK_VECTORS
#define EK_ARRAYS
#define EK_TYPE_LIST   "base/for_each_vector.h"
#define EK_SIMD_AVX512 "simd/array_avx512.h"
#define EK_SIMD_AVX2   "simd/array_avx2.h"
#define EK_SIMD_NEON   "simd/array_neon.h"
#define EK_SIMD_SCALAR "simd/array_scalar.h"
#elif defined(EK_ARRAYS)
#define EK_TYPE_LIST   "base/for_each_array.h"
#define EK_SIMD_AVX512 "simd/array_avx512.h"
#define EK_SIMD_AVX2   "simd/array_avx2.h"
#define EK_SIMD_NEON   "simd/array_neon.h"
#define EK_SIMD_SCALAR "simd/array_scalar.h"
#else
#define EK_TYPE_LIST   "base/for_each_type.h"
#define EK_SIMD_AVX512 "simd/avx512.h"
#define EK_SIMD_AVX2   "simd/avx2.h"
#define EK_SIMD_NEON   "simd/neon.h"
#define EK_SIMD_SCALAR "simd/scalar.h"
#endif

#define EK_PER_TYPE 0
#define EK_ONCE     0

#if defined(EK_HAVE_X86) && !defined(EK_TYPES_ONLY)
#ifdef EK_HAVE_AVX512
#ifdef __clang__
#pragma clang attribute push(                                                                   \
	__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,popcnt"))), \
	apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target( \
	"avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,popcnt,prefer-vector-width=512")
#endif
#define EK_SIMD        EK_SIMD_AVX512
#define EK_LEVEL       avx512
#define EK_ISA_OF_PASS EK_ISA_AVX512
#include EK_TYPE_LIST
#undef EK_LEVEL
#undef EK_ISA_OF_PASS
#ifdef EK_WITH_LOADS
#define EK_LOADS       1
#define EK_LEVEL       avx512_loads
#define EK_ISA_OF_PASS EK_ISA_AVX512_LOADS
#include EK_TYPE_LIST
#undef EK_LOADS
#undef EK_LEVEL
#undef EK_ISA_OF_PASS
#endif
#undef EK_SIMD
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#endif
#define EK_SIMD        EK_SIMD_AVX2
#define EK_LEVEL       avx2
#define EK_ISA_OF_PASS EK_ISA_AVX2
#include EK_TYPE_LIST
#undef EK_LEVEL
#undef EK_ISA_OF_PASS
#ifdef EK_WITH_LOADS
#define EK_LOADS       1
#define EK_LEVEL       avx2_loads
#define EK_ISA_OF_PASS EK_ISA_AVX2_LOADS
#include EK_TYPE_LIST
#undef EK_LOADS
#undef EK_LEVEL
#undef EK_ISA_OF_PASS
#endif
#undef EK_SIMD
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

/* Every AArch64 processor has NEON, so these passes need no pragma. */
#if defined(EK_HAVE_NEON) && !defined(EK_TYPES_ONLY)
#define EK_SIMD        EK_SIMD_NEON
#define EK_LEVEL       neon
#define EK_ISA_OF_PASS EK_ISA_NEON
#include EK_TYPE_LIST
#undef EK_SIMD
#undef EK_LEVEL
#undef EK_ISA_OF_PASS
#endif

#undef EK_PER_TYPE
#define EK_PER_TYPE    1
#define EK_LEVEL       scalar
#define EK_ISA_OF_PASS EK_ISA_SCALAR
#define EK_SIMD        EK_SIMD_SCALAR
#define EK_LAST_LEVEL
#include EK_TYPE_LIST

#undef EK_ONCE
#define EK_ONCE 1

#define EK_TYPES_OF(name, level)                                                  \
	EK_PASTE3(name, f32_i32, level), EK_PASTE3(name, f32_i64_32, level),      \
		EK_PASTE3(name, f32_i64, level), EK_PASTE3(name, f64_i32, level), \
		EK_PASTE3(name, f64_i64_32, level), EK_PASTE3(name, f64_i64, level)
#define EK_BY_TYPE(name)                  \
	{                                 \
		EK_TYPES_OF(name, scalar) \
	}

#define EK_INTS_OF(name, level) EK_PASTE3(name, i32, level), EK_PASTE3(name, i64, level)
#define EK_VALUES_OF(name, level) \
	EK_PASTE3(name, f32, level), EK_PASTE3(name, f64, level), EK_INTS_OF(name, level)
#define EK_BY_VALUE(name)                  \
	{                                  \
		EK_VALUES_OF(name, scalar) \
	}
#define EK_BY_INT(name)                  \
	{                                \
		EK_INTS_OF(name, scalar) \
	}

#define EK_VECTORS_OF(name, level)              \
	{EK_VALUES_OF(name, i32_##level)},      \
	{                                       \
		EK_VALUES_OF(name, i64_##level) \
	}
#define EK_BY_VECTOR(name)                  \
	{                                   \
		EK_VECTORS_OF(name, scalar) \
	}

/* Initialises a table of all instruction sets, in the order of ek_isa: OF(name, level) gives the
 * functions of a level. Files without EK_WITH_LOADS have one pass for both ways to gather. An
 * instruction set that was not compiled has the functions of the next lower one: AVX-512 those of
 * AVX2, if the build leaves it out, and those of other processors the scalar ones. */
#if defined(EK_HAVE_X86) && !defined(EK_TYPES_ONLY)
#define EK_LEVEL_AVX2 avx2
#ifdef EK_HAVE_AVX512
#define EK_LEVEL_AVX512 avx512
#else
#define EK_LEVEL_AVX512 avx2
#endif
#else
#define EK_LEVEL_AVX2   scalar
#define EK_LEVEL_AVX512 scalar
#endif
#if defined(EK_HAVE_X86) && !defined(EK_TYPES_ONLY) && defined(EK_WITH_LOADS)
#define EK_LEVEL_AVX2_LOADS avx2_loads
#ifdef EK_HAVE_AVX512
#define EK_LEVEL_AVX512_LOADS avx512_loads
#else
#define EK_LEVEL_AVX512_LOADS avx2_loads
#endif
#else
#define EK_LEVEL_AVX2_LOADS   EK_LEVEL_AVX2
#define EK_LEVEL_AVX512_LOADS EK_LEVEL_AVX512
#endif
#if defined(EK_HAVE_NEON) && !defined(EK_TYPES_ONLY)
#define EK_LEVEL_NEON neon
#else
#define EK_LEVEL_NEON scalar
#endif
#define EK_LEVELS_OF(OF, name, a, b, c, d, e)                                           \
	{                                                                               \
		{OF(name, scalar)}, {OF(name, a)}, {OF(name, b)}, {OF(name, c)}, {OF(name, d)}, \
			{OF(name, e)},                                                  \
	}
#define EK_BY_ISA(OF, name)                                                              \
	EK_LEVELS_OF(OF, name, EK_LEVEL_AVX2, EK_LEVEL_AVX512, EK_LEVEL_AVX2_LOADS, \
	             EK_LEVEL_AVX512_LOADS, EK_LEVEL_NEON)
#define EK_BY_ISA_AND_TYPE(name)   EK_BY_ISA(EK_TYPES_OF, name)
#define EK_BY_ISA_AND_VALUE(name)  EK_BY_ISA(EK_VALUES_OF, name)
#define EK_BY_ISA_AND_INT(name)    EK_BY_ISA(EK_INTS_OF, name)
#define EK_BY_ISA_AND_VECTOR(name) EK_BY_ISA(EK_VECTORS_OF, name)

#endif
