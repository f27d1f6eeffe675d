/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the primitives on devices: every method of the table that runs on a device, and `auto`, on
 * all devices of this machine and in every kind of memory, with arrays of the host and of the
 * device. Results must equal those of the operation's reference on the processor. Floats are small
 * integers, so that sums are exact. */
#include "plan/plan.h"
#include "support/devices.h"
#include "support/random.h"
#include "support/support.h"

enum { MOST = 5000 }; /* maximum number of entries of an array of most tests */

static struct rng rng = {7};

/* A scan, whose arrays are in memory of the host or of a device. */
struct call {
	ek_value type;
	ek_monoid op;
	ek_scan_kind kind;
	int64_t n;
	bool in_place;
};

static ek_status scan(ek_context *ctx, const ek_array_options *o, const struct call *c,
                      const void *in, void *out)
{
	return ek_scan(ctx, o, c->type, c->op, c->kind, c->n, in, out);
}

/* Does the call on arrays of the device, which are copied from and to those of the host. */
static ek_status scan_there(ek_context *ctx, const ek_array_options *o, const struct call *c,
                            const void *in, void *out)
{
	const int64_t bytes = c->n * (int64_t)ek_value_size(c->type);
	void *there[2];
	ek_status status;

	for (int k = 0; k < 2; k++) {
		expect_status(ek_device_alloc(ctx, bytes, &there[k]), EK_OK);
		expect_status(ek_device_write(ctx, there[k], k ? out : in, bytes), EK_OK);
	}
	status = scan(ctx, o, c, there[0], there[c->in_place ? 0 : 1]);
	expect_status(ek_device_read(ctx, there[c->in_place ? 0 : 1], out, bytes), EK_OK);
	for (int k = 0; k < 2; k++)
		ek_device_free(ctx, there[k]);
	return status;
}

static void check(const struct device_context *on, const ek_method *m, const struct call *c)
{
	const size_t bytes = (size_t)c->n * ek_value_size(c->type);
	char *in = malloc(bytes + 8), *out = malloc(bytes + 8), *right = malloc(bytes + 8);
	const ek_array_options reference = {.size = sizeof reference, .method = "scan.serial"};

	for (int64_t i = 0; i < c->n; i++)
		value_set(c->type, in, i, (double)rng_below(&rng, 100) - 50);
	expect_status(scan(on->ctx, &reference, c, in, right), EK_OK);
	for (int there = 0; there < 2; there++) {
		const ek_array_options o = {.size = sizeof o,
		                            .method = name_or_auto(m),
		                            .where = there ? EK_ON_DEVICE : 0};

		memset(out, 0xff, bytes + 8);
		if (there)
			expect_status(scan_there(on->ctx, &o, c, in, out), EK_OK);
		else
			expect_status(scan(on->ctx, &o, c, in, out), EK_OK);
		if (memcmp(out, right, bytes) != 0 || (unsigned char)out[bytes] != 0xff)
			fail_msg("%s on %s, arrays of the %s, %s, op %d, kind %d, %lld entries",
			         o.method, on->text, there ? "device" : "host",
			         ek_value_name(c->type), (int)c->op, (int)c->kind, (long long)c->n);
	}
	free(in);
	free(out);
	free(right);
}

static void test_scan(void **state)
{
	static const int64_t length[] = {0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 4096, 5000};
	int turn = 0;

	(void)state;
	need_device();
	for (int d = 0; d < devices.count; d++)
		for (const ek_method *m = NULL;;) {
			for (size_t k = 0; k < sizeof length / sizeof *length; k++, turn++) {
				struct call c = {.type = (ek_value)(1 + turn % 4),
				                 .op = (ek_monoid)(1 + turn / 4 % 3),
				                 .kind = turn % 3 ? EK_INCLUSIVE : EK_EXCLUSIVE,
				                 .n = length[k],
				                 .in_place = turn % 5 == 0};

				check(&devices.of[d], m, &c);
			}
			if (!(m = device_method_next(m, EK_SCAN)))
				break;
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
