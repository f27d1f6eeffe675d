/* SPDX-License-Identifier: BSD-3-Clause
 * The diagonals on which a matrix has entries, for formats of diagonals. */
#ifndef EK_FORMAT_DIAGONALS_H
#define EK_FORMAT_DIAGONALS_H

#include "matrix/matrix.h"

/* Handles the diagonal of the entries with column = row + offset. */
typedef void eki_diagonal_fn(void *arg, int64_t offset);
/* Calls `each` with `arg` and the offset of each diagonal on which `csr` has entries, in ascending
 * order. */
ek_status eki_diagonals(const ek_context *ctx, const ek_store *csr, eki_diagonal_fn *each,
                        void *arg);
/* Sets element k of array number `array`, an array of column indices. */
static inline void eki_idx_set(ek_store *s, int array, int64_t k, int64_t v)
{
	if (s->index == EK_I64)
		((int64_t *)s->array[array])[k] = v;
	else
		((int32_t *)s->array[array])[k] = (int32_t)v;
}

#endif
