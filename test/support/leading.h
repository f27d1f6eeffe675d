/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of twins that are small enough for tests of products. */
#ifndef TEST_LEADING_H
#define TEST_LEADING_H

#include "evenkeel/ek.h"

/* Makes the leading rows and columns of a matrix of f64 and indices of 32 bits, as many as have few
 * products, with indices of 64 bits. */
ek_matrix *leading_part(ek_context *ctx, const ek_matrix *M);

#endif
