/* SPDX-License-Identifier: BSD-3-Clause
 * Tests spmv.csr.speculative.gpu with tiles so small that a few rows have many tiles. Matrices have
 * every pattern of short, long and empty rows, and the edge cases of support/lengths.c, in every
 * type and kind of memory. Every run must give the same bits, although dirty tiles (those with
 * empty rows) finish in any order. Also tests the number of bytes copied, and refused
 * parameters. */
#include <stdio.h>

#include "support/lengths.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct lengths m;
static struct rng rng = {5};

/* Methods with tiles of 1 to 8 entries, bunches of 1 to 16 entries and groups of 1 to 3 bunches.
 * The last one has larger sizes, as on a graphics card. */
static const char *const cut[] = {
	"spmv.csr.speculative.gpu:t=1,w=1,b=1,s=1", "spmv.csr.speculative.gpu:t=2,w=1,b=1,s=2",
	"spmv.csr.speculative.gpu:t=1,w=2,b=3,s=2", "spmv.csr.speculative.gpu:t=2,w=2,b=2,s=2",
	"spmv.csr.speculative.gpu:t=3,w=1,b=2,s=3", "spmv.csr.speculative.gpu:t=4,w=2,b=1,s=2",
	"spmv.csr.speculative.gpu:t=32,w=4,b=5,s=7"};
enum { CUTS = sizeof cut / sizeof *cut, SMALL_CUTS = CUTS - 1 };

/* ---- Every pattern --------------------------------------------------------------------------- */

/* Checks matrices of 4 rows (6 in higher tiers), with every combination of the row lengths 0, 1, 2
 * and 7. */
static void every_pattern(ek_context *ctx, eki_memory memory)
{
	static const int length[] = {0, 1, 2, 7};
	const int rows = test_tier() <= TIER_QUICK ? 4 : 6;
	int turn = 0;

	for (int64_t number = 1; number < 1 << 2 * rows; number++) {
		int len[6];

		for (int i = 0; i < rows; i++)
			len[i] = length[number >> 2 * i & 3];
		lengths_make(&m, rows, len, &rng);
		for (int k = 0; k < SMALL_CUTS; k++, turn++)
			if (memory == EKI_MEMORY_COPY || turn % 7 == 0)
				lengths_check(
					&m, ctx,
					&(struct lengths_run){cut[k], turn % 5 ? EK_F64 : EK_F32,
				                              EK_I32, EK_OP_N, 1, 0, false, 1});
	}
}

static void test_every_pattern(void **state)
{
	(void)state;
	each_device(every_pattern);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static void one_edge(ek_context *ctx, const char *method, int turn)
{
	static const double pair[][2] = {{1, 0}, {1, 1}, {-2, 0.5}, {0.5, -1}, {2, 0}};

	for (int value = EK_F32; value <= EK_F64; value++)
		for (int index = EK_I32; index <= EK_I64; index++, turn++)
			lengths_check(&m, ctx,
			              &(struct lengths_run){
					      method, (ek_value)value, (ek_index)index,
					      turn % 4 == 3 ? EK_OP_T : EK_OP_N, pair[turn % 5][0],
					      pair[turn % 5][1], turn % 3 == 0, 3});
}

static void edges(ek_context *ctx, eki_memory memory)
{
	(void)memory;
	for (int k = 0; lengths_edge(&m, k, &rng); k++) {
		one_edge(ctx, "spmv.csr.speculative.gpu:t=2,w=2,b=2,s=2", 3 * k);
		one_edge(ctx,
		         k % 2 ? "spmv.csr.speculative.gpu:t=16,w=1,b=2,s=2"
		               : "spmv.csr.speculative.gpu",
		         k);
	}
}

static void test_edges(void **state)
{
	(void)state;
	each_device(edges);
}

/* ---- Bits and bytes -------------------------------------------------------------------------- */

enum { SCALE = 14, LENGTH = 1 << SCALE, RUNS = 12 };

/* Makes a plan for a graph with so many isolated vertices that all tiles are dirty. */
static void make_graph(ek_context *ctx, const char *method, ek_matrix **A, ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints, .method = method};

	expect_status(ek_matrix_generate(ctx, "rmat:scale=14,factor=4", EK_F64, EK_I32, A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, *A, &hints, plan), EK_OK);
}

