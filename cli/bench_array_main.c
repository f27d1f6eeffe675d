/* SPDX-License-Identifier: BSD-3-Clause
 * The course of a benchmark on arrays: options, peers, the cases of the operation, results. */
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

typedef const ek_array_peer *const *list_fn(void);

static bool add_peers(void *user, void *list)
{
	struct array_bench *bench = user;
	const ek_array_peer *const *peer;
	list_fn *fn = NULL;

	*(void **)(void *)&fn = list;
	peer = fn();
	if (!peer)
		return false;
	for (; *peer && bench->peers < PEERS_MAX; peer++)
		if ((*peer)->abi == EK_ARRAY_PEER_ABI)
			bench->peer[bench->peers++] = *peer;
	return true;
}

bool array_fits(const struct array_job *job, double bytes)
{
	char needed[32], have[32];
	double free = tool_memory_free();

	if (free < 0 || bytes < free)
		return true;
	fprintf(stderr, "%s: left out: %s needs %s, and %s are free\n", tool_name, job->line,
	        tool_bytes(needed, bytes), tool_bytes(have, free));
	return false;
}

static int results(const struct array_bench *bench)
{
	const struct array_options *o = &bench->options;
	FILE *out = tool_people(&o->common);
	int code = tool_json_close(&o->common);

	if (!bench->count)
		return code;
	if (bench->operation->keys && bench->count == 1)
		array_table_case(bench, &bench->cases[0], out);
	if (bench->count > 1)
		array_table_grid(bench, out);
	if (o->counts)
		array_table_counts(bench, out);
	array_table_warning(bench, out);
	if (o->html) {
		int page = array_html(bench, o->html);

		code = code ? code : page;
		if (!page)
			tool_remark(&o->common, "the page is %s", o->html);
	}
	return code;
}

/* Every type, size of values, n and length that the options list. An operation that has no use for
 * a list leaves it empty. Only a wrong result lets the next case follow. */
static int cases(struct array_bench *bench, struct array_job *job)
{
	const struct array_options *o = job->options;
	const struct array_list *list[] = {&o->length, &o->n, &o->value_size, &o->type};
	int count = 1, code = TOOL_OK;

	for (int l = 0; l < 4; l++)
		count *= list[l]->count ? list[l]->count : 1;
	for (int k = 0; k < count && (!code || code == TOOL_FAILED); k++) {
		int64_t value[4] = {0};

		for (int l = 0, rest = k; l < 4; l++)
			if (list[l]->count) {
				value[l] = list[l]->value[rest % list[l]->count];
				rest /= list[l]->count;
			}
		job->length = value[0];
		job->n = value[1];
		job->value_size = (size_t)value[2];
		job->type = (ek_value)value[3];
		int this = job->operation->one(bench, job);

		code = this ? this : code;
	}
	return code;
}

int bench_array(const struct array_operation *operation, int argc, char **argv)
{
	struct array_bench bench = {.operation = operation};
	struct array_job job = {.operation = operation, .options = &bench.options};
	int code = TOOL_OK, shown;

	array_parse(operation, argc, argv, &bench.options);
	report_start(&bench.report, operation->name);
	bench.ctx = tool_context(&bench.options.common, &code);
	if (code)
		return code;
	if (bench.options.peers)
		modules_load("array_", "ek_array_peer_list", bench.options.peer_folder,
		             bench.options.common.quiet, add_peers, &bench);
	job.ctx = bench.ctx;
	job.threads = ek_context_threads(bench.ctx);
	code = cases(&bench, &job);
	shown = results(&bench);
	for (int k = 0; k < bench.count; k++)
		free(bench.cases[k].record);
	free(bench.cases);
	ek_context_destroy(bench.ctx);
	return code ? code : shown;
}
