/* SPDX-License-Identifier: BSD-3-Clause
 * Repeats a session on a CUDA device of the fake libcuda.so.1 while the n-th driver call fails, for
 * n = 0, 1, ... until the session ends before call n. This is done twice: first only call n fails,
 * then all calls after it too. Each failure must give the right status and a message that names the
 * call, leave nothing on the device or in memory, and change no outputs. */
#define _POSIX_C_SOURCE 200809L
#include "gpu/gpu.h"
#include "support/fake.h"
#include "support/folder.h"
#include "support/small.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct fake_cuda *fake;

struct session {
	ek_device_memory memory;
	bool counted;       /* whether `heap` counts the memory of the host */
	const char *method; /* method of the plans, or NULL for a session without plans */
	struct heap heap;
	ek_context *ctx;
	void *x, *y; /* vectors on the device */
	ek_matrix *A;
	ek_plan *plan;
};

static ek_status host_product(struct session *s, double beta)
{
	double x[2] = {1, 2}, y[3], before[3];
	const ek_dense of_x = ek_vector(EK_F64, 2, x), of_y = ek_vector(EK_F64, 3, y);
	ek_status status;

	poison(EK_F64, y, 3);
	memcpy(before, y, sizeof y);
	status = ek_spmv(s->plan, 2, &of_x, beta, &of_y);
	/* Both sides write to y. */
	if (strstr(s->method, "split"))
		return status;
	if (status != EK_OK && memcmp(before, y, sizeof y) != 0)
		fail_msg("y was written: %s", ek_error_text());
	return status;
}

static ek_status device_product(struct session *s, double alpha)
{
	ek_dense of_x = ek_vector(EK_F64, 2, s->x), of_y = ek_vector(EK_F64, 3, s->y);

	of_x.where = of_y.where = EK_ON_DEVICE;
	return ek_spmv(s->plan, alpha, &of_x, 0.5, &of_y);
}

static ek_status vectors(struct session *s)
{
	double room[3] = {7, 7, 7}, seconds = -1;
	ek_status status;

	EK_RETURN_IF(ek_device_alloc(s->ctx, 2 * sizeof *room, &s->x));
	EK_RETURN_IF(ek_device_alloc(s->ctx, sizeof room, &s->y));
	EK_RETURN_IF(ek_device_timer_start(s->ctx));
	EK_RETURN_IF(ek_device_write(s->ctx, s->x, room, 2 * sizeof *room));
	status = ek_device_read(s->ctx, s->y, room, sizeof room);
	for (int k = 0; k < 3; k++)
		if (room[k] != (status == EK_OK ? 0 : 7))
			fail_msg("entry %d is %g with status %d", k, room[k], (int)status);
	EK_RETURN_IF(status);
	status = ek_device_timer_stop(s->ctx, &seconds);
	if (seconds != (status == EK_OK ? 0.0015 : -1) && !(seconds > 0.00149 && seconds < 0.0016))
		fail_msg("%g seconds", seconds);
	return status;
}

static ek_status products(struct session *s)
{
	const ek_hints hints = {.size = sizeof hints, .method = s->method};

	EK_RETURN_IF(small_make(s->ctx, &s->A));
	EK_RETURN_IF(ek_plan_create(EK_SPMV, s->A, &hints, &s->plan));
	EK_RETURN_IF(host_product(s, 0));
	EK_RETURN_IF(host_product(s, 1));
	for (int k = 0; k < 10; k++) /* the eighth is recorded */
		EK_RETURN_IF(device_product(s, 1));
	EK_RETURN_IF(device_product(s, 0));
	EK_RETURN_IF(ek_matrix_values_changed(s->A));
	EK_RETURN_IF(host_product(s, 0));
	return ek_device_wait(s->ctx);
}

static ek_status all_of_it(struct session *s)
{
	EK_RETURN_IF(fake_context("cuda", s->memory, s->counted ? &s->heap : NULL, &s->ctx));
	EK_RETURN_IF(vectors(s));
	return s->method ? products(s) : EK_OK;
}

/* Tells whether the session's method tries another way if there is no memory on the device. */
static bool tries_again(const struct session *s)
{
	return s->method && strstr(s->method, "share=");
}

/* Tells whether the session may succeed although `call` failed. A program that cannot be loaded,
 * even for lack of shared memory, is compiled again. If there is no memory for 16-bit columns, they
 * are left out; if there is none for a matrix, it may go to the device in batches. Jobs, by which
 * panels are made, ask for memory twice. Memory that cannot be pinned is copied all the same. Runs
 * that cannot be recorded are done all the same. */
static bool may_fail(const struct session *s, const char *call)
{
	static const char *const any[] = {
		"cuModuleLoadDataEx", "cuMemHostRegister_v2", "cuStreamBeginCapture_v2",
		"a captured command", "cuStreamEndCapture",   "cuGraphInstantiateWithFlags",
		"cuGraphLaunch"};
	const bool memory = strncmp(call, "cuMemAlloc", 10) == 0;

	for (size_t k = 0; k < sizeof any / sizeof *any; k++)
		if (strcmp(call, any[k]) == 0)
			return true;
	return (strcmp(call, "cuStreamCreate") == 0 && s->plan) || (tries_again(s) && memory) ||
	       (!s->counted && strcmp(call, "cuMemAllocManaged") == 0) ||
	       (s->method && memory &&
	        (strstr(s->method, "columns=16") || strstr(s->method, "panels")));
}

