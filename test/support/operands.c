/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/operands.h"
#include "support/support.h"

void operands_make(struct operands *p, const struct shape *a, const struct shape *b,
                   const struct shape *d, ek_value value, ek_index index, ek_context *ctx)
{
	const struct shape *shape[] = {a, b, d};

	*p = (struct operands){.count = d ? 3 : 2, .alpha = -1.5, .beta = 0.75};
	for (int k = 0; k < p->count; k++)
		held_make(&p->h[k], shape[k], HELD_CSR, value, index, 1, ctx);
}

void operands_free(struct operands *p)
{
	for (int k = 0; k < p->count; k++)
		held_free(&p->h[k]);
}

ek_status operands_plan(const struct operands *p, const char *method, int64_t memory,
                        ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = p->h[1].M,
	                        .D = p->count > 2 ? p->h[2].M : NULL,
	                        .memory = memory};

	return ek_plan_create(EK_SPGEMM, p->h[0].M, &hints, plan);
}

static void same(const struct operands *p, ek_plan *plan, ek_plan *right, ek_matrix **C,
                 const char *what)
{
	ek_matrix *R = NULL;
	const char *array;

	expect_status(ek_spgemm(plan, p->alpha, p->beta, C), EK_OK);
	expect_status(ek_spgemm(right, p->alpha, p->beta, &R), EK_OK);
	if ((array = different_array(*C, R)))
		fail_msg("%s: array %s differs, %s", product_where, array, what);
	ek_matrix_destroy(R);
}

void operands_check(struct operands *p, ek_plan *plan)
{
	ek_matrix *C = NULL, *again = NULL;
	ek_plan *right;

	expect_status(operands_plan(p, "spgemm.csr.serial", 0, &right), EK_OK);
	same(p, plan, right, &C, "new C");
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < p->count; k++)
			held_values(&p->h[k], second);
		same(p, plan, right, &C, "new values in an existing C");
	}
	same(p, plan, right, &again, "second new C");
	ek_plan_destroy(right);
	ek_matrix_destroy(C);
	ek_matrix_destroy(again);
}

long long operands_least(void)
{
	const char *text = strstr(ek_error_text(), "at least");
	long long bytes = 0;

	if (!text || sscanf(text, "at least %lld", &bytes) != 1)
		fail_msg("no number in: %s", ek_error_text());
	return bytes;
}
