/* SPDX-License-Identifier: BSD-3-Clause
 * Checks that reproducible methods still compute the bits that they computed in earlier versions.
 * recorded_bits.def has hashes of their results for fixed inputs, whose magnitudes differ so much
 * that another order of additions nearly always changes the bits. The hashes are those of the
 * library before plans consisted of steps (commit e73819e), or of the first version of a newer
 * method. "auto" stands for the choice among methods. Upgrades may change bits, but not unnoticed:
 * if a method changes them on purpose, record them anew (EK_RECORD=1 prints them), and say so in
 * NEWS. */
#include <stdbool.h>

#include "support/random.h"
#include "support/support.h"

enum {
	ROWS = 611,
	COLS = 14057,
	SHORT = 20, /* other rows have fewer entries */
	LONG = 11000,
	NNZ = ROWS * SHORT + LONG,
	N = 9000, /* entries of an array for primitives; one segment has a third of them */
	WIDTH = 5
};

static const struct recorded {
	const char *method;
	char op; /* N, T, or - for primitives */
	uint64_t f32, f64;
} recorded[] = {
#include "recorded_bits.def"
};

static int32_t row_ptr[ROWS + 1], col_idx[NNZ];
static float val32[NNZ], x32[WIDTH * (ROWS + COLS)];
static double val64[NNZ], x64[WIDTH * (ROWS + COLS)];
static int32_t offset[N + 1];
static int64_t segments;

/* Makes a matrix with empty rows at both ends, one long row, and short rows. Columns ascend in each
 * row. */
static void make_inputs(void)
{
	struct rng r = {2026};
	int32_t k = 0;

	for (int i = 0; i < ROWS; i++) {
		const int n = i < 3 || i > ROWS - 3 ? 0
		              : i == ROWS / 3       ? LONG
		                                    : (int)rng_below(&r, SHORT);
		int col = (int)rng_below(&r, 7);

		row_ptr[i] = k;
		for (int e = 0; e < n && col < COLS; e++, k++) {
			col_idx[k] = col;
			val64[k] = rng_real(&r, 12);
			val32[k] = (float)val64[k];
			col += 1 + (n < SHORT ? (int)rng_below(&r, COLS / SHORT) : 0);
		}
	}
	row_ptr[ROWS] = k;
	for (int i = 0; i < WIDTH * (ROWS + COLS); i++) {
		x64[i] = rng_real(&r, 12);
		x32[i] = (float)x64[i];
	}
	for (int i = 0; i < N; i++)
		if (i == 0 || (i / (N / 3) != 1 && rng_below(&r, 9) == 0))
			offset[segments++] = i;
	offset[segments] = N;
}

/* Adds the bits of an array to a hash, FNV-1a over its 32-bit or 64-bit numbers. */
static uint64_t hash(uint64_t h, ek_value value, const void *data, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		uint64_t bits = 0;
		uint32_t half;

		if (value == EK_F64) {
			memcpy(&bits, (const char *)data + 8 * i, 8);
		} else {
			memcpy(&half, (const char *)data + 4 * i, 4);
			bits = half;
		}
		h = (h ^ bits) * 0x100000001b3;
	}
	return h;
}

/* Returns a hash of the results of a product, or of WIDTH products with a dense block. */
static uint64_t product_hash(ek_context *ctx, const char *name, ek_operation operation, ek_op op,
                             ek_value value)
{
	static double y[WIDTH * (ROWS + COLS)];
	const int64_t in = op == EK_OP_N ? COLS : ROWS, out = op == EK_OP_N ? ROWS : COLS;
	const int64_t width = operation == EK_SPMV ? 1 : WIDTH;
	const void *x = value == EK_F64 ? (const void *)x64 : x32;
	const ek_hints hints = {
		.size = sizeof hints, .method = name, .op = op, .reproducible = EK_REPRO_STRICT};
	const ek_dense X = ek_block(value, in, width, in, EK_COL_MAJOR, x);
	const ek_dense Y = ek_block(value, out, width, out, EK_COL_MAJOR, y);
	ek_matrix *A;
	ek_plan *plan;

	memcpy(y, x, (size_t)(width * out) * ek_value_size(value));
	expect_status(ek_matrix_from_csr(ctx, value, EK_I32, ROWS, COLS, row_ptr, col_idx,
	                                 value == EK_F64 ? (const void *)val64 : val32, EK_BORROW,
	                                 &A),
	              EK_OK);
	expect_status(ek_plan_create(operation, A, &hints, &plan), EK_OK);
	if (operation == EK_SPMV)
		expect_status(ek_spmv(plan, 1.37, &X, -0.61, &Y), EK_OK);
	else
		expect_status(ek_spmm(plan, 1.37, &X, -0.61, &Y), EK_OK);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	return hash(14695981039346656037u, value, y, width * out);
}

/* Computes the dot product of a sparse vector with entries at even indices and a dense vector, or a
 * sparse one with entries at multiples of 3. */
