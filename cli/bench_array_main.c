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
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128], needed[32], have[32];
	long long kilobytes = -1;

	while (file && kilobytes < 0 && fgets(line, sizeof line, file))
		if (strncmp(line, "MemAvailable:", 13) == 0)
			kilobytes = atoll(line + 13);
	if (file)
		fclose(file);
	if (kilobytes < 0 || bytes < 0.9 * 1024 * (double)kilobytes)
		return true;
	fprintf(stderr, "%s: left out: %s needs %s, and %s are free\n", tool_name, job->line,
	        tool_bytes(needed, bytes), tool_bytes(have, 1024 * (double)kilobytes));
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

int bench_array(const struct array_operation *operation, int argc, char **argv)
{
	struct array_bench bench = {.operation = operation};
	struct array_job job = {.options = &bench.options};
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
	code = operation->cases(&bench, &job);
	shown = results(&bench);
	for (int k = 0; k < bench.count; k++)
		free(bench.cases[k].record);
	free(bench.cases);
	ek_context_destroy(bench.ctx);
	return code ? code : shown;
}
