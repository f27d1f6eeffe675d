/* SPDX-License-Identifier: BSD-3-Clause
 * Warns at the top of the page of ek reproduce if other processes disturbed most of the records
 * behind some figures: charts of such records look like any other. The warning has the command that
 * measures them again. */
#include <string.h>

#include "reproduce.h"

/* Adds the number of records, and of those that were disturbed, to count and *all. */
static void count_records(const json_t *records, int *count, int *all)
{
	json_t *record;
	size_t n;

	json_array_foreach(records, n, record) {
		*count += value_is_disturbed(record, "ms");
		++*all;
	}
}

/* Tells whether most records of an experiment were disturbed. */
static bool is_mostly_disturbed(const struct experiment *e, const struct store *store)
{
	int count = 0, all = 0;

	for (int k = 0; k < e->steps; k++)
		count_records(json_object_get(store->records, e->step[k].command), &count, &all);
	return 2 * count > all;
}

/* Returns the options with which the steps of the page were made. */
static const char *options_of(const struct wanted *w)
{
	static const char *const modes[MODES] = {"", " --quick", " --toy"};
	const struct tool_options *o = &w->common;
	const char *text = keep("%s -o %s", modes[w->mode], word_quoted(w->folder));

	text = w->works ? keep("%s --works %s", text, word_quoted(w->works)) : text;
	text = w->device ? keep("%s --device %s", text, w->device) : text;
	text = o->memory_given
	               ? keep("%s --device-memory %s", text, tool_memory_name(o->device_memory))
	               : text;
	text = o->threads ? keep("%s --threads %d", text, o->threads) : text;
	text = w->isa ? keep("%s --isa %s", text, w->isa) : text;
	return w->bind ? keep("%s --bind", text) : text;
}

void disturbed_tell(json_t *page, const struct works *works, const struct store *store,
                    const struct wanted *wanted)
{
	json_t *all = place_records(works, store), *records;
	const char *step, *names = "";
	int count = 0, of = 0;

	json_object_foreach(all, step, records)
		count_records(records, &count, &of);
	json_decref(all);
	for (const struct experiment *e = works->experiment; e < works->experiment + works->count;
	     e++)
		if (is_mostly_disturbed(e, store))
			names = keep("%s %s", names, e->name);
	if (!*names)
		return;
	json_object_set_new(
		page, "disturbed",
		text_json(keep("%d of %s were disturbed: other programs used the machine while "
	                       "they were measured, so their times are longer than they would be "
	                       "otherwise, and the figures made of them say little. Run again in a "
	                       "quiet hour with:",
	                       count, text_many((double)of, "record"))));
	json_object_set_new(
		page, "again",
		text_json(keep("ek reproduce --again=disturbed%s%s", options_of(wanted), names)));
}
