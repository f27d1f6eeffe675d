/* SPDX-License-Identifier: BSD-3-Clause
 * Tests plans of Galerkin products: refused arguments, failing allocations, hints.memory, and which
 * values are read. */
#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/random.h"
#include "support/shapes.h"
#include "support/sparse.h"
#include "support/support.h"

static struct rng draw;

/* A, n x n, and P, n x m, with random real values. */
static struct pair {
	struct shape shape[2];
	struct typed typed[2];
	ek_matrix *A, *P;
} pair;

static void fill(struct shape *s)
{
	for (int64_t k = 0; k < s->nnz; k++)
		s->val[k] = s->val2[k] = rng_real(&draw, 10);
}

/* Makes the pair, with P held as CSC if `csc`. */
static void pair_open(ek_context *ctx, int64_t n, int64_t m, int64_t most, bool csc)
{
	struct shape T;

	sparse_random(&draw, &pair.shape[0], n, n, most);
	sparse_random(&draw, &pair.shape[1], n, m, most);
	fill(&pair.shape[0]);
	fill(&pair.shape[1]);
	shape_transpose(&pair.shape[1], &T);
	typed_make(&pair.typed[0], &pair.shape[0], EK_F64, EK_I32, 1);
	typed_make(&pair.typed[1], csc ? &T : &pair.shape[1], EK_F64, EK_I32, 1);
	expect_status(typed_csr(ctx, &pair.typed[0], 0, &pair.A), EK_OK);
	expect_status((csc ? typed_csc : typed_csr)(ctx, &pair.typed[1], 0, &pair.P), EK_OK);
	shape_free(&T);
}

static void pair_close(void)
{
	ek_matrix_destroy(pair.A);
	ek_matrix_destroy(pair.P);
	for (int k = 0; k < 2; k++) {
		typed_free(&pair.typed[k]);
		shape_free(&pair.shape[k]);
	}
}

static void values_changed(void)
{
	expect_status(ek_matrix_values_changed(pair.A), EK_OK);
	expect_status(ek_matrix_values_changed(pair.P), EK_OK);
}

