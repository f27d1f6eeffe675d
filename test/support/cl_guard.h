/* SPDX-License-Identifier: BSD-3-Clause
 * Buffers of OpenCL between pages that nobody may touch, for devices that are the processor: a
 * kernel that reads or writes beside an array ends the program. */
#ifndef TEST_CL_GUARD_H
#define TEST_CL_GUARD_H

#include <stdbool.h>

/* Buffers made from now on are such, as long as `at_end` is 0, where they begin behind such a page,
 * or 1, where they end before one. False if there is no such device. */
bool cl_guard_install(void);
void cl_guard_place(int at_end);

#endif
