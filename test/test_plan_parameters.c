/* SPDX-License-Identifier: BSD-3-Clause
 * Tests ek_plan_parameters for all methods that have parameters, on the processor and on devices:
 * defaults become known values in the ranges of the method's row, values that were asked for are
 * reported as asked or as the method rounds them, ek_plan_explain says the same, and what is
 * reported can be asked for and is then reported again. */
#include "gpu/gpu.h"
#include "support/devices.h"
#include "support/rows.h"
#include "support/support.h"

static ek_matrix *mesh, *aggregates;

static void open_matrices(ek_context *ctx)
{
	expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=40,ny=30", EK_F64, EK_I32, &mesh),
	              EK_OK);
	expect_status(ek_aggregate(mesh, NULL, &aggregates), EK_OK);
}

static void close_matrices(void)
{
	ek_matrix_destroy(mesh);
	ek_matrix_destroy(aggregates);
}

/* Makes a plan for the mesh by a method with its parameters. */
static ek_status make(const ek_method *m, const char *name, const char *format, ek_plan **plan)
{
	const ek_operation operation = ek_method_operation(m);
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name,
	                        .format = format,
	                        .B = operation == EK_SPGEMM   ? mesh
	                             : operation == EK_TRIPLE ? aggregates
	                                                      : NULL};

	return ek_plan_create(operation, mesh, &hints, plan);
}

static bool has_plans(const ek_method *m)
{
	const ek_operation o = ek_method_operation(m);

	return o == EK_SPMV || o == EK_SPMM || o == EK_DENSE_SPMM || o == EK_SPGEMM ||
	       o == EK_TRIPLE;
}

/* Returns the value of a parameter in a text such as "t=64,w=16", or 0. */
static long long value_of(const char *text, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return atoll(at + length + 1);
	return 0;
}

/* Tells whether a default may make no difference, and be left out: which side does what, and by
 * batches or not; rows that are never read directly; panels that do not pay; slices of a B that
 * fits. */
static bool may_lack(const ek_method *m, const char *name)
{
	return strstr(ek_method_name(m), ".split.") ||
	       (strcmp(name, "s") == 0 && (strstr(ek_method_name(m), ".classes.") ||
	                                   strstr(ek_method_name(m), ".patterns."))) ||
	       strcmp(name, "panels") == 0 || strcmp(name, "slices") == 0;
}

/* Checks what a plan says of parameters, and a plan with those that it reports. */
static void check_reported(const ek_method *m, const ek_plan *plan)
{
	char text[8192], line[200], name[200];
	ek_plan *same;

	snprintf(name, sizeof name, "%s:%s", ek_method_name(m), ek_plan_parameters(plan));
	expect_status(make(m, name, NULL, &same), EK_OK);
	if (strcmp(ek_plan_parameters(plan), ek_plan_parameters(same)) != 0)
		fail_msg("%s gives \"%s\"", name, ek_plan_parameters(same));
	ek_plan_destroy(same);
	snprintf(line, sizeof line, "\nparams   %s\n", ek_plan_parameters(plan));
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_text(text, line);
}

static void check_defaults(const ek_method *m)
{
	const ek_format_param *param;
	ek_plan *plan;
	int known = 0;

	expect_status(make(m, ek_method_name(m), NULL, &plan), EK_OK);
	for (int k = 0; (param = ek_method_get_param(m, k)); k++) {
		const long long v = value_of(ek_plan_parameters(plan), param->name);

		if (!v && may_lack(m, param->name))
			continue;
		if (v < param->min || v > param->max)
			fail_msg("%s: %s is %lld in \"%s\"", ek_method_name(m), param->name, v,
			         ek_plan_parameters(plan));
		known++;
	}
	assert_true(known > 0);
	check_reported(m, plan);
	ek_plan_destroy(plan);
}

