/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the primitives on devices: every method of the table that runs on a device, and `auto`, on
 * all devices of this machine and in every kind of memory, with arrays of the host and of the
 * device, and with parameters at the ends of their ranges. Results must equal those of the
 * operation's reference on the processor. Sums are of small integers, so that they are exact in
 * every order. Sums of real numbers are compared with the bounds of ek.h. */
#include "gpu/gpu.h"
#include "support/array_call.h"
#include "support/devices.h"
#include "support/support.h"

enum { MOST = 9000 }; /* maximum number of entries of an array of most tests */

/* Tells whether a method may give pairs of equal keys in any order (ek.h). */
static bool any_order(const struct call *c, const ek_method *m)
{
	static const char *const networks[] = {"bitonic", "oddeven", "advanced"};

	for (int k = 0; c->op == EK_MERGE && m && k < 3; k++)
		if (strstr(ek_method_name(m), networks[k]))
			return true;
	return c->op == EK_SORT;
}

/* Writes the name of a method, sometimes with its first parameter at one of the ends of its
 * range. */
static const char *full_name(const ek_method *m, int64_t turn, char *text, size_t size)
{
	if (m && m->param[0].name && turn < 2)
		snprintf(text, size, "%s:%s=%lld", m->name, m->param[0].name,
		         (long long)(turn ? m->param[0].min : m->param[0].max));
	else
		snprintf(text, size, "%s", name_or_auto(m));
	return text;
}

/* Compares one method on a device with the reference's result `right`. */
static void check_method(const struct array_op *op, const struct device_context *on,
                         const ek_method *m, const struct call *c, char *const right[MOST_ARGS],
                         struct rng *r)
{
	char name[128], text[300], *after[MOST_ARGS];
	const ek_array_options o = {.size = sizeof o,
	                            .method = full_name(m, rng_below(r, 9), name, sizeof name),
	                            .arity = rng_below(r, 2) ? 0 : 2 + (int)rng_below(r, 70),
	                            .where = rng_below(r, 2) ? EK_ON_DEVICE : 0};
	const ek_status status = call_run(op, on->ctx, &o, c, o.where != 0, after);
	int wrong;

	call_text(c, text, sizeof text);
	if (status != EK_OK)
		fail_msg("%s on %s: %s: %s", name, on->text, text, ek_error_text());
	wrong = call_differs(c, after, right, any_order(c, m));
	if (wrong >= 0)
		fail_msg("%s on %s, arity %d, arrays of the %s: array %d differs: %s", name,
		         on->text, o.arity, o.where ? "device" : "host", wrong, text);
	call_freed(after);
}

static void check_op(const struct array_op *op, int times, int64_t most, uint64_t seed)
{
	struct rng r = {seed};

	for (int k = 0; k < times; k++) {
		const struct device_context *on = &devices.of[k % devices.count];
		const ek_array_options o = {.size = sizeof o,
		                            .method = operation_next(NULL, op->op)->name};
		struct call c = {.op = op->op};
		char *right[MOST_ARGS];

		op->make(&c, most, &r);
		expect_status(call_run(op, on->ctx, &o, &c, false, right), EK_OK);
		for (const ek_method *m = NULL;;) {
			check_method(op, on, m, &c, right, &r);
			if (!(m = device_method_next(m, op->op)))
				break;
		}
		call_freed(right);
		call_free(&c);
	}
}

/* Returns how many calls of each operation the tier asks for. */
static int times(int quick)
{
	return test_tier() <= TIER_BRIEF   ? (quick + 3) / 4
	       : test_tier() == TIER_QUICK ? quick
	                                   : 16 * quick;
}

/* Returns the most entries of an array. The brief tier is for simulators of devices. */
static int64_t most_entries(void)
{
	return test_tier() <= TIER_BRIEF ? 700 : MOST;
}

static void test_methods(void **state)
{
	(void)state;
	need_device();
	say_devices();
	for (int k = 0; k < array_op_count && device_method_next(NULL, array_ops[k].op); k++)
		check_op(&array_ops[k], times(array_ops[k].op == EK_MERGE ? 12 : 36),
		         most_entries(), 7 + (uint64_t)k);
}

/* Tests arrays with several levels of tiles. */
static void test_large(void **state)
{
	(void)state;
	need_device();
	if (test_tier() <= TIER_BRIEF)
		skip();
	for (int k = 0; k < array_op_count && device_method_next(NULL, array_ops[k].op); k++)
		check_op(&array_ops[k], times(2), 300000, 70 + (uint64_t)k);
}

/* ---- Real numbers ---------------------------------------------------------------------------- */

/* Returns ceil(log n / log base), at least 1: the number of levels of tiles of `base` numbers. */
static int levels(int64_t n, int64_t base)
{
	int count = 1;

	for (; n > base; n = (n + base - 1) / base)
		count++;
	return count;
}

/* Returns gamma(depth) for numbers of a type, as in ek.h. */
static double gamma_of(ek_value type, double depth)
{
	const double u = type == EK_F32 ? 0x1p-24 : 0x1p-53;

	return depth * u / (1 - depth * u);
}

/* Checks a sum against its exact value, which is in twice double precision, with the bound
 * gamma(depth) * absolute. */
static void check_sum(const char *name, ek_value type, double got, long double exact,
                      double absolute, double depth)
{
	const double error = fabs((double)((long double)got - exact));

	if (!(error <= gamma_of(type, depth) * absolute))
		fail_msg("%s, %s: error %g, bound %g", name, ek_value_name(type), error,
		         gamma_of(type, depth) * absolute);
}

