/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the rows of a device that go in chunks, so that copies run beside kernels
 * (spmv.csr.split.gpu, spmm.csr.split.gpu): the order in which copies and launches are put into the
 * queues, and when plans use chunks of their own accord. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <time.h>

#include "both/both.h"
#include "support/late.h"
#include "support/lengths.h"
#include "support/rows.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- The order of calls ---------------------------------------------------------------------- */

enum { ROWS = 3000, WIDTH = 3, MOST = 7 };

/* A plan for `columns` vectors at once, or SpMV if that is 0, and the bytes that its last run
 * copied. */
struct product {
	ek_context *ctx;
	ek_matrix *A;
	int64_t columns, bytes;
	double beta;
	ek_plan *plan;
};

static double x_at(int64_t i, int64_t j)
{
	return (double)((i + 3 * j) % 8);
}

static double y_at(int64_t i, int64_t j)
{
	return (double)((2 * i + j) % 5);
}

static void make(struct product *p, const char *parameters)
{
	char name[100];
	const ek_hints hints = {.size = sizeof hints, .method = name, .width = WIDTH};

	snprintf(name, sizeof name, "%s.csr.split.gpu%s", p->columns ? "spmm" : "spmv", parameters);
	expect_status(ek_plan_create(p->columns ? EK_SPMM : EK_SPMV, p->A, &hints, &p->plan),
	              EK_OK);
}

/* Runs the plan with blocks of which both are column after column, so that they are packed. */
static void run(struct product *p)
{
	static double x[ROWS * 2 * MOST], y[ROWS * MOST];
	const ek_store *s = &p->A->store;
	const int64_t n = p->columns ? p->columns : 1;
	const ek_dense X = ek_block(EK_F64, s->cols, n, s->cols, EK_COL_MAJOR, x),
		       Y = ek_block(EK_F64, s->rows, n, s->rows, EK_COL_MAJOR, y);
	const int64_t before = bytes_copied(p->ctx);

	assert_true(s->cols <= 2 * ROWS && s->rows <= ROWS);
	for (int64_t k = 0; k < s->cols * n; k++)
		x[k] = x_at(k % s->cols, k / s->cols);
	for (int64_t k = 0; k < s->rows * n; k++)
		y[k] = y_at(k % s->rows, k / s->rows);
	expect_status(p->columns ? ek_spmm(p->plan, 2, &X, p->beta, &Y)
	                         : ek_spmv(p->plan, 2, &X, p->beta, &Y),
	              EK_OK);
	p->bytes = bytes_copied(p->ctx) - before;
	for (int64_t k = 0; k < s->rows * n; k++) {
		const int64_t i = k % s->rows, j = k / s->rows;
		double sum = 0;

		for (int64_t e = eki_ptr_at(s, i); e < eki_ptr_at(s, i + 1); e++)
			sum += ((const double *)s->array[CSR_VAL])[e] * x_at(eki_col_at(s, e), j);
		assert_true(y[k] == 2 * sum + p->beta * y_at(i, j));
	}
}

/* Runs a product in chunks, whose calls must be `calls`, as often as there are groups of columns.
 * It must copy as much as one without chunks. */
static void check_calls(struct product *p, int chunk_count, const char *calls)
{
	char expected[200] = "", parameters[40];
	int64_t whole;

	for (int64_t j = 0; j < (p->columns ? p->columns : 1); j += WIDTH)
		strcat(expected, calls);
	make(p, ":share=400");
	run(p);
	whole = p->bytes;
	ek_plan_destroy(p->plan);
	snprintf(parameters, sizeof parameters, ":share=400,chunks=%d", chunk_count);
	make(p, parameters);
	late_begin(p->ctx);
	for (int k = 0; k < 2; k++) {
		late.count = 0;
		run(p);
		assert_string_equal(late.calls, expected);
		assert_int_equal(p->bytes, whole);
	}
	late_end(p->ctx);
	ek_plan_destroy(p->plan);
}

