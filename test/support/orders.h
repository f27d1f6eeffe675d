/* SPDX-License-Identifier: BSD-3-Clause
 * A context, a matrix, two plans and a heap, destroyed in every order: what is left works, what was
 * destroyed is refused while something holds it, and at the end everything was freed. */
#ifndef TEST_ORDERS_H
#define TEST_ORDERS_H

#include "evenkeel/ek.h"

/* How the matrix is made. */
struct made {
	ek_value value;
	const char *format; /* that A is converted to; NULL: CSR as given */
	unsigned flags;     /* EK_COPY, EK_ADOPT or EK_BORROW; adopted: from malloc or the hooks */
	const char *method[2]; /* of the plans; NULL: auto */
	ek_op op[2];
};

/* All orders. `open` makes a context, with the same memory hooks each time or none. */
void orders_check(ek_context *(*open)(void), void *(*alloc)(size_t bytes), const struct made *made);

#endif