static ek_status dot(ek_context *ctx, const ek_array_options *o, ek_operation operation,
                     ek_value value, void *result)
{
	static int32_t idx[2][N];
	const void *in = value == EK_F64 ? (const void *)val64 : val32;
	const void *other = value == EK_F64 ? (const void *)x64 : x32;
	const ek_sparse x = ek_sparse_vector(value, EK_INT32, 3 * N, N, idx[0], in);
	const ek_sparse y = ek_sparse_vector(value, EK_INT32, 3 * N, N, idx[1], other);
	const ek_dense dense = ek_vector(value, 3 * N, other);

	for (int32_t k = 0; k < N; k++) {
		idx[0][k] = 2 * k;
		idx[1][k] = 3 * k;
	}
	return operation == EK_SPARSE_DOT ? ek_sparse_dot(ctx, o, &x, &y, result)
	                                  : ek_sparse_dot_dense(ctx, o, &x, &dense, result);
}

/* Returns a hash of the results of a primitive that adds. */
static uint64_t array_hash(ek_context *ctx, const char *name, ek_operation operation,
                           ek_value value)
{
	static double out[N];
	const ek_array_options o = {.size = sizeof o, .method = name};
	const ek_segments s = ek_segment_offsets(segments, EK_INT32, offset);
	const void *in = value == EK_F64 ? (const void *)val64 : val32;
	ek_status status = EK_EINVAL;

	memset(out, 0, sizeof out);
	switch (operation) {
	case EK_REDUCE: status = ek_reduce(ctx, &o, value, EK_SUM, N, in, out); break;
	case EK_SCAN: status = ek_scan(ctx, &o, value, EK_SUM, EK_INCLUSIVE, N, in, out); break;
	case EK_SEGMENTED_SCAN:
		status = ek_segmented_scan(ctx, &o, value, EK_SUM, EK_INCLUSIVE, N, in, &s, out);
		break;
	case EK_SEGMENTED_SUM: status = ek_segmented_sum(ctx, &o, value, N, in, &s, out); break;
	case EK_SPARSE_DOT:
	case EK_SPARSE_DOT_DENSE: status = dot(ctx, &o, operation, value, out); break;
	default: break; /* sorting, merging and sets do not add: their results are exact */
	}
	expect_status(status, EK_OK);
	return hash(14695981039346656037u, value, out, N);
}

static const struct recorded *find(const char *method, char op)
{
	for (size_t k = 0; k < sizeof recorded / sizeof *recorded; k++)
		if (strcmp(recorded[k].method, method) == 0 && recorded[k].op == op)
			return &recorded[k];
	return NULL;
}

static void check(const char *method, char op, const uint64_t now[2])
{
	const struct recorded *r = find(method, op);

	if (getenv("EK_RECORD")) {
		print_message("{\"%s\", '%c', 0x%016llx, 0x%016llx},\n", method, op,
		              (unsigned long long)now[0], (unsigned long long)now[1]);
		return;
	}
	if (!r)
		fail_msg("%s op %c is reproducible, but recorded_bits.def has no hash", method, op);
	if (r->f32 != now[0] || r->f64 != now[1])
		fail_msg("%s op %c: other bits than recorded (%s)", method, op,
		         r->f32 != now[0] ? "f32" : "f64");
}

/* Tells whether a primitive adds many floats. */
static bool adds(ek_operation operation)
{
	return (operation >= EK_REDUCE && operation <= EK_SEGMENTED_SUM) ||
	       operation == EK_SPARSE_DOT || operation == EK_SPARSE_DOT_DENSE;
}

static void test_bits(void **state)
{
	const ek_value value[2] = {EK_F32, EK_F64};
	size_t checked = 0;
	ek_context *ctx;

	(void)state;
	make_inputs();
	assert_true(row_ptr[ROWS] > N);
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	for (const ek_method *m = NULL; (m = any_processor_method_next(m));) {
		const ek_operation operation = ek_method_operation(m);
		const char *name = ek_method_name(m);
		uint64_t now[2];

		if (strcmp(ek_method_device(m), "cpu") != 0)
			continue;
		for (int op = 0; op < 2 && (operation == EK_SPMV || operation == EK_SPMM); op++) {
			if (!ek_method_supports(m, op ? EK_OP_T : EK_OP_N, EK_REPRO_STRICT))
				continue;
			for (int v = 0; v < 2; v++)
				now[v] = product_hash(ctx, name, operation, op ? EK_OP_T : EK_OP_N,
				                      value[v]);
			check(name, op ? 'T' : 'N', now);
			checked++;
		}
		if (!adds(operation) || !ek_method_supports(m, (ek_op)0, EK_REPRO_STRICT))
			continue;
		for (int v = 0; v < 2; v++)
			now[v] = array_hash(ctx, name, operation, value[v]);
		check(name, '-', now);
		checked++;
	}
	for (int k = 0; k < 4; k++) {
		const ek_operation operation = k < 2 ? EK_SPMV : EK_SPMM;
		uint64_t now[2];

		for (int v = 0; v < 2; v++)
			now[v] = product_hash(ctx, "auto", operation, k & 1 ? EK_OP_T : EK_OP_N,
			                      value[v]);
		check(k < 2 ? "spmv.auto" : "spmm.auto", k & 1 ? 'T' : 'N', now);
		checked++;
	}
	ek_context_destroy(ctx);
	if (!getenv("EK_RECORD"))
		assert_int_equal(checked, sizeof recorded / sizeof *recorded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
