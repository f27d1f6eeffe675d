/* SPDX-License-Identifier: BSD-3-Clause
 * Tests what walking products of awkward shapes does not see of "spgemm.csr.hash.gpu": rows at the
 * edges of its classes, tables that are full, windows one after the other, columns beyond 2^31, one
 * phase and two, limits on memory, values that must not be read, and threads that run one plan.
 * Results must have the arrays of the processor's reference, bit for bit. Compiling kernels takes
 * most of the time, so there are three combinations of index type, D and local memory. All classes
 * of a GPU are in test_gpu_hash_classes.c. */
#include <math.h>

#include "support/budget.h"
#include "support/entries.h"
#include "support/operands.h"
#include "support/spgemm_case.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct rng draw = {5};

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Row r of B has `length` entries `apart` columns apart, from column first + r * shift on. */
static void make_b(struct shape *s, int64_t rows, int64_t cols, int64_t length, int64_t first,
                   int64_t shift, int64_t apart)
{
	shape_open(s, "B", rows, cols, rows * length);
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t k = 0; k < length; k++)
			shape_put(s, first + r * shift + k * apart, &draw);
		shape_end_row(s, r);
	}
}

/* Row i of A has count[i] entries in different columns, and every other row one of them twice. */
static void make_a(struct shape *s, int64_t rows, const int64_t *count, int64_t cols)
{
	int64_t room = 1;

	for (int64_t i = 0; i < rows; i++)
		room += count[i] + 1;
	shape_open(s, "A", rows, cols, room);
	for (int64_t i = 0; i < rows; i++) {
		for (int64_t k = 0; k < count[i]; k++)
			shape_put(s, (k * 7 + i) % cols, &draw);
		if (count[i] > 2 && i % 2)
			shape_put(s, s->col[s->nnz - 2], &draw);
		shape_end_row(s, i);
	}
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Checks limits on memory, also what the driver and the hooks of the context really give. */
static void check_limits(const struct device_context *on, struct operands *p, const char *method)
{
	ek_plan *plan = NULL;
	long long least;

	expect_status(operands_plan(p, method, 1, &plan), EK_ELIMIT);
	least = operands_least();
	expect_status(operands_plan(p, method, least - 1, &plan), EK_ELIMIT);
	for (int k = 0; k < 3; k++) {
		const ek_hints hints = {.size = sizeof hints,
		                        .method = method,
		                        .B = p->h[1].M,
		                        .D = p->count > 2 ? p->h[2].M : NULL,
		                        .memory = least + k * (least / 8)};

		expect_status(operands_plan(p, method, hints.memory, &plan), EK_OK);
		operands_check(p, plan);
		assert_true(ek_plan_memory(plan) <= hints.memory);
		ek_plan_destroy(plan);
		budget_check(EK_SPGEMM, on, p->h[0].M, &hints, 0);
	}
}

static void check_on(const struct device_context *on, const char *kind, const struct shape *a,
                     const struct shape *b, const struct shape *d, ek_index index, bool little,
                     bool limits)
{
	const char *const method = little ? "spgemm.csr.hash.gpu:local=8" : "spgemm.csr.hash.gpu";
	const ek_device_info info = on->ctx->device->info;
	struct operands p;
	ek_plan *plan;

	if (kind)
		call_device(on->ctx, kind);
	snprintf(product_where, sizeof product_where, "%s times %s, %s, on %s, kind %s", a->name,
	         b->name, ek_index_name(index), on->text, on->ctx->device->info.kind);
	operands_make(&p, a, b, d, EK_F64, index, on->ctx);
	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	operands_check(&p, plan);
	ek_plan_destroy(plan);
	if (limits)
		check_limits(on, &p, method);
	operands_free(&p);
	on->ctx->device->info = info;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

enum { ROWS = 60 };

/* Counts of entries from 0 on, around the capacities of tables and windows with 8 KiB of local
 * memory (428 and 832) and of small ones on GPUs, and beyond the largest. */
static void edges(int64_t count[ROWS])
{
	static const int64_t around[] = {32, 96, 128, 384, 428, 512, 570, 832, 1500, 1024};

	for (int64_t i = 0; i < ROWS; i++)
		count[i] = i < 10 ? i : around[i / 5 - 2] + i % 5 - 2;
	count[ROWS - 1] = 0;
}

/* Tests rows of single products and of longer lists, near and far apart, at the edges of classes.
 * Columns that are a multiple of 64 apart collide in tables. With 8 KiB of local memory a processor
 * has one size of tables, and a GPU has two. */
static void test_edges(void **state)
{
	static const int64_t shape[][4] = {{1, 0, 1, 1},
	                                   {1, 5, 640, 1},
	                                   {3, 0, 64, 40000},
	                                   {40, 3, 9, 2},
	                                   {90, 1000, 1, 7000}};
	const bool brief = test_tier() == TIER_BRIEF; /* then only the tables of a GPU */
	int64_t count[ROWS];

	(void)state;
	need_device();
	edges(count);
	for (int k = 0; k < 5; k++) {
		const int64_t *s = shape[k], cols = 2000000;
		const struct device_context *on = &devices.of[k % devices.count];
		struct shape a, b, d;

		make_a(&a, ROWS, count, 1700);
		make_b(&b, 1700, cols, s[0], s[1], s[2], s[3]);
		make_b(&d, ROWS, cols, 3, 0, 700, 1000);
		for (int gpu = 0; gpu < 2; gpu++)
			if (k == 2 ? gpu == brief : gpu ? brief || k % 4 == 0 : !brief)
				check_on(on, gpu ? "gpu" : "cpu", &a, &b, k == 2 ? NULL : &d,
				         EK_I32, k != 2, k > 2 && gpu == (k == 4));
		shape_free(&a);
		shape_free(&b);
		shape_free(&d);
	}
}

/* Tests that bounds have all lists: of short rows of A, which few work-items look at, of longer
 * ones, and of a row that a whole group looks at. */
static void test_long_lists(void **state)
{
	enum { MANY_ROWS = 700, INNER = 3000 };
	static int64_t count[MANY_ROWS];

	(void)state;
	need_device();
	for (int k = 0; k < 2; k++) {
		const int64_t rows = k ? 100 : MANY_ROWS;
		struct shape a, b;

		for (int64_t i = 0; i < rows; i++)
			count[i] = i == 7 ? 2600 : i % (k ? 50 : 7);
		make_a(&a, rows, count, INNER);
		make_b(&b, INNER, 9000, 2, 0, 2, 3000);
		check_on(&devices.of[k % devices.count], NULL, &a, &b, NULL, EK_I32, false, false);
		shape_free(&a);
		shape_free(&b);
	}
}

/* The most groups of a launch since hubs_watch. */
static struct {
	const eki_driver *real;
	eki_driver driver;
	int64_t groups;
} hubs;

static ek_status hubs_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                             const eki_arg *args, int count)
{
	hubs.groups = groups > hubs.groups ? groups : hubs.groups;
	return hubs.real->launch(d, kernel, groups, group_size, args, count);
}

static void hubs_watch(ek_context *ctx)
{
	hubs.real = ctx->device->driver;
	hubs.driver = *hubs.real;
	hubs.driver.launch = hubs_launch;
	hubs.groups = 0;
	ctx->device->driver = &hubs.driver;
}

/* Tests rows that fit no table and have hundreds of windows: these are shared out to groups. Some
 * of the windows have no entries. A row with too few entries for its windows has one group. */
static void test_hubs(void **state)
{
	const int64_t count[] = {0, 1500, 3, 1690, 1, 600, 0};
	const char *const kind[] = {"cpu", "gpu"};

	(void)state;
	need_device();
	for (int k = 0; k < 2 * devices.count; k++) {
		const struct device_context *on = &devices.of[k / 2];
		struct shape a, b, d;

		if (test_tier() < TIER_FULL && k % 2 != k / 2 % 2)
			continue;
		make_a(&a, 7, count, 1700);
		make_b(&b, 1700, 2000000, 3, 9, 60, 40000);
		make_b(&d, 7, 2000000, 3, 0, 700, 1000);
		hubs_watch(on->ctx);
		check_on(on, kind[k % 2], &a, &b, k / 2 % 2 ? NULL : &d, EK_I32, true, false);
		on->ctx->device->driver = hubs.real;
		assert_true(hubs.groups >
		            300); /* two rows of 182000 columns have that many windows */
		check_on(on, kind[k % 2], &a, &b, k / 2 % 2 ? NULL : &d, EK_I32, true, true);
		shape_free(&a);
		shape_free(&b);
		shape_free(&d);
	}
}

/* Tests rows whose columns are beyond 2^31 or further apart than that. */
static void test_far_columns(void **state)
{
	static const int64_t far = (int64_t)1 << 33;
	const int64_t count[] = {0, 1, 2, 30, 700, 5, 0};

	(void)state;
	need_device();
	for (int k = 0; k < 2; k++) {
		struct shape a, b;

		make_a(&a, 7, count, 800);
		make_b(&b, 800, 2 * far, 3, far - 100, 1, k ? far / 3 : 50);
		check_on(&devices.of[k % devices.count], NULL, &a, &b, NULL, EK_I64, true, k == 0);
		shape_free(&a);
		shape_free(&b);
	}
}

/* Tests that bounds far above the entries lead to two phases, and near ones to one. */
static void test_phases(void **state)
{
	int64_t count[ROWS];

	(void)state;
	need_device();
	for (int64_t i = 0; i < ROWS; i++)
		count[i] = 60;
	for (int k = 0; k < 2; k++) {
		const struct device_context *on = &devices.of[0];
		struct operands p;
		struct shape a, b;
		char text[4000];
		ek_plan *plan;

		make_a(&a, ROWS, count, 420);
		make_b(&b, 420, 4000000, 40, 0, k ? 0 : 1, 90000);
		operands_make(&p, &a, &b, NULL, EK_F64, EK_I32, on->ctx);
		expect_status(operands_plan(&p, "spgemm.csr.hash.gpu", 0, &plan), EK_OK);
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		if (!strstr(text, k ? "two phases" : "one phase"))
			fail_msg("unexpected phases: %s", text);
		operands_check(&p, plan);
		ek_plan_destroy(plan);
		operands_free(&p);
		shape_free(&a);
		shape_free(&b);
	}
}

/* Tests that values are not read where alpha or beta is 0. */
static void test_not_read(void **state)
{
	int64_t count[ROWS];

	(void)state;
	need_device();
	edges(count);
	for (int k = 0; k < 2; k++) {
		const struct device_context *on = &devices.of[k % devices.count];
		const ek_device_info info = on->ctx->device->info;
		struct operands p;
		struct shape s[3];
		ek_plan *plan;

		make_a(&s[0], ROWS, count, 1700);
		make_b(&s[1], 1700, 2000000, 3, 0, 64, 40000);
		make_b(&s[2], ROWS, 2000000, 3, 0, 700, 1000);
		for (int m = k ? 2 : 0; m < (k ? 3 : 2); m++)
			for (int64_t e = 0; e < s[m].nnz; e++)
				s[m].val[e] = s[m].val2[e] = NAN;
		call_device(on->ctx, "gpu");
		operands_make(&p, &s[0], &s[1], &s[2], EK_F64, EK_I32, on->ctx);
		p.alpha = k;
		p.beta = !k;
		expect_status(operands_plan(&p, "spgemm.csr.hash.gpu:local=8", 0, &plan), EK_OK);
		operands_check(&p, plan);
		ek_plan_destroy(plan);
		operands_free(&p);
		on->ctx->device->info = info;
		for (int m = 0; m < 3; m++)
			shape_free(&s[m]);
	}
}

static void test_threads(void **state)
{
	struct operands p;
	struct shape a, b;
	ek_plan *plan;

	(void)state;
	need_device();
	sparse_random(&draw, &a, 200, 300, 9);
	sparse_random(&draw, &b, 300, 5000, 9);
	operands_make(&p, &a, &b, NULL, EK_F64, EK_I32, devices.of[0].ctx);
	expect_status(operands_plan(&p, "spgemm.csr.hash.gpu", 0, &plan), EK_OK);
	spgemm_in_two_threads(plan);
	operands_check(&p, plan);
	ek_plan_destroy(plan);
	operands_free(&p);
	shape_free(&a);
	shape_free(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),   cmocka_unit_test(test_long_lists),
		cmocka_unit_test(test_hubs),    cmocka_unit_test(test_far_columns),
		cmocka_unit_test(test_phases),  cmocka_unit_test(test_not_read),
		cmocka_unit_test(test_threads),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
