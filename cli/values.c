/* SPDX-License-Identifier: BSD-3-Clause
 * Parses values of options strictly. A wrong value ends the program with a message that says what
 * would be accepted. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ek.h"

double tool_number(const char *what, const char *text)
{
	char *end;
	double d = strtod(text, &end);

	if (end == text || *end || !isfinite(d))
		tool_usage("%s %s: a finite number is expected, such as -1 or 2.5e-3", what, text);
	return d;
}

double tool_duration(const char *what, const char *text)
{
	const double seconds = tool_number(what, text);

	if (!(seconds > 0))
		tool_usage("%s %s: a number of seconds above 0 is expected", what, text);
	return seconds;
}

/* Parses a factor and moves *at past it. A factor is a number, such as 12, 4M (with K, M or G) or
 * 1e6 (with a power of ten), or BASE^EXPONENT. Returns 0 if the text is none of these or the number
 * is too large. */
static int64_t factor(const char **at)
{
	static const char suffix[] = "KMG";
	int64_t value = 1;
	char *end;

	errno = 0;
	long long n = strtoll(*at, &end, 10);

	if (end == *at || errno || n < 1)
		return 0;
	const char *s = *end ? strchr(suffix, *end) : NULL;

	if (*end == '^' || *end == 'e') {
		const int64_t base = *end == '^' ? (int64_t)n : 10;
		const char *digits = end + 1;
		long long exponent = strtoll(digits, &end, 10);

		if (end == digits || exponent < 0 || exponent > 62)
			return 0;
		value = *(digits - 1) == '^' ? 1 : (int64_t)n;
		for (; exponent > 0; exponent--)
			if (__builtin_mul_overflow(value, base, &value))
				return 0;
	} else if (s) {
		end++;
		if (__builtin_mul_overflow((int64_t)n, INT64_C(1024) << 10 * (s - suffix), &value))
			return 0;
	} else {
		value = n;
	}
	*at = end;
	return value;
}

/* Parses factors with "x" or "*" between them and returns their product. Returns 0 if the text is
 * something else or the product is too large. */
static int64_t product(const char *text)
{
	const char *at = text;
	int64_t value = factor(&at), more;

	while (value && (*at == 'x' || *at == '*')) {
		at++;
		more = factor(&at);
		if (!more || __builtin_mul_overflow(value, more, &value))
			value = 0;
	}
	return *at ? 0 : value;
}

int64_t tool_integer(const char *what, const char *text, int64_t min, int64_t max)
{
	char *end;

	errno = 0;
	int64_t n = strtoll(text, &end, 10);
	const bool whole = end != text && !*end && !errno;

	n = whole ? n : product(text);
	if ((!whole && !n) || n < min || n > max) {
		if (max == INT64_MAX)
			tool_usage("%s %s: a whole number of at least %lld is expected", what, text,
			           (long long)min);
		tool_usage("%s %s: a whole number from %lld to %lld is expected", what, text,
		           (long long)min, (long long)max);
	}
	return n;
}

int64_t tool_size(const char *what, const char *text)
{
	const int64_t value = product(text);

	if (!value || value > INT64_C(1) << 40)
		tool_usage(
			"%s %s: a number from 1 to 2^40 is expected, such as 1000, 1e6, 4M, 2^25 "
			"or 96x2^16",
			what, text);
	return value;
}

int tool_choose(const char *what, const char *text, const struct tool_choice *choices)
{
	char list[256] = "";
	size_t used = 0;

	for (const struct tool_choice *c = choices; c->name; c++) {
		if (strcmp(c->name, text) == 0)
			return c->value;
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
		                         c == choices ? "" : ", ", c->name);
	}
	tool_usage("%s %s: one of %s is expected", what, text, list);
}
