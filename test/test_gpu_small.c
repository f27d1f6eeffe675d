/* SPDX-License-Identifier: BSD-3-Clause
 * All methods of devices, with the ends of their parameters, on a few small matrices: little enough
 * for a simulator of OpenCL that looks at each access (test/oclgrind.sh). Where the device is the
 * processor, arrays lie between guard pages, so that an access beside one is a crash here too. */
#include "core/ek_core.h"
#include "support/cl_guard.h"
#include "support/product.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct heap heap = HEAP_INIT;
static ek_device_info info = {.size = sizeof info}; /* of the device */
static ek_context *ctx;
static unsigned turn;
static long refused, done;

/* Names, and which of the shapes of that name. */
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
	         "NT"[op], ek_value_name(p->value), ek_index_name(index), p -> A.name);
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

/* The method, and again with each of its parameters at its ends, which it may refuse together with
 * others. */
static void check_method(struct product *p, const ek_method *m)
{
	const ek_format_param *param;
	char name[200];

	for (int op = 0; op < 2; op++)
		if (ek_method_supports(m, op ? EK_OP_T : EK_OP_N, EK_REPRO_RUN))
			check(p, ek_method_name(m), op, (ek_index)(1 + turn / 2 % 3), false);
	for (int k = 0; (param = ek_method_get_param(m, k)); k++) {
		const long long end[] = {param->min, param->max};

		snprintf(name, sizeof name, "%s:%s=%lld", ek_method_name(m), param->name,
		         end[turn / 2 % 2]);
		check(p, name, 0, EK_I32, true);
	}
}

static void walk(ek_options o)
{
	struct product p;

	o.device = "opencl";
	done = refused = 0;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			cl_guard_place((int)(k + (size_t)value) % 2);
			product_make(&p, find(wanted[k].name, wanted[k].number), DATA_EXACT,
			             (ek_value)value, (int)k);
			for (const ek_method *m = NULL; (m = device_method_next(m));)
				check_method(&p, m);
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
	o.device_memory = EK_MEMORY_COPY;
	walk(o);
}

/* What the library allocates is memory that the device uses too, with guard pages as well. */
static void test_shared_heap(void **state)
{
	(void)state;
	if (info.shared)
		walk((ek_options){.size = sizeof(ek_options),
		                  .threads = 1,
		                  .device_memory = EK_MEMORY_SHARED});
}

static int nothing(void **state)
{
	(void)state;
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
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_shared_heap),
	};
	bool found = false;

	if (argc > 0)
		test_passive_threads(argv);
	for (int k = 0; !found && ek_device_get_info(k, &info) == EK_OK; k++)
		found = strncmp(info.name, "opencl", 6) == 0;
	if (!found) {
		printf("left out: %s\n", ek_error_text());
		return 0;
	}
	printf("%s, %s guard pages\n", info.text, cl_guard_install() ? "with" : "without");
	return run_all_tests(tests, nothing, teardown);
}
#endif
