/* SPDX-License-Identifier: BSD-3-Clause
 * Includes EK_FILE once for each pair of value and index type, for one instruction set. The last
 * pair is f64_i32. The last pass has this pair and the last instruction set. Its macros stay
 * defined, since it is the text of the including file itself. EK_SCALAR converts an eki_scalar to
 * VAL. EK_VAL_F64 and EK_IDX_64 tell the vector headers what VAL and IDX are. */

#define EK_SUFFIX        f32_i32
#define VAL              float
#define PTR              int32_t
#define IDX              int32_t
#define EK_VAL_F64       0
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_F32
#define EK_SCALAR(s)     ((VAL)(s).re)
#define EK_INDEX_OF_PASS EK_I32
#include EK_SIMD
#include EK_FILE
#include "simd/end.h"

#define EK_SUFFIX        f32_i64_32
#define VAL              float
#define PTR              int64_t
#define IDX              int32_t
#define EK_VAL_F64       0
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_F32
#define EK_SCALAR(s)     ((VAL)(s).re)
#define EK_INDEX_OF_PASS EK_I64_32
#include EK_SIMD
#include EK_FILE
#include "simd/end.h"

#define EK_SUFFIX        f32_i64
#define VAL              float
#define PTR              int64_t
#define IDX              int64_t
#define EK_VAL_F64       0
#define EK_IDX_64        1
#define EK_VALUE_OF_PASS EK_F32
#define EK_SCALAR(s)     ((VAL)(s).re)
#define EK_INDEX_OF_PASS EK_I64
#include EK_SIMD
#include EK_FILE
#include "simd/end.h"

#define EK_SUFFIX        f64_i64_32
#define VAL              double
#define PTR              int64_t
#define IDX              int32_t
#define EK_VAL_F64       1
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_F64
#define EK_SCALAR(s)     ((VAL)(s).re)
#define EK_INDEX_OF_PASS EK_I64_32
#include EK_SIMD
#include EK_FILE
#include "simd/end.h"

#define EK_SUFFIX        f64_i64
#define VAL              double
#define PTR              int64_t
#define IDX              int64_t
#define EK_VAL_F64       1
#define EK_IDX_64        1
#define EK_VALUE_OF_PASS EK_F64
#define EK_SCALAR(s)     ((VAL)(s).re)
#define EK_INDEX_OF_PASS EK_I64
#include EK_SIMD
#include EK_FILE
#include "simd/end.h"

#define EK_SUFFIX        f64_i32
#define VAL              double
#define PTR              int32_t
#define IDX              int32_t
#define EK_VAL_F64       1
#define EK_IDX_64        0
#define EK_VALUE_OF_PASS EK_F64
#define EK_SCALAR(s)     ((VAL)(s).re)
#define EK_INDEX_OF_PASS EK_I32
#include EK_SIMD
#ifndef EK_LAST_LEVEL
#include EK_FILE
#include "simd/end.h"
#endif
