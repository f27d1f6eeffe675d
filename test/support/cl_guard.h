/* SPDX-License-Identifier: BSD-3-Clause
 * Buffers and shared memory of OpenCL between guard pages, for devices that are the processor: a
 * kernel that reads or writes just outside an array crashes the program. */
#ifndef TEST_CL_GUARD_H
#define TEST_CL_GUARD_H

#include "support/support.h"

/* Puts guard pages around all arrays of the device from now on. Returns false if the device is not
 * the processor. */
bool cl_guard_install(const ek_device_info *info);
/* Makes arrays end at a guard page from now on if `at_end` is true, else begin after one. */
void cl_guard_place(int at_end);
/* Runs the tests of a program on the device that EK_DEVICE names, or else on the first OpenCL
 * device, with guard pages if it is the processor. Sets *info to the device, and info->kind to
 * EK_TEST_KIND if that is set. Returns the exit status of the program: without a device, 0 unless
 * EK_DEVICE names one. */
int cl_guard_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction teardown,
                 ek_device_info *info);
/* Tells whether a product works with the kind of memory in `o`. Drivers may reject memory that they
 * did not allocate, such as guarded memory; then it says so. */
bool cl_guard_works(const ek_options *o);

#endif
