/* SPDX-License-Identifier: BSD-3-Clause
 * One instruction set: EK_FILE once for each pair of value and index type. f64_i32 comes last; on
 * the last level its names stay defined, since the including file's own text is that pass.
 * EK_VAL_F64 and EK_IDX_64 tell the vector headers what VAL and IDX are. */

#define EK_SUFFIX        f32_i32
#define VAL              float
#define PTR              int32_t
#define IDX              int32_t
#define EK_VAL_F64       0
#define EK_IDX_64        0
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
#define EK_INDEX_OF_PASS EK_I32
#include EK_SIMD
#ifndef EK_LAST_LEVEL
#include EK_FILE
#include "simd/end.h"
#endif
