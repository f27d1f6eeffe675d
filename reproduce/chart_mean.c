/* SPDX-License-Identifier: BSD-3-Clause
 * Means in charts: of each series, and over the matrices at each x, as the works draw them. A mean
 * over matrices takes only those that all series have at every x, so that none is of easier
 * matrices than another. Of these it leaves out what other processes disturbed, unless that is all,
 * so that it is the mean of a verdict on the same records. Means of series take all their values,
 * disturbed ones too: else those of one chart would be of different matrices. */
#include <math.h>
#include <stdlib.h>

#include "reproduce.h"

json_t *exact_json(double value)
{
	return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
	                                                   : json_real(value);
}

void point_interval(json_t *p, double low, double high)
{
	if (!(low > 0) || !isfinite(high))
		return;
	json_object_set_new(p, "low", json_real(low));
	json_object_set_new(p, "high", json_real(high));
}

void means_of_series(enum mean_kind kind, json_t *all)
{
	json_t *series, *p;
	const char *name;
	size_t n;

	if (kind == MEANS)
		return;
	json_object_foreach(all, name, series) {
		json_t *points = json_object_get(series, "points");
		double *y = need(calloc(json_array_size(points) + 1, sizeof *y), "a mean");
		int count = 0;

		json_array_foreach(points, n, p)
			y[count++] = json_number_value(json_object_get(p, "y"));
		if (count)
			json_object_set_new(series, "mean", json_real(mean_of(kind, y, count)));
		free(y);
	}
}

/* Puts the points of a series that have the same x together, by their matrices. */
static json_t *groups_of(const json_t *points)
{
	json_t *groups = json_object(), *p;
	size_t n;

	json_array_foreach(points, n, p) {
		json_t *x = json_object_get(p, "x"), *group;
		const char *at = json_is_string(x) ? json_string_value(x)
		                                   : keep("%.15g", json_number_value(x));

		if (!(group = json_object_get(groups, at)))
			json_object_set_new(groups, at, group = json_object());
		json_object_set(group, json_string_value(json_object_get(p, "of")), p);
	}
	return groups;
}

/* Counts in how many groups of all series each matrix is. Returns the number of groups. */
static int count_matrices(json_t *all, json_t *counts)
{
	const char *name, *at, *matrix;
	json_t *series, *group, *p;
	int groups = 0;

	json_object_foreach(all, name, series)
		json_object_foreach(json_object_get(series, "groups"), at, group) {
			groups++;
			json_object_foreach(group, matrix, p)
				json_object_set_new(
					counts, matrix,
					json_integer(1 + json_integer_value(
								 json_object_get(counts, matrix))));
		}
	return groups;
}

/* Removes from a group the matrices that are not in all groups, then those that others disturbed,
 * unless all are. Returns how many these are. */
static int leave_out(json_t *group, const json_t *counts, int groups)
{
	json_t *good = json_object(), *p;
	const char *matrix;
	void *next;

	json_object_foreach_safe(group, next, matrix,
	                         p) if (json_integer_value(json_object_get(counts, matrix)) !=
	                                groups) json_object_del(group, matrix);
	else if (!json_object_get(p, "disturbed")) json_object_set(good, matrix, p);
	const int all = (int)json_object_size(group), left = (int)json_object_size(good);

	if (left) {
		json_object_clear(group);
		json_object_update(group, good);
	}
	json_decref(good);
	return left ? all - left : 0;
}

/* Returns the mean over the matrices of a group that are in all groups; NULL if there is none. */
static json_t *mean_point(enum mean_kind kind, json_t *group, const json_t *counts, int groups)
{
	const int left_out = leave_out(group, counts, groups);
	const size_t most = json_object_size(group) + 1;
	double *y = need(calloc(most, sizeof *y), "a mean"),
	       *error = need(calloc(most, sizeof *error), "a mean");
	json_t *p, *x = NULL, *mean = NULL, *disturbed = NULL;
	const char *matrix;
	int count = 0;

	json_object_foreach(group, matrix, p) {
		const json_t *known = json_object_get(p, "error");

		x = json_object_get(p, "x");
		disturbed = json_object_get(p, "disturbed");
		y[count] = json_number_value(json_object_get(p, "y"));
		error[count++] = json_is_number(known) ? json_number_value(known) : INFINITY;
	}
	if (count) {
		const struct interval i = interval_of(kind, y, error, count);

		mean = json_pack("{s:O, s:o, s:i, s:i, s:O*}", "x", x, "y", exact_json(i.at),
		                 "cases", count, "left_out", left_out, "disturbed", disturbed);
		if (i.known)
			point_interval(mean, i.low, i.high);
	}
	free(y);
	free(error);
	return mean;
}

void means_over_matrices(enum mean_kind kind, json_t *all)
{
	json_t *counts = json_object(), *series, *group, *mean;
	const char *name, *at;
	int groups;

	json_object_foreach(all, name, series)
		json_object_set_new(series, "groups", groups_of(json_object_get(series, "points")));
	groups = count_matrices(all, counts);
	json_object_foreach(all, name, series) {
		json_t *points = json_array();

		json_object_foreach(json_object_get(series, "groups"), at, group)
			if ((mean = mean_point(kind, group, counts, groups)))
				json_array_append_new(points, mean);
		json_object_set_new(series, "points", points);
		json_object_del(series, "groups");
	}
	json_decref(counts);
}
