/* SPDX-License-Identifier: BSD-3-Clause
 * The output of benchmarks on arrays: one case gives a table with a line for each method, several
 * give a table with a line for each case and a column for each method; then the counts of heap
 * operations. The page has a card for each combination of type, size of values and variant, with a
 * chart of the rates against the size and a table of the same figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

const char array_fields[] =
	"op method method_parameters device isa version variant n value value_size length batch k "
	"arity block "
	"threads runs rounds disturbed ms ms_min ms_p10 ms_p90 ms_kbest ms_kbest_rounds "
	"bytes misses_per_line reused_lines counters_refused gbps mkeys bound bound_gbps of_bound "
	"vs_serial vs_best_peer error "
	"update_key find_maxchild "
	"compare swap update_key_after_heapify find_maxchild_after_heapify compare_after_heapify "
	"swap_after_heapify compare_ms heapify_ms t_cc_ms t_cq_ms t_gc_ms n_u n_f n_c n_s levels "
	"transactions dheap_transactions vs_scheduling device_name driver device_memory commit "
	"machine state date";

const struct column array_columns[] = {
	{"case", COUNTS | LEFT, VALUES, "case", NULL, NULL},
	{"method", BLOCK | COUNTS | LEFT, VALUES, "name", NULL, NULL},
	{"ms", BLOCK, V_MS, NULL, NULL, "median time of one call"},
	INTERVAL_COLUMN(BLOCK),
	{"k-best ms", BLOCK | KBEST, V_MS_KBEST, NULL, NULL,
         "mean of the 5 shortest times, run by itself (--k-best)"},
	{"10^6/s", BLOCK | KEYS, V_MKEYS, "%.1f", NULL, "millions of keys a second"},
	{"GB/s", BLOCK, V_GBPS, "%.1f", NULL, ""},
	{"misses", BLOCK | SOME, V_MISSES, "%.3f", NULL,
         "misses of the last-level cache, of one call, for each 64 of these bytes (--misses)"},
	{"reused", BLOCK | SOME, V_REUSED, "%.3f", NULL,
         "share of the cache lines of the last step that are still in a cache, R of Zhang 2012 "
         "(--misses --in-place)"},
	{"of bound", BLOCK | COPIES, V_OF_BOUND, "%.3f", NULL,
         "speed divided by that of the faster of two copies of the same arrays by the same "
         "threads, memcpy and "
         "stores past the caches, or of a copy on the device (-: less than 1 MB)"},
	{"of bound", BLOCK | READS, V_OF_BOUND, "%.3f", NULL,
         "GB/s divided by the bandwidth at which the same threads read as many bytes, or the "
         "device "
         "copies them (-: less than 1 MB)"},
	{"vs serial", BLOCK, V_VS_SERIAL, "%.3f", NULL,
         "speed divided by that of the plain method with one thread"},
	{"vs peer", BLOCK | PEERS, V_VS_PEER, "%.3f", NULL,
         "speed divided by that of the fastest other library (--peers)"},
	{"error", BLOCK | NUMBERS, V_ERROR, "%.3f", NULL,
         "largest error divided by its proven bound; at most 1 is accepted (integers: exact)"},
	PARAMETERS_COLUMN(BLOCK),
	{"update-key", COUNTS, V_UPDATE_KEY, "%.1f", NULL, NULL},
	{"find-maxchild", COUNTS, V_FIND_MAXCHILD, "%.1f", NULL, NULL},
	{"compare", COUNTS, V_COMPARE, "%.1f", NULL, NULL},
	{"swap", COUNTS, V_SWAP, "%.1f", NULL, NULL},
	{"N_u", COUNTS, V_UPDATE_KEY_AFTER, "%.1f", NULL, NULL},
	{"N_f", COUNTS, V_FIND_MAXCHILD_AFTER, "%.1f", NULL, NULL},
	{"N_c", COUNTS, V_COMPARE_AFTER, "%.1f", NULL, NULL},
	{"N_s", COUNTS, V_SWAP_AFTER, "%.1f", NULL, NULL},
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* marks the fastest of ours"},
	{.head = NULL}};

const char *array_op_text(const struct job *job)
{
	return option_ops[job->o->op - EK_SUM].name;
}

void check_op(struct bench_options *o)
{
	for (int k = 0; k < o->type.count && o->op == EK_OR; k++)
		if (array_is_float((ek_value)o->type.value[k]))
			tool_usage("--op or is for integers: --type i32,i64 is expected");
}

const char *array_title(const struct bench *b, const struct bench_case *c)
{
	return keep("%s%s%s  %s %s, %s, %s", keep("%s %s", b->op->name, c->name),
	            c->variant ? "  " : "", c->variant ? c->variant : "", text_count(c->v[V_N]),
	            b->op->traits & KEYS ? "keys" : "numbers", text_many(c->v[V_THREADS], "thread"),
	            text_many(c->v[V_ROUNDS], "round"));
}

/* Returns the rate of a record in the unit that the operation shows; NAN if `r` is NULL. */
static double rate_of(const struct bench *b, const struct record *r)
{
	return !r ? NAN : r->v[b->op->traits & KEYS ? V_MKEYS : V_GBPS];
}

/* ---- All cases ------------------------------------------------------------------------------- */

static void grid(const struct bench *b, FILE *out)
{
	const struct bench_case *sums = &b->sums[ALL_GROUPS];
	const int count = sums->count;
	char *align = need(calloc((size_t)count + 2, 1), "a table");
	struct tool_table t;

	memset(align, 'r', (size_t)count + 1);
	align[0] = 'l';
	fprintf(out, "%s of all cases, * the fastest of ours\n",
	        b->op->traits & KEYS ? "Millions of keys a second" : "GB/s");
	tool_table_start(&t, align);
	tool_table_add(&t, "%s", b->op->name);
	for (int m = 0; m < count; m++)
		tool_table_add(&t, "%s", sums->record[m].name);
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		tool_table_add(&t, "%s%s", c->name,
		               disturbed_much(c->v[V_DISTURBED]) ? " (disturbed)" : "");
		for (int m = 0; m < count; m++) {
			const struct record *r = case_record(c, sums->record[m].name);

			tool_table_add(
				&t, "%s",
				number_text(r && r == case_best(c, KINDS_OURS) ? "*%.1f" : "%.1f",
			                    rate_of(b, r)));
		}
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
	free(align);
}

void array_each(const struct bench *b, const struct bench_case *c, FILE *out)
{
	if (!(b->op->traits & KEYS))
		table_case(b, c, out);
}

void array_counts(const struct bench *b, FILE *out)
{
	if (!b->o.counts)
		return;
	fputs("What heaps did, for each list; N_u to N_s are the same without heapify\n", out);
	table_print(b, b->cases, b->count, COUNTS, out);
}

void array_end(const struct bench *b, FILE *out)
{
	if (b->op->traits & KEYS && b->count == 1)
		table_case(b, &b->cases[0], out);
	if (b->count > 1)
		grid(b, out);
	array_counts(b, out);
}
