/* SPDX-License-Identifier: BSD-3-Clause
 * Reads the records of an earlier `ek bench spmv --json` for `ek bench scenario`, which needs only
 * the numbers, method, matrix, machine and date. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "spmv.h"

static const char *text(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Stores all numbers of a JSON record in `v`, and NAN for those that it lacks. */
static void take(double v[VALUES], const json_t *o)
{
	for (int k = 0; k < VALUES; k++) {
		const json_t *value =
			k < KEYED ? json_object_get(o, value_key((enum value)k)) : NULL;

		v[k] = json_is_number(value) ? json_number_value(value) : NAN;
	}
}

/* Returns the case of a record. Records of a matrix follow each other, so this is the last case or
 * a new one. */
static struct bench_case *case_of(struct bench *b, const json_t *o, const double v[VALUES])
{
	struct bench_case *c = b->count ? &b->cases[b->count - 1] : NULL;

	if (c && strcmp(c->name, text(o, "matrix")) == 0 &&
	    (c->v[V_THREADS] == v[V_THREADS] || isnan(v[V_THREADS])))
		return c;
	c = case_add(b);
	c->name = c->matrix = keep("%s", text(o, "matrix"));
	memcpy(c->v, v, sizeof c->v);
	c->group = group_of(v[V_ROW_MAX], v[V_ROW_MEAN]);
	return c;
}

static void add(struct bench *b, const json_t *o)
{
	struct record r = record_start(RECORD_OURS, "", text(o, "method"));
	const char *unit = text(o, "unit"), *machine = text(o, "machine"), *date = text(o, "date");

	take(r.v, o);
	record_add(case_of(b, o, r.v), &r);
	b->machine = keep("%s", machine ? machine : "unknown");
	b->date = keep("%s", date ? date : "unknown");
	b->commit = NULL;
	b->device.size = unit && strcmp(unit, unit_method(true)) == 0 ? sizeof b->device : 0;
}

int records_read(struct bench *b, const char *path)
{
	FILE *file = fopen(path, "r");
	int code = TOOL_OK, at = 0;
	json_error_t error;
	json_t *o;

	if (!file)
		return tool_fail(TOOL_INPUT, "%s: cannot be opened", path);
	while (!code && (o = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error))) {
		const char *op = text(o, "op");

		at++;
		if (!op || strcmp(op, "spmv") != 0 || !text(o, "matrix") || !text(o, "method"))
			code = tool_fail(TOOL_INPUT, "%s: record %d is not one of ek bench spmv",
			                 path, at);
		else
			add(b, o);
		json_decref(o);
	}
	if (!code && !feof(file))
		code = tool_fail(TOOL_INPUT, "%s: record %d: %s", path, at + 1, error.text);
	if (!code && !at)
		code = tool_fail(TOOL_INPUT, "%s: has no records", path);
	fclose(file);
	return code;
}
