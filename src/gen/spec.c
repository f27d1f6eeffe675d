/* SPDX-License-Identifier: BSD-3-Clause
 * Parser of the text that describes the matrix to generate: "name" or "name:key=value,key=value".
 *
 * The parameters of a generator and their defaults are written only in its example. The parser
 * reads the example first, then the text, whose values replace those of the example. Defaults
 * adapt. If only the rows are given and the matrix of the example is square, the generated matrix
 * is square too. Default row lengths are lowered to fit the columns. Numbers may be written as
 * 5000, 5e3 or 0.25; strtod is not used because it follows the locale of the program. */
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"

#define MAX_SPEC 512

static const char *generator_name(const void *list, size_t k)
{
	const ek_generator *g = ek_generator_next(NULL);

	(void)list;
	while (g && k--)
		g = ek_generator_next(g);
	return g ? g->name : NULL;
}

static ek_status no_such_generator(const char *name, int length)
{
	return eki_fail_list(EK_EINVAL, generator_name, NULL,
	                     "there is no generator \"%.*s\"; these exist:", length, name);
}

/* Refuses the value of a parameter with EK_EINVAL. The message ends with the example, which lists
 * all parameters. */
static ek_status bad_value(const eki_gen *g, const char *key, const char *value, int length,
                           const char *expected)
{
	return eki_fail(EK_EINVAL, "%s: %s is \"%.*s\"; %s is expected, for example %s",
	                g->generator->name, key, length, value, expected, g->generator->example);
}

ek_status eki_gen_bad(const eki_gen *g, int param, const char *expected)
{
	return eki_fail(EK_EINVAL, "%s: %s is %g; %s is expected, for example %s",
	                g->generator->name, g->generator->limit[param].name, g->param[param],
	                expected, g->generator->example);
}

void eki_gen_fit(eki_gen *g, int param, double most)
{
	if (!g->given[param] && g->param[param] > most)
		g->param[param] = most;
}

ek_status eki_gen_at_most(eki_gen *g, int param, double most, const char *expected)
{
	eki_gen_fit(g, param, most);
	return g->param[param] > most ? eki_gen_bad(g, param, expected) : EK_OK;
}

/* Reads an unsigned decimal number. Returns false if the text is not a number or has more than 15
 * digits. With at most 15 digits and a power of ten of at most 10^22, a single rounding gives the
 * nearest double. */
static bool read_number(const char *text, size_t length, double *value)
{
	int64_t digits = 0;
	int count = 0, scale = 0, exponent = 0;
	bool point = false, down = false;
	size_t k = 0;
	double power = 1;

	for (; k < length && ((text[k] >= '0' && text[k] <= '9') || (text[k] == '.' && !point));
	     k++) {
		if (text[k] == '.') {
			point = true;
			continue;
		}
		if (++count > 15)
			return false;
		digits = 10 * digits + (text[k] - '0');
		scale -= point;
	}
	if (count == 0)
		return false;
	if (k < length && (text[k] == 'e' || text[k] == 'E')) {
		k++;
		down = k < length && text[k] == '-';
		k += k < length && (text[k] == '-' || text[k] == '+');
		if (k == length || length - k > 2)
			return false;
		for (; k < length && text[k] >= '0' && text[k] <= '9'; k++)
			exponent = 10 * exponent + (text[k] - '0');
	}
	scale += down ? -exponent : exponent;
	if (k < length || scale > 22 || scale < -22)
		return false;
	for (int p = scale < 0 ? -scale : scale; p > 0; p--)
		power *= 10;
	*value = scale < 0 ? (double)digits / power : (double)digits * power;
	return true;
}

static ek_status set_number(eki_gen *g, int param, const char *value, size_t length)
{
	const eki_gen_limit *limit = &g->generator->limit[param];
	char expected[128];
	double x;

	if (!read_number(value, length, &x) || x < limit->min || x > limit->max ||
	    (!limit->real && x != (double)(int64_t)x)) {
		snprintf(expected, sizeof expected, "a %snumber from %g to %g",
		         limit->real ? "" : "whole ", limit->min, limit->max);
		return bad_value(g, limit->name, value, (int)length, expected);
	}
	/* If the matrix of the example is square, `cols` follows `rows` until `cols` itself is
	 * given. */
	if (strcmp(limit->name, "rows") == 0 && !g->given[param + 1] &&
	    g->param[param + 1] == g->param[param])
		g->param[param + 1] = x;
	g->param[param] = x;
	g->given[param] = true;
	return EK_OK;
}

