/* SPDX-License-Identifier: BSD-3-Clause
 * Intervals of ratios. A record has the median of n rounds of a time, or of a quotient of times,
 * and under the same key with _p10 and _p90 their percentiles; n is "rounds", or what the key with
 * _rounds says. The 95 % interval of the median follows from them (bench/median.c). Errors of
 * different problems are independent, and that of a mean follows to first order. */
#include <math.h>
#include <string.h>

#include "reproduce.h"

/* Rates, which follow from the time, and values that are counted. Of all others, those without
 * percentiles have no known error. */
static const char rates[] = "gflops gbps csr_gbps gathered_gbps mkeys";
static const char counted[] =
	"bytes bytes_per_nnz csr_bytes size nnz rows cols row_max row_mean row_stddev s products "
	"result_nnz compression n_u n_f n_c n_s levels "
	"transactions dheap_transactions update_key find_maxchild compare swap "
	"temporary_bytes temporary_uncapped temporary_bound temporary_precise of_precise";

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
	double n = record_spread(record, timed, "_rounds");

	n = isnan(n) ? record_number(record, "rounds") : n;
	return is_counted(key) ? 0
	                       : median_error(at, record_spread(record, timed, "_p10"),
	                                      record_spread(record, timed, "_p90"), n);
}

/* Returns the error of the ratio that decides a maximum or a median: of two that are as near, the
 * larger one. */
static double deciding(double at, const double *ratio, const double *error, int count)
{
	double nearest = HUGE_VAL, most = NAN;

	for (int k = 0; k < count; k++) {
		const double far = fabs(ratio[k] - at);

		if (far > nearest * (1 + 1e-9))
			continue;
		if (far < nearest * (1 - 1e-9) || !(isnan(most) || error[k] <= most))
			most = error[k];
		nearest = fmin(nearest, far);
	}
	return most;
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
		all = deciding(i.at, ratio, error, count);
	i.known = count > 0 && isfinite(all);
	i.low = i.known ? i.at * exp(-all) : i.at;
	i.high = i.known ? i.at * exp(all) : i.at;
	return i;
}
