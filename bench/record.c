/* SPDX-License-Identifier: BSD-3-Clause
 * Cases, their records, figures over all cases, and the JSON lines of records. An operation lists
 * the keys of its records, and the tables `numbers` and `texts` say where the value of a key is. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void no_numbers(double v[VALUES])
{
	for (int k = 0; k < VALUES; k++)
		v[k] = NAN;
}

struct bench_case *case_add(struct bench *b)
{
	b->cases = need(realloc(b->cases, (size_t)(b->count + 1) * sizeof *b->cases), "records");
	b->cases[b->count] = (struct bench_case){0};
	no_numbers(b->cases[b->count].v);
	return &b->cases[b->count++];
}

struct record *record_add(struct bench_case *c, const struct record *record)
{
	c->record = need(realloc(c->record, (size_t)(c->count + 1) * sizeof *c->record), "records");
	c->record[c->count] = *record;
	return &c->record[c->count++];
}

struct record record_start(enum record_kind kind, const char *prefix, const char *name)
{
	struct record r = {
		.kind = kind, .method = keep("%s%s", prefix, name), .device = "cpu", .why = ""};

	r.name = r.method;
	no_numbers(r.v);
	r.v[V_RUNS] = 0;
	return r;
}

const char *method_short(const char *name)
{
	return strncmp(name, "spmv.", 5) == 0 || strncmp(name, "spmm.", 5) == 0 ? name + 5 : name;
}

void record_refuse(struct record *r, const char *why)
{
	r->refused = true;
	r->why = keep("%s", why);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

const char *const group_name[GROUPS] = {"regular", "irregular"};

const char *group_of(double row_max, double row_mean)
{
	enum { LONG = 1000, UNEVEN = 10 };

	return group_name[row_max > LONG && row_max > UNEVEN * row_mean ? GROUP_IRREGULAR
	                                                                : GROUP_REGULAR];
}

bool in_group(const struct bench_case *c, int group)
{
	return group == ALL_GROUPS || c->group == group_name[group];
}

const struct record *case_record(const struct bench_case *c, const char *name)
{
	for (int k = 0; k < c->count; k++)
		if (strcmp(c->record[k].name, name) == 0)
			return &c->record[k];
	return NULL;
}

const struct record *case_best(const struct bench_case *c, unsigned kinds)
{
	const struct record *best = NULL;

	for (int k = 0; k < c->count; k++) {
		const struct record *r = &c->record[k];

		if (kinds >> r->kind & 1 && !isnan(r->v[V_MS]) &&
		    (!best || r->v[V_MS] < best->v[V_MS]))
			best = r;
	}
	return best;
}

bool case_has(const struct bench_case *c, enum record_kind kind)
{
	for (int k = 0; k < c->count; k++)
		if (c->record[k].kind == kind)
			return true;
	return false;
}

bool bench_has_peers(const struct bench *b)
{
	for (int k = 0; k < b->count; k++)
		if (case_has(&b->cases[k], RECORD_PEER))
			return true;
	return false;
}

int bench_disturbed(const struct bench *b)
{
	int count = 0;

	for (int k = 0; k < b->count; k++)
		count += disturbed_much(b->cases[k].v[V_DISTURBED]);
	return count;
}

void mean_add(struct mean *m, double ratio)
{
	if (!(ratio > 0)) /* true for NAN, too */
		return;
	m->sum += log(ratio);
	m->count++;
}

double mean_value(struct mean m)
{
	return m.count ? exp(m.sum / m.count) : NAN;
}

/* Stores in `sum` the geometric means of all values of the records in a group that have its name,
 * and how many of these were measured and refused. */
static void take_means(const struct bench *b, int group, struct record *sum)
{
	struct mean mean[VALUES] = {0};
	int count = 0, refused = 0;

	for (int k = 0; k < b->count; k++) {
		const struct bench_case *c = &b->cases[k];
		const struct record *r = in_group(c, group) ? case_record(c, sum->name) : NULL;

		for (int value = 0; r && value < VALUES; value++)
			mean_add(&mean[value], r->v[value]);
		count += r && !r->refused;
		refused += r && r->refused;
	}
	for (int value = 0; value < VALUES; value++)
		sum->v[value] = mean_value(mean[value]);
	sum->v[V_MATRICES] = count;
	sum->v[V_REFUSED] = refused;
}

