/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench convert: the cost, in products and in bytes, of making each format from coordinates and
 * from CSR, and of what methods of plain CSR prepare beside it. Every format that is made must
 * convert back to CSR bit for bit.
 *
 * Each round times, in changing order, CSR from COO, the format from COO, the format from CSR, a
 * product of plain CSR and one of the format: both sides of a ratio are from the same seconds. Each
 * result is freed, untimed, before the next is made, so that each conversion touches new memory. */
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "spmv.h"

/* ---- Making a format or a plan --------------------------------------------------------------- */

/* Upper bound on the memory in use, in copies of CSR: COO, the checked format, the format being
 * made, and intermediate arrays. */
#define MOST_COPIES 6

/* The matrix and the plan that the last maker made. */
struct slot {
	ek_matrix *matrix;
	ek_plan *plan;
};

/* A timed step. It multiplies by `plan` or, if that is NULL, converts `from` to a format and makes
 * a plan of the result or, without a format, of `from`. */
struct maker {
	const ek_matrix *from;
	const char *format, *method; /* NULL: no conversion, or no plan */
	int64_t max_bytes;
	struct slot *slot;
	ek_plan *plan;
	const ek_dense *vectors; /* x and y */
	ek_convert_times sum;    /* of all calls */
};

static void clear(struct slot *slot)
{
	ek_plan_destroy(slot->plan);
	ek_matrix_destroy(slot->matrix);
	*slot = (struct slot){NULL, NULL};
}

static void before(void *entrant, int64_t calls)
{
	(void)calls;
	clear(((struct maker *)((struct entrant *)entrant)->own)->slot);
}

static ek_status make_plan(const ek_matrix *A, const char *method, ek_plan **plan)
{
	ek_hints hints = {.size = sizeof hints, .method = method};

	return ek_plan_create(EK_SPMV, A, &hints, plan);
}

static void run(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	struct maker *m = e->own;
	ek_convert_times times = {.size = sizeof times};
	ek_convert_options o = {.size = sizeof o, .max_bytes = m->max_bytes, .times = &times};

	for (; calls > 0; calls--) {
		ek_status status = EK_OK;

		if (m->plan)
			status = ek_spmv(m->plan, 1, &m->vectors[0], 0, &m->vectors[1]);
		if (m->format)
			status = ek_matrix_convert(m->from, m->format, &o, &m->slot->matrix);
		if (status == EK_OK && m->method)
			status = make_plan(m->slot->matrix ? m->slot->matrix : m->from, m->method,
			                   &m->slot->plan);
		e->record.failed |= status != EK_OK;
		convert_add(&m->sum, &times);
	}
}

static struct entrant *enter(struct field *f, struct maker maker)
{
	struct entrant *e = entrant_add(f, RECORD_OURS, "", "", sizeof maker);

	*(struct maker *)e->own = maker;
	e->calls.run = run;
	if (!maker.plan) {
		e->calls.before = before;
		e->calls.most = 1;
	}
	return e;
}

/* Returns a vector of n random entries. */
static ek_dense vector_for(const ek_matrix_info *info, int64_t n)
{
	return ek_vector(info->value, n,
	                 need(problem_vector(info->value, n), "the vectors of a product"));
}

/* ---- Converting back ------------------------------------------------------------------------- */

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

/* Tells whether X, which is A converted to a format, converts back to A bit for bit. A format that
 * places entries by column returns those of a row in ascending order. */
