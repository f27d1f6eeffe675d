/* SPDX-License-Identifier: BSD-3-Clause
 * Conversions between coordinates and CSR in arrays of the caller, which are primitives: what both
 * directions share. A public function checks its arguments, puts them into an eki_array and calls
 * eki_array_call. */
#ifndef EK_COO_H
#define EK_COO_H

#include "prim/prim.h"

/* Checks the types, the numbers of rows and columns, and that of entries (to_coo.c). */
ek_status eki_coo_sizes(const eki_array *a);

#endif
