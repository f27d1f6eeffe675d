/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the addition of sparse vectors on devices, by every method of the table that runs there, on
 * what random vectors (test_gpu_arrays.c) do not show: equal indices on both sides of every cut,
 * one vector within a gap of the other, special values, indices that do not ascend, refused
 * arguments, and how many bytes are copied. */
#include <math.h>

#include "gpu/gpu.h"
#include "support/array_call.h"
#include "support/devices.h"
#include "support/lengths.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static const struct array_op add_op = {EK_SPARSE_ADD, call_make_add, call_run_add};

/* ---- Vectors --------------------------------------------------------------------------------- */

/* Index number k of a vector. */
typedef int64_t index_fn(int64_t k, int64_t n);

static int64_t each(int64_t k, int64_t n)
{
	(void)n;
	return k;
}
static int64_t second(int64_t k, int64_t n)
{
	(void)n;
	return 2 * k;
}
static int64_t odd(int64_t k, int64_t n)
{
	(void)n;
	return 2 * k + 1;
}
static int64_t after(int64_t k, int64_t n)
{
	return 2 * n + k;
}
/* Has an entry in common with `each` at the ends only. */
static int64_t ends(int64_t k, int64_t n)
{
	return k == 0 ? 0 : k + n - 1;
}
static int64_t last(int64_t k, int64_t n)
{
	return INT32_MAX - n + 1 + k;
}

static void vector(struct call *c, int64_t n, index_fn *fn)
{
	char *idx = call_array(c, IN, n * (int64_t)ek_value_size(c->offset_type));
	char *val = call_array(c, IN, n * (int64_t)ek_value_size(c->type));

	for (int64_t k = 0; k < n; k++) {
		value_set(c->offset_type, idx, k, (double)fn(k, n));
		value_set(c->type, val, k, (double)(k % 7 - 3));
	}
}

static struct call make(ek_value type, ek_value index, int64_t a_n, index_fn *x, int64_t b_n,
                        index_fn *y)
{
	struct call c = {.op = EK_SPARSE_ADD,
	                 .type = type,
	                 .offset_type = index,
	                 .n = INT64_C(1) << 31,
	                 .a_n = a_n,
	                 .b_n = b_n,
	                 .alpha = 2,
	                 .beta = -3};

	vector(&c, a_n, x);
	vector(&c, b_n, y);
	call_array(&c, OUT, (a_n + b_n) * (int64_t)ek_value_size(index));
	call_array(&c, OUT, (a_n + b_n) * (int64_t)ek_value_size(type));
	call_array(&c, RESULT, sizeof(int64_t));
	return c;
}

/* Compares every method, with arrays of the device and of the host in turn, with the reference. */
static void check(const struct device_context *on, const struct call *c, const char *shape)
{
	const ek_array_options serial = {.size = sizeof serial, .method = "add.serial"};
	char *right[MOST_ARGS], *result[MOST_ARGS];
	static int turn;

	expect_status(call_run(&add_op, on->ctx, &serial, c, false, right), EK_OK);
	for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPARSE_ADD));) {
		const ek_array_options o = {.size = sizeof o,
		                            .method = m->name,
		                            .where = turn++ % 3 ? EK_ON_DEVICE : 0};
		int wrong;

		expect_status(call_run(&add_op, on->ctx, &o, c, o.where != 0, result), EK_OK);
		if ((wrong = call_differs(c, result, right, false)) >= 0)
			fail_msg("%s on %s: %s, %lld and %lld entries: array %d differs", m->name,
			         on->text, shape, (long long)c->a_n, (long long)c->b_n, wrong);
		call_freed(result);
	}
	call_freed(right);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_cuts(void **state)
{
	static const struct {
		const char *name;
		index_fn *x, *y;
		int64_t part; /* y has n / part entries */
	} shape[] = {
		{"the same indices", each, each, 1},      {"every second", each, second, 2},
		{"interleaved", second, odd, 1},          {"one after the other", each, after, 1},
		{"one before the other", after, each, 1}, {"ends", each, ends, 1},
		{"few in many", each, second, 100},       {"none in many", each, each, 1 << 20},
		{"the greatest indices", last, last, 1}};
	static const int64_t length[] = {1,    2,    3,    15,   16,   17,   32,   255,
	                                 256,  257,  511,  512,  513,  1022, 1023, 1024,
	                                 1025, 2046, 2047, 2048, 4500, 9000};
	int turn = 0;

	(void)state;
	need_device();
	for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
		for (size_t l = 0; l < sizeof length / sizeof *length; l++, turn++) {
			const int64_t n = length[l];
			struct call c;

			if (test_tier() <= TIER_BRIEF && turn % 5)
				continue;
			c = turn % 2 ? make(EK_F64, EK_INT64, n, shape[s].x, n / shape[s].part,
			                    shape[s].y)
			             : make(EK_F32, EK_INT32, n / shape[s].part, shape[s].y, n,
			                    shape[s].x);
			check(&devices.of[turn % devices.count], &c, shape[s].name);
			call_free(&c);
		}
}

