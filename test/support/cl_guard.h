/* SPDX-License-Identifier: BSD-3-Clause
 * Buffers and shared memory of OpenCL between pages that nobody may touch, for devices that are the
 * processor: a kernel that reads or writes beside an array ends the program. */
#ifndef TEST_CL_GUARD_H
#define TEST_CL_GUARD_H

#include <stdbool.h>

#include "evenkeel/ek.h"

/* False if that is not such a device. */
bool cl_guard_install(const ek_device_info *info);
/* Arrays made from now on begin behind such a page, or end before one. */
void cl_guard_place(int at_end);
/* Has the driver refused a kernel's argument in shared memory, since it did not allocate it? */
bool cl_guard_refused(void);

#endif
