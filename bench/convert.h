/* SPDX-License-Identifier: BSD-3-Clause
 * The steps of conversions (convert_times.c).
 */
#ifndef EK_BENCH_CONVERT_H
#define EK_BENCH_CONVERT_H

#include "record.h"

/* Adds the times of a conversion to a sum. */
void convert_add(ek_convert_times *sum, const ek_convert_times *times);
/* Divides r->v[V_OWN_CALLS], the time of making a format in products of its own, among its steps:
 * each gets its share of the sum over all conversions, and those that the format does not have get
 * none. */
void convert_share(const ek_convert_times *sum, struct record *r);

#endif
