/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of products with dense blocks: the data and one checked run. */
#include <math.h>

#include "plan/plan.h"
#include "support/blocks.h"
#include "support/workers.h"
#include "support/support.h"

enum { BESIDE = 0xa5 };

/* ---- Data ------------------------------------------------------------------------------------ */

static double number(struct rng *rng, enum data data, int64_t max)
{
	return data == DATA_EXACT ? rng_integer(rng, max) : rng_real(rng, 20);
}

/* Returns a column of X with NaN where op(A) has an empty column. `line` holds the column pointers
 * of op(A). */
static void *make_column(const struct blocks *b, struct rng *rng, int64_t n, const int64_t *line)
{
	void *x = malloc((size_t)(n + 1) * sizeof(double));

	for (int64_t j = 0; j < n; j++)
		value_set(b->value, x, j,
		          line[j + 1] > line[j] ? number(rng, b->data, SHAPE_X) : (double)NAN);
	return x;
}

void blocks_values(struct blocks *b, int held, ek_index index, int which)
{
	const struct shape *s = held == HELD_CSR ? &b->A : &b->T;

	typed_values(&b->held[held][index - 1], which == VALUES_FIRST ? s->val : s->val2);
}

void blocks_make(struct blocks *b, int shape, enum data data, ek_value value, int seed)
{
	struct rng rng = {(uint64_t)(shape * 89 + seed)};
	int64_t longest;

	product_catch_crashes();
	*b = (struct blocks){.data = data, .value = value};
	shape_make(&b->A, shape, data);
	shape_transpose(&b->A, &b->T);
	b->n[0] = b->A.rows;
	b->n[1] = b->A.cols;
	longest = b->n[0] > b->n[1] ? b->n[0] : b->n[1];
	for (int k = 0; k < 6; k++)
		typed_make(&b->held[k / 3][k % 3], k / 3 == HELD_CSR ? &b->A : &b->T, value,
		           (ek_index)(1 + k % 3), (seed + k) & 1);
	for (int op = 0; op < 2; op++)
		for (int j = 0; j < BLOCK_COLUMNS; j++)
			b->x[op][j] = make_column(b, &rng, b->n[1 - op], op ? b->A.ptr : b->T.ptr);
	b->y0 = malloc((size_t)(longest + 1) * sizeof(double));
	for (int64_t i = 0; i < longest; i++)
		value_set(value, b->y0, i, number(&rng, data, SHAPE_Y));
	for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
		blocks_values(b, HELD_CSR, EK_I32, which);
		for (int k = 0; k < 2 * BLOCK_COLUMNS; k++)
			reference_make(&b->ref[k & 1][k / 2][which], &b->held[HELD_CSR][0],
			               k & 1 ? EK_OP_T : EK_OP_N, b->x[k & 1][k / 2]);
	}
}

void blocks_free(struct blocks *b)
{
	for (int k = 0; k < 6; k++)
		typed_free(&b->held[k / 3][k % 3]);
	for (int k = 0; k < 2 * BLOCK_COLUMNS; k++) {
		free(b->x[k & 1][k / 2]);
		reference_free(&b->ref[k & 1][k / 2][VALUES_FIRST]);
		reference_free(&b->ref[k & 1][k / 2][VALUES_SECOND]);
	}
	free(b->y0);
	shape_free(&b->A);
	shape_free(&b->T);
}

ek_status blocks_matrix(const struct blocks *b, ek_context *ctx, int held, ek_index index,
                        ek_matrix **A)
{
	return (held == HELD_CSR ? typed_csr : typed_csc)(ctx, &b->held[held][index - 1], EK_BORROW,
	                                                  A);
}

struct block_run blocks_draw(const struct blocks *b, struct rng *draw, unsigned turn)
{
	static const int64_t width[] = {1, 2, 3, 7, 8, 9, 16, 17, 64, 256};
	const int64_t longest = b->n[0] > b->n[1] ? b->n[0] : b->n[1];
	struct block_run run = {.width = width[turn % 10], .at_end = (int)rng_below(draw, 2)};