static void same_bits(ek_context *ctx, eki_memory memory)
{
	static double x[LENGTH], y[LENGTH], first[LENGTH];
	const ek_dense xv = ek_vector(EK_F64, LENGTH, x), yv = ek_vector(EK_F64, LENGTH, y);
	ek_matrix *A;
	ek_plan *plan;

	(void)memory;
	for (int j = 0; j < LENGTH; j++)
		x[j] = rng_real(&rng, 10);
	for (int c = 2; c < CUTS + 1; c++) {
		make_graph(ctx, c < CUTS ? cut[c] : "spmv.csr.speculative.gpu", &A, &plan);
		for (int run = 0; run < RUNS; run++) {
			expect_status(ek_spmv(plan, 1.5, &xv, 0, &yv), EK_OK);
			if (run == 0)
				memcpy(first, y, sizeof y);
			assert_memory_equal(first, y, sizeof y);
		}
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
	}
}

static void test_same_bits(void **state)
{
	(void)state;
	each_device(same_bits);
}

/* Checks the bytes that a run copies. If vectors are in shared memory nothing is copied, even with
 * dirty tiles. Otherwise the vectors are copied, and the scratch only if there are dirty tiles. */
static void few_bytes(ek_context *ctx, eki_memory memory)
{
	const int64_t vectors = 2 * LENGTH * 8;
	void *x, *y;
	ek_matrix *A;
	ek_plan *plan;
	int64_t before;

	expect_status(eki_calloc(ctx, LENGTH, 8, &x), EK_OK);
	expect_status(eki_calloc(ctx, LENGTH, 8, &y), EK_OK);
	const ek_dense xv = ek_vector(EK_F64, LENGTH, x), yv = ek_vector(EK_F64, LENGTH, y);
	const bool shared = in_shared_heap(ctx, x, LENGTH * 8);

	make_graph(ctx, "spmv.csr.speculative.gpu", &A, &plan);
	before = bytes_copied(ctx);
	for (int run = 0; run < RUNS; run++)
		expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	if (shared)
		assert_int_equal(bytes_copied(ctx), before);
	else if (memory == EKI_MEMORY_COPY)
		assert_in_range(bytes_copied(ctx) - before, RUNS * 2 * vectors, RUNS * 4 * vectors);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	expect_status(ek_matrix_generate(ctx, "banded:n=16384,lower=2,upper=2", EK_F64, EK_I32, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A,
	                             &(ek_hints){.size = sizeof(ek_hints),
	                                         .method = "spmv.csr.speculative.gpu"},
	                             &plan),
	              EK_OK);
	before = bytes_copied(ctx);
	expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	assert_in_range(bytes_copied(ctx) - before, 0, shared ? 0 : vectors + vectors / 2);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	eki_free(ctx, x, LENGTH, 8);
	eki_free(ctx, y, LENGTH, 8);
}

static void test_few_bytes(void **state)
{
	(void)state;
	each_device(few_bytes);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static void refused(ek_context *ctx, eki_memory memory)
{
	static const struct {
		const char *given, *named;
		ek_status status;
	} text[] = {{"t=257", "257", EK_EINVAL},
	            {"t=64,b=5", "b = 5", EK_EUNSUPPORTED},
	            {"t=256,w=64", "local memory", EK_EUNSUPPORTED}};
	ek_plan *plan = NULL;
	char method[64];
	ek_matrix *A;

	(void)memory;
	expect_status(ek_matrix_generate(ctx, "banded:n=100", EK_F64, EK_I32, &A), EK_OK);
	for (int k = 0; k < 3; k++) {
		snprintf(method, sizeof method, "spmv.csr.speculative.gpu:%s", text[k].given);
		expect_error(ek_plan_create(EK_SPMV, A,
		                            &(ek_hints){.size = sizeof(ek_hints), .method = method},
		                            &plan),
		             text[k].status, text[k].named);
		assert_null(plan);
	}
	ek_matrix_destroy(A);
}

static void test_refused(void **state)
{
	(void)state;
	each_device(refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_pattern), cmocka_unit_test(test_edges),
		cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_few_bytes),
		cmocka_unit_test(test_refused),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
