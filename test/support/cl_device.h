/* SPDX-License-Identifier: BSD-3-Clause
 * The first device of OpenCL, reached through its driver's table of functions. Its one kernel
 * computes y = 3 x + add. The device is opened before a program's tests and closed after them. */
#ifndef TEST_CL_DEVICE_H
#define TEST_CL_DEVICE_H

#include "gpu/gpu.h"

enum { CL_N = 1000 }; /* entries of x and y, which are int */

extern const char cl_text[];
extern eki_device cl_device;
extern void *cl_program_made, *cl_triple;

/* Set-up and tear-down for run_all_tests. cl_faults_install must be called first. */
int cl_device_open(void **state);
int cl_device_close(void **state);

/* Tells whether the device has a kind of memory. */
bool cl_has(eki_memory memory);
ek_status cl_make(eki_memory memory, int64_t bytes, eki_buffer *b);
void cl_drop(eki_buffer *b);
/* Write and read a whole buffer in any kind of memory. */
ek_status cl_put(eki_buffer *b, const void *from);
ek_status cl_get(eki_buffer *b, void *to);
ek_status cl_launch(void *kernel, const eki_buffer *x, const eki_buffer *y, int add);

#endif
