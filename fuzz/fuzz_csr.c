/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzzes CSR arrays that a caller passes. If ek_matrix_from_csr accepts the arrays, every method
 * must multiply with them safely, and the results must be exact, since all numbers are small
 * integers. The first three bytes of the input are the number of rows, the number of columns, and
 * choices (types, threads, whether row lengths can be negative). The row lengths follow, then the
 * columns. */
#include "harness.h"

struct csr_input {
	int rows, cols, entries;
	int64_t ptr[66], col[300];
	ek_value value;
	ek_index index;
};

static int csr_parse(struct csr_input *in, const uint8_t *data, size_t size)
{
	size_t at = 3;
	int64_t sum = 0;

	if (size < 3)
		return 0;
	in->rows = data[0] % 65;
	in->cols = data[1] % 65;
	in->value = data[2] & 1 ? EK_F32 : EK_F64;
	in->index = (ek_index)(1 + (data[2] >> 1) % 3);
	for (int i = 0; i <= in->rows; i++) {
		in->ptr[i] = sum;
		if (at < size && i < in->rows)
			sum += data[2] & 128 ? (int8_t)data[at++] : data[at++] % 8;
	}
	/* The arrays must have as many entries as the last row pointer says. No check can detect
	 * arrays that are shorter, so such inputs are skipped. */
	if (in->ptr[in->rows] > 300)
		return 0;
	in->entries = (int)(size - at < 300 ? size - at : 300);
	for (int k = 0; k < 300; k++)
		in->col[k] = k < in->entries ? (int8_t)data[at + (size_t)k] : 0;
	return 1;
}

static double csr_get(ek_value value, const void *v, int64_t i)
{
	return value == EK_F64 ? ((const double *)v)[i] : (double)((const float *)v)[i];
}

static void csr_set(ek_value value, void *v, int64_t i, double to)
{
	if (value == EK_F64)
		((double *)v)[i] = to;
	else
		((float *)v)[i] = (float)to;
}

static void csr_compare(const struct csr_input *in, const ek_matrix *A, ek_op op, const void *val)
{
	double x[65], expected[65] = {0}, vx[65] = {0}, vy[65];
	int nx = op == EK_OP_N ? in->cols : in->rows, ny = op == EK_OP_N ? in->rows : in->cols;
	ek_dense dx = ek_vector(in->value, nx, vx), dy = ek_vector(in->value, ny, vy);

	for (int j = 0; j < nx; j++) {
		x[j] = j % 5 - 2;
		csr_set(in->value, vx, j, x[j]);
	}
	for (int i = 0; i < in->rows; i++)
		for (int64_t k = in->ptr[i]; k < in->ptr[i + 1]; k++) {
			double a = csr_get(in->value, val, k);

			if (op == EK_OP_N)
				expected[i] += a * x[in->col[k]];
			else
				expected[in->col[k]] += a * x[i];
		}
	for (const ek_method *m = ek_method_next(NULL); m; m = ek_method_next(m)) {
		if (ek_method_operation(m) != EK_SPMV || strcmp(ek_method_device(m), "cpu") != 0)
			continue;
		ek_hints hints = {.size = sizeof hints, .method = ek_method_name(m), .op = op};
		ek_plan *plan = NULL;
		ek_status status = ek_plan_create(EK_SPMV, A, &hints, &plan);

		fuzz_require(status == EK_OK || status == EK_EUNSUPPORTED || status == EK_ENOMEM,
		             "no plan");
		if (status != EK_OK)
			continue;
		fuzz_require(ek_spmv(plan, 1, &dx, 0, &dy) == EK_OK, "no product");
		for (int i = 0; i < ny; i++)
			fuzz_require(csr_get(in->value, vy, i) == expected[i], ek_method_name(m));
		ek_plan_destroy(plan);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct csr_input in;
	struct fuzz_memory memory;
	int32_t ptr32[66], col32[300];
	double val[300];
	ek_matrix *A = NULL;

	if (!csr_parse(&in, data, size))
		return 0;
	ek_context *ctx = fuzz_context(&memory, data[2] & 64 ? 3 : 1);

	for (int i = 0; i <= in.rows; i++)
		ptr32[i] = (int32_t)in.ptr[i];
	for (int k = 0; k < 300; k++) {
		col32[k] = (int32_t)in.col[k];
		csr_set(in.value, val, k, k % 9 - 4);
	}
	if (ek_matrix_from_csr(ctx, in.value, in.index, in.rows, in.cols,
	                       in.index == EK_I32 ? (void *)ptr32 : (void *)in.ptr,
	                       in.index == EK_I64 ? (void *)in.col : (void *)col32, val, EK_BORROW,
	                       &A) == EK_OK) {
		csr_compare(&in, A, EK_OP_N, val);
		csr_compare(&in, A, EK_OP_T, val);
	}
	ek_matrix_destroy(A);
	fuzz_close(&memory, ctx);
	return 0;
}
