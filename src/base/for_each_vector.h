/* SPDX-License-Identifier: BSD-3-Clause
 * Includes EK_FILE once for each pair of value and index type of sparse vectors, for one
 * instruction set. In each pass these are defined:
 *     VAL, UNS, EK_VAL_FLOAT, EK_VAL_64, EK_VALUE_OF_PASS   as in base/for_each_array.h
 *     IDX, EK_IDX_64     the type of indices, and 1 if it is i64, else 0
 * The last pair is f64_i32. The last pass has this pair and the last instruction set. Its macros
 * stay defined, since it is the text of the including file itself. */

#define EK_SUFFIX        f32_i64
#define VAL              float
#define UNS              uint32_t
#define IDX              int64_t
#define EK_VAL_FLOAT     1
#define EK_VAL_64        0
#define EK_IDX_64        1
#define EK_VALUE_OF_PASS EK_F32
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        i32_i64
#define VAL              int32_t
#define UNS              uint32_t
#define IDX              int64_t
#define EK_VAL_FLOAT     0
#define EK_VAL_64        0
#define EK_IDX_64        1
#define EK_VALUE_OF_PASS EK_INT32
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        i64_i64
#define VAL              int64_t
#define UNS              uint64_t
#define IDX              int64_t
#define EK_VAL_FLOAT     0
#define EK_VAL_64        1
#define EK_IDX_64        1
#define EK_VALUE_OF_PASS EK_INT64
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        f64_i64
#define VAL              double
#define UNS              uint64_t
#define IDX              int64_t
#define EK_VAL_FLOAT     1
#define EK_VAL_64        1
#define EK_IDX_64        1
#define EK_VALUE_OF_PASS EK_F64
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        f32_i32
#define VAL              float
#define UNS              uint32_t
#define IDX              int32_t
#define EK_VAL_FLOAT     1
#define EK_VAL_64        0
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_F32
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        i32_i32
#define VAL              int32_t
#define UNS              uint32_t
#define IDX              int32_t
#define EK_VAL_FLOAT     0
#define EK_VAL_64        0
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_INT32
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        i64_i32
#define VAL              int64_t
#define UNS              uint64_t
#define IDX              int32_t
#define EK_VAL_FLOAT     0
#define EK_VAL_64        1
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_INT64
#include EK_SIMD
#include EK_FILE
#include "simd/array_end.h"

#define EK_SUFFIX        f64_i32
#define VAL              double
#define UNS              uint64_t
#define IDX              int32_t
#define EK_VAL_FLOAT     1
#define EK_VAL_64        1
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_F64
#include EK_SIMD
#ifndef EK_LAST_LEVEL
#include EK_FILE
#include "simd/array_end.h"
#endif
