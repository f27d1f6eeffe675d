/* SPDX-License-Identifier: BSD-3-Clause
 * The cost of making a format, or what a method prepares beside CSR. Each round times, one after
 * the other and in changing order, CSR from COO, the format from COO, the format from CSR, a
 * product of plain CSR and a product of the format, so that both sides of a ratio are of the same
 * seconds. Only one matrix or plan that was made exists at a time. It is freed, untimed, before the
 * next is made, so memory is touched for the first time in each conversion, as in a program that
 * converts once. */
#include <stdlib.h>
#include <string.h>

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
	static struct problem once = {.peer = {.operation = EK_SPMV, .alpha = 1}};
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

/* Times the makers and the products in rounds, and fills in the record. `made` is what r->name says,
 * from A or, if `beside`, beside A; `coo` is A as coordinates, `rows` a plan of plain CSR. */
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
	const ek_dense vectors[] = {vector_for(A, true), vector_for(A, false)};
	struct entrant *to_csr, *from_coo = NULL, *from_csr = NULL, *plain, *own = NULL;
	double *v = r->v;

	to_csr = enter_maker(&f, (struct maker){coo, "csr", NULL, -1, &slot});
	if (!is_coo && !is_csr)
		from_coo = enter_maker(
			&f, (struct maker){coo, format ? format : "csr", method, limit, &slot});
	if (!is_csr)
		from_csr = enter_maker(&f, (struct maker){A, format, method, limit, &slot});
	plain = enter_product(&f, rows, vectors);
	if (made->plan)
		own = enter_product(&f, made->plan, vectors);
	field_rounds(&f, b->o.seconds / c->count, NULL);
	clear(&slot);
	v[V_ROUNDS] = f.rounds;
	v[V_DISTURBED] = field_disturbed(&f);
	v[V_COO_MS] = entrant_ms(is_csr ? to_csr : from_coo);
	v[V_COO_COST] = is_csr ? 1 : entrant_ratio(from_coo, to_csr);
	v[V_CSR_MS] = entrant_ms(from_csr);
	v[V_CSR_COST] = entrant_ratio(from_csr, to_csr);
	v[V_MS] = entrant_ms(own);
	v[V_CALLS] = entrant_ratio(from_csr, plain);
	v[V_OWN_CALLS] = entrant_ratio(from_csr, own);
	for (int k = 0; k < f.entrants; k++)
		r->failed |= f.entrant[k].record.failed;
	if (r->failed)
		r->why = keep("%s", ek_error_text());
	field_end(&f);
	free(vectors[0].data);
	free(vectors[1].data);
}

/* Makes what r->name says once, and checks that a format converts back to CSR. */
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
		/* If no method multiplies with the format, it is measured without a product. */
		if (make_plan(made->matrix, NULL, &made->plan) != EK_OK)
			made->plan = NULL;
		ek_matrix_get_info(made->matrix, &info);
		tool_format_text(&info, format);
		r->format = keep("%s", format);
		r->v[V_BYTES] = (double)info.bytes;
		r->failed = !goes_back(b->ctx, r->name, A, made->matrix);
		if (r->failed)
			r->why = "going back to CSR does not give the same bits";
	}
	if (status == EK_OK)
		r->v[V_SIZE] = r->v[V_BYTES] / csr_bytes;
	return status;
}

int convert_measure(struct bench *b, struct bench_case *c, const ek_matrix *A, bool beside,
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