static void check_failure(const struct session *s, ek_status status, const char *what)
{
	const bool memory = strncmp(fake->failed, "cuMemAlloc", 10) == 0;

	if (status != (memory ? EK_ENOMEM : EK_EDEVICE) &&
	    !(fake->persistent && !memory && status == EK_ENOMEM) &&
	    !(fake->persistent && tries_again(s) && status == EK_EDEVICE))
		fail_msg("%s: %s failed, status %d: %s", what, fake->failed, (int)status,
		         ek_error_text());
	/* If all calls fail from one on without which the session goes on, the message names one of
	 * these. If a later call failed too, during cleaning up, it may name the last failed call.
	 * If the shared heap failed, it has the size asked for, but no call. */
	if (fake->persistent && may_fail(s, fake->failed) &&
	    strstr(ek_error_text(), "failed: CUDA_ERROR_UNKNOWN"))
		return;
	if (!strstr(ek_error_text(), fake->failed) && !strstr(ek_error_text(), fake->last_failed) &&
	    !strstr(ek_error_text(), "no memory for"))
		fail_msg("%s: %s failed, message: %s", what, fake->failed, ek_error_text());
}

/* Runs a session in which call n fails and, if `persistent`, all calls after it. Tells whether the
 * session made call n, so that n + 1 must be tried too. */
static bool session(struct session like, long n, bool persistent)
{
	struct session s = like;
	const char *failed;
	char what[80];
	ek_status status;
	long calls;

	snprintf(what, sizeof what, "memory %d, call %ld%s", (int)s.memory, n,
	         persistent ? " and all after it" : "");
	heap_fail(&s.heap, -1, false);
	fake->calls = 0;
	fake->failed = NULL;
	fake->persistent = persistent;
	fake->fail_at = n;
	status = all_of_it(&s);
	calls = fake->calls;
	failed = fake->failed;
	if (status != EK_OK && fake->failed)
		check_failure(&s, status, what);
	else if (status != EK_OK)
		fail_msg("%s: %s", what, ek_error_text());
	else if (failed && !may_fail(&s, failed))
		fail_msg("%s: %s failed, and nobody noticed", what, failed);
	ek_plan_destroy(s.plan);
	ek_matrix_destroy(s.A);
	if (s.ctx) {
		ek_device_free(s.ctx, s.x);
		ek_device_free(s.ctx, s.y);
	}
	ek_context_destroy(s.ctx);
	fake->fail_at = -1;
	fake_clean(what);
	if (s.counted)
		heap_close(&s.heap);
	return n < calls;
}

static void fail_each(struct session like)
{
	for (int persistent = 0; persistent < 2; persistent++) {
		long n = 0, graphs;

		session(like, -1, false); /* without failures, to fill the program folder */
		graphs = fake->graphs;
		session(like, -1, false);
		if (like.method && strcmp(like.method, "spmv.bccoo.gpu") == 0)
			assert_int_equal(fake->graphs, graphs + 3); /* runs 8 to 10 */
		if (like.method && strcmp(like.method, "spmv.csr.vector.gpu") == 0)
			assert_int_equal(fake->graphs, graphs); /* one launch */
		while (session(like, n, persistent))
			n++;
		print_message("  memory %d%s: %ld calls\n", (int)like.memory,
		              like.counted ? "" : " and heap", n);
	}
}

static void fail_all(const char *method)
{
	fail_each((struct session){EK_MEMORY_COPY, .counted = true, .method = method});
	fail_each((struct session){EK_MEMORY_SHARED, .counted = true, .method = method});
	fail_each((struct session){EK_MEMORY_SHARED, .counted = false, .method = method});
}

static void test_failures(void **state)
{
	(void)state;
	fail_all(NULL);
}

static void test_failures_of_plans(void **state)
{
	/* One method with a single launch, three methods with several launches and with arrays made
	 * on the device, three methods for other formats, two whose children have the parts of A,
	 * and two that copy in the second queue, one of them beside kernels. */
	static const char *const methods[] = {"spmv.csr.vector.gpu",
	                                      "spmv.csr.classes.gpu:columns=16",
	                                      "spmv.csr.patterns.gpu:columns=16",
	                                      "spmv.csr.panels.gpu:width=32",
	                                      "spmv.scoo.gpu",
	                                      "spmv.bccoo.gpu",
	                                      "spmv.csr5.gpu",
	                                      "spmv.hyb.gpu",
	                                      "spmv.cocktail.gpu",
	                                      "spmv.csr.batches.gpu:batch=64",
	                                      "spmv.csr.split.gpu:share=400,chunks=2"};

	(void)state;
	need_nvrtc();
	setenv("EK_CACHE", folder, 1);
	for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
		fail_all(methods[k]);
	setenv("EK_CACHE", "off", 1);
}

static int setup(void **state)
{
	unsetenv("EK_METHOD");
	fake = fake_cuda_use();
	return folder_setup(state);
}

static int teardown(void **state)
{
	folder_empty(".program");
	return folder_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_failures_of_plans),
	};

	return run_all_tests(tests, setup, teardown);
}

#endif
