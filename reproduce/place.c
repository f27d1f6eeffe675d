/* SPDX-License-Identifier: BSD-3-Clause
 * Says where, when and with what the records of ek reproduce were measured, for the head of its
 * page. A run may take days and several calls, so all different values of the records are named,
 * and ranges of what always differs. */
#include <math.h>
#include <string.h>

#include "reproduce.h"

/* Returns the keys of an object, with a separator between them. The object is freed. */
static const char *joined(json_t *keys, const char *separator)
{
	const char *key, *text = "";
	json_t *unused;

	json_object_foreach(keys, key, unused)
		text = keep("%s%s%s", text, *text ? separator : "", key);
	json_decref(keys);
	return text;
}

/* Returns the different values of a text in the records, separated by commas. */
static const char *values_of(const struct store *store, const char *key)
{
	json_t *values = json_object(), *records, *record;
	const char *step, *value;
	size_t n;

	json_object_foreach(store->records, step, records)
		json_array_foreach(records, n, record)
			if ((value = json_string_value(json_object_get(record, key))))
				json_object_set_new(values, value, json_true());
	return joined(values, ", ");
}

/* Returns the first and the last date of the records. */
static const char *dates_of(const struct store *store)
{
	const char *step, *date, *first = NULL, *last = NULL;
	json_t *records, *record;
	size_t n;

	json_object_foreach(store->records, step, records)
		json_array_foreach(records, n, record) {
			if (!(date = json_string_value(json_object_get(record, "date"))))
				continue;
			first = !first || strcmp(date, first) < 0 ? date : first;
			last = !last || strcmp(date, last) > 0 ? date : last;
		}
	return first ? keep("%s to %s", first, last) : "no records";
}

/* Adds the parts of a state, which semicolons separate, to `parts`, but widens the range of the
 * load. */
static void add_state(const char *state, json_t *parts, double load[2])
{
	for (size_t length; *state; state += length + strspn(state + length, "; ")) {
		length = strcspn(state, ";");
		const char *part = keep("%.*s", (int)length, state);
		double value;

		if (sscanf(part, "load %lf", &value) != 1) {
			json_object_set_new(parts, part, json_true());
			continue;
		}
		load[0] = fmin(load[0], value);
		load[1] = fmax(load[1], value);
	}
}

/* Returns the state of the machine: all that the records say of it, and the range of the load. */
static const char *states_of(const struct store *store)
{
	json_t *parts = json_object(), *records, *record;
	const char *step, *text;
	double load[2] = {INFINITY, -INFINITY};
	size_t n;

	json_object_foreach(store->records, step, records)
		json_array_foreach(records, n, record) {
			const char *state = json_string_value(json_object_get(record, "state"));

			add_state(state ? state : "", parts, load);
		}
	text = joined(parts, "; ");
	if (load[0] > load[1])
		return text;
	return keep("%s%sload %.2f to %.2f", text, *text ? "; " : "", load[0], load[1]);
}

const char *place_of(const struct store *store)
{
	const char *const parts[] = {values_of(store, "machine"), values_of(store, "device_name"),
	                             dates_of(store), keep("commit %s", values_of(store, "commit")),
	                             states_of(store)};
	const char *text = "";

	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (parts[k] && *parts[k])
			text = keep("%s%s%s", text, *text ? " · " : "", parts[k]);
	return text;
}
