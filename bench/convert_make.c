/* SPDX-License-Identifier: BSD-3-Clause
 * The cost of making a format, or what a method prepares beside CSR. Each round times, one after
 * the other and in changing order, CSR from COO, the format from COO, the format from CSR, a
 * product of plain CSR and a product of the format, so that both sides of a ratio are of the same
 * seconds. Only one matrix or plan that was made exists at a time. It is freed, untimed, before the
 * next is made, so memory is touched for the first time in each conversion, as in a program that
 * converts once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "spmv.h"

/* Upper estimate of the memory in use, in copies of CSR: COO, the format that was checked, the
 * format that is made, and intermediate arrays. */
#define MOST_COPIES 6

/* The matrix and the plan that the last maker made. */
struct slot {
	ek_matrix *matrix;
	ek_plan *plan;
};

/* What a maker does: it converts `from` to a format, and makes a plan of the result or, without a
 * format, of `from`. */
struct maker {
	const ek_matrix *from;
	const char *format, *method; /* NULL if there is no conversion, or no plan */
	int64_t max_bytes;
	struct slot *slot;
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

static void run_maker(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct maker *m = e->own;
	ek_convert_options o = {.size = sizeof o, .max_bytes = m->max_bytes};

	for (; calls > 0; calls--) {
		ek_status status = EK_OK;

		if (m->format)
			status = ek_matrix_convert(m->from, m->format, &o, &m->slot->matrix);
		if (status == EK_OK && m->method)
			status = make_plan(m->slot->matrix ? m->slot->matrix : m->from, m->method,
			                   &m->slot->plan);
		e->record.failed |= status != EK_OK;
	}
}

static struct entrant *enter_maker(struct field *f, struct maker maker)
{
	struct entrant *e = entrant_add(f, RECORD_OURS, "", "", sizeof maker);

	*(struct maker *)e->own = maker;
	e->calls.run = run_maker;
	e->calls.before = before;
	e->calls.most = 1;
	return e;
}

/* Enters the product y = A x of a plan; vectors[0] is x, vectors[1] is y. */
static struct entrant *enter_product(struct field *f, ek_plan *plan, const ek_dense *vectors)
{
	static struct problem once = {.operation = EK_SPMV, .alpha = 1};
	struct entrant *e = entrant_add(f, RECORD_OURS, "", "", sizeof(struct product));

