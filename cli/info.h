/* SPDX-License-Identifier: BSD-3-Clause
 * The part of `ek info` that looks into the arrays of a format, whatever they are
 * (info_arrays.c). */
#ifndef EK_TOOL_INFO_H
#define EK_TOOL_INFO_H

#include "ek.h"

/* Format with its parameters and the bytes of its arrays, the rest of a line and lines below it. */
void info_storage(const ek_matrix *A, const ek_matrix_info *info, FILE *out);
/* The same as members of a record: parameters, arrays. */
void info_storage_json(const ek_matrix *A, const ek_matrix_info *info, json_t *record);
/* What is in the arrays, `width` entries on a line. Returns an exit code. */
int info_arrays(const ek_matrix *A, int width, FILE *out);

#endif
