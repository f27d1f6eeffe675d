/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the heaps on devices: they must do the same operations as the heap on the processor,
 * number by number, for all arities, since they hold the same keys in the same nodes. They must
 * give exactly the k smallest numbers of each list. The ad-heap is tested with long lists, in every
 * kind of memory. Its layout must be that of Liu 2015, section 4.6.2. A replay of its updates must
 * do as many operations as they did. */
#include "gpu/opencl_api.h"
#include "prim_gpu/heaps.h"
#include "support/devices.h"
#include "support/inputs.h"
#include "support/support.h"

#ifndef EK_NO_GPU

enum { MOST = 1 << 21 };

static char in[MOST * 8];

/* Selects by a method, and returns the counts of its heaps. `smallest` may be NULL. */
static ek_heap_counts counted(ek_context *ctx, const char *method, int arity, ek_value type,
                              int64_t lists, int64_t n, int64_t k, char *kth, char *smallest)
{
	ek_heap_counts counts = {.size = sizeof counts};
	const ek_array_options o = {
		.size = sizeof o, .method = method, .arity = arity, .counts = &counts};

	if (ek_kselect(ctx, &o, type, lists, n, k, in, kth, smallest) != EK_OK)
		fail_msg("%s: %s", method, ek_error_text());
	return counts;
}

