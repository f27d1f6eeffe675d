/* SPDX-License-Identifier: BSD-3-Clause
 * Tests structs that the library fills, for callers that were compiled with another version of the
 * header: at every length, right before a guard page. Also tests the contents of ek_build_info and
 * of the list of drivers. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include <stdbool.h>

#include "support/fake.h"
#include "support/guard.h"
#include "support/support.h"

enum { MOST = 4096 }; /* largest size of a struct in bytes, as ek.h says */

static ek_context *ctx;
static ek_matrix *A;
static ek_plan *plan;
static ek_heap *heap_of_keys;
static struct guard guard;

static const int32_t numbers[4] = {3, 1, 2, 0};
static int32_t kth;

static ek_status fill_info(bool good, void *to)
{
	return ek_matrix_get_info(good ? A : NULL, to);
}

static ek_status fill_stats(bool good, void *to)
{
	return ek_matrix_stats(good ? A : NULL, to);
}

static ek_status fill_view(bool good, void *to)
{
	return ek_matrix_array(A, good ? "val" : "vla", to);
}

static ek_status fill_counts(bool good, void *to)
{
	return ek_heap_get_counts(good ? heap_of_keys : NULL, to);
}

static ek_status fill_build(bool good, void *to)
{
	return ek_build_get_info(good ? to : NULL);
}

static ek_status fill_kselect_counts(bool good, void *to)
{
	const ek_array_options o = {.size = sizeof o, .method = "kselect.heap", .counts = to};

	return ek_kselect(ctx, &o, EK_INT32, 1, 4, good ? 2 : 5, numbers, &kth, NULL);
}

/* Converts to CSR, which has no steps: times would differ from call to call. */
static ek_status fill_times(bool good, void *to)
{
	const ek_convert_options o = {.size = sizeof o, .times = to};
	ek_matrix *B;
	const ek_status status = ek_matrix_convert(A, good ? "csr" : "none", &o, &B);

	if (status == EK_OK)
		ek_matrix_destroy(B);
	return status;
}

static ek_status fill_prediction(bool good, void *to)
{
	return ek_plan_predict(good ? plan : NULL, 50, to);
}

#ifndef EK_NO_GPU
static ek_context *with_device;

static ek_status fill_counters(bool good, void *to)
{
	return ek_device_get_counters(good ? with_device : NULL, to);
}

static ek_status fill_device(bool good, void *to)
{
	return ek_device_get_info(good ? 0 : 1000, to);
}

static ek_status fill_context_device(bool good, void *to)
{
	return ek_context_get_device(good ? with_device : ctx, to);
}
#endif

static const struct output {
	const char *name, *type;
	ek_status (*call)(bool good, void *to);
	size_t size;
} outputs[] = {
	{"info", "ek_matrix_info", fill_info, sizeof(ek_matrix_info)},
	{"stats", "ek_stats", fill_stats, sizeof(ek_stats)},
	{"prediction", "ek_prediction", fill_prediction, sizeof(ek_prediction)},
	{"view", "ek_view", fill_view, sizeof(ek_view)},
	{"counts", "ek_heap_counts", fill_counts, sizeof(ek_heap_counts)},
	{"info", "ek_build_info", fill_build, sizeof(ek_build_info)},
	{"options.counts", "ek_heap_counts", fill_kselect_counts, sizeof(ek_heap_counts)},
	{"options.times", "ek_convert_times", fill_times, sizeof(ek_convert_times)},
#ifndef EK_NO_GPU
	{"counters", "ek_device_counters", fill_counters, sizeof(ek_device_counters)},
	{"info", "ek_device_info", fill_device, sizeof(ek_device_info)},
	{"info", "ek_device_info", fill_context_device, sizeof(ek_device_info)},
#endif
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* Returns a block of `bytes` bytes right before a guard page, which begins with the number `size`
 * and is filled with a pattern that the library does not write. */
static char *room(size_t bytes, size_t size)
{
	char *at = guard_at_end(&guard, (bytes + 7) / 8 * 8);

	memset(at, 0x77, (bytes + 7) / 8 * 8);
	memcpy(at, &size, sizeof size);
	return at;
}

/* Checks that the struct at `at` begins with `size`, and that its other members within `size` bytes
 * equal those of the complete struct `all`. */
static void expect_members(const char *type, const char *at, const char *all, size_t size)
{
	for (const ek_layout *row = NULL; (row = ek_layout_next(row));)
		if (strcmp(row->type, type) == 0 && row->offset >= (int64_t)sizeof(size_t) &&
		    row->offset + row->size <= (int64_t)size)
			assert_memory_equal(at + row->offset, all + row->offset, row->size);
	assert_memory_equal(at, &size, sizeof size);
}

static void expect_filled(const struct output *out, const char *all, size_t size)
{
	char *at = room(size, size);

	expect_status(out->call(true, at), EK_OK);
	expect_members(out->type, at, all, size);
	for (size_t k = size; k % 8; k++)
		assert_int_equal(at[k], 0x77);
	for (size_t k = out->size; k < size; k++)
		assert_int_equal(at[k], 0);
}

static void expect_untouched(const struct output *out, bool good, size_t size, const char *part)
{
	char *at = room(64, size), before[64];

	memcpy(before, at, sizeof before);
	expect_error(out->call(good, at), EK_EINVAL, part);
	assert_memory_equal(at, before, sizeof before);
}

static void test_filled(void **state)
{
	static char all[MOST];

	(void)state;
	for (const struct output *out = outputs; out < outputs + OUTPUTS; out++) {
		memset(all, 0x33, sizeof all);
		memcpy(all, &out->size, sizeof out->size);
		expect_status(out->call(true, all), EK_OK);
		assert_int_equal(all[out->size], 0x33);
		for (const ek_layout *row = NULL; (row = ek_layout_next(row));)
			if (strcmp(row->type, out->type) == 0 && row->offset >= 8)
				expect_filled(out, all, (size_t)row->offset);
		for (size_t more = 0; out->size + more <= MOST; more += more < 20 ? 1 : 509)
			expect_filled(out, all, out->size + more);
	}
}

static void test_not_filled(void **state)
{
	char part[64];

	(void)state;
	for (const struct output *out = outputs; out < outputs + OUTPUTS; out++) {
		static const size_t bad[] = {0, 7, 9, MOST + 1, SIZE_MAX};

		for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
			snprintf(part, sizeof part, "%s.size is %zu", out->name, bad[k]);
			expect_untouched(out, true, bad[k], part);
		}
		char *at = room(out->size, out->size), before[MOST];

		memcpy(before, at, out->size);
		assert_int_not_equal(out->call(false, at), EK_OK);
		assert_memory_equal(at, before, out->size);
	}
}

