/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the rows of a device that go in chunks, so that copies run beside kernels
 * (spmv.csr.split.gpu, spmm.csr.split.gpu): the order in which copies and launches are put into the
 * queues, and when plans use chunks of their own accord. */
#include <stdio.h>

#include "both/both.h"
#include "support/budget.h"
#include "support/late.h"
#include "support/lengths.h"
#include "support/rows.h"
#include "support/split_case.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- The order of calls ---------------------------------------------------------------------- */

/* Runs a product with the device's `part` of the rows in chunks, whose calls must be `calls`, as
 * often as there are groups of columns. It must copy as much as one without chunks, which may copy
 * a few parts of x more that no row reads. */
static void check_part(struct split_case *p, const char *part, int chunk_count, const char *calls)
{
	char expected[200] = "", parameters[40];
	int64_t whole, least;

	for (int64_t j = 0; j < (p->columns ? p->columns : 1); j += SPLIT_WIDTH)
		strcat(expected, calls);
	split_make(p, part);
	split_run(p);
	whole = p->bytes;
	least = strstr(part, "side") ? whole - whole / 50 : whole;
	ek_plan_destroy(p->plan);
	snprintf(parameters, sizeof parameters, "%s,chunks=%d", part, chunk_count);
	split_make(p, parameters);
	late_begin(p->ctx);
	for (int k = 0; k < 2; k++) {
		late.count = 0;
		split_run(p);
		assert_string_equal(late.calls, expected);
		assert_in_range(p->bytes, least, whole);
	}
	late_end(p->ctx);
	ek_plan_destroy(p->plan);
}

static void check_calls(struct split_case *p, int chunk_count, const char *calls)
{
	check_part(p, ":share=400", chunk_count, calls);
	check_part(p, ":side=1", chunk_count, calls);
}

static void orders(ek_context *ctx, eki_memory memory)
{
	const bool own = ctx->device->driver->beside;
	ek_matrix *band = rows_stairs(ctx, SPLIT_ROWS, 1, 5),
		  *same = rows_equal(ctx, SPLIT_ROWS, 40, 5);
	struct split_case p = {.ctx = ctx};

	for (int turn = 0; turn < 8 && memory == EKI_MEMORY_COPY; turn++) {
		const bool beside = turn & 4 || own;
		const bool rows = turn & 1; /* whether rows of y are sent, too */

		p.beta = rows ? -1 : 0;
		p.columns = turn & 2 ? SPLIT_COLUMNS : 0;
		p.A = band;
		if (beside)
			beside_begin(ctx);
		check_calls(&p, 1, "cSkLcF");
		/* Beside kernel k, chunk k + 1 is sent, and k - 1 fetched. If no buffer may change
		 * beside a kernel that uses it, all of x goes before the first one. */
		check_calls(&p, 2, beside || rows ? "cSkLSkcLFcF" : "cSkLcLFcF");
		check_calls(&p, 3, beside || rows ? "cSkLSkcLFSkcLFcF" : "cSkLcLFcLFcF");
		/* If all rows read the same lines, they are sent once. */
		p.A = same;
		check_calls(&p, 3, rows ? "cSkLSkcLFSkcLFcF" : "cSkLcLFcLFcF");
		if (beside)
			beside_end(ctx);
	}
	ek_matrix_destroy(band);
	ek_matrix_destroy(same);
}

ON_EACH_DEVICE(orders)

/* Checks more chunks than rows, and rows that all are in one chunk. */
static void few_rows(ek_context *ctx, eki_memory memory)
{
	static const int64_t length[][4] = {{1, 2, 1, 3}, {400, 1, 0, 1}, {0, 1, 0, 400}};

	(void)memory;
	for (int k = 0; k < 3; k++)
		for (int columns = 0; columns <= SPLIT_COLUMNS; columns += SPLIT_COLUMNS) {
			struct split_case p = {.ctx = ctx, .columns = columns, .beta = -1};

			p.A = rows_of_lengths(ctx, 4, 500, NULL, length[k]);
			split_make(&p, ":share=200,chunks=6");
			split_run(&p);
			ek_plan_destroy(p.plan);
			split_make(&p, ":side=1,chunks=6");
			split_run(&p);
			expect_text(ek_plan_parameters(p.plan), "side=1,chunks=6");
			ek_plan_destroy(p.plan);
			split_make(&p, ":share=1,batch=64,chunks=6");
			split_run(&p);
			/* Also if the first chunks have no rows. */
			expect_text(ek_plan_parameters(p.plan), "share=1,batch=64,chunks=6");
			ek_plan_destroy(p.plan);
			ek_matrix_destroy(p.A);
		}
}

ON_EACH_DEVICE(few_rows)