	if (longest + b->A.nnz > 600 && run.width > 17)
		run.width = longest + b->A.nnz > 3000 ? 17 : 33;
	for (int k = 0; k < 2; k++) {
		run.order[k] = (int)rng_below(draw, 2);
		run.more[k] = rng_below(draw, 2) ? rng_below(draw, 5) : 0;
	}
	product_pair(b->data, (unsigned)rng_below(draw, 25), &run.alpha, &run.beta);
	return run;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* A dense block between guard pages, with the gaps between its rows or columns. */
struct laid {
	struct guard guard;
	ek_dense view;
	size_t bytes;
};

static void *entry(const ek_dense *v, int64_t i, int64_t j)
{
	const int64_t at = v->order == EK_ROW_MAJOR ? i * v->ld + j : i + j * v->ld;

	return (char *)v->data + (size_t)at * ek_value_size(v->value);
}

static void lay(struct laid *l, ek_value value, int64_t rows, int64_t cols, int order, int64_t more,
                int at_end)
{
	const int64_t inner = order == EK_ROW_MAJOR ? cols : rows, outer = rows + cols - inner;
	const int64_t ld = inner + more;
	void *data;

	l->bytes = outer > 0 && inner > 0
	                   ? (size_t)((outer - 1) * ld + inner) * ek_value_size(value)
	                   : 0;
	guard_make(&l->guard, l->bytes + 64);
	data = at_end ? guard_at_end(&l->guard, l->bytes) : guard_at_begin(&l->guard, l->bytes);
	memset(l->guard.begin, BESIDE, l->guard.size);
	l->view = ek_block(value, rows, cols, ld, order, data);
}

/* Tells whether the bytes from `from` to `to` are still as lay() filled them. */
static bool filled(const void *from, const void *to)
{
	for (const unsigned char *at = from; at < (const unsigned char *)to; at++)
		if (*at != BESIDE)
			return false;
	return true;
}

/* Tells whether a run left all bytes around the block, and between its rows or columns, as they
 * were. */
static bool untouched(const struct laid *l)
{
	const ek_dense *v = &l->view;
	const bool by_rows = v->order == EK_ROW_MAJOR;
	const size_t size = ek_value_size(v->value), line = (size_t)v->ld * size;
	const size_t own = (size_t)(by_rows ? v->cols : v->rows) * size;
	const char *at = v->data, *end = at + l->bytes;
	bool same = filled(l->guard.begin, at) &&
	            filled(end, (const char *)l->guard.begin + l->guard.size);

	for (; same && (size_t)(end - at) > line; at += line)
		same = filled(at + own, at + line);
	return same;
}

/* Returns the value of Y[i, j] before the run. Y has n rows. */
static double old(const struct blocks *b, int64_t n, int64_t i, int64_t j)
{
	return value_at(b->value, b->y0, (i + 11 * j) % n);
}

static void fill(const struct blocks *b, const struct block_run *run, struct laid *x,
                 struct laid *y)
{
	const size_t size = ek_value_size(b->value);

