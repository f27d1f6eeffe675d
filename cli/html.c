/* SPDX-License-Identifier: BSD-3-Clause
 * The page of `ek bench --html`: one file that needs nothing else, with what was measured, where
 * and when, as tables and charts. */
#include <math.h>
#include <string.h>

#include "html.h"

const struct record *case_record(const struct bench_case *c, const char *method)
{
	for (int k = 0; k < c->count; k++)
		if (strcmp(c->record[k].method, method) == 0)
			return &c->record[k];
	return NULL;
}

/* A geometric mean of some matrices. */
struct mean {
	double sum;
	int count;
};

static void mean_add(struct mean *m, double ratio)
{
	if (isnan(ratio))
		return;
	m->sum += log(ratio);
	m->count++;
}

static double mean_value(struct mean m)
{
	return m.count ? exp(m.sum / m.count) : NAN;
}

/* `calm`: without the disturbed matrices. */
static struct mean mean(const struct report *report, const char *method, bool peer, bool calm)
{
	struct mean sum = {0};

	for (int k = 0; k < report->count; k++) {
		const struct record *r = case_record(&report->cases[k], method);
		double ratio = !r ? NAN : peer ? r->vs_best_peer : r->vs_csr;

		if (!calm || !disturbed_much(report->cases[k].disturbed))
			mean_add(&sum, ratio);
	}
	return sum;
}

double mean_vs_csr(const struct report *report, const char *method)
{
	return mean_value(mean(report, method, false, false));
}

double mean_vs_peer(const struct report *report, const char *method)
{
	return mean_value(mean(report, method, true, false));
}

