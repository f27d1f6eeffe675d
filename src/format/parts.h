/* SPDX-License-Identifier: BSD-3-Clause
 * Helpers for formats that are made of parts. Each part is in another format and holds some of the
 * entries of the matrix. The arrays of the whole are those of its first part, then those of its
 * second, and so on. */
#ifndef EK_FORMAT_PARTS_H
#define EK_FORMAT_PARTS_H

#include "matrix/matrix.h"

/* Returns the part of `s` that is in `format` and whose arrays begin at array number `first` of
 * `s`. The part borrows these arrays; the caller sets its nnz and dim. */
static inline ek_store eki_part(const ek_store *s, const ek_format *format, int first)
{
	ek_store part = {.format = format,
	                 .value = s->value,
	                 .index = s->index,
	                 .rows = s->rows,
	                 .cols = s->cols,
	                 .borrowed = UINT64_MAX};

	for (int k = 0; k < EKI_MAX_ARRAYS && format->array[k].name; k++) {
		part.array[k] = s->array[first + k];
		part.len[k] = s->len[first + k];
	}
	return part;
}

/* Copies the array lengths of `part` to `s`. The arrays of the part begin at array number `first`
 * of `s`. */
static inline void eki_part_len(ek_store *s, const ek_store *part, int first)
{
	for (int k = 0; k < EKI_MAX_ARRAYS && part->format->array[k].name; k++)
		s->len[first + k] = part->len[k];
}

/* Searches the parts for the next entry in row i and column j after place *at. If there is one,
 * sets *at to its place and returns true. Part k has arrays first[k] to first[k + 1] - 1 of the
 * whole store; the format of an absent part is NULL. */
static inline bool eki_parts_find(const ek_store *part, const int *first, int parts, int64_t i,
                                  int64_t j, eki_place *at)
{
	for (int k = 0; k < parts; k++) {
		eki_place here = {-1, -1};

		if (!part[k].format || at->array >= first[k + 1])
			continue;
		if (at->array >= first[k])
			here = (eki_place){at->array - first[k], at->k};
		if (part[k].format->find(&part[k], i, j, &here)) {
			*at = (eki_place){here.array + first[k], here.k};
			return true;
		}
	}
	return false;
}

#endif
