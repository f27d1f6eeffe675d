/* SPDX-License-Identifier: BSD-3-Clause
 * A product on the first device of OpenCL. */
#include "plan/plan.h"
#include "support/folder.h"
#include "support/on_device.h"
#include "support/support.h"

static int32_t ptr[ROWS + 1], col[4 * ROWS];
static double val[4 * ROWS], expected[ROWS];
double on_device_x[ROWS];

void on_device_fill(void)
{
	int k = 0;

	for (int i = 0; i < ROWS; i++) {
		on_device_x[i] = i % 7 - 3;
		for (int n = i % 5 == 0 ? 0 : i % 13 == 1 ? 30 : 2; n > 0; n--, k++) {
			col[k] = (i + 3 * n) % ROWS;
			val[k] = k % 9 - 4;
		}
		ptr[i + 1] = k;
	}
	for (int i = 0; i < ROWS; i++)
		for (k = ptr[i]; k < ptr[i + 1]; k++)
			expected[i] += val[k] * on_device_x[col[k]];
}

void paint(double *y)
{
	for (int i = 0; i < ROWS; i++)
		y[i] = PAINT;
}

bool is_right(const double *y)
{
	return memcmp(y, expected, sizeof expected) == 0;
}

bool is_painted(const double *y)
{
	for (int i = 0; i < ROWS; i++)
		if (y[i] != PAINT)
			return false;
	return true;
}

void drop_all(struct all *a)
{
	ek_plan_destroy(a->plan);
	ek_matrix_destroy(a->A);
	ek_context_destroy(a->ctx);
	*a = (struct all){0};
}

ek_status make_all(ek_device_memory memory, struct all *a)
{
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.vector.gpu"};
	ek_options o = heap_options(&heap, 2);

	*a = (struct all){0};
	o.device = "opencl";
	o.device_memory = memory;
	EK_RETURN_IF(ek_context_create(&o, &a->ctx));
	EK_RETURN_IF(ek_matrix_from_csr(a->ctx, EK_F64, EK_I32, ROWS, ROWS, ptr, col, val,
	                                EK_BORROW, &a->A));
	return ek_plan_create(EK_SPMV, a->A, &hints, &a->plan);
}

ek_status multiply_on(const struct all *a, double *y)
{
	const ek_dense xv = ek_vector(EK_F64, ROWS, on_device_x), yv = ek_vector(EK_F64, ROWS, y);

	return ek_spmv(a->plan, 1, &xv, 0, &yv);
}

bool has_memory(int memory)
{
	ek_options o = heap_options(&heap, 2);
	ek_context *ctx;

	o.device = "opencl";
	o.device_memory = (ek_device_memory)memory;
	if (ek_context_create(&o, &ctx) != EK_OK)
		return false;
	ek_context_destroy(ctx);
	return true;
}
