/* SPDX-License-Identifier: BSD-3-Clause
 * Formats whose arrays are those of several formats, one after the other, each with a part of the
 * matrix. */
#ifndef EK_FORMAT_PARTS_H
#define EK_FORMAT_PARTS_H

#include "core/ek_core.h"

/* The part whose arrays begin at array number `first` of s. The caller says what nnz and dim are;
 * the arrays stay those of s. */
static inline ek_store eki_part(const ek_store *s, const ek_format *format, int first)
{
	ek_store part = {.format = format,
	                 .value = s->value,
	                 .index = s->index,
	                 .rows = s->rows,
	                 .cols = s->cols,
	                 .borrowed = ~0u};

	for (int k = 0; k < EKI_MAX_ARRAYS && format->array[k].name; k++) {
		part.array[k] = s->array[first + k];
		part.len[k] = s->len[first + k];
	}
	return part;
}

/* Gives s the lengths of the part's arrays. */
static inline void eki_part_len(ek_store *s, const ek_store *part, int first)
{
	for (int k = 0; k < EKI_MAX_ARRAYS && part->format->array[k].name; k++)
		s->len[first + k] = part->len[k];
}

/* `find` of the whole: part k has the arrays from first[k] to before first[k + 1]. Parts without
 * format are absent. */
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
