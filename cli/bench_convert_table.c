/* SPDX-License-Identifier: BSD-3-Clause
 * What `ek bench convert` shows: a line for each thing that was made of a matrix, and geometric
 * means over the regular and over the irregular matrices. The page has the same tables. */
#define _GNU_SOURCE /* asprintf */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_convert.h"

static const struct table_legend legend[] = {
	{1, "COO ms", "time of making it from coordinates, rows ascending"},
	{1, "COO cost", "that over the time from COO to CSR (Greathouse and Daga 2014, Figure 11)"},
	{1, "CSR ms", "time of making it from CSR"},
	{1, "CSR cost", "that over the time from COO to CSR"},
	{1, "calls", "CSR ms in products of plain CSR"},
	{1, "own calls", "CSR ms in products of its own (Liu 2015, Figure 8.15)"},
	{1, "size", "bytes of its arrays, for methods with those of CSR, over the bytes of CSR"},
	{1, "last column", "why it was refused"},
};
enum { LEGENDS = sizeof legend / sizeof legend[0] };

static const char *const names[] = {"format", "COO ms",    "COO cost", "CSR ms", "CSR cost",
                                    "calls",  "own calls", "size",     "",       NULL};

char *convert_legend(void)
{
	return table_legend_text(legend, LEGENDS, 1);
}

/* ---- A matrix -------------------------------------------------------------------------------- */

/* On the page the reasons stand in the last column, below a table for terminals. */
static void case_table(struct tool_table *t, const struct convert_case *c, bool reasons)
{
	tool_table_start(t, "lrrrrrrrl");
	table_head(t, names);
	for (int k = 0; k < c->count; k++) {
		const struct conversion *m = &c->made[k];

		tool_table_add(t, "%s", m->name);
		table_ms(t, m->coo_ms);
		table_cell(t, "%.2f", m->coo_cost);
		table_ms(t, m->csr_ms);
		table_cell(t, "%.2f", m->csr_cost);
		table_cell(t, "%.1f", m->calls);
		table_cell(t, "%.1f", m->own_calls);
		table_cell(t, "%.3f", m->size);
		if (m->refused || m->failed)
			tool_table_add(t, "%s%s%s", m->failed ? "FAILED" : "refused",
			               reasons ? ": " : "", reasons ? m->why : "");
		else
			tool_table_add(t, "%s", "");
	}
}

/* The title of a case, on the heap. */
/* The share of the samples that other processes got into. */
static double disturbed(const struct convert_case *c)
{
	double sum = 0;
	int count = 0;

	for (int k = 0; k < c->count; k++)
		if (!c->made[k].refused && !c->made[k].failed) {
			sum += c->made[k].disturbed;
			count++;
		}
	return count ? sum / count : 0;
}

static char *title_of(const struct convert_case *c)
{
	char rows[32], cols[32], nnz[32], bytes[32], warning[DISTURBED_TEXT], *text;

	disturbed_text(warning, disturbed(c));
	if (asprintf(&text, "%s (%s, %s)  %s x %s, %s nonzeros, %s in CSR%s%s", c->matrix, c->kind,
	             group_name[c->group], tool_count(rows, c->rows), tool_count(cols, c->cols),
	             tool_count(nnz, c->nnz), tool_bytes(bytes, (double)c->csr_bytes),
	             *warning ? "; " : "", warning) < 0)
		return NULL;
	return text;
}

void convert_table(const struct convert_case *c, FILE *out)
{
	char *title = title_of(c);
	struct tool_table t;

	tool_paragraph(out, "%s", title ? title : c->matrix);
	free(title);
	case_table(&t, c, false);
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
	for (int k = 0; k < c->count; k++)
		table_reason(c->made[k].name, c->made[k].failed, c->made[k].why, out);
	table_legend_once(legend, LEGENDS, 1, names, out);
	fputc('\n', out);
}

/* ---- All matrices ---------------------------------------------------------------------------- */

