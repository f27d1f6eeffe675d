/* SPDX-License-Identifier: BSD-3-Clause
 * Tests spmv.csr.speculative.gpu and spmv.csr.speculative_published.gpu with tiles so small that
 * a few rows have many tiles. Matrices have every pattern of short, long and empty rows, and the
 * edge cases of support/lengths.c, in every type and kind of memory. Every run must give the
 * same bits, although dirty tiles (those with empty rows) finish in any order. Also tests the
 * number of bytes copied, and refused parameters. */
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

/* Parameters: tiles of 1 to 8 entries, bunches of 1 to 16 entries and groups of 1 to 3 bunches. The
 * last but one has larger sizes, as on a graphics card; the last ones are the device's. */
static const char *const cut[] = {
	":t=1,w=1,b=1,s=1", ":t=2,w=1,b=1,s=2", ":t=1,w=2,b=3,s=2",  ":t=2,w=2,b=2,s=2",
	":t=3,w=1,b=2,s=3", ":t=4,w=2,b=1,s=2", ":t=32,w=4,b=5,s=7", ""};
enum { CUTS = sizeof cut / sizeof *cut, SMALL_CUTS = CUTS - 2 };

/* The two methods, with their parameters. */
enum { OURS, PUBLISHED, METHODS };
static char method[METHODS][CUTS][80];

static int setup(void **state)
{
	for (int k = 0; k < CUTS; k++) {
		snprintf(method[OURS][k], sizeof method[OURS][k], "spmv.csr.speculative.gpu%s",
		         cut[k]);
		snprintf(method[PUBLISHED][k], sizeof method[PUBLISHED][k],
		         "spmv.csr.speculative_published.gpu%s", cut[k]);
	}
	return devices_setup(state);
}

/* ---- Every pattern --------------------------------------------------------------------------- */

/* Checks matrices of 4 rows (6 in higher tiers), with every combination of the row lengths 0, 1, 2
 * and 7. The methods take turns, and so do beta = 0 and 1, and vectors of host and device. */
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
				lengths_check(&m, ctx,
				              &(struct lengths_run){
						      method[(number + k) % METHODS][k],
						      turn % 5 ? EK_F64 : EK_F32, EK_I32, EK_OP_N,
						      1, turn / 5 % 3 / 2, turn / 11 % 2, 1});
	}
}

