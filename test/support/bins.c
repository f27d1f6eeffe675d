/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/bins.h"

#include "plan/plan.h"
#include "spgemm/bins.h"
#include "support/held.h"

ek_plan *bins_plan(const ek_matrix *A, const ek_matrix *B, const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method, .B = B};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	return plan;
}

void bins_check(const ek_matrix *A, const ek_matrix *B, const char *method, double alpha,
                char *text, size_t size)
{
	ek_plan *plan = bins_plan(A, B, method), *serial = bins_plan(A, B, "spgemm.csr.serial");
	ek_matrix *C = NULL, *ref = NULL;

	expect_status(ek_spgemm(serial, alpha, 0, &ref), EK_OK);
	for (int again = 0; again < 2; again++) {
		expect_status(ek_spgemm(plan, alpha, 0, &C), EK_OK);
		const char *array = different_array(C, ref);

		if (array)
			fail_msg("%s, run %d: other %s", method, again, array);
	}
	expect_status(ek_plan_explain(plan, text, size), EK_OK);
	ek_matrix_destroy(C);
	ek_matrix_destroy(ref);
	ek_plan_destroy(plan);
	ek_plan_destroy(serial);
}

void bins_check_memory(const ek_matrix *A, const ek_matrix *B, const char *method, double alpha,
                       char *text, size_t size)
{
	char name[64];

	for (int memory = EKI_MEMORY_METHODS; memory > 0; memory--) {
		snprintf(name, sizeof name, "%s:memory=%d", method, memory);
		bins_check(A, B, name, alpha, text, size);
	}
	bins_check(A, B, method, alpha, text, size);
}
