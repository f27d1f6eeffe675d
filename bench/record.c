/* SPDX-License-Identifier: BSD-3-Clause
 * Cases, their records, figures over all cases, and the JSON lines of records. An operation lists
 * the keys of its records, and a table says where the value of a key is. */
#define _GNU_SOURCE /* for strdup */
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

/* Returns the name of the memory that a context with a device uses, as ek_options.device_memory
 * says. */
static const char *memory_name(const struct bench *b, const ek_device_info *info)
{
	switch (b->o.common.device_memory) {
	case EK_MEMORY_COPY: return "copy";
	case EK_MEMORY_MAPPED: return "mapped";
	case EK_MEMORY_SHARED: return "shared";
	default: return info->unified && info->shared ? "shared" : "copy";
	}
}

void case_device(const struct bench *b, struct bench_case *c, const ek_device_info *info)
{
	if (!info->size)
		return;
	c->device_memory = memory_name(b, info);
	c->device_name = keep("%s", info->text);
	c->driver = keep("%s", info->driver);
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
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
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

	for (const struct record *r = c->record; r < c->record + c->count; r++) {
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

bool case_has_value(const struct bench_case *c, enum value value)
{
	for (int k = 0; k < c->count; k++)
		if (!isnan(c->record[k].v[value]))
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

/* Returns the harmonic mean of a value of the records called `name` in a group; NAN if there are
 * none. */
static double harmonic(const struct bench *b, int group, const char *name, enum value value)
{
	double sum = 0;
	int count = 0;

	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const struct record *r = in_group(c, group) ? case_record(c, name) : NULL;

		if (r && r->v[value] > 0) {
			sum += 1 / r->v[value];
			count++;
		}
	}
	return count ? count / sum : NAN;
}

/* Stores in `sum` the geometric means of all values of those records of a group that have its name,
 * two harmonic ones, and how many of the records were measured and refused. */
static void take_means(const struct bench *b, int group, struct record *sum)
{
	struct mean mean[VALUES] = {0};
	int count = 0, refused = 0;

	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const struct record *r = in_group(c, group) ? case_record(c, sum->name) : NULL;

		for (int value = 0; r && value < VALUES; value++)
			mean_add(&mean[value], r->v[value]);
		count += r && !r->refused;
		refused += r && r->refused;
	}
	for (int value = 0; value < VALUES; value++)
		sum->v[value] = mean_value(mean[value]);
	sum->v[V_HARMONIC] = harmonic(b, group, sum->name, V_VS_CSR);
	sum->v[V_HARMONIC_GFLOPS] = harmonic(b, group, sum->name, V_GFLOPS);
	sum->v[V_MATRICES] = count;
	sum->v[V_REFUSED] = refused;
}

static void sum_up(struct bench *b, int group)
{
	struct bench_case *sums = &b->sums[group];

	no_numbers(sums->v);
	sums->v[V_MATRICES] = 0;
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const int count = in_group(c, group) ? c->count : 0;

		sums->v[V_MATRICES] += in_group(c, group);
		for (const struct record *r = c->record; r < c->record + count; r++)
			if (!case_record(sums, r->name))
				record_add(sums, &(struct record){.kind = r->kind,
				                                  .name = r->name,
				                                  .method = r->method,
				                                  .version = r->version,
				                                  .device = r->device,
				                                  .why = ""});
	}
	for (int k = 0; k < sums->count; k++) {
		take_means(b, group, &sums->record[k]);
		if (b->op->sum)
			b->op->sum(b, group, &sums->record[k]);
	}
}

void bench_sum_up(struct bench *b)
{
	for (int group = 0; group <= ALL_GROUPS; group++)
		sum_up(b, group);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Kinds of values in JSON. The bit OPTIONAL may be added: the key is left out if there is no value;
 * else it becomes null. The bit SPREAD says that the percentiles of the value follow. */
enum { NUMBER, WHOLE, TRUTH, TEXT, KINDS = 3, OPTIONAL = 4, SPREAD = 8 };
/* The struct that a text is in: operation, bench, bench_case or record. */
enum { OF_operation, OF_bench, OF_bench_case, OF_record };

/* The keys. Those of numbers come first, in the order of enum value. */
static const struct key {
	const char *key;
	int kind, of; /* `of` and `at` say where a text is */
	size_t at;
} keys[] = {
#define FIELD(name, key, kind) {key, kind, 0, 0},
#define SPREAD_FIELD(name, key, kind)                                        \
	{key, (kind) | SPREAD, 0, 0}, {key "_p10", (kind) | OPTIONAL, 0, 0}, \
		{key "_p90", (kind) | OPTIONAL, 0, 0},
#define TEXT_FIELD(key, of, member, kind) {key, kind, OF_##of, offsetof(struct of, member)},
#include "fields.def"
#undef FIELD
#undef SPREAD_FIELD
#undef TEXT_FIELD
};
enum { KEYS_ALL = sizeof keys / sizeof *keys };

const char *value_key(enum value value)
{
	return keys[value].key;
}

static const struct key *find(const char *name)
{
	for (const struct key *key = keys; key < keys + KEYS_ALL; key++)
		if (strcmp(key->key, name) == 0)
			return key;
	return NULL;
}

const char *text_of(const struct bench *b, const struct bench_case *c, const struct record *r,
                    const char *name)
{
	const void *const of[] = {b->op, b, c, r};
	const struct key *key = find(name);

	return *(const char *const *)(const void *)((const char *)of[key->of] + key->at);
}

json_t *text_json(const char *text)
{
	json_t *string = text ? json_string(text) : json_null();
	char *ascii;

	if (string)
		return string;
	ascii = need(strdup(text), "records"); /* not UTF-8, as a file name may be */
	for (char *at = ascii; *at; at++)
		*at = *at & 0x80 ? '?' : *at;
	string = json_string(ascii);
	free(ascii);
	return string;
}

/* Makes a JSON value of a number. JSON has no infinity, so 1e300 is written instead. */
static json_t *number(double value, int kind)
{
	if (isnan(value))
		return json_null();
	if (kind == TRUTH)
		return json_boolean(value != 0);
	if (kind == WHOLE)
		return json_integer((json_int_t)value);
	return json_real(isinf(value) ? copysign(1e300, value) : value);
}

/* Adds the value of a key, and its percentiles if it has some. */
static void add_value(json_t *o, const struct bench *b, const struct bench_case *c,
                      const struct record *r, const struct key *key)
{
	const int kind = key->kind & KINDS;
	json_t *value = kind == TEXT ? text_json(text_of(b, c, r, key->key))
	                             : number(value_of(c, r, (enum value)(key - keys)), kind);

	if (key->kind & OPTIONAL && json_is_null(value))
		json_decref(value);
	else
		json_object_set_new(o, key->key, value);
	for (int k = 1; k <= 2 && key->kind & SPREAD; k++)
		add_value(o, b, c, r, key + k);
}

json_t *record_object(const struct bench *b, const struct bench_case *c, const struct record *r,
                      const char *names)
{
	json_t *o = json_object();
	char name[32];

	for (int used; sscanf(names, "%31s%n", name, &used) == 1; names += used) {
		const struct key *key = find(name);

		if (strcmp(name, "format") == 0) {
			tool_json_format(o, r->format && *r->format ? r->format : NULL);
			continue;
		}
		if (strcmp(name, "method_parameters") == 0) {
			if (r->parameters && *r->parameters)
				json_object_set_new(o, name, tool_json_parameters(r->parameters));
			continue;
		}
		if (key)
			add_value(o, b, c, r, key);
		else
			json_object_set_new(o, name, b->op->json(b, c, r, name));
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
