/* SPDX-License-Identifier: BSD-3-Clause
 * Transposed products on CSR (csr_transposed.c), for methods that have kernels of their own for
 * whole rows. */
#ifndef EK_SPMV_CSR_TRANSPOSED_H
#define EK_SPMV_CSR_TRANSPOSED_H

#include "spmv/drive.h"

/* The kernel for entries [begin, end), row by row. */
extern eki_scatter_fn *const eki_csr_scatter[EK_NISA][EK_NTYPE];
/* Entries [k, end) by two kernels: `rows`, which gets row numbers, for the rows that lie in there
 * whole, `entries` for what is left of the rows at both ends. */
void eki_csr_scatter_rows(const ek_store *A, const ek_args *v, int64_t k, int64_t end,
                          int64_t first, void *sum, eki_scatter_fn *entries, eki_scatter_fn *rows);
/* The driver, with entries for units. */
ek_status eki_csr_scatter_prepare(ek_plan *plan, eki_scatter_fn *scatter);
/* The run of a method that prepares op T so, and op N by eki_split_prepare. */
ek_status eki_csr_either_run(const ek_plan *plan, const ek_args *args);

#endif