/* Methods with parameters, and what plans for the mesh report. */
static const struct asked {
	const char *name, *reported;
} asked[] = {
	{"spgemm.csr.bins:memory=2", "memory=2"},
	{"spmv.csr5.gpu:r=3,s=9,t=50,u=2", "r=3,s=9,t=50,u=2"},
	{"spmv.csr.acsr.gpu:each=4,long=512", "each=4,long=512"},
	{"spmv.csr.adaptive.gpu:block=700,small=3", "block=700,small=3"},
	{"spmv.csr.adaptive.gpu:block=4096", "block=4096,small=2"},
	{"spmv.csr.stream.gpu:block=300", "block=300"},
	{"spmv.csr.classes.gpu:u=2,w=64,s=9,columns=32", "u=2,w=64,s=9,columns=32"},
	{"spmv.csr.patterns.gpu:u=2,w=64,s=9,columns=32", "u=2,w=64,s=9,columns=32"},
	{"spmv.csr.hetero.gpu:share=300,t=8,w=4,b=2,s=3", "share=300,t=8,w=4,b=2,s=3"},
	{"spmv.csr.merge.gpu:u=3", "u=3"},
	{"spmv.csr.panels.gpu:panels=2,width=64", "panels=2,width=64"},
	{"spmv.csr.panels.gpu:panels=4096,width=512", "panels=3,width=512"},
	{"spmv.csr.segspmv.gpu:s=16", "s=16"},
	{"spmv.csr.segspmv.gpu:s=5", "s=8"},
	{"spmv.csr.segspmv.gpu", "s=8"}, /* rows have 4.9 entries on average */
	{"spmv.csr.segspmv_r.gpu:s=32", "s=32"},
	{"spmv.csr.segspmv_gather.gpu:s=2", "s=2"},
	{"spmv.csr.speculative.gpu:t=8,w=4,b=2,s=3", "t=8,w=4,b=2,s=3"},
	{"spmv.csr.speculative_published.gpu:t=8,w=4,b=2,s=3", "t=8,w=4,b=2,s=3"},
	{"spmv.csr.padded.gpu", "pad=4"},
	{"spmv.csr.padded.gpu:pad=8", "pad=8"},
	{"spmv.csr.vector.gpu:lanes=4", "lanes=4"},
	{"spmv.csr.vector.gpu", "lanes=8"},
	{"spmv.scoo.gpu:sums=64", "sums=64"},
	{"spmv.csr.batches.gpu:batch=4096", "batch=4096"},
	{"spmm.csr.batches.gpu:batch=4096", "batch=4096"},
	{"spmv.csr.split.gpu:share=250", "share=250"},
	{"spmv.csr.split.gpu:side=1", "side=1"},
	{"spmv.csr.split.gpu:side=2", "side=2"},
	{"spmv.csr.split.gpu:batch=4096,side=1", "batch=4096,side=1"},
	{"spmv.csr.split.gpu:share=250,chunks=3", "share=250,chunks=3"},
	{"spmv.csr.split.gpu:share=250,chunks=1", "share=250,chunks=1"},
	{"spmv.csr.split.gpu:side=1,chunks=3", "side=1,chunks=3"},
	{"spmv.csr.split.gpu:side=1,chunks=1", "side=1"},
	{"spmv.csr.split.gpu:side=2,chunks=3", "side=2"},
	{"spmm.csr.split.gpu:share=250", "share=250"},
	{"spmm.csr.split.gpu:share=250,chunks=6", "share=250,chunks=6"},
	{"spgemm.csr.split.gpu:share=250", "share=250"},
	{"spgemm.csr.split.gpu:side=2", "side=2"},
	{"spgemm.csr.split.gpu:batch=30000,side=1", "batch=30000,side=1"},
	{"spgemm.csr.split.gpu:batch=30000,side=2", "side=2"},
	{"spgemm.csr.batches.gpu:batch=30000", "batch=30000"},
	{"spgemm.csr.batches.gpu:batch=30000,slices=2", "batch=30000,slices=2"},
	{"spgemm.csr.bins.gpu:memory=3", "memory=3"},
	{"spgemm.csr.hash.gpu:local=16", "local=16"},
	{"spgemm.csr.hash.gpu:local=31", "local=16"},
	{"triple.csr.left.gpu:spgemm=2", "spgemm=2"},
	{"triple.csr.right.gpu:spgemm=1", "spgemm=1"},
	{"spmv.csr.scalar.gpu", ""},
};

static void check_asked(const struct asked *a, const ek_method *m)
{
	ek_plan *plan;
	const ek_status status = make(m, a->name, NULL, &plan);

	if (status != EK_OK)
		fail_msg("%s: %s", a->name, ek_error_text());
	if (strcmp(ek_plan_parameters(plan), a->reported) != 0)
		fail_msg("%s: \"%s\" is expected, not \"%s\"", a->name, a->reported,
		         ek_plan_parameters(plan));
	if (*a->reported)
		check_reported(m, plan);
	ek_plan_destroy(plan);
}

static const ek_method *method_of(const struct asked *a)
{
	char name[64];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(a->name, ":"), a->name);
	return ek_method_find(name);
}

static bool is_asked(const ek_method *m)
{
	for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
		if (method_of(&asked[k]) == m)
			return true;
	return false;
}

static bool on_device(const ek_method *m)
{
	return strcmp(ek_method_device(m), "cpu") != 0;
}

