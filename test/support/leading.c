/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/leading.h"
#include "support/support.h"

ek_matrix *leading_part(ek_context *ctx, const ek_matrix *M)
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
