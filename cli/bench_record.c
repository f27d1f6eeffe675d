/* SPDX-License-Identifier: BSD-3-Clause
 * Reports: where and when, the cases measured so far, and their JSON lines. */
#define _GNU_SOURCE /* gmtime_r */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

const char *report_commit(void)
{
	ek_build_info info = {.size = sizeof info};

	return ek_build_get_info(&info) == EK_OK ? info.commit : "unknown";
}

void report_start(struct report *report, const char *operation)
{
	time_t now = time(NULL);
	char processor[TOOL_PROCESSOR];
	struct tm utc;

	*report = (struct report){.operation = operation};
	snprintf(report->machine, sizeof report->machine, "%s, %ld processors",
	         tool_processor(processor), sysconf(_SC_NPROCESSORS_ONLN));
	gmtime_r(&now, &utc);
	strftime(report->date, sizeof report->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

struct bench_case *report_add(struct report *report)
{
	struct bench_case *more =
		realloc(report->cases, (size_t)(report->count + 1) * sizeof *more);

	if (!more) {
		tool_fail(TOOL_FAILED, "out of memory for records");
		return NULL;
	}
	report->cases = more;
	more[report->count] = (struct bench_case){0};
	return &more[report->count++];
}

void report_free(struct report *report)
{
	for (int k = 0; k < report->count; k++)
		free(report->cases[k].record);
	free(report->cases);
}

const struct record *case_best(const struct bench_case *c, unsigned kinds)
{
	const struct record *best = NULL;

	for (int k = 0; k < c->count; k++) {
		const struct record *r = &c->record[k];

		if (kinds >> r->kind & 1 && !isnan(r->ms) && (!best || r->ms < best->ms))
			best = r;
	}
	return best;
}

bool record_is_plain(const struct record *r)
{
	return strcmp(r->method, unit_method(strcmp(r->device, "cpu") != 0)) == 0;
}

const char *const group_name[GROUPS] = {"regular", "irregular"};

int group_of(int64_t row_max, double row_mean)
{
	enum { LONG = 1000, UNEVEN = 10 };

	return row_max > LONG && (double)row_max > UNEVEN * row_mean ? GROUP_IRREGULAR
	                                                             : GROUP_REGULAR;
}

int report_disturbed(const struct report *report)
{
	int count = 0;

	for (int k = 0; k < report->count; k++)
		count += disturbed_much(report->cases[k].disturbed);
	return count;
}

bool case_has_peers(const struct bench_case *c)
{
	for (int k = 0; k < c->count; k++)
		if (c->record[k].kind == RECORD_PEER)
			return true;
	return false;
}

bool report_has_peers(const struct report *report)
{
	for (int k = 0; k < report->count; k++)
		if (case_has_peers(&report->cases[k]))
			return true;
	return false;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void record_number(json_t *object, const char *key, double value)
{
	if (isinf(value))
		value = copysign(1e300, value);
	json_object_set_new(object, key, isnan(value) ? json_null() : json_real(value));
}

void record_text(json_t *object, const char *key, const char *value)
{
	json_object_set_new(object, key, value ? json_string(value) : json_null());
}

void record_integer(json_t *object, const char *key, int64_t value)
{
	json_object_set_new(object, key, json_integer(value));
}

static void what_was_run(json_t *o, const struct report *report, const struct bench_case *c,
                         const struct record *r)
{
	record_text(o, "op", report->operation);
	record_text(o, "method", r->method);
	if (*r->chosen)
		record_text(o, "chosen", r->chosen);
	tool_json_format(o, *r->format ? r->format : NULL);
	record_text(o, "device", r->device);
	if (c->device) {
		record_text(o, "device_name", c->device->text);
		record_text(o, "driver", c->device->driver);
		record_text(o, "vectors", c->vectors);
	}
	record_text(o, "isa", r->kind == RECORD_PEER ? NULL : c->isa);
	record_text(o, "version", r->version);
	record_text(o, "matrix", c->matrix);
	record_text(o, "source", c->kind);
	record_integer(o, "rows", c->rows);
	record_integer(o, "cols", c->cols);
	record_integer(o, "nnz", c->nnz);
	record_integer(o, "row_max", c->row_max);
	record_number(o, "row_mean", c->row_mean);
	record_number(o, "row_stddev", c->row_stddev);
	record_text(o, "group", group_name[group_of(c->row_max, c->row_mean)]);
	record_text(o, "transpose", c->op);
	record_text(o, "value", c->value);
	record_text(o, "index", c->index);
	record_integer(o, "threads", c->threads);
}

static void what_came_out(json_t *o, const struct bench_case *c, const struct record *r)
{
	record_integer(o, "runs", r->runs);
	record_integer(o, "rounds", c->rounds);
	record_number(o, "disturbed", c->disturbed);
	record_number(o, "ms", r->ms);
	record_number(o, "ms_min", r->ms_min);
	record_number(o, "ms_p10", r->ms_p10);
	record_number(o, "ms_p90", r->ms_p90);
	if (!isnan(r->ms_kbest))
		record_number(o, "ms_kbest", r->ms_kbest);
	record_number(o, "prepare_ms", r->prepare_ms);
	record_number(o, "prepare_calls", r->prepare_calls);
	record_integer(o, "bytes", r->bytes);
	record_number(o, "bytes_per_nnz", c->nnz ? (double)r->bytes / (double)c->nnz : NAN);
	record_number(o, "gflops", r->gflops);
	record_number(o, "gbps", r->gbps);
	record_number(o, "csr_gbps", r->csr_gbps);
	record_number(o, "bound_gbps", c->bound_gbps);
	record_number(o, "of_bound", r->of_bound);
	json_object_set_new(o, "in_cache", json_boolean(c->in_cache));
	record_text(o, "unit", c->unit);
	record_number(o, "vs_csr", r->vs_csr);
	record_number(o, "vs_best_peer", r->vs_best_peer);
	if (!isnan(r->overhead_ns))
		record_number(o, "overhead_ns", r->overhead_ns);
	record_number(o, "error", r->error);
	if (r->failed || r->refused)
		json_object_set_new(o, r->failed ? "failed" : "refused", json_true());
	if (r->failed || r->refused)
		record_text(o, "why", r->why);
}

int report_json(const struct report *report, const struct bench_case *c,
                const struct tool_options *options)
{
	int code = TOOL_OK;

	for (int k = 0; k < c->count && !code; k++) {
		json_t *o = json_object();

		what_was_run(o, report, c, &c->record[k]);
		what_came_out(o, c, &c->record[k]);
		record_text(o, "commit", report_commit());
		record_text(o, "machine", report->machine);
		record_text(o, "date", report->date);
		code = tool_json(options, o);
	}
	return code;
}
