/* SPDX-License-Identifier: BSD-3-Clause
 * A product of small integers on the first device of OpenCL, whose result is exact: rows of 0, 2
 * and 30 entries. Memory of the contexts is that of support/folder.h. */
#ifndef TEST_ON_DEVICE_H
#define TEST_ON_DEVICE_H

#include <stdbool.h>

#include "evenkeel/ek.h"

enum { ROWS = 150, PAINT = 77 };
extern double on_device_x[ROWS];

struct all {
	ek_context *ctx;
	ek_matrix *A;
	ek_plan *plan;
};

void on_device_fill(void); /* once, before the rest */
/* What is made stands in *a even if the rest fails. */
ek_status make_all(ek_device_memory memory, struct all *a);
void drop_all(struct all *a);
/* y = A x with vectors of the host. */
ek_status multiply_on(const struct all *a, double *y);
/* Can the device hold memory that way? */
bool has_memory(int memory);

/* y, before a run and after it. */
void paint(double *y);
bool is_painted(const double *y);
bool is_right(const double *y);

#endif
