/* SPDX-License-Identifier: BSD-3-Clause
 * Tests all methods of devices for sparse results on a few small matrices, as test_gpu_small does
 * for products with vectors: the work is little enough for an OpenCL simulator that checks each
 * access (test/oclgrind.sh). The device is the one that EK_DEVICE names, or else the first OpenCL
 * device. If it is the processor, arrays are between guard pages. */
#include "plan/plan.h"
#include "support/cl_guard.h"
#include "support/devices.h"
#include "support/held.h"
#include "support/rows.h"
#include "support/small.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static ek_device_info info = {.size = sizeof info}; /* of the device */

/* Products of A, with rows of these lengths, and a matrix whose rows have `width` entries, each
 * beginning `step` columns after the one before. */
static const struct {
	int64_t length[8], step, width;
} problem[] = {
	{{0, 1, 2, 0, 3, 1, 9, 0}, 1, 1},     /* short rows */
	{{4, 33, 0, 70, 2, 1, 0, 0}, 3, 2},   /* also rows for groups */
	{{0, 0, 0, 0, 0, 0, 0, 0}, 1, 1},     /* no entries */
	{{1, 20, 0, 0, 2, 0, 0, 0}, 0, 30},   /* one long row of few entries */
	{{20, 0, 0, 0, 0, 0, 0, 28}, 20, 30}, /* rows of 410 and 570 entries */
	{{30, 0, 1, 0, 0, 0, 0, 0}, 42, 43},  /* a row of 1261 entries */
};
enum { ROWS = 8, PROBLEMS = sizeof problem / sizeof *problem };

static ek_status run(ek_operation op, ek_plan *plan, ek_matrix **C)
{
	return op == EK_SPGEMM   ? ek_spgemm(plan, 2, 3, C)
	       : op == EK_SPADD  ? ek_spadd(plan, 2, 3, C)
	       : op == EK_TRIPLE ? ek_triple(plan, 2, C)
	                         : ek_transpose(plan, C);
}

/* Lets the plan write the values of C to an array, and compares them with those of C. */
static void check_values(ek_plan *plan, const ek_matrix *C, const char *method)
{
	size_t bytes;
	void *right = values_copy(C, &bytes), *val = calloc(bytes + 1, 1);

	expect_status(ek_result_values(plan, 2, 3, C, C->store.nnz, val), EK_OK);
	if (bytes && memcmp(val, right, bytes) != 0)
		fail_msg("%s: other values in an array of the caller", method);
	free(right);
	free(val);
}

/* Computes 2 A B + 3 D, 2 A + 3 B, 2 B^T A B or A^T, twice into the same C, and compares C with
 * what the reference on the processor makes; the third time into an array. */
static void check(ek_operation op, const ek_matrix *A, const ek_matrix *B, const ek_matrix *D,
                  const char *method)
{
	ek_hints hints = {.size = sizeof hints, .method = method, .B = B, .D = D};
	ek_matrix *C = NULL, *ref = NULL;
	ek_plan *plan, *serial;

	expect_status(ek_plan_create(op, A, &hints, &plan), EK_OK);
	hints.method = ek_method_name(operation_next(NULL, op));
	expect_status(ek_plan_create(op, A, &hints, &serial), EK_OK);
	expect_status(run(op, serial, &ref), EK_OK);
	for (int again = 0; again < 2; again++) {
		expect_status(run(op, plan, &C), EK_OK);
		const char *array = different_array(C, ref);

		if (array)
			fail_msg("%s, run %d: other %s", method, again, array);
	}
	check_values(plan, C, method);
	ek_matrix_destroy(C);
	ek_matrix_destroy(ref);
	ek_plan_destroy(plan);
	ek_plan_destroy(serial);
}

/* Checks each method with its defaults, and with each value of its parameters from the least on, up
 * to three; in the brief tier with one of these values, which take turns by the number of the
 * problem. Methods that divide the work have no kernels of their own. */
static void check_methods(ek_operation op, const ek_matrix *A, const ek_matrix *B,
                          const ek_matrix *D, int number)
{
	const bool brief = test_tier() == TIER_BRIEF;
	char name[128];

	for (const ek_method *m = NULL; (m = device_method_next(m, op));) {
		const ek_format_param *param;

		if (uses_both(m))
			continue;
		check(op, A, B, D, ek_method_name(m));
		for (int k = 0; (param = ek_method_get_param(m, k)); k++)
			for (int64_t v = param->min; v <= param->max && v < param->min + 3; v++) {
				if (brief && v - param->min != number % 3)
					continue;
				snprintf(name, sizeof name, "%s:%s=%lld", ek_method_name(m),
				         param->name, (long long)v);
				check(op, A, B, D, name);
			}
	}
}

/* Computes Galerkin products with rows of these lengths. */
static void check_triples(void)
{
	static const int64_t length[][ROWS] = {{0, 1, 2, 0, 3, 1, 8, 0}, {0}};
	ek_matrix *P = rows_stairs(ctx, ROWS, 1, 2);

	for (int k = 0; k < 2; k++) {
		ek_matrix *A = rows_of_lengths(ctx, ROWS, ROWS, NULL, length[k]);

		check_methods(EK_TRIPLE, A, P, NULL, k);
		ek_matrix_destroy(A);
	}
	ek_matrix_destroy(P);
}

/* Checks all methods on a device that the library takes for one of this kind. */
static void walk(ek_options o, const char *kind)
{
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	call_device(ctx, kind);
	check_triples();
	for (int k = 0; k < PROBLEMS; k++) {
		int64_t most = 1;

		cl_guard_place(k % 2);
		for (int i = 0; i < ROWS; i++)
			most = problem[k].length[i] > most ? problem[k].length[i] : most;
		ek_matrix *A = rows_of_lengths(ctx, ROWS, most, NULL, problem[k].length);
		ek_matrix *B = rows_stairs(ctx, most, problem[k].step, problem[k].width);
		ek_matrix *D =
			rows_equal(ctx, ROWS, (most - 1) * problem[k].step + problem[k].width, 1);

		ek_matrix *E = rows_equal(ctx, ROWS, most, 1);

		check_methods(EK_SPGEMM, A, B, NULL, k);
		if (k < 2)
			check_methods(EK_SPGEMM, A, B, D, k);
		check_methods(EK_SPADD, A, E, NULL, k);
		check_methods(EK_TRANSPOSE, A, NULL, NULL, k);
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
		ek_matrix_destroy(E);
		ek_matrix_destroy(D);
	}
	ek_context_destroy(ctx);
}

static void test_copies(void **state)
{
	ek_options o = heap_options(&heap, 1);

	(void)state;
	o.device = info.name;
	o.device_memory = EK_MEMORY_COPY;
	walk(o, info.kind);
}

static void test_shared(void **state)
{
	const ek_options o = {.size = sizeof o,
	                      .threads = 1,
	                      .device = info.name,
	                      .device_memory = EK_MEMORY_SHARED};

	(void)state;
	if (!info.shared || !cl_guard_works(&o))
		skip();
	/* A GPU has more sizes of tables than a processor, and compiling takes most of the time. */
	walk(o, test_tier() > TIER_QUICK ? "gpu" : info.kind);
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
		cmocka_unit_test(test_shared),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return cl_guard_run(tests, sizeof tests / sizeof *tests, teardown, &info);
}
#endif
