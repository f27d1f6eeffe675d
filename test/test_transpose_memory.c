/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the memory of transpositions: plans, runs and copies whose n-th allocation fails, and
 * hints.memory, the limit on all that a plan and its runs allocate besides C; and refused
 * arguments. */
#include <stdlib.h>

#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/support.h"

/* The arguments of the calls. */
static struct wish {
	ek_matrix *A, *C;
	ek_plan *plan;
	ek_hints hints;
} wish;

static eki_machine machine; /* with small caches, so that there are several buckets */

static void open_context(ek_context *ctx, double far)
{
	machine = *ctx->machine;
	machine.core_bytes = 1 << 15;
	machine.scatter_far = machine.scatter_entry = far;
	ctx->machine = &machine;
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static ek_status make_transpose(struct exhaust *e)
{
	ek_matrix *C = NULL;
	const ek_status status = ek_transpose(wish.plan, &C);

	if (status != EK_OK)
		assert_null(C);
	else
		e->out = C;
	return status;
}

/* Runs into the C of an earlier run, with new values of A. */
static ek_status fill_transpose(struct exhaust *e)
{
	ek_matrix *C = wish.C;

	(void)e;
	expect_status(ek_matrix_values_changed(wish.A), EK_OK);
	return ek_transpose(wish.plan, &C);
}

static ek_status convert(struct exhaust *e)
{
	return ek_matrix_convert(wish.A, "csc", NULL, (ek_matrix **)&e->out);
}

static void exhaust_method(struct exhaust *e, const ek_method *m)
{
	wish.hints = (ek_hints){.size = sizeof wish.hints, .method = name_or_auto(m)};
	exhaust_plan(e, EK_TRANSPOSE, wish.A, &wish.hints);
	expect_status(ek_plan_create(EK_TRANSPOSE, wish.A, &wish.hints, &wish.plan), EK_OK);
	exhaust(e, "ek_transpose", make_transpose, exhaust_free_matrix);
	wish.C = NULL;
	expect_status(ek_transpose(wish.plan, &wish.C), EK_OK);
	exhaust(e, "ek_transpose, again", fill_transpose, NULL);
	ek_matrix_destroy(wish.C);
	ek_plan_destroy(wish.plan);
}

static void test_exhaust(void **state)
{
	(void)state;
	for (int ell = 0; ell < 2; ell++) {
		const ek_method *m = NULL;
		struct exhaust e = {0};

		exhaust_open(&e, 3, NULL);
		open_context(e.ctx, ell ? 0 : 1e6);
		expect_status(ek_matrix_generate(e.ctx, "uniform:rows=300,cols=6000,k=7", EK_F64,
		                                 EK_I32, &wish.A),
		              EK_OK);
		if (ell)
			expect_status(ek_matrix_convert_in_place(wish.A, "ell", NULL), EK_OK);
		do
			exhaust_method(&e, m);
		while ((m = processor_method_next(m, EK_TRANSPOSE)));
		ek_matrix_destroy(wish.A);
		exhaust_close(&e);
	}
}

/* Tests conversions by counting and by buckets. */
static void test_exhaust_copies(void **state)
{
	(void)state;
	for (int buckets = 0; buckets < 2; buckets++) {
		struct exhaust e = {0};

		exhaust_open(&e, 2, NULL);
		open_context(e.ctx, buckets ? 1e6 : 0);
		expect_status(ek_matrix_generate(e.ctx, "uniform:rows=30000,k=8", EK_F64, EK_I32,
		                                 &wish.A),
		              EK_OK);
		exhaust(&e, "ek_matrix_convert", convert, exhaust_free_matrix);
		ek_matrix_destroy(wish.A);
		exhaust_close(&e);
	}
}

/* ---- Limits ---------------------------------------------------------------------------------- */

/* Finds the least limit that a method accepts, from the message about a lower one, and checks that
 * a run with it takes no more. */
static void check_limit(ek_context *ctx, struct heap *heap, const char *method)
{
	ek_hints hints = {.size = sizeof hints, .method = method, .memory = 1};
	ek_matrix *C = NULL;
	ek_plan *plan = NULL;
	const char *text;

	(void)ctx;
	expect_error(ek_plan_create(EK_TRANSPOSE, wish.A, &hints, &plan), EK_ELIMIT,
	             "hints.memory is 1 bytes");
	text = strstr(ek_error_text(), "at least ");
	assert_non_null(text);
	hints.memory = strtoll(text + 9, NULL, 10) - 1;
	expect_error(ek_plan_create(EK_TRANSPOSE, wish.A, &hints, &plan), EK_ELIMIT, "at least");
	hints.memory++;

	const long long before = atomic_load(&heap->bytes);

	atomic_store(&heap->peak, before);
	expect_status(ek_plan_create(EK_TRANSPOSE, wish.A, &hints, &plan), EK_OK);
	expect_status(ek_transpose(plan, &C), EK_OK);
	expect_status(ek_transpose(plan, &C), EK_OK);

	const long long taken = atomic_load(&heap->peak) - before;

	if (taken > hints.memory + eki_store_bytes(&C->store) + (long long)sizeof *C)
		fail_msg("%s takes %lld bytes with a limit of %lld, and C has %lld", method, taken,
		         (long long)hints.memory, (long long)eki_store_bytes(&C->store));
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
}

static void test_limit(void **state)
{
	(void)state;
	for (int ell = 0; ell < 2; ell++) {
		struct heap heap = HEAP_INIT;
		ek_context *ctx = heap_context_cut(&heap, 3, 0);
		const ek_method *m = NULL;

		open_context(ctx, 18);
		expect_status(ek_matrix_generate(ctx, "uniform:rows=3000,cols=6000,k=9", EK_F64,
		                                 EK_I32, &wish.A),
		              EK_OK);
		if (ell)
			expect_status(ek_matrix_convert_in_place(wish.A, "ell", NULL), EK_OK);
		while ((m = processor_method_next(m, EK_TRANSPOSE)))
			check_limit(ctx, &heap, ek_method_name(m));
		ek_matrix_destroy(wish.A);
		ek_context_destroy(ctx);
		heap_close(&heap);
	}
}

/* Copies take at most one counter for each entry, besides the result. That is so with many threads,
 * whose counters of buckets would take more, and with few. Counting in one part takes nothing. */
static void test_copies(void **state)
{
	static const int threads[] = {1, 2, 8, 40};

	(void)state;
	for (int k = 0; k < 16; k++) {
		struct heap heap = HEAP_INIT;
		ek_context *ctx = heap_context_cut(&heap, threads[k / 4], 0);
		ek_store out = {0};
		char spec[64];
		ek_matrix *A;

		open_context(ctx, 1e6);
		snprintf(spec, sizeof spec, "uniform:rows=30000,cols=%d,k=%d",
		         k & 1 ? 90000 : 1000000, k & 2 ? 7 : 17);
		expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);

		const long long before = atomic_load(&heap.bytes);

		atomic_store(&heap.peak, before);
		expect_status(eki_transpose(ctx, &A->store, &out, NULL), EK_OK);

		const long long taken = atomic_load(&heap.peak) - before - eki_store_bytes(&out);

		if (taken > A->store.nnz * (int64_t)sizeof(int32_t))
			fail_msg("%s on %d threads: %lld bytes for %lld entries", spec,
			         threads[k / 4], taken, (long long)A->store.nnz);
		if (k == 1)
			assert_true(taken > 0); /* buckets do take part */
		eki_store_free(ctx, &out);
		ek_matrix_destroy(A);
		ek_context_destroy(ctx);
		heap_close(&heap);
	}
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&heap, 1, 0);
	ek_hints hints = {.size = sizeof hints, .op = EK_OP_T};
	ek_matrix *A, *C = NULL, *D = NULL;
	ek_plan *plan = NULL, *other;

	(void)state;
	expect_status(ek_matrix_generate(ctx, "diagonal:n=3", EK_F64, EK_I32, &A), EK_OK);
	expect_error(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_EINVAL,
	             "hints.op is EK_OP_T; operation transpose takes only EK_OP_N");
	hints.op = EK_OP_N;
	hints.B = A;
	expect_error(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_EINVAL,
	             "hints.B is set, but operation transpose takes one matrix");
	hints.B = NULL;
	hints.format = "ell";
	expect_error(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_EINVAL,
	             "hints.format is ell; operation transpose takes csr and csc");
	hints.format = NULL;
	assert_null(plan);
	expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &other), EK_OK);
	expect_error(ek_transpose(NULL, &C), EK_EINVAL, "plan is NULL");
	expect_error(ek_transpose(plan, NULL), EK_EINVAL, "C, where the result goes, is NULL");
	expect_error(ek_spadd(plan, 1, 1, &C), EK_EINVAL, "plan is for operation transpose");
	expect_status(ek_transpose(other, &D), EK_OK);
	expect_error(ek_transpose(plan, &D), EK_EINVAL, "*C was not made by a run of this plan");
	expect_error(ek_transpose(plan, &A), EK_EINVAL, "*C was not made by a run of this plan");
	assert_null(C);
	ek_plan_destroy(plan);
	ek_plan_destroy(other);
	ek_matrix_destroy(A);
	ek_matrix_destroy(D);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exhaust), cmocka_unit_test(test_exhaust_copies),
		cmocka_unit_test(test_limit),   cmocka_unit_test(test_copies),
		cmocka_unit_test(test_refused),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, NULL, NULL);
}
