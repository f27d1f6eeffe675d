/* SPDX-License-Identifier: BSD-3-Clause
 * Tests spmv.csr.copy_t where the transposed copy is kept in another format than CSR: results, new
 * values of A, limits of memory, and allocations that fail. Which format is chosen depends on the
 * machine, so contexts get a description of a machine on which only the loop of one format is
 * fast. In SELL the place of an entry does not depend on its column; in DIA it does, so the columns
 * of the transpose are kept. */
#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/fast.h"
#include "support/random.h"
#include "support/support.h"

enum {
	N = 20000,
	MOST = 7,
	FIXED = 65536 /* bytes of a plan that do not depend on A: reasons, lists, bounds of parts */
};

/* Shapes: column of entry t of row i, or -1 if there is none. */
typedef int64_t column_fn(int64_t i, int t);

static int64_t diagonals(int64_t i, int t)
{
	static const int offset[MOST] = {-300, -20, -1, 0, 1, 20, 300};
	const int64_t j = i + offset[t];

	return j >= 0 && j < N ? j : -1;
}

static int64_t scattered(int64_t i, int t)
{
	return (i * 7919 + t * 1237 + t * t * 4099) % N;
}

static const struct shape {
	column_fn *column;
	eki_loop fast;
	const char *format;
} shapes[] = {{scattered, EKI_LOOP_CHUNKS, "sell"}, {diagonals, EKI_LOOP_DIAGONALS, "dia"}};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static int32_t ptr[N + 1], col[MOST * N];
static double val[MOST * N], x[N], y[N], right[N];
static struct rng rng = {11};

static void fill(column_fn *column)
{
	int32_t nnz = 0;

	for (int64_t i = 0; i < N; i++) {
		for (int t = 0; t < MOST; t++)
			if (column(i, t) >= 0)
				col[nnz++] = (int32_t)column(i, t);
		ptr[i + 1] = nnz;
		x[i] = (double)(rng_below(&rng, 15) - 7);
	}
}

static void new_values(void)
{
	for (int32_t k = 0; k < ptr[N]; k++)
		val[k] = (double)(rng_below(&rng, 15) - 7);
	memset(right, 0, sizeof right);
	for (int64_t i = 0; i < N; i++)
		for (int32_t k = ptr[i]; k < ptr[i + 1]; k++)
			right[col[k]] += val[k] * x[i];
}

static ek_matrix *matrix(ek_context *ctx)
{
	ek_matrix *A = NULL;

	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, ptr, col, val, EK_BORROW, &A),
	              EK_OK);
	return A;
}

static ek_hints hints_of(int64_t memory)
{
	return (ek_hints){.size = sizeof(ek_hints),
	                  .method = "spmv.csr.copy_t",
	                  .op = EK_OP_T,
	                  .calls = 1000000,
	                  .memory = memory};
}

static ek_plan *plan_of(const ek_matrix *A, int64_t memory)
{
	const ek_hints hints = hints_of(memory);
	ek_plan *plan = NULL;

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	return plan;
}

static const char *explanation(const ek_plan *plan)
{
	static char text[8192];

	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	return text;
}

/* Checks that the plan says that its copy is in a format. */
static void check_format(const ek_plan *plan, const char *format)
{
	const char *text = explanation(plan);
	char says[64];

	snprintf(says, sizeof says, "the copy is in %s", format);
	if (!strstr(text, says))
		fail_msg("\"%s\" is not in the explanation:\n%s", says, text);
}

static void check(ek_plan *plan)
{
	ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, y);

	poison(EK_F64, y, N);
	expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	assert_memory_equal(y, right, sizeof y);
	expect_status(ek_spmv(plan, 2, &xv, -1, &yv), EK_OK);
	assert_memory_equal(y, right, sizeof y);
}

