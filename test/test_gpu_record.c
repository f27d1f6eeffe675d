/* SPDX-License-Identifier: BSD-3-Clause
 * Tests runs that are repeated on a device and so recorded (gpu/record.c): all methods give the
 * same as the host, run for run, with vectors that alternate or are freed and made anew, other
 * factors, and new values; recorded launches count as launches. Drivers without recordings get some
 * here: lists of commands with copies of their arguments. test_cuda_failures has what CUDA
 * records. */
#include <string.h>

#include "gpu/gpu.h"
#include "support/devices.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { ROWS = 700, COLS = 500, PAIRS = 6, RUNS = 12, MOST = 8 * ROWS + COLS };

static double x[PAIRS][COLS], y[PAIRS][ROWS], val[MOST];
static int32_t row_ptr[ROWS + 1], col_idx[MOST];

/* Makes a matrix with rows of 0 to 7 entries, and one of COLS. */
static ek_matrix *make_matrix(ek_context *ctx)
{
	ek_matrix *A;
	int n = 0;

	for (int i = 0; i < ROWS; i++) {
		const int length = i == 300 ? COLS : i % 8;

		row_ptr[i] = n;
		for (int k = 0; k < length; k++, n++) {
			col_idx[n] = length == COLS ? k : (i + 61 * k) % (COLS - 7 * 61) + 61 * k;
			val[n] = (i + k) % 5 - 2;
		}
	}
	row_ptr[ROWS] = n;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, ROWS, COLS, row_ptr, col_idx, val,
	                                 EK_BORROW, &A),
	              EK_OK);
	return A;
}

typedef struct on_device {
	ek_context *ctx;
	void *x[PAIRS], *y[PAIRS];
} on_device;

/* ---- Recordings for a driver that has none --------------------------------------------------- */

enum { ARGUMENTS = 48, COMMANDS = 16 };

typedef struct command {
	void *kernel; /* NULL for a copy and for a fill with zeros */
	int64_t groups;
	int group_size, count;
	eki_arg args[ARGUMENTS];
	eki_buffer buffer[ARGUMENTS]; /* those of args; of the copy: to, from; of the fill: to */
	int64_t to, from, bytes;      /* of the copy */
} command;

typedef struct tape {
	int count;
	command list[COMMANDS];
} tape;

static struct {
	const eki_driver *real;
	eki_driver driver;
	tape *on; /* what is recorded now */
	int replays;
} taped;

static command *next_command(void)
{
	assert_true(taped.on->count < COMMANDS);
	eki_recording.commands++;
	return &taped.on->list[taped.on->count++];
}

static ek_status tape_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                             const eki_arg *args, int count)
{
	command *c;

	if (!taped.on)
		return taped.real->launch(d, kernel, groups, group_size, args, count);
	c = next_command();
	*c = (command){
		.kernel = kernel, .groups = groups, .group_size = group_size, .count = count};
	for (int k = 0; k < count; k++) {
		c->args[k] = args[k];
		if (args[k].buffer)
			c->buffer[k] = *args[k].buffer;
	}
	return EK_OK;
}

static ek_status tape_copy(eki_device *d, const eki_buffer *to, int64_t to_offset,
                           const eki_buffer *from, int64_t from_offset, int64_t bytes)
{
	if (!taped.on)
		return taped.real->copy(d, to, to_offset, from, from_offset, bytes);
	*next_command() = (command){.count = 2,
	                            .buffer = {*to, *from},
	                            .to = to_offset,
	                            .from = from_offset,
	                            .bytes = bytes};
	return EK_OK;
}

static ek_status tape_clear(eki_device *d, const eki_buffer *buffer)
{
	if (!taped.on)
		return taped.real->clear(d, buffer);
	*next_command() = (command){.count = 1, .buffer = {*buffer}};
	return EK_OK;
}

static ek_status tape_read(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                           int64_t bytes)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->read(d, from, offset, to, bytes);
}

static ek_status tape_write(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                            int64_t bytes)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->write(d, to, offset, from, bytes);
}

static ek_status tape_wait(eki_device *d)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->wait(d);
}

