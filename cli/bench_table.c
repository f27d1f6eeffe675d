/* SPDX-License-Identifier: BSD-3-Clause
 * What people see: a block for each matrix with a line for each method, or one line for each
 * matrix, and at the end what all matrices say together. */
#include <math.h>
#include <string.h>

#include "bench.h"

#define OURS  (1u << RECORD_OURS | 1u << RECORD_AUTO)
#define PEERS (1u << RECORD_PEER)

void table_cell(struct tool_table *t, const char *format, double value)
{
	char text[40];

	if (isnan(value)) {
		tool_table_add(t, "-");
		return;
	}
	snprintf(text, sizeof text, format, value);
	tool_table_add(t, "%s", text);
}

void table_ms(struct tool_table *t, double ms)
{
	table_cell(t, ms < 0.1 ? "%.3g" : ms < 10 ? "%.3f" : "%.1f", ms);
}

void table_head(struct tool_table *t, const char *const *names)
{
	for (; *names; names++)
		tool_table_add(t, "%s", *names);
}

void table_reason(const char *name, bool failed, const char *why, FILE *out)
{
	if (*why)
		tool_paragraph(out, "%s %s: %s", name, failed ? "FAILED" : "refused", why);
}

/* ---- Legend ---------------------------------------------------------------------------------- */

static const struct table_legend legend[] = {
	{1, "method", "behind -> the one that auto, or a format, chose"},
	{1, "ms", "median time of one product"},
	{1, "GB/s", "bytes of the CSR arrays, x and y over that time, whatever the format"},
	{1, "bound",
         "bandwidth at which the same threads read as many bytes, or the device copies; c: in "
         "cache"},
	{1, "of bound",
         "GB/s over the bandwidth at which the same threads read as many bytes, or the device "
         "copies (-: less than 1 MB)"},
	{1, "vs CSR",
         "speed over spmv.csr.rows (on a device spmv.csr.vector.gpu): like all ratios the median "
         "over the rounds"},
	{1, "vs peer", "speed over the fastest other library"},
	{1, "error", "over its proven bound, must stay below 1"},
	{1, "prepare ms",
         "time from CSR arrays to a plan, once; on a device they lie there, and its compiler is "
         "left out"},
	{1, "calls", "the same in products of plain CSR"},
	{1, "k-best ms", "mean of the 5 shortest times, run by itself (--k-best)"},
	{1, "last column",
         "* fastest of ours; for small matrices nanoseconds over a loop on one thread, in place "
         "and without a call of the library; refused or FAILED"},
	{1, "disturbed", "share of the batches that other processes got into"},
};
enum { LEGENDS = sizeof legend / sizeof legend[0] };

