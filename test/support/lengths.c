/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "support/lengths.h"

#ifndef EK_NO_GPU

void lengths_make(struct lengths *m, int64_t rows, const int *len, struct rng *r)
{
	m->rows = rows;
	m->nnz = 0;
	m->ptr[0] = 0;
	assert_true(rows <= LENGTHS_ROWS);
	for (int64_t i = 0; i < rows; i++) {
		assert_true(m->nnz + len[i] <= LENGTHS_ENTRIES);
		for (int k = 0; k < len[i]; k++, m->nnz++) {
			m->col[m->nnz] = rng_below(r, LENGTHS_COLS);
			m->val[m->nnz] = 1 + (int)rng_below(r, 4);
		}
		m->ptr[i + 1] = m->nnz;
	}
}

/* Row lengths of matrices; each list ends with -1. Tiles have 4 entries, and bunches have 8. A tile
 * is dirty if it contains an empty row. */
static const int edges[][12] = {
	{1, -1},                        /* one entry */
	{17, -1},                       /* one row of several bunches */
	{0, 0, 1, 0, -1},               /* empty rows before and after one entry */
	{4, 0, 4, -1},                  /* an empty row where a tile ends */
	{3, 0, 0, 5, -1},               /* empty rows before a row that crosses a tile's edge */
	{1, 0, 6, 0, 3, -1},            /* a row crosses the right edge of a dirty tile */
	{2, 1, 0, 9, 0, 4, -1},         /* a row crosses the right edges of two tiles */
	{1, 0, 25, 1, 0, 2, -1},        /* a row crosses a bunch's edge and fills two bunches */
	{2, 9, 1, -1},                  /* a tile inside a row */
	{3, 20, 2, -1},                 /* a bunch inside a row */
	{1, 40, 1, -1},                 /* four bunches inside a row */
	{8, 8, 8, -1},                  /* each row is one bunch */
	{16, 16, 16, -1},               /* each row is a group of two bunches */
	{8, 0, 0, 8, 0, -1},            /* empty rows between and after bunches */
	{7, 0, 0, 9, 0, -1},            /* empty rows around a row that crosses a bunch's edge */
	{0, 0, 0, 5, 4, -1},            /* empty rows before the first entry */
	{0, 8, 0, 8, -1},               /* an empty row before each of two bunches */
	{5, 3, 0, 0, 0, -1},            /* empty rows after the last entry, where a bunch ends */
	{2, 2, 0, 0, -1},               /* empty rows after the last entry, where a tile ends */
	{5, 4, 0, 0, -1},               /* empty rows after an incomplete tile */
	{4, 4, 1, -1},                  /* an incomplete tile of one entry */
	{1, 1, 1, 1, 1, 1, 1, 1, 1, -1} /* only short rows */
	,
	{2, 0, 2, 2, 0, 6, -1} /* dirty first and last tiles of a bunch */
	,
	{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 5, -1},
};

bool lengths_edge(struct lengths *m, int k, struct rng *r)
{
	static int len[LENGTHS_ROWS];
	const int listed = (int)(sizeof edges / sizeof *edges);
	int rows = 0;

	if (k < listed) {
		while (edges[k][rows] >= 0)
			rows++;
		lengths_make(m, rows, edges[k], r);
		return true;
	}
	switch (k - listed) {
	case 0: /* more empty rows than one work-group finishes: before, inside and after tiles */
		rows = 9000;
		memset(len, 0, sizeof len);
		len[2500] = 3;
		len[5500] = 7;
		len[5501] = 2;
		break;
	case 1: /* long rows among short ones */
		for (rows = 0; rows < 200; rows++)
			len[rows] = rng_below(r, 20) == 0 ? 300 : (int)rng_below(r, 4);
		break;
	case 2: /* mostly empty rows */
		for (rows = 0; rows < 1000; rows++)
			len[rows] = rng_below(r, 8) == 0;
		len[500] = 1;
		break;
	case 3: /* no empty row */
		for (rows = 0; rows < 500; rows++)
			len[rows] = 1 + (int)rng_below(r, 9);
		break;
	default: return false;
	}
	lengths_make(m, rows, len, r);
	return true;
}

ek_status lengths_matrix(const struct lengths *m, ek_context *ctx, ek_value value, ek_index index,
                         ek_matrix **A)
{
	ek_store s = {.index = index, .value = value};
	ek_status status;
	void *val = malloc((size_t)m->nnz * 8 + 1);

	s.array[CSR_PTR] = malloc((size_t)(m->rows + 1) * 8);
	s.array[CSR_COL] = malloc((size_t)m->nnz * 8 + 1);
	for (int64_t i = 0; i <= m->rows; i++)
		eki_ptr_set(&s, i, m->ptr[i]);
	for (int64_t k = 0; k < m->nnz; k++) {
		if (index == EK_I64)
			((int64_t *)s.array[CSR_COL])[k] = m->col[k];
		else
			((int32_t *)s.array[CSR_COL])[k] = (int32_t)m->col[k];
		value_set(value, val, k, m->val[k]);
	}
	status = ek_matrix_from_csr(ctx, value, index, m->rows, LENGTHS_COLS, s.array[CSR_PTR],
	                            s.array[CSR_COL], val, EK_COPY, A);
	free(s.array[CSR_PTR]);
	free(s.array[CSR_COL]);
	free(val);
	return status;
}

