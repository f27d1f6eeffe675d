/* SPDX-License-Identifier: BSD-3-Clause
 * Products by both kinds of core (split_case.h). */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "support/split_case.h"

#ifndef EK_NO_GPU

#include <stdio.h>
#include <time.h>

#include "support/lengths.h"

static double x_at(int64_t i, int64_t j)
{
	return (double)((i + 3 * j) % 8);
}

static double y_at(int64_t i, int64_t j)
{
	return (double)((2 * i + j) % 5);
}

void split_make(struct split_case *p, const char *parameters)
{
	char name[100];
	const ek_hints hints = {
		.size = sizeof hints, .method = name, .width = SPLIT_WIDTH, .calls = p->calls};

	snprintf(name, sizeof name, "%s.csr.split.gpu%s", p->columns ? "spmm" : "spmv", parameters);
	expect_status(ek_plan_create(p->columns ? EK_SPMM : EK_SPMV, p->A, &hints, &p->plan),
	              EK_OK);
}

/* Describes a block, whose values go to the device first if `there` is true. */
static ek_dense block(const struct split_case *p, int64_t rows, double *of, bool there)
{
	const int64_t n = p->columns ? p->columns : 1;
	ek_dense d = ek_block(EK_F64, rows, n, rows, EK_COL_MAJOR, of);
	void *data;

	if (!there)
		return d;
	expect_status(ek_device_alloc(p->ctx, rows * n * (int64_t)sizeof *of, &data), EK_OK);
	expect_status(ek_device_write(p->ctx, data, of, rows * n * (int64_t)sizeof *of), EK_OK);
	d.data = data;
	d.where = EK_ON_DEVICE;
	return d;
}

static void check(const struct split_case *p, const double *y)
{
	const ek_store *s = &p->A->store;

	for (int64_t k = 0; k < s->rows * (p->columns ? p->columns : 1); k++) {
		const int64_t i = k % s->rows, j = k / s->rows;
		double sum = 0;

		for (int64_t e = eki_ptr_at(s, i); e < eki_ptr_at(s, i + 1); e++)
			sum += ((const double *)s->array[CSR_VAL])[e] * x_at(eki_col_at(s, e), j);
		if (y[k] != 2 * sum + p->beta * y_at(i, j))
			fail_msg("y[%lld, %lld] is %g, %g is expected", (long long)i, (long long)j,
			         y[k], 2 * sum + p->beta * y_at(i, j));
	}
}

/* Fills y, lets everything in the queues happen, and checks that y stays as it is. */
static void check_untouched(const struct split_case *p, double *y, int64_t count)
{
	eki_device *dev = p->ctx->device;

	for (int64_t k = 0; k < count; k++)
		y[k] = 0.5;
	dev->driver->wait(dev);
	for (int64_t k = 0; k < count; k++)
		assert_true(y[k] == 0.5);
}

ek_status split_try(struct split_case *p)
{
	static double x[SPLIT_ROWS * 2 * SPLIT_COLUMNS], y[SPLIT_ROWS * SPLIT_COLUMNS];
	const ek_store *s = &p->A->store;
	const int64_t n = p->columns ? p->columns : 1, before = bytes_copied(p->ctx);
	const size_t bytes = (size_t)(s->rows * n) * sizeof *y;
	ek_dense X, Y;
	ek_status status;

	assert_true(s->cols <= 2 * SPLIT_ROWS && s->rows <= SPLIT_ROWS && n <= SPLIT_COLUMNS);
	for (int64_t k = 0; k < s->cols * n; k++)
		x[k] = x_at(k % s->cols, k / s->cols);
	for (int64_t k = 0; k < s->rows * n; k++)
		y[k] = y_at(k % s->rows, k / s->rows);
	X = block(p, s->cols, x, p->x_there);
	Y = block(p, s->rows, y, p->y_there);
	status = p->columns ? ek_spmm(p->plan, 2, &X, p->beta, &Y)
	                    : ek_spmv(p->plan, 2, &X, p->beta, &Y);
	p->bytes = bytes_copied(p->ctx) - before;
	if (p->y_there && status == EK_OK)
		expect_status(ek_device_read(p->ctx, Y.data, y, (int64_t)bytes), EK_OK);
	if (status == EK_OK)
		check(p, y);
	else
		check_untouched(p, y, s->rows * n);
	if (p->x_there)
		ek_device_free(p->ctx, X.data);
	if (p->y_there)
		ek_device_free(p->ctx, Y.data);
	return status;
}

void split_run(struct split_case *p)
{
	expect_status(split_try(p), EK_OK);
}

/* ---- Slow copies ----------------------------------------------------------------------------- */

static struct slow {
	const eki_driver *real;
	eki_driver driver;
} slow;

static void rest(void)
{
	const struct timespec time = {.tv_nsec = 5000000};

	nanosleep(&time, NULL);
}

static ek_status slow_write(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                            int64_t bytes)
{
	rest();
	return slow.real->write(d, to, offset, from, bytes);
}

static ek_status slow_read(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                           int64_t bytes)
{
	rest();
	return slow.real->read(d, from, offset, to, bytes);
}

void slow_begin(ek_context *ctx)
{
	slow = (struct slow){.real = ctx->device->driver, .driver = *ctx->device->driver};
	slow.driver.write = slow_write;
	slow.driver.read = slow_read;
	ctx->device->driver = &slow.driver;
}

void slow_end(ek_context *ctx)
{
	ctx->device->driver = slow.real;
}

#endif
