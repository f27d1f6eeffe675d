/* SPDX-License-Identifier: BSD-3-Clause
 * A square matrix and its square. */
#include "plan/plan.h"
#include "support/held.h"
#include "support/sparse.h"
#include "support/square.h"
#include "support/support.h"

enum { LONG = SQUARE_NNZ - 2 * SQUARE_ROWS };

struct square square;

void square_make(ek_context *ctx)
{
	int32_t at = 0;

	for (int32_t i = 0; i < SQUARE_ROWS; i++) {
		const int n = i < 40 || i >= SQUARE_ROWS - 30 ? 0 : i == SQUARE_ROWS / 2 ? LONG : 2;

		square.ptr[i] = at;
		for (int32_t j = 0; j < n; j++, at++) {
			square.col[at] = n == LONG ? 100 + 20 * j : j ? i + 9 : i - 20;
			square.val[at] = 1 + (i + 3 * j) % 7;
		}
	}
	square.ptr[SQUARE_ROWS] = at;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, SQUARE_ROWS, SQUARE_ROWS, square.ptr,
	                                 square.col, square.val, EK_COPY, &square.A),
	              EK_OK);
}

ek_plan *square_plan(const char *method, bool with_d, int64_t calls, int measure)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = square.A,
	                        .D = with_d ? square.A : NULL,
	                        .calls = calls,
	                        .measure = measure};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, square.A, &hints, &plan), EK_OK);
	return plan;
}

void square_check(ek_plan *plan, bool with_d)
{
	ek_plan *plain = square_plan("csr.serial", with_d, 0, 0);
	ek_matrix *C = NULL, *expected = NULL;

	expect_status(ek_spgemm(plain, 2, -3, &expected), EK_OK);
	for (int again = 0; again < 2; again++) {
		expect_status(ek_spgemm(plan, 2, -3, &C), EK_OK);
		assert_null(different_array(C, expected));
		if (!again) /* these values must be overwritten */
			poison(EK_F64, C->store.array[CSR_VAL], C->store.nnz);
	}
	ek_matrix_destroy(C);
	ek_matrix_destroy(expected);
	ek_plan_destroy(plain);
}
