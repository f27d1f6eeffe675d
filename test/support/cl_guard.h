/* SPDX-License-Identifier: BSD-3-Clause
 * Buffers and shared memory of OpenCL between guard pages, for devices that are the processor: a
 * kernel that reads or writes just outside an array crashes the program. */
#ifndef TEST_CL_GUARD_H
#define TEST_CL_GUARD_H

#include <stdbool.h>

#include "evenkeel/ek.h"

/* Puts guard pages around all arrays of the device from now on. Returns false if the device is not
 * the processor. */
bool cl_guard_install(const ek_device_info *info);
/* Makes arrays end at a guard page from now on if `at_end` is true, else begin after one. */
void cl_guard_place(int at_end);
/* Tells whether the driver has refused, as a kernel argument, memory that it had not allocated. */
bool cl_guard_refused(void);

#endif