/* Computes y = alpha op(A) x + beta y by a plain loop, where x_j is j % 7 - 3. */
static void reference(const struct lengths *m, const struct lengths_run *run, int64_t n, double *y)
{
	double *sum = calloc((size_t)n + 1, sizeof *sum);

	for (int64_t i = 0; i < m->rows; i++)
		for (int64_t k = m->ptr[i]; k < m->ptr[i + 1]; k++) {
			const int64_t to = run->op == EK_OP_T ? m->col[k] : i;
			const int64_t from = run->op == EK_OP_T ? i : m->col[k];

			sum[to] += m->val[k] * (double)(from % 7 - 3);
		}
	for (int64_t i = 0; i < n; i++)
		y[i] = run->alpha * sum[i] + (run->beta == 0 ? 0 : run->beta * y[i]);
	free(sum);
}

/* Copies a vector between host and device if the run's vectors are on the device. */
static void move(ek_context *ctx, const struct lengths_run *run, void *device, void *host,
                 int64_t n, bool to_device)
{
	const int64_t bytes = n * (int64_t)ek_value_size(run->value);

	if (run->on_device && to_device)
		expect_status(ek_device_write(ctx, device, host, bytes), EK_OK);
	else if (run->on_device)
		expect_status(ek_device_read(ctx, device, host, bytes), EK_OK);
}

static ek_dense vector(ek_context *ctx, const struct lengths_run *run, int64_t n, void *host)
{
	ek_dense v = ek_vector(run->value, n, host);

	if (!run->on_device)
		return v;
	expect_status(ek_device_alloc(ctx, n * (int64_t)ek_value_size(run->value), &v.data), EK_OK);
	v.where = EK_ON_DEVICE;
	move(ctx, run, v.data, host, n, true);
	return v;
}

static void compare(const struct lengths *m, const struct lengths_run *run, const void *y,
                    const double *expected, int64_t n, const char *plan)
{
	for (int64_t i = 0; i < n; i++)
		if (value_at(run->value, y, i) != expected[i])
			fail_msg("%s, %s %s, op %s, alpha %g, beta %g, %s: y[%lld] of %lld is %g, "
			         "%g is expected; %lld entries, rows of %lld %lld %lld %lld ...",
			         plan, ek_value_name(run->value), ek_index_name(run->index),
			         run->op == EK_OP_T ? "T" : "N", run->alpha, run->beta,
			         run->on_device ? "device" : "host", (long long)i, (long long)n,
			         value_at(run->value, y, i), expected[i], (long long)m->nnz,
			         (long long)m->ptr[1],
			         (long long)(m->rows > 1 ? m->ptr[2] - m->ptr[1] : 0),
			         (long long)(m->rows > 2 ? m->ptr[3] - m->ptr[2] : 0),
			         (long long)(m->rows > 3 ? m->ptr[4] - m->ptr[3] : 0));
}

void lengths_check(const struct lengths *m, ek_context *ctx, const struct lengths_run *run)
{
	const int64_t n = run->op == EK_OP_T ? m->rows : LENGTHS_COLS;
	const int64_t rows = run->op == EK_OP_T ? LENGTHS_COLS : m->rows;
	const ek_hints hints = {.size = sizeof hints, .method = run->method, .op = run->op};
	double *expected = malloc((size_t)rows * sizeof *expected);
	void *x = malloc((size_t)n * 8), *y = malloc((size_t)rows * 8);
	ek_matrix *A;
	ek_plan *plan;
	ek_dense xv, yv;

	for (int64_t j = 0; j < n; j++)
		value_set(run->value, x, j, (double)(j % 7 - 3));
	for (int64_t i = 0; i < rows; i++)
		expected[i] = (double)(i % 9 - 4);
	reference(m, run, rows, expected);
	expect_status(lengths_matrix(m, ctx, run->value, run->index, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	xv = vector(ctx, run, n, x);
	yv = vector(ctx, run, rows, y);
	for (int k = 0; k < run->runs; k++) {
		for (int64_t i = 0; i < rows; i++)
			value_set(run->value, y, i, run->beta == 0 ? NAN : (double)(i % 9 - 4));
		move(ctx, run, yv.data, y, rows, true);
		expect_status(ek_spmv(plan, run->alpha, &xv, run->beta, &yv), EK_OK);
		move(ctx, run, yv.data, y, rows, false);
		compare(m, run, y, expected, rows, run->method);
	}
	if (run->on_device) {
		ek_device_free(ctx, xv.data);
		ek_device_free(ctx, yv.data);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	free(expected);
	free(x);
	free(y);
}

int64_t bytes_copied(ek_context *ctx)
{
	ek_device_counters c = {.size = sizeof c};

	expect_status(ek_device_get_counters(ctx, &c), EK_OK);
	return c.to_device + c.from_device;
}

void each_device(void (*test)(ek_context *ctx, eki_memory memory))
{
	need_device();
	for (int k = 0; k < devices.count; k++)
		test(devices.of[k].ctx, devices.of[k].ctx->device->memory);
}

bool in_shared_heap(ek_context *ctx, const void *array, int64_t bytes)
{
	eki_buffer around;

	return eki_buffer_around(ctx->device, array, bytes, &around);
}

#endif
