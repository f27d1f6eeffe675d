/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the version, names, contexts and their options, environment variables, and the log. */
#define _GNU_SOURCE /* setenv */
#include "plan/plan.h"
#include "support/support.h"
#include "support/heap.h"

static void clear_environment(void)
{
	unsetenv("EK_THREADS");
	unsetenv("EK_BIND");
	unsetenv("EK_ISA");
	unsetenv("EK_METHOD");
}

static int clear(void **state)
{
	(void)state;
	clear_environment();
	return 0;
}

static void test_names(void **state)
{
	char version[32];

	(void)state;
	snprintf(version, sizeof version, "%d.%d.%d", EK_VERSION_MAJOR, EK_VERSION_MINOR,
	         EK_VERSION_PATCH);
	assert_string_equal(ek_version(), version);
	assert_string_equal(ek_value_name(EK_F32), "f32");
	assert_string_equal(ek_value_name(EK_F64), "f64");
	assert_null(ek_value_name((ek_value)0));
	assert_string_equal(ek_value_name(EK_INT32), "i32");
	assert_string_equal(ek_value_name(EK_INT64), "i64");
	assert_null(ek_value_name((ek_value)5));
	assert_null(ek_value_name((ek_value)-1));
	assert_int_equal(ek_value_size(EK_INT32), 4);
	assert_int_equal(ek_value_size(EK_INT64), 8);
	assert_int_equal(ek_value_size(EK_F32), 4);
	assert_int_equal(ek_value_size(EK_F64), 8);
	assert_int_equal(ek_value_size((ek_value)-1), 0);
	assert_string_equal(ek_index_name(EK_I32), "32");
	assert_string_equal(ek_index_name(EK_I64_32), "64/32");
	assert_string_equal(ek_index_name(EK_I64), "64");
	assert_null(ek_index_name((ek_index)0));
	assert_null(ek_index_name((ek_index)4));
	assert_string_equal(ek_isa_name(EK_ISA_SCALAR), "scalar");
	assert_string_equal(ek_isa_name(EK_ISA_AVX2), "avx2");
	assert_string_equal(ek_isa_name(EK_ISA_AVX512), "avx512");
	assert_string_equal(ek_isa_name(EK_ISA_NEON), "neon");
	assert_null(ek_isa_name((ek_isa)EK_NISA));
	assert_null(ek_isa_name((ek_isa)-1));
}

/* Checks that every status has its own text, and that other numbers have a text too. */
static void test_status_text(void **state)
{
	(void)state;
	for (int a = EK_EUNSUPPORTED; a <= EK_OK; a++)
		for (int b = EK_EUNSUPPORTED - 1; b < a; b++)
			assert_string_not_equal(ek_status_text((ek_status)a),
			                        ek_status_text((ek_status)b));
	assert_string_equal(ek_status_text(EK_ENOMEM), "out of memory");
	assert_non_null(ek_status_text((ek_status)12345));
	assert_non_null(ek_status_text((ek_status)-12345));
}

/* Checks that successful calls keep the text of the last failure, and long messages are cut. */
static void test_error_text(void **state)
{
	char before[2048], longest[3000];
	ek_context *ctx;

	(void)state;
	expect_error(ek_context_create(NULL, NULL), EK_EINVAL, "ctx is NULL");
	snprintf(before, sizeof before, "%s", ek_error_text());
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	assert_string_equal(ek_error_text(), before);
	ek_context_destroy(ctx);
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = 0;
	assert_int_equal(eki_fail(EK_EIO, "%s", longest), EK_EIO);
	assert_in_range(strlen(ek_error_text()), 100, 2999);
}

/* ---- Methods --------------------------------------------------------------------------------- */