void bench_sum_up(struct bench *b)
{
	for (int group = 0; group <= ALL_GROUPS; group++) {
		struct bench_case *sums = &b->sums[group];

		no_numbers(sums->v);
		sums->v[V_MATRICES] = 0;
		for (int k = 0; k < b->count; k++) {
			const struct bench_case *c = &b->cases[k];

			sums->v[V_MATRICES] += in_group(c, group);
			for (int m = 0; m < c->count && in_group(c, group); m++) {
				const struct record *r = &c->record[m];
				const struct record sum = {.kind = r->kind,
				                           .name = r->name,
				                           .method = r->method,
				                           .version = r->version,
				                           .device = r->device};

				if (case_record(sums, r->name))
					continue;
				if (sums->count < MOST_NAMES)
					record_add(sums, &sum);
				else if (group == ALL_GROUPS)
					tool_remark(&b->o.common,
					            "%s is left out of the sums, which have at "
					            "most %d names",
					            r->name, MOST_NAMES);
			}
		}
		for (int m = 0; m < sums->count; m++) {
			take_means(b, group, &sums->record[m]);
			if (b->op->sum)
				b->op->sum(b, group, &sums->record[m]);
		}
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Kinds of numbers in JSON; the bit OPTIONAL may be added. */
enum { NUMBER, WHOLE, TRUTH, OPTIONAL = 4 };

static const struct {
	const char *key;
	int kind;
} numbers[KEYED] = {
#define FIELD(name, key, kind) {key, kind},
#include "fields.def"
#undef FIELD
};

const char *value_key(enum value value)
{
	return numbers[value].key;
}

/* The struct that has a text: operation, bench, bench_case or record. */
enum { OF_OPERATION, OF_BENCH, OF_CASE, OF_RECORD };

static const struct {
	const char *key;
	int of;
	size_t at;
	bool optional; /* the key is left out if there is no text; else it becomes null */
} texts[] = {
	{"op", OF_OPERATION, offsetof(struct operation, name), false},
	{"machine", OF_BENCH, offsetof(struct bench, machine), false},
	{"date", OF_BENCH, offsetof(struct bench, date), false},
	{"commit", OF_BENCH, offsetof(struct bench, commit), true},
	{"baseline", OF_BENCH, offsetof(struct bench, o.baseline), false},
	{"case", OF_CASE, offsetof(struct bench_case, name), false}, /* only in tables */
	{"matrix", OF_CASE, offsetof(struct bench_case, matrix), false},
	{"source", OF_CASE, offsetof(struct bench_case, source), false},
	{"group", OF_CASE, offsetof(struct bench_case, group), false},
	{"variant", OF_CASE, offsetof(struct bench_case, variant), false},
	{"order", OF_CASE, offsetof(struct bench_case, variant), false},
	{"transpose", OF_CASE, offsetof(struct bench_case, op), false},
	{"value", OF_CASE, offsetof(struct bench_case, value), false},
	{"index", OF_CASE, offsetof(struct bench_case, index), false},
	{"device_name", OF_CASE, offsetof(struct bench_case, device_name), true},
	{"driver", OF_CASE, offsetof(struct bench_case, driver), true},
	{"vectors", OF_CASE, offsetof(struct bench_case, vectors), true},
	{"unit", OF_CASE, offsetof(struct bench_case, unit), false},
	{"bound", OF_CASE, offsetof(struct bench_case, bound), false},
	{"method", OF_RECORD, offsetof(struct record, method), false},
	{"chosen", OF_RECORD, offsetof(struct record, chosen), true},
	{"device", OF_RECORD, offsetof(struct record, device), false},
	{"isa", OF_RECORD, offsetof(struct record, isa), false},
	{"version", OF_RECORD, offsetof(struct record, version), false},
	{"name", OF_RECORD, offsetof(struct record, name), false}, /* only in tables */
	{"on", OF_RECORD, offsetof(struct record, on), false},
	{"on_csr", OF_RECORD, offsetof(struct record, on_csr), false},
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* Makes a JSON value of a number. JSON has no infinity, so 1e300 is written instead. */
static json_t *number(double value, int kind)
{
	if (isnan(value))
		return json_null();
	kind &= ~OPTIONAL;
	if (kind == TRUTH)
		return json_boolean(value != 0);
	if (kind == WHOLE)
		return json_integer((json_int_t)value);
	return json_real(isinf(value) ? copysign(1e300, value) : value);
}

static bool put_number(json_t *o, const char *key, const struct bench_case *c,
                       const struct record *r)
{
	for (int k = 0; k < KEYED; k++) {
		const double value = value_of(c, r, (enum value)k);

		if (strcmp(numbers[k].key, key) != 0)
			continue;
		if (!(numbers[k].kind & OPTIONAL) || !isnan(value))
			json_object_set_new(o, key, number(value, numbers[k].kind));
		return true;
	}
	return false;
}

static int text_row(const char *key)
{
	int k = 0;

	while (k < TEXTS && strcmp(texts[k].key, key) != 0)
		k++;
	return k;
}

const char *text_of(const struct bench *b, const struct bench_case *c, const struct record *r,
                    const char *key)
{
	const void *const of[] = {b->op, b, c, r};
	const int k = text_row(key);

	return *(const char *const *)(const void *)((const char *)of[texts[k].of] + texts[k].at);
}

static bool put_text(json_t *o, const char *key, const struct bench *b, const struct bench_case *c,
                     const struct record *r)
{
	const int k = text_row(key);

	if (k == TEXTS)
		return false;
	const char *text = text_of(b, c, r, key);

	if (text || !texts[k].optional)
		json_object_set_new(o, key, text ? json_string(text) : json_null());
	return true;
}

json_t *record_object(const struct bench *b, const struct bench_case *c, const struct record *r,
                      const char *keys)
{
	json_t *o = json_object();
	char key[32];

	for (const char *at = keys; *at; at += strspn(at, " ")) {
		const size_t len = strcspn(at, " ");

		snprintf(key, sizeof key, "%.*s", (int)len, at);
		if (strcmp(key, "format") == 0)
			tool_json_format(o, r->format && *r->format ? r->format : NULL);
		else if (!put_number(o, key, c, r) && !put_text(o, key, b, c, r))
			json_object_set_new(o, key, b->op->json(b, c, r));
		at += len;
	}
	if (r->failed || r->refused) {
		json_object_set_new(o, r->failed ? "failed" : "refused", json_true());
		json_object_set_new(o, "why", json_string(r->why));
	}
	return o;
}

int record_json(const struct bench *b, const struct bench_case *c)
{
	int code = TOOL_OK;

	for (int k = 0; k < c->count && !code; k++)
		code = tool_json(&b->o.common, record_object(b, c, &c->record[k], b->op->fields));
	return code;
}
