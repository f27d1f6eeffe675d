/* SPDX-License-Identifier: BSD-3-Clause
 * Records of benchmarks on arrays as JSON lines. The fields are those of products (bench_record.c)
 * where they make sense. */
#include <math.h>

#include "bench_array.h"

/* 0 stands for: there is none. */
static void count_or_null(json_t *o, const char *key, int64_t value)
{
	json_object_set_new(o, key, value ? json_integer(value) : json_null());
}

static void what_was_run(json_t *o, const struct array_bench *bench, const struct array_case *c,
                         const struct array_record *r)
{
	bool ours = r->kind == ARRAY_OURS;

	record_text(o, "op", bench->operation->name);
	record_text(o, "method", r->method);
	record_text(o, "device", "cpu");
	record_text(o, "isa", ours ? ek_isa_name(ek_context_isa(bench->ctx)) : NULL);
	record_text(o, "version", r->version);
	record_text(o, "variant", *c->variant ? c->variant : NULL);
	record_integer(o, "n", c->n);
	record_text(o, "value", ek_value_name(c->type));
	record_integer(o, "value_size", (int64_t)c->value_size);
	count_or_null(o, "length", c->length);
	count_or_null(o, "batch", c->batch);
	count_or_null(o, "k", c->k);
	count_or_null(o, "arity", r->arity);
	count_or_null(o, "block", ours ? bench->options.block : 0);
	record_integer(o, "threads", c->threads);
}

static void what_came_out(json_t *o, const struct array_case *c, const struct array_record *r)
{
	record_integer(o, "runs", r->runs);
	record_integer(o, "rounds", c->rounds);
	record_number(o, "disturbed", c->disturbed);
	record_number(o, "ms", r->ms);
	record_number(o, "ms_min", r->ms_min);
	record_number(o, "ms_p10", r->ms_p10);
	record_number(o, "ms_p90", r->ms_p90);
	if (!isnan(r->ms_kbest))
		record_number(o, "ms_kbest", r->ms_kbest);
	record_integer(o, "bytes", (int64_t)c->bytes);
	record_number(o, "gbps", r->gbps);
	record_number(o, "mkeys", r->mkeys);
	record_text(o, "bound", *c->bound ? c->bound : NULL);
	record_number(o, "bound_gbps", c->bound_gbps);
	record_number(o, "of_bound", r->of_bound);
	record_number(o, "vs_serial", r->vs_serial);
	record_number(o, "vs_best_peer", r->vs_peer);
	record_number(o, "error", r->error);
	if (r->failed) {
		json_object_set_new(o, "failed", json_true());
		record_text(o, "why", r->why);
	}
}

/* What heaps did, for each list. */
static void what_heaps_did(json_t *o, const struct array_case *c, const struct array_record *r)
{
	double lists = c->batch ? (double)c->batch : 1;

	record_number(o, "update_key", (double)r->counts.update_key / lists);
	record_number(o, "find_maxchild", (double)r->counts.find_maxchild / lists);
	record_number(o, "compare", (double)r->counts.compare / lists);
	record_number(o, "swap", (double)r->counts.swap / lists);
}

int array_json(const struct array_bench *bench, const struct array_case *c)
{
	int code = TOOL_OK;

	for (int k = 0; k < c->count && !code; k++) {
		json_t *o = json_object();

		what_was_run(o, bench, c, &c->record[k]);
		what_came_out(o, c, &c->record[k]);
		if (c->record[k].arity)
			what_heaps_did(o, c, &c->record[k]);
		record_text(o, "commit", report_commit());
		record_text(o, "machine", bench->report.machine);
		record_text(o, "date", bench->report.date);
		code = tool_json(&bench->options.common, o);
	}
	return code;
}
