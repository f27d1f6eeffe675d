/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses sigma, the tile height of CSR5, for a matrix. */
#ifndef EK_FORMAT_CSR5_SIGMA_H
#define EK_FORMAT_CSR5_SIGMA_H

#include "matrix/matrix.h"

/* Numbers of the rule: up to R entries of a mean row sigma is r, then up to S as many, then up to T
 * it is s, and beyond that u. */
enum { CSR5_R, CSR5_S, CSR5_T, CSR5_U, CSR5_BOUNDS };

/* Sets `bound` to the numbers for a value type that the environment variable EK_CSR5_SIGMA has, or,
 * if it is not set, to `usual`; NULL means those of processors. Returns EK_EINVAL if the variable
 * is malformed. */
ek_status csr5_bounds(ek_value value, const int64_t usual[CSR5_BOUNDS], int64_t bound[CSR5_BOUNDS]);
/* Returns sigma for a CSR store by the rule of csr5_sigma.c. */
int64_t csr5_sigma_of(const int64_t bound[CSR5_BOUNDS], const ek_store *csr);

#endif
