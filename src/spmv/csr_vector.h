/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EK_SPMV_CSR_VECTOR_H
#define EK_SPMV_CSR_VECTOR_H

#include "spmv/split.h"

/* The kernel of csr_vector.c, which other ways to cut the work use too. */
extern eki_rows_fn *const eki_csr_vector[EK_NISA][EK_NTYPE];
/* Its work in nanoseconds of one core. */
double eki_csr_vector_work(const eki_features *f);

#endif