static void orders(ek_context *ctx, eki_memory memory)
{
	ek_matrix *band = rows_stairs(ctx, ROWS, 1, 5), *same = rows_equal(ctx, ROWS, 40, 5);

	if (memory == EKI_MEMORY_COPY)
		for (int columns = 0; columns <= MOST; columns += MOST)
			for (int beta = -1; beta <= 0; beta++) {
				struct product p = {ctx, band, columns, 0, beta, NULL};

				check_calls(&p, 1, "cSkLcF");
				/* Beside kernel k, chunk k + 1 is sent, and k - 1 fetched. */
				check_calls(&p, 2, "cSkLSkcLFcF");
				check_calls(&p, 3, "cSkLSkcLFSkcLFcF");
				/* If all rows read the same lines, they are sent once. */
				p.A = same;
				check_calls(&p, 3, beta ? "cSkLSkcLFSkcLFcF" : "cSkLkcLFkcLFcF");
			}
	ek_matrix_destroy(band);
	ek_matrix_destroy(same);
}

ON_EACH_DEVICE(orders)

/* Checks more chunks than rows, and rows that all are in one chunk. */
static void few_rows(ek_context *ctx, eki_memory memory)
{
	static const int64_t length[][4] = {{1, 2, 1, 3}, {400, 1, 0, 1}, {0, 1, 0, 400}};

	(void)memory;
	for (int k = 0; k < 3; k++)
		for (int columns = 0; columns <= MOST; columns += MOST) {
			struct product p = {ctx,     rows_of_lengths(ctx, 4, 500, NULL, length[k]),
			                    columns, 0,
			                    -1,      NULL};

			make(&p, ":share=200,chunks=6");
			run(&p);
			ek_plan_destroy(p.plan);
			ek_matrix_destroy(p.A);
		}
}

ON_EACH_DEVICE(few_rows)

/* ---- Choices --------------------------------------------------------------------------------- */

/* Nanoseconds of a product by one side, by both as long as there are chunks, and by both without;
 * and runs by both. */
static double alone_ns, chunks_ns, whole_ns;
static int both_runs;
enum { TIMED = 4 }; /* runs for one time */

static double made_up(const ek_method *method, bool waits, double ns)
{
	(void)ns;
	if (waits)
		return 0;
	return !uses_both(method) ? alone_ns : both_runs++ < TIMED ? chunks_ns : whole_ns;
}

/* A driver whose copies take long. */
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

/* Makes a plan while copies are slow, and checks what it says. */
static void check_choice(struct product *p, const char *parameters, bool in_chunks, bool one_side)
{
	eki_device *dev = p->ctx->device;
	char text[4096];

	both_runs = 0;
	slow = (struct slow){.real = dev->driver, .driver = *dev->driver};
	slow.driver.write = slow_write;
	slow.driver.read = slow_read;
	dev->driver = &slow.driver;
	p->ctx->timing = made_up;
	make(p, parameters);
	p->ctx->timing = NULL;
	dev->driver = slow.real;
	expect_status(ek_plan_explain(p->plan, text, sizeof text), EK_OK);
	assert_int_equal(strstr(text, "chunks, copies of one beside") != NULL, in_chunks);
	assert_int_equal(strstr(text, " alone, since both together") != NULL, one_side);
	if (strcmp(parameters, ":chunks=1") != 0)
		assert_int_equal(strstr(ek_plan_parameters(p->plan), "chunks=") != NULL, in_chunks);
	run(p);
	ek_plan_destroy(p->plan);
}

static void choices(ek_context *ctx, eki_memory memory)
{
	const bool copies = memory != EKI_MEMORY_SHARED;
	const ek_device_info info = ctx->device->info;
	struct product p = {ctx, rows_stairs(ctx, ROWS, 1, 5), 0, 0, -1, NULL};

	alone_ns = 5e7;
	chunks_ns = whole_ns = 2.5e7;
	call_device(ctx, "cpu"); /* whose copies take the cores that kernels use */
	check_choice(&p, "", false, false);
	call_device(ctx, "gpu");
	check_choice(&p, "", copies, false);
	assert_int_equal(both_runs, TIMED);
	check_choice(&p, ":chunks=2", true, false);
	check_choice(&p, ":chunks=1", false, false);
	/* If chunks do not pay, one piece is tried, unless chunks were asked for. */
	chunks_ns = 5e7;
	check_choice(&p, "", false, !copies);
	assert_int_equal(both_runs, copies ? 2 * TIMED : TIMED);
	check_choice(&p, ":chunks=2", false, true);
	assert_int_equal(both_runs, TIMED);
	ctx->device->info = info;
	ek_matrix_destroy(p.A);
}

ON_EACH_DEVICE(choices)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_few_rows),
		cmocka_unit_test(test_choices),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
