/* SPDX-License-Identifier: BSD-3-Clause
 * The tile height that a matrix gets. */
#ifndef EK_FORMAT_CSR5_SIGMA_H
#define EK_FORMAT_CSR5_SIGMA_H

#include "core/ek_core.h"

/* sigma for the mean row length of a CSR store. EK_EINVAL: EK_CSR5_SIGMA is not what it should
 * be. */
ek_status csr5_sigma(const ek_store *csr, int64_t *sigma);
/* The same by other numbers: r, s, t, u. */
int64_t csr5_sigma_of(const int64_t bound[4], const ek_store *csr);

#endif
