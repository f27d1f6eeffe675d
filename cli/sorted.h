/* SPDX-License-Identifier: BSD-3-Clause
 * Sorted copies of results whose rows may have their columns in any order, for ek multiply and ek
 * bench. */
#ifndef EK_TOOL_SORTED_H
#define EK_TOOL_SORTED_H

#include "ek.h"

/* Makes a copy of C, which is in CSR, with ascending columns, to be compared with another result.
 * *twice is the number of entries in a column that the row has already; the copy has their sums. */
ek_status sorted_copy(ek_context *ctx, const ek_matrix *C, ek_matrix **copy, int64_t *twice);

#endif
