/* SPDX-License-Identifier: BSD-3-Clause
 * A context, a matrix, two plans and a heap, destroyed in every order. After each step, the
 * remaining objects must work. A destroyed object that another still holds must be refused as an
 * argument. At the end everything must be freed. */
#ifndef TEST_ORDERS_H
#define TEST_ORDERS_H

#include "evenkeel/ek.h"

/* How the matrix and its two plans are made. */
struct made {
	ek_value value;
	const char *format;    /* format to which A is converted, or NULL for CSR as given */
	unsigned flags;        /* EK_COPY, EK_ADOPT (arrays come from `alloc`) or EK_BORROW */
	const char *method[2]; /* methods of the plans; NULL means auto */
	ek_op op[2];
};

/* Checks all orders. `open` makes a context, with the same memory hooks, or none, in every call.
 * `alloc` allocates arrays to be adopted. */
void orders_check(ek_context *(*open)(void), void *(*alloc)(size_t bytes), const struct made *made);

#endif