static ek_status tape_map(eki_device *d, eki_buffer *buffer)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->map(d, buffer);
}

static ek_status tape_record(eki_device *d)
{
	(void)d;
	taped.on = calloc(1, sizeof *taped.on);
	assert_non_null(taped.on);
	return EK_OK;
}

static ek_status tape_recorded(eki_device *d, void **commands)
{
	(void)d;
	*commands = taped.on;
	taped.on = NULL;
	return EK_OK;
}

static ek_status tape_replay(eki_device *d, void *commands)
{
	tape *t = commands;

	taped.replays++;
	for (int k = 0; k < t->count; k++) {
		command *c = &t->list[k];

		for (int a = 0; a < c->count && c->kernel; a++)
			if (c->args[a].buffer)
				c->args[a].buffer = &c->buffer[a];
		if (c->kernel)
			EK_RETURN_IF(taped.real->launch(d, c->kernel, c->groups, c->group_size,
			                                c->args, c->count));
		else if (c->count == 2)
			EK_RETURN_IF(taped.real->copy(d, &c->buffer[0], c->to, &c->buffer[1],
			                              c->from, c->bytes));
		else
			EK_RETURN_IF(taped.real->clear(d, &c->buffer[0]));
	}
	return EK_OK;
}

static void tape_erase(eki_device *d, void *commands)
{
	(void)d;
	free(commands);
}