static void test_method_table(void **state)
{
	const ek_method *serial;
	int count = 0, plain[2] = {0}, strict[2] = {0};

	(void)state;
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		count++;
		assert_ptr_equal(ek_method_find(ek_method_name(m)), m);
		assert_true(strlen(ek_method_text(m)) > 10);
		assert_true(strlen(ek_method_source(m)) > 3);
		assert_non_null(ek_method_format(m));
		assert_non_null(ek_method_device(m));
		assert_ptr_equal(
			strstr(ek_method_name(m), ek_operation_name(ek_method_operation(m))),
			ek_method_name(m));
		if (!eki_operation_row(ek_method_operation(m))->matrices)
			assert_string_equal(ek_method_format(m), "array");
		else if (strcmp(ek_method_format(m), "any") != 0)
			assert_non_null(strstr(ek_method_name(m), ek_method_format(m)));
		assert_int_equal(ek_method_supports(m, (ek_op)0, EK_REPRO_RUN),
		                 !eki_operation_row(ek_method_operation(m))->matrices);
		for (int op = 0; op < 2; op++) {
			ek_op which = op ? EK_OP_T : EK_OP_N;

			plain[op] += ek_method_supports(m, which, EK_REPRO_RUN);
			strict[op] += ek_method_supports(m, which, EK_REPRO_STRICT);
			assert_true(ek_method_supports(m, which, EK_REPRO_RUN) >=
			            ek_method_supports(m, which, EK_REPRO_STRICT));
		}
	}
	assert_true(count > 0 && plain[0] > 0 && plain[1] > 0 && strict[0] > 0 && strict[1] > 0);
	serial = ek_method_find("spmv.csr.serial");
	assert_int_equal(ek_method_supports(serial, (ek_op)113, EK_REPRO_RUN), 0); /* conjugate */
	assert_int_equal(ek_method_supports(serial, EK_OP_N, (ek_reproducible)7), 0);
	assert_null(ek_method_find("spmv.csr.no-such"));
	assert_null(ek_method_find(""));
	assert_null(ek_method_find(NULL));
	assert_null(ek_method_name(NULL));
	assert_null(ek_method_text(NULL));
	assert_null(ek_method_source(NULL));
	assert_null(ek_method_format(NULL));
	assert_null(ek_method_device(NULL));
	assert_int_equal(ek_method_supports(NULL, EK_OP_N, EK_REPRO_RUN), 0);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static void test_context(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = NULL;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	assert_true(ek_context_threads(ctx) >= 1);
	assert_int_equal(eki_isa_level(ek_context_isa(ctx)), eki_cpu_isa());
	ek_context_destroy(ctx);
	ek_context_destroy(NULL);
	assert_int_equal(ek_context_threads(NULL), 0);
	assert_int_equal(ek_context_isa(NULL), EK_ISA_SCALAR);
	for (int threads = 1; threads <= 9; threads++)
		for (int isa = EK_ISA_SCALAR; isa <= EK_ISA_AVX512; isa++) {
			ctx = heap_context(&heap, threads, EK_ISA_LIMIT(isa));
			assert_int_equal(ek_context_threads(ctx), threads);
			assert_in_range(ek_context_isa(ctx), 0, isa);
			ek_context_destroy(ctx);
		}
	/* Limits of another kind of processor leave the scalar code. */
	const ek_isa other = eki_cpu_isa() == EK_ISA_NEON ? EK_ISA_AVX512 : EK_ISA_NEON;

	ctx = heap_context(&heap, 1, EK_ISA_LIMIT(other));
	assert_int_equal(ek_context_isa(ctx), EK_ISA_SCALAR);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void expect_bad_options(const ek_options *o, const char *part)
{
	ek_context *ctx = (ek_context *)(void *)&ctx;

	expect_error(ek_context_create(o, &ctx), EK_EINVAL, part);
	assert_ptr_equal(ctx, &ctx);
}

static void test_bad_options(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_options good = heap_options(&heap, 2), o;

	(void)state;
	o = good, o.size = 0;
	expect_bad_options(&o, "options.size");
	o = good, o.size = offsetof(ek_options, device) + 1;
	expect_bad_options(&o, "options.size");
	o = good, o.alloc = NULL;
	expect_bad_options(&o, "options.alloc");
	o = good, o.dealloc = NULL;
	expect_bad_options(&o, "options.dealloc");
	o = good, o.threads = -1;
	expect_bad_options(&o, "options.threads is -1");
	o = good, o.threads = 1000000000;
	expect_bad_options(&o, "options.threads is 1000000000");
	o = good, o.isa_limit = -1;
	expect_bad_options(&o, "options.isa_limit");
	o = good, o.isa_limit = EK_NISA + 1;
	expect_bad_options(&o, "options.isa_limit");
	heap_close(&heap);
}

static void expect_bad_variable(const char *name, const char *text)
{
	ek_context *ctx = (ek_context *)(void *)&ctx;

	setenv(name, text, 1);
	expect_error(ek_context_create(NULL, &ctx), EK_EINVAL, name);
	assert_non_null(strstr(ek_error_text(), text));
	assert_ptr_equal(ctx, &ctx);
	unsetenv(name);
}

static void test_bad_environment(void **state)
{
	(void)state;
	clear_environment();
	expect_bad_variable("EK_THREADS", "many");
	expect_bad_variable("EK_THREADS", "0");
	expect_bad_variable("EK_THREADS", "-1");
	expect_bad_variable("EK_THREADS", "1e9");
	expect_bad_variable("EK_THREADS", "2 ");
	expect_bad_variable("EK_THREADS", "4097");
	expect_bad_variable("EK_THREADS", "99999999999999999999");
	expect_bad_variable("EK_BIND", "2");
	expect_bad_variable("EK_BIND", "cores");
	expect_bad_variable("EK_ISA", "sse");
	expect_bad_variable("EK_ISA", "AVX2");
	expect_bad_variable("EK_METHOD", "spmv.csr.no-such");
}

static void test_environment(void **state)
{
	ek_options three = {.size = sizeof three, .threads = 3};
	ek_context *ctx;

	(void)state;
	clear_environment();
	setenv("EK_THREADS", "5", 1);
	setenv("EK_ISA", "scalar", 1);
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	assert_int_equal(ek_context_threads(ctx), 5);
	assert_int_equal(ek_context_isa(ctx), EK_ISA_SCALAR);
	ek_context_destroy(ctx);
	expect_status(ek_context_create(&three, &ctx), EK_OK);
	assert_int_equal(ek_context_threads(ctx), 3); /* the option overrides EK_THREADS */
	ek_context_destroy(ctx);
	setenv("EK_THREADS", "", 1);
	/* only an upper limit, so valid on any processor */
	setenv("EK_ISA", eki_cpu_isa() == EK_ISA_NEON ? "neon" : "avx512", 1);
	setenv("EK_METHOD", "auto", 1);
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	assert_int_equal(ek_context_isa(ctx), eki_cpu_isa());
	ek_context_destroy(ctx);
	clear_environment();
}

/* Checks that EK_METHOD takes effect where the method would be "auto", and replaces no method that
 * a hint names. */
static void test_method_variable(void **state)
{
	static const int32_t ptr[] = {0, 1}, col[] = {0};
	static const double val[] = {2};
	const char *oracle = ek_method_name(matrix_method_next(NULL));
	ek_hints hints = {.size = sizeof hints, .method = "auto"};
	ek_context *ctx;
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	setenv("EK_METHOD", oracle, 1);
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, 1, ptr, col, val, 0, &A), EK_OK);
	for (int k = 0; k < 2; k++) {
		expect_status(ek_plan_create(EK_SPMV, A, k ? &hints : NULL, &plan), EK_OK);
		assert_string_equal(ek_plan_method(plan), oracle);
		ek_plan_destroy(plan);
	}
	for (const ek_method *m = NULL; (m = matrix_method_next(m));)
		if (ek_method_supports(m, EK_OP_N, EK_REPRO_RUN)) {
			hints.method = ek_method_name(m);
			if (ek_plan_create(EK_SPMV, A, &hints, &plan) != EK_OK)
				continue;
			assert_string_equal(ek_plan_method(plan), hints.method);
			ek_plan_destroy(plan);
		}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	clear_environment();
}

