/* SPDX-License-Identifier: BSD-3-Clause
 * Tests SpGEMM by bins on a device: every bin at its bounds, rows that grow in both kinds of
 * memory, rows longer than local memory, the five memory methods, the text of ek_plan_explain,
 * leading parts of the twins of Table 9.2 (Liu 2015), limits on memory, and failing allocations. */
#include "plan/plan.h"
#include "spgemm/bins.h"
#include "support/bins.h"
#include "support/budget.h"
#include "support/leading.h"
#include "support/exhaust.h"
#include "support/held.h"
#include "support/rows.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { ENTRY = 16 }; /* bytes of a value and a column */

/* Gives a matrix values that sums round. */
static void make_real(ek_matrix *M)
{
	ek_view view = {.size = sizeof view};
	uint64_t state = 88172645463325252u;

	expect_status(ek_matrix_array(M, "val", &view), EK_OK);
	double *val = malloc((size_t)view.len * sizeof *val + 1);

	for (int64_t k = 0; k < view.len; k++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		val[k] = (double)(int64_t)(state >> 12) / (double)(1 + (state & 1023)) - 1e12;
	}
	expect_status(ek_matrix_set_values(M, view.len, val), EK_OK);
	free(val);
}

/* ---- Bins ------------------------------------------------------------------------------------ */

/* All bounds up to 32, and those at which later bins begin and end. */
static int64_t bound_of(int k)
{
	static const int64_t later[] = {33,  63,  64,  65,  127, 128, 129,
	                                255, 256, 257, 511, 512, 513, 700};
	enum { LATER = sizeof later / sizeof *later };

	return k <= 32 ? k : k - 33 < LATER ? later[k - 33] : -1;
}
enum { LARGEST = 700, MOST_BOUNDS = 64 };

/* Makes a matrix whose rows have `copies` times each length that bound_of names, every `step`-th of
 * them. */
static ek_matrix *bound_rows(ek_context *ctx, int copies, int step)
{
	int64_t length[3 * MOST_BOUNDS];
	int n = 0;

	for (int copy = 0; copy < copies; copy++)
		for (int k = 0; bound_of(k) >= 0; k += step)
			length[n++] = bound_of(k);
	return rows_of_lengths(ctx, n, LARGEST, NULL, length);
}

