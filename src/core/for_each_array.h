/* SPDX-License-Identifier: BSD-3-Clause
 * One instruction set: EK_FILE once for each type of numbers in arrays. In each pass
 *     VAL, UNS       the type, and the unsigned type of its size
 *     EK_VAL_FLOAT   1 for f32 and f64
 *     EK_VAL_64      1 for i64 and f64
 *     EK_VALUE_OF_PASS   its ek_value
 * f64 (i64 with EK_INTS_ONLY) comes last; on the last level its names stay defined, since the
 * including file's own text is that pass. */

#ifndef EK_INTS_ONLY
#define EK_SUFFIX        f32
#define VAL              float
#define UNS              uint32_t
#define EK_VAL_FLOAT     1
#define EK_VAL_64        0
#define EK_VALUE_OF_PASS EK_F32
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"
#endif

#define EK_SUFFIX        i32
#define VAL              int32_t
#define UNS              uint32_t
#define EK_VAL_FLOAT     0
#define EK_VAL_64        0
#define EK_VALUE_OF_PASS EK_INT32
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        i64
#define VAL              int64_t
#define UNS              uint64_t
#define EK_VAL_FLOAT     0
#define EK_VAL_64        1
#define EK_VALUE_OF_PASS EK_INT64
#include EK_SIMD
#if !defined(EK_LAST_LEVEL) || !defined(EK_INTS_ONLY)
#include EK_FILE
#include "simd/array_end.h"
#endif

#ifndef EK_INTS_ONLY
#define EK_SUFFIX        f64
#define VAL              double
#define UNS              uint64_t
#define EK_VAL_FLOAT     1
#define EK_VAL_64        1
#define EK_VALUE_OF_PASS EK_F64
#include EK_SIMD
#ifndef EK_LAST_LEVEL
#include EK_FILE
#include "simd/array_end.h"
#endif
#endif
