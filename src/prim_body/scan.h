/* SPDX-License-Identifier: BSD-3-Clause
 * Prefix sums of counts, in place, which turn lengths into positions. The loops are plain, for
 * arrays that fit the caches of a core; eki_scan_into in prim/prim.h is for large arrays. Blelloch
 * 1990. */
#ifndef EK_PRIM_BODY_SCAN_H
#define EK_PRIM_BODY_SCAN_H

#include "prim_body/body.h"

/* Replaces each of n numbers by the sum of itself and all numbers before it. */
EKI_BODY void eki_inclusive_i32(int32_t *v, int64_t n)
{
	for (int64_t i = 1; i < n; i++)
		v[i] += v[i - 1];
}
EKI_BODY void eki_inclusive_i64(int64_t *v, int64_t n)
{
	for (int64_t i = 1; i < n; i++)
		v[i] += v[i - 1];
}

/* Replaces each of n numbers by the sum of all numbers before it, and returns the sum of all n. */
EKI_BODY int64_t eki_exclusive_i32(int32_t *v, int64_t n)
{
	int32_t sum = 0;

	for (int64_t i = 0; i < n; i++) {
		const int32_t own = v[i];

		v[i] = sum;
		sum += own;
	}
	return sum;
}
EKI_BODY int64_t eki_exclusive_i64(int64_t *v, int64_t n)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++) {
		const int64_t own = v[i];

		v[i] = sum;
		sum += own;
	}
	return sum;
}

#define eki_inclusive_sum(v, n) \
	_Generic((v), int32_t * : eki_inclusive_i32, int64_t * : eki_inclusive_i64)(v, n)
#define eki_exclusive_sum(v, n) \
	_Generic((v), int32_t * : eki_exclusive_i32, int64_t * : eki_exclusive_i64)(v, n)

#endif