struct logged {
	int count;
	ek_log_level level;
	char text[600];
};

static void keep_log(void *user, ek_log_level level, const char *text)
{
	struct logged *l = user;

	l->count++;
	l->level = level;
	snprintf(l->text, sizeof l->text, "%s", text);
}

static void test_log(void **state)
{
	struct logged l = {0};
	ek_options o = {.size = sizeof o, .log = keep_log, .log_user = &l};
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	eki_log(ctx, EK_LOG_WARNING, "%d values underflow", 7);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.level, EK_LOG_WARNING);
	assert_string_equal(l.text, "7 values underflow");
	ek_context_destroy(ctx);
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	eki_log(ctx, EK_LOG_WARNING, "nobody listens");
	ek_context_destroy(ctx);
}

static void test_memory_sizes(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	void *block = &heap;

	(void)state;
	expect_error(eki_alloc(ctx, INT64_MAX, 8, &block), EK_EOVERFLOW, "address space");
	expect_error(eki_alloc(ctx, PTRDIFF_MAX / 8, 8, &block), EK_EOVERFLOW, "address space");
	expect_error(eki_alloc(ctx, -1, 8, &block), EK_EOVERFLOW, "address space");
	expect_error(eki_alloc(ctx, PTRDIFF_MAX / 8 - 64, 8, &block), EK_ENOMEM, "no memory");
	assert_ptr_equal(block, &heap);
	expect_status(eki_alloc(ctx, 0, 8, &block), EK_OK);
	assert_null(block);
	eki_free(ctx, NULL, 3, 8);
	expect_status(eki_calloc(ctx, 3, 8, &block), EK_OK);
	for (int k = 0; k < 24; k++)
		assert_int_equal(((char *)block)[k], 0);
	ek_free(ctx, block, 24);
	ek_free(NULL, NULL, 0);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that arrays are accepted if they have the compiler's alignment for their type: 32-bit x86
 * aligns 8-byte types to 4 bytes, so some arrays here are not at a multiple of 8. */
static void test_alignment(void **state)
{
	static struct {
		int32_t i;
		double f;
		int64_t n;
	} place[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		expect_status(eki_array_check("f", &place[k].f, 1, 8), EK_OK);
		expect_status(eki_array_check("n", &place[k].n, 1, 8), EK_OK);
		expect_error(eki_array_check("f", (char *)&place[k].f + 2, 1, 8), EK_EINVAL,
		             "not aligned");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),           cmocka_unit_test(test_status_text),
		cmocka_unit_test(test_error_text),      cmocka_unit_test(test_method_table),
		cmocka_unit_test(test_context),         cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_bad_environment), cmocka_unit_test(test_environment),
		cmocka_unit_test(test_method_variable), cmocka_unit_test(test_log),
		cmocka_unit_test(test_memory_sizes),    cmocka_unit_test(test_alignment),
	};

	return cmocka_run_group_tests(tests, clear, NULL);
}
