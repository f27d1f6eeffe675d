/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM by one SpMV for each column. This works in every format. The step has one child: the SpMV
 * method that is chosen for the format. Results are strict (EKI_STRICT) if the results of the child
 * are.
 *
 * Columns of row-major blocks are not contiguous, so they are copied to the scratch and back. Cost:
 * one product for each column, and each product reads A. */
#include "plan/plan.h"

typedef struct columns {
	eki_problem problem; /* problem of the child */
	int64_t x, y;        /* offsets of a column of X and of Y in the scratch memory */
} columns;

static ek_status prepare(eki_step *step)
{
	const size_t size = ek_value_size(step->in[0]->value);
	columns *c;
	eki_step *child;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *c, &c));
	*c = (columns){.problem = *step->problem};
	c->problem.operation = eki_operation_row(EK_SPMV);
	c->problem.calls = eki_times(c->problem.calls, c->problem.width);
	c->problem.width = 1;
	step->state = c;
	EK_RETURN_IF(eki_step_children(step, 1));
	child = eki_step_child_of(step, &c->problem, step->in[0], step->op[0]);
	EK_RETURN_IF(eki_step_choose(child));
	EK_RETURN_IF(eki_step_say(step, "each column is multiplied by %s\n", child->method->name));
	EK_RETURN_IF(eki_step_prepare(child));
	step->threads = child->threads;
	step->parts = child->parts;
	/* Adds the child's own arrays to the bytes of A, X and Y. */
	step->bytes += child->bytes - eki_moved_bytes(&c->problem, step->in[0]);
	EK_RETURN_IF(eki_step_scratch(step, step->x_len, size, &c->x));
	return eki_step_scratch(step, step->y_len, size, &c->y);
}

/* Copies a column of n entries, by scaling the column by 1. */
static void copy(const eki_step *step, const eki_dense *from, const eki_dense *to, int64_t n)
{
	const eki_run one = {.y = *to, .y0 = *from, .width = 1, .beta = eki_real(1)};

	eki_scale(step, &one, 0, n);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const columns *c = step->state;
	const size_t size = ek_value_size(step->in[0]->value);
	const eki_dense x = {.data = v->scratch + c->x, .row = 1},
			y = {.data = v->scratch + c->y, .row = 1};

	for (int64_t j = 0; j < v->width; j++) {
		const eki_run whole = eki_run_columns(v, size, j, 1);
		eki_run one = whole;

		if (v->x.row != 1) {
			copy(step, &whole.x, &x, step->x_len);
			one.x = x;
		}
		if (v->y.row != 1) {
			if (!eki_is(v->beta, 0))
				copy(step, &whole.y0, &y, step->y_len);
			one.y = one.y0 = y;
		}
		EK_RETURN_IF(eki_step_run(step->child, &one));
		if (v->y.row != 1)
			copy(step, &y, &whole.y, step->y_len);
	}
	return EK_OK;
}

/* Predicts the time of the child's method for each column, and of the copies that row-major blocks
 * need. */
static double cost(const eki_features *f)
{
	const double both = (double)f->stats.rows + (double)f->stats.cols;
	const double width = (double)f->width;
	eki_features one = *f;

	one.calls = eki_times(f->calls, f->width);
	one.announced = eki_times(f->announced, f->width);
	one.width = 1;
	one.csr_bytes -= (width - 1) * both * (double)ek_value_size(f->value);
	return width *
	       (eki_least_cost(&one, EK_SPMV, EKI_CPU) + f->machine->copy * both / f->threads);
}

const ek_method ek_spmm_columns = {
	.name = "spmm.columns",
	.text = "one SpMV for each column, by the method chosen for the format",
	.source = "Liu 2015, chapter 6, for each column",
	.operation = EK_SPMM,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.cost = cost,
	.prepare = prepare,
	.run = run,
};
