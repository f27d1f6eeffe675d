/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products of sparse matrices by every method that runs on a device, and by `auto` once one
 * of them can be chosen automatically, on all devices of this machine and in every kind of memory,
 * with the shapes and the checks of test_spgemm. Results must have the bits of the plain method of
 * the processor. A new row of the table is tested without a change here.
 *
 * For each product a method gets one device, one kind of memory, and one value for each of its
 * parameters, at random; and the library is told at random that the device is a GPU, where it has
 * more sizes of tables and other choices. Compiling kernels takes most of the time, so the quick
 * tier has only two combinations of type, index type and D, of which the first is that of GPUs, and
 * a quarter of the products. */
#include "gpu/gpu.h"
#include "support/devices.h"
#include "support/leading.h"
#include "support/spgemm_case.h"
#include "support/support.h"

static struct rng draw;
static long checked;

/* Draws parameters of a method: each is left out or has its least, its greatest, the next or the
 * middle value. */
static const char *params_of(const ek_method *m, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (int k = 0; m && k < EKI_MAX_DIMS && m->param[k].name; k++) {
		const ek_format_param *p = &m->param[k];
		const int64_t value[] = {p->min, p->max, p->min < p->max ? p->min + 1 : p->max,
		                         p->min + (p->max - p->min) / 2};
		/* Many batches times many slices would take long. */
		const bool few = strcmp(p->name, "slices") == 0;
		const int which = few ? 2 * (int)rng_below(&draw, 3) : (int)rng_below(&draw, 5);

		if (which < 4 && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s=%lld",
			                         used ? "," : "", p->name, (long long)value[which]);
	}
	return *text ? text : NULL;
}

/* Keeps to one of the combinations of the quick tier. */
static void use_few(const struct spgemm_problem *p, struct spgemm_variant *v)
{
	const ek_index index = p->value == EK_F32 ? EK_I32 : EK_I64;

	v->with_d = p->shape[2] && p->value == EK_F32;
	v->result = 0;
	for (int k = 0; k < 3; k++)
		v->index[k] = index;
}

static bool chosen_automatically(void)
{
	for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPGEMM));)
		if (m->cost)
			return true;
	return false;
}

static void check_method(const struct spgemm_problem *p, const ek_method *m)
{
	const struct device_context *on = &devices.of[rng_below(&draw, devices.count)];
	const bool quick = test_tier() <= TIER_QUICK;
	const bool gpu = quick ? p->value == EK_F32 : rng_below(&draw, 2) == 0;
	const ek_device_info info = on->ctx->device->info;
	struct spgemm_variant v = {
		.method = m, .same_as = "spgemm.csr.serial", .ctx = on->ctx, .on = on->text};
	char params[128];
	size_t bytes;
	void *bits;

	v.params = params_of(m, params, sizeof params);
	spgemm_draw(p, &draw, &v);
	if (quick)
		use_few(p, &v);
	if (gpu)
		call_device(on->ctx, "gpu");
	spgemm_check(p, &v, &draw, &bits, &bytes);
	on->ctx->device->info = info;
	free(bits);
	checked++;
}

static void check_problem(struct spgemm_problem *p)
{
	const int times = test_tier() <= TIER_QUICK ? 1 : 4;

	spgemm_references(p);
	for (int k = 0; k < times; k++) {
		for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPGEMM));)
			check_method(p, m);
		if (chosen_automatically())
			check_method(p, NULL);
	}
	spgemm_references_free(p);
}

static void walk(enum data data)
{
	need_device();
	for (int k = 0; k < shape_count(); k++)
		for (int value = EK_F32; value <= EK_F64; value++)
			if (test_tier() > TIER_QUICK || (k + value + 2 * (int)data) % 4 == 0)
				spgemm_products_of_shape(k, (ek_value)value, data, &draw,
				                         check_problem);
	print_message("  %ld products so far\n", checked);
}

static void test_integer_data(void **state)
{
	(void)state;
	walk(DATA_EXACT);
}

static void test_real_data(void **state)
{
	(void)state;
	walk(DATA_REAL);
}

static void test_random(void **state)
{
	(void)state;
	need_device();
	spgemm_products_at_random(test_tier() <= TIER_QUICK ? 20 : 200, &draw, check_problem);
}

/* Checks that without a device every device method is refused, with a message that names it. */
static void test_no_device(void **state)
{
	static const int32_t ptr[] = {0, 1}, col[] = {0};
	static const double val[] = {2};
	const ek_options o = {.size = sizeof o, .device = "cpu"};
	ek_context *ctx;
	ek_matrix *A;

	(void)state;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, 1, ptr, col, val, EK_COPY, &A),
	              EK_OK);
	for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPGEMM));) {
		const ek_hints hints = {.size = sizeof hints, .method = ek_method_name(m), .B = A};
		ek_plan *plan = NULL;

		expect_error(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_EDEVICE,
		             name_or_auto(m));
		assert_null(plan);
	}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

static void check_twin(const struct device_context *on, const char *name, const ek_matrix *A)
{
	ek_hints hints = {.size = sizeof hints, .method = "spgemm.csr.hash.gpu", .B = A};
	ek_matrix *C = NULL, *R = NULL;
	ek_plan *plan, *right;

	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	hints.method = "spgemm.csr.serial";
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &right), EK_OK);
	expect_status(ek_spgemm(right, 1, 0, &R), EK_OK);
	for (int again = 0; again < 2; again++) {
		expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
		if (different_array(C, R))
			fail_msg("%s on %s: array %s differs", name, on->text,
			         different_array(C, R));
	}
	ek_plan_destroy(plan);
	ek_plan_destroy(right);
	ek_matrix_destroy(C);
	ek_matrix_destroy(R);
}

/* Tests the squares of leading parts of the twins of Liu's Table 9.2. */
static void test_twins(void **state)
{
	(void)state;
	leading_squares(check_twin);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device), cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data), cmocka_unit_test(test_random),
		cmocka_unit_test(test_twins),
	};

	draw.state = 9;
	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
