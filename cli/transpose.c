/* SPDX-License-Identifier: BSD-3-Clause
 * ek transpose: makes the transpose C of a sparse matrix from a file or a generator, times the
 * plan, the run that makes C, and later runs into it, checks C, and writes it. */
#include <string.h>

#include "compute.h"

struct transpose_options {
	struct compute_options shared; /* must be the first member, see tool_init */
	const char *name;
};

enum { KEY_METHOD = COMPUTE_OWN };

static const struct argp_option options[] = {
	{"method", KEY_METHOD, "NAME", 0, "a method of transpose, or auto (auto)", 0},
	{"memory", COMPUTE_MEMORY, "SIZE", 0,
         "most bytes beside the matrix and its transpose, such as 500M or 2^33 (no limit)", 0},
	{"repeat", COMPUTE_REPEAT, "N", 0, "later runs, which move the values again (0)", 0},
	{"check", COMPUTE_CHECK, NULL, 0, "compare all bits with transpose.csr.serial", 0},
	{"explain", COMPUTE_EXPLAIN, NULL, 0, "print why the plan is as it is", 0},
	{"output", 'o', "FILE", 0,
         "where to write the transpose; the name ends in .mtx or .ekm (nowhere)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct transpose_options *o = state->input;

	tool_init(key, state, &o->shared.common);
	switch (key) {
	case KEY_METHOD: o->shared.common.method = arg; break;
	case ARGP_KEY_ARG:
		if (o->name)
			tool_usage("%s: one matrix is expected", arg);
		o->name = arg;
		break;
	default: return compute_parse(key, arg, &o->shared);
	}
	return 0;
}

static const struct argp_child children[] = {{&tool_device_argp, 0, "The computation:", 1},
                                             {&tool_common_argp, 0, "Common options:", 2},
                                             {0}};
static const struct argp argp = {options, parse, "A", "C = A^T, all sparse.", children, NULL, NULL};

struct transpose {
	struct compute c;
	const struct transpose_options *o;
	struct tool_source source;
	ek_matrix *A;
};

/* Compares the array `name` of C with that of D bit for bit. */
static int compare(const ek_matrix *C, const ek_matrix *D, const char *name)
{
	ek_view c = {.size = sizeof c}, d = {.size = sizeof d};

	if (ek_matrix_array(C, name, &c) != EK_OK || ek_matrix_array(D, name, &d) != EK_OK)
		return tool_check(EK_EINVAL);
	if (c.len == d.len && memcmp(c.data, d.data, (size_t)c.len * c.elem_size) == 0)
		return TOOL_OK;
	return tool_fail(TOOL_FAILED, "%s differs from that by transpose.csr.serial", name);
}

static int check(const struct transpose *p, FILE *out)
{
	static const char *const name[2][3] = {{"row_ptr", "col_idx", "val"},
	                                       {"col_ptr", "row_idx", "val"}};
	const ek_hints hints = {.size = sizeof hints, .method = "transpose.csr.serial"};
	const bool csc = strcmp(compute_info(p->c.C).format, "csc") == 0;
	struct tool_progress *progress = tool_progress_start(&p->c.o->common, "checking");
	ek_matrix *D = NULL;
	ek_plan *plan = NULL;
	int code = tool_check(ek_plan_create(EK_TRANSPOSE, p->A, &hints, &plan));

	if (!code)
		code = tool_check(ek_transpose(plan, &D));
	for (int k = 0; k < 3 && !code; k++)
		code = compare(p->c.C, D, name[csc][k]);
	tool_progress_end(progress);
	if (!code)
		fprintf(out, "check     same bits as by transpose.csr.serial\n");
	ek_plan_destroy(plan);
	ek_matrix_destroy(D);
	return code;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Returns the GB with which A is read and C is written. */
static double work(const struct transpose *p)
{
	return 1e-9 * (double)(compute_info(p->A).bytes + compute_info(p->c.C).bytes);
}

static void print(const struct transpose *p, FILE *out)
{
	compute_print_matrix(out, "A", p->A);
	compute_print_matrix(out, "C", p->c.C);
	compute_print(&p->c, work(p), "GB/s", out);
	compute_print_explain(&p->c, out);
}

static json_t *record_of(const struct transpose *p, int checked)
{
	json_t *record = tool_record(&p->source, p->A);

	compute_json_method(record, &p->c);
	compute_json_times(record, &p->c, work(p), "gbps");
	if (p->c.o->check)
		json_object_set_new(record, "failed", json_boolean(checked != TOOL_OK));
	return record;
}

static int run(struct transpose *p)
{
	const struct compute_options *o = p->c.o;
	FILE *out = tool_people_beside(&o->common, o->output);
	int code = tool_matrix(p->c.what.ctx, &o->common, p->o->name, &p->source, &p->A);
	int checked = TOOL_OK;

	p->c.what.A = p->A;
	if (!code)
		code = compute_plan(&p->c);
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
		code = tool_json_one(&o->common, record_of(p, checked));
	return checked ? checked : code;
}

int cmd_transpose(int argc, char **argv)
{
	static struct transpose_options o;
	static struct transpose p;
	int code = TOOL_OK;

	tool_parse(&argp, argc, argv, &o);
	if (!o.name)
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	compute_check_options(EK_TRANSPOSE, &o.shared);
	p.o = &o;
	p.c.o = &o.shared;
	p.c.what.operation = EK_TRANSPOSE;
	p.c.what.ctx = tool_context(&o.shared.common, &code);
	if (!p.c.what.ctx)
		return code;
	code = run(&p);
	ek_plan_destroy(p.c.plan);
	ek_matrix_destroy(p.c.C);
	ek_matrix_destroy(p.A);
	ek_context_destroy(p.c.what.ctx);
	return code;
}
