/* SPDX-License-Identifier: BSD-3-Clause
 * Destroys objects of a context with a device in every order, with each kind of device memory. The
 * last one must release the context's queue, its programs and its copies of matrices. */
#include "support/heap.h"
#include "support/orders.h"
#include "support/support.h"

static struct heap heap = HEAP_INIT;
static struct {
	char device[32];
	ek_device_memory memory;
	bool counted;
} now;

static ek_context *open_device(void)
{
	ek_options o =
		now.counted ? heap_options(&heap, 2) : (ek_options){.size = sizeof o, .threads = 2};
	ek_context *ctx;

	o.device = now.device;
	o.device_memory = now.memory;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	return ctx;
}

static void *block(size_t bytes)
{
	return now.counted ? heap_block(&heap, bytes) : malloc(bytes);
}

static void check_device(bool f64)
{
	const struct made made[] = {
		{EK_F32, NULL, EK_COPY, {"spmv.csr.vector.gpu", NULL}, {EK_OP_N, EK_OP_T}},
		{EK_F32, "csc", EK_ADOPT, {NULL, "spmv.csr.vector"}, {EK_OP_T, EK_OP_T}},
		{EK_F64,
	         NULL,
	         EK_BORROW,
	         {"spmv.csr.hetero.gpu:share=500", "spmv.hyb.gpu"},
	         {EK_OP_N, EK_OP_N}},
	};

	for (size_t k = 0; k < sizeof made / sizeof *made; k++)
		if (f64 || made[k].value == EK_F32) {
			orders_check(open_device, block, &made[k]);
			assert_int_equal(atomic_load(&heap.live), 0);
		}
}

static void test_orders(void **state)
{
	ek_device_info info = {.size = sizeof info};
	int devices = 0;

	(void)state;
	for (; ek_device_get_info(devices, &info) == EK_OK; devices++)
		for (int memory = EK_MEMORY_COPY; memory <= EK_MEMORY_SHARED; memory++) {
			if ((memory == EK_MEMORY_MAPPED && !info.mapped) ||
			    (memory == EK_MEMORY_SHARED && !info.shared))
				continue;
			snprintf(now.device, sizeof now.device, "%s", info.name);
			now.memory = (ek_device_memory)memory;
			now.counted = true;
			check_device(info.f64);
			now.counted = false;
			if (memory == EK_MEMORY_SHARED)
				check_device(info.f64);
		}
	if (!devices) {
		print_message("  not run: %s\n", ek_error_text());
		skip();
	}
}

static int close_heap(void **state)
{
	(void)state;
	heap_close(&heap);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, NULL, close_heap);
}
