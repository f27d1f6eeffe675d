/* SPDX-License-Identifier: BSD-3-Clause
 * What stands where a format has a place and the matrix no entry. */
#ifndef EK_FORMAT_PADDING_H
#define EK_FORMAT_PADDING_H

#include <math.h>
#include <stdbool.h>

/* The most rows or pieces of rows that a format with padding has side by side (lanes.h). */
enum { EKI_MOST_LANES = 64 };

/* Is that what padding has to be: 0, and not -0? */
static inline bool eki_pads(double value)
{
	return value == 0 && !signbit(value);
}

#endif