/* ---- Choices --------------------------------------------------------------------------------- */

/* Nanoseconds of a product by one side, and by the pieces that are measured first and later; and
 * runs by pieces. */
static double device_ns, host_ns, first_ns, later_ns;
static int piece_runs;
enum { TIMED = 4 }; /* runs for one time */

static double made_up(const ek_method *method, bool waits, double ns)
{
	(void)ns;
	if (waits)
		return 0;
	if (uses_both(method))
		return piece_runs++ < TIMED ? first_ns : later_ns;
	return needs_device(method) ? device_ns : host_ns;
}

enum { TEXT = 4096 };

/* Makes a plan while copies are slow, and explains it. */
static void make_slowly(struct split_case *p, const char *parameters, char text[TEXT])
{
	piece_runs = 0;
	slow_begin(p->ctx);
	p->ctx->timing = made_up;
	split_make(p, parameters);
	p->ctx->timing = NULL;
	slow_end(p->ctx);
	expect_status(ek_plan_explain(p->plan, text, TEXT), EK_OK);
}

/* Makes a plan while copies are slow, and checks what it says. */
static void check_choice(struct split_case *p, const char *parameters, bool in_chunks,
                         bool one_side)
{
	char text[TEXT];

	make_slowly(p, parameters, text);
	assert_int_equal(strstr(text, "chunks, copies of one beside") != NULL, in_chunks);
	assert_int_equal(strstr(text, " alone, since both together") != NULL, one_side);
	if (strcmp(parameters, ":chunks=1") != 0)
		assert_int_equal(strstr(ek_plan_parameters(p->plan), "chunks=") != NULL, in_chunks);
	split_run(p);
	ek_plan_destroy(p->plan);
}

static void choices(ek_context *ctx, eki_memory memory)
{
	const bool copies = memory != EKI_MEMORY_SHARED;
	const ek_device_info info = ctx->device->info;
	struct split_case p = {.ctx = ctx, .A = rows_stairs(ctx, SPLIT_ROWS, 1, 5), .beta = -1};

	device_ns = host_ns = 5e7;
	first_ns = later_ns = 2.5e7;
	call_device(ctx, "cpu"); /* whose copies take the cores that kernels use */
	check_choice(&p, "", false, false);
	call_device(ctx, "gpu");
	check_choice(&p, "", copies, false);
	assert_int_equal(piece_runs, TIMED);
	check_choice(&p, ":chunks=2", true, false);
	check_choice(&p, ":chunks=1", false, false);
	/* If chunks do not pay, one piece is tried, unless chunks were asked for. */
	first_ns = 5e7;
	check_choice(&p, "", false, !copies);
	assert_int_equal(piece_runs, copies ? 2 * TIMED : TIMED);
	check_choice(&p, ":chunks=2", false, true);
	assert_int_equal(piece_runs, TIMED);
	ctx->device->info = info;
	ek_matrix_destroy(p.A);
}

ON_EACH_DEVICE(choices)

/* Makes a plan for which the device alone must be chosen, in chunks or not, while copies are slow.
 * Products by so many pieces must have been measured. */
static void check_alone(struct split_case *p, const char *parameters, bool in_chunks, int measured)
{
	const eki_both *s;
	char text[TEXT];

	make_slowly(p, parameters, text);
	expect_text(text, "the device alone, since both together would not be faster");
	assert_int_equal(strstr(text, "chunks, copies of one beside") != NULL, in_chunks);
	assert_int_equal(strstr(text, ", the device in chunks ") != NULL, measured > 0);
	assert_int_equal(piece_runs, measured * TIMED);
	expect_text(ek_plan_parameters(p->plan), in_chunks ? "side=1,chunks=" : "side=1");
	s = p->plan->root.state;
	assert_true(s->first == s->pieces && (s->pieces > 1) == in_chunks && !s->moves);
	for (int k = 0; k < s->pieces; k++)
		assert_null(s->piece[k].step[EKI_HOST_SIDE]);
	late_begin(p->ctx);
	split_run(p);
	late_end(p->ctx);
	ek_plan_destroy(p->plan);
}

/* Checks when a device that does all rows does them in chunks: if that is measured to be faster
 * than in one piece, whether or not both sides together were measured before. */