static void tape_open(ek_context *ctx)
{
	taped.real = ctx->device->driver;
	taped.driver = *taped.real;
	taped.replays = 0;
	if (taped.driver.record)
		return;
	taped.driver.launch = tape_launch;
	taped.driver.copy = tape_copy;
	taped.driver.clear = tape_clear;
	taped.driver.read = tape_read;
	taped.driver.write = tape_write;
	taped.driver.wait = tape_wait;
	taped.driver.map = tape_map;
	taped.driver.record = tape_record;
	taped.driver.recorded = tape_recorded;
	taped.driver.replay = tape_replay;
	taped.driver.erase = tape_erase;
	ctx->device->driver = &taped.driver;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Makes pair k of vectors on the device, with small integers that depend on k. */
static void make_pair(on_device *on, int k)
{
	for (int j = 0; j < COLS; j++)
		x[k][j] = (j * 7 + k) % 11 - 5;
	for (int i = 0; i < ROWS; i++)
		y[k][i] = (i + 3 * k) % 5;
	expect_status(ek_device_alloc(on->ctx, sizeof x[k], &on->x[k]), EK_OK);
	expect_status(ek_device_alloc(on->ctx, sizeof y[k], &on->y[k]), EK_OK);
	expect_status(ek_device_write(on->ctx, on->x[k], x[k], sizeof x[k]), EK_OK);
	expect_status(ek_device_write(on->ctx, on->y[k], y[k], sizeof y[k]), EK_OK);
}

static void free_pair(const on_device *on, int k)
{
	ek_device_free(on->ctx, on->x[k]);
	ek_device_free(on->ctx, on->y[k]);
}

/* Does y = alpha A x + beta y with pair k on the device and, by `same`, on the host. */
static void run(const on_device *on, ek_plan *plan, ek_plan *same, double alpha, double beta, int k)
{
	ek_dense of_x = ek_vector(EK_F64, COLS, on->x[k]), of_y = ek_vector(EK_F64, ROWS, on->y[k]);

	of_x.where = of_y.where = EK_ON_DEVICE;
	expect_status(ek_spmv(plan, alpha, &of_x, beta, &of_y), EK_OK);
	multiply_f64(same, alpha, x[k], COLS, beta, y[k], ROWS);
}

static void check(const on_device *on, int k, const char *where)
{
	double got[ROWS];

	poison(EK_F64, got, ROWS);
	expect_status(ek_device_read(on->ctx, on->y[k], got, sizeof got), EK_OK);
	for (int i = 0; i < ROWS; i++)
		if (got[i] != y[k][i])
			fail_msg("%s: y_%d of pair %d is %g; %g is expected", where, i, k, got[i],
			         y[k][i]);
}

static void check_all(const on_device *on, const char *where)
{
	for (int k = 0; k < PAIRS; k++)
		check(on, k, where);
}

static int64_t bytes_from(const ek_context *ctx)
{
	ek_device_counters c = {.size = sizeof c};

	expect_status(ek_device_get_counters(ctx, &c), EK_OK);
	return c.from_device;
}

static bool has_recording(const ek_plan *plan)
{
	bool has = false;

	for (int k = 0; plan->root.gpu && k < EKI_RECORDED; k++)
		has |= plan->root.gpu->recorded[k].commands != NULL;
	return has;
}

/* Tests a method. Returns true if runs were recorded. */
static bool walk(on_device *on, ek_matrix *A, const char *method, const char *text)
{
	const ek_hints hints = {.size = sizeof hints, .method = method},
		       host = {.size = sizeof host, .method = "spmv.csr.serial"};
	ek_plan *plan, *same;
	char where[200];
	int64_t each, before, bytes, read;
	bool recorded;

	snprintf(where, sizeof where, "%s %s", text, method);
	if (ek_plan_create(EK_SPMV, A, &hints, &plan) != EK_OK) /* the format has limits */
		return false;
	expect_status(ek_plan_create(EK_SPMV, A, &host, &same), EK_OK);
	before = launches_on(on->ctx);
	bytes = bytes_from(on->ctx);
	run(on, plan, same, 1, 0, 0);
	each = launches_on(on->ctx) - before;
	read = bytes_from(on->ctx) - bytes;
	for (int k = 1; k < RUNS; k++)
		run(on, plan, same, 1, 0, 0);
	if (launches_on(on->ctx) - before != RUNS * each)
		fail_msg("%s: %d runs of %lld launches count as %lld", where, RUNS, (long long)each,
		         (long long)(launches_on(on->ctx) - before));
	if (bytes_from(on->ctx) - bytes != RUNS * read)
		fail_msg("%s: runs that read %lld bytes count as %lld", where, (long long)read,
		         (long long)(bytes_from(on->ctx) - bytes));
	check(on, 0, where);
	recorded = has_recording(plan);
	/* More pairs than there are recordings, in turn, with y that is read. */
	for (int k = 0; k < RUNS * PAIRS; k++)
		run(on, plan, same, -2, 1, k % PAIRS);
	check_all(on, where);
	for (int k = 0; k < RUNS * EKI_RECORDED; k++)
		run(on, plan, same, k % 2 ? 1 : 3, 1, k % EKI_RECORDED);
	check_all(on, where);
	/* Memory that is freed may come back under the same address. */
	for (int turn = 0; turn < 3; turn++) {
		free_pair(on, 1);
		make_pair(on, 1);
		for (int k = 0; k < RUNS; k++)
			run(on, plan, same, 1, -1, 1);
		check(on, 1, where);
	}
	/* New values */
	for (int turn = 0; turn < 3; turn++) {
		val[turn] += 1;
		expect_status(ek_matrix_values_changed(A), EK_OK);
		for (int k = 0; k < RUNS; k++)
			run(on, plan, same, 1, 0, 2);
		check(on, 2, where);
	}
	if (strcmp(method, "spmv.csr.vector.gpu") == 0) /* a single launch */
		assert_false(recorded);
	ek_plan_destroy(plan);
	ek_plan_destroy(same);
	return recorded;
}

static void test_methods(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++) {
		on_device on = {.ctx = devices.of[k].ctx};
		int recorded = 0, methods = 0;

		if (!on.ctx->device->info.f64)
			continue;
		tape_open(on.ctx);
		for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPMV));) {
			ek_matrix *A = make_matrix(on.ctx);

			for (int p = 0; p < PAIRS; p++)
				make_pair(&on, p);
			recorded += walk(&on, A, ek_method_name(m), devices.of[k].text);
			methods++;
			for (int p = 0; p < PAIRS; p++)
				free_pair(&on, p);
			ek_matrix_destroy(A);
		}
		on.ctx->device->driver = taped.real;
		print_message("  %s: runs of %d of %d methods were recorded\n", devices.of[k].text,
		              recorded, methods);
		assert_true(recorded >= 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods)};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
