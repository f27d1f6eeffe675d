/* SPDX-License-Identifier: BSD-3-Clause
 * Selects records by filters, tells which are of the same problem, and takes means. Some values are
 * derived: they follow from what a record has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

/* ---- Selecting ------------------------------------------------------------------------------- */

/* The keys that describe a problem. Records of the same problem have the same values of all. */
static const char *const problem_keys[] = {
	"op", "matrix",     "variant", "order", "transpose", "value",   "index",   "columns",
	"n",  "value_size", "length",  "batch", "k",         "threads", "vectors", "device_name"};
enum { PROBLEM_KEYS = sizeof problem_keys / sizeof *problem_keys };

bool record_is_ours(const json_t *record)
{
	static const char *const others[] = {"peer.", "copy.", "model.", "read", "bare", "k*"};
	const char *method = json_string_value(json_object_get(record, "method"));

	for (size_t k = 0; method && k < sizeof others / sizeof *others; k++)
		if (strncmp(method, others[k], strlen(others[k])) == 0)
			return false;
	return method != NULL;
}

/* Returns the value of a key: of the record, else of the parameters of its method or format. A key
 * with a dot is one in an object, such as "speedup.50". */
static json_t *value_at(const json_t *record, const char *key)
{
	static const char *const parameters[] = {"method_parameters", "parameters"};
	const char *dot = strchr(key, '.');
	json_t *value = json_object_get(record, key);

	if (dot)
		return value_at(json_object_get(record, keep("%.*s", (int)(dot - key), key)),
		                dot + 1);
	for (int k = 0; k < 2 && !value; k++)
		value = json_object_get(json_object_get(record, parameters[k]), key);
	return value;
}