static void alone(ek_context *ctx, eki_memory memory)
{
	const bool copies = memory != EKI_MEMORY_SHARED;
	const ek_device_info info = ctx->device->info;
	struct split_case p = {.ctx = ctx, .A = rows_stairs(ctx, SPLIT_ROWS, 1, 5), .beta = -1};

	for (int turn = 0; turn < 4; turn++) {
		p.columns = turn & 1 ? SPLIT_WIDTH : 0;
		if (turn & 2)
			beside_begin(ctx);
		device_ns = 2.5e7;
		host_ns = 1e12;
		first_ns = 1.9e7;
		call_device(ctx, "cpu");
		check_alone(&p, "", false, 0);
		call_device(ctx, "gpu");
		check_alone(&p, "", copies, copies);
		check_alone(&p, ":chunks=2", true, 1);
		check_alone(&p, ":chunks=1", false, 0);
		first_ns = 2.45e7;
		check_alone(&p, "", false, copies);
		if (turn & 2)
			beside_end(ctx);
	}
	ctx->device->info = info;
	ek_matrix_destroy(p.A);
}

ON_EACH_DEVICE(alone)

/* Makes a plan with so much memory on the device, or any if that is 0, and checks what it says; A
 * must not go through the device in batches. Returns the most memory in use. */
static int64_t check_memory(struct split_case *p, const char *parameters, int64_t memory,
                            const char *says, bool in_chunks)
{
	int64_t most;
	char text[TEXT];

	budget_begin(p->ctx, 0, false);
	budget.bytes = memory;
	if (memory) /* so that the plan tries without batches, which must be short */
		p->ctx->device->info.memory = 2 * memory;
	make_slowly(p, parameters, text);
	most = budget.most;
	assert_null(strstr(text, "in batches"));
	expect_text(text, says);
	assert_int_equal(strstr(text, "chunks, copies of one beside") != NULL, in_chunks);
	split_run(p);
	ek_plan_destroy(p->plan);
	budget_end(p->ctx);
	return most;
}

/* Checks that the faster side does all where the device has too little memory for the pieces, but
 * not for batches, of which nothing was measured or predicted. Memory is so slow on both sides, in
 * GB/s, that copies are nothing or that chunks, which are tried first, would help. */
static void predicted(struct split_case *p, int64_t memory, double gbps, bool in_chunks)
{
	eki_machine machine = *p->ctx->machine;
	const eki_machine *is = p->ctx->machine;

	p->calls = 1;
	p->ctx->machine = &machine;
	machine.core_gbps = machine.cache_gbps = machine.memory_gbps = gbps;
	machine.cache_all_gbps = machine.memory_all_gbps = machine.device_gbps[0] = gbps;
	check_memory(p, "", 0, "both at once, by the speeds predicted", in_chunks);
	check_memory(p, "", memory, " alone, since the device has too little memory", false);
	p->ctx->machine = is;
	p->calls = 0;
}

/* Checks that there are no chunks where only these are too much for the device's memory, also if
 * the device does all rows, and that the faster side does all where both together are. */
static void little_memory(ek_context *ctx, eki_memory memory)
{
	const ek_device_info info = ctx->device->info;
	struct split_case p = {.ctx = ctx, .columns = SPLIT_COLUMNS, .beta = -1};
	const bool own = !ctx->device->driver->beside;
	static const char both[] = "both at once, by the speeds measured",
			  little[] = " alone, since the device has too little memory";

	call_device(ctx, "gpu");
	/* Where pieces have their own parts of Y, chunks take more memory. Batches of the longer
	 * rows take less than these rows. */
	for (int length = 2; length <= 40 && memory == EKI_MEMORY_COPY && own; length += 38) {
		int64_t one, whole, chunks;

		device_ns = host_ns = 5e7;
		first_ns = later_ns = 2.5e7;
		p.A = rows_stairs(ctx, SPLIT_ROWS, 1, length);
		one = check_memory(&p, ":side=1", 0, "", false);
		whole = check_memory(&p, ":chunks=1", 0, both, false);
		chunks = check_memory(&p, "", 0, both, true);
		assert_true(one < whole && whole < chunks);
		check_memory(&p, "", chunks, both, true);
		check_memory(&p, "", whole, both, false);
		if (length == 2) {
			check_memory(&p, "", one, little, false);
		} else {
			predicted(&p, (one + whole) / 2, 0.01, false);
			predicted(&p, (one + whole) / 2, 0.03, true);
		}
		device_ns = first_ns = 2e7;
		host_ns = 1e12;
		check_memory(&p, "", one, "the device alone", false);
		first_ns = 1.5e7;
		chunks = check_memory(&p, "", 0, "the device alone", true);
		assert_true(one < chunks);
		check_memory(&p, "", chunks, "the device alone", true);
		check_memory(&p, "", one, "the device alone", false);
		ek_matrix_destroy(p.A);
	}
	ctx->device->info = info;
}

ON_EACH_DEVICE(little_memory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),        cmocka_unit_test(test_few_rows),
		cmocka_unit_test(test_choices),       cmocka_unit_test(test_alone),
		cmocka_unit_test(test_little_memory),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
