/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmv|merge --sweep PARAMETER=VALUES: replaces the method of --method by a list that has
 * it with each value of the parameter, so that each is measured as a separate method. */
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
	if (first < (kind == '*') || by < 1 + (kind == '*') || last > INT64_C(1) << 40)
		tool_usage("--sweep %s: a number, FIRST..LAST, FIRST..LAST+STEP or "
		           "FIRST..LAST*FACTOR is expected",
		           text);
	if (last < first)
		tool_usage("--sweep %s: the range ends before it begins", text);
	for (int64_t v = first; v <= last; v = kind == '*' ? v * by : v + by)
		add(s, v);
}

/* ---- The method ------------------------------------------------------------------------------ */

static void check_parameter(const ek_method *m, const char *name, size_t len)
{
	const ek_format_param *p;
	const char *list = "";

	for (int k = 0; (p = ek_method_get_param(m, k)); k++) {
		if (strlen(p->name) == len && strncmp(p->name, name, len) == 0)
			return;
		list = keep("%s %s", list, p->name);
	}
	tool_usage("--sweep %s: %s has the parameters%s", name, ek_method_name(m),
	           *list ? list : " - none");
}

void sweep_apply(ek_operation operation, struct bench_options *o)
{
	const char *list = o->common.method, *equals = o->sweep ? strchr(o->sweep, '=') : NULL;
	char method[TOOL_METHOD], rest[TOOL_METHOD];
	struct list s = {.count = 0};

	if (!o->sweep)
		return;
	if (!equals || equals == o->sweep || !equals[1])
		tool_usage("--sweep %s: KEY=VALUES is expected, such as w=4,8,16", o->sweep);
	if (!list || strcmp(list, "all") == 0 || strcmp(list, "auto") == 0 ||
	    !tool_method_next_of(operation, &list, method) || !tool_method_find(method) ||
	    tool_method_next_of(operation, &list, rest))
		tool_usage("--sweep %s: one method is expected, by --method NAME", o->sweep);
	check_parameter(tool_method_find(method), o->sweep, (size_t)(equals - o->sweep));
	for (const char *at = equals + 1; *at; at += strspn(at, ",")) {
		const int len = (int)strcspn(at, ",");

		add_item(&s, keep("%.*s", len, at));
		at += len;
	}
	list = "";
	for (int k = 0; k < s.count; k++)
		list = keep("%s%s%s%s%.*s=%lld", list, k ? "," : "", method,
		            strchr(method, ':') ? "," : ":", (int)(equals - o->sweep), o->sweep,
		            (long long)s.value[k]);
	o->common.method = list;
}
