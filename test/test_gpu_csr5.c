/* SPDX-License-Identifier: BSD-3-Clause
 * Tests CSR5 on devices: the device must convert CSR to the same arrays as the processor, and
 * products must be right for tiles of any width and height, on awkward shapes, in every type.
 * test_gpu_methods.c tests the default width and height of each device. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdlib.h>

#include "spmv_gpu/csr5_make.h"
#include "support/devices.h"
#include "support/product.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* Tile sizes for these cases: one to three words per lane, rows in more tiles than one work-item
 * adds up, several tiles per warp, and several warps per tile. */
static const struct tile {
	int omega, sigma;
} tiles[] = {{2, 1},  {2, 32},  {4, 3},  {8, 17}, {16, 7},  {32, 4}, {32, 16},
             {64, 5}, {64, 32}, {2, 33}, {8, 40}, {32, 48}, {64, 48}};

enum { TILES = sizeof tiles / sizeof *tiles };

static unsigned turn;

/* ---- Conversion ------------------------------------------------------------------------------ */

/* Compares the arrays that the device made with the processor's. */
static void check_arrays(ek_context *ctx, const ek_plan *plan)
{
	const csr5_on_device *A = plan->root.state;
	int64_t dim[EKI_MAX_DIMS] = {A->store.dim[CSR5_OMEGA], A->store.dim[CSR5_SIGMA]};
	ek_store host;

	assert_true(A->made && plan->root.in[0]->format == &ek_format_csr);
	expect_status(eki_format_make(ctx, plan->root.in[0], &ek_format_csr5, dim, -1, &host),
	              EK_OK);
	for (int k = 0; ek_format_csr5.array[k].name; k++) {
		const int64_t bytes =
			host.len[k] * (int64_t)eki_elem_size(ek_format_csr5.array[k].elem,
		                                             host.value, host.index);
		void *copy = malloc((size_t)bytes + 1);

		if (A->store.len[k] != host.len[k])
			fail_msg("%s: %s has %lld entries, not %lld", product_where,
			         ek_format_csr5.array[k].name, (long long)A->store.len[k],
			         (long long)host.len[k]);
		expect_status(eki_buffer_read(ctx->device, A->array[k], copy, bytes), EK_OK);
		if (bytes && memcmp(copy, host.array[k], (size_t)bytes) != 0)
			fail_msg("%s: other %s than on the processor", product_where,
			         ek_format_csr5.array[k].name);
		free(copy);
	}
	eki_store_free(ctx, &host);
}

/* ---- Products -------------------------------------------------------------------------------- */

static void check_run(struct product *p, ek_plan *plan, int op, int values)
{
	struct run run = {.op = op, .x = turn & 1, .values = values};
	char text[400];
	const void *y;

	do /* skip alpha = 0, for which the library does not call the method */
		product_pair(p->data, turn++, &run.alpha, &run.beta);
	while (run.alpha == 0);
	if (!product_run(p, NULL, plan, &run, &y, text, sizeof text))
		fail_msg("%s: %s", product_where, text);
}

/* Checks a plan that converts CSR to CSR5, before and after the matrix gets new values. Then checks
 * a plan of a matrix that is already in CSR5. */
