/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the memory of products of sparse matrices: plans and runs whose n-th allocation fails, and
 * hints.memory, the limit on all that a plan and its runs allocate besides C. */
#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/random.h"
#include "support/shapes.h"
#include "support/support.h"

/* ---- Operands -------------------------------------------------------------------------------- */

static struct rng draw;

/* Makes a matrix with 1 to `most` entries in each row, in random columns, which ascend if
 * `ascending`, else descend. */
static void scattered(struct shape *s, int64_t rows, int64_t cols, int64_t most, bool ascending)
{
	*s = (struct shape){.name = "scattered", .rows = rows, .cols = cols};
	s->ptr = calloc((size_t)rows + 1, sizeof *s->ptr);
	s->col = calloc((size_t)(rows * most + 1), sizeof *s->col);
	s->val = calloc((size_t)(rows * most + 1), sizeof *s->val);
	s->val2 = calloc((size_t)(rows * most + 1), sizeof *s->val2);
	for (int64_t i = 0; i < rows; i++) {
		const int64_t n = 1 + rng_below(&draw, most), gap = cols / n;

		for (int64_t k = 0; k < n; k++) {
			const int64_t at = ascending ? k : n - 1 - k;

			s->col[s->nnz] = at * gap + rng_below(&draw, gap);
			s->val[s->nnz] = s->val2[s->nnz] = rng_real(&draw, 20);
			s->nnz++;
		}
		s->ptr[i + 1] = s->nnz;
	}
}

/* An operand, how it is held, and its matrix. */
struct held {
	struct shape shape;
	struct typed typed;
	ek_matrix *M;
};

enum kind { AS_CSR, AS_CSC, AS_ELL, UNSORTED, WIDE };

static void hold(struct held *h, ek_context *ctx, enum kind kind, int64_t rows, int64_t cols,
                 int64_t most)
{
	struct shape T;

	scattered(&h->shape, rows, cols, most, kind != UNSORTED);
	shape_transpose(&h->shape, &T);
	typed_make(&h->typed, kind == AS_CSC ? &T : &h->shape, EK_F64,
	           kind == WIDE ? EK_I64_32 : EK_I32, 1);
	expect_status((kind == AS_CSC ? typed_csc : typed_csr)(ctx, &h->typed, 0, &h->M), EK_OK);
	if (kind == AS_ELL) {
		ek_matrix *csr = h->M;

		expect_status(ek_matrix_convert(csr, "ell", NULL, &h->M), EK_OK);
		ek_matrix_destroy(csr);
	}
	shape_free(&T);
}

static void release(struct held *h)
{
	ek_matrix_destroy(h->M);
	typed_free(&h->typed);
	shape_free(&h->shape);
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static struct wish {
	struct held h[3];
	ek_hints hints;
	ek_plan *plan;
	ek_matrix *C;
	bool new_values;
} wish;

static ek_status make_product(struct exhaust *e)
{
	ek_matrix *C = NULL;
	const ek_status status = ek_spgemm(wish.plan, 1.5, 0.5, &C);

	if (status != EK_OK)
		assert_null(C);
	else
		e->out = C;
	return status;
}

static const void *array_of(const ek_matrix *C, const char *name, size_t *bytes)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(C, name, &view), EK_OK);
	*bytes = (size_t)view.len * view.elem_size;
	return view.data;
}

/* Runs into the C of an earlier run, whose values must stay as they are if the run fails. */
static ek_status fill_product(struct exhaust *e)
{
	static double before[1 << 16];
	ek_matrix *C = wish.C;
	size_t bytes;
	const void *val = array_of(C, "val", &bytes);
	ek_status status;

	(void)e;
	assert_true(bytes <= sizeof before);
	memcpy(before, val, bytes);
	for (int k = 0; k < 3 && wish.new_values; k++)
		expect_status(ek_matrix_values_changed(wish.h[k].M), EK_OK);
	status = ek_spgemm(wish.plan, 2.5, 1.5, &C);
	assert_ptr_equal(C, wish.C);
	if (status != EK_OK)
		assert_memory_equal(before, val, bytes);
	return status;
}