static bool goes_back(const ek_matrix *A, const ek_matrix *X)
{
	ek_matrix *back = NULL, *columns = NULL, *sorted = NULL;
	bool same = ek_matrix_convert(X, "csr", NULL, &back) == EK_OK;

	if (same && !same_arrays(A, back))
		same = ek_matrix_convert(A, "csc", NULL, &columns) == EK_OK &&
		       ek_matrix_convert(columns, "csr", NULL, &sorted) == EK_OK &&
		       same_arrays(sorted, back);
	ek_matrix_destroy(back);
	ek_matrix_destroy(columns);
	ek_matrix_destroy(sorted);
	return same;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* Times the makers and the products in rounds, and fills in the record. `made` is what r->name
 * names, made from A or, if `beside`, beside A; `coo` is A in coordinates, `rows` a plan of plain
 * CSR. */
static void time_all(struct bench_case *c, struct record *r, const struct slot *made,
                     const ek_matrix *A, const ek_matrix *coo, ek_plan *rows, struct bench *b)
{
	struct field f = {.bench = b, .c = c};
	struct slot slot = {NULL, NULL};
	const bool is_csr = strcmp(r->name, "csr") == 0, is_coo = strcmp(r->name, "coo") == 0;
	/* What is made beside CSR has a method and no format. The limit applies to a format, not to
	 * the CSR from which a method makes its plan. */
	const char *format = made->matrix ? r->name : NULL, *method = format ? NULL : r->name;
	const int64_t limit = format ? b->o.max_bytes : -1;
	ek_matrix_info info = {.size = sizeof info};

	ek_matrix_get_info(A, &info);
	const ek_dense vectors[] = {vector_for(&info, info.cols), vector_for(&info, info.rows)};
	struct entrant *to_csr, *from_coo = NULL, *from_csr = NULL, *plain, *own = NULL;
	double *v = r->v;

	to_csr = enter(
		&f, (struct maker){.from = coo, .format = "csr", .max_bytes = -1, .slot = &slot});
	if (!is_coo && !is_csr)
		from_coo = enter(&f, (struct maker){.from = coo,
		                                    .format = format ? format : "csr",
		                                    .method = method,
		                                    .max_bytes = limit,
		                                    .slot = &slot});
	if (!is_csr)
		from_csr = enter(&f, (struct maker){.from = A,
		                                    .format = format,
		                                    .method = method,
		                                    .max_bytes = limit,
		                                    .slot = &slot});
	plain = enter(&f, (struct maker){.plan = rows, .vectors = vectors});
	if (made->plan)
		own = enter(&f, (struct maker){.plan = made->plan, .vectors = vectors});
	field_rounds(&f, b->o.seconds / c->count);
	clear(&slot);
	v[V_ROUNDS] = f.rounds;
	v[V_DISTURBED] = field_disturbed(&f);
	from_coo = is_csr ? to_csr : from_coo;
	spread_ms(v, V_COO_MS, from_coo);
	spread_ratio(v, V_COO_COST, from_coo, to_csr);
	spread_ms(v, V_CSR_MS, from_csr);
	spread_ratio(v, V_CSR_COST, from_csr, to_csr);
	v[V_MS] = entrant_ms(own);
	spread_ratio(v, V_CALLS, from_csr, plain);
	spread_ratio(v, V_OWN_CALLS, from_csr, own);
	if (from_csr && format)
		convert_share(&((struct maker *)from_csr->own)->sum, r);
	for (int k = 0; k < f.entrants; k++)
		r->failed |= f.entrant[k].record.failed;
	if (r->failed)
		r->why = keep("%s", ek_error_text());
	field_end(&f);
	free(vectors[0].data);
	free(vectors[1].data);
}

/* Makes once what r->name names, and checks that a format converts back to CSR. */
static ek_status look(const struct bench *b, struct record *r, struct slot *made,
                      const ek_matrix *A, double csr_bytes, bool beside)
{
	ek_convert_options o = {.size = sizeof o, .max_bytes = b->o.max_bytes};
	ek_matrix_info info = {.size = sizeof info};
	char format[TOOL_FORMAT];
	ek_status status;

	if (beside) {
		status = make_plan(A, r->name, &made->plan);
		if (status == EK_OK)
			r->v[V_BYTES] = csr_bytes + (double)ek_plan_memory(made->plan);
	} else if ((status = ek_matrix_convert(A, r->name, &o, &made->matrix)) == EK_OK) {
		/* A format that no method multiplies with is measured without a product. */
		if (make_plan(made->matrix, NULL, &made->plan) != EK_OK)
			made->plan = NULL;
		ek_matrix_get_info(made->matrix, &info);
		tool_format_text(&info, format);
		r->format = keep("%s", format);
		r->v[V_BYTES] = (double)info.bytes;
		r->failed = !goes_back(A, made->matrix);
		if (r->failed)
			r->why = "going back to CSR does not give the same bits";
	}
	if (status == EK_OK)
		r->v[V_SIZE] = r->v[V_BYTES] / csr_bytes;
	return status;
}

static int measure(struct bench *b, struct bench_case *c, const ek_matrix *A, bool beside,
                   struct record *r)
{
	const char *lack = text_lack(MOST_COPIES * c->v[V_CSR_BYTES], "about ", " are needed");
	struct slot made = {NULL, NULL};
	ek_matrix *coo = NULL;
	ek_plan *rows = NULL;
	ek_status status = lack ? EK_ENOMEM : look(b, r, &made, A, c->v[V_CSR_BYTES], beside);
	int code = TOOL_OK;

	if (status == EK_ELIMIT || status == EK_EUNSUPPORTED || status == EK_ENOMEM) {
		record_refuse(r, lack ? lack : ek_error_text());
	} else {
		if (status == EK_OK)
			status = ek_matrix_convert(A, "coo", NULL, &coo);
		if (status == EK_OK)
			status = make_plan(A, "spmv.csr.rows", &rows);
		code = tool_check(status);
		if (!code && !r->failed)
			time_all(c, r, &made, A, coo, rows, b);
	}
	ek_plan_destroy(rows);
	ek_matrix_destroy(coo);
	clear(&made);
	return code;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Adds a record for a format or, if `beside`, for what a method prepares beside CSR. */
static void add(const struct bench *b, struct bench_case *c, const char *name, bool beside)
{
	struct record r = record_start(RECORD_OURS, "", name);

	r.format = beside ? "csr" : r.name;
	r.isa = ek_isa_name(ek_context_isa(b->ctx));
	r.v[V_ROUNDS] = r.v[V_DISTURBED] = r.v[V_BYTES] = 0;
	record_add(c, &r);
}

static bool beside_csr(const ek_method *m)
{
	return m && ek_method_operation(m) == EK_SPMV && strcmp(ek_method_format(m), "csr") == 0 &&
	       ek_method_supports(m, EK_OP_N, EK_REPRO_RUN);
}

/* Adds records for the formats and methods that were named, or for all if none was. Returns the
 * number of formats. */
static int add_all(const struct bench *b, struct bench_case *c)
{
	const char *formats = b->o.common.format, *methods = b->o.common.method;
	const char *device = tool_on_device(b->ctx) ? "gpu" : "cpu";
	const bool all = !formats && !methods;
	char word[TOOL_FORMAT], name[TOOL_METHOD];
	int count;

	while (formats && tool_format_next("--format", &formats, word))
		add(b, c, word, false);
	for (const ek_format *f = NULL; all && (f = ek_format_next(f));)
		add(b, c, ek_format_name(f), false);
	count = c->count;
	while (methods && tool_method_next(&methods, name)) {
		if (!beside_csr(tool_method_find(name)))
			tool_usage("--method %s: a method of plain CSR is expected; formats are "
			           "given by --format",
			           name);
		add(b, c, name, true);
	}
	for (const ek_method *m = NULL; all && (m = ek_method_next(m));)
		if (beside_csr(m) && strcmp(ek_method_device(m), device) == 0)
			add(b, c, ek_method_name(m), true);
	return count;
}

/* ---- A matrix -------------------------------------------------------------------------------- */

static int matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	int code, worst = TOOL_OK, count = 0;
	struct bench_case *c = case_of_matrix(b, source, A, &code);
	const int formats = c ? add_all(b, c) : 0;

	if (!c)
		return code;
	struct tool_progress *progress = tool_progress_start(&b->o.common, c->name);

	c->v[V_DISTURBED] = 0;
	for (int k = 0; k < c->count && !code; k++) {
		struct record *r = &c->record[k];

		code = measure(b, c, A, k >= formats, r);
		if (r->failed)
			worst = tool_fail(TOOL_FAILED, "%s: %s: %s", c->name, r->name, r->why);
		if (!r->failed && !r->refused)
			c->v[V_DISTURBED] += (r->v[V_DISTURBED] - c->v[V_DISTURBED]) / ++count;
		tool_progress_step(progress, k + 1, c->count);
	}
	tool_progress_end(progress);
	return case_done(b, c, code ? code : worst);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const struct column columns[] = {
	{"format", BLOCK | PAGE | SUM | LEFT, VALUES, "name", NULL, NULL},
	{"matrices", SUM, V_MATRICES, "%.0f", NULL, NULL},
	{"refused", SUM | LESS, V_REFUSED, "%.0f", NULL, NULL},
	{"COO ms", BLOCK | PAGE | LESS, V_COO_MS, NULL, NULL,
         "time of making it from coordinates, rows ascending"},
	{"COO cost", BLOCK | PAGE | SUM | LESS, V_COO_COST, "%.2f", NULL,
         "that over the time from COO to CSR (Greathouse and Daga 2014, Figure 11)"},
	{"CSR ms", BLOCK | PAGE | LESS, V_CSR_MS, NULL, NULL, "time of making it from CSR"},
	{"CSR cost", BLOCK | PAGE | SUM | LESS, V_CSR_COST, "%.2f", NULL,
         "that over the time from COO to CSR"},
	{"calls", BLOCK | PAGE | LESS, V_CALLS, "%.1f", NULL, "CSR ms in products of plain CSR"},
	{"calls", SUM | LESS, V_CALLS, "%.2f", NULL, NULL},
	{"own calls", BLOCK | PAGE | LESS, V_OWN_CALLS, "%.1f", NULL,
         "CSR ms in products of its own (Liu 2015, Figure 8.15)"},
	{"own calls", SUM | LESS, V_OWN_CALLS, "%.2f", NULL, NULL},
	{"size", BLOCK | PAGE | SUM | LESS, V_SIZE, "%.3f", NULL,
         "bytes of its arrays, for methods with those of CSR, over the bytes of CSR"},
	PARAMETERS_COLUMN(BLOCK | PAGE),
	{"", BLOCK | LEFT, VALUES, NULL, cell_status, "why it was refused"},
	{.head = NULL}};

static const char *title(const struct bench *b, const struct bench_case *c)
{
	(void)b;
	return keep("%s (%s, %s)  %s, %s in CSR", c->name, c->source, c->group, text_matrix(c),
	            text_bytes(c->v[V_CSR_BYTES]));
}

/* ---- The page -------------------------------------------------------------------------------- */

static const char *place(const struct bench *b)
{
	return keep("%s, values %s, indices %s", text_many(ek_context_threads(b->ctx), "thread"),
	            b->cases[0].value, b->cases[0].index);
}

/* ---- The operation --------------------------------------------------------------------------- */

static const struct argp_child children[] = {
	{&tool_common_argp, 0, "Common options:", 2}, {&tool_device_argp, 0, NULL, 2}, {0}};

const struct operation bench_convert = {
	.name = "convert",
	.text = "making each format, from COO and from CSR, in products and in bytes",
	.usage = "[MATRIX...]",
	.help = "Times the making of formats from COO and from CSR, and what methods of plain CSR "
		"prepare, in rounds with the way from COO to CSR and with products. What was made "
		"must go back to CSR without a lost bit.\v"
		"With --format alone no methods are measured, with --method alone no formats. "
		"Exit status 1: something did not go back.",
	.options = "suite html rounds time formats preparing max_bytes",
	.defaults = "time=3",
	.children = children,
	.check = check_matrices,
	.fields = "op method format matrix source group rows cols nnz value index threads isa "
		  "rounds disturbed coo_ms csr_ms coo_cost csr_cost calls own_calls layout_calls "
		  "allocation_calls tile_ptr_calls tile_desc_calls transposition_calls ms bytes "
		  "csr_bytes size commit machine state date",
	.problem = "matrices",
	.operation = EK_SPMV,
	.columns = columns,
	.walk = walk_matrices,
	.matrix = matrix,
	.each = table_case,
	.end = groups_end,
	.title = title,
	.heading = "The cost of formats",
	.charts = "name group coo_cost",
	.place = place,
	.layout = "costs",
};
