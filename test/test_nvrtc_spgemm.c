/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that the kernels of sparse products, sums and transposes compile for CUDA without a
 * warning, in every type, with and without D, for compute_75 and sm_90. Plans on a card of the fake
 * libcuda.so.1, with the real NVRTC, compile what every product needs. Since the fake runs no
 * kernels, it has no rows in bins or classes, so their programs are asked for one by one: of bins,
 * those at the bounds of the groups. */
#include "plan/plan.h"
#include "support/fake.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

#include "spgemm_gpu/csr_bins.h"
#include "spgemm_gpu/hash.h"

static struct fake_cuda *fake;
static char warning[600], where[256];

static void keep_warning(void *user, ek_log_level level, const char *text)
{
	(void)user;
	(void)level;
	if (!*warning)
		snprintf(warning, sizeof warning, "%s", text);
}

static void check(ek_status status, const char *what)
{
	if (status != EK_OK)
		fail_msg("%s: %s: %s", where, what, ek_error_text());
	if (*warning)
		fail_msg("%s: %s: %s", where, what, warning);
	if (*fake->misuse)
		fail_msg("%s: %s: %s", where, what, fake->misuse);
}

/* Compiles programs for bins with the types of a plan. */
static void check_bins(const ek_plan *plan)
{
	static const int heap[] = {2, 17, 32};
	const eki_step *step = &plan->root;
	eki_gpu_bins s = *(eki_gpu_bins *)step->state;
	eki_job job;
	int wg;

	eki_job_begin(step->gpu->device, &job);
	check(eki_gpu_copy_program(&job, step, &s, 1, &wg), "bin 1");
	for (int narrow = 0; narrow < 2; narrow++) {
		s.narrow = narrow;
		for (int k = 0; k < 3; k++)
			check(eki_gpu_heap_program(&job, step, &s, heap[k], &wg), "heap");
		for (int bin = 33; bin <= 36; bin += 3)
			check(eki_gpu_esc_program(&job, step, &s, bin, &wg), "ESC");
	}
	s.merged = s.bins.begin[EKI_BINS] - 1; /* as if the last row were long */
	check(eki_gpu_merge_prepare(&job, step, &s), "merge");
	check(eki_gpu_merge_program(&job, step, &s, s.level_most, false), "largest level");
	check(eki_gpu_merge_program(&job, step, &s, s.level_most, true), "past local memory");
	eki_job_end(&job);
}

/* Compiles the programs of all classes with the types of a plan. */
static void check_classes(const ek_plan *plan)
{
	const eki_step *step = &plan->root;
	const eki_hash_rows *h = step->state;
	eki_job job;
	int group;

	eki_job_begin(step->gpu->device, &job);
	for (int class = EKI_HASH_TABLE; class < h->classes; class ++)
		check(eki_hash_program(&job, step, h, class, &group), "class");
	eki_job_end(&job);
}

/* Compiles what the plans of another operation with a sparse result need. */
static void check_operation(ek_operation op, const ek_matrix *A)
{
	if (!eki_operation_row(op)->limited)
		return;
	for (const ek_method *m = NULL; (m = device_method_next(m, op));) {
		const ek_hints hints = {.size = sizeof hints,
		                        .method = ek_method_name(m),
		                        .B = eki_operation_row(op)->matrices > 1 ? A : NULL};
		ek_plan *plan = NULL;

		snprintf(where, sizeof where, "%s", ek_method_name(m));
		check(ek_plan_create(op, A, &hints, &plan), "plan");
		ek_plan_destroy(plan);
	}
}

static void check_type(ek_context *ctx, ek_value value, ek_index index, bool with_d)
{
	ek_matrix *A;

	expect_status(ek_matrix_generate(ctx, "dense:rows=3,cols=3", value, index, &A), EK_OK);
	for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPGEMM));) {
		if (uses_both(m)) /* it has no kernels of its own */
			continue;
		const ek_hints hints = {.size = sizeof hints,
		                        .method = ek_method_name(m),
		                        .B = A,
		                        .D = with_d ? A : NULL};
		ek_plan *plan = NULL;

		snprintf(where, sizeof where, "%s %s %s%s", ek_method_name(m), ek_value_name(value),
		         ek_index_name(index), with_d ? ", D" : "");
		check(ek_plan_create(EK_SPGEMM, A, &hints, &plan), "plan");
		if (strcmp(ek_method_name(m), "spgemm.csr.bins.gpu") == 0)
			check_bins(plan);
		if (strcmp(ek_method_name(m), "spgemm.csr.hash.gpu") == 0)
			check_classes(plan);
		ek_plan_destroy(plan);
	}
	for (int op = 1; op < EKI_OPERATIONS && !with_d; op++)
		if (op != EK_SPGEMM)
			check_operation((ek_operation)op, A);
	ek_matrix_destroy(A);
}

static void test_types(void **state)
{
	(void)state;
	need_nvrtc();
	for (int c = 0; c < 2; c++) {
		const ek_options o = {.size = sizeof o,
		                      .threads = 1,
		                      .device = c ? "cuda:1" : "cuda:0",
		                      .device_memory = EK_MEMORY_COPY,
		                      .log = keep_warning};
		ek_context *ctx;

		expect_status(ek_context_create(&o, &ctx), EK_OK);
		for (int type = 0; type < EK_NTYPE; type++)
			for (int with_d = 0; with_d < 2; with_d++)
				if (test_tier() > TIER_QUICK || (type + with_d) % 2 == c)
					check_type(ctx, (ek_value)(1 + type / EK_NINDEX),
					           (ek_index)(1 + type % EK_NINDEX), with_d);
		ek_context_destroy(ctx);
	}
	fake_clean("the end");
}

static int setup(void **state)
{
	(void)state;
	fake = fake_cuda_use();
	fake->devices = 2;
	fake->arch[0] = 76; /* NVRTC does not know sm_76, so the target is compute_75 */
	fake->arch[1] = 90;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
	};

	return run_all_tests(tests, setup, NULL);
}

#endif