static ek_view view_of(const ek_matrix *C, const char *name)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(C, name, &view), EK_OK);
	return view;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static void test_arguments(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_hints h = {.size = sizeof h};
	ek_matrix *C = NULL;
	ek_plan *plan = NULL;

	(void)state;
	pair_open(ctx, 6, 3, 3, false);
	expect_error(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_EINVAL,
	             "hints.B is NULL; operation triple takes two matrices");
	h.B = pair.A;
	expect_error(ek_plan_create(EK_TRIPLE, pair.P, &h, &plan), EK_EINVAL,
	             "A is 6 x 3; a square matrix is expected");
	h.B = pair.P;
	h.op_b = EK_OP_T;
	expect_error(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_EINVAL,
	             "op(P), in hints.B, is 3 x 6; it needs as many rows as A, 6");
	h.op_b = EK_OP_N;
	h.D = pair.A;
	expect_error(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_EINVAL, "hints.D is set");
	h.D = NULL;
	h.method = "spgemm.csr.flags";
	expect_error(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_EINVAL,
	             "is for operation spgemm, not for triple");
	h.method = "csr.right";
	h.format = "ell";
	expect_error(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_EINVAL,
	             "triple.csr.right multiplies with format csr, not with ell");
	assert_null(plan);
	h.format = NULL;
	expect_status(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_OK);
	expect_error(ek_triple(plan, 1, NULL), EK_EINVAL, "C, where the result goes, is NULL");
	expect_error(ek_spgemm(plan, 1, 0, &C), EK_EINVAL, "one for spgemm is expected");
	C = pair.A;
	expect_error(ek_triple(plan, 1, &C), EK_EINVAL, "*C was not made by a run of this plan");
	expect_error(ek_triple(NULL, 1, &C), EK_EINVAL, "plan is NULL");
	ek_plan_destroy(plan);
	pair_close();
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that no value is read with alpha = 0, and that otherwise a NaN reaches the entries that
 * depend on it. */
static void test_not_finite(void **state)
{
	static const int32_t a_ptr[] = {0, 1, 2, 3}, a_col[] = {0, 1, 2}, p_ptr[] = {0, 1, 2, 3};
	static const int32_t p_col[] = {0, 1, 1};
	static double a[] = {NAN, 2, 3}, p[] = {1, 1, 1};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_hints h = {.size = sizeof h};
	ek_matrix *A, *P;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 3, a_ptr, a_col, a, 0, &A), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 2, p_ptr, p_col, p, 0, &P), EK_OK);
	h.B = P;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_TRIPLE));) {
		ek_matrix *C = NULL;
		ek_plan *plan;

		h.method = ek_method_name(m);
		expect_status(ek_plan_create(EK_TRIPLE, A, &h, &plan), EK_OK);
		for (int alpha = 0; alpha < 2; alpha++) {
			expect_status(ek_triple(plan, alpha, &C), EK_OK);
			const double *c = view_of(C, "val").data;

			assert_true(alpha ? isnan(c[0]) : c[0] == 0);
			assert_true(c[1] == 5 * alpha);
		}
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(P);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static ek_hints hints;
static ek_plan *wish_plan;
static ek_matrix *wish_C;
static bool wish_new;

static ek_status make_plan(struct exhaust *e)
{
	return ek_plan_create(EK_TRIPLE, pair.A, &hints, (ek_plan **)&e->out);
}

static void free_plan(struct exhaust *e)
{
	ek_plan_destroy(e->out);
}

static ek_status make_product(struct exhaust *e)
{
	ek_matrix *C = NULL;
	const ek_status status = ek_triple(wish_plan, 1.5, &C);

	if (status != EK_OK)
		assert_null(C);
	else
		e->out = C;
	return status;
}

static void free_product(struct exhaust *e)
{
	ek_matrix_destroy(e->out);
}

/* Runs into the C of an earlier run, whose values must stay as they are if the run fails. */
static ek_status fill_product(struct exhaust *e)
{
	static double before[1 << 15];
	const ek_view val = view_of(wish_C, "val");
	const size_t bytes = (size_t)val.len * sizeof *before;
	ek_matrix *C = wish_C;
	ek_status status;

	(void)e;
	assert_true(bytes <= sizeof before);
	memcpy(before, val.data, bytes);
	if (wish_new)
		values_changed();
	status = ek_triple(wish_plan, 2.5, &C);
	assert_ptr_equal(C, wish_C);
	if (status != EK_OK)
		assert_memory_equal(before, val.data, bytes);
	return status;
}

static void test_failures(void **state)
{
	static struct exhaust e;

	(void)state;
	for (int csc = 0; csc < 2; csc++) {
		const ek_method *m = NULL;

		exhaust_open(&e, 3, NULL);
		pair_open(e.ctx, 90, 30, 5, csc);
		do {
			hints = (ek_hints){
				.size = sizeof hints, .method = name_or_auto(m), .B = pair.P};
			assert_true(exhaust(&e, "plan", make_plan, free_plan) > 0);
			expect_status(make_plan(&e), EK_OK);
			wish_plan = e.out;
			assert_true(exhaust(&e, "new C", make_product, free_product) > 2);
			expect_status(make_product(&e), EK_OK);
			wish_C = e.out;
			for (int k = 0; k < 2; k++) {
				wish_new = k;
				const long needed = exhaust(&e, "same C", fill_product, NULL);

				assert_true(k || needed == 0);
			}
			ek_matrix_destroy(wish_C);
			ek_plan_destroy(wish_plan);
		} while ((m = processor_method_next(m, EK_TRIPLE)));
		pair_close();
		exhaust_close(&e);
	}
}

/* ---- The limit ------------------------------------------------------------------------------- */

static struct heap limit_heap = HEAP_INIT;

static bool same_values(const ek_matrix *C, const ek_matrix *right)
{
	const ek_view a = view_of(C, "val"), b = view_of(right, "val");

	return a.len == b.len && memcmp(a.data, b.data, (size_t)a.len * a.elem_size) == 0;
}

/* Makes the plan and two runs, the second after new values, with a limit. Checks the bits, and that
 * memory never exceeded the limit plus C. */
static void check_limit(const ek_hints *h, const ek_matrix *right)
{
	const long long before = atomic_load(&limit_heap.bytes);
	ek_matrix *C = NULL;
	ek_plan *plan;

	atomic_store(&limit_heap.peak, before);
	expect_status(ek_plan_create(EK_TRIPLE, pair.A, h, &plan), EK_OK);
	const long long making = atomic_load(&limit_heap.peak) - before;

	expect_status(ek_triple(plan, 1.5, &C), EK_OK);
	assert_true(same_values(C, right));
	values_changed();
	expect_status(ek_triple(plan, 1.5, &C), EK_OK);
	assert_true(same_values(C, right));
	const long long peak = atomic_load(&limit_heap.peak) - before;

	assert_true(ek_plan_memory(plan) <= h->memory);
	ek_plan_destroy(plan);
	const long long of_c = atomic_load(&limit_heap.bytes) - before;

	if (making > h->memory || peak - of_c > h->memory)
		fail_msg("%s: limit %lld; %lld to make the plan, %lld besides C for runs",
		         h->method, (long long)h->memory, making, peak - of_c);
	ek_matrix_destroy(C);
}

static void check_limits(const char *method)
{
	static const char before[] = "takes at least ";
	ek_hints h = {.size = sizeof h, .method = method, .B = pair.P};
	ek_matrix *right = NULL;
	ek_plan *plan;

	expect_status(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_OK);
	expect_status(ek_triple(plan, 1.5, &right), EK_OK);
	ek_plan_destroy(plan);
	plan = NULL;
	h.memory = 1;
	expect_error(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_ELIMIT,
	             "hints.memory is 1 bytes; method triple.");
	const char *at = strstr(ek_error_text(), before);

	assert_non_null(at);
	const int64_t least = strtoll(at + strlen(before), NULL, 10);

	for (int64_t more = 0; more <= 4 * least; more = more ? 5 * more : 1) {
		h.memory = least + more;
		check_limit(&h, right);
	}
	h.memory = least - 1;
	expect_error(ek_plan_create(EK_TRIPLE, pair.A, &h, &plan), EK_ELIMIT, "at least");
	assert_null(plan);
	ek_matrix_destroy(right);
}

static void test_limits(void **state)
{
	static const int64_t size[][3] = {{300, 100, 6}, {3000, 900, 4}, {400, 20000, 5}};

	(void)state;
	for (int threads = 1; threads <= 3; threads += 2)
		for (int k = 0; k < 3; k++) {
			ek_context *ctx = heap_context_cut(&limit_heap, threads, 0);

			pair_open(ctx, size[k][0], size[k][1], size[k][2], k & 1);
			for (const ek_method *m = NULL; (m = processor_method_next(m, EK_TRIPLE));)
				check_limits(ek_method_name(m));
			pair_close();
			ek_context_destroy(ctx);
		}
	heap_close(&limit_heap);
}

static int setup(void **state)
{
	(void)state;
	draw.state = 8;
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_limits),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, NULL);
}
