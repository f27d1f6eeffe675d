/* SPDX-License-Identifier: BSD-3-Clause
 * A product of small integers on the first device of OpenCL. Its result is exact. Rows have 0, 2 or
 * 30 entries. The contexts allocate with the hooks of support/folder.h. */
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

void on_device_fill(void); /* to be called once, before the other functions */
/* Makes context, matrix and plan. If one of these fails, *a keeps the objects made before it, and
 * drop_all frees them. */
ek_status make_all(ek_device_memory memory, struct all *a);
void drop_all(struct all *a);
/* Computes y = A x with vectors on the host. */
ek_status multiply_on(const struct all *a, double *y);
/* Tells whether the device has a kind of memory. */
bool has_memory(int memory);

/* paint fills y before a run. Afterwards is_painted tells whether y is unchanged, and is_right
 * whether it is right. */
void paint(double *y);
bool is_painted(const double *y);
bool is_right(const double *y);

#endif
