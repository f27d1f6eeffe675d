/* SPDX-License-Identifier: BSD-3-Clause
 * Messages about wrong usage. Those of argp take two lines and do not say what would be accepted.
 * So the tool switches them off, and writes a message of its own about the word at which parsing
 * stopped. */
#include <string.h>

#include "ek.h"

/* Finds the row of a long option in a parser and its children. `name`, of `len` bytes, is the name
 * of the option or its beginning. */
static const struct argp_option *long_option(const struct argp *argp, const char *name, size_t len)
{
	const struct argp_option *found = NULL;

	for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
		if (o->name && strncmp(o->name, name, len) == 0) {
			found = o;
			if (strlen(o->name) == len)
				return o;
		}
	for (const struct argp_child *c = argp->children; c && c->argp && !found; c++)
		found = long_option(c->argp, name, len);
	return found;
}

static int long_names(const struct argp *argp, const char **names, int count, int most)
{
	for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
		if (o->name && count < most)
			names[count++] = o->name;
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		count = long_names(c->argp, names, count, most);
	return count;
}

static _Noreturn void wrong_long(const struct argp *argp, const char *word)
{
	const char *names[64], *near;
	size_t len = strcspn(word + 2, "=");
	const struct argp_option *o = long_option(argp, word + 2, len);
	char name[64];

	if (o && strlen(o->name) != len) {
		char list[256] = "";
		size_t used = 0;
		int count = long_names(argp, names, 0, 64), found = 0;

		for (int k = 0; k < count && used < sizeof list; k++)
			if (strncmp(names[k], word + 2, len) == 0)
				used += (size_t)snprintf(list + used, sizeof list - used, "%s--%s",
				                         found++ ? ", " : "", names[k]);
		if (found > 1)
			tool_usage("%s is short for more than one option: %s", word, list);
	}
	if (o && o->arg)
		tool_usage("%s needs a value: --%s=%s", word, o->name, o->arg);
	if (o)
		tool_usage("%s: --%s takes no value", word, o->name);
	snprintf(name, sizeof name, "%.*s", (int)len, word + 2);
	near = tool_nearest(name, names, long_names(argp, names, 0, 64));
	if (near)
		tool_usage("unknown option --%s; did you mean --%s? %s --help lists the options",
		           name, near, tool_name);
	tool_usage("unknown option --%s; %s --help lists the options", name, tool_name);
}

_Noreturn void tool_wrong_usage(const struct argp_state *state)
{
	for (int k = state->next < state->argc ? state->next : state->argc - 1;
	     k >= 1 && k >= state->next - 1; k--) {
		const char *word = state->argv[k];

		if (word[0] != '-' || !word[1])
			continue;
		/* getopt stops inside a word of short options, but after the word of a long
		 * option. */
		if (word[1] == '-' && k != state->next - 1)
			continue;
		if (word[1] == '-')
			wrong_long(state->root_argp, word);
		tool_usage("%s is not an option, or needs a value; %s --help lists the options",
		           word, tool_name);
	}
	tool_usage("wrong arguments; %s --help lists what is accepted", tool_name);
}