/* Tries a combination of three kinds with all methods. */
static void exhaust_kinds(const enum kind kind[3], const char *name)
{
	static struct exhaust e;
	const ek_method *m = NULL;
	char text[80];

	exhaust_open(&e, 3, NULL);
	hold(&wish.h[0], e.ctx, kind[0], 40, 50, 6);
	hold(&wish.h[1], e.ctx, kind[1], 50, 90, 9);
	hold(&wish.h[2], e.ctx, kind[2], 40, 90, 4);
	do {
		if (m && needs_device(m))
			continue;
		wish.hints = (ek_hints){.size = sizeof wish.hints,
		                        .method = m ? ek_method_name(m) : NULL,
		                        .B = wish.h[1].M,
		                        .D = wish.h[2].M};
		assert_true(exhaust_plan(&e, EK_SPGEMM, wish.h[0].M, &wish.hints) > 0);
		expect_status(ek_plan_create(EK_SPGEMM, wish.h[0].M, &wish.hints, &wish.plan),
		              EK_OK);
		snprintf(text, sizeof text, "%s, new C", name);
		assert_true(exhaust(&e, text, make_product, exhaust_free_matrix) > 2);
		expect_status(make_product(&e), EK_OK);
		wish.C = e.out;
		for (int k = 0; k < 2; k++) {
			wish.new_values = k;
			snprintf(text, sizeof text, "%s, same C%s", name, k ? ", new values" : "");
			const long needed = exhaust(&e, text, fill_product, NULL);
			ek_matrix *C = wish.C;

			assert_true(wish.new_values || needed == 0);
			expect_status(ek_spgemm(wish.plan, 1.5, 0.5, &C), EK_OK);
		}
		ek_matrix_destroy(wish.C);
		ek_plan_destroy(wish.plan);
	} while ((m = processor_method_next(m, EK_SPGEMM)));
	for (int k = 0; k < 3; k++)
		release(&wish.h[k]);
	exhaust_close(&e);
}

static void test_failures(void **state)
{
	(void)state;
	exhaust_kinds((enum kind[]){AS_CSR, AS_CSR, AS_CSR}, "csr");
	exhaust_kinds((enum kind[]){AS_CSC, AS_CSC, AS_CSC}, "csc");
	exhaust_kinds((enum kind[]){UNSORTED, UNSORTED, UNSORTED}, "unsorted");
	exhaust_kinds((enum kind[]){AS_CSC, AS_ELL, AS_CSR}, "csc, ell, csr");
	exhaust_kinds((enum kind[]){AS_CSR, WIDE, AS_CSC}, "csr, 64/32, csc");
}

/* ---- The limit ------------------------------------------------------------------------------- */

static struct heap heap = HEAP_INIT;

struct result {
	int64_t nnz;
	void *col, *val;
};

static void *copy_of(const ek_matrix *C, const char *name)
{
	size_t bytes;
	const void *from = array_of(C, name, &bytes);
	void *to = malloc(bytes + 1);

	memcpy(to, from, bytes);
	return to;
}

static void result_of(const ek_matrix *C, struct result *r)
{
	ek_matrix_info info = {.size = sizeof info};

	expect_status(ek_matrix_get_info(C, &info), EK_OK);
	const bool columns = strcmp(info.format, "csc") == 0;

	r->nnz = info.nnz;
	r->col = copy_of(C, columns ? "row_idx" : "col_idx");
	r->val = copy_of(C, "val");
}

static void result_free(struct result *r)
{
	free(r->col);
	free(r->val);
}

static void expect_same(const struct result *r, const ek_matrix *C)
{
	struct result now;

	result_of(C, &now);
	assert_int_equal(now.nnz, r->nnz);
	assert_memory_equal(now.col, r->col, (size_t)r->nnz * 4);
	assert_memory_equal(now.val, r->val, (size_t)r->nnz * 8);
	result_free(&now);
}

/* Makes the plan and two runs, the second after new values, with a limit. Checks the bits, and that
 * memory never exceeded the limit plus C. */
static void check_limit(const char *name, const ek_hints *hints, const struct result *right)
{
	const long long before = atomic_load(&heap.bytes);
	long long peak, of_c;
	ek_matrix *C = NULL;
	ek_plan *plan;

	atomic_store(&heap.peak, before);
	expect_status(ek_plan_create(EK_SPGEMM, wish.h[0].M, hints, &plan), EK_OK);
	const long long making = atomic_load(&heap.peak) - before;

	expect_status(ek_spgemm(plan, 1.5, 0.5, &C), EK_OK);
	expect_same(right, C);
	const long long running = atomic_load(&heap.peak) - before;

	for (int k = 0; k < 3; k++)
		if (wish.h[k].M)
			expect_status(ek_matrix_values_changed(wish.h[k].M), EK_OK);
	expect_status(ek_spgemm(plan, 1.5, 0.5, &C), EK_OK);
	expect_same(right, C);
	peak = atomic_load(&heap.peak) - before;
	assert_true(ek_plan_memory(plan) <= hints->memory);
	ek_plan_destroy(plan);
	of_c = atomic_load(&heap.bytes) - before;
	if (making > hints->memory || peak - of_c > hints->memory)
		fail_msg("%s: limit %lld; %lld to make the plan, %lld besides C for a run, %lld "
		         "with new values",
		         name, (long long)hints->memory, making, running - of_c, peak - of_c);
	ek_matrix_destroy(C);
}

