/* SPDX-License-Identifier: BSD-3-Clause
 * Which series of a crowded chart are in front. More than MOST_CLEAR series cannot be told apart by
 * colours, so the others are drawn thin and grey behind those that matter: what the claims of the
 * work are about, the automatic choice, bounds, the best other library and, up to MOST_FRONT in
 * all, the best of the rest. A series is better by the mean logarithm of its values over the best
 * ones at the same places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

enum { MOST_CLEAR = 8, MOST_FRONT = 6 };

bool more_is_better(const char *key)
{
	static const char more[] = "vs_csr vs_serial vs_best_peer vs_scheduling of_bound "
				   "bound_gbps device_gflops compression";

	return *key && (is_rate(key) || has_word(more, key) || strncmp(key, "speedup", 7) == 0);
}

static const char *place_text(const json_t *p)
{
	const json_t *x = json_object_get(p, "x");

	return json_is_string(x) ? json_string_value(x) : keep("%.9g", json_number_value(x));
}

/* Returns the logarithm of a value, so that less is better; NAN if there is none. */
static double loss(const json_t *p, bool more)
{
	const double y = json_number_value(json_object_get(p, "y"));

	return y > 0 ? (more ? -log(y) : log(y)) : NAN;
}

/* Returns the least loss at each place. */
static json_t *least_losses(const json_t *series, bool more)
{
	json_t *least = json_object(), *s, *p;
	size_t k, n;

	json_array_foreach(series, k, s)
		json_array_foreach(json_object_get(s, "points"), n, p) {
			const char *x = place_text(p);
			const double own = loss(p, more);
			const json_t *old = json_object_get(least, x);

			if (!isnan(own) && (!old || own < json_number_value(old)))
				json_object_set_new(least, x, json_real(own));
		}
	return least;
}

/* Returns the mean of a series' losses over the least ones; infinity if it has none. */
static double mean_loss(const json_t *s, const json_t *least, bool more)
{
	double sum = 0;
	json_t *p;
	size_t n;
	int count = 0;

	json_array_foreach(json_object_get(s, "points"), n, p) {
		const double own = loss(p, more);

		if (isnan(own))
			continue;
		sum += own - json_number_value(json_object_get(least, place_text(p)));
		count++;
	}
	return count ? sum / count : INFINITY;
}

/* Tells whether a claim of the work names the series. */
static bool is_claimed(const struct experiment *e, const json_t *name)
{
	static const char *const sides[] = {"of", "over"};
	json_t *claim;
	size_t k;

	json_array_foreach(json_object_get(e->json, "claims"), k, claim) {
		for (int side = 0; side < 2 && !json_is_true(json_object_get(claim, "ours"));
		     side++)
			if (is_value(name, json_object_get(json_object_get(claim, sides[side]),
			                                   "method")))
				return true;
	}
	return false;
}

struct rank {
	json_t *series;
	bool set; /* whether it is in front whatever its values are */
	double loss;
};

static int better(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return x->set != y->set ? y->set - x->set : (x->loss > y->loss) - (x->loss < y->loss);
}

void front_mark(const struct experiment *e, const char *key, json_t *series)
{
	const size_t count = json_array_size(series);
	const bool more = more_is_better(key);
	struct rank *rank, *peer = NULL;
	json_t *least, *s;
	size_t k;

	if (count <= MOST_CLEAR)
		return;
	rank = need(calloc(count, sizeof *rank), "a chart");
	least = least_losses(series, more);
	json_array_foreach(series, k, s) {
		const char *role = json_string_value(json_object_get(s, "role"));
		const bool is_peer = strcmp(role, "peer") == 0;

		rank[k].series = s;
		rank[k].set = (!is_peer && strcmp(role, "ours") != 0) ||
		              is_claimed(e, json_object_get(s, "name"));
		rank[k].loss = mean_loss(s, least, more);
		if (is_peer && (!peer || rank[k].loss < peer->loss))
			peer = &rank[k];
	}
	if (peer)
		peer->set = true;
	json_decref(least);
	qsort(rank, count, sizeof *rank, better);
	for (k = MOST_FRONT; k < count; k++)
		if (!rank[k].set)
			json_object_set_new(rank[k].series, "back", json_true());
	free(rank);
}
