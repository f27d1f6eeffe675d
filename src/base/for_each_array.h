/* SPDX-License-Identifier: BSD-3-Clause
 * Includes EK_FILE once for each element type of arrays, for one instruction set. In each pass
 * these are defined:
 *     VAL, UNS           the element type, and the unsigned integer type of the same size
 *     EK_VAL_FLOAT       1 if VAL is f32 or f64, else 0
 *     EK_VAL_64          1 if VAL is i64 or f64, else 0
 *     EK_VALUE_OF_PASS   the ek_value of VAL
 * The last type is f64, or i64 with EK_INTS_ONLY. The last pass has this type and the last
 * instruction set. Its macros stay defined, since it is the text of the including file itself. */

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
