/* SPDX-License-Identifier: BSD-3-Clause
 * Products by bins, on the processor or on a device, compared with the plain method's. */
#ifndef EK_TEST_BINS_H
#define EK_TEST_BINS_H

#include "support/support.h"

/* Makes a plan for A B. */
ek_plan *bins_plan(const ek_matrix *A, const ek_matrix *B, const char *method);
/* Multiplies by `method`, twice into the same C, and compares C with that of the processor's plain
 * method. Copies the text of ek_plan_explain. */
void bins_check(const ek_matrix *A, const ek_matrix *B, const char *method, double alpha,
                char *text, size_t size);
/* Checks a product by all memory methods of `method`. Sets `text` to the explanation of the default
 * one. */
void bins_check_memory(const ek_matrix *A, const ek_matrix *B, const char *method, double alpha,
                       char *text, size_t size);

#endif