static ek_status set_values(eki_gen *g, const char *value, size_t length)
{
	static const char *const name[] = {"real", "integer", "stencil"};
	bool stencil = g->generator->diagonal != 0;

	for (int k = EKI_VALUES_REAL; k < EKI_VALUES_STENCIL + stencil; k++)
		if (strlen(name[k]) == length && memcmp(value, name[k], length) == 0) {
			g->values = (eki_gen_values)k;
			return EK_OK;
		}
	return bad_value(g, "values", value, (int)length,
	                 stencil ? "stencil, integer or real" : "integer or real");
}

/* Sets `seed` or `values`, which all generators have, or `name`, which some generators have. */
static ek_status set_common(eki_gen *g, const char *key, const char *value, size_t length)
{
	double x;

	if (strcmp(key, "seed") == 0) {
		if (!read_number(value, length, &x) || x >= 1e15 || x != (double)(int64_t)x)
			return bad_value(g, key, value, (int)length,
			                 "a whole number from 0 to 999999999999999");
		g->seed = (uint64_t)x;
	} else if (strcmp(key, "values") == 0) {
		return set_values(g, value, length);
	} else {
		if (length >= sizeof g->name)
			return bad_value(g, key, value, (int)length, "a shorter name");
		memcpy(g->name, value, length);
		g->name[length] = 0;
	}
	return EK_OK;
}

/* Tells whether the example of a generator has the parameter `key`, which has `length`
 * characters. */
static bool known(const ek_generator *generator, const char *key, size_t length)
{
	const char *at = strchr(generator->example, ':');

	while (at) {
		at++;
		if (strncmp(at, key, length) == 0 && at[length] == '=')
			return true;
		at = strchr(at, ',');
	}
	return false;
}

static ek_status set_parameter(eki_gen *g, const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t key_length = equals ? (size_t)(equals - text) : length;
	size_t value_length = equals ? length - key_length - 1 : 0;
	char key[32];

	if (!equals || key_length >= sizeof key || !known(g->generator, text, key_length))
		return eki_fail(EK_EINVAL, "%s has no parameter \"%.*s\"; all there are: %s",
		                g->generator->name, (int)length, text, g->generator->example);
	memcpy(key, text, key_length);
	key[key_length] = 0;
	for (int k = 0; k < EKI_GEN_PARAMS && g->generator->limit[k].name; k++)
		if (strcmp(key, g->generator->limit[k].name) == 0)
			return set_number(g, k, equals + 1, value_length);
	return set_common(g, key, equals + 1, value_length);
}

/* Tells whether a parameter between `begin` and `at` has the same name as the parameter at `at`;
 * `key` is the length of that name. */
static bool repeated(const char *begin, const char *at, size_t key)
{
	for (; begin < at; begin += strcspn(begin, ",") + 1)
		if (strcspn(begin, "=") == key && memcmp(begin, at, key) == 0)
			return true;
	return false;
}

static ek_status set_parameters(eki_gen *g, const char *text)
{
	const char *begin = text;

	while (*text) {
		size_t length = strcspn(text, ","), key = strcspn(text, "=");

		EK_RETURN_IF(set_parameter(g, text, length));
		if (repeated(begin, text, key))
			return eki_fail(EK_EINVAL, "%s: %.*s is given twice", g->generator->name,
			                (int)key, text);
		text += length;
		if (*text == ',' && !*++text)
			return eki_fail(EK_EINVAL, "%s: the parameters end with a comma",
			                g->generator->name);
	}
	return EK_OK;
}

static ek_status set_defaults(eki_gen *g)
{
	EK_RETURN_IF(set_parameters(g, strchr(g->generator->example, ':') + 1));
	memset(g->given, 0, sizeof g->given);
	g->name[0] = 0; /* the name in the example is not a default */
	return EK_OK;
}

static ek_status check_name(const eki_gen *g)
{
	const char *name = g->generator->name;

	if (g->name[0] || !known(g->generator, "name", strlen("name")))
		return EK_OK;
	return eki_fail(EK_EINVAL,
	                "%s: name is missing, for example %s; ek list %ss (ek_%s_next) has all",
	                name, g->generator->example, name, name);
}

ek_status eki_gen_parse(const char *spec, eki_gen *g)
{
	size_t length = strcspn(spec, ":");

	if (strlen(spec) >= MAX_SPEC)
		return eki_fail(EK_EINVAL, "spec has %zu characters; at most %d are accepted",
		                strlen(spec), MAX_SPEC - 1);
	for (const ek_generator *k = NULL; (k = ek_generator_next(k));)
		if (strlen(k->name) == length && memcmp(k->name, spec, length) == 0)
			g->generator = k;
	if (!g->generator)
		return no_such_generator(spec, (int)length);
	EK_RETURN_IF(set_defaults(g));
	if (spec[length])
		EK_RETURN_IF(set_parameters(g, spec + length + 1));
	return check_name(g);
}