static int compare_4(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static int compare_8(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts each list of n numbers by their bits, taken as integers. */
static void sort_lists(char *list, ek_value type, int64_t lists, int64_t n)
{
	const size_t size = ek_value_size(type);

	for (int64_t j = 0; j < lists; j++)
		qsort(list + j * n * (int64_t)size, (size_t)n, size,
		      size == 4 ? compare_4 : compare_8);
}

/* Writes the k smallest integers of each list to `smallest`, sorted. */
static void smallest_integers(int64_t lists, int64_t n, int64_t k, char *smallest)
{
	char *copy = malloc((size_t)(lists * n) * sizeof(int32_t));

	memcpy(copy, in, (size_t)(lists * n) * sizeof(int32_t));
	sort_lists(copy, EK_INT32, lists, n);
	for (int64_t j = 0; j < lists; j++)
		memcpy(smallest + j * k * 4, copy + j * n * 4, (size_t)k * sizeof(int32_t));
	free(copy);
}

static void check(const struct device_context *on, int arity, ek_value type, int64_t lists,
                  int64_t n, int64_t k)
{
	static const char *const names[] = {"kselect.heap.gpu", "kselect.adheap.gpu"};
	const size_t bytes = (size_t)lists * ek_value_size(type), all = bytes * (size_t)k;
	char *right = malloc(bytes), *got = malloc(bytes);
	char *right_all = malloc(all), *got_all = malloc(all);
	const ek_heap_counts expected =
		counted(on->ctx, "kselect.heap", arity, type, lists, n, k, right, right_all);

	sort_lists(right_all, type, lists, k);
	if (type == EK_INT32)
		smallest_integers(lists, n, k, right_all);
	for (int m = 0; m < 2; m++) {
		const ek_heap_counts counts =
			counted(on->ctx, names[m], arity, type, lists, n, k, got, got_all);

		sort_lists(got_all, type, lists, k);
		if (memcmp(got_all, right_all, all) != 0)
			fail_msg("%s on %s, d = %d, %s, %lld lists of %lld: not the %lld smallest",
			         names[m], on->text, arity, ek_value_name(type), (long long)lists,
			         (long long)n, (long long)k);
		if (memcmp(got, right, bytes) != 0 ||
		    memcmp(&counts, &expected, sizeof counts) != 0)
			fail_msg("%s on %s, d = %d, %s, %lld lists of %lld, k %lld: %lld updates, "
			         "%lld expected",
			         names[m], on->text, arity, ek_value_name(type), (long long)lists,
			         (long long)n, (long long)k, (long long)counts.update_key,
			         (long long)expected.update_key);
	}
	free(right);
	free(got);
	free(right_all);
	free(got_all);
}

static void test_operations(void **state)
{
	struct rng r = {11};

	(void)state;
	need_device();
	say_devices();
	for (int turn = 0; turn < (test_tier() <= TIER_BRIEF   ? 4
	                           : test_tier() == TIER_QUICK ? 24
	                                                       : 200);
	     turn++) {
		const ek_value type =
			turn % 2 ? EK_F64 : EK_INT32; /* other types are in test_gpu_arrays */
		const int64_t lists = 1 + rng_below(&r, 6),
			      n = 1 + rng_below(&r, test_tier() <= TIER_BRIEF ? 200 : 3000);
		const int arity = turn % 3 ? 2 << turn % 6 : 2 + (int)rng_below(&r, 63);

		input_make((enum input)rng_below(&r, INPUTS), type, lists * n, &r, in);
		const struct device_context *on = &devices.of[turn % devices.count];
		const int lanes = on->ctx->device->info.lanes;

		if (turn / 2 % 2) /* groups of 64 work-items, as for wavefronts */
			on->ctx->device->info.lanes = 64;
		check(on, arity, type, lists, n, 1 + rng_below(&r, n));
		on->ctx->device->info.lanes = lanes;
	}
}

/* Tests one long list for each kind of memory. */
static void test_long(void **state)
{
	const int64_t n = test_tier() <= TIER_BRIEF   ? 1000
	                  : test_tier() == TIER_QUICK ? 1 << 16
	                                              : MOST;
	struct rng r = {12};

	(void)state;
	need_device();
	input_make(BITS, EK_INT32, n, &r, in);
	for (int d = 0; d < devices.count; d++)
		check(&devices.of[d], 32, EK_INT32, 1, n, n / 100);
}

/* Tests the sizes of Liu 2015, section 4.6.4: lists of 2^11 to 2^21, the tenth part of each
 * selected, by heaps of 8, 16, 32 and 64 children. */
static void test_sizes_of_thesis(void **state)
{
	const int most = test_tier() <= TIER_BRIEF ? 11 : test_tier() == TIER_QUICK ? 12 : 21;
	struct rng r = {13};
	int turn = 0;

	(void)state;
	need_device();
	input_make(BITS, EK_INT32, (int64_t)1 << most, &r, in);
	for (int bits = 11; bits <= most; bits++)
		for (int d = 8; d <= 64; d *= 2) {
			const int64_t n = (int64_t)1 << bits;

			check(&devices.of[turn++ % devices.count], d, EK_INT32, 1, n, n / 10);
		}
}

/* ---- Replays --------------------------------------------------------------------------------- */

/* Sinks a key from node i. Returns the path, as ek_adheap_replay takes it. */
static int64_t sink(int32_t *heap, int64_t n, int d, int64_t i, int32_t key)
{
	int64_t path = 0;
	int bits = 0, at = 6;

	while (1 << bits < d)
		bits++;
	for (int64_t first; (first = d * i + 1) < n; i = first, at += bits, path++) {
		int64_t child = 0;

		for (int64_t c = 1; c < d && first + c < n; c++)
			if (heap[first + c] > heap[first + child])
				child = c;
		if (heap[first + child] <= key)
			break;
		heap[i] = heap[first + child];
		path |= child << at;
		first += child;
	}
	heap[i] = key;
	return path;
}

/* Selects from lists on the processor. Writes first and path, and returns the number of paths. */
static int64_t trace(int d, int64_t lists, int64_t n, int64_t k, int64_t *first, int64_t *path)
{
	int32_t *heap = malloc((size_t)k * sizeof *heap);
	int64_t updates = 0;

	for (int64_t j = 0; j < lists; j++) {
		const int32_t *list = (const int32_t *)(const void *)in + j * n;

		memcpy(heap, list, (size_t)k * sizeof *heap);
		for (int64_t i = k - 1; i >= 0; i--)
			sink(heap, k, d, i, heap[i]);
		first[j] = updates;
		for (int64_t i = k; i < n; i++)
			if (list[i] < heap[0])
				path[updates++] = sink(heap, k, d, 0, list[i]);
	}
	first[lists] = updates;
	free(heap);
	return updates;
}

static ek_heap_counts replayed(ek_context *ctx, int d, int64_t lists, int64_t n, int64_t k,
                               int64_t updates, const int64_t *first, const int64_t *path)
{
	ek_heap_counts counts = {.size = sizeof counts};
	const ek_array_options o = {.size = sizeof o, .arity = d, .counts = &counts};

	if (ek_adheap_replay(ctx, &o, EK_INT32, lists, n, k, in, updates, first, path) != EK_OK)
		fail_msg("%s", ek_error_text());
	return counts;
}

/* Replays selections, then without updates, then with paths that lead out of the heap. */
static void test_replay(void **state)
{
	const int turns = test_tier() <= TIER_BRIEF ? 4 : test_tier() == TIER_QUICK ? 20 : 100;
	int64_t *path = malloc(20000 * sizeof *path), first[6];
	struct rng r = {13};
	char kth[64];

	(void)state;
	need_device();
	for (int turn = 0; turn < turns; turn++) {
		const int64_t lists = 1 + rng_below(&r, 5),
			      n = 1 + rng_below(&r, test_tier() <= TIER_BRIEF ? 200 : 3000),
			      k = turn % 5 ? 1 + rng_below(&r, n) : 1;
		const int d = turn % 3 ? 2 << turn % 6 : 2 + (int)rng_below(&r, 63);
		ek_context *ctx = devices.of[turn % devices.count].ctx;

		input_make((enum input)rng_below(&r, INPUTS), EK_INT32, lists * n, &r, in);
		const ek_heap_counts all =
			counted(ctx, "kselect.heap", d, EK_INT32, lists, n, k, kth, NULL);
		const int64_t updates = trace(d, lists, n, k, first, path);
		ek_heap_counts got = replayed(ctx, d, lists, n, k, updates, first, path);

		assert_memory_equal(&got, &all, sizeof all);
		got = replayed(ctx, d, lists, n, k, 0, NULL, NULL);
		assert_int_equal(got.update_key, all.heapify_update_key);
		assert_int_equal(got.heapify_swap, all.heapify_swap);
		for (int64_t u = 0; u < updates; u++)
			path[u] = INT64_MAX - rng_below(&r, 3);
		first[0] = -5;
		first[lists] = INT64_MAX;
		got = replayed(ctx, d, lists, n, k, updates, first, path);
		assert_int_equal(got.update_key - got.heapify_update_key, updates);
	}
	free(path);
}

static void test_replay_arguments(void **state)
{
	const int64_t first[] = {0, 1}, path[] = {0};
	ek_heap_counts counts = {.size = sizeof counts, .swap = 7};
	ek_array_options o = {.size = sizeof o, .counts = &counts};
	const ek_options none = {.size = sizeof none, .device = "cpu"};
	ek_context *ctx = NULL;

	(void)state;
	need_device();
	assert_int_equal(ek_context_create(&none, &ctx), EK_OK);
	assert_int_equal(ek_adheap_replay(ctx, &o, EK_INT32, 1, 9, 3, in, 1, first, path),
	                 EK_EDEVICE);
	ek_context_destroy(ctx);
	ctx = devices.of[0].ctx;
	assert_int_equal(ek_adheap_replay(ctx, &o, EK_INT32, 1, 9, 10, in, 1, first, path),
	                 EK_EINVAL);
	assert_int_equal(ek_adheap_replay(ctx, &o, EK_INT32, 1, 9, 3, in, -1, first, path),
	                 EK_EINVAL);
	assert_int_equal(ek_adheap_replay(ctx, &o, EK_INT32, 1, 9, 3, in, 1, NULL, path),
	                 EK_EINVAL);
	assert_int_equal(ek_adheap_replay(ctx, &o, EK_INT32, 1, 9, 3, in, 1, first, NULL),
	                 EK_EINVAL);
	o.arity = 1;
	assert_int_equal(ek_adheap_replay(ctx, &o, EK_INT32, 1, 9, 3, in, 1, first, path),
	                 EK_EINVAL);
	assert_int_equal(counts.swap, 7);
	o.arity = 0;
	assert_int_equal(ek_adheap_replay(ctx, &o, EK_INT32, 0, 9, 3, NULL, 0, NULL, NULL), EK_OK);
}

/* ---- Devices without atomic operations in shared memory -------------------------------------- */

static cl_int (*ask_device)(cl_device_id, cl_uint, size_t, void *, size_t *);

static cl_int hide_atomics(cl_device_id id, cl_uint what, size_t size, void *value, size_t *bytes)
{
	const cl_int code = ask_device(id, what, size, value, bytes);

	if (what == CL_DEVICE_SVM_CAPABILITIES && code == CL_SUCCESS)
		*(cl_bits *)value &= ~(cl_bits)CL_DEVICE_SVM_ATOMICS;
	return code;
}

/* Lets an OpenCL device with shared memory say that it has no atomic operations there. Each launch
 * then answers one request. */
static void test_without_atomics(void **state)
{
	struct device_context on = {.text = "opencl shared, without atomics"};
	const ek_options o = {
		.size = sizeof o, .device = "opencl", .device_memory = EK_MEMORY_SHARED};
	ek_device_info info = {.size = sizeof info};
	struct rng r = {14};
	ek_status status;

	(void)state;
	need_device();
	if (ek_context_create(&o, &on.ctx) != EK_OK)
		skip();
	ek_context_destroy(on.ctx);
	ask_device = eki_cl.clGetDeviceInfo;
	eki_cl.clGetDeviceInfo = hide_atomics;
	status = ek_context_create(&o, &on.ctx);
	eki_cl.clGetDeviceInfo = ask_device;
	assert_int_equal(status, EK_OK);
	assert_int_equal(ek_context_get_device(on.ctx, &info), EK_OK);
	assert_int_equal(info.atomics, 0);
	input_make(BITS, EK_INT32, 900, &r, in);
	check(&on, 8, EK_INT32, 3, 300, 40);
	ek_context_destroy(on.ctx);
}

static void test_layout(void **state)
{
	(void)state;
	for (int64_t d = 2; d <= 1024; d++)
		for (int64_t n = 1; n < 5000; n += 1 + n / 3) {
			const eki_adheap_shape s = eki_adheap_shape_of(n, d);
			int64_t first = 0;

			for (int64_t level = 1; level < s.levels; level++)
				first = d * first + 1;
			assert_true(first < n && d * first + 1 >= n);
			assert_true(s.head >= 2 * s.levels + 1);    /* the bridge has room */
			assert_true(s.head - d < 2 * s.levels + 1); /* and no more than it needs */
			assert_int_equal((s.head + 1) % d, 0);      /* children are aligned */
			assert_int_equal(s.room, s.head + n);
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),      cmocka_unit_test(test_long),
		cmocka_unit_test(test_sizes_of_thesis), cmocka_unit_test(test_layout),
		cmocka_unit_test(test_replay),          cmocka_unit_test(test_replay_arguments),
		cmocka_unit_test(test_without_atomics),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#else
int main(void)
{
	return 0;
}
#endif
