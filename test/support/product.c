/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of products: the data and one checked run. */
#define _POSIX_C_SOURCE 200809L /* sigaction */
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "plan/plan.h"
#include "support/support.h"
#include "support/product.h"
#include "support/registers.h"

enum { SLACK = 256, SLACK_BYTE = 0xa5 };

char product_where[512];

static void crash(int number)
{
	size_t n = strlen(product_where);

	if (write(STDERR_FILENO, product_where, n) == (ssize_t)n)
		(void)!write(STDERR_FILENO, "\n", 1);
	signal(number, SIG_DFL);
	raise(number);
}

void product_catch_crashes(void)
{
	struct sigaction action = {.sa_handler = crash};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
}

bool shape_may_refuse(const struct shape *s, const ek_method *m, ek_status status)
{
	const ek_store A = {.rows = s->rows, .cols = s->cols, .nnz = s->nnz};

	if (!m)
		return false;
	if (m->format[0] == &ek_format_csr)
		return status == EK_EUNSUPPORTED && m->applies && !m->applies(&A, EK_OP_N);
	return status == EK_ELIMIT ||
	       (status == EK_EUNSUPPORTED && m->format[0]->by_column && shape_repeats(s));
}

/* ---- Data ------------------------------------------------------------------------------------ */

static double number(struct rng *rng, enum data data, int64_t max)
{
	return data == DATA_EXACT ? rng_integer(rng, max) : rng_real(rng, 20);
}

/* Returns a read-only vector of n values. Value j is NaN if column j of op(A) is empty; `line`
 * holds the column pointers of op(A). If `line` is NULL, all values are NaN. */
static const void *make_x(struct product *p, struct guard *g, struct rng *rng, int64_t n,
                          const int64_t *line, int at_end)
{
	size_t bytes = (size_t)n * ek_value_size(p->value);
	void *x;

	guard_make(g, bytes);
	x = at_end ? guard_at_end(g, bytes) : guard_at_begin(g, bytes);
	for (int64_t j = 0; j < n; j++)
		value_set(p->value, x, j,
		          line && line[j + 1] > line[j] ? number(rng, p->data, SHAPE_X)
		                                        : (double)NAN);
	guard_read_only(g, true);
	return x;
}

static void make_vectors(struct product *p, struct rng *rng, int seed)
{
	int64_t longest = p->n[0] > p->n[1] ? p->n[0] : p->n[1];
	size_t bytes = ((size_t)longest + 1) * sizeof(double);

	for (int op = 0; op < 2; op++) {
		const int64_t *line = op ? p->A.ptr : p->T.ptr;

		for (int v = 0; v < 2; v++)
			p->x[op][v] = make_x(p, &p->x_guard[op][v], rng, p->n[1 - op], line,
			                     (seed + v) & 1);
		p->nan[op] = make_x(p, &p->x_guard[op][2], rng, p->n[1 - op], NULL, 1);
	}
	for (int v = 0; v < 2; v++) {
		p->y0[v] = malloc(bytes);
		for (int64_t i = 0; i < longest; i++)
			value_set(p->value, p->y0[v], i, number(rng, p->data, SHAPE_Y));
	}
	for (int v = 0; v < 3; v++) {
		guard_make(&p->y0_guard[v], bytes);
		void *y0 = guard_at_begin(&p->y0_guard[v], bytes);

		if (v < 2)
			memcpy(y0, p->y0[v], (size_t)longest * ek_value_size(p->value));
		else
			poison(p->value, y0, longest);
		guard_read_only(&p->y0_guard[v], true);
	}
	guard_make(&p->y_guard, bytes + SLACK);
	guard_make(&p->z_guard, bytes + SLACK);
	p->again = malloc(bytes);
}

void product_values(struct product *p, int held, ek_index index, int which)
{
	const struct shape *s = held == HELD_CSR ? &p->A : &p->T;

	typed_values(&p->held[held][index - 1], which == VALUES_FIRST ? s->val : s->val2);
}

