/* SPDX-License-Identifier: BSD-3-Clause
 * The page of products: tiles with means, a table of the methods over all matrices, charts, and for
 * each matrix a card with a chart of the rates and a table. */
#include <math.h>

#include "spmv.h"

/* Returns the largest of_bound of our records of a case, or NAN. */
static double best_of_bound(const struct bench_case *c)
{
	double best = NAN;

	for (int k = 0; k < c->count; k++)
		if (KINDS_OURS >> c->record[k].kind & 1)
			best = fmax(best, c->record[k].v[V_OF_BOUND]);
	return best;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* Writes a tile with a mean and the number of matrices that are in the mean. */
static void mean_tile(FILE *f, const struct bench *b, struct mean m, const char *what)
{
	if (m.count)
		html(f, "<div class=tile><b>%.2f ×</b>", mean_value(m));
	else
		fputs("<div class=tile><b>–</b>", f);
	html(f, "<span>%s (%d of %d %s%s)</span></div>\n", what, m.count, b->count, b->op->problem,
	     bench_disturbed(b) ? ", the undisturbed ones" : "");
}

/* Returns the mean of the given value of the method "auto". Matrices whose measurement was disturbed
 * are left out. */
static struct mean mean_of_auto(const struct bench *b, enum value value)
{
	struct mean m = {0};

	for (int k = 0; k < b->count; k++) {
		const struct record *r = case_record(&b->cases[k], "auto");

		if (r && !disturbed_much(b->cases[k].v[V_DISTURBED]))
			mean_add(&m, r->v[value]);
	}
	return m;
}

/* Returns the mean of the speed of our best method over the bound. Matrices that fit in the caches
 * or whose measurement was disturbed are left out. */
static struct mean mean_of_bound(const struct bench *b)
{
	struct mean sum = {0};

	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		if (!(c->v[V_IN_CACHE] > 0) && !disturbed_much(c->v[V_DISTURBED]))
			mean_add(&sum, best_of_bound(c));
	}
	return sum;
}

static void tiles(FILE *f, const struct bench *b)
{
	const struct bench_case *sums = &b->sums[ALL_GROUPS];
	double worst = NAN;

	for (int k = 0; k < sums->count; k++)
		worst = fmax(worst, sums->record[k].v[V_ERROR]);
	html(f,
	     "<div class=tiles>\n<div class=tile><b>%d</b><span>%s</span></div>\n"
	     "<div class=tile><b>%.1f GB/s</b><span>%s</span></div>\n",
	     b->count, b->op->problem, b->memory_gbps,
	     b->device.size ? "bandwidth of copies on the device" : "read bandwidth of the memory");
	mean_tile(f, b, mean_of_bound(b), "our best over the bound, beyond the caches");
	mean_tile(f, b, mean_of_auto(b, V_VS_CSR), "automatic choice over plain CSR");
	if (case_has(sums, RECORD_PEER))
		mean_tile(f, b, mean_of_auto(b, V_VS_PEER), "automatic choice over the best peer");
	html(f,
	     "<div class=tile><b>%.3f</b><span>largest error divided by its proven bound, at most "
	     "1 is accepted (all of them)</span></div>\n</div>\n",
	     worst);
}

/* ---- All matrices ---------------------------------------------------------------------------- */

static void explain(FILE *f, const struct bench *b)
{
	const bool device = b->device.size > 0, blocks = b->op->operation == EK_SPMM;

	fprintf(f,
	        "<p>Each matrix is multiplied by all methods in turn, in rounds of under a second, "
	        "and ratios are medians over the rounds. Speed is the size of the CSR arrays, x "
	        "and y divided by the time of one product, so formats that move fewer bytes can "
	        "pass the "
	        "<span class=bad>bound</span>: the bandwidth at which %s in the same rounds. "
	        "<i>Plain CSR</i> is %s%s. Preparation is given in milliseconds and in products of "
	        "plain CSR.%s</p>\n",
	        device ? "the device copies as many bytes" : "the same threads read as many bytes",
	        device ? "<code>spmv.csr.vector.gpu</code>, and times are by the clock of the "
	                 "device"
	               : "<code>spmv.csr.rows</code>, a loop over rows on all threads",
	        blocks ? ", for one column after the other" : "",
	        blocks ? ""
	               : " For small matrices there is the time beyond that of a <i>bare loop</i>, "
	                 "which runs on one thread without a call of the library; it is negative "
	                 "where threads are faster.");
}

static void charts(FILE *f, const struct bench *b)
{
	const bool several = b->count > 1;

	if (several)
		html_chart(f, "How near to the bound", "overview");
	fputs("<div class=pair>\n", f);
	if (several)
		html_chart(f, "Uneven rows", "variation");
	html_chart(f, "When preparation pays", "preparation");
	if (several)
		html_chart(f, "Performance profile", "profile");
	fputs("</div>\n", f);
}

/* ---- Matrix by matrix ------------------------------------------------------------------------ */

static void card(FILE *f, const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;

	html(f, "<div class=card><h3>%s<span class=badge>%s</span>", c->name, kind_text(c->source));
	if (v[V_IN_CACHE] > 0)
		fputs("<span class=\"badge hot\">in cache</span>", f);
	if (disturbed_much(v[V_DISTURBED]))
		fprintf(f, "<span class=\"badge bad\">%s</span>", disturbed_text(v[V_DISTURBED]));
	fprintf(f,
	        "</h3>\n<p class=meta>%s × %s, %s nonzeros; rows of %.1f ± %.1f, longest %s; %s "
	        "%.1f GB/s; %s</p>\n<div class=case>"
	        "<div class=chart data-chart=bars data-case=%d></div>",
	        text_count(v[V_ROWS]), text_count(v[V_COLS]), text_count(v[V_NNZ]), v[V_ROW_MEAN],
	        v[V_ROW_STDDEV], text_count(v[V_ROW_MAX]), c->device ? "copies" : "reads",
	        v[V_BOUND_GBPS], text_many(v[V_ROUNDS], "round"), (int)(c - b->cases));
	html_table(f, b, c, PAGE);
	fputs("</div></div>\n", f);
}

void html_spmv(const struct bench *b, FILE *f)
{
	tiles(f, b);
	fputs("<h2>What is shown</h2>\n", f);
	explain(f, b);
	html(f, "<h2>All %s</h2>\n<div class=card>", b->op->problem);
	html_table(f, b, &b->sums[ALL_GROUPS], PAGE_SUM);
	fputs("</div>\n", f);
	charts(f, b);
	if (b->count > 1)
		html_chart(f, "Every method on every matrix: speed over plain CSR", "heat");
	html(f, "<h2>The %s</h2>\n", b->op->problem);
	for (int k = 0; k < b->count; k++)
		card(f, b, &b->cases[k]);
}
