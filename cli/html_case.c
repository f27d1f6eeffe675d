/* SPDX-License-Identifier: BSD-3-Clause
 * The card of one matrix in the page of `ek bench spmv`: a chart of the rates, and a table. */
#include <math.h>
#include <string.h>

#include "html.h"

const char *html_swatch(const struct bench_case *c, const struct record *r)
{
	return r->kind == RECORD_PEER                      ? "peer"
	       : r->kind == RECORD_AUTO                    ? "autoc"
	       : c && r == case_best(c, 1u << RECORD_OURS) ? "bestc"
	       : record_is_plain(r)                        ? "csr"
	                                                   : "ours";
}

static const char *ms_format(double ms)
{
	return ms < 0.1 ? "%.3g" : ms < 10 ? "%.3f" : "%.1f";
}

static void case_row(FILE *f, const struct bench_case *c, const struct record *r, bool peers)
{
	const int columns = 7 + peers + !isnan(c->record[0].overhead_ns);
	const char *mark = r->failed                                     ? " class=failed"
	                   : r == case_best(c, KINDS_OURS | KINDS_PEERS) ? " class=best"
	                                                                 : "";

	fprintf(f, "<tr%s><td><i class=%s></i>", mark, html_swatch(c, r));
	html_text(f, r->method);
	if (r->refused) {
		fprintf(f, "</td><td class=why colspan=%d><div>refused: ", columns);
		html_text(f, r->why);
		fputs("</div></td></tr>\n", f);
		return;
	}
	if (*r->chosen) {
		fputs(" <small>→ ", f);
		html_text(f, strncmp(r->chosen, "spmv.", 5) == 0 ? r->chosen + 5 : r->chosen);
		fputs("</small>", f);
	}
	fputs("</td>", f);
	html_number(f, ms_format(r->ms), r->ms);
	html_number(f, "%.1f", r->csr_gbps);
	html_number(f, "%.2f", r->of_bound);
	html_ratio(f, r->vs_csr);
	if (peers)
		html_ratio(f, r->vs_best_peer);
	html_number(f, ms_format(r->prepare_ms), r->prepare_ms);
	html_number(f, "%.1f", r->prepare_calls);
	html_number(f, "%.3f", r->error);
	if (!isnan(c->record[0].overhead_ns))
		html_number(f, "%+.0f", r->overhead_ns);
	fputs("</tr>\n", f);
}

void html_case(FILE *f, const struct bench_case *c, bool draw)
{
	static const char *const names[] = {
		"method",   "ms",    "GB/s",  "of bound",          "vs CSR", "vs peer",
		"prep. ms", "calls", "error", "ns over bare loop", NULL};
	bool peers = case_has_peers(c), small = c->count && !isnan(c->record[0].overhead_ns);
	char rows[32], cols[32], nnz[32], longest[32], disturbed[DISTURBED_TEXT];

	fputs("<div class=card><h3>", f);
	html_text(f, c->matrix);
	fprintf(f, "<span class=badge>%s</span>",
	        strcmp(c->kind, "twin") == 0   ? "generated twin"
	        : strcmp(c->kind, "real") == 0 ? "the real matrix"
	                                       : c->kind);
	if (c->in_cache)
		fputs("<span class=\"badge hot\">in cache</span>", f);
	if (disturbed_much(c->disturbed))
		fprintf(f, "<span class=\"badge bad\">%s</span>",
		        disturbed_text(disturbed, c->disturbed));
	fprintf(f,
	        "</h3>\n<p class=meta>%s × %s, %s nonzeros; rows of %.1f ± %.1f, longest %s; %s "
	        "%.1f GB/s; %d round%s</p>\n<div class=\"case%s\">",
	        tool_count(rows, c->rows), tool_count(cols, c->cols), tool_count(nnz, c->nnz),
	        c->row_mean, c->row_stddev, tool_count(longest, c->row_max),
	        c->device ? "copies" : "reads", c->bound_gbps, c->rounds, c->rounds == 1 ? "" : "s",
	        draw ? "" : " only");
	if (draw) {
		fputs("<div>", f);
		chart_bars(c, f);
		fputs("</div>", f);
	}
	fputs("<div class=scroll><table><tr>", f);
	for (const char *const *name = names; *name; name++)
		if ((peers || strcmp(*name, "vs peer") != 0) &&
		    (small || strcmp(*name, "ns over bare loop") != 0))
			html_head(f, *name, name == names);
	fputs("</tr>\n", f);
	for (int k = 0; k < c->count; k++)
		case_row(f, c, &c->record[k], peers);
	fputs("</table></div></div></div>\n", f);
}