/* Checks products before and after values change. Small integers make every order exact. */
static void test_products(void **state)
{
	(void)state;
	for (size_t k = 0; k < SHAPES; k++)
		for (int threads = 1; threads <= 3; threads += 2) {
			ek_options options = {.size = sizeof options, .threads = threads};
			ek_context *own = NULL;

			expect_status(ek_context_create(&options, &own), EK_OK);
			make_fast(own, shapes[k].fast);
			fill(shapes[k].column);
			new_values();

			ek_matrix *A = matrix(own);
			ek_plan *plan = plan_of(A, 0);

			check_format(plan, shapes[k].format);
			check(plan);
			for (int again = 0; again < 2; again++) {
				new_values();
				expect_status(ek_matrix_values_changed(A), EK_OK);
				check(plan);
			}
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
			ek_context_destroy(own);
		}
}

/* Checks that a limit that only a copy in CSR can keep leads to one, and that plans keep limits at
 * which another format just fits, with the columns of the transpose or without them. */
static void test_limit(void **state)
{
	ek_context *own = NULL;

	(void)state;
	expect_status(ek_context_create(NULL, &own), EK_OK);
	for (size_t k = 0; k < SHAPES; k++) {
		make_fast(own, shapes[k].fast);
		fill(shapes[k].column);
		new_values();

		ek_matrix *A = matrix(own);
		ek_plan *plan = plan_of(A, 17 * (int64_t)ptr[N] + 4 * N + 4096);
		bool other = false;

		check_format(plan, "csr");
		check(plan);
		ek_plan_destroy(plan);
		for (int64_t limit = 16 * (int64_t)ptr[N]; !other; limit += 8 * N) {
			plan = plan_of(A, limit);
			other = !strstr(explanation(plan), "the copy is in csr");
			if (other && ek_plan_memory(plan) > limit + FIXED)
				fail_msg("%s holds %lld bytes, the limit is %lld", shapes[k].format,
				         (long long)ek_plan_memory(plan), (long long)limit);
			check(plan);
			ek_plan_destroy(plan);
		}
		ek_matrix_destroy(A);
	}
	ek_context_destroy(own);
}

/* Makes plans whose n-th allocation fails. There is no plan, or, since the copy stays in CSR if
 * there is not enough memory for another format, a plan whose products are right. */
static void fail_each_allocation(struct exhaust *e, const ek_matrix *A)
{
	const ek_hints hints = hints_of(0);
	const long live = atomic_load(&e->heap.live);
	int refused = 0, in_csr = 0;

	for (long n = 0; n < 60; n++) {
		ek_plan *plan = NULL;

		heap_fail(&e->heap, n, false);
		const ek_status status = ek_plan_create(EK_SPMV, A, &hints, &plan);

		heap_fail(&e->heap, -1, false);
		if (status == EK_OK) {
			check(plan);
			in_csr += strstr(explanation(plan), "the copy is in csr") != NULL;
		} else {
			assert_true(status == EK_ENOMEM && !plan);
		}
		refused += status != EK_OK;
		ek_plan_destroy(plan);
		assert_true(atomic_load(&e->heap.live) == live);
	}
	assert_true(refused > 0 && in_csr > 0);
}

/* Checks that plans report the memory that they take, and that an allocation that fails leaves
 * nothing behind. */
static void test_memory(void **state)
{
	struct exhaust e = {0};

	(void)state;
	for (size_t k = 0; k < SHAPES; k++) {
		fill(shapes[k].column);
		new_values();
		exhaust_open(&e, 1, NULL);
		make_fast(e.ctx, shapes[k].fast);

		ek_matrix *A = matrix(e.ctx);
		const long long before = atomic_load(&e.heap.bytes);
		ek_plan *plan = plan_of(A, 0);

		check_format(plan, shapes[k].format);
		assert_true(atomic_load(&e.heap.bytes) - before == ek_plan_memory(plan));
		ek_plan_destroy(plan);
		fail_each_allocation(&e, A);
		ek_matrix_destroy(A);
		exhaust_close(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_memory),
	};

	return run_all_tests(tests, NULL, NULL);
}
