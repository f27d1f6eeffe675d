/* SPDX-License-Identifier: BSD-3-Clause
 * Says where, when and with what the records of ek reproduce were measured, for the head of its
 * page. A run may take days and several calls, so all different values of the records are named,
 * and ranges of what always differs. Only the records of steps that an experiment asks for count:
 * the file may have others, since descriptions of works change. */
#include <math.h>
#include <string.h>

#include "reproduce.h"

json_t *place_records(const struct works *works, const struct store *store)
{
	json_t *all = json_object();

	for (const struct experiment *e = works->experiment; e < works->experiment + works->count;
	     e++)
		for (int k = 0; k < e->steps; k++)
			if (is_there(store, &e->step[k]))
				json_object_set(
					all, e->step[k].command,
					json_object_get(store->records, e->step[k].command));
	return all;
}

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

/* Returns an object whose keys are the different values of a text in the records. */
static json_t *values_in(const json_t *all, const char *key)
{
	json_t *values = json_object(), *records, *record;
	const char *step, *value;
	size_t n;

	json_object_foreach((json_t *)all, step, records)
		json_array_foreach(records, n, record)
			if ((value = json_string_value(json_object_get(record, key))))
				json_object_set_new(values, value, json_true());
	return values;
}

static const char *values_of(const json_t *all, const char *key)
{
	return joined(values_in(all, key), ", ");
}

/* Returns the machines, without the state of a leak, which older records have there. */
static const char *machines_of(const json_t *all)
{
	json_t *whole = values_in(all, "machine"), *values = json_object(), *unused;
	const char *value;

	json_object_foreach(whole, value, unused) {
		const char *leak = strstr(value, ", gather_data_sampling");
		const size_t length = leak ? (size_t)(leak - value) : strlen(value);

		json_object_set_new(values, keep("%.*s", (int)length, value), json_true());
	}
	json_decref(whole);
	return joined(values, ", ");
}

/* Returns the other libraries that took part, with their versions: peer.mkl.unsorted is of
 * peer.mkl. */
static const char *peers_of(const json_t *all)
{
	json_t *values = json_object(), *records, *record;
	const char *step, *method, *version;
	char text[96];
	size_t n;

	json_object_foreach((json_t *)all, step, records)
		json_array_foreach(records, n, record) {
			method = json_string_value(json_object_get(record, "method"));
			version = json_string_value(json_object_get(record, "version"));
			if (!method || !version || strncmp(method, "peer.", 5) != 0)
				continue;
			snprintf(text, sizeof text, "%.*s %s", 5 + (int)strcspn(method + 5, "."),
			         method, version);
			json_object_set_new(values, text, json_true());
		}
	return joined(values, ", ");
}

/* Returns the first and the last date of the records. */
static const char *dates_of(const json_t *all)
{
	const char *step, *date, *first = NULL, *last = NULL;
	json_t *records, *record;
	size_t n;

	json_object_foreach((json_t *)all, step, records)
		json_array_foreach(records, n, record) {
			if (!(date = json_string_value(json_object_get(record, "date"))))
				continue;
			first = !first || strcmp(date, first) < 0 ? date : first;
			last = !last || strcmp(date, last) > 0 ? date : last;
		}
	return first ? keep("%s to %s", first, last) : "no records";
}

/* Counts the parts of a state, which semicolons separate, in `parts`, but widens the range of the
 * load. */
static void add_state(const char *state, json_t *parts, double load[2])
{
	for (size_t length; *state; state += length + strspn(state + length, "; ")) {
		length = strcspn(state, ";");
		const char *part = keep("%.*s", (int)length, state);
		double value;

		if (sscanf(part, "load %lf", &value) != 1) {
			json_object_set_new(
				parts, part,
				json_integer(1 + json_integer_value(json_object_get(parts, part))));
			continue;
		}
		load[0] = fmin(load[0], value);
		load[1] = fmax(load[1], value);
	}
}

/* Returns the state of the machine: all that the records say of it, each with how many of them say
 * so if not all do, and the range of the load. */
static const char *states_of(const json_t *all)
{
	json_t *parts = json_object(), *records, *record, *count;
	const char *step, *part, *text = "";
	double load[2] = {INFINITY, -INFINITY};
	json_int_t stated = 0;
	size_t n;

	json_object_foreach((json_t *)all, step, records)
		json_array_foreach(records, n, record) {
			const char *state = json_string_value(json_object_get(record, "state"));

			stated += state != NULL;
			add_state(state ? state : "", parts, load);
		}
	json_object_foreach(parts, part, count) {
		const json_int_t with = json_integer_value(count);

		text = keep("%s%s%s%s", text, *text ? "; " : "", part,
		            with == stated ? ""
		                           : keep(" (%s of %s records)", text_count((double)with),
		                                  text_count((double)stated)));
	}
	json_decref(parts);
	if (load[0] > load[1])
		return text;
	return keep("%s%sload %.2f to %.2f", text, *text ? "; " : "", load[0], load[1]);
}

const char *place_of(const struct works *works, const struct store *store)
{
	json_t *all = place_records(works, store);
	const char *peers = peers_of(all), *text = "";
	const char *const parts[] = {machines_of(all),
	                             values_of(all, "device_name"),
	                             dates_of(all),
	                             keep("commit %s", values_of(all, "commit")),
	                             *peers ? keep("other libraries: %s", peers) : "",
	                             states_of(all)};

	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (*parts[k])
			text = keep("%s%s%s", text, *text ? " · " : "", parts[k]);
	json_decref(all);
	return text;
}
