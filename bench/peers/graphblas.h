/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations of the functions of SuiteSparse:GraphBLAS that its module uses. All are in the C API
 * standard 2.0, except those that import full objects and set options. They are followed by
 * functions of peer_graphblas.c that graphblas_spmspv.c uses. */
#ifndef PEERS_GRAPHBLAS_H
#define PEERS_GRAPHBLAS_H

#include <stdbool.h>
#include <stdint.h>

#include "peer.h"

typedef struct GB_Type_opaque *GrB_Type;
typedef struct GB_Semiring_opaque *GrB_Semiring;
typedef struct GB_Matrix_opaque *GrB_Matrix;
typedef struct GB_Vector_opaque *GrB_Vector;
typedef struct GB_Descriptor_opaque *GrB_Descriptor;
typedef struct GB_BinaryOp_opaque *GrB_BinaryOp;
typedef struct GB_Global_opaque *GrB_Global;
typedef uint64_t GrB_Index;

extern GrB_Type GrB_FP32, GrB_FP64;
extern GrB_Semiring GrB_PLUS_TIMES_SEMIRING_FP32, GrB_PLUS_TIMES_SEMIRING_FP64;
extern GrB_Descriptor GrB_DESC_T0, GrB_DESC_T1;
extern GrB_BinaryOp GrB_PLUS_FP32, GrB_PLUS_FP64;
extern const GrB_Index *GrB_ALL;
int GrB_init(int mode);
int GrB_Matrix_import_FP32(GrB_Matrix *, GrB_Type, GrB_Index, GrB_Index, const GrB_Index *,
                           const GrB_Index *, const float *, GrB_Index, GrB_Index, GrB_Index, int);
int GrB_Matrix_import_FP64(GrB_Matrix *, GrB_Type, GrB_Index, GrB_Index, const GrB_Index *,
                           const GrB_Index *, const double *, GrB_Index, GrB_Index, GrB_Index, int);
int GrB_Matrix_wait(GrB_Matrix, int);
int GrB_Matrix_free(GrB_Matrix *);
int GrB_Matrix_nvals(GrB_Index *, GrB_Matrix);
int GxB_Vector_import_Full(GrB_Vector *, GrB_Type, GrB_Index, void **, GrB_Index, bool,
                           GrB_Descriptor);
int GxB_Matrix_import_FullR(GrB_Matrix *, GrB_Type, GrB_Index, GrB_Index, void **, GrB_Index, bool,
                            GrB_Descriptor);
int GrB_Matrix_new(GrB_Matrix *, GrB_Type, GrB_Index, GrB_Index);
int GrB_Matrix_extractTuples_FP32(GrB_Index *, GrB_Index *, float *, GrB_Index *, GrB_Matrix);
int GrB_Matrix_extractTuples_FP64(GrB_Index *, GrB_Index *, double *, GrB_Index *, GrB_Matrix);
int GrB_Matrix_assign_FP64(GrB_Matrix, GrB_Matrix, GrB_BinaryOp, double, const GrB_Index *,
                           GrB_Index, const GrB_Index *, GrB_Index, GrB_Descriptor);
int GrB_mxm(GrB_Matrix, GrB_Matrix, GrB_BinaryOp, GrB_Semiring, GrB_Matrix, GrB_Matrix,
            GrB_Descriptor);
int GrB_Matrix_eWiseAdd_BinaryOp(GrB_Matrix, GrB_Matrix, GrB_BinaryOp, GrB_BinaryOp, GrB_Matrix,
                                 GrB_Matrix, GrB_Descriptor);
int GrB_transpose(GrB_Matrix, GrB_Matrix, GrB_BinaryOp, GrB_Matrix, GrB_Descriptor);
int GrB_Vector_new(GrB_Vector *, GrB_Type, GrB_Index);
int GrB_Vector_wait(GrB_Vector, int);
int GrB_Vector_free(GrB_Vector *);
int GrB_Vector_nvals(GrB_Index *, GrB_Vector);
int GrB_Vector_build_FP32(GrB_Vector, const GrB_Index *, const float *, GrB_Index, GrB_BinaryOp);
int GrB_Vector_build_FP64(GrB_Vector, const GrB_Index *, const double *, GrB_Index, GrB_BinaryOp);
int GrB_Vector_extractTuples_FP32(GrB_Index *, float *, GrB_Index *, GrB_Vector);
int GrB_Vector_extractTuples_FP64(GrB_Index *, double *, GrB_Index *, GrB_Vector);
int GrB_mxv(GrB_Vector, GrB_Vector, void *, GrB_Semiring, GrB_Matrix, GrB_Vector, GrB_Descriptor);
int GxB_Global_Option_set(int, ...);
#ifdef PEER_GRAPHBLAS_32BIT
extern GrB_Global GrB_GLOBAL;
int GrB_Global_set_INT32(GrB_Global, int32_t, int);
enum { ROWINDEX_HINT = 7053, COLINDEX_HINT = 7054, OFFSET_HINT = 7056 };
#endif
enum { NTHREADS = 7086, NTHREADS_OLD = 5 }; /* the number changed, by version 10 at the latest */
enum { SUCCESS = 0, NONBLOCKING = 0, MATERIALIZE = 1, CSR_FORMAT = 0 };

/* Starts the library, if it has not started yet, and gives it these threads. */
bool graphblas_start(int threads);
/* Tells from `info`, what a call returned, whether it failed, and keeps a message for
 * graphblas_error. */
bool graphblas_failed(const char *call, int info);
const char *graphblas_error(void);
const char *graphblas_version(void);
/* Returns a copy of an index array with 64-bit entries, for the library to own. */
GrB_Index *graphblas_indices(const void *data, int bytes, int64_t count);
/* Imports a matrix with the types and the rows of A. */
bool graphblas_import(const ek_peer_problem *p, int64_t columns, int64_t entries, const void *ptr,
                      const void *idx, const void *val, GrB_Matrix *A);
extern const ek_peer graphblas_spmspv, graphblas_spmspv_turned;

#endif
