/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses sigma, the tile height of CSR5, for a matrix. */
#ifndef EK_FORMAT_CSR5_SIGMA_H
#define EK_FORMAT_CSR5_SIGMA_H

#include "matrix/matrix.h"

/* Chooses sigma by the mean row length of a CSR store. Returns EK_EINVAL if the environment
 * variable EK_CSR5_SIGMA is malformed. */
ek_status csr5_sigma(const ek_store *csr, int64_t *sigma);
/* Returns sigma for `csr` by the rule of csr5_sigma.c with the given bounds r, s, t and u. */
int64_t csr5_sigma_of(const int64_t bound[4], const ek_store *csr);

#endif
