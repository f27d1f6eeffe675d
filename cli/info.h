/* SPDX-License-Identifier: BSD-3-Clause
 * The part of `ek info` that describes and prints the arrays of a matrix in any format
 * (info_arrays.c). */
#ifndef EK_TOOL_INFO_H
#define EK_TOOL_INFO_H

#include "ek.h"

/* Prints the format and its parameters, as the end of a line that the caller began. Then prints the
 * size in bytes of each array of the format, each on its own line. */
void info_storage(const ek_matrix *A, const ek_matrix_info *info, FILE *out);
/* Adds the member "array_bytes" to a JSON record: an object with the size of each array. */
void info_storage_json(const ek_matrix *A, const ek_matrix_info *info, json_t *record);
/* Prints the contents of the arrays, `width` entries on a line. Returns an exit code. */
int info_arrays(const ek_matrix *A, int width, FILE *out);

#endif