	poison(b->value, x->view.data, (int64_t)(x->bytes / size));
	for (int64_t j = 0; run->alpha != 0 && j < run->width; j++)
		for (int64_t i = 0; i < x->view.rows; i++)
			memcpy(entry(&x->view, i, j),
			       (char *)b->x[run->op][j % BLOCK_COLUMNS] + (size_t)i * size, size);
	guard_read_only(&x->guard, true);
	for (int64_t j = 0; j < run->width; j++)
		for (int64_t i = 0; i < y->view.rows; i++)
			if (run->beta == 0)
				poison(b->value, entry(&y->view, i, j), 1);
			else
				value_set(b->value, entry(&y->view, i, j), 0,
				          old(b, y->view.rows, i, j));
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Copies a block to memory of the device, which `d` is then a view of. */
static ek_status to_device(ek_context *ctx, const struct laid *l, ek_dense *d)
{
	const int64_t bytes = (int64_t)l->bytes;
	void *at = NULL;
	ek_status status = ek_device_alloc(ctx, bytes, &at);

	if (status != EK_OK)
		return status;
	d->data = at;
	d->where = EK_ON_DEVICE;
	return ek_device_write(ctx, at, l->view.data, bytes);
}

static ek_status run_on_device(const struct block_run *run, ek_plan *plan, const struct laid *x,
                               const struct laid *y)
{
	ek_context *ctx = run->device;
	ek_dense dx = x->view, dy = y->view;
	ek_status status;

	status = run->on_host[0] ? EK_OK : to_device(ctx, x, &dx);
	if (status == EK_OK && !run->on_host[1])
		status = to_device(ctx, y, &dy);
	if (status == EK_OK)
		status = ek_spmm(plan, run->alpha, &dx, run->beta, &dy);
	if (status == EK_OK && dy.where == EK_ON_DEVICE)
		status = ek_device_read(ctx, dy.data, y->view.data, (int64_t)y->bytes);
	if (dx.where == EK_ON_DEVICE)
		ek_device_free(ctx, dx.data);
	if (dy.where == EK_ON_DEVICE)
		ek_device_free(ctx, dy.data);
	return status;
}

/* Copies column j of the result to `column` and compares it with its reference. If an entry is
 * wrong, writes a message to `text` and returns true. */
static bool column_fault(const struct blocks *b, const struct block_run *run, const ek_dense *y,
                         int64_t j, void *column, char *text, size_t size)
{
	const struct reference *r = &b->ref[run->op][j % BLOCK_COLUMNS][run->values];
	void *y0 = malloc((size_t)(y->rows + 1) * sizeof(double));
	double ratio = 0;
	int64_t row;

	for (int64_t i = 0; i < y->rows; i++) {
		value_set(b->value, column, i, value_at(b->value, entry(y, i, j), 0));
		value_set(b->value, y0, i, old(b, y->rows, i, j));
	}
	if (b->data == DATA_EXACT)
		row = exact_fault(r, run->alpha, run->beta, y0, column);
	else if ((ratio = bound_ratio(r, run->alpha, run->beta, y0, column, &row)) <= 1)
		row = -1;
	if (row >= 0)
		snprintf(text, size,
		         "Y[%lld, %lld] = %.17g, op(A) X is %.17g of %lld entries, Y was %.17g; "
		         "error/bound %g",
		         (long long)row, (long long)j, value_at(b->value, column, row),
		         (double)r->sum[row], (long long)r->count[row], value_at(b->value, y0, row),
		         ratio);
	free(y0);
	return row >= 0;
}

static bool result_right(const struct blocks *b, const struct block_run *run, const struct laid *y,
                         void **out, char *text, size_t size)
{
	const size_t column = (size_t)y->view.rows * ek_value_size(b->value);
	char *all = malloc(column * (size_t)run->width + 1);
	bool right = true;

	for (int64_t j = 0; right && j < run->width; j++)
		right = !column_fault(b, run, &y->view, j, all + (size_t)j * column, text, size);
	if (right && !untouched(y)) {
		snprintf(text, size, "something between or beside the entries of Y changed");
		right = false;
	}
	if (right && out)
		*out = all;
	else
		free(all);
	return right;
}

/* Returns the transpose of a block, in the same memory. */
static ek_dense flipped(const ek_dense *v)
{
	return ek_block(v->value, v->cols, v->rows, v->ld,
	                v->order == EK_ROW_MAJOR ? EK_COL_MAJOR : EK_ROW_MAJOR, v->data);
}

static ek_status run_on_host(const struct block_run *run, ek_plan *plan, const struct laid *x,
                             const struct laid *y)
{
	const ek_dense X = flipped(&x->view), Y = flipped(&y->view);

	return run->left ? ek_dense_spmm(plan, run->alpha, &X, run->beta, &Y)
	                 : ek_spmm(plan, run->alpha, &x->view, run->beta, &y->view);
}

bool blocks_run(const struct blocks *b, struct heap *heap, ek_plan *plan,
                const struct block_run *run, void **out, char *text, size_t size)
{
	const long calls = heap ? atomic_load(&heap->calls) : 0;
	struct laid x, y;
	ek_status status;
	char why[400] = "";
	bool right = false;

	lay(&x, b->value, b->n[1 - run->op], run->width, run->order[0], run->more[0], run->at_end);
	lay(&y, b->value, b->n[run->op], run->width, run->order[1], run->more[1], run->at_end);
	fill(b, run, &x, &y);
	status = run->device ? run_on_device(run, plan, &x, &y) : run_on_host(run, plan, &x, &y);
	if (status != EK_OK)
		snprintf(why, sizeof why, "status %d: %s", (int)status, ek_error_text());
	else if (heap && atomic_load(&heap->calls) != calls)
		snprintf(why, sizeof why, "a run asked for memory");
	else
		right = result_right(b, run, &y, out, why, sizeof why);
	if (!right)
		snprintf(text, size,
		         "%lld columns, X %s-major + %lld, Y %s-major + %lld, alpha %g, beta %g, "
		         "values %d: %s",
		         (long long)run->width, run->order[0] ? "row" : "column",
		         (long long)run->more[0], run->order[1] ? "row" : "column",
		         (long long)run->more[1], run->alpha, run->beta, run->values, why);
	guard_free(&x.guard);
	guard_free(&y.guard);
	return right;
}

/* ---- One plan, several threads --------------------------------------------------------------- */

static struct {
	const struct blocks *b;
	ek_plan *plan;
	int op;
	bool left;
} common;

static void worker(int number)
{
	struct rng own = {(uint64_t)number + 1};
	char text[600];

	for (unsigned k = 0; k < 5; k++) {
		struct block_run run = blocks_draw(common.b, &own, k);

		run.op = common.op;
		run.left = common.left;
		if (!blocks_run(common.b, NULL, common.plan, &run, NULL, text, sizeof text))
			worker_fault(text);
	}
}

void blocks_threads(const struct blocks *b, ek_plan *plan, int op, bool left)
{
	common.b = b;
	common.plan = plan;
	common.op = op;
	common.left = left;
	run_workers(WORKERS, worker);
}
