/* SPDX-License-Identifier: BSD-3-Clause
 * Tests formats of dense blocks: all 64 block sizes, NaN and infinity in x where blocks have fill,
 * and the size chosen if none is given. */
#include <math.h>
#include <string.h>

#include "plan/plan.h"
#include "format/block_size.h"
#include "support/contexts.h"
#include "support/product.h"

static const char *const formats[] = {"bcsr:",           "bcoo:", "bccoo:", "bccoo:deltas=1,",
                                      "bccoo:deltas=2,", "bell:", "sbell:", "sbell:h=11,"};
enum { FORMATS = sizeof formats / sizeof *formats, SIZES = BLOCK_MOST * BLOCK_MOST };

static ek_matrix *blocked(const ek_matrix *A, const char *format, int size)
{
	const ek_convert_options o = {.size = sizeof o, .max_bytes = -1};
	ek_matrix *B;
	char text[40];

	snprintf(text, sizeof text, "%sr=%d,c=%d", format, size / BLOCK_MOST + 1,
	         size % BLOCK_MOST + 1);
	expect_status(ek_matrix_convert(A, text, &o, &B), EK_OK);
	expect_status(ek_matrix_check(B), EK_OK);
	return B;
}

static void check_size(struct product *p, ek_context *ctx, ek_index index, const char *format,
                       int size)
{
	ek_matrix *A, *B;

	snprintf(product_where, sizeof product_where,
	         "%s, size %d, %s/%s, shape %s, %s, %d threads", format, size,
	         ek_value_name(p->value), ek_index_name(index), p->A.name, ek_isa_name(ctx->isa),
	         ctx->threads);
	expect_status(product_matrix(p, ctx, HELD_CSR, index, 0, &A), EK_OK);
	B = blocked(A, format, size);
	for (int op = 0; op < 2; op++) {
		const ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
		char text[400];
		const void *y;
		ek_plan *plan;

		expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
		for (int k = 0; k < 4; k++) {
			const struct run run = {.op = op,
			                        .x = k & 1,
			                        .alpha = k ? -1 : 2,
			                        .beta = k % 3 ? 0 : 0.5,
			                        .at_end = k / 2};

			if (!product_run(p, &contexts.heap, plan, &run, &y, text, sizeof text))
				fail_msg("%s: %s", product_where, text);
		}
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

static void test_sizes(void **state)
{
	static const char *const names[] = {"mixed", "blocked", "interleaved", "banded"};

	(void)state;
	for (int shape = 0, turn = 0; shape < shape_count(); shape++)
		for (int which = 0; which < 2 * 4; which++) {
			struct product p;

			if (strcmp(shape_name(shape), names[which / 2]) != 0)
				continue;
			product_make(&p, shape, which % 2 ? DATA_REAL : DATA_EXACT,
			             turn % 2 ? EK_F32 : EK_F64, which);
			for (int k = 0; k < FORMATS * SIZES; k++, turn++)
				check_size(&p, contexts_turn(turn), (ek_index)(1 + turn % 3),
				           formats[k / SIZES], k % SIZES);
			product_free(&p);
		}
}

/* Checks that NaN or Inf in x_j reaches only those y_i whose rows have an entry in column j. */
static void test_leak(void **state)
{
	int turn = 0;

	(void)state;
	for (int level = 0; level < contexts.levels; level++) {
		ek_matrix *A;

		expect_status(ek_matrix_generate(contexts.of[level][0],
		                                 "uniform:rows=45,cols=45,k=4,values=integer",
		                                 EK_F64, EK_I32, &A),
		              EK_OK);
		for (int size = 0; size < SIZES; size++, turn++)
			for (int op = 0; op < 2; op++) {
				ek_matrix *B = blocked(A, formats[turn % FORMATS], size);
				char what[80];

				snprintf(what, sizeof what, "%s, size %d", formats[turn % FORMATS],
				         size);
				check_leak(A, B, op ? EK_OP_T : EK_OP_N, turn % 2 ? NAN : INFINITY,
				           1, what);
				ek_matrix_destroy(B);
			}
		ek_matrix_destroy(A);
	}
}

enum { LINES = 21, MOST_COLS = 45 };

/* Computes y = op(A) x for columns [first, last) of a full matrix, as a matrix of `cols` columns in
 * blocks. Columns beyond `last` are empty. */
static void multiply_columns(ek_context *ctx, double (*val)[MOST_COLS], int first, int last,
                             int cols, const char *format, int size, ek_op op, const double *x,
                             double *y)
{
	const ek_hints hints = {.size = sizeof hints, .op = op};
	const ek_dense X = ek_vector(EK_F64, op == EK_OP_N ? cols : LINES, x);
	const ek_dense Y = ek_vector(EK_F64, op == EK_OP_N ? LINES : cols, y);
	int32_t ptr[LINES + 1] = {0}, col[LINES * MOST_COLS], k = 0;
	double entries[LINES * MOST_COLS];
	ek_matrix *A, *B;
	ek_plan *plan;

	for (int i = 0; i < LINES; i++) {
		for (int j = first; j < last; j++, k++) {
			col[k] = j - first;
			entries[k] = val[i][j];
		}
		ptr[i + 1] = k;
	}
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, LINES, cols, ptr, col, entries, 0, &A),
		EK_OK);
	B = blocked(A, format, size);
	expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
	expect_status(ek_spmv(plan, 1, &X, 0, &Y), EK_OK);
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

/* Checks that a block which reaches beyond the last column gives the same bits as a block that does
 * not, whose last columns are empty. For op N its sums are added to those of the others. */
static void check_beyond(ek_context *ctx, const char *format, int size, double (*val)[MOST_COLS],
                         const double *x)
{
	const int c = size % BLOCK_MOST + 1, whole = MOST_COLS / c * c;
	double last[BLOCK_MOST] = {0}, y[LINES], part[2][LINES], y_t[MOST_COLS],
	       want[2 * MOST_COLS];

	for (int j = whole; j < MOST_COLS; j++)
		last[j - whole] = x[j];
	multiply_columns(ctx, val, 0, MOST_COLS, MOST_COLS, format, size, EK_OP_N, x, y);
	multiply_columns(ctx, val, 0, whole, whole, format, size, EK_OP_N, x, part[0]);
	multiply_columns(ctx, val, whole, MOST_COLS, c, format, size, EK_OP_N, last, part[1]);
	for (int i = 0; i < LINES; i++)
		part[0][i] += part[1][i];
	if (memcmp(y, part[0], sizeof y) != 0)
		fail_msg("%s, size %d, %s: bits of A x", format, size, ek_isa_name(ctx->isa));
	multiply_columns(ctx, val, 0, MOST_COLS, MOST_COLS, format, size, EK_OP_T, x, y_t);
	multiply_columns(ctx, val, 0, whole, whole, format, size, EK_OP_T, x, want);
	multiply_columns(ctx, val, whole, MOST_COLS, c, format, size, EK_OP_T, x, want + whole);
	if (memcmp(y_t, want, sizeof y_t) != 0)
		fail_msg("%s, size %d, %s: bits of A^T x", format, size, ek_isa_name(ctx->isa));
}

static void test_beyond(void **state)
{
	double val[LINES][MOST_COLS], x[MOST_COLS];
	struct rng r = {11};

	(void)state;
	for (int j = 0; j < MOST_COLS; j++) {
		x[j] = rng_real(&r, 4);
		for (int i = 0; i < LINES; i++)
			val[i][j] = rng_real(&r, 4);
	}
	for (int level = 0; level < contexts.levels; level++)
		for (int k = 0; k < 3 * SIZES; k++) /* others sum in windows, or otherwise */
			if (MOST_COLS % (k % BLOCK_MOST + 1))
				check_beyond(contexts.of[level][0], formats[k / SIZES], k % SIZES,
				             val, x);
}

/* Checks the block size that the format chooses: a multiple of r high, and of c wide. */
static void check_choice(const char *spec, const char *format, int r, int c)
{
	ek_matrix *A, *B;

	expect_status(
		ek_matrix_generate(contexts.of[contexts.levels - 1][0], spec, EK_F64, EK_I32, &A),
		EK_OK);
	expect_status(ek_matrix_convert(A, format, NULL, &B), EK_OK);
	if (B->store.dim[BLOCK_R] % r || B->store.dim[BLOCK_C] % c)
		fail_msg("%s of %s has blocks of %lld x %lld", format, spec,
		         (long long)B->store.dim[BLOCK_R], (long long)B->store.dim[BLOCK_C]);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

static void test_choice(void **state)
{
	(void)state;
	check_choice("dense:rows=160,cols=160", "bcsr", 8, 8);
	check_choice("fem:nx=9,ny=9,nz=19,dof=3", "bccoo", 3, 3);
	check_choice("fem:nx=9,ny=9,nz=19,dof=5", "bcoo", 5, 5);
	check_choice("fem:nx=9,ny=9,nz=19,dof=3", "bcsr:r=6", 6, 3);
	check_choice("fem:nx=9,ny=9,nz=19,dof=3", "bcsr:c=2", 1, 2);
	check_choice("uniform:rows=50,cols=50,k=0", "bccoo", 1, 1);
}

/* Checks that the estimate of the number of blocks is near the number that the layout has, for each
 * height and for each width, with the other dimension that is chosen for it. */
static void check_estimate(const char *source)
{
	ek_context *ctx = contexts.of[contexts.levels - 1][0];
	ek_matrix *A;

	expect_status(ek_matrix_generate(ctx, source, EK_F64, EK_I32, &A), EK_OK);
	for (int k = 0; k < 2 * BLOCK_MOST; k++) {
		int64_t dim[EKI_MAX_DIMS] = {0};
		ek_store out = {0};
		double estimate, blocks;

		dim[k % 2 ? BLOCK_C : BLOCK_R] = k / 2 + 1;
		estimate = eki_block_choose(ctx, &A->store, dim);
		expect_status(eki_format_look(ctx, &A->store, &ek_format_bcsr, dim, -1, &out),
		              EK_OK);
		blocks = (double)out.len[BLOCK_COL];
		if (fabs(estimate - blocks) > 0.15 * blocks)
			fail_msg("%s: blocks of %d x %d: %.0f estimated, %.0f there", source,
			         (int)dim[BLOCK_R], (int)dim[BLOCK_C], estimate, blocks);
	}
	ek_matrix_destroy(A);
}

static void test_estimate(void **state)
{
	(void)state;
	check_estimate("fem:nx=9,ny=9,nz=19,dof=2");
	check_estimate("fem:nx=9,ny=9,nz=19,dof=3");
	check_estimate("fem:nx=7,ny=7,nz=11,dof=7");
	check_estimate("uniform:rows=20000,cols=20000,k=9");
	check_estimate("lp:rows=300,cols=90000,mean=300,max=9000");
}

/* Checks that rows whose columns do not ascend give a number, which the choice does not use. */
static void test_unsorted(void **state)
{
	ek_context *ctx = contexts.of[contexts.levels - 1][0];
	int32_t ptr[] = {0, 3, 6}, col[] = {900, 1, 2, 900, 2, 1};
	double val[6] = {1, 2, 3, 4, 5, 6}, blocks;
	int64_t dim[EKI_MAX_DIMS] = {0};
	ek_matrix *A;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 1000, ptr, col, val, 0, &A),
	              EK_OK);
	blocks = eki_block_choose(ctx, &A->store, dim);
	assert_true(blocks >= 0 && blocks < 1000);
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),    cmocka_unit_test(test_leak),
		cmocka_unit_test(test_choice),   cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_unsorted), cmocka_unit_test(test_beyond),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
