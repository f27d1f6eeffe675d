/* SPDX-License-Identifier: BSD-3-Clause
 * A pass of a counting sort: n items are placed, stably, in the order of a digit that the caller
 * extracts from each item. Several passes, from the last digit to the first, make a radix sort.
 * Each item is visited twice, whatever the digits are. Knuth 1998, The Art of Computer Programming
 * 3, section 5.2.5. */
#ifndef EK_PRIM_BODY_RADIX_H
#define EK_PRIM_BODY_RADIX_H

#include "prim_body/scan.h"

/* Returns the digit of item e. */
typedef int64_t eki_digit_fn(const void *of, int64_t e);
/* Puts item e into place `to`. */
typedef void eki_place_fn(const void *of, int64_t e, int64_t to);

/* Places items 0 .. n - 1 in the order of their digits, which are less than `digits`. `at` is
 * scratch memory for `digits` counters. */
EKI_BODY void eki_radix_pass(int64_t n, int64_t digits, int64_t *at, eki_digit_fn *digit,
                             eki_place_fn *place, const void *of)
{
	memset(at, 0, (size_t)digits * sizeof *at);
	for (int64_t e = 0; e < n; e++)
		at[digit(of, e)]++;
	eki_exclusive_sum(at, digits);
	for (int64_t e = 0; e < n; e++)
		place(of, e, at[digit(of, e)]++);
}

#endif
