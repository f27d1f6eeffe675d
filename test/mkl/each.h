/* SPDX-License-Identifier: BSD-3-Clause
 * Includes MKL_FILE once for each pair of value and index type: VAL, INT, S(name), which is
 * mkl_sparse_?_name with the suffix of the pair, W(name) without the letter, and FN(name). */
#define VAL      float
#define INT      int32_t
#define S(name)  mkl_sparse_s_##name
#define W(name)  mkl_sparse_##name
#define FN(name) name##_s
#include MKL_FILE
#undef VAL
#undef INT
#undef S
#undef W
#undef FN
#define VAL      double
#define INT      int32_t
#define S(name)  mkl_sparse_d_##name
#define W(name)  mkl_sparse_##name
#define FN(name) name##_d
#include MKL_FILE
#undef VAL
#undef INT
#undef S
#undef W
#undef FN
#define VAL      float
#define INT      int64_t
#define S(name)  mkl_sparse_s_##name##_64
#define W(name)  mkl_sparse_##name##_64
#define FN(name) name##_s_64
#include MKL_FILE
#undef VAL
#undef INT
#undef S
#undef W
#undef FN
#define VAL      double
#define INT      int64_t
#define S(name)  mkl_sparse_d_##name##_64
#define W(name)  mkl_sparse_##name##_64
#define FN(name) name##_d_64
#include MKL_FILE
#undef VAL
#undef INT
#undef S
#undef W
#undef FN