double best_of_bound(const struct bench_case *c, unsigned kinds)
{
	double best = NAN;

	for (int k = 0; k < c->count; k++)
		if (kinds >> c->record[k].kind & 1)
			best = fmax(best, c->record[k].of_bound);
	return best;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static void tile(FILE *f, const char *format, double value, const char *what)
{
	fputs("<div class=tile><b>", f);
	if (isnan(value))
		fputs("–", f);
	else
		fprintf(f, format, value);
	fprintf(f, "</b><span>%s</span></div>\n", what);
}

/* A tile with a mean, and of how many matrices. */
static void mean_tile(FILE *f, const struct report *report, struct mean m, const char *what)
{
	const int disturbed = report_disturbed(report);
	char text[160];

	snprintf(text, sizeof text, "%s (%d of %d matri%s%s)", what, m.count, report->count,
	         report->count == 1 ? "x" : "ces", disturbed ? ", the undisturbed ones" : "");
	tile(f, "%.2f ×", mean_value(m), text);
}

/* ---- Head and summary ------------------------------------------------------------------------ */

static double worst_error(const struct report *report)
{
	double worst = NAN;

	for (int k = 0; k < report->count; k++)
		for (int m = 0; m < report->cases[k].count; m++)
			worst = fmax(worst, report->cases[k].record[m].error);
	return worst;
}

/* Our best over the bound, out of cache and undisturbed. */
static struct mean mean_of_bound(const struct report *report)
{
	struct mean sum = {0};

	for (int k = 0; k < report->count; k++) {
		const struct bench_case *c = &report->cases[k];

		if (!c->in_cache && !disturbed_much(c->disturbed))
			mean_add(&sum, best_of_bound(c, KINDS_OURS));
	}
	return sum;
}

static void warn(FILE *f, const struct report *report)
{
	int count = report_disturbed(report);
	char text[DISTURBED_TEXT];

	if (count)
		fprintf(f,
		        "<p class=warn>%s. The means above leave out what was disturbed; the "
		        "tables below have all.</p>\n",
		        disturbed_warning(text, count, report->count, "matrices"));
}

static void head(FILE *f, const struct report *report)
{
	const struct bench_case *c = &report->cases[0];
	char place[CASE_PLACE];

	html_begin(f, report->operation);
	fputs("<h1>Sparse matrix times vector, method by method</h1>\n<p class=meta>", f);
	html_text(f, report->machine);
	fputs(" · ", f);
	html_text(f, case_place(c, place));
	fprintf(f, " · %s", c->device ? c->device->driver : c->isa);
	fprintf(f, " · values %s, indices %s, op %s · %.16s UTC · evenkeel %s, commit ", c->value,
	        c->index, c->op, report->date, ek_version());
	html_text(f, report_commit());
	fputs("</p>\n<div class=tiles>\n", f);
	tile(f, "%.0f", report->count, report->count == 1 ? "matrix" : "matrices");
	tile(f, "%.1f GB/s", report->memory_gbps,
	     c->device ? "bandwidth of copies on the device" : "read bandwidth of the memory");
	mean_tile(f, report, mean_of_bound(report), "our best over the bound, beyond the caches");
	mean_tile(f, report, mean(report, "auto", false, true), "automatic choice over plain CSR");
	if (report_has_peers(report))
		mean_tile(f, report, mean(report, "auto", true, true),
		          "automatic choice over the best peer");
	tile(f, "%.3f", worst_error(report),
	     "largest error over its proven bound, must stay below 1 (all matrices)");
	fputs("</div>\n", f);
	html_left_out(f, report);
	warn(f, report);
}

static void explain(FILE *f, bool device)
{
	fprintf(f,
	        "<p>Each matrix is multiplied by all methods in turn, in rounds of under a second, "
	        "and ratios are medians over the rounds. Speed is the size of the CSR arrays, x "
	        "and y over the time of one product, so formats that move fewer bytes can pass the "
	        "<span class=bad>bound</span>: the bandwidth at which %s in the same rounds. "
	        "<i>Plain CSR</i> is %s. Preparation is given in milliseconds and in products of "
	        "plain CSR. For small matrices there is the time over that of a <i>bare loop</i>: "
	        "on one thread, in place and without a call of the library; threads can be faster, "
	        "and then it is negative.</p>\n",
	        device ? "the device copies as many bytes" : "the same threads read as many bytes",
	        device ? "<code>spmv.csr.vector.gpu</code>, and times are by the clock of the "
	                 "device"
	               : "<code>spmv.csr.rows</code>, a loop over rows on all threads");
}

static bool first_seen(const struct report *report, int k, const char *method)
{
	for (int j = 0; j < k; j++)
		if (case_record(&report->cases[j], method))
			return false;
	return true;
}

static void summary_row(FILE *f, const struct report *report, const struct record *r)
{
	double worst = NAN, error = 0;
	const char *on = "";
	int wins = 0, count = 0;

	for (int k = 0; k < report->count; k++) {
		const struct bench_case *c = &report->cases[k];
		const struct record *here = case_record(c, r->method);

		if (!here || isnan(here->vs_csr))
			continue;
		count++;
		wins += here == case_best(c, KINDS_OURS | KINDS_PEERS);
		error = fmax(error, here->error);
		if (!(here->vs_csr >= worst)) {
			worst = here->vs_csr;
			on = c->matrix;
		}
	}
	fprintf(f, "<tr><td><i class=%s></i>", html_swatch(NULL, r));
	html_text(f, r->method);
	if (r->kind == RECORD_PEER) {
		fputs(" <small>", f);
		html_text(f, r->version);
		fputs("</small>", f);
	}
	fprintf(f, "</td><td>%d</td>", count);
	html_ratio(f, mean_vs_csr(report, r->method));
	if (report_has_peers(report))
		html_ratio(f, mean_vs_peer(report, r->method));
	html_ratio(f, worst);
	fputs("<td class=l>", f);
	html_text(f, on);
	fprintf(f, "</td><td>%d</td>", wins);
	html_number(f, "%.3f", error);
	fputs("</tr>\n", f);
}

static void summary(FILE *f, const struct report *report)
{
	static const char *const names[] = {"method",
	                                    "matrices",
	                                    "mean vs plain CSR",
	                                    "mean vs best peer",
	                                    "worst vs plain CSR",
	                                    "on",
	                                    "fastest of all",
	                                    "error / bound",
	                                    NULL};

	fputs("<h2>All matrices</h2>\n<div class=card><div class=scroll><table>\n<tr>", f);
	for (const char *const *name = names; *name; name++)
		if (report_has_peers(report) || strcmp(*name, "mean vs best peer") != 0)
			html_head(f, *name, name == names || strcmp(*name, "on") == 0);
	fputs("</tr>\n", f);
	for (int k = 0; k < report->count; k++)
		for (int m = 0; m < report->cases[k].count; m++)
			if (first_seen(report, k, report->cases[k].record[m].method))
				summary_row(f, report, &report->cases[k].record[m]);
	fputs("</table></div></div>\n", f);
}

static bool has_bound(const struct report *report)
{
	for (int k = 0; k < report->count; k++) {
		const struct record *r = case_best(&report->cases[k], KINDS_OURS | KINDS_PEERS);

		if (r && !isnan(r->of_bound))
			return true;
	}
	return false;
}

static void chart_card(FILE *f, const struct report *report, const char *title,
                       void (*draw)(const struct report *, FILE *))
{
	fprintf(f, "<div class=card><h3>%s</h3>\n", title);
	draw(report, f);
	fputs("</div>\n", f);
}

static void charts(FILE *f, const struct report *report)
{
	bool several = report->count > 1, bound = several && has_bound(report);

	if (bound)
		chart_card(f, report, "How near to the bound", chart_overview);
	fputs("<div class=pair>\n", f);
	if (bound)
		chart_card(f, report, "Uneven rows", chart_variation);
	chart_card(f, report, "When preparation pays", chart_break_even);
	if (several)
		chart_card(f, report, "Performance profile", chart_profile);
	fputs("</div>\n", f);
}

int html_write(const struct report *report, const char *path)
{
	FILE *f = tool_open(path);
	bool draw = chart_possible();

	if (!f)
		return TOOL_FAILED;
	head(f, report);
	fputs("<h2>What is shown</h2>\n", f);
	explain(f, report->device.size > 0);
	if (!draw)
		fputs("<p>There are no charts because gnuplot was not found.</p>\n", f);
	summary(f, report);
	if (draw)
		charts(f, report);
	if (report->count > 1)
		html_heat(report, f);
	fputs("<h2>Matrix by matrix</h2>\n", f);
	for (int k = 0; k < report->count; k++)
		html_case(f, &report->cases[k], draw);
	fputs("<footer>Made by <b>ek bench</b>. Peers are other libraries, called as their manuals "
	      "recommend for many products with one matrix.</footer>\n</main>\n<script>",
	      f);
	fprintf(f, "%s</script>\n</html>\n", html_sort);
	return tool_close(f);
}