static const struct conversion *made(const struct convert_case *c, const char *name)
{
	for (int k = 0; k < c->count; k++)
		if (strcmp(c->made[k].name, name) == 0)
			return &c->made[k];
	return NULL;
}

static bool seen(const struct convert_bench *bench, int group, int k, const char *name)
{
	while (k-- > 0)
		if (bench->cases[k].group == group && made(&bench->cases[k], name))
			return true;
	return false;
}

static double cost(const struct conversion *m, enum convert_cost which)
{
	switch (which) {
	case COST_COO: return m->coo_cost;
	case COST_CSR: return m->csr_cost;
	case COST_CALLS: return m->calls;
	case COST_OWN: return m->own_calls;
	case COST_SIZE: return m->size;
	case COSTS: break;
	}
	return NAN;
}

double convert_mean(const struct convert_bench *bench, int group, const char *name,
                    enum convert_cost which)
{
	double sum = 0;
	int count = 0;

	for (int k = 0; k < bench->count; k++) {
		const struct convert_case *c = &bench->cases[k];
		const struct conversion *m = c->group == group ? made(c, name) : NULL;
		double value = m ? cost(m, which) : NAN;

		if (value > 0) { /* not NAN */
			sum += log(value);
			count++;
		}
	}
	return count ? exp(sum / count) : NAN;
}

static void line(struct tool_table *t, const struct convert_bench *bench, int group,
                 const char *name)
{
	int matrices = 0, refused = 0;

	for (int k = 0; k < bench->count; k++) {
		const struct convert_case *c = &bench->cases[k];
		const struct conversion *m = c->group == group ? made(c, name) : NULL;

		matrices += m && !m->refused;
		refused += m && m->refused;
	}
	tool_table_add(t, "%s", name);
	tool_table_add(t, "%d", matrices);
	tool_table_add(t, "%d", refused);
	for (int which = 0; which < COSTS; which++)
		table_cell(t, which == COST_SIZE ? "%.3f" : "%.2f",
		           convert_mean(bench, group, name, (enum convert_cost)which));
}

/* The table of a group; the number of its matrices. */
static int group_table(struct tool_table *t, const struct convert_bench *bench, int group)
{
	static const char *const columns[] = {"format",    "matrices", "refused",
	                                      "COO cost",  "CSR cost", "calls",
	                                      "own calls", "size",     NULL};
	int matrices = 0;

	tool_table_start(t, "lrrrrrrr");
	table_head(t, columns);
	for (int k = 0; k < bench->count; k++) {
		const struct convert_case *c = &bench->cases[k];

		matrices += c->group == group;
		for (int m = 0; m < c->count && c->group == group; m++)
			if (!seen(bench, group, k, c->made[m].name))
				line(t, bench, group, c->made[m].name);
	}
	return matrices;
}

void convert_groups(const struct convert_bench *bench, convert_show *show, void *to)
{
	struct tool_table t;
	char title[96];

	for (int group = 0; group < GROUPS; group++) {
		int matrices = group_table(&t, bench, group);

		snprintf(title, sizeof title, "%d %s matri%s, geometric means", matrices,
		         group_name[group], matrices == 1 ? "x" : "ces");
		if (matrices)
			show(to, title, &t);
		tool_table_free(&t);
	}
}

void convert_cases(const struct convert_bench *bench, convert_show *show, void *to)
{
	struct tool_table t;

	for (int k = 0; k < bench->count; k++) {
		char *title = title_of(&bench->cases[k]);

		case_table(&t, &bench->cases[k], true);
		show(to, title ? title : bench->cases[k].matrix, &t);
		tool_table_free(&t);
		free(title);
	}
}

static void print(void *to, const char *title, const struct tool_table *t)
{
	fprintf(to, "%s\n", title);
	tool_table_print(t, TOOL_TEXT, to);
	fputc('\n', to);
}

void convert_summary(const struct convert_bench *bench, FILE *out)
{
	convert_groups(bench, print, out);
}
