/* SPDX-License-Identifier: BSD-3-Clause
 * Performance profiles (Dolan and More 2002): for each series, the share of the problems on which
 * its time is at most t times that of the fastest, for t from 1 to 8. A problem that a series lacks
 * counts against it at every t. */
#include <math.h>
#include <stdlib.h>

#include "reproduce.h"

enum { STEPS = 60, MOST_RATIO = 8 };

/* Returns the least time of each problem. */
static json_t *fastest(const json_t *list)
{
	json_t *best = json_object(), *series, *p;
	size_t k, n;

	json_array_foreach(list, k, series)
		json_array_foreach(json_object_get(series, "points"), n, p)
	{
		const char *x = json_string_value(json_object_get(p, "x"));
		const json_t *y = json_object_get(p, "y"), *old = json_object_get(best, x);

		if (!old || json_number_value(y) < json_number_value(old))
			json_object_set(best, x, (json_t *)y);
	}
	return best;
}

/* Returns the points of the curve of one series. Of several times for a problem the least
 * counts. */
static json_t *curve(const json_t *points, const json_t *best)
{
	json_t *all = json_array(), *least = json_object(), *p, *y;
	const char *x;
	size_t n;

	json_array_foreach(points, n, p)
	{
		const json_t *old =
			json_object_get(least, x = json_string_value(json_object_get(p, "x")));

		y = json_object_get(p, "y");
		if (!old || json_number_value(y) < json_number_value(old))
			json_object_set(least, x, y);
	}
	for (int k = 0; k <= STEPS; k++) {
		const double t = pow(MOST_RATIO, (double)k / STEPS) * (1 + 1e-12);
		int within = 0;

		json_object_foreach(least, x, y) within +=
			json_number_value(y) <= json_number_value(json_object_get(best, x)) * t;
		json_array_append_new(all,
		                      json_pack("{s:f, s:f}", "x", t, "y",
		                                (double)within / (double)json_object_size(best)));
	}
	json_decref(least);
	return all;
}

void profile_make(json_t *list)
{
	json_t *best = fastest(list), *series;
	size_t k;

	json_array_foreach(list, k, series) json_object_set_new(
		series, "points", curve(json_object_get(series, "points"), best));
	json_decref(best);
}
