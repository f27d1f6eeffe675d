/* SPDX-License-Identifier: BSD-3-Clause
 * ek multiply: computes C = alpha op(A) op(B) + beta D with sparse matrices from files and
 * generators, times the plan, the run that makes C, and later runs into it, checks C, and writes
 * it. ek add does this for C = alpha op(A) + beta op(B). */
#include "compute.h"

struct multiply_options {
	struct compute_options shared; /* must be the first member, see tool_init */
	const char *name[3];           /* of A, B and D; NULL for B means A */
	ek_op op_b;
	ek_operation operation; /* EK_SPGEMM, or EK_SPADD for ek add */
	bool unsorted;
};

enum { KEY_OP_B = COMPUTE_OWN, KEY_ADD, KEY_MEASURE, KEY_WISDOM, KEY_UNSORTED };
enum { NOT_OF_ADD = 4 }; /* rows of options that ek add does not have */

static const struct argp_option options[] = {
	{"add", KEY_ADD, "D", 0, "a matrix that is added, times --beta, which is 1 by default", 0},
	MEASURED_ROWS(KEY_MEASURE, KEY_WISDOM, "--repeat"),
	{"unsorted", KEY_UNSORTED, NULL, 0,
         "columns in a row of C may have any order, which can be faster (they ascend)", 0},
	{"op-b", KEY_OP_B, "n|t", 0, "op(B): B, or B transposed (n)", 0},
	{"memory", COMPUTE_MEMORY, "SIZE", 0,
         "most bytes beside the matrices and C, such as 500M or 2^33 (no limit)", 0},
	{"repeat", COMPUTE_REPEAT, "N", 0, "later runs, which compute the values of C again (0)",
         0},
	{"check", COMPUTE_CHECK, NULL, 0,
         "compare with the serial method: the pattern, and values by error/bound", 0},
	{"explain", COMPUTE_EXPLAIN, NULL, 0, "print why the plan is as it is", 0},
	{"output", 'o', "FILE", 0, "where to write C; the name ends in .mtx or .ekm (nowhere)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct multiply_options *o = state->input;

	tool_init(key, state, &o->shared.common);
	switch (key) {
	case ARGP_KEY_INIT: o->shared.common.beta = 1; break;
	case KEY_OP_B: o->op_b = tool_op("--op-b", arg); break;
	case KEY_ADD: o->name[2] = arg; break;
	case KEY_WISDOM: o->shared.measured.wisdom = arg; o->shared.measured.on = true; break;
	case KEY_MEASURE: o->shared.measured.on = true; break;
	case KEY_UNSORTED: o->unsorted = true; break;
	case ARGP_KEY_ARG:
		if (o->name[1])
			tool_usage("%s: at most two matrices are expected%s", arg,
			           o->operation == EK_SPADD ? "" : "; --add takes a third");
		o->name[o->name[0] ? 1 : 0] = arg;
		break;
	default: return compute_parse(key, arg, &o->shared);
	}
	return 0;
}

static const struct argp_child children[] = {{&tool_common_argp, 0, "Common options:", 2},
                                             {&tool_product_argp, 0, "The computation:", 1},
                                             {0}};
static const struct argp multiply_argp = {
	options,  parse, "A [B]", "C = alpha op(A) op(B) + beta D, all sparse. Without B, B is A.",
	children, NULL,  NULL};
static const struct argp add_argp = {
	options + NOT_OF_ADD, parse,
	"A B",       "C = alpha op(A) + beta op(B), all sparse; beta is 1 by default.",
	children,    NULL,
	NULL};

/* ---- The computation ------------------------------------------------------------------------- */

struct multiply {
	struct compute c;
	const struct multiply_options *o;
	struct tool_source source[3];
	ek_matrix *M[3];
	double products;
};

static int read_matrices(struct multiply *p)
{
	struct multiply_case *m = &p->c.what;
	int code = TOOL_OK;

	for (int k = 0; k < 3 && !code; k++)
		if (p->o->name[k])
			code = tool_matrix(m->ctx, &p->c.o->common, p->o->name[k], &p->source[k],
			                   &p->M[k]);
	m->A = p->M[0];
	m->B = p->M[1] ? p->M[1] : p->M[0];
	m->D = p->M[2];
	return code;
}

static int check(struct multiply *p, FILE *out)
{
	const int code = compute_check(&p->c);

	if (code)
		return code;
	compute_print_error(&p->c, out);
	return compute_verdict(&p->c);
}

/* ---- Results --------------------------------------------------------------------------------- */

static bool adds(const struct multiply *p)
{
	return p->c.what.operation == EK_SPADD;
}

/* Returns the Gflop of a run; for a sum, the GB, with which A and B are read and C is written. */
static double work(const struct multiply *p)
{
	const int64_t bytes = compute_info(p->c.what.A).bytes + compute_info(p->c.what.B).bytes +
	                      compute_info(p->c.C).bytes;

	return adds(p) ? 1e-9 * (double)bytes : 2e-9 * p->products;
}

/* Returns the number of products for each entry of C, or 0 if C has none. */
static double compression(const struct multiply *p)
{
	const int64_t nnz = compute_info(p->c.C).nnz;

	return nnz ? p->products / (double)nnz : 0;
}

static void print(const struct multiply *p, FILE *out)
{
	compute_print_matrix(out, "A", p->c.what.A);
	if (p->M[1])
		compute_print_matrix(out, "B", p->c.what.B);
	if (p->c.what.D)
		compute_print_matrix(out, "D", p->c.what.D);
	compute_print_matrix(out, "C", p->c.C);
	if (!adds(p))
		fprintf(out, "products  %.0f, %.3g for each entry of C\n", p->products,
		        compression(p));
	compute_print(&p->c, work(p), adds(p) ? "GB/s" : "Gflop/s", out);
	if (p->c.o->explain) /* with what it says about trials */
		compute_print_explain(&p->c, out);
	else
		measured_print(&p->c.o->measured, p->c.plan, out);
}

static json_t *record_of(const struct multiply *p)
{
	const struct multiply_case *m = &p->c.what;
	const ek_matrix_info C = compute_info(p->c.C);
	ek_stats stats = {.size = sizeof stats};
	json_t *record = tool_record(&p->source[0], m->A);

	json_object_set_new(record, "b",
	                    p->M[1] ? tool_record(&p->source[1], p->M[1]) : json_null());
	if (!adds(p))
		json_object_set_new(record, "d",
		                    p->M[2] ? tool_record(&p->source[2], p->M[2]) : json_null());
	json_object_set_new(record, "op", json_string(m->op == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "op_b", json_string(m->op_b == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "alpha", json_real(m->alpha));
	json_object_set_new(record, "beta", json_real(m->beta));
	compute_json_method(record, &p->c);
	json_object_set_new(record, "c_rows", json_integer(C.rows));
	json_object_set_new(record, "c_cols", json_integer(C.cols));
	json_object_set_new(record, "c_nnz", json_integer(C.nnz));
	json_object_set_new(record, "c_index", json_string(ek_index_name(C.index)));
	if (ek_matrix_stats(p->c.C, &stats) == EK_OK)
		json_object_set_new(record, "c_sorted", json_boolean(stats.sorted));
	if (!adds(p)) {
		json_object_set_new(record, "unsorted", json_boolean(m->unsorted));
		json_object_set_new(record, "products", json_real(p->products));
		json_object_set_new(record, "compression", json_real(compression(p)));
	}
	compute_json_times(record, &p->c, work(p), adds(p) ? "gbps" : "gflops");
	compute_json_error(record, &p->c);
	return record;
}

static int run(struct multiply *p)
{
	const struct compute_options *o = p->c.o;
	FILE *out = tool_people_beside(&o->common, o->output);
	int code = read_matrices(p), checked = TOOL_OK;

	if (!code)
		code = measured_load(p->c.what.ctx, &o->measured);
	if (!code)
		code = compute_plan(&p->c);
	if (!code && !adds(p))
		code = multiply_products(&p->c.what, &p->products);
	if (!code)
		code = compute_runs(&p->c);
	if (code)
		return code;
	print(p, out);
	if (o->check)
		checked = check(p, out);
	if (o->output)
		code = tool_write(&o->common, p->c.C, o->output, NULL);
	if (!code && o->common.json)
		code = tool_json_one(&o->common, record_of(p));

	const int saved = measured_save(p->c.what.ctx, &o->measured);

	return checked ? checked : code ? code : saved;
}

/* Ends the program if options are missing or conflict. */
static void check_options(struct multiply_options *o)
{
	if (o->operation == EK_SPADD && !o->name[1])
		tool_usage("two matrices are expected: files, -, generators or twins");
	if (!o->name[0])
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	if (o->operation == EK_SPGEMM && o->shared.common.beta != 1 && !o->name[2])
		tool_usage("--beta %g needs a matrix: --add D", o->shared.common.beta);
	measured_check(&o->shared.measured, &o->shared.common,
	               o->shared.repeat ? NULL : "--repeat");
	compute_check_options(o->operation, &o->shared);
}

static int command(int argc, char **argv, ek_operation operation)
{
	static struct multiply_options o = {.op_b = EK_OP_N};
	static struct multiply p;
	const struct tool_options *common = &o.shared.common;
	int code;

	o.operation = operation;
	tool_parse(operation == EK_SPADD ? &add_argp : &multiply_argp, argc, argv, &o);
	check_options(&o);
	p.o = &o;
	p.c.o = &o.shared;
	p.c.what = (struct multiply_case){.operation = operation,
	                                  .ctx = tool_context(common, &code),
	                                  .op = common->op,
	                                  .op_b = o.op_b,
	                                  .index = common->index,
	                                  .unsorted = o.unsorted,
	                                  .alpha = common->alpha,
	                                  .beta = operation == EK_SPADD || o.name[2] ? common->beta
	                                                                             : 0};
	if (!p.c.what.ctx)
		return code;
	code = run(&p);
	ek_plan_destroy(p.c.plan);
	ek_matrix_destroy(p.c.C);
	for (int k = 0; k < 3; k++)
		ek_matrix_destroy(p.M[k]);
	ek_context_destroy(p.c.what.ctx);
	return code;
}

int cmd_multiply(int argc, char **argv)
{
	return command(argc, argv, EK_SPGEMM);
}

int cmd_add(int argc, char **argv)
{
	return command(argc, argv, EK_SPADD);
}
