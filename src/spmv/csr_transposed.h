/* SPDX-License-Identifier: BSD-3-Clause
 * Transposed products on CSR (csr_transposed.c), for methods that have their own kernels for whole
 * rows. */
#ifndef EK_SPMV_CSR_TRANSPOSED_H
#define EK_SPMV_CSR_TRANSPOSED_H

#include "drive/drive.h"

/* Kernels that multiply entries [begin, end) for op T, row by row. There is one for each
 * instruction set and type. */
extern eki_scatter_fn *const eki_csr_scatter[EK_NISA][EK_NTYPE];
/* Multiplies entries [k, end) for op T with two kernels. `rows` gets the rows that lie wholly in
 * the range; it is called with row numbers. `entries` gets the pieces of rows at both ends. */
void eki_csr_scatter_rows(const ek_store *A, const eki_run *v, int64_t k, int64_t end,
                          int64_t first, void *sum, eki_scatter_fn *entries, eki_scatter_fn *rows);
/* Prepares the driver (drive.h) for op T, with single entries as its units. */
ek_status eki_csr_scatter_prepare(eki_step *step, eki_scatter_fn *scatter);
/* Predicts the time of op T by the kernels of this file. `bytes` are those of the matrix and the
 * vectors, and `rows` is the number of rows that the kernel goes through. */
double eki_csr_scatter_cost(const eki_features *f, double bytes, double rows);
/* Runs a step that was prepared by eki_csr_scatter_prepare for op T, or by eki_split_prepare for op
 * N. */
ek_status eki_csr_either_run(const eki_step *step, const eki_run *v);

#endif