void product_make(struct product *p, int shape, enum data data, ek_value value, int seed)
{
	struct rng rng = {(uint64_t)(shape * 97 + seed)};

	product_catch_crashes();
	*p = (struct product){.data = data, .value = value};
	shape_make(&p->A, shape, data);
	shape_transpose(&p->A, &p->T);
	p->n[0] = p->A.rows;
	p->n[1] = p->A.cols;
	for (int index = 1; index <= 3; index++) {
		typed_make(&p->held[HELD_CSR][index - 1], &p->A, value, (ek_index)index,
		           (seed + index) & 1);
		typed_make(&p->held[HELD_CSC][index - 1], &p->T, value, (ek_index)index,
		           (seed + index) & 1);
	}
	make_vectors(p, &rng, seed);
	for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
		product_values(p, HELD_CSR, EK_I32, which);
		for (int k = 0; k < 4; k++)
			reference_make(&p->ref[k / 2][k % 2][which], &p->held[HELD_CSR][0],
			               k / 2 ? EK_OP_T : EK_OP_N, p->x[k / 2][k % 2]);
	}
}

void product_free(struct product *p)
{
	for (int k = 0; k < 6; k++) {
		typed_free(&p->held[k / 3][k % 3]);
		guard_free(&p->x_guard[k / 3][k % 3]);
	}
	for (int k = 0; k < 8; k++)
		reference_free(&p->ref[k / 4][k / 2 % 2][k % 2]);
	free(p->y0[0]);
	free(p->y0[1]);
	free(p->again);
	for (int v = 0; v < 3; v++)
		guard_free(&p->y0_guard[v]);
	guard_free(&p->y_guard);
	guard_free(&p->z_guard);
	shape_free(&p->A);
	shape_free(&p->T);
}

ek_status product_matrix(const struct product *p, ek_context *ctx, int held, ek_index index,
                         unsigned flags, ek_matrix **A)
{
	return (held == HELD_CSR ? typed_csr : typed_csc)(ctx, &p->held[held][index - 1], flags, A);
}

/* ---- Running --------------------------------------------------------------------------------- */

void product_pair(enum data data, unsigned k, double *alpha, double *beta)
{
	static const double factor[] = {1, 0, 2.5, -1, 0.1};
	unsigned n = data == DATA_EXACT ? 4 : 5;

	*alpha = factor[k % n];
	*beta = factor[k / n % n];
}

static int slack_changed(const unsigned char *slack)
{
	for (int k = 0; k < SLACK; k++)
		if (slack[k] != SLACK_BYTE)
			return 1;
	return 0;
}

static int result_fault(const struct product *p, const struct run *run, const void *y, char *text,
                        size_t size)
{
	const struct reference *r = &p->ref[run->op][run->x][run->values];
	const void *y0 = p->y0[run->y0];
	double ratio = 0;
	int64_t row;

	if (p->data == DATA_EXACT)
		row = exact_fault(r, run->alpha, run->beta, y0, y);
	else if ((ratio = bound_ratio(r, run->alpha, run->beta, y0, y, &row)) <= 1)
		row = -1;
	if (row < 0)
		return 0;
	snprintf(text, size,
	         "alpha %g, beta %g, x %d, values %d: y[%lld] = %.17g, op(A) x is %.17g of %lld "
	         "entries, y was %.17g; error/bound %g",
	         run->alpha, run->beta, run->x, run->values, (long long)row,
	         value_at(p->value, y, row), (double)r->sum[row], (long long)r->count[row],
	         value_at(p->value, y0, row), ratio);
	return 1;
}

/* Computes z = alpha op(A) x + beta y on the device. Copies the vectors from the host to the
 * device, and z back to the host. If y is NULL, the old z serves as y. */
static ek_status run_on_device(const struct run *run, ek_plan *plan, const ek_dense *x,
                               const ek_dense *y, const ek_dense *z)
{
	const int64_t size = (int64_t)ek_value_size(x->value);
	ek_dense dx = *x, dy = *z, dz = *z;
	ek_status status;

	dx.where = dy.where = dz.where = EK_ON_DEVICE;
	dx.data = dy.data = dz.data = NULL;
	status = ek_device_alloc(run->device, x->rows * size, &dx.data);
	if (status == EK_OK)
		status = ek_device_alloc(run->device, z->rows * size, &dz.data);
	if (status == EK_OK && y)
		status = ek_device_alloc(run->device, z->rows * size, &dy.data);
	if (status == EK_OK)
		status = ek_device_write(run->device, dx.data, x->data, x->rows * size);
	if (status == EK_OK)
		status = ek_device_write(run->device, dz.data, z->data, z->rows * size);
	if (status == EK_OK && y)
		status = ek_device_write(run->device, dy.data, y->data, z->rows * size);
	if (status == EK_OK)
		status = y ? ek_spmv_add(plan, run->alpha, &dx, run->beta, &dy, &dz)
		           : ek_spmv(plan, run->alpha, &dx, run->beta, &dz);
	if (status == EK_OK)
		status = ek_device_read(run->device, dz.data, z->data, z->rows * size);
	ek_device_free(run->device, dx.data);
	ek_device_free(run->device, dy.data);
	ek_device_free(run->device, dz.data);
	return status;
}

