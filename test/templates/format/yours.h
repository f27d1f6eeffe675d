/* SPDX-License-Identifier: BSD-3-Clause
 * Indices of the arrays and parameters of the format `yours`, for methods that multiply with it. */
#ifndef EK_FORMAT_YOURS_H
#define EK_FORMAT_YOURS_H

#include "matrix/matrix.h"

enum { YOURS_PTR, YOURS_COL = CSR_COL, YOURS_VAL = CSR_VAL, YOURS_LEN }; /* indices of the arrays */
enum { YOURS_ALIGN };                                                    /* indices into s->dim */
enum { YOURS_MAX_ALIGN = 64 };
extern const ek_format ek_format_yours;

/* Returns the number of places of a row of n entries, padding included. */
static inline int64_t yours_places(const ek_store *s, int64_t n)
{
	return eki_groups(n, s->dim[YOURS_ALIGN]) * s->dim[YOURS_ALIGN];
}

#endif
