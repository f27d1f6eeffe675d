/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the words of src/gpu/prelude.cl for warps, on each device of this machine: the numbers of
 * work-items, ballots and shuffles, in groups of one warp, of several, and of a part of one. Where
 * a driver has no such operations, warps have 1 work-item. */
#include <stdio.h>

#include "gpu/gpu.h"
#include "support/devices.h"
#include "support/lengths.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { EACH = 8, GROUPS = 3, MOST = 256 };

/* Each work-item stores what the words give it. */
static const char text[] =
	"EK_KERNEL(warps, EK_WG)\n"
	"(EK_GLOBAL int *out, EK_GLOBAL VAL *sums)\n"
	"{\n"
	"	EK_LOCAL VAL scratch[EK_WG];\n"
	"	const int lid = EK_LID(), lane = lid % EK_WARP;\n"
	"	EK_GLOBAL int *own = out + 8 * (EK_GROUP() * EK_WG + lid);\n"
	"	own[0] = EK_WARP;\n"
	"	own[1] = (int)EK_BALLOT(lane % 3 == 0);\n"
	"	own[2] = EK_FIRST(EK_BALLOT(lane % 8 == 7 || EK_WARP == 1));\n"
	"	own[3] = EK_FROM(lid, EK_WARP / 2);\n"
	"#if EK_WARP > 1\n"
	"	own[4] = EK_DOWN(lid, 3, 32);\n"
	"	own[5] = EK_UP(lid, 3, 32);\n"
	"	own[6] = EK_XOR(lid, 5);\n"
	"	EK_WARP_BARRIER();\n"
	"#endif\n"
	"	own[7] = (int)ek_warp_sum((VAL)lid);\n"
	"	sums[EK_GROUP() * EK_WG + lid] = ek_lanes_sum((VAL)lid, EK_WG, scratch);\n"
	"}\n";

static void check_item(const int *own, int lid, int group)
{
	const int warp = own[0], lane = lid % warp, first = lid - lane;
	int ballot = 0, sum = 0;

	for (int k = 0; k < warp; k++) {
		ballot |= k % 3 == 0 ? (int)(1u << k) : 0;
		sum += first + k;
	}
	assert_true(warp == 1 || warp == 32);
	if (group % warp)
		return; /* the last warp has other work-items than the test expects */
	assert_int_equal(own[1], ballot);
	assert_int_equal(own[2], warp == 1 ? 0 : 7);
	assert_int_equal(own[3], first + warp / 2);
	if (lane == 0)
		assert_int_equal(own[7], sum);
	if (warp == 1)
		return;
	if (lane + 3 < warp)
		assert_int_equal(own[4], lid + 3);
	if (lane >= 3)
		assert_int_equal(own[5], lid - 3);
	assert_int_equal(own[6], lid ^ 5);
}

static void check_group(ek_context *ctx, int group)
{
	static int out[GROUPS * MOST * EACH];
	static float sums[GROUPS * MOST];
	eki_device *dev = ctx->device;
	char defines[100];
	void *program, *kernel;
	eki_buffer numbers, values;

	snprintf(defines, sizeof defines,
	         "#define VAL float\n#define PTR int\n#define IDX int\n#define EK_WG %d\n", group);
	expect_status(eki_program_get(dev, "warps", defines, text, &program), EK_OK);
	expect_status(dev->driver->kernel(dev, program, "warps", &kernel), EK_OK);
	expect_status(eki_buffer_alloc(dev, GROUPS * MOST * EACH, sizeof *out, false, &numbers),
	              EK_OK);
	expect_status(eki_buffer_alloc(dev, GROUPS * MOST, sizeof *sums, false, &values), EK_OK);
	const eki_arg args[] = {eki_arg_buffer(&numbers), eki_arg_buffer(&values)};

	expect_status(dev->driver->launch(dev, kernel, GROUPS, group, args, 2), EK_OK);
	expect_status(eki_buffer_read(dev, &numbers, out, sizeof out), EK_OK);
	expect_status(eki_buffer_read(dev, &values, sums, sizeof sums), EK_OK);
	for (int k = 0; k < GROUPS * group; k++) {
		check_item(out + (size_t)k * EACH, k % group, group);
		if (k % group == 0)
			assert_true(sums[k] == (float)(group * (group - 1) / 2));
	}
	dev->driver->drop(dev, kernel);
	eki_buffer_free(dev, &numbers);
	eki_buffer_free(dev, &values);
}

static void warps(ek_context *ctx, eki_memory memory)
{
	static const int group[] = {32, 64, 128, MOST, 8};

	(void)memory;
	for (size_t k = 0; k < sizeof group / sizeof *group; k++)
		check_group(ctx, group[k]);
}

static void test_warps(void **state)
{
	(void)state;
	each_device(warps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_warps)};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
