/* SPDX-License-Identifier: BSD-3-Clause
 * Strings that are never freed, since a run makes only a few hundred of them. */
#define _GNU_SOURCE /* for vasprintf */
#include <stdarg.h>
#include <stdlib.h>

#include "bench.h"

void *need(void *memory, const char *what)
{
	if (!memory)
		exit(tool_fail(TOOL_FAILED, "out of memory for %s", what));
	return memory;
}

const char *keep(const char *format, ...)
{
	static char **list;
	static size_t count;
	va_list args;

	list = need(realloc(list, (count + 1) * sizeof *list), "records");
	va_start(args, format);
	need(vasprintf(&list[count], format, args) < 0 ? NULL : list, "records");
	va_end(args);
	return list[count++];
}

const char *text_count(double n)
{
	char text[32];

	return keep("%s", tool_count(text, (int64_t)n));
}

const char *text_bytes(double n)
{
	char text[32];

	return keep("%s", tool_bytes(text, n));
}

const char *text_many(double n, const char *what)
{
	return keep("%.0f %s%s", n, what, n == 1 ? "" : "s");
}

const char *text_size(int64_t n)
{
	int power = 0;

	while (power < 62 && (n >> (power + 1)) << (power + 1) == n)
		power++;
	if (n >> power == 1 && power >= 4)
		return keep("2^%d", power);
	if (power >= 10)
		return keep("%lldx2^%d", (long long)(n >> power), power);
	return keep("%lld", (long long)n);
}

const char *text_lack(double bytes, const char *before, const char *after)
{
	const double free = tool_memory_free();

	if (free < 0 || bytes < free)
		return NULL;
	return keep("%s%s%s, and %s are free", before, text_bytes(bytes), after, text_bytes(free));
}