/* Computes sums of n real numbers by every method, and the same once more. */
static void check_reals(const struct device_context *on, ek_value type, int64_t n, struct rng *r)
{
	const size_t size = ek_value_size(type);
	const int64_t count = 1 + n / 100, tiles = 24 * levels(n, 2048);
	char *in = malloc((size_t)n * size), *out = malloc((size_t)n * size),
	     *again = malloc((size_t)n * size);
	int64_t *offset = malloc((size_t)(count + 1) * sizeof *offset);
	static const ek_operation ops[] = {EK_REDUCE, EK_SCAN, EK_SEGMENTED_SCAN, EK_SEGMENTED_SUM};

	for (int64_t i = 0; i < n; i++)
		value_set(type, in, i,
		          ldexp((double)rng_below(r, 1 << 30) - (1 << 29),
		                (int)rng_below(r, 20) - 40));
	for (int64_t s = 0; s <= count; s++)
		offset[s] = s == count ? n : s * 97 < n ? s * 97 : n;
	const ek_segments s = ek_segment_offsets(count, EK_INT64, offset);

	for (int k = 0; k < 4; k++)
		for (const ek_method *m = NULL; (m = device_method_next(m, ops[k]));) {
			const ek_array_options o = {.size = sizeof o, .method = m->name};
			const bool difference = strstr(m->name, "segsum.offset") != NULL;
			const int64_t results = k == 0 ? 1 : k == 3 ? count : n;
			long double sum = 0, begin = 0;
			double absolute = 0;

			for (int turn = 0; turn < 2; turn++) {
				char *to = turn ? again : out;

				expect_status(
					k == 0   ? ek_reduce(on->ctx, &o, type, EK_SUM, n, in, to)
					: k == 1 ? ek_scan(on->ctx, &o, type, EK_SUM, EK_INCLUSIVE,
				                           n, in, to)
					: k == 2 ? ek_segmented_scan(on->ctx, &o, type, EK_SUM,
				                                     EK_INCLUSIVE, n, in, &s, to)
						 : ek_segmented_sum(on->ctx, &o, type, n, in, &s,
				                                    to),
					EK_OK);
			}
			assert_memory_equal(out, again, (size_t)results * size);
			for (int64_t i = 0, at = 0; i < n; i++) {
				const bool begins = k >= 2 && i == offset[at];

				while (begins && at < count && offset[at + 1] == i)
					at++;
				if (begins) {
					begin = sum;
					if (!difference)
						begin = sum = 0, absolute = 0;
				}
				sum += (long double)value_at(type, in, i);
				absolute += fabs(value_at(type, in, i));
				if (begins)
					at++;
				if (k == 1 || k == 2)
					check_sum(m->name, type, value_at(type, out, i), sum,
					          absolute, (double)tiles);
				if (k == 3 && i + 1 == offset[at])
					check_sum(m->name, type, value_at(type, out, at - 1),
					          sum - begin, absolute,
					          difference ? 2.0 * (double)tiles + 4 : 97);
			}
			if (k == 0)
				check_sum(m->name, type, value_at(type, out, 0), sum, absolute,
				          12 * levels(n, 4096));
		}
	free(in);
	free(out);
	free(again);
	free(offset);
}

static void test_reals(void **state)
{
	struct rng r = {5};

	(void)state;
	need_device();
	for (int k = 0; k < times(8); k++)
		check_reals(&devices.of[k % devices.count], k / 2 % 2 ? EK_F64 : EK_F32,
		            k % 3 ? 1 + rng_below(&r, 20000) : 4096 << k % 4, &r);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Makes a call that must fail, and checks that no array changes. */
static void refuse(const struct array_op *op, ek_context *ctx, const ek_array_options *o,
                   const struct call *c, ek_status expected, const char *part)
{
	char *after[MOST_ARGS];

	expect_error(call_run(op, ctx, o, c, false, after), expected, part);
	for (int k = 0; k < c->args; k++)
		assert_memory_equal(after[k], c->arg[k].data, c->arg[k].bytes);
	call_freed(after);
}

static void test_refused(void **state)
{
	ek_context *bare;
	struct rng r = {6};

	(void)state;
	need_device();
	if (getenv("EK_DEVICE"))
		skip(); /* then no context is without a device */
	expect_status(ek_context_create(&(ek_options){.size = sizeof(ek_options)}, &bare), EK_OK);
	for (int k = 0; k < array_op_count && device_method_next(NULL, array_ops[k].op); k++) {
		const struct array_op *op = &array_ops[k];
		struct device_context *on = &devices.of[k % devices.count];
		struct call c = {.op = op->op};
		ek_array_options o = {.size = sizeof o, .where = EK_ON_DEVICE};

		do {
			call_free(&c);
			c = (struct call){.op = op->op};
			op->make(&c, MOST, &r);
		} while (c.type != EK_F64);
		refuse(op, bare, &o, &c, EK_EDEVICE, "no device");
		o.where = 2;
		refuse(op, on->ctx, &o, &c, EK_EINVAL, "options.where");
		o = (ek_array_options){.size = sizeof o,
		                       .where = EK_ON_DEVICE,
		                       .method = operation_next(NULL, op->op)->name};
		refuse(op, on->ctx, &o, &c, EK_EUNSUPPORTED, "arrays of the host");
		o = (ek_array_options){.size = sizeof o,
		                       .method = device_method_next(NULL, op->op)->name};
		refuse(op, bare, &o, &c, EK_EDEVICE, "has none");
		/* A device without f64. */
		((eki_device *)on->ctx->device)->info.f64 = 0;
		if (op->op != EK_TO_COO) /* which has no values */
			refuse(op, on->ctx, &o, &c, EK_EUNSUPPORTED, "f64");
		((eki_device *)on->ctx->device)->info.f64 = 1;
		call_free(&c);
	}
	ek_context_destroy(bare);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_reals),
		cmocka_unit_test(test_refused),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
