/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of entrants over the rounds: the median of a time or of the quotients of single rounds,
 * and for many of them the 10th and 90th percentile, which follow in the table of values
 * (fields.def); and how many of the rounds other processes disturbed. */
#include <math.h>

#include "run.h"

bool entrant_timed(const struct entrant *e)
{
	return e && e->calls.sample;
}

double entrant_ms(const struct entrant *e)
{
	return entrant_timed(e) ? 1e3 * measure_quantile(e->calls.sample, e->field->rounds, 0.5)
	                        : NAN;
}

double entrant_ratio(const struct entrant *a, const struct entrant *b)
{
	return entrant_timed(a) && entrant_timed(b)
	               ? measure_ratio(&a->calls, &b->calls, a->field->rounds, 0.5)
	               : NAN;
}

double entrant_disturbed(const struct entrant *e)
{
	return measure_disturbed((double)e->calls.disturbed / e->field->rounds);
}

double field_disturbed(const struct field *f)
{
	double share = 0;

	for (int k = 0; k < f->candidates; k++)
		share += (double)f->timed[k]->disturbed / f->rounds / f->candidates;
	return measure_disturbed(share);
}

const double spread_at[SPREAD_VALUES] = {0.5, 0.1, 0.9};

void spread_values(double *v, enum value value, const double *list, int count, double unit)
{
	for (int k = 0; k < SPREAD_VALUES; k++)
		v[(int)value + k] = unit * measure_quantile(list, count, spread_at[k]);
}

void spread_ms(double *v, enum value value, const struct entrant *a)
{
	const bool timed = entrant_timed(a);

	spread_values(v, value, timed ? a->calls.sample : NULL, timed ? a->field->rounds : 0, 1e3);
}

void spread_ratio(double *v, enum value value, const struct entrant *a, const struct entrant *b)
{
	for (int k = 0; k < SPREAD_VALUES; k++)
		v[(int)value + k] = entrant_timed(a) && entrant_timed(b)
		                            ? measure_ratio(&a->calls, &b->calls, a->field->rounds,
		                                            spread_at[k])
		                            : NAN;
}
