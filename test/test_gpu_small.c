/* SPDX-License-Identifier: BSD-3-Clause
 * Tests all methods of devices, with their parameters at their limits, on a few small matrices. The
 * work is little enough for an OpenCL simulator that checks each access (test/oclgrind.sh). The
 * device is the one that EK_DEVICE names, or else the first OpenCL device. If it is the processor,
 * arrays are between guard pages, so that accesses outside an array crash even without the
 * simulator. */
#include "plan/plan.h"
#include "support/cl_guard.h"
#include "support/context.h"
#include "support/product.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static ek_device_info info = {.size = sizeof info}; /* of the device */
static unsigned turn;
static unsigned kind_of_memory; /* number of the test */
static long refused, done;

/* Shapes to test: a name, and the number of the shape among the shapes of that name. */
static const struct {
	const char *name;
	int number;
} wanted[] = {
	{"no-entries", 0}, {"single", 0},      {"one-row", 7},  {"one-column", 0},
	{"equal", 4},      {"mixed", 1},       {"leading", 0},  {"interleaved", 1},
	{"power-law", 0},  {"middle-huge", 0}, {"repeated", 0}, {"unsorted", 1},
};

static int find(const char *name, int number)
{
	for (int k = 0; k < shape_count(); k++)
		if (strcmp(shape_name(k), name) == 0 && number-- == 0)
			return k;
	fail_msg("no shape %s", name);
	return -1;
}

static bool may_refuse(ek_status status, bool given)
{
	return status == EK_ELIMIT || status == EK_EUNSUPPORTED || (given && status == EK_EINVAL);
}

static void check(struct product *p, const char *method, int op, ek_index index, bool given)
{
	const ek_hints hints = {
		.size = sizeof hints, .method = method, .op = op ? EK_OP_T : EK_OP_N};
	ek_matrix *A;
	ek_plan *plan;
	ek_status status;
	char text[400];
	const void *y;

	snprintf(product_where, sizeof product_where, "%s op %c, %s, %s, shape %s", method,
	         op ? 'T' : 'N', ek_value_name(p->value), ek_index_name(index), p->A.name);
	expect_status(product_matrix(p, ctx, HELD_CSR, index, EK_BORROW, &A), EK_OK);
	status = ek_plan_create(EK_SPMV, A, &hints, &plan);
	if (status != EK_OK && !may_refuse(status, given))
		fail_msg("%s: %s", product_where, ek_error_text());
	refused += status != EK_OK;
	for (int k = 0; status == EK_OK && k < 2; k++, done++) {
		struct run run = {.op = op, .at_end = k, .device = k ? ctx : NULL};

		product_pair(DATA_EXACT, turn++, &run.alpha, &run.beta);
		if (!product_run(p, NULL, plan, &run, &y, text, sizeof text))
			fail_msg("%s: %s", product_where, text);
	}
	if (status == EK_OK)
		ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* Returns the number that chooses the type of indices and the end of a parameter. In the quick tier
 * these stay the same for a type of values and a kind of memory, since compiling takes most of the
 * time. */
static unsigned choice(const struct product *p)
{
	return test_tier() == TIER_QUICK ? (unsigned)p->value + kind_of_memory : turn / 2;
}

/* Checks the method with its defaults, then with each parameter at its least or greatest value,
 * which the method may refuse in combination with others. In the brief tier every other pair of
 * shapes has every other parameter. */
static void check_method(struct product *p, const ek_method *m, int shape)
{
	const ek_format_param *param;
	char name[200];

	for (int op = 0; op < 2; op++)
		if (ek_method_supports(m, op ? EK_OP_T : EK_OP_N, EK_REPRO_RUN))
			check(p, ek_method_name(m), op, (ek_index)(1 + choice(p) % 3), false);
	for (int k = 0; (param = ek_method_get_param(m, k)); k++) {
		const bool brief = test_tier() == TIER_BRIEF;
		const long long end[] = {param->min, param->max};

		if (brief && (k + shape / 2) % 2)
			continue;
		snprintf(name, sizeof name, "%s:%s=%lld", ek_method_name(m), param->name,
		         end[(brief ? (unsigned)shape / 4 : choice(p)) % 2]);
		check(p, name, 0, EK_I32, true);
	}
}

static void walk(ek_options o)
{
	struct product p;

	done = refused = 0;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			if (test_tier() == TIER_BRIEF && value != EK_F32 + (int)k % 2)
				continue; /* the types take turns */
			cl_guard_place((int)(k + (size_t)value) % 2);
			product_make(&p, find(wanted[k].name, wanted[k].number), DATA_EXACT,
			             (ek_value)value, (int)k);
			for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPMV));)
				check_method(&p, m, (int)k);
			product_free(&p);
		}
	print_message("  %ld runs, %ld plans refused\n", done, refused);
	assert_true(done > 4 * refused);
	ek_context_destroy(ctx);
}

static void test_copies(void **state)
{
	ek_options o = heap_options(&heap, 1);

	(void)state;
	o.device = info.name;
	o.device_memory = EK_MEMORY_COPY;
	walk(o);
}

static void test_mapped(void **state)
{
	ek_options o = heap_options(&heap, 1);

	(void)state;
	o.device = info.name;
	o.device_memory = EK_MEMORY_MAPPED;
	if (!info.mapped || !cl_guard_works(&o))
		skip();
	kind_of_memory = 1;
	walk(o);
}

/* Tests memory, between guard pages, that the library allocates and shares with the device. */
static void test_shared_heap(void **state)
{
	const ek_options o = {.size = sizeof o,
	                      .threads = 1,
	                      .device = info.name,
	                      .device_memory = EK_MEMORY_SHARED};

	(void)state;
	if (!info.shared || !cl_guard_works(&o))
		skip();
	kind_of_memory = 2;
	walk(o);
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
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_mapped),
		cmocka_unit_test(test_shared_heap),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return cl_guard_run(tests, sizeof tests / sizeof *tests, teardown, &info);
}
#endif