static int64_t least_limit(const ek_hints *hints)
{
	static const char before[] = "takes at least ";
	ek_plan *plan = NULL;
	ek_hints h = *hints;

	h.memory = 1;
	expect_error(ek_plan_create(EK_SPGEMM, wish.h[0].M, &h, &plan), EK_ELIMIT,
	             "hints.memory is 1 bytes; method spgemm.");
	assert_null(plan);
	const char *at = strstr(ek_error_text(), before);

	assert_non_null(at);
	return strtoll(at + strlen(before), NULL, 10);
}

static void check_limits(const char *name, const char *method)
{
	ek_hints h = {.size = sizeof h, .method = method, .B = wish.h[1].M, .D = wish.h[2].M};
	struct result right;
	ek_matrix *C = NULL;
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, wish.h[0].M, &h, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1.5, 0.5, &C), EK_OK);
	result_of(C, &right);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	const int64_t least = least_limit(&h);

	print_message("  %-32s %-20s %9lld bytes\n", name, method ? method : "auto",
	              (long long)least);
	const int64_t factor = test_tier() == TIER_BRIEF ? 125 : 5;

	for (int64_t more = 0; more <= 4 * least; more = more ? factor * more : 1) {
		h.memory = least + more;
		check_limit(name, &h, &right);
	}
	h.memory = least - 1;
	plan = NULL;
	expect_error(ek_plan_create(EK_SPGEMM, wish.h[0].M, &h, &plan), EK_ELIMIT, "at least");
	assert_null(plan);
	result_free(&right);
}

/* Tries the limits on one product, in which A is `rows` x `inner` and B `inner` x `cols`. */
static void limits_of(const enum kind kind[3], const char *name, int64_t rows, int64_t inner,
                      int64_t cols, int64_t most)
{
	for (int threads = test_tier() == TIER_BRIEF ? 3 : 1; threads <= 3; threads += 2) {
		ek_context *ctx = heap_context_cut(&heap, threads, 0);
		const ek_method *m = NULL;

		hold(&wish.h[0], ctx, kind[0], rows, inner, most);
		hold(&wish.h[1], ctx, kind[1], inner, cols, most);
		hold(&wish.h[2], ctx, kind[2], rows, cols, 3);
		do
			if (!m || !needs_device(m))
				check_limits(name, m ? ek_method_name(m) : NULL);
		while ((m = processor_method_next(m, EK_SPGEMM)));
		for (int k = 0; k < 3; k++)
			release(&wish.h[k]);
		ek_context_destroy(ctx);
	}
}

static void test_limits(void **state)
{
	(void)state;
	limits_of((enum kind[]){AS_CSR, AS_CSR, AS_CSR}, "csr", 300, 300, 300, 9);
	limits_of((enum kind[]){AS_CSR, AS_CSR, AS_CSR}, "csr in pieces", 60, 100, 50000, 40);
	limits_of((enum kind[]){AS_CSC, AS_CSC, AS_CSC}, "csc in pieces", 20000, 50, 40, 4);
	limits_of((enum kind[]){AS_CSR, AS_CSR, AS_CSR}, "many rows", 300000, 10, 50, 2);
	limits_of((enum kind[]){AS_CSR, UNSORTED, AS_CSR}, "B unsorted", 60, 1000, 40000, 30);
	limits_of((enum kind[]){AS_ELL, AS_CSC, UNSORTED}, "ell, csc, unsorted", 400, 1000, 9000,
	          9);
	limits_of((enum kind[]){AS_CSR, WIDE, AS_CSR}, "csr, 64/32", 300, 500, 9000, 20);
}

static int setup(void **state)
{
	(void)state;
	draw.state = 5;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	heap_close(&heap);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_limits),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
