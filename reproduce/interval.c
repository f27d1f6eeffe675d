/* SPDX-License-Identifier: BSD-3-Clause
 * Intervals of ratios. A record has the median of n rounds of a time, or of a quotient of times,
 * and under the same key with _p10 and _p90 their percentiles; n is "rounds", or what the key with
 * _rounds says. If errors are normal, the standard deviation is their distance divided by 2.563,
 * and somewhat more for few rounds, whose interpolated percentiles lie nearer together; the
 * standard error of a median is 1.2533 / sqrt(n) of it; and the 95 % interval is as many standard
 * errors to either side as Student's distribution with n - 1 degrees of freedom says. Errors of
 * different problems are independent, and that of a mean follows to first order. */
#include <math.h>
#include <string.h>

#include "reproduce.h"

/* Rates, which follow from the time, and values that are counted. Of all others, those without
 * percentiles have no known error. */
static const char rates[] = "gflops gbps csr_gbps gathered_gbps mkeys";
static const char counted[] =
	"bytes bytes_per_nnz size nnz rows cols row_max products result_nnz compression n_u n_f "
	"n_c "
	"n_s levels transactions dheap_transactions update_key find_maxchild compare swap "
	"temporary_bytes temporary_uncapped temporary_bound temporary_precise of_precise";

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

bool is_rate(const char *key)
{
	return has_word(rates, key);
}

bool is_counted(const char *key)
{
	return has_word(counted, key);
}

double interval_error(const json_t *record, const char *key)
{
	const char *timed = is_rate(key) ? "ms" : key;
	const double at = record_number(record, timed);
	const double spread =
		record_spread(record, timed, "_p90") - record_spread(record, timed, "_p10");
	double n = record_spread(record, timed, "_rounds");

	n = isnan(n) ? record_number(record, "rounds") : n;
	if (is_counted(key))
		return 0;
	if (!(n >= 3) || !(spread >= 0) || !(at > 0))
		return INFINITY;
	const double deviation = spread / 2.563 / (1 - 1.7 / (n + 0.5));

	return student(n - 1) * 1.2533 * deviation / sqrt(n) / at;
}

/* Returns the place of the ratio that decides a maximum or a median. */
static int deciding(double at, const double *ratio, int count)
{
	int nearest = 0;

	for (int k = 1; k < count; k++)
		if (fabs(ratio[k] - at) < fabs(ratio[nearest] - at))
			nearest = k;
	return nearest;
}

struct interval interval_of(enum mean_kind kind, const double *ratio, const double *error,
                            int count)
{
	struct interval i = {.at = mean_of(kind, ratio, count), .known = count > 0};
	double sum = 0, weights = 0;

	for (int k = 0; k < count; k++) {
		const double weight = kind == ARITHMETIC ? ratio[k]
		                      : kind == HARMONIC ? 1 / ratio[k]
		                                         : 1;

		sum += pow(weight * error[k], 2);
		weights += weight;
	}
	double all = sqrt(sum) / weights;

	if (count && (kind == MOST || kind == MEDIAN))
		all = error[deciding(i.at, ratio, count)];
	i.known = count > 0 && isfinite(all);
	i.low = i.known ? i.at * exp(-all) : i.at;
	i.high = i.known ? i.at * exp(all) : i.at;
	return i;
}