/* Tests that values whose factor is 0 are not used, and that zeros keep their signs, as far as the
 * reference does it: NaN, Inf and -0 with every pair of factors. */
static void test_special(void **state)
{
	static const double value[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1};
	static const double factor[] = {0, -0.0, 1, -2};

	(void)state;
	need_device();
	for (int k = 0; k < 16; k++) {
		struct call c = make(EK_F32, EK_INT32, 36, each, 18, second);

		c.alpha = factor[k % 4];
		c.beta = factor[k / 4];
		for (int i = 0; i < 36; i++) {
			value_set(EK_F32, c.arg[1].data, i, value[i % 6]);
			/* Which NaN two of them give is not promised. */
			if (i < 18)
				value_set(EK_F32, c.arg[3].data, i, value[3 + i / 6 % 3]);
		}
		check(&devices.of[k % devices.count], &c, "special values");
		call_free(&c);
	}
}

static void test_wrap(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < 2; k++) {
		struct call c = make(EK_INT32, EK_INT32, 20, each, 20, each);

		c.alpha = 3;
		c.beta = k ? INT32_MIN : -1;
		for (int i = 0; i < 20; i++) {
			value_set(EK_INT32, c.arg[1].data, i, INT32_MAX - i);
			value_set(EK_INT32, c.arg[3].data, i, INT32_MIN + i);
		}
		check(&devices.of[k % devices.count], &c, "large integers");
		call_free(&c);
	}
}

/* Indices on the device are not checked. Whatever they are, nothing beyond the arrays is written,
 * and inputs stay (call_run checks that). */
static void test_unsorted(void **state)
{
	struct rng r = {4};

	(void)state;
	need_device();
	for (int k = 0; k < (test_tier() <= TIER_BRIEF ? 4 : 40); k++) {
		const int64_t an = rng_below(&r, 3000), bn = rng_below(&r, 3000);
		struct call c = make(EK_F32, EK_INT32, an, each, bn, each);

		for (int64_t i = 0; i < an; i++)
			value_set(EK_INT32, c.arg[0].data, i,
			          (double)rng_below(&r, k % 3 ? 9 : an));
		for (int64_t i = 0; i < bn; i++)
			value_set(EK_INT32, c.arg[2].data, i,
			          (double)rng_below(&r, k % 2 ? 9 : bn));
		for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPARSE_ADD));) {
			const ek_array_options o = {
				.size = sizeof o, .method = m->name, .where = EK_ON_DEVICE};
			char *result[MOST_ARGS];
			int64_t count;
			const ek_status status = call_run(
				&add_op, devices.of[k % devices.count].ctx, &o, &c, true, result);

			memcpy(&count, result[6], sizeof count);
			if (status == EK_OK)
				assert_in_range(count, 0, an + bn);
			else
				assert_int_equal(status, EK_EDEVICE);
			call_freed(result);
		}
		call_free(&c);
	}
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static void refused(ek_context *ctx, const ek_array_options *o, void *const p[6], int64_t room,
                    ek_status status, const char *part)
{
	const ek_sparse x = ek_sparse_vector(EK_F32, EK_INT32, 10, 4, p[0], p[1]);
	const ek_sparse y = ek_sparse_vector(EK_F32, EK_INT32, 10, 4, p[2], p[3]);
	const ek_sparse z = ek_sparse_vector(EK_F32, EK_INT32, 10, room, p[4], p[5]);
	int64_t count = -7;

	expect_error(ek_sparse_add(ctx, o, 1, &x, 1, &y, &count, &z), status, part);
	assert_int_equal(count, -7);
}

