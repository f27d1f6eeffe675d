/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that every kernel compiles for CUDA without a warning, in every type, for compute_75, sm_80
 * and sm_90. All methods make plans on three cards of the fake libcuda.so.1, with the real NVRTC.
 * It compiles exactly the programs that methods ask for, so a new row of the table is tested
 * without a change here.
 *
 * For each method and type, the quick tier makes a plan of one shape on one card; shapes and
 * cards take turns. Methods on arrays are called. The full tier takes two shapes on each card,
 * the long tier all shapes on each card. Parameters are tested at both ends of their ranges, or at
 * values for which the card has local memory. */
#include "plan/plan.h"
#include "support/array_call.h"
#include "support/fake.h"
#include "support/product.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { CARDS = 3, STEP = 7 };

static struct fake_cuda *fake;
static ek_context *card[CARDS];
static char warning[600], where[256];
static const char *format; /* that plans ask for */
static unsigned turn;

static void keep_warning(void *user, ek_log_level level, const char *text)
{
	(void)user;
	(void)level;
	if (!*warning)
		snprintf(warning, sizeof warning, "%s", text);
}

/* Tells whether the method may refuse the shape with this status. If `name` has a parameter, the
 * method may also refuse a combination of parameters that are each in range. */
static bool may_refuse(const struct shape *s, const ek_method *m, const char *name,
                       ek_status status)
{
	if (strchr(name, ':') && (status == EK_EINVAL || status == EK_EUNSUPPORTED))
		return true;
	return shape_may_refuse(s, m, status);
}

/* Tries to make a plan, and tells whether it was made. A permitted refusal is no error. */
static bool check_plan(const struct shape *s, const ek_matrix *A, const char *name, ek_op op,
                       const ek_method *m)
{
	const ek_hints hints = {.size = sizeof hints, .method = name, .format = format, .op = op};
	ek_plan *plan;
	const ek_status status = ek_plan_create(ek_method_operation(m), A, &hints, &plan);

	if (*warning)
		fail_msg("%s: %s", where, warning);
	if (status != EK_OK && !may_refuse(s, m, name, status))
		fail_msg("%s: %s", where, ek_error_text());
	if (status == EK_OK)
		ek_plan_destroy(plan);
	if (*fake->misuse)
		fail_msg("%s: %s", where, fake->misuse);
	return status == EK_OK;
}

/* Tells whether a method works on arrays, in calls without a plan. */
static const struct array_op *on_arrays(const ek_method *m)
{
	for (int k = 0; k < array_op_count; k++)
		if (array_ops[k].op == m->operation)
			return &array_ops[k];
	return NULL;
}

/* Returns the next method for products with vectors or blocks that runs on a device. For sparse
 * products see test_nvrtc_spgemm.c. */
static const ek_method *device_next(const ek_method *m)
{
	while ((m = ek_method_next(m)) && (!needs_device(m) || (ek_method_operation(m) != EK_SPMV &&
	                                                        ek_method_operation(m) != EK_SPMM)))
		;
	return m;
}

static bool check_shape(int k, int type, int c, const char *name, const ek_method *m)
{
	const ek_op op = ek_method_supports(m, EK_OP_N, EK_REPRO_RUN) ? EK_OP_N : EK_OP_T;
	struct shape s;
	struct typed t;
	ek_matrix *A;
	bool made;

	shape_make(&s, k, DATA_EXACT);
	typed_make(&t, &s, (ek_value)(1 + type / EK_NINDEX), (ek_index)(1 + type % EK_NINDEX), 1);
	snprintf(where, sizeof where, "%s %s %s, %s, card %d", name, ek_value_name(t.value),
	         ek_index_name(t.index), s.name, c);
	expect_status(typed_csr(card[c], &t, EK_BORROW, &A), EK_OK);
	made = check_plan(&s, A, name, op, m);
	ek_matrix_destroy(A);
	typed_free(&t);
	shape_free(&s);
	return made;
}

/* Makes plans for shape after shape, until `wanted` plans were made or no shape is left. Returns
 * the number of plans made. */
static int check_shapes(int wanted, int type, int c, const char *name, const ek_method *m)
{
	int made = 0;

	for (int k = 0; k < shape_count() && made < wanted; k++, turn++)
		made += check_shape((int)(turn % (unsigned)shape_count()), type, c, name, m);
	turn += STEP; /* neighbouring shapes are alike, so skip some */
	return made;
}

static int wanted(void)
{
	return test_tier() <= TIER_QUICK ? 1 : test_tier() == TIER_FULL ? 2 : shape_count();
}

static void say_programs(void)
{
	for (int c = 0; c < CARDS; c++) {
		ek_device_counters counted = {.size = sizeof counted};

		expect_status(ek_device_get_counters(card[c], &counted), EK_OK);
		print_message("  card %d: %lld programs\n", c, (long long)counted.compiled);
		assert_true(counted.compiled > 0);
	}
}

