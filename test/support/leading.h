/* SPDX-License-Identifier: BSD-3-Clause
 * Squares to test on devices: leading parts of the twins of Liu's Table 9.2 that have few
 * products. */
#ifndef TEST_LEADING_H
#define TEST_LEADING_H

#include "support/devices.h"

/* Calls `check` with a device, the name of a twin and its leading part, of f64 and with indices of
 * 64 bits, for some of the twins or, in the longer tiers, for all. Devices take turns. */
void leading_squares(void (*check)(const struct device_context *, const char *, const ek_matrix *));

#endif