static void test_every_pattern(void **state)
{
	(void)state;
	each_device(every_pattern);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static void one_edge(ek_context *ctx, const char *name, int turn)
{
	static const double pair[][2] = {{1, 0}, {1, 1}, {-2, 0.5}, {0.5, -1}, {2, 0}};

	for (int value = EK_F32; value <= EK_F64; value++)
		for (int index = EK_I32; index <= EK_I64; index++, turn++)
			lengths_check(&m, ctx,
			              &(struct lengths_run){name, (ek_value)value, (ek_index)index,
			                                    turn % 4 == 3 ? EK_OP_T : EK_OP_N,
			                                    pair[turn % 5][0], pair[turn % 5][1],
			                                    turn % 3 == 0, 3});
}

static void edges(ek_context *ctx, eki_memory memory)
{
	(void)memory;
	for (int k = 0; lengths_edge(&m, k, &rng); k++) {
		one_edge(ctx, method[OURS][3], 3 * k);
		one_edge(ctx, method[PUBLISHED][3], 3 * k + 1);
		one_edge(ctx, method[k & 1][CUTS - 1 - k / 2 % 2], k);
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
static void make_graph(ek_context *ctx, const char *name, ek_matrix **A, ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints, .method = name};

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
	for (int c = 0; c < METHODS * CUTS; c++) {
		if (c % CUTS < 2 || (c / CUTS + c) % 2)
			continue; /* tiles so small take long, and methods take turns */
		make_graph(ctx, method[c / CUTS][c % CUTS], &A, &plan);
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
 * dirty tiles. Otherwise the vectors are copied, and the scratch, which only one method has, only
 * if there are dirty tiles. */
static void method_bytes(ek_context *ctx, eki_memory memory, int which)
{
	const int64_t vectors = 2 * LENGTH * 8;
	const char *name = method[which][CUTS - 1];
	void *x, *y;
	ek_matrix *A;
	ek_plan *plan;
	int64_t before;

	expect_status(eki_calloc(ctx, LENGTH, 8, &x), EK_OK);
	expect_status(eki_calloc(ctx, LENGTH, 8, &y), EK_OK);
	const ek_dense xv = ek_vector(EK_F64, LENGTH, x), yv = ek_vector(EK_F64, LENGTH, y);
	const bool shared = in_shared_heap(ctx, x, LENGTH * 8);

	make_graph(ctx, name, &A, &plan);
	before = bytes_copied(ctx);
	for (int run = 0; run < RUNS; run++)
		expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	if (shared)
		assert_int_equal(bytes_copied(ctx), before);
	else if (memory == EKI_MEMORY_COPY && which == OURS)
		assert_in_range(bytes_copied(ctx) - before, RUNS * 2 * vectors, RUNS * 4 * vectors);
	else if (memory == EKI_MEMORY_COPY)
		assert_in_range(bytes_copied(ctx) - before, RUNS * vectors,
		                RUNS * (vectors + vectors / 8));
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	expect_status(ek_matrix_generate(ctx, "banded:n=16384,lower=2,upper=2", EK_F64, EK_I32, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A,
	                             &(ek_hints){.size = sizeof(ek_hints), .method = name}, &plan),
	              EK_OK);
	before = bytes_copied(ctx);
	expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	assert_in_range(bytes_copied(ctx) - before, 0, shared ? 0 : vectors + vectors / 2);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	eki_free(ctx, x, LENGTH, 8);
	eki_free(ctx, y, LENGTH, 8);
}

static void few_bytes(ek_context *ctx, eki_memory memory)
{
	for (int which = 0; which < METHODS; which++)
		method_bytes(ctx, memory, which);
}

static void test_few_bytes(void **state)
{
	(void)state;
	each_device(few_bytes);
}

/* Returns the memory of a plan beyond that of a plan by spmv.csr.scalar.gpu, which has the matrix
 * and the vectors on the device and nothing else. */
static int64_t extra_memory(const ek_matrix *A, const char *name)
{
	int64_t bytes[2];

	for (int k = 0; k < 2; k++) {
		const ek_hints hints = {.size = sizeof hints,
		                        .method = k ? "spmv.csr.scalar.gpu" : name};
		ek_plan *plan;

		expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
		bytes[k] = ek_plan_memory(plan);
		ek_plan_destroy(plan);
	}
	return bytes[0] - bytes[1];
}

/* Checks the published method's memory: 16 bytes for each bunch and 16 for each tile, and what does
 * not depend on the matrix; so the number of rows does not matter. The other method has as much
 * scratch as y. */
static void memory_of(ek_context *ctx, eki_memory memory)
{
	enum { FIXED = 60000 };
	static const struct {
		const char *spec, *parameters;
		int64_t rows, tile, bunch;
	} of[] = {{"banded:n=200000,lower=0,upper=0", ":t=8,w=8,s=4,b=2", 200000, 64, 256},
	          {"uniform:rows=1000000,cols=100,nnz=20000", ":t=8,w=8,s=4,b=2", 1000000, 64, 256},
	          {"banded:n=30000,lower=10,upper=10", ":t=16,w=16,s=2,b=1", 30000, 256, 512}};

	(void)memory;
	for (int k = 0; k < 3; k++) {
		ek_matrix_info info = {.size = sizeof info};
		char ours[80], published[80];
		ek_matrix *A;

		snprintf(ours, sizeof ours, "spmv.csr.speculative.gpu%s", of[k].parameters);
		snprintf(published, sizeof published, "spmv.csr.speculative_published.gpu%s",
		         of[k].parameters);
		expect_status(ek_matrix_generate(ctx, of[k].spec, EK_F64, EK_I32, &A), EK_OK);
		expect_status(ek_matrix_get_info(A, &info), EK_OK);
		const int64_t notes =
			16 * (info.nnz / of[k].tile + 1) + 16 * (info.nnz / of[k].bunch + 1);

		assert_in_range(extra_memory(A, published), notes, 2 * notes + FIXED);
		assert_true(extra_memory(A, ours) >= 8 * of[k].rows);
		ek_matrix_destroy(A);
	}
}

static void test_memory(void **state)
{
	(void)state;
	each_device(memory_of);
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
	ek_matrix *A;

	(void)memory;
	expect_status(ek_matrix_generate(ctx, "banded:n=100", EK_F64, EK_I32, &A), EK_OK);
	for (int k = 0; k < 3 * METHODS; k++) {
		char name[128];

		snprintf(name, sizeof name, "%s:%s", method[k / 3][CUTS - 1], text[k % 3].given);
		expect_error(ek_plan_create(EK_SPMV, A,
		                            &(ek_hints){.size = sizeof(ek_hints), .method = name},
		                            &plan),
		             text[k % 3].status, text[k % 3].named);
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
		cmocka_unit_test(test_memory),        cmocka_unit_test(test_refused),
	};

	return run_all_tests(tests, setup, devices_teardown);
}

#endif
