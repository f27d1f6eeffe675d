/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmv --sweep PARAMETER=VALUES: replaces the one method of --method by a list that has it
 * with each value of the parameter, so that each value is measured as a separate method. */
#define _GNU_SOURCE /* for memmem */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static void add(struct list *s, int64_t value)
{
	if (s->count == MOST_ITEMS)
		tool_usage("--sweep: at most %d values are expected", MOST_ITEMS);
	for (int k = 0; k < s->count; k++)
		if (s->value[k] == value)
			tool_usage("--sweep: %lld is given twice", (long long)value);
	s->value[s->count++] = value;
}

static int64_t whole(const char *text, size_t len, int64_t min)
{
	char word[32];

	snprintf(word, sizeof word, "%.*s", (int)len, text);
	return tool_integer("--sweep", word, min, INT64_C(1) << 40);
}

/* Adds the values of an item such as "8", "1..8", "0..64+16" or "256..2048*2". */
static void add_item(struct list *s, const char *text, size_t len)
{
	const char *dots = memmem(text, len, "..", 2), *last = dots ? dots + 2 : NULL;
	const char *end = text + len;
	size_t digits = dots ? strspn(last, "0123456789") : 0;
	const bool step = dots && last + digits < end;
	const char kind = step ? last[digits] : '+';

	if (!dots) {
		add(s, whole(text, len, 0));
		return;
	}
	if (kind != '+' && kind != '*')
		tool_usage("--sweep %s: FIRST..LAST, FIRST..LAST+STEP or FIRST..LAST*FACTOR is "
		           "expected",
		           text);
	const int64_t from = whole(text, (size_t)(dots - text), kind == '*');
	const int64_t to = whole(last, digits, 0);
	const int64_t by = step ? whole(last + digits + 1, (size_t)(end - last) - digits - 1,
	                                kind == '*' ? 2 : 1)
	                        : 1;

	if (to < from)
		tool_usage("--sweep %s: the range ends before it begins", text);
	add(s, from);
	for (int64_t v = from; kind == '*' ? v <= to / by : v <= to - by;) {
		v = kind == '*' ? v * by : v + by;
		add(s, v);
	}
}

/* ---- The method ------------------------------------------------------------------------------ */

static void check_parameter(const ek_method *m, const char *name, size_t len)
{
	const ek_format_param *p;
	char list[128] = "";
	size_t used = 0;

	for (int k = 0; (p = ek_method_get_param(m, k)) && used < sizeof list; k++) {
		if (strlen(p->name) == len && strncmp(p->name, name, len) == 0)
			return;
		used += (size_t)snprintf(list + used, sizeof list - used, " %s", p->name);
	}
	tool_usage("--sweep %s: %s has the parameters%s", name, ek_method_name(m),
	           used ? list : " - none");
}

void sweep_apply(struct bench_options *o)
{
	const char *list = o->common.method, *equals = o->sweep ? strchr(o->sweep, '=') : NULL;
	char method[TOOL_METHOD], rest[TOOL_METHOD];
	struct list s = {.count = 0};
	static char *text;
	size_t size, used = 0;

	if (!o->sweep)
		return;
	if (!equals || equals == o->sweep || !equals[1])
		tool_usage("--sweep %s: KEY=VALUES is expected, such as w=4,8,16", o->sweep);
	if (!list || strcmp(list, "all") == 0 || strcmp(list, "auto") == 0 ||
	    !tool_method_next(&list, method) || !tool_method_find(method) ||
	    tool_method_next(&list, rest))
		tool_usage("--sweep %s: one method is expected, by --method NAME", o->sweep);
	check_parameter(tool_method_find(method), o->sweep, (size_t)(equals - o->sweep));
	for (const char *at = equals + 1; *at; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");

		add_item(&s, at, len);
		at += len;
	}
	size = (size_t)s.count * (TOOL_METHOD + 32);
	text = need(malloc(size), "the methods of --sweep");
	for (int k = 0; k < s.count; k++)
		used += (size_t)snprintf(text + used, size - used, "%s%s%s%.*s=%lld", k ? "," : "",
		                         method, strchr(method, ':') ? "," : ":",
		                         (int)(equals - o->sweep), o->sweep, (long long)s.value[k]);
	o->common.method = text;
}