/* Repeats the run with its result in another vector, z, and with y in read-only memory. z is NaN
 * before the run, and so is y if beta = 0. If z differs from `result` in any bit, writes a message
 * to `text` and returns 1. */
static int elsewhere_fault(const struct product *p, ek_plan *plan, const struct run *run,
                           const ek_dense *x, const ek_dense *result, char *text, size_t size)
{
	const struct guard *from = &p->y0_guard[run->beta == 0 ? 2 : run->y0];
	const size_t bytes = (size_t)result->rows * ek_value_size(p->value);
	const ek_dense y = ek_vector(p->value, result->rows, guard_at_begin(from, bytes)),
		       z = ek_vector(p->value, result->rows, guard_at_end(&p->z_guard, bytes));
	const unsigned char *slack = (const unsigned char *)z.data - SLACK;
	ek_status status;

	memset((char *)z.data - SLACK, SLACK_BYTE, SLACK);
	poison(p->value, z.data, z.rows);
	status = run->device ? run_on_device(run, plan, x, &y, &z)
	                     : ek_spmv_add(plan, run->alpha, x, run->beta, &y, &z);
	if (status != EK_OK)
		return snprintf(text, size, "z: status %d: %s", (int)status, ek_error_text()), 1;
	if (slack_changed(slack))
		return snprintf(text, size, "memory before z was written to"), 1;
	if (memcmp(z.data, result->data, bytes) == 0)
		return 0;
	snprintf(text, size, "alpha %g, beta %g: other bits in z than in y", run->alpha, run->beta);
	return 1;
}

int product_run(struct product *p, struct heap *heap, ek_plan *plan, const struct run *run,
                const void **result, char *text, size_t size)
{
	int64_t n = p->n[run->op];
	size_t bytes = (size_t)n * ek_value_size(p->value);
	char *y =
		run->at_end ? guard_at_end(&p->y_guard, bytes) : guard_at_begin(&p->y_guard, bytes);
	char *slack = run->at_end ? y - SLACK : y + bytes;
	ek_dense x_view = ek_vector(p->value, p->n[1 - run->op],
	                            run->alpha == 0 ? p->nan[run->op] : p->x[run->op][run->x]);
	ek_dense y_view = ek_vector(p->value, n, y);
	long calls = heap ? atomic_load(&heap->calls) : 0;
	ek_status status;

	memset(slack, SLACK_BYTE, SLACK);
	if (run->beta == 0)
		poison(p->value, y, n);
	else
		memcpy(y, p->y0[run->y0], bytes);
	status = run->device ? run_on_device(run, plan, &x_view, NULL, &y_view)
	                     : ek_spmv(plan, run->alpha, &x_view, run->beta, &y_view);
	const bool clear = run->device || registers_are_clear(plan->ctx->isa);

	*result = y;
	if (status == EK_OK && run->at_end &&
	    elsewhere_fault(p, plan, run, &x_view, &y_view, text, size))
		return 0;
	if (status != EK_OK)
		return snprintf(text, size, "status %d: %s", (int)status, ek_error_text()), 0;
	if (heap && atomic_load(&heap->calls) != calls)
		return snprintf(text, size, "a run asked for memory"), 0;
	if (!clear)
		return snprintf(text, size, "a run left vector registers in use"), 0;
	if (slack_changed((unsigned char *)slack))
		return snprintf(text, size, "memory %s y was written to",
		                run->at_end ? "before" : "behind"),
		       0;
	return !result_fault(p, run, y, text, size);
}
