/* SPDX-License-Identifier: BSD-3-Clause
 * The page of ek reproduce: one file with the works, their tables and figures made again, what the
 * works report, and the verdicts. As on the page of ek bench, all figures are one object, from
 * which a script makes the text. The page is written after each experiment, so that a run that is
 * cut off leaves one. */
#include <stdlib.h>
#include <string.h>

#include "../bench/page_text.h"
#include "reproduce.h"

PAGE_TEXT(reproduce_script, "reproduce.js");

/* Copies the values of those of `keys`, which ends with NULL, that an object has. */
static void copy_keys(json_t *to, const json_t *from, const char *const *keys)
{
	for (; *keys; keys++)
		if (json_object_get(from, *keys))
			json_object_set(to, *keys, json_object_get(from, *keys));
}

/* Returns the steps of an experiment: commands, whether records are there, why some failed, and
 * which of their results are wrong. */
static json_t *steps_of(const struct experiment *e, const struct store *store)
{
	json_t *all = json_array();

	for (int k = 0; k < e->steps; k++) {
		const struct step *step = &e->step[k];

		json_array_append_new(
			all, json_pack("{s:o, s:b, s:b, s:b, s:O*, s:o}", "command",
		                       text_json(step->command), "there", is_there(store, step),
		                       "device", step->device, "beside", step->beside, "why",
		                       json_object_get(store->failed, step->command), "wrong",
		                       wrong_results(store, step)));
	}
	return all;
}

static json_t *experiment_object(const struct experiment *e, const struct store *store)
{
	static const char *const keys[] = {"id",   "what",   "page",      "title",
	                                   "note", "cannot", "published", NULL};
	json_t *o = json_object();

	copy_keys(o, e->json, keys);
	json_object_set_new(o, "name", text_json(e->name));
	json_object_set_new(o, "steps", steps_of(e, store));
	json_object_set_new(o, "charts", charts_make(e, store));
	json_object_set_new(o, "claims", claims_judge(e, store));
	return o;
}

static bool has_records(const struct experiment *e, const struct store *store)
{
	for (int k = 0; k < e->steps; k++)
		if (is_there(store, &e->step[k]))
			return true;
	return false;
}

/* Returns the works with their experiments. */
static json_t *works_object(const struct works *works, const struct store *store)
{
	static const char *const keys[] = {"work",  "number", "authors",  "year",
	                                   "title", "venue",  "machines", NULL};
	json_t *all = json_array(), *last = NULL, *work = NULL;

	for (const struct experiment *e = works->experiment; e < works->experiment + works->count;
	     e++) {
		if (!json_object_get(store->asked, e->name) && !has_records(e, store))
			continue;
		if (e->work != work) {
			work = e->work;
			last = json_pack("{s:[]}", "experiments");
			copy_keys(last, work, keys);
			json_array_append_new(all, last);
		}
		json_array_append_new(json_object_get(last, "experiments"),
		                      experiment_object(e, store));
	}
	return all;
}

/* Prints the text of a member, followed by `end`, as HTML has it. */
static void put(const json_t *o, const char *key, const char *end, FILE *f)
{
	const char *text = json_string_value(json_object_get(o, key));

	for (; text && *text; text++)
		fputs(*text == '<' ? "&lt;" : *text == '&' ? "&amp;" : (char[]){*text, 0}, f);
	fputs(end, f);
}

/* Prints what browsers without scripts show: the experiments and what was found for each claim. */
static void plain(const json_t *page, FILE *f)
{
	const json_t *works = json_object_get(page, "works");
	json_t *work, *e, *claim;
	size_t w, k, n;

	fputs("<noscript><p>Charts and tables need scripts; their figures are in records.jsonl of "
	      "the "
	      "folder where ek reproduce wrote this page.</p><pre>",
	      f);
	put(page, "disturbed", "\n", f);
	put(page, "again", "\n", f);
	json_array_foreach(works, w, work)
		json_array_foreach(json_object_get(work, "experiments"), k, e) {
			put(e, "name", ": ", f);
			put(e, "title", "\n", f);
			json_array_foreach(json_object_get(e, "claims"), n, claim) {
				fputs("    ", f);
				put(claim, "text", ". ", f);
				put(claim, "source", " ", f);
				put(claim, "sentence", "\n", f);
			}
		}
	fputs("</pre></noscript>\n", f);
}

int page_write(const struct works *works, const struct store *store, const struct wanted *wanted)
{
	const char *path = keep("%s/index.html", wanted->folder);
	FILE *f = tool_open(path);

	if (!f)
		return TOOL_FAILED;
	json_t *all = json_pack("{s:[], s:b, s:s, s:s, s:s, s:o}", "cases", "device",
	                        wanted->common.device != NULL, "place",
	                        place_of(works, store), "version", ek_version(), "mode",
	                        mode_name[wanted->mode], "works", works_object(works, store));

	disturbed_tell(all, works, store, wanted);
	fprintf(f,
	        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
	        "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
	        "<title>evenkeel: the works, measured again</title>\n<style>%s</style>\n"
	        "<main></main>\n",
	        page_style);
	plain(all, f);
	fputs("<script>const page = ", f);
	json_dumpf(all, f, JSON_COMPACT | JSON_ESCAPE_SLASH | JSON_REAL_PRECISION(6));
	fprintf(f, ";\n</script>\n<script>%s%s%s%s</script>\n</html>\n", chart_script,
	        reproduce_script, key_script, sort_script);
	json_decref(all);
	return tool_close(f);
}
