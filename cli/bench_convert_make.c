/* SPDX-License-Identifier: BSD-3-Clause
 * What it costs to make a format, or what a method puts beside CSR. In each round are made, one
 * after the other and in changing order: CSR from COO, this from COO, this from CSR, and there are
 * a product of plain CSR and one of its own, so that all ratios are of the same seconds. Only one
 * thing made is kept at a time; it is freed untimed before the next is made, so memory is touched
 * anew every time, as it is in a program that converts once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_convert.h"

/* Copies of CSR, about, that are in memory at once: COO, what is kept, what is made, and on the
 * way. */
#define MOST_COPIES 6

/* What was made last, by whom ever. */
struct slot {
	ek_matrix *matrix;
	ek_plan *plan;
};

/* How to make something: convert `from`, and make a plan of that (or of `from`). */
struct maker {
	const ek_matrix *from;
	const char *format, *method; /* NULL: without that step */
	int64_t max_bytes;
	struct slot *slot;
	bool failed;
};

struct product {
	ek_plan *plan;
	ek_dense x, y;
	bool failed;
};

static void clear(void *state, int64_t calls)
{
	struct slot *slot = ((struct maker *)state)->slot;

	(void)calls;
	ek_plan_destroy(slot->plan);
	ek_matrix_destroy(slot->matrix);
	*slot = (struct slot){NULL, NULL};
}

static ek_status make_plan(const ek_matrix *A, const char *method, ek_plan **plan)
{
	ek_hints hints = {.size = sizeof hints, .method = method};

	return ek_plan_create(EK_SPMV, A, &hints, plan);
}

static ek_status make_once(struct maker *m)
{
	ek_convert_options o = {.size = sizeof o, .max_bytes = m->max_bytes};
	ek_status status = EK_OK;

	if (m->format)
		status = ek_matrix_convert(m->from, m->format, &o, &m->slot->matrix);
	if (status == EK_OK && m->method)
		status = make_plan(m->slot->matrix ? m->slot->matrix : m->from, m->method,
		                   &m->slot->plan);
	return status;
}

static void run_maker(void *state, int64_t calls)
{
	struct maker *m = state;

	for (; calls > 0; calls--)
		m->failed |= make_once(m) != EK_OK;
}

static void run_product(void *state, int64_t calls)
{
	struct product *p = state;

	for (; calls > 0; calls--)
		p->failed |= ek_spmv(p->plan, 1, &p->x, 0, &p->y) != EK_OK;
}

/* ---- The way back ---------------------------------------------------------------------------- */

static bool same_arrays(const ek_matrix *A, const ek_matrix *B)
{
	static const char *const name[] = {"row_ptr", "col_idx", "val"};
	ek_view a = {.size = sizeof a}, b = {.size = sizeof b};

	for (int k = 0; k < 3; k++)
		if (ek_matrix_array(A, name[k], &a) != EK_OK ||
		    ek_matrix_array(B, name[k], &b) != EK_OK || a.len != b.len ||
		    a.elem_size != b.elem_size ||
		    (a.len && memcmp(a.data, b.data, (size_t)a.len * a.elem_size) != 0))
			return false;
	return true;
}

/* Does a format place entries by their columns? Then it has one place for two entries, and refuses
 * them; columns come back in order, as they do from CSC. */
static bool by_columns(ek_context *ctx, const char *format)
{
	static const int32_t row_ptr[] = {0, 2}, col_idx[] = {0, 0};
	static const double val[] = {1, 1};
	ek_matrix *twice = NULL, *made = NULL;
	ek_status status = ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, 1, row_ptr, col_idx, val,
	                                      EK_COPY, &twice);

	if (status == EK_OK)
		status = ek_matrix_convert(twice, format, NULL, &made);
	ek_matrix_destroy(made);
	ek_matrix_destroy(twice);
	return status == EK_EUNSUPPORTED || strcmp(format, "csc") == 0;
}