/* ---- The build ------------------------------------------------------------------------------- */

static void test_build(void **state)
{
	ek_build_info info = {.size = sizeof info};
	bool openmp = false;

	(void)state;
	expect_error(ek_build_get_info(NULL), EK_EINVAL, "info is NULL");
	expect_status(ek_build_get_info(&info), EK_OK);
	assert_string_equal(info.version, ek_version());
	assert_true(*info.commit && *info.compiler);
	assert_null(strchr(info.commit, '/'));
	assert_null(strchr(info.compiler, '/'));
	assert_non_null(strstr(info.isa, ek_isa_name(info.isa_here)));
	assert_non_null(strstr(info.isa, ek_isa_name(ek_context_isa(ctx))));
	for (const ek_feature *f = NULL; (f = ek_feature_next(f));) {
		assert_true(*ek_feature_name(f) && *ek_feature_text(f));
		if (strcmp(ek_feature_name(f), "openmp") == 0)
			openmp = ek_feature_version(f);
	}
	assert_int_equal(openmp, strcmp(info.threads, "pool") && strcmp(info.threads, "none"));
	assert_null(ek_feature_name(NULL));
	assert_null(ek_feature_text(NULL));
	assert_null(ek_feature_version(NULL));
}

/* Checks that ek_device_drivers loads the drivers and reports how many devices each has. */
static void test_drivers(void **state)
{
	char text[1000] = "as it was", little[8];

	(void)state;
#ifdef EK_NO_GPU
	expect_error(ek_device_drivers(text, sizeof text), EK_EUNSUPPORTED, "no devices");
	(void)little;
#else
	expect_error(ek_device_drivers(NULL, 10), EK_EINVAL, "text is NULL");
	expect_error(ek_device_drivers(text, 0), EK_EINVAL, "bytes is 0");
	assert_string_equal(text, "as it was");
	expect_status(ek_device_drivers(text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "cuda: 1 device"));
	assert_non_null(strstr(text, "; opencl: "));
	expect_status(ek_device_drivers(little, sizeof little), EK_OK);
	assert_string_equal(little, "cuda: 1");
#endif
}

/* ---- Set-up and main ------------------------------------------------------------------------- */

static int setup(void **state)
{
	static const int32_t ptr[] = {0, 1, 2}, col[] = {0, 1};
	static const double val[] = {1, 1};
	const ek_options one = {.size = sizeof one, .threads = 1};
	int bad = 0;

	(void)state;
	unsetenv("EK_METHOD");
	unsetenv("EK_DEVICE");
#ifndef EK_NO_GPU
	fake_cuda_use()->devices = 1;
	bad |= fake_context("cuda", EK_MEMORY_AUTO, NULL, &with_device);
#endif
	bad |= ek_context_create(&one, &ctx);
	bad |= ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, col, val, 0, &A);
	bad |= ek_plan_create(EK_SPMV, A, NULL, &plan);
	bad |= ek_heap_create(ctx, EK_INT32, 0, 2, 4, &heap_of_keys);
	bad |= ek_heap_build(heap_of_keys, 4, numbers, NULL);
	guard_make(&guard, MOST);
	return bad;
}

static int teardown(void **state)
{
	(void)state;
	guard_free(&guard);
	ek_heap_destroy(heap_of_keys);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
#ifndef EK_NO_GPU
	ek_context_destroy(with_device);
#endif
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filled),
		cmocka_unit_test(test_not_filled),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_drivers),
	};

	return run_all_tests(tests, setup, teardown);
}