static void check_tile(struct product *p, const struct tile *tile, int held, int op, ek_index index)
{
	const struct device_context *on = &devices.of[(tile - tiles) % devices.count];
	char format[64];
	ek_hints hints = {.size = sizeof hints,
	                  .method = "spmv.csr5.gpu",
	                  .format = format,
	                  .op = op ? EK_OP_T : EK_OP_N};
	ek_matrix *A, *B = NULL;
	ek_plan *plan;

	snprintf(format, sizeof format, "csr5:omega=%d,sigma=%d", tile->omega, tile->sigma);
	snprintf(product_where, sizeof product_where, "%s op %c %s index %s held %d, on %s, %s",
	         format, op ? 'T' : 'N', ek_value_name(p->value), ek_index_name(index), held,
	         on->text, p->A.name);
	expect_status(product_matrix(p, on->ctx, held, index, EK_BORROW, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	assert_string_equal(ek_plan_format(plan), format);
	check_arrays(on->ctx, plan);
	check_run(p, plan, op, VALUES_FIRST);
	product_values(p, held, index, VALUES_SECOND);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	check_run(p, plan, op, VALUES_SECOND);
	if (p->A.nnz > 0)
		check_arrays(on->ctx, plan);
	ek_plan_destroy(plan);

	expect_status(ek_matrix_convert(A, format, NULL, &B), EK_OK);
	hints.format = NULL;
	expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
	assert_string_equal(ek_plan_format(plan), format);
	assert_false(((const csr5_on_device *)plan->root.state)->made);
	check_run(p, plan, op, VALUES_SECOND);
	ek_plan_destroy(plan);
	product_values(p, held, index, VALUES_FIRST);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

static void test_tiles(void **state)
{
	const enum tier tier = test_tier();
	const int step = tier == TIER_BRIEF ? TILES : tier == TIER_QUICK ? 7 : 1;
	const int apart = tier == TIER_BRIEF ? 6 : tier == TIER_QUICK ? 3 : 1;
	unsigned k = 0;

	(void)state;
	need_device();
	for (int shape = 0; shape < shape_count(); shape++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			struct product p;

			product_make(&p, shape, DATA_EXACT, (ek_value)value, shape);
			/* One index type for each tile size, and a third of the sizes in the quick
			 * tier, a sixth in the brief one, since compiling takes a second. */
			for (int t = 0; t < TILES; t += step, k++) {
				const int which = (t + shape) % TILES / apart * apart;

				check_tile(&p, &tiles[which], k / 2 % 2, (k + (unsigned)shape) % 2,
				           (ek_index)(1 + which % 3));
			}
			product_free(&p);
		}
}

/* ---- Width and height ------------------------------------------------------------------------ */

/* Checks the default width of tiles: that of a warp if the device has warps, else that on the
 * processor. */
static void test_shape(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++) {
		ek_context *ctx = devices.of[k].ctx;
		ek_device_info info = {.size = sizeof info};
		ek_hints hints = {.size = sizeof hints, .method = "spmv.csr5.gpu"};
		const csr5_on_device *on;
		ek_matrix *A;
		ek_plan *plan = NULL;

		expect_status(ek_context_get_device(ctx, &info), EK_OK);
		expect_status(
			ek_matrix_generate(ctx, "banded:n=900,lower=2,upper=2", EK_F64, EK_I32, &A),
			EK_OK);
		expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
		on = plan->root.state;
		assert_int_equal(on->store.dim[CSR5_OMEGA],
		                 info.lanes > 1 ? info.lanes : csr5_omega(ctx, EK_F64));
		if (info.lanes > 1)
			assert_int_equal(on->store.dim[CSR5_SIGMA], 5);
		ek_plan_destroy(plan);
		plan = NULL;
		hints.format = "csr5:omega=6";
		expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EINVAL, "power of two");
		assert_null(plan);
		ek_matrix_destroy(A);
	}
}

/* Checks the default height of tiles: by the method's parameters, else by EK_CSR5_SIGMA, else by
 * the rule of the device. */
static void test_sigma(void **state)
{
	static const struct {
		const char *method, *text;
		int width, sigma; /* width of a full band, and expected height of tiles */
	} row[] = {{"spmv.csr5.gpu", "40,48,60,33,1,1,1,1", 5, 40},
	           {"spmv.csr5.gpu", "40,48,60,33,1,1,1,1", 45, 45},
	           {"spmv.csr5.gpu", "40,48,60,33,1,1,1,1", 61, 33},
	           {"spmv.csr5.gpu:u=7", "40,48,60,33,1,1,1,1", 61, 7},
	           {"spmv.csr5.gpu:r=3,s=9,t=20,u=2", NULL, 1, 3},
	           {"spmv.csr5.gpu:r=3,s=9,t=20,u=2", NULL, 7, 7},
	           {"spmv.csr5.gpu:r=3,s=9,t=20,u=2", NULL, 13, 9},
	           {"spmv.csr5.gpu:r=3,s=9,t=20,u=2", "40,48,60,33,1,1,1,1", 61, 2}};
	ek_context *ctx;
	ek_matrix *A;
	char spec[64];

	(void)state;
	need_device();
	ctx = devices.of[0].ctx;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		const ek_hints hints = {.size = sizeof hints, .method = row[k].method};
		ek_plan *plan;

		snprintf(spec, sizeof spec, "banded:n=3000,lower=%d,upper=%d", row[k].width / 2,
		         row[k].width / 2);
		expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);
		if (row[k].text)
			setenv("EK_CSR5_SIGMA", row[k].text, 1);
		expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
		unsetenv("EK_CSR5_SIGMA");
		assert_int_equal(((const csr5_on_device *)plan->root.state)->store.dim[CSR5_SIGMA],
		                 row[k].sigma);
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
	}
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr5.gpu:r=9,s=8"};
	ek_plan *plan = NULL;

	expect_status(ek_matrix_generate(ctx, "arrow:n=90", EK_F64, EK_I32, &A), EK_OK);
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EINVAL, "r <= s");
	assert_null(plan);
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tiles),
		cmocka_unit_test(test_sigma),
		cmocka_unit_test(test_shape),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
#endif