static void check_bins(const struct device_context *on, int step, int64_t stair, int64_t length)
{
	ek_matrix *A = bound_rows(on->ctx, 3, step),
		  *B = rows_stairs(on->ctx, LARGEST, stair, length);
	char text[4096];

	make_real(A);
	make_real(B);
	bins_check_memory(A, B, "spgemm.csr.bins.gpu", 0.7, text, sizeof text);
	if (step == 1 && length == 1) {
		expect_text(text, "group 1, empty: 3 rows, bound 0 entries\n");
		expect_text(text, "group 2, copied: 3 rows, bound 3 entries\n");
		expect_text(text, "group 3, heap: 93 rows, bound 1581 entries; rows of each bin: "
		                  "2: 3 3: 3");
		expect_text(text, "31: 3 32: 3\n");
		expect_text(text, "33: 9 34: 9 35: 9 36: 9\n");
		expect_text(text, "group 5, merge: 6 rows, bound 3639 entries\n");
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

static void test_bins(void **state)
{
	(void)state;
	need_device();
	if (test_tier() == TIER_BRIEF) { /* two bins of heaps, and two that are sorted */
		check_bins(&devices.of[0], 11, 1, 3);
		return;
	}
	for (int k = 0; k < devices.count; k++) {
		check_bins(&devices.of[k], 1, 1, 1); /* a product for each entry */
		check_bins(&devices.of[k], 1, 0, 1); /* one entry in a row */
		check_bins(&devices.of[k], 1, 1, 3); /* three products for most entries */
		if (k > 0 && test_tier() <= TIER_QUICK)
			continue;
		/* columns that need keys of 8 bytes, and that no key can hold */
		check_bins(&devices.of[k], 7, INT64_C(900000000), 1);
		check_bins(&devices.of[k], 7, INT64_C(1) << 46, 2);
	}
}

/* ---- Rows that grow -------------------------------------------------------------------------- */

/* Computes rows of `lists` lists of `length` entries, each starting `step` columns after the one
 * before, in all memory methods. Checks how often rows grow, how often merges are launched, and the
 * bytes. */
static void check_growth(const struct device_context *on, int64_t lists, int64_t step,
                         int64_t length, int doublings, int launches)
{
	const int64_t rows = 5, bound = lists * length;
	const bool in_place = strstr(on->text, "shared");
	ek_matrix *A = rows_equal(on->ctx, rows, lists, lists);
	ek_matrix *B = rows_stairs(on->ctx, lists, step, length);
	int64_t capacity = EKI_LONG_FIRST, last = EKI_LONG_FIRST, all = EKI_LONG_FIRST;
	int64_t uncapped = EKI_LONG_FIRST;
	char text[4096];

	make_real(A);
	make_real(B);
	bins_check_memory(A, B, "spgemm.csr.bins.gpu", 0.7, text, sizeof text);
	for (int k = 1; k <= doublings; k++) {
		capacity *= 2;
		last = capacity < bound ? capacity : bound;
		all += last;
		uncapped += capacity;
	}
	assert_int_equal(number_after(text, "last new C: "),
	                 rows * (in_place ? last : all) * ENTRY);
	assert_int_equal(number_after(text, "temporary bytes ("),
	                 rows * (in_place ? capacity : uncapped) * ENTRY);
	assert_int_equal(number_after(text, "beyond their bounds), "), launches);
	assert_true((number_after(text, "launches of merges, ") > 0) ==
	            (doublings > 0 && !in_place));
	assert_int_equal(number_after(text, "temporary bytes: hybrid "),
	                 rows * EKI_LONG_FIRST * ENTRY);
	assert_int_equal(number_after(text, ", upper bound "), rows * bound * ENTRY);
	expect_text(text,
	            in_place ? "grow in shared memory without copies" : "that grow are copied");
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

static void test_growth(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < (test_tier() == TIER_BRIEF ? 1 : devices.count); k++) {
		const struct device_context *on = &devices.of[k];

		check_growth(on, 100, 0, 30, 0, 1);   /* 30 entries of 3000 products */
		check_growth(on, 3, 0, 256, 0, 1);    /* exactly 256 entries */
		check_growth(on, 257, 1, 2, 1, 2);    /* 258 entries */
		check_growth(on, 3, 0, 257, 1, 2);    /* 257 entries */
		check_growth(on, 4, 85, 257, 1, 2);   /* 512 entries */
		check_growth(on, 4, 86, 257, 2, 3);   /* 515 entries */
		check_growth(on, 513, 1, 1, 2, 3);    /* 513 entries of 513 products */
		check_growth(on, 1100, 7, 3, 4, 6);   /* 3300 entries: longer than local memory */
		check_growth(on, 40, 37, 500, 3, 4);  /* lists longer than a group */
		check_growth(on, 5, 1500, 900, 5, 8); /* 4500 entries; local memory fills twice */
	}
}

/* Makes rows that grow in different rounds, although their bounds are nearly the same: row i of A
 * has lists of 129 + 4 i entries, no two with the same column. If local memory has room for 256, a
 * round adds one list to a row, and the rows come to the ends of their rooms one after the other.
 */
static void make_uneven(ek_context *ctx, int64_t bound, ek_matrix **A, ek_matrix **B)
{
	enum { ROWS = 32, SHORTEST = 129, STEP = 4 };
	int64_t first[ROWS], lists[ROWS], n = 0;

	for (int i = 0; i < ROWS; i++) {
		first[i] = n;
		n += lists[i] = bound / (SHORTEST + STEP * i);
	}
	int64_t *from = malloc((size_t)n * sizeof *from),
		*length = malloc((size_t)n * sizeof *from);

	for (int i = 0; i < ROWS; i++)
		for (int64_t l = 0; l < lists[i]; l++) {
			from[first[i] + l] = l * (SHORTEST + STEP * i);
			length[first[i] + l] = SHORTEST + STEP * i;
		}
	*A = rows_of_lengths(ctx, ROWS, n, first, lists);
	*B = rows_of_lengths(ctx, n, bound, from, length);
	free(from);
	free(length);
}

/* Tests far more rounds with growth, most of 200 in the longer test, than any row grows. */
static void test_many_rounds(void **state)
{
	(void)state;
	need_device();
	const struct device_context *on = &devices.of[0];
	const bool brief = test_tier() == TIER_BRIEF;

	for (int k = 1; k < devices.count && strstr(on->text, "shared"); k++)
		on = &devices.of[k];
	const int64_t local = on->ctx->device->info.local;
	ek_matrix *A, *B;
	char text[4096];

	make_uneven(on->ctx, brief ? 4000 : 30000, &A, &B);
	make_real(A);
	make_real(B);
	on->ctx->device->info.local = 16384; /* of a group of 256 with room for 256 entries */
	bins_check(A, B, "spgemm.csr.bins.gpu:memory=5", 0.7, text, sizeof text);
	on->ctx->device->info.local = local;
	assert_true(number_after(text, "beyond their bounds), ") > (brief ? 25 : 200));
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

/* ---- Twins ----------------------------------------------------------------------------------- */

static void check_twin(const struct device_context *on, const char *name, const ek_matrix *A)
{
	char text[4096];

	(void)on;
	(void)name;
	bins_check_memory(A, A, "spgemm.csr.bins.gpu", 0.7, text, sizeof text);
	const long long bytes = number_after(text, "last new C: ");

	assert_true(bytes <= number_after(text, "temporary bytes ("));
	assert_true(bytes >= number_after(text, "temporary bytes: hybrid "));
}

static void test_twins(void **state)
{
	(void)state;
	leading_squares(check_twin);
}

/* ---- Limits and failures --------------------------------------------------------------------- */

/* Returns the least limit that a method takes, as its messages say. */
static int64_t least(const ek_matrix *A, ek_hints hints)
{
	static const char words[] = "takes at least ";
	static const char estimate[] = "estimate of method spgemm.csr.bins.gpu takes ";
	ek_plan *plan;
	ek_status status;

	hints.memory = 1;
	while ((status = ek_plan_create(EK_SPGEMM, A, &hints, &plan)) == EK_ELIMIT)
		hints.memory = number_after(ek_error_text(),
		                            strstr(ek_error_text(), words) ? words : estimate);
	expect_status(status, EK_OK);
	ek_plan_destroy(plan);
	return hints.memory;
}

/* Checks that the least limit of each memory method is kept on host and device. */
static void check_limits(const struct device_context *on, const ek_matrix *A, ek_hints hints)
{
	char name[64];

	hints.method = name;
	for (int memory = 1; memory <= EKI_MEMORY_METHODS; memory++) {
		snprintf(name, sizeof name, "spgemm.csr.bins.gpu:memory=%d", memory);
		hints.memory = least(A, hints);
		budget_check(EK_SPGEMM, on, A, &hints, 1);
	}
}

/* Checks that the least limit chooses the precise method, and that less is refused. */
static void check_limit(const struct device_context *on)
{
	ek_matrix *A = bound_rows(on->ctx, 3, 3), *B = rows_stairs(on->ctx, LARGEST, 3, 3);
	ek_hints hints = {.size = sizeof hints, .method = "spgemm.csr.bins.gpu", .B = B};
	ek_plan *plan = NULL, *serial = bins_plan(A, B, "spgemm.csr.serial");
	ek_matrix *C = NULL, *ref = NULL;
	char text[4096];

	expect_status(ek_spgemm(serial, 1, 0, &ref), EK_OK);
	hints.memory = 1;
	expect_error(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_ELIMIT, "hints.memory");
	assert_null(plan);
	hints.memory = number_after(ek_error_text(), "takes at least ");
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_text(text, "memory=3\n");
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	assert_null(different_array(C, ref));
	ek_plan_destroy(plan);
	hints.method = "spgemm.csr.bins.gpu:memory=2";
	plan = NULL;
	expect_error(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_ELIMIT, "hints.memory");
	assert_null(plan);
	hints.method = "spgemm.csr.bins.gpu";
	hints.memory = 1 << 24;
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_text(text, "memory=1");
	/* C belongs to the first plan, and stays as it is. */
	expect_error(ek_spgemm(plan, 1, 0, &C), EK_EINVAL, "*C was not made");
	assert_null(different_array(C, ref));
	ek_plan_destroy(plan);
	check_limits(on, A, hints);
	ek_plan_destroy(serial);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_matrix_destroy(C);
	ek_matrix_destroy(ref);
}

/* Tests limits on memory where the device has its own, and where all is shared. */
static void test_limit(void **state)
{
	(void)state;
	need_device();
	check_limit(&devices.of[0]);
	if (test_tier() > TIER_BRIEF)
		check_limit(&devices.of[devices.count - 1]);
}

static void test_failures(void **state)
{
	static const char *const method[] = {"spgemm.csr.bins.gpu", "spgemm.csr.bins.gpu:memory=2",
	                                     "spgemm.csr.bins.gpu:memory=3",
	                                     "spgemm.csr.bins.gpu:memory=4",
	                                     "spgemm.csr.bins.gpu:memory=5"};
	static struct exhaust e;

	(void)state;
	need_device();
	heap_fail(&e.heap, -1, false);
	ek_options o = heap_options(&e.heap, 2);

	o.device = "opencl";
	o.device_memory = EK_MEMORY_COPY;
	expect_status(ek_context_create(&o, &e.ctx), EK_OK);
	ek_matrix *A = bound_rows(e.ctx, 1, 7), *B = rows_stairs(e.ctx, LARGEST, 1, 3);

	for (int k = 0; k < (test_tier() == TIER_BRIEF ? 1 : EKI_MEMORY_METHODS); k++) {
		const struct exhaust_product w = {A, B, method[k]};

		/* Once without failures: what stays for later calls is no leak. */
		e.arg = &w;
		expect_status(exhaust_multiply(&e), EK_OK);
		ek_matrix_destroy(e.out);
		assert_true(exhaust(&e, method[k], exhaust_multiply, exhaust_free_matrix) > 10);
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	exhaust_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins),        cmocka_unit_test(test_growth),
		cmocka_unit_test(test_many_rounds), cmocka_unit_test(test_twins),
		cmocka_unit_test(test_limit),       cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
