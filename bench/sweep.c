/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmv|merge --sweep PARAMETER=VALUES: replaces the method of --method, or the format of
 * --format or of the method, by a list that has it with each value of the parameter, so that each
 * is measured by itself. */
#include <stdio.h>
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

/* Adds the values of an item such as "8", "1..8", "0..64+16" or "256..2048*2". */
static void add_item(struct list *s, const char *text)
{
	long long first = -1, last = -1, by = 1;
	char kind = '+', end;
	int count = sscanf(text, "%lld..%lld%c%lld%c", &first, &last, &kind, &by, &end);

	if (count == 1 && sscanf(text, "%lld%c", &first, &end) == 1)
		last = first;
	else if (count != 2 && (count != 4 || (kind != '+' && kind != '*')))
		first = -1;
	if (first < (kind == '*') || by < 1 + (kind == '*') || last > INT64_C(1) << 40 ||
	    by > INT64_C(1) << 22) /* so that the next value fits, too */
		tool_usage("--sweep %s: a number, FIRST..LAST, FIRST..LAST+STEP or "
		           "FIRST..LAST*FACTOR is expected",
		           text);
	if (last < first)
		tool_usage("--sweep %s: the range ends before it begins", text);
	for (int64_t v = first; v <= last; v = kind == '*' ? v * by : v + by)
		add(s, v);
}

/* ---- Whose parameter ------------------------------------------------------------------------- */

static const ek_format_param *method_param(const void *method, int k)
{
	return ek_method_get_param(method, k);
}

static const ek_format_param *format_param(const void *format, int k)
{
	return ek_format_get_param(format, k);
}

/* Tells whether a method or format has the parameter that the sweep names. Appends the names of all
 * that it has to *list. */
static bool has(const ek_format_param *get(const void *, int), const void *of, const char *sweep,
                const char **list)
{
	const size_t len = strcspn(sweep, "=");
	const ek_format_param *p;
	bool found = false;

	for (int k = 0; of && (p = get(of, k)); k++) {
		found |= strlen(p->name) == len && strncmp(p->name, sweep, len) == 0;
		*list = keep("%s %s", *list, p->name);
	}
	return found;
}

/* Returns the method that --method names, or NULL if it names none; ends the program if there are
 * several. */
static const ek_method *method_of(ek_operation operation, const struct bench_options *o,
                                  char name[TOOL_METHOD])
{
	const char *list = o->common.method;
	char rest[TOOL_METHOD];
	const bool some = list && strcmp(list, "all") != 0 && strcmp(list, "auto") != 0;

	if (!some || !tool_method_next_of(operation, &list, name))
		return NULL;
	return tool_method_next_of(operation, &list, rest) ? NULL : tool_method_find(name);
}

/* Returns the format whose parameter it may be: that of --format, if it is one, or else that of the
 * method. Writes it with its parameters to `name`. Returns NULL if there is none. */
static const ek_format *format_of(const struct bench_options *o, const ek_method *m,
                                  char name[TOOL_FORMAT])
{
	const char *list = o->common.format;
	char rest[TOOL_FORMAT];

	if (!list)
		snprintf(name, TOOL_FORMAT, "%s", m ? ek_method_format(m) : "");
	else if (!tool_format_next("--format", &list, name) ||
	         tool_format_next("--format", &list, rest))
		return NULL;
	return ek_format_find(keep("%.*s", (int)strcspn(name, ":"), name));
}

/* Returns a list in which `name` has each value of the parameter. */
static const char *with_values(const char *name, const char *sweep)
{
	const int len = (int)strcspn(sweep, "=");
	struct list s = {.count = 0};
	const char *list = "";

	for (const char *at = sweep + len + 1; *at; at += strspn(at, ",")) {
		const int item = (int)strcspn(at, ",");

		add_item(&s, keep("%.*s", item, at));
		at += item;
	}
	for (int k = 0; k < s.count; k++)
		list = keep("%s%s%s%s%.*s=%lld", list, k ? "," : "", name,
		            strchr(name, ':') ? "," : ":", len, sweep, (long long)s.value[k]);
	return list;
}

void sweep_apply(ek_operation operation, struct bench_options *o)
{
	const char *equals = o->sweep ? strchr(o->sweep, '=') : NULL, *list = "";
	char method[TOOL_METHOD] = "", format[TOOL_FORMAT] = "";

	if (!o->sweep)
		return;
	if (!equals || equals == o->sweep || !equals[1])
		tool_usage("--sweep %s: KEY=VALUES is expected, such as w=4,8,16", o->sweep);
	const ek_method *m = method_of(operation, o, method);
	const ek_format *f = format_of(o, m, format);

	if (!m && !(f && !o->common.method))
		tool_usage("--sweep %s: one method is expected, by --method NAME, or one format, "
		           "by --format NAME",
		           o->sweep);
	if (has(method_param, m, o->sweep, &list))
		o->common.method = with_values(method, o->sweep);
	else if (has(format_param, f, o->sweep, &list))
		o->common.format = with_values(format, o->sweep);
	else
		tool_usage("--sweep %s: %s%s%s has the parameters%s", o->sweep, method,
		           m && f ? " on " : "", f ? format : "", *list ? list : " - none");
}
