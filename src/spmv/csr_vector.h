/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EK_SPMV_CSR_VECTOR_H
#define EK_SPMV_CSR_VECTOR_H

#include "drive/split.h"

/* Kernels of csr_vector.c, one for each instruction set and type. Methods that cut the work in
 * other ways use them too. */
extern eki_rows_fn *const eki_csr_vector[EK_NISA][EK_NTYPE];
/* Predicts the work of a kernel in eki_csr_vector, in nanoseconds of one core. */
double eki_csr_vector_work(const eki_features *f);

#endif