static double plain_number(const json_t *record, const char *key)
{
	const json_t *value = value_at(record, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double ns_for_nonzero(const json_t *record)
{
	return 1e6 / plain_number(record, "nnz");
}

/* Returns 1 / the bytes of both operands and of C, entries and row pointers, of a square A^2. */
static double for_bytes(const json_t *record)
{
	const char *value = json_string_value(json_object_get(record, "value")),
		   *index = json_string_value(json_object_get(record, "index"));
	const double of_index = index && strcmp(index, "64") == 0 ? 8 : 4;
	const double of_value = value && strcmp(value, "f32") == 0 ? 4 : 8;
	const double entries = 2 * plain_number(record, "nnz") + plain_number(record, "result_nnz");

	return 1 / ((of_index + of_value) * entries + 3 * of_index * plain_number(record, "rows"));
}

static double by_least_time(const json_t *record)
{
	return 1 / plain_number(record, "ms_p10");
}

/* Returns 1 / the time of a product of its own. */
static double by_own_product(const json_t *record)
{
	return plain_number(record, "own_calls") / plain_number(record, "csr_ms");
}

/* Values that follow from another one of the record: times a factor, and something added. If the
 * factor is `exact`, their percentiles follow from those of the other one; else they have none. */
static const struct derived {
	const char *key, *of;
	double (*factor)(const json_t *record);
	double plus;
	bool exact;
} derived[] = {{"ns_per_nnz", "ms", ns_for_nonzero, 0, true},
               {"of_precise", "temporary_bytes", for_bytes, 1, true},
               {"spread", "ms_p90", by_least_time, 0, false},
               {"coo_own_calls", "coo_ms", by_own_product, 0, false}};
enum { DERIVED = sizeof derived / sizeof *derived };

double record_spread(const json_t *record, const char *key, const char *suffix)
{
	const int length = (int)strcspn(key, ".");

	for (const struct derived *d = derived; d < derived + DERIVED; d++) {
		if (strcmp(d->key, key) != 0)
			continue;
		if (*suffix && !d->exact)
			return NAN;
		return d->plus +
		       d->factor(record) * plain_number(record, keep("%s%s", d->of, suffix));
	}
	return plain_number(record, keep("%.*s%s%s", length, key, suffix, key + length));
}

double record_number(const json_t *record, const char *key)
{
	return record_spread(record, key, "");
}

const char *record_text(const json_t *record, const char *key)
{
	const json_t *value = value_at(record, key), *arity;

	if (strcmp(key, "method_name") == 0 && (value = json_object_get(record, "method")))
		return keep("%.*s", (int)strcspn(json_string_value(value), ":"),
		            json_string_value(value));
	if (strcmp(key, "name") == 0 && !value) {
		value = json_object_get(record, "method");
		arity = json_object_get(record, "arity");
		if (value && json_is_integer(arity))
			return keep("%s d=%lld", json_string_value(value),
			            (long long)json_integer_value(arity));
	}

	return json_is_string(value)   ? json_string_value(value)
	       : json_is_number(value) ? keep("%.15g", json_number_value(value))
	                               : "-";
}

bool is_value(const json_t *value, const json_t *want)
{
	if (json_is_null(want))
		return !value || json_is_null(value);
	for (size_t k = 0; k < json_array_size(want); k++)
		if (is_value(value, json_array_get(want, k)))
			return true;
	return json_is_number(want) ? json_is_number(value) &&
	                                      json_number_value(value) == json_number_value(want)
	                            : json_equal(value, want);
}

static bool matches(const json_t *record, const json_t *where)
{
	const char *key;
	json_t *want;

	json_object_foreach((json_t *)where, key, want) {
		const char *best = strcmp(key, "best") == 0 ? json_string_value(want) : NULL;

		if (best ? record_is_ours(record) != (strcmp(best, "ours") == 0) ||
		                    (strcmp(best, "peer") == 0 &&
		                     strncmp(json_string_value(json_object_get(record, "method")),
		                             "peer.", 5) != 0)
		         : !is_value(value_at(record, key), want))
			return false;
	}
	return true;
}

json_t *records_of(const struct experiment *e, const struct store *store, const json_t *where,
                   const json_t *also)
{
	json_t *list = json_array(), *record;
	size_t n;

	for (int k = 0; k < e->steps; k++)
		json_array_foreach(json_object_get(store->records, e->step[k].command), n, record)
			if (!e->step[k].beside && matches(record, where) && matches(record, also))
				json_array_append(list, record);
	return list;
}

void records_beside(const struct experiment *e, const struct store *store, const json_t *where,
                    json_t *list)
{
	json_t *record;
	size_t n;

	for (int k = 0; where && k < e->steps; k++)
		json_array_foreach(json_object_get(store->records, e->step[k].command), n, record)
			if (e->step[k].beside && matches(record, where))
				json_array_append(list, record);
}

char *record_problem(const json_t *record, const json_t *across)
{
	json_t *values = json_array();

	for (int k = 0; k < PROBLEM_KEYS; k++) {
		json_t *value = json_object_get(record, problem_keys[k]);
		bool left_out = false;

		for (size_t a = 0; a < json_array_size(across); a++)
			left_out = left_out ||
			           strcmp(problem_keys[k],
			                  json_string_value(json_array_get(across, a))) == 0;
		json_array_append_new(values,
		                      value && !left_out ? json_incref(value) : json_null());
	}
	char *text = json_dumps(values, JSON_COMPACT | JSON_ENCODE_ANY);

	json_decref(values);
	return need(text, "records");
}

/* ---- Means ----------------------------------------------------------------------------------- */

const char *const mean_name[MEANS] = {"harmonic mean", "geometric mean", "arithmetic mean",
                                      "median", "maximum"};

enum mean_kind mean_called(const char *name)
{
	static const char *const words[MEANS] = {"harmonic", "geometric", "arithmetic", "median",
	                                         "max"};

	for (int k = 0; k < MEANS; k++)
		if (strcmp(name, words[k]) == 0)
			return (enum mean_kind)k;
	return MEANS;
}

enum mean_kind mean_named(const json_t *o, enum mean_kind otherwise)
{
	const char *name = json_string_value(json_object_get(o, "mean"));

	return name ? mean_called(name) : otherwise;
}

double mean_of(enum mean_kind kind, const double *value, int count)
{
	double sum = 0, most = -HUGE_VAL;

	if (!count)
		return NAN;
	if (kind == MEDIAN)
		return measure_quantile(value, count, 0.5);
	for (int k = 0; k < count; k++) {
		sum += kind == HARMONIC    ? 1 / value[k]
		       : kind == GEOMETRIC ? log(value[k])
		                           : value[k];
		most = fmax(most, value[k]);
	}
	return kind == MOST        ? most
	       : kind == HARMONIC  ? count / sum
	       : kind == GEOMETRIC ? exp(sum / count)
	                           : sum / count;
}
