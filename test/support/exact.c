/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/exact.h"
#include "support/support.h"

void check_exact(ek_plan *plan, ek_value value, int64_t cols, const double *x, int64_t rows,
                 const double *y, const char *text)
{
	const size_t size = value == EK_F64 ? 8 : 4;
	void *in = calloc((size_t)cols, size), *out = calloc((size_t)rows, size);
	ek_dense vx = ek_vector(value, cols, in), vy = ek_vector(value, rows, out);

	for (int64_t j = 0; j < cols; j++)
		if (value == EK_F64)
			((double *)in)[j] = x[j];
		else
			((float *)in)[j] = (float)x[j];
	memset(out, 0xff, (size_t)rows * size);
	for (int run = 0; run < 2; run++) {
		expect_status(ek_spmv(plan, 1 + run, &vx, -run, &vy), EK_OK); /* 2 A x - A x */
		for (int64_t i = 0; i < rows; i++) {
			const double is = value == EK_F64 ? ((double *)out)[i] : ((float *)out)[i];

			if (!(is == y[i]))
				fail_msg("%s: y[%lld] is %g, not %g", text, (long long)i, is, y[i]);
		}
	}
	free(in);
	free(out);
}