char *bench_legend_text(void)
{
	return table_legend_text(legend, LEGENDS, 1);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static const char *kind_text(const char *kind)
{
	return strcmp(kind, "twin") == 0   ? "generated twin"
	       : strcmp(kind, "real") == 0 ? "the real matrix"
	                                   : kind;
}

static void leave_out(const char **names, const char *name)
{
	while (strcmp(*names, name) != 0)
		names++;
	for (; *names; names++)
		names[0] = names[1];
}

const char *case_place(const struct bench_case *c, char place[CASE_PLACE])
{
	if (c->device)
		snprintf(place, CASE_PLACE, "%s (%s), vectors on the %s", c->device->name,
		         c->device->text, c->vectors);
	else
		snprintf(place, CASE_PLACE, "%d thread%s", c->threads, c->threads == 1 ? "" : "s");
	return place;
}

void table_case(const struct bench_case *c, FILE *out)
{
	static const char *const align[] = {"lrrrrrrrl", "lrrrrrrrrl", "lrrrrrrrrrl"};
	bool peers = case_has_peers(c), kbest = c->count && !isnan(c->record[0].ms_kbest);
	const char *names[] = {"method", "ms",         "GB/s",  "of bound",  "vs CSR", "vs peer",
	                       "error",  "prepare ms", "calls", "k-best ms", "",       NULL};
	const struct record *best = case_best(c, OURS);
	char rows[32], cols[32], nnz[32], disturbed[DISTURBED_TEXT], place[CASE_PLACE];
	struct tool_table t;
	bool bold = tool_color(out);

	tool_paragraph(out, "%s%s%s (%s)  %s x %s, %s nonzeros, rows of %.1f +- %.1f, longest %lld",
	               bold ? "\033[1m" : "", c->matrix, bold ? "\033[0m" : "", kind_text(c->kind),
	               tool_count(rows, c->rows), tool_count(cols, c->cols),
	               tool_count(nnz, c->nnz), c->row_mean, c->row_stddev, (long long)c->row_max);
	disturbed_text(disturbed, c->disturbed);
	tool_paragraph(out, "%s, index %s, op %s, %s, %d round%s; %s %.1f GB/s%s%s%s", c->value,
	               c->index, c->op, case_place(c, place), c->rounds, c->rounds == 1 ? "" : "s",
	               c->device ? "copies" : "reads", c->bound_gbps,
	               c->in_cache ? " (in cache)" : "", *disturbed ? "; " : "", disturbed);
	if (!kbest)
		leave_out(names, "k-best ms");
	if (!peers)
		leave_out(names, "vs peer");
	tool_table_start(&t, align[kbest + peers]);
	table_head(&t, names);
	for (int k = 0; k < c->count; k++) {
		const struct record *r = &c->record[k];

		tool_table_add(&t, "%s%s%s", r->method, *r->chosen ? "->" : "",
		               r->chosen + (strncmp(r->chosen, "spmv.", 5) ? 0 : 5));
		table_ms(&t, r->ms);
		table_cell(&t, "%.1f", r->csr_gbps);
		table_cell(&t, "%.3f", r->of_bound);
		table_cell(&t, "%.3f", r->vs_csr);
		if (peers)
			table_cell(&t, "%.3f", r->vs_best_peer);
		table_cell(&t, "%.3f", r->error);
		table_ms(&t, r->prepare_ms);
		table_cell(&t, "%.1f", r->prepare_calls);
		if (kbest)
			table_ms(&t, r->ms_kbest);
		if (r->failed || r->refused)
			tool_table_add(&t, "%s", r->failed ? "FAILED" : "refused");
		else if (!isnan(r->overhead_ns))
			tool_table_add(&t, "%s%+.0f ns", r == best ? "* " : "", r->overhead_ns);
		else
			tool_table_add(&t, "%s", r == best ? "*" : "");
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
	for (int k = 0; k < c->count; k++)
		table_reason(c->record[k].method, c->record[k].failed, c->record[k].why, out);
	table_legend_once(legend, LEGENDS, 1, names, out);
	fputc('\n', out);
	fflush(out);
}

void table_lines(const struct report *report, FILE *out)
{
	const char *names[] = {"matrix", "source",    "rows",      "nonzeros", "method",
	                       "ms",     "GB/s",      "bound",     "of bound", "vs CSR",
	                       "error",  "disturbed", "k-best ms", NULL};
	const struct bench_case *first = report->cases;
	bool kbest = first->count && !isnan(first->record[0].ms_kbest);
	struct tool_table t;

	if (!kbest)
		leave_out(names, "k-best ms");
	tool_table_start(&t, kbest ? "llrrlrrrrrrrr" : "llrrlrrrrrrr");
	table_head(&t, names);
	for (int k = 0; k < report->count; k++) {
		const struct bench_case *c = &report->cases[k];

		for (int m = 0; m < c->count; m++) {
			const struct record *r = &c->record[m];
			char rows[32], nnz[32];

			tool_table_add(&t, "%s", c->matrix);
			tool_table_add(&t, "%s", c->kind);
			tool_table_add(&t, "%s", tool_count(rows, c->rows));
			tool_table_add(&t, "%s", tool_count(nnz, c->nnz));
			tool_table_add(&t, "%s", *r->chosen ? r->chosen : r->method);
			table_ms(&t, r->ms);
			table_cell(&t, "%.1f", r->csr_gbps);
			tool_table_add(&t, "%.1f%s", c->bound_gbps, c->in_cache ? "c" : "");
			table_cell(&t, "%.3f", r->of_bound);
			table_cell(&t, "%.3f", r->vs_csr);
			table_cell(&t, "%.3f", r->error);
			tool_table_add(&t, "%.0f %%", 100 * c->disturbed);
			if (kbest)
				table_ms(&t, r->ms_kbest);
		}
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
	for (int k = 0; k < report->count; k++)
		for (int m = 0; m < report->cases[k].count; m++)
			table_reason(report->cases[k].record[m].method,
			             report->cases[k].record[m].failed,
			             report->cases[k].record[m].why, out);
	table_legend_once(legend, LEGENDS, 1, names, out);
}

/* ---- Summary --------------------------------------------------------------------------------- */

/* What the cases say about one method. */
struct sum {
	int cases, peers, wins;
	double log_csr, log_peer, worst, error;
	const char *worst_matrix;
};

static void add(struct sum *s, const struct bench_case *c, const struct record *r)
{
	const struct record *best = case_best(c, r->kind == RECORD_PEER ? PEERS : OURS);

	s->error = fmax(s->error, r->error);
	if (isnan(r->vs_csr))
		return;
	s->cases++;
	s->log_csr += log(r->vs_csr);
	s->wins += r == best;
	if (!isnan(r->vs_best_peer)) {
		s->peers++;
		s->log_peer += log(r->vs_best_peer);
	}
	double against = isnan(r->vs_best_peer) ? r->vs_csr : r->vs_best_peer;

	if (!s->worst_matrix || against < s->worst) {
		s->worst = against;
		s->worst_matrix = c->matrix;
	}
}

static bool seen(const struct report *report, int k, int m)
{
	for (int j = 0; j < k; j++)
		for (int n = 0; n < report->cases[j].count; n++)
			if (strcmp(report->cases[j].record[n].method,
			           report->cases[k].record[m].method) == 0)
				return true;
	return false;
}

static void line(struct tool_table *t, const struct report *report, const char *method)
{
	struct sum s = {0};

	for (int k = 0; k < report->count; k++)
		for (int m = 0; m < report->cases[k].count; m++)
			if (strcmp(report->cases[k].record[m].method, method) == 0)
				add(&s, &report->cases[k], &report->cases[k].record[m]);
	tool_table_add(t, "%s", method);
	tool_table_add(t, "%d", s.cases);
	table_cell(t, "%.3f", s.cases ? exp(s.log_csr / s.cases) : NAN);
	if (report_has_peers(report))
		table_cell(t, "%.3f", s.peers ? exp(s.log_peer / s.peers) : NAN);
	table_cell(t, "%.3f", s.cases ? s.worst : NAN);
	tool_table_add(t, "%s", s.worst_matrix ? s.worst_matrix : "-");
	tool_table_add(t, "%d", s.wins);
	table_cell(t, "%.3f", s.error);
}

void table_summary(const struct report *report, FILE *out)
{
	static const char *const with_peers[] = {"method", "matrices", "vs CSR", "vs peer", "worst",
	                                         "on",     "wins",     "error",  NULL};
	static const char *const alone[] = {"method", "matrices", "vs CSR", "worst",
	                                    "on",     "wins",     "error",  NULL};
	bool peers = report_has_peers(report);
	struct tool_table t;

	fprintf(out,
	        "All matrices: geometric means over %s%s, worst case, wins among ours%s, largest "
	        "error / bound\n",
	        unit_method(report->device.size > 0), peers ? " and over the best peer" : "",
	        peers ? " (peers: among peers)" : "");
	tool_table_start(&t, peers ? "lrrrrlrr" : "lrrrlrr");
	table_head(&t, peers ? with_peers : alone);
	for (int k = 0; k < report->count; k++)
		for (int m = 0; m < report->cases[k].count; m++)
			if (!seen(report, k, m))
				line(&t, report, report->cases[k].record[m].method);
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
}

void table_warning(const struct report *report, FILE *out)
{
	disturbed_warn(report_disturbed(report), report->count, "matrices", out);
}
