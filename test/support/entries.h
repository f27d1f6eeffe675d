/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes that a test makes entry by entry, with values that are drawn. */
#ifndef TEST_ENTRIES_H
#define TEST_ENTRIES_H

#include "support/random.h"
#include "support/shapes.h"

/* Begins a shape with room for `room` entries. */
void shape_open(struct shape *s, const char *name, int64_t rows, int64_t cols, int64_t room);
/* Add an entry to the row that is next: its values are real numbers, or integers from -3 to 3. */
void shape_put(struct shape *s, int64_t col, struct rng *draw);
void shape_put_integer(struct shape *s, int64_t col, struct rng *draw);
/* Ends row i. Where columns must ascend, they are added in order. */
void shape_end_row(struct shape *s, int64_t i);

#endif
