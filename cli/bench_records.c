/* SPDX-License-Identifier: BSD-3-Clause
 * Records of an earlier `ek bench spmv --json`, as far as `ek bench scenario` needs them: the ratios
 * and who they are of, where and when. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static double number(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The case of a record; records of a matrix follow each other. */
static struct bench_case *case_of(struct report *report, const json_t *o, const char *matrix)
{
	struct bench_case *c = report->count ? &report->cases[report->count - 1] : NULL;

	if (c && strcmp(c->matrix, matrix) == 0 && c->threads == (int)number(o, "threads"))
		return c;
	c = report_add(report);
	if (c) {
		snprintf(c->matrix, sizeof c->matrix, "%s", matrix);
		c->threads = (int)number(o, "threads");
		c->row_max = (int64_t)number(o, "row_max");
		c->row_mean = number(o, "row_mean");
		c->disturbed = number(o, "disturbed");
	}
	return c;
}

static int add_record(struct report *report, const json_t *o)
{
	const char *matrix = json_string_value(json_object_get(o, "matrix"));
	const char *method = json_string_value(json_object_get(o, "method"));
	struct bench_case *c = case_of(report, o, matrix);
	struct record *more = c ? realloc(c->record, (size_t)(c->count + 1) * sizeof *more) : NULL;

	if (!more)
		return tool_fail(TOOL_FAILED, "out of memory for records");
	c->record = more;
	more[c->count] = (struct record){.vs_csr = number(o, "vs_csr"),
	                                 .prepare_calls = number(o, "prepare_calls")};
	snprintf(more[c->count++].method, sizeof more->method, "%s", method);
	return TOOL_OK;
}

/* Where and when that was, on a device or not. */
static void provenance(struct report *report, const json_t *o)
{
	const char *unit = json_string_value(json_object_get(o, "unit"));
	const char *machine = json_string_value(json_object_get(o, "machine"));
	const char *date = json_string_value(json_object_get(o, "date"));

	snprintf(report->machine, sizeof report->machine, "%s", machine ? machine : "unknown");
	report->device.size =
		unit && strcmp(unit, unit_method(true)) == 0 ? sizeof report->device : 0;
	snprintf(report->date, sizeof report->date, "%s", date ? date : "unknown");
}

int records_read(struct report *report, const char *path)
{
	FILE *file = fopen(path, "r");
	int code = TOOL_OK, at = 0;
	json_error_t error;
	json_t *o;

	report_start(report, "spmv");
	if (!file)
		return tool_fail(TOOL_INPUT, "%s: cannot be opened", path);
	while (!code && (o = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error))) {
		const char *op = json_string_value(json_object_get(o, "op"));

		at++;
		if (!op || strcmp(op, "spmv") != 0 ||
		    !json_is_string(json_object_get(o, "matrix")) ||
		    !json_is_string(json_object_get(o, "method")))
			code = tool_fail(TOOL_INPUT, "%s: record %d is not one of ek bench spmv",
			                 path, at);
		else
			code = add_record(report, o);
		provenance(report, o);
		json_decref(o);
	}
	if (!code && !feof(file))
		code = tool_fail(TOOL_INPUT, "%s: record %d: %s", path, at + 1, error.text);
	if (!code && !at)
		code = tool_fail(TOOL_INPUT, "%s: has no records", path);
	fclose(file);
	return code;
}
