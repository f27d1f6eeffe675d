/* SPDX-License-Identifier: BSD-3-Clause
 * The error of a median. If errors are normal, the standard deviation is the distance of the 10th
 * and the 90th percentile of n values divided by 2.563, and somewhat more for few values, whose
 * interpolated percentiles lie nearer together; the standard error of the median is 1.2533 /
 * sqrt(n) of it; and the 95 % interval is as many standard errors to either side as Student's
 * distribution with n - 1 degrees of freedom says. */
#include <math.h>

#include "bench.h"

/* Returns the 97.5 % quantile of Student's distribution: from a table for few degrees of freedom,
 * where the expansion of Cornish and Fisher, taken for more, is too small. */
static double student(double degrees)
{
	static const double few[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706};
	const double z = 1.95996, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	if (degrees < 5.5)
		return few[degrees < 1.5 ? 0 : (int)(degrees + 0.5) - 1];
	return z + (z3 + z) / (4 * degrees) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

double median_error(double median, double p10, double p90, double n)
{
	const double spread = p90 - p10;

	if (!(n >= 3) || !(spread >= 0) || !(median > 0))
		return INFINITY;
	const double deviation = spread / 2.563 / (1 - 1.7 / (n + 0.5));

	return student(n - 1) * 1.2533 * deviation / sqrt(n) / median;
}