	*(struct product *)e->own = (struct product){
		.problem = &once, .plan = plan, .x = &vectors[0], .y = &vectors[1], .count = 1};
	e->calls.run = run_ours;
	return e;
}

/* Returns an x or a y for the product with A. */
static ek_dense vector_for(const ek_matrix *A, bool x)
{
	ek_matrix_info info = {.size = sizeof info};

	ek_matrix_get_info(A, &info);
	const int64_t n = x ? info.cols : info.rows;

	return ek_vector(info.value, n,
	                 need(problem_vector(info.value, n), "the vectors of a product"));
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

/* Tells whether a format places entries by their columns. Such a format, unless it is CSC, has only
 * one place for two entries with the same row and column and refuses them. From it and from CSC the
 * entries of a row come back in the order of their columns. */
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

/* Tells whether X, which is A converted to a format, converts back to A bit for bit. */
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

/* Matrices and plans that were made once, for the checks and the products. */
struct made {
	ek_matrix *coo, *matrix;
	ek_plan *plan, *plain; /* plan of what was made; plan of plain CSR */
};

/* Times the makers and the products in rounds, and fills in the record. */
static void time_all(struct bench *b, struct bench_case *c, struct record *r,
                     const struct made *made, const ek_matrix *A, double seconds, bool beside)
{
	struct field f = {.bench = b, .c = c};
	struct slot slot = {NULL, NULL};
	const char *format = beside ? NULL : r->name, *method = beside ? r->name : NULL;
	const bool is_csr = strcmp(r->name, "csr") == 0, is_coo = strcmp(r->name, "coo") == 0;
	struct entrant *coo_csr, *coo = NULL, *csr = NULL, *plain, *own = NULL;
	double *v = r->v;
	/* The limit applies to a format that is measured, not to the CSR from which a method makes
	 * its plan. */
	const int64_t limit = format ? b->o.max_bytes : -1;
	const ek_dense vectors[] = {vector_for(A, true), vector_for(A, false)};

	field_start(&f);
	coo_csr = enter_maker(&f, (struct maker){made->coo, "csr", NULL, -1, &slot});
	if (!is_coo && !is_csr)
		coo = enter_maker(&f, (struct maker){made->coo, format ? format : "csr", method,
		                                     limit, &slot});
	if (!is_csr)
		csr = enter_maker(&f, (struct maker){A, format, method, limit, &slot});
	plain = enter_product(&f, made->plain, vectors);
	if (made->plan)
		own = enter_product(&f, made->plan, vectors);
	field_rounds(&f, seconds, NULL);
	clear(&slot);
	v[V_ROUNDS] = f.rounds;
	v[V_DISTURBED] = field_disturbed(&f);
	v[V_COO_MS] = entrant_ms(is_csr ? coo_csr : coo);
	v[V_COO_COST] = is_csr ? 1 : entrant_ratio(coo, coo_csr);
	v[V_CSR_MS] = entrant_ms(csr);
	v[V_CSR_COST] = entrant_ratio(csr, coo_csr);
	v[V_MS] = entrant_ms(own);
	v[V_CALLS] = entrant_ratio(csr, plain);
	v[V_OWN_CALLS] = entrant_ratio(csr, own);
	for (int k = 0; k < f.entrants; k++)
		r->failed |= f.entrant[k].record.failed;
	if (r->failed)
		r->why = keep("%s", ek_error_text());
	field_end(&f);
	free(vectors[0].data);
	free(vectors[1].data);
}

/* Makes what r->name says once, and checks it. If a limit, missing support or missing memory
 * prevents that, the record is refused; for other errors an exit code is returned. */
static int look(const struct bench *b, struct record *r, struct made *made, const ek_matrix *A,
                double csr_bytes, bool beside)
{
	ek_convert_options o = {.size = sizeof o, .max_bytes = b->o.max_bytes};
	ek_matrix_info info = {.size = sizeof info};
	char format[TOOL_FORMAT];
	ek_status status;

	if (beside) {
		status = make_plan(A, r->name, &made->plan);
	} else {
		status = ek_matrix_convert(A, r->name, &o, &made->matrix);
		/* If no method multiplies with the format, it is measured without a product. */
		if (status == EK_OK && make_plan(made->matrix, NULL, &made->plan) != EK_OK)
			made->plan = NULL;
	}
	if (status == EK_ELIMIT || status == EK_EUNSUPPORTED || status == EK_ENOMEM) {
		record_refuse(r, ek_error_text());
		return TOOL_OK;
	}
	if (status != EK_OK)
		return tool_check(status);
	r->v[V_BYTES] = csr_bytes + (double)ek_plan_memory(beside ? made->plan : NULL);
	if (!beside) {
		ek_matrix_get_info(made->matrix, &info);
		tool_format_text(&info, format);
		r->format = keep("%s", format);
		r->v[V_BYTES] = (double)info.bytes;
		r->failed = !goes_back(b->ctx, r->name, A, made->matrix);
	}
	if (r->failed)
		r->why = "going back to CSR does not give the same bits";
	r->v[V_SIZE] = r->v[V_BYTES] / csr_bytes;
	return TOOL_OK;
}

int convert_measure(struct bench *b, struct bench_case *c, const ek_matrix *A, double seconds,
                    bool beside, struct record *r)
{
	const char *lack = text_lack(MOST_COPIES * c->v[V_CSR_BYTES], "about ", " are needed");
	struct made made = {NULL, NULL, NULL, NULL};
	int code;

	if (lack) {
		record_refuse(r, lack);
		return TOOL_OK;
	}
	code = look(b, r, &made, A, c->v[V_CSR_BYTES], beside);
	if (!code && !r->refused && !r->failed) {
		code = tool_check(ek_matrix_convert(A, "coo", NULL, &made.coo));
		if (!code)
			code = tool_check(make_plan(A, "spmv.csr.rows", &made.plain));
		if (!code)
			time_all(b, c, r, &made, A, seconds, beside);
	}
	ek_plan_destroy(made.plain);
	ek_plan_destroy(made.plan);
	ek_matrix_destroy(made.matrix);
	ek_matrix_destroy(made.coo);
	return code;
}
