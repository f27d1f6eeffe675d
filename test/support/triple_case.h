/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products to test: factors, plans for them, and checked runs. */
#ifndef TEST_TRIPLE_CASE_H
#define TEST_TRIPLE_CASE_H

#include "support/held.h"
#include "support/support.h"

/* Factors of a product, and how plans for it are made. */
struct triple_case {
	const ek_matrix *A, *P;
	ek_op op[2];
	int64_t memory; /* hints.memory */
};

ek_status triple_plan(const struct triple_case *t, const char *method, ek_plan **plan);
/* Runs a plan into *C, with alpha = 2, and compares all arrays of C with those of a new product by
 * `method`, bit for bit. */
void triple_same(const struct triple_case *t, ek_plan *plan, const char *method, ek_matrix **C,
                 const char *what);

#endif