static void test_types(void **state)
{
	int first = 0;

	(void)state;
	need_nvrtc();
	for (const ek_method *m = NULL; (m = device_next(m)); first++)
		for (int type = 0; type < EK_NTYPE; type++)
			for (int c = 0; c < CARDS; c++)
				if (test_tier() > TIER_QUICK || c == (first + type) % CARDS)
					if (!check_shapes(wanted(), type, c, ek_method_name(m), m))
						fail_msg("%s: refused for all shapes", where);
	say_programs();
}

/* Compiles the programs for parameters of formats that change them. */
static void test_format_parameters(void **state)
{
	static const char method[] = "spmv.bccoo.gpu";
	const ek_method *m = ek_method_find(method);

	(void)state;
	need_nvrtc();
	for (int turns = 0; m && turns < 2 * EK_NTYPE; turns++) {
		const int type = turns / 2;

		format = turns % 2 ? "bccoo:deltas=1" : "bccoo:deltas=2";
		if (!check_shapes(wanted(), type, type % CARDS, method, m))
			fail_msg("%s, %s: refused for all shapes", where, format);
	}
	format = NULL;
}

/* Makes a plan with a value of a parameter, or with half of it as long as that is refused for lack
 * of local memory. */
static void check_parameter(const ek_method *m, const ek_format_param *param, int64_t value, int c)
{
	int made = 0;

	for (bool lacks = true; lacks && !made; value /= 2) {
		char name[128];

		snprintf(name, sizeof name, "%s:%s=%lld", ek_method_name(m), param->name,
		         (long long)value);
		made = check_shapes(1, EK_NTYPE - 1, c, name, m);
		lacks = value / 2 >= param->min && !made &&
		        strstr(ek_error_text(), "bytes of local memory");
	}
}

static void test_parameters(void **state)
{
	int c = 0;

	(void)state;
	need_nvrtc();
	for (const ek_method *m = NULL; (m = device_next(m));)
		for (int k = 0; k < EKI_MAX_DIMS && m->param[k].name; k++)
			for (int end = 0; end < 2; end++, c++)
				check_parameter(m, &m->param[k],
				                end ? m->param[k].max : m->param[k].min, c % CARDS);
	say_programs();
}

/* Makes calls of a primitive, whose kernels the fake card does not run, with random types. */
static void check_arrays(const struct array_op *op, const char *name, int c)
{
	const ek_array_options o = {.size = sizeof o, .method = name};
	const int calls = test_tier() <= TIER_QUICK ? 4 : 40;
	struct rng r = {8};

	for (int k = 0; k < calls; k++) {
		struct call call = {.op = op->op};
		char *after[MOST_ARGS];

		op->make(&call, 9000, &r);
		snprintf(where, sizeof where, "%s, card %d", name, c);
		/* A method that waits for results of a kernel notices that none come, or that a
		 * number is impossible. */
		if (call_run(op, card[c], &o, &call, false, after) != EK_OK &&
		    !strstr(ek_error_text(), "did not answer") &&
		    !strstr(ek_error_text(), "entries, of at most"))
			fail_msg("%s: %s", where, ek_error_text());
		if (*warning || *fake->misuse)
			fail_msg("%s: %s%s", where, warning, fake->misuse);
		call_freed(after);
		call_free(&call);
	}
}

/* Compiles the programs of the primitives, with parameters at both ends of their ranges. */
static void test_arrays(void **state)
{
	int c = 0;

	(void)state;
	need_nvrtc();
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		const struct array_op *op = on_arrays(m);

		if (*ek_method_device(m) != 'g' || !op)
			continue;
		check_arrays(op, m->name, c++ % CARDS);
		for (int k = 0; k < EKI_MAX_DIMS && m->param[k].name; k++)
			for (int end = 0; end < 2; end++) {
				char name[128];

				snprintf(name, sizeof name, "%s:%s=%lld", m->name, m->param[k].name,
				         (long long)(end ? m->param[k].max : m->param[k].min));
				check_arrays(op, name, c++ % CARDS);
			}
	}
	say_programs();
}

static int setup(void **state)
{
	static const char *const name[CARDS] = {"cuda:0", "cuda:1", "cuda:2"};

	(void)state;
	fake = fake_cuda_use();
	fake->devices = CARDS;
	fake->arch[0] = 76; /* NVRTC does not know sm_76, so the target is compute_75 */
	fake->arch[1] = 80;
	fake->arch[2] = 90;
	for (int c = 0; c < CARDS; c++) {
		const ek_options o = {.size = sizeof o,
		                      .threads = 1,
		                      .device = name[c],
		                      .device_memory = EK_MEMORY_COPY,
		                      .log = keep_warning};

		expect_status(ek_context_create(&o, &card[c]), EK_OK);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int c = 0; c < CARDS; c++)
		ek_context_destroy(card[c]);
	fake_clean("the end");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_format_parameters),
		cmocka_unit_test(test_arrays),
	};

	return run_all_tests(tests, setup, teardown);
}

#endif
