/* SPDX-License-Identifier: BSD-3-Clause
 * One text, all types and instruction sets.
 *
 * A file that says
 *     #include "core/ek_core.h"
 *     #define EK_FILE "spmv/csr_rows.c"
 *     #include "core/for_each.h"
 * is compiled once for each pair of type (for_each_type.h) and instruction set (src/simd/). Its own
 * text is the last pass: scalar, f64_i32, so that editors and debuggers see live code. In each pass
 *     VAL PTR IDX       value, row pointer and column type
 *     FN(name)          ek_name_f64_i32_avx2, say: the symbol tells what runs
 *     W, vec, vload...  vector operations, simd/scalar.h lists them
 *     EK_PASS_OF(table) the entry of another file's table for this pass
 *     EK_PER_TYPE       1 in one pass for each type (the scalar one): conversions, checks
 *     EK_ONCE           1 in the last pass: tables, drivers, method rows
 * A file that needs no instruction set of its own defines EK_TYPES_ONLY before and gets the scalar
 * passes only. In the last pass
 *     EK_BY_ISA_AND_TYPE(name), EK_BY_TYPE(name)   initialisers of tables of the functions
 *     FN(name).
 *
 * Primitives on arrays define EK_ARRAYS before (for_each_array.h): the passes are then f32, i32,
 * i64 and f64, with the vector operations of simd/array_*.h, and tables come from
 * EK_BY_ISA_AND_VALUE(name) and EK_BY_VALUE(name), by [isa][ek_value - 1]. With EK_INTS_ONLY too,
 * only i32 and i64: EK_BY_ISA_AND_INT(name), [isa][0 for i32, 1 for i64].
 *
 * Functions of a pass are compiled for its instruction set by a pragma, so the build needs no flags
 * for each file, and must not have any: code for the baseline would then use instructions that the
 * machine lacks. */
#ifndef EK_NESTED
#define EK_NESTED

#if defined(__AVX__) && !defined(EK_ALLOW_NATIVE)
#error "compile evenkeel for the baseline: it chooses instructions at run time (or define EK_ALLOW_NATIVE)"
#endif

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define EK_HAVE_X86 1
#include <immintrin.h>
#endif

#define EK_PASTE3(a, b, c) ek_##a##_##b##_##c
#define EK_PASTE(a, b, c)  EK_PASTE3(a, b, c)
#define FN(name)           EK_PASTE(name, EK_SUFFIX, EK_LEVEL)
#define EK_PASS_OF(table) \
	((table)[EK_ISA_OF_PASS][eki_type(EK_VAL_F64 ? EK_F64 : EK_F32, EK_INDEX_OF_PASS)])

/* Before a loop of W or fewer steps over an array of vectors, which then stays in registers. */
#ifdef __clang__
#define EK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define EK_UNROLL _Pragma("GCC unroll 16")
#endif

/* Fetches what lies 4 KiB behind p, a stream that is read once. Processors do so by themselves, but
 * stop at the end of each page of 4 KiB and are put off by the gathers between: without this,
 * products from memory reach two thirds of the bandwidth, with it all of it (measured; 2 KiB gain
 * less, 1 KiB half). Beyond the end of an array it does nothing. */
#define EK_AHEAD(p) __builtin_prefetch((const void *)((uintptr_t)(p) + 4096))

#ifdef EK_ARRAYS
#define EK_TYPE_LIST   "core/for_each_array.h"
#define EK_SIMD_AVX512 "simd/array_avx512.h"
#define EK_SIMD_AVX2   "simd/array_avx2.h"
#define EK_SIMD_SCALAR "simd/array_scalar.h"
#else
#define EK_TYPE_LIST   "core/for_each_type.h"
#define EK_SIMD_AVX512 "simd/avx512.h"
#define EK_SIMD_AVX2   "simd/avx2.h"
#define EK_SIMD_SCALAR "simd/scalar.h"
#endif

#define EK_PER_TYPE 0
#define EK_ONCE     0

#if defined(EK_HAVE_X86) && !defined(EK_TYPES_ONLY)
#ifdef __clang__
#pragma clang attribute push(                                                                   \
	__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,popcnt"))), \
	apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target( \
	"avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,popcnt,prefer-vector-width=512")
#endif
#define EK_LEVEL       avx512
#define EK_ISA_OF_PASS EK_ISA_AVX512
#define EK_SIMD        EK_SIMD_AVX512
#include EK_TYPE_LIST
#undef EK_LEVEL
#undef EK_ISA_OF_PASS
#undef EK_SIMD
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#endif
#define EK_LEVEL       avx2
#define EK_ISA_OF_PASS EK_ISA_AVX2
#define EK_SIMD        EK_SIMD_AVX2
#include EK_TYPE_LIST
#undef EK_LEVEL
#undef EK_ISA_OF_PASS
#undef EK_SIMD
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
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
#ifdef EK_HAVE_X86
#define EK_BY_ISA_AND_TYPE(name)                                        \
	{                                                               \
		{EK_TYPES_OF(name, scalar)}, {EK_TYPES_OF(name, avx2)}, \
		{                                                       \
			EK_TYPES_OF(name, avx512)                       \
		}                                                       \
	}
#else
#define EK_BY_ISA_AND_TYPE(name)                                          \
	{                                                                 \
		{EK_TYPES_OF(name, scalar)}, {EK_TYPES_OF(name, scalar)}, \
		{                                                         \
			EK_TYPES_OF(name, scalar)                         \
		}                                                         \
	}
#endif
#define EK_BY_TYPE(name)                  \
	{                                 \
		EK_TYPES_OF(name, scalar) \
	}

#define EK_INTS_OF(name, level) EK_PASTE3(name, i32, level), EK_PASTE3(name, i64, level)
#define EK_VALUES_OF(name, level) \
	EK_PASTE3(name, f32, level), EK_PASTE3(name, f64, level), EK_INTS_OF(name, level)
#ifdef EK_HAVE_X86
#define EK_BY_ISA_AND_VALUE(name)                                         \
	{                                                                 \
		{EK_VALUES_OF(name, scalar)}, {EK_VALUES_OF(name, avx2)}, \
		{                                                         \
			EK_VALUES_OF(name, avx512)                        \
		}                                                         \
	}
#define EK_BY_ISA_AND_INT(name)                                       \
	{                                                             \
		{EK_INTS_OF(name, scalar)}, {EK_INTS_OF(name, avx2)}, \
		{                                                     \
			EK_INTS_OF(name, avx512)                      \
		}                                                     \
	}
#else
#define EK_BY_ISA_AND_VALUE(name)                                           \
	{                                                                   \
		{EK_VALUES_OF(name, scalar)}, {EK_VALUES_OF(name, scalar)}, \
		{                                                           \
			EK_VALUES_OF(name, scalar)                          \
		}                                                           \
	}
#define EK_BY_ISA_AND_INT(name)                                         \
	{                                                               \
		{EK_INTS_OF(name, scalar)}, {EK_INTS_OF(name, scalar)}, \
		{                                                       \
			EK_INTS_OF(name, scalar)                        \
		}                                                       \
	}
#endif
#define EK_BY_VALUE(name)                  \
	{                                  \
		EK_VALUES_OF(name, scalar) \
	}
#define EK_BY_INT(name)                  \
	{                                \
		EK_INTS_OF(name, scalar) \
	}

#endif
