/* SPDX-License-Identifier: BSD-3-Clause
 * Performance profiles (Dolan and More 2002): for each series, the share of the problems on which
 * its time is at most t times that of the fastest, for t from 1 to 8. A problem that a series lacks
 * counts against it at every t. Problems that other processes disturbed are left out of all series,
 * unless there are no others. */
#include <stdlib.h>

#include "reproduce.h"

enum { MOST_RATIO = 8 };

/* Stores the time of each problem in `least`, unless a shorter one is there. */
static void keep_least(json_t *least, const json_t *points)
{
	json_t *p;
	size_t n;

	json_array_foreach(points, n, p) {
		const char *x = json_string_value(json_object_get(p, "x"));
		json_t *y = json_object_get(p, "y");
		const json_t *old = json_object_get(least, x);

		if (!old || json_number_value(y) < json_number_value(old))
			json_object_set(least, x, y);
	}
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Adds a corner of a curve: at t, `within` of `of` problems. */
static void add_corner(json_t *points, double t, int within, size_t of)
{
	json_array_append_new(points,
	                      json_pack("{s:f, s:f}", "x", t, "y", (double)within / (double)of));
}

/* Returns the corners of the curve of one series. Of several times for a problem the least
 * counts. */
static json_t *curve(const json_t *points, const json_t *best)
{
	const size_t of = json_object_size(best);
	json_t *all = json_array(), *least = json_object(), *y;
	double *ratio = need(calloc(of + 1, sizeof *ratio), "a profile");
	const char *x;
	int count = 0;

	keep_least(least, points);
	json_object_foreach(least, x, y)
		ratio[count++] = json_number_value(y) / json_number_value(json_object_get(best, x));
	qsort(ratio, (size_t)count, sizeof *ratio, ascending);
	add_corner(all, 1, 0, of);
	int within = 0;

	for (; within < count && ratio[within] <= MOST_RATIO; within++) {
		add_corner(all, ratio[within], within, of);
		add_corner(all, ratio[within], within + 1, of);
	}
	add_corner(all, MOST_RATIO, within, of);
	free(ratio);
	json_decref(least);
	return all;
}

/* Removes the points of the problems that are keys of `which`. */
static void leave_out(json_t *list, const json_t *which)
{
	json_t *series, *p;
	size_t k, n;

	json_array_foreach(list, k, series) {
		json_t *points = json_array();

		json_array_foreach(json_object_get(series, "points"), n, p)
			if (!json_object_get(which, json_string_value(json_object_get(p, "x"))))
				json_array_append(points, p);
		json_object_set_new(series, "points", points);
	}
}

int profile_make(json_t *list)
{
	json_t *best = json_object(), *disturbed = json_object(), *series, *p;
	const char *x;
	size_t k, n;

	json_array_foreach(list, k, series)
		json_array_foreach(json_object_get(series, "points"), n, p)
			json_object_set_new(json_object_get(p, "disturbed") ? disturbed : best,
			                    json_string_value(json_object_get(p, "x")),
			                    json_true());
	json_object_foreach(disturbed, x, p)
		json_object_del(best, x);
	const int count = json_object_size(best) ? (int)json_object_size(disturbed) : 0;

	if (count)
		leave_out(list, disturbed);
	json_object_clear(best);
	json_array_foreach(list, k, series)
		keep_least(best, json_object_get(series, "points"));
	json_array_foreach(list, k, series)
		json_object_set_new(series, "points",
		                    curve(json_object_get(series, "points"), best));
	json_decref(best);
	json_decref(disturbed);
	return count;
}