/* Checks the methods that run on devices, or those that do not. */
static void check_methods(bool devices_only)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (has_plans(m) && ek_method_get_param(m, 0) && on_device(m) == devices_only) {
			if (!is_asked(m))
				fail_msg("%s has parameters, and this test does not ask for any",
				         ek_method_name(m));
			check_defaults(m);
		}
	for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
		const ek_method *m = method_of(&asked[k]);

		if (m && on_device(m) == devices_only)
			check_asked(&asked[k], m);
	}
}

static void test_processor(void **state)
{
	ek_options o = {.size = sizeof o, .threads = 2};
	ek_context *ctx;
	ek_plan *plan;

	(void)state;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	open_matrices(ctx);
	check_methods(false);
	expect_status(make(ek_method_find("spmv.csr.serial"), "csr.serial", NULL, &plan), EK_OK);
	assert_string_equal(ek_plan_parameters(plan), "");
	ek_plan_destroy(plan);
	assert_null(ek_plan_parameters(NULL));
	close_matrices();
	ek_context_destroy(ctx);
}

/* Checks that a plan with hints.measure answers for the method that it has. */
static void test_measured(void **state)
{
	const ek_hints hints = {.size = sizeof hints, .measure = 1};
	ek_context *ctx;
	ek_plan *plan;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	open_matrices(ctx);
	expect_status(ek_plan_create(EK_SPMV, mesh, &hints, &plan), EK_OK);
	assert_string_equal(ek_plan_parameters(plan), "");
	ek_plan_destroy(plan);
	close_matrices();
	ek_context_destroy(ctx);
}

static void test_devices(void **state)
{
	(void)state;
	need_device();
	open_matrices(devices.of[0].ctx);
	check_methods(true);
	close_matrices();
}

#ifndef EK_NO_GPU
/* Checks that the plan of a trial hands its parameters on. Of methods that are tried, those that
 * have some need a device, for which ek_plan_create makes no trials. */
static void test_trial(void **state)
{
	const ek_hints hints = {
		.size = sizeof hints, .measure = 1, .method = "spmv.csr.vector.gpu:lanes=4"};
	ek_plan *plan;

	(void)state;
	need_device();
	open_matrices(devices.of[0].ctx);
	expect_status(eki_plan_make(eki_operation_row(EK_SPMV), mesh, &hints, &plan), EK_OK);
	assert_non_null(plan->trials);
	assert_string_equal(ek_plan_parameters(plan), "lanes=4");
	ek_plan_destroy(plan);
	close_matrices();
}

/* Checks parameters on a device with much memory, and with local memory that is no power of two. */
static void test_sizes(void **state)
{
	static const struct asked of[] = {{"spgemm.csr.hash.gpu", "local=50"},
	                                  {"spgemm.csr.hash.gpu:local=256", "local=50"},
	                                  {"spgemm.csr.hash.gpu:local=49", "local=32"}};
	const ek_method *batches = ek_method_find("spgemm.csr.batches.gpu");
	ek_device_info *info, had;
	ek_plan *plan, *most;

	(void)state;
	need_device();
	info = &devices.of[0].ctx->device->info;
	had = *info;
	info->local_most = 50 * 1024 + 16;
	info->memory = INT64_C(1) << 40;
	open_matrices(devices.of[0].ctx);
	for (int k = 0; k < EKI_COUNT(of); k++)
		check_asked(&of[k], method_of(&of[k]));
	/* A batch takes no more than all rows need, however much is asked for. */
	expect_status(make(batches, "spgemm.csr.batches.gpu", NULL, &plan), EK_OK);
	expect_status(make(batches, "spgemm.csr.batches.gpu:batch=4000000000", NULL, &most), EK_OK);
	assert_string_equal(ek_plan_parameters(plan), ek_plan_parameters(most));
	ek_plan_destroy(most);
	ek_plan_destroy(plan);
	close_matrices();
	*info = had;
}

/* Checks that the rule for the height of tiles is not reported where it does not matter. */
static void test_heights(void **state)
{
	const ek_method *m = ek_method_find("spmv.csr5.gpu");
	ek_plan *plan;

	(void)state;
	need_device();
	open_matrices(devices.of[0].ctx);
	expect_status(make(m, "spmv.csr5.gpu:r=3", "csr5:sigma=4", &plan), EK_OK);
	assert_string_equal(ek_plan_parameters(plan), "");
	ek_plan_destroy(plan);
	close_matrices();
}
#endif

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processor), cmocka_unit_test(test_measured),
		cmocka_unit_test(test_devices),
#ifndef EK_NO_GPU
		cmocka_unit_test(test_trial),     cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_heights),
#endif
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
