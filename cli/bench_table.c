/* SPDX-License-Identifier: BSD-3-Clause
 * What people see: a block for each matrix with a line for each method, or one line for each
 * matrix, and at the end what all matrices say together. */
#include <math.h>
#include <string.h>

#include "bench.h"

#define OURS  (1u << RECORD_OURS | 1u << RECORD_AUTO)
#define PEERS (1u << RECORD_PEER)

/* A number that may be missing. */
static void cell(struct tool_table *t, const char *format, double value)
{
	char text[40];

	if (isnan(value)) {
		tool_table_add(t, "-");
		return;
	}
	snprintf(text, sizeof text, format, value);
	tool_table_add(t, "%s", text);
}

/* Milliseconds, from a fraction of a microsecond to minutes. */
static void cell_ms(struct tool_table *t, double ms)
{
	cell(t, ms < 0.1 ? "%.3g" : ms < 10 ? "%.3f" : "%.1f", ms);
}

static void head(struct tool_table *t, const char *const *names)
{
	for (; *names; names++)
		tool_table_add(t, "%s", *names);
}

static const char *kind_text(const char *kind)
{
	return strcmp(kind, "twin") == 0   ? "generated twin"
	       : strcmp(kind, "real") == 0 ? "the real matrix"
	                                   : kind;
}

void table_case(const struct bench_case *c, FILE *out)
{
	static const char *const names[] = {"method", "ms",      "GB/s",  "of bound",
	                                    "vs CSR", "vs peer", "error", "prepare",
	                                    "calls",  "",        NULL};
	const struct record *best = case_best(c, OURS);
	char rows[32], cols[32], nnz[32];
	struct tool_table t;
	bool bold = tool_color(out);

	fprintf(out, "%s%s%s (%s)  %s x %s, %s nonzeros, rows of %.1f +- %.1f, longest %lld\n",
	        bold ? "\033[1m" : "", c->matrix, bold ? "\033[0m" : "", kind_text(c->kind),
	        tool_count(rows, c->rows), tool_count(cols, c->cols), tool_count(nnz, c->nnz),
	        c->row_mean, c->row_stddev, (long long)c->row_max);
	fprintf(out, "%s, index %s, op %s, %d thread%s, %d rounds; reads %.1f GB/s%s", c->value,
	        c->index, c->op, c->threads, c->threads == 1 ? "" : "s", c->rounds, c->bound_gbps,
	        c->in_cache ? " (in cache)" : "");
	if (c->disturbed > 0.1)
		fprintf(out, "; %.0f %% disturbed by other processes", 100 * c->disturbed);
	fputc('\n', out);
	tool_table_start(&t, "lrrrrrrrrl");
	head(&t, names);
	for (int k = 0; k < c->count; k++) {
		const struct record *r = &c->record[k];

		tool_table_add(&t, "%s", r->method);
		cell_ms(&t, r->ms);
		cell(&t, "%.1f", r->csr_gbps);
		cell(&t, "%.3f", r->of_bound);
		cell(&t, "%.3f", r->vs_csr);
		cell(&t, "%.3f", r->vs_best_peer);
		cell(&t, "%.3f", r->error);
		cell_ms(&t, r->prepare_ms);
		cell(&t, "%.1f", r->prepare_calls);
		if (r->failed)
			tool_table_add(&t, "FAILED: %s", r->why);
		else if (!isnan(r->overhead_ns))
			tool_table_add(&t, "%s%+.0f ns%s%s", r == best ? "* " : "", r->overhead_ns,
			               *r->chosen ? " " : "", r->chosen);
		else
			tool_table_add(&t, "%s%s", r == best ? "* " : "", r->chosen);
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
	fputc('\n', out);
	fflush(out);
}

void table_lines(const struct report *report, FILE *out)
{
	static const char *const names[] = {"matrix", "source",    "rows",  "nonzeros", "method",
	                                    "ms",     "GB/s",      "reads", "of bound", "vs CSR",
	                                    "error",  "disturbed", NULL};
	struct tool_table t;

	tool_table_start(&t, "llrrlrrrrrrr");
	head(&t, names);
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
			cell_ms(&t, r->ms);
			cell(&t, "%.1f", r->csr_gbps);
			tool_table_add(&t, "%.1f%s", c->bound_gbps, c->in_cache ? "c" : "");
			cell(&t, "%.3f", r->of_bound);
			cell(&t, "%.3f", r->vs_csr);
			cell(&t, "%.3f", r->error);
			tool_table_add(&t, "%.0f %%", 100 * c->disturbed);
		}
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
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
	cell(t, "%.3f", s.cases ? exp(s.log_csr / s.cases) : NAN);
	cell(t, "%.3f", s.peers ? exp(s.log_peer / s.peers) : NAN);
	cell(t, "%.3f", s.cases ? s.worst : NAN);
	tool_table_add(t, "%s", s.worst_matrix ? s.worst_matrix : "-");
	tool_table_add(t, "%d", s.wins);
	cell(t, "%.3f", s.error);
}

void table_summary(const struct report *report, FILE *out)
{
	static const char *const names[] = {"method", "matrices", "vs CSR", "vs peer", "worst",
	                                    "on",     "wins",     "error",  NULL};
	struct tool_table t;

	fprintf(out, "All matrices: geometric means over plain CSR and over the best peer, worst "
	             "case, wins among ours (peers: among peers), largest error / bound\n");
	tool_table_start(&t, "lrrrrlrr");
	head(&t, names);
	for (int k = 0; k < report->count; k++)
		for (int m = 0; m < report->cases[k].count; m++)
			if (!seen(report, k, m))
				line(&t, report, report->cases[k].record[m].method);
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
}
