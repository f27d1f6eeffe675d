/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/leading.h"
#include "support/support.h"

/* Makes the leading rows and columns of a matrix of f64 and indices of 32 bits, as many as have few
 * products, with indices of 64 bits. */
static ek_matrix *leading_part(ek_context *ctx, const ek_matrix *M)
{
	enum { PRODUCTS = 60000, ROWS = 3000 };
	ek_view view[3] = {{.size = sizeof *view}, {.size = sizeof *view}, {.size = sizeof *view}};
	static const char *const array[] = {"row_ptr", "col_idx", "val"};
	static int64_t ptr[ROWS + 1], col[PRODUCTS];
	static double val[PRODUCTS];
	int64_t n = 0, nnz = 0, products = 0;
	ek_matrix *part;

	for (int k = 0; k < 3; k++)
		expect_status(ek_matrix_array(M, array[k], &view[k]), EK_OK);
	const int32_t *row_ptr = view[0].data, *col_idx = view[1].data;

	for (; n < ROWS && n < view[0].len - 1 && products < PRODUCTS; n++)
		for (int32_t k = row_ptr[n]; k < row_ptr[n + 1]; k++)
			if (col_idx[k] <= n)
				products += row_ptr[n + 1] - row_ptr[n];
	for (int64_t i = 0; i < n; i++) {
		for (int32_t k = row_ptr[i]; k < row_ptr[i + 1] && nnz < PRODUCTS; k++)
			if (col_idx[k] < n) {
				col[nnz] = col_idx[k];
				val[nnz++] = ((const double *)view[2].data)[k];
			}
		ptr[i + 1] = nnz;
	}
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, n, n, ptr, col, val, EK_COPY, &part),
	              EK_OK);
	return part;
}

void leading_squares(void (*check)(const struct device_context *, const char *, const ek_matrix *))
{
	const int step = test_tier() <= TIER_QUICK ? 6 : 1;
	int k = 1;

	need_device();
	for (const ek_twin *t = NULL; (t = ek_twin_next(t));) {
		const struct device_context *on = &devices.of[k / step % devices.count];
		ek_matrix *twin, *A;
		char spec[64];

		if (!strstr(t->works, "9.2") || k++ % step)
			continue;
		snprintf(spec, sizeof spec, "twin:name=%s", t->name);
		expect_status(ek_matrix_generate(on->ctx, spec, EK_F64, EK_I32, &twin), EK_OK);
		A = leading_part(on->ctx, twin);
		ek_matrix_destroy(twin);
		check(on, t->name, A);
		ek_matrix_destroy(A);
	}
	assert_int_equal(k, 24);
}