static void arguments(ek_context *ctx, eki_memory memory)
{
	const ek_array_options o = {.size = sizeof o, .where = EK_ON_DEVICE};
	const ek_array_options host = {
		.size = sizeof host, .where = EK_ON_DEVICE, .method = "add.heap"};
	float sum = 0;
	void *p[6];

	(void)memory;
	for (int k = 0; k < 6; k++)
		expect_status(ek_device_alloc(ctx, 64, &p[k]), EK_OK);
	refused(ctx, &o, p, 7, EK_EINVAL, "z->nnz is 7");
	refused(ctx, &host, p, 8, EK_EUNSUPPORTED, "arrays of the host");
	for (int k = 0; k < 4; k++) {
		void *const same[6] = {
			p[0], p[1], p[2], p[3], k < 2 ? p[k] : p[4], k < 2 ? p[5] : p[k]};

		refused(ctx, &o, same, 8, EK_EINVAL, k % 2 ? "->val" : "->idx");
	}
	refused(ctx, &o, (void *const[]){p[0], p[1], p[2], p[3], p[4], p[4]}, 8, EK_EINVAL,
	        "z->idx and z->val");
	const ek_sparse x = ek_sparse_vector(EK_F32, EK_INT32, 10, 4, p[0], p[1]);

	expect_error(ek_sparse_dot(ctx, &o, &x, &x, &sum), EK_EUNSUPPORTED,
	             "has no method on device");
	for (int k = 0; k < 6; k++)
		ek_device_free(ctx, p[k]);
}

static void test_arguments(void **state)
{
	(void)state;
	each_device(arguments);
}

/* Checks that a sum of vectors on the device copies one number to the host, and that of vectors on
 * the host no more than it has to. */
static void counters(ek_context *ctx, eki_memory memory)
{
	struct call c = make(EK_F64, EK_INT32, 3000, each, 2000, second);
	const struct device_context on = {.ctx = ctx, .text = "counters"};
	ek_device_counters before = {.size = sizeof before}, after_run = before;

	check(&on, &c, "counters");
	for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPARSE_ADD));) {
		const ek_array_options o = {.size = sizeof o, .method = m->name};
		char *result[MOST_ARGS];
		int64_t count;

		expect_status(ek_device_get_counters(ctx, &before), EK_OK);
		expect_status(call_run(&add_op, ctx, &o, &c, false, result), EK_OK);
		expect_status(ek_device_get_counters(ctx, &after_run), EK_OK);
		memcpy(&count, result[6], sizeof count);
		assert_int_equal(count, 3500);
		if (memory == EKI_MEMORY_COPY) {
			assert_int_equal(after_run.to_device - before.to_device, 12 * 5000);
			assert_int_equal(after_run.from_device - before.from_device,
			                 12 * count + 4);
		}
		call_freed(result);
	}
	call_free(&c);
}

static void test_counters(void **state)
{
	(void)state;
	each_device(counters);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),      cmocka_unit_test(test_special),
		cmocka_unit_test(test_wrap),      cmocka_unit_test(test_unsorted),
		cmocka_unit_test(test_arguments), cmocka_unit_test(test_counters),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