/* Does X, which is A in a format, go back to A bit for bit? */
static bool goes_back(ek_context *ctx, const char *format, const ek_matrix *A, const ek_matrix *X)
{
	ek_matrix *back = NULL, *columns = NULL, *sorted = NULL;
	bool same = ek_matrix_convert(X, "csr", NULL, &back) == EK_OK;

	if (same && by_columns(ctx, format))
		same = ek_matrix_convert(A, "csc", NULL, &columns) == EK_OK &&
		       ek_matrix_convert(columns, "csr", NULL, &sorted) == EK_OK &&
		       same_arrays(sorted, back);
	else if (same)
		same = same_arrays(A, back);
	ek_matrix_destroy(back);
	ek_matrix_destroy(columns);
	ek_matrix_destroy(sorted);
	return same;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

enum { COO_CSR, COO_THIS, CSR_THIS, PLAIN, OWN, CANDIDATES };

struct work {
	struct conversion *c;
	ek_matrix *coo, *kept;
	ek_plan *kept_plan;
	struct slot slot;
	struct maker maker[3];
	struct product product[2];
	struct candidate candidate[CANDIDATES];
	int at[CANDIDATES]; /* of each among those that are measured, or -1 */
	int count;
};

static void enter(struct work *w, int which, bool wanted, struct candidate candidate)
{
	w->at[which] = wanted ? w->count : -1;
	if (wanted)
		w->candidate[w->count++] = candidate;
}

static struct candidate maker(struct work *w, int k, const ek_matrix *from, const char *format,
                              const char *method, int64_t max_bytes)
{
	w->maker[k] = (struct maker){from, format, method, max_bytes, &w->slot, false};
	return (struct candidate){
		.run = run_maker, .state = &w->maker[k], .before = clear, .most = 1};
}

static struct candidate product(struct work *w, int k, ek_plan *plan, const ek_dense *x,
                                const ek_dense *y)
{
	w->product[k] = (struct product){plan, *x, *y, false};
	return (struct candidate){.run = run_product, .state = &w->product[k]};
}

/* NAN if one of both is not measured. */
static double ratio(const struct work *w, int a, int b, int rounds)
{
	if (w->at[a] < 0 || w->at[b] < 0)
		return NAN;
	return measure_ratio(&w->candidate[w->at[a]], &w->candidate[w->at[b]], rounds);
}

static double median_ms(const struct work *w, int which, int rounds)
{
	if (w->at[which] < 0)
		return NAN;
	return 1e3 * measure_quantile(w->candidate[w->at[which]].sample, rounds, 0.5);
}

static void fill(struct work *w, int rounds)
{
	struct conversion *c = w->c;

	c->rounds = rounds;
	c->coo_ms = median_ms(w, COO_THIS, rounds);
	c->csr_ms = median_ms(w, CSR_THIS, rounds);
	c->ms = median_ms(w, OWN, rounds);
	c->coo_cost = ratio(w, COO_THIS, COO_CSR, rounds);
	c->csr_cost = ratio(w, CSR_THIS, COO_CSR, rounds);
	c->calls = ratio(w, CSR_THIS, PLAIN, rounds);
	c->own_calls = ratio(w, CSR_THIS, OWN, rounds);
	if (strcmp(c->name, "csr") == 0) { /* the unit itself */
		c->coo_ms = median_ms(w, COO_CSR, rounds);
		c->coo_cost = 1;
	}
	for (int k = 0; k < w->count; k++)
		c->disturbed += (double)w->candidate[k].disturbed / rounds / w->count;
	for (int k = 0; k < 3; k++)
		c->failed |= w->maker[k].failed;
	c->failed |= w->product[0].failed || w->product[1].failed;
	if (c->failed)
		snprintf(c->why, sizeof c->why, "%s", ek_error_text());
}

static int time_all(const struct convert_bench *bench, struct work *w, const ek_matrix *A,
                    ek_plan *plain, double seconds)
{
	const struct bench_options *o = bench->options;
	struct measure_limits limits = {seconds, o->rounds};
	const char *name = w->c->name, *format = w->c->beside ? NULL : name;
	const char *method = w->c->beside ? name : NULL;
	ek_matrix_info info = {.size = sizeof info};
	int code = tool_check(ek_matrix_get_info(A, &info)), rounds = 0;
	void *in = problem_vector(info.value, info.cols),
	     *out = problem_vector(info.value, info.rows);
	ek_dense x = ek_vector(info.value, info.cols, in),
		 y = ek_vector(info.value, info.rows, out);
	bool is_coo = strcmp(name, "coo") == 0, is_csr = strcmp(name, "csr") == 0;

	if (!code && (!in || !out))
		code = tool_fail(TOOL_FAILED, "out of memory for the vectors of a product");
	if (!code) {
		enter(w, COO_CSR, true, maker(w, 0, w->coo, "csr", NULL, -1));
		enter(w, COO_THIS, !is_coo && !is_csr,
		      maker(w, 1, w->coo, format ? format : "csr", method, o->max_bytes));
		enter(w, CSR_THIS, !is_csr, maker(w, 2, A, format, method, o->max_bytes));
		enter(w, PLAIN, true, product(w, 0, plain, &x, &y));
		enter(w, OWN, w->kept_plan, product(w, 1, w->kept_plan, &x, &y));
		rounds = measure_rounds(w->candidate, w->count, &limits, NULL);
		clear(&w->maker[0], 1);
		if (rounds)
			fill(w, rounds);
		else
			code = tool_fail(TOOL_FAILED, "out of memory for the times");
	}
	measure_free(w->candidate, w->count);
	free(in);
	free(out);
	return code;
}

/* What is made once, to be looked at and multiplied with. Only what can be asked of it again is an
 * exit code; the rest refuses. */
static int keep(const struct convert_bench *bench, struct work *w, const ek_matrix *A,
                int64_t csr_bytes)
{
	struct conversion *c = w->c;
	ek_convert_options o = {.size = sizeof o, .max_bytes = bench->options->max_bytes};
	ek_matrix_info info = {.size = sizeof info};
	ek_status status;

	if (c->beside) {
		status = make_plan(A, c->name, &w->kept_plan);
	} else {
		status = ek_matrix_convert(A, c->name, &o, &w->kept);
		/* A format without a product for this is measured without it. */
		if (status == EK_OK && make_plan(w->kept, NULL, &w->kept_plan) != EK_OK)
			w->kept_plan = NULL;
	}
	if (status == EK_ELIMIT || status == EK_EUNSUPPORTED || status == EK_ENOMEM) {
		c->refused = true;
		snprintf(c->why, sizeof c->why, "%s", ek_error_text());
		return TOOL_OK;
	}
	if (status != EK_OK)
		return tool_check(status);
	c->bytes = csr_bytes + ek_plan_memory(c->beside ? w->kept_plan : NULL);
	if (!c->beside) {
		ek_matrix_get_info(w->kept, &info);
		tool_format_text(&info, c->format);
		c->bytes = info.bytes;
		c->failed = !goes_back(bench->ctx, c->name, A, w->kept);
	}
	if (c->failed)
		snprintf(c->why, sizeof c->why, "going back to CSR does not give the same bits");
	c->size = (double)c->bytes / (double)csr_bytes;
	return TOOL_OK;
}

int convert_measure(const struct convert_bench *bench, const ek_matrix *A, int64_t csr_bytes,
                    double seconds, struct conversion *c)
{
	struct work w = {.c = c};
	double need = MOST_COPIES * (double)csr_bytes, free = tool_memory_free();
	ek_plan *plain = NULL;
	char a[32], b[32];
	int code;

	c->coo_ms = c->csr_ms = c->coo_cost = c->csr_cost = c->calls = c->own_calls = NAN;
	c->ms = c->size = NAN;
	if (free >= 0 && need > free) {
		c->refused = true;
		snprintf(c->why, sizeof c->why, "about %s are needed, and %s are free",
		         tool_bytes(a, need), tool_bytes(b, free));
		return TOOL_OK;
	}
	code = keep(bench, &w, A, csr_bytes);
	if (!code && !c->refused && !c->failed)
		code = tool_check(ek_matrix_convert(A, "coo", NULL, &w.coo));
	if (!code && w.coo)
		code = tool_check(make_plan(A, "spmv.csr.rows", &plain));
	if (!code && w.coo)
		code = time_all(bench, &w, A, plain, seconds);
	ek_plan_destroy(plain);
	ek_plan_destroy(w.kept_plan);
	ek_matrix_destroy(w.kept);
	ek_matrix_destroy(w.coo);
	return code;
}
