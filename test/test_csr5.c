/* SPDX-License-Identifier: BSD-3-Clause
 * Tests CSR5: descriptors of tiles, compared with ones worked out by hand; the height of tiles; and
 * the memory that the format takes. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdlib.h>

#include "plan/plan.h"
#include "format/csr5.h"
#include "support/context.h"
#include "support/support.h"

/* ---- Descriptors by hand --------------------------------------------------------------------- */

enum { EMPTY = INT32_MIN /* highest bit of tile_ptr, set if the tile has empty rows */ };

static const struct {
	const char *format;
	int rows, row_ptr[8], nnz, tiles, words, lanes; /* words per lane, lanes of all tiles */
	int tile_ptr[2];
	uint64_t flag[4];
	int y_offset[4], seg_offset[4];
	uint32_t desc[8];
	int empty, empty_ptr[3], empty_offset[4];
} by_hand[] = {
	/* The example of doc/formats.md: rows begin at entries 0, 2, 5, 7 and 13, the third row is
	 * empty, and two entries follow the tile. */
	{"csr5:omega=4,sigma=3",
         6,
         {0, 2, 5, 5, 7, 13, 14},
         14,
         1,
         1,
         4,
         {0 | EMPTY},
         {5, 4, 2, 0},
         {0, 2, 3, 4},
         {0, 0, 1, 0},
         {0x5, 0x44, 0x6a, 0x80},
         4,
         {0, 4},
         {0, 1, 3, 4}},
	/* The first row is empty, and no tile contains it. The second row continues in the second
	 * tile, which contains two empty rows. One entry follows the tiles. */
	{"csr5:omega=2,sigma=2",
         6,
         {0, 0, 5, 5, 5, 6, 9},
         9,
         2,
         1,
         4,
         {1, 1 | EMPTY},
         {1, 0, 3, 1},
         {0, 1, 0, 2},
         {1, 0, 0, 0},
         {0x5, 0x8, 0x3, 0x11},
         3,
         {0, 0, 3},
         {0, 3, 4}},
	/* 32 flags leave no room for offsets in a word. No row begins in the two middle lanes. */
	{"csr5:omega=4,sigma=32",
         2,
         {0, 100, 128},
         128,
         1,
         2,
         4,
         {0},
         {1, 0, 0, 16},
         {0, 1, 1, 1},
         {2, 1, 0, 0},
         {0x1, 0x0, 0x0, 0x10, 0x2, 0x5, 0x4, 0x4},
         0,
         {0},
         {0}},
	/* The flags of 40 steps take two words. */
	{"csr5:omega=2,sigma=40",
         4,
         {0, 35, 50, 75, 80},
         80,
         1,
         3,
         2,
         {0},
         {UINT64_C(1) | UINT64_C(1) << 35, UINT64_C(1) << 10 | UINT64_C(1) << 35},
         {0, 2},
         {0, 0},
         {0x1, 0x400, 0x8, 0x8, 0x0, 0x4},
         0,
         {0},
         {0}},
};

static void check_array(const ek_matrix *B, const char *name, const void *data, int64_t len)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(B, name, &view), EK_OK);
	assert_int_equal(view.len, len);
	if (len)
		assert_memory_equal(view.data, data, (size_t)len * 4);
}

static void test_descriptors(void **state)
{
	static int col_idx[128];
	static double val[128];

	(void)state;
	for (int k = 0; k < 128; k++)
		col_idx[k] = k;
	for (size_t k = 0; k < sizeof by_hand / sizeof *by_hand; k++) {
		const int words = by_hand[k].words, lanes = by_hand[k].lanes;
		const int omega = lanes / by_hand[k].tiles;
		ek_matrix *A, *B;

		expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, by_hand[k].rows, 128,
		                                 by_hand[k].row_ptr, col_idx, val, EK_COPY, &A),
		              EK_OK);
		expect_status(ek_matrix_convert(A, by_hand[k].format, NULL, &B), EK_OK);
		check_array(B, "tile_ptr", by_hand[k].tile_ptr, by_hand[k].tiles);
		check_array(B, "tile_desc", by_hand[k].desc, words * lanes);
		check_array(B, "empty_ptr", by_hand[k].empty_ptr,
		            by_hand[k].empty ? by_hand[k].tiles + 1 : 0);
		check_array(B, "empty_offset", by_hand[k].empty_offset, by_hand[k].empty);

		const csr5_shape h = csr5_shape_of(&B->store);
		const uint32_t *desc = B->store.array[CSR5_DESC];

		assert_true(h.words == words && h.tiles == by_hand[k].tiles);
		for (int l = 0; l < lanes; l++) {
			const uint32_t *word = desc + l / omega * omega * words + l % omega;
			const uint32_t offsets = word[(words - 1) * omega];

			assert_true(csr5_flags_of(&h, word - l % omega, l % omega) ==
			            by_hand[k].flag[l]);
			assert_int_equal(csr5_y_offset(&h, offsets), by_hand[k].y_offset[l]);
			assert_int_equal(csr5_seg_offset(&h, offsets), by_hand[k].seg_offset[l]);
		}
		for (int t = 0; t < by_hand[k].tiles; t++) {
			assert_int_equal(csr5_row(&B->store, t),
			                 by_hand[k].tile_ptr[t] & INT32_MAX);
			assert_int_equal(csr5_has_empty(&B->store, t), by_hand[k].tile_ptr[t] < 0);
		}
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
}

/* ---- Height and cost ------------------------------------------------------------------------- */

/* Checks that tile height follows from the mean row length, or from EK_CSR5_SIGMA if set. */
static void test_sigma(void **state)
{
	static const struct {
		const char *text; /* EK_CSR5_SIGMA, or NULL if it is not set */
		int width, sigma; /* width of a full band, and expected height of tiles */
	} row[] = {{NULL, 3, 32},
	           {NULL, 81, 16},
	           {"40,48,60,33,1,1,1,1", 3, 40},
	           {"40,48,60,33,1,1,1,1", 45, 45},
	           {"40,48,60,33,1,1,1,1", 81, 33},
	           {"4,7,20,5,1,1,1,1", 3, 4},
	           {"4,7,20,5,1,1,1,1", 5, 5},
	           {"4,7,20,5,1,1,1,1", 9, 7},
	           {"4,7,20,5,1,1,1,1", 41, 5},
	           {"4,7,5,5,1,1,1,1", 7, 7},
	           {"4,7,5,5,1,1,1,1", 9, 5}};
	static const char *const bad[] = {"4,7,20,5",         "4,7,20,5,1,1,1,49",
	                                  "0,7,20,5,1,1,1,1", "4,7,20,5,1,1,1,1,",
	                                  "4 7 20 5 1 1 1 1", "x",
	                                  "7,4,20,5,1,1,1,1", "4,7,20,5,2,1,1,1"};
	ek_context *other = NULL;
	ek_matrix *A, *B = NULL;
	char spec[64];

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		ek_matrix_info info = {.size = sizeof info};

		snprintf(spec, sizeof spec, "banded:n=3000,lower=%d,upper=%d", row[k].width / 2,
		         row[k].width / 2);
		expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);
		if (row[k].text)
			setenv("EK_CSR5_SIGMA", row[k].text, 1);
		expect_status(ek_matrix_convert(A, "csr5", NULL, &B), EK_OK);
		unsetenv("EK_CSR5_SIGMA");
		expect_status(ek_matrix_get_info(B, &info), EK_OK);
		assert_int_equal(info.dim[1], row[k].sigma);
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
	expect_status(ek_matrix_generate(ctx, "arrow:n=3000", EK_F64, EK_I32, &A), EK_OK);
	B = NULL;
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		setenv("EK_CSR5_SIGMA", bad[k], 1);
		expect_error(ek_matrix_convert(A, "csr5", NULL, &B), EK_EINVAL, "r,s,t,u");
		assert_null(B);
		expect_error(ek_context_create(NULL, &other), EK_EINVAL, "EK_CSR5_SIGMA");
		assert_null(other);
	}
	unsetenv("EK_CSR5_SIGMA");
	ek_matrix_destroy(A);
}

/* Checks the times of a conversion's steps: the parts of CSR5 are within the steps of all formats,
 * in place as in a copy; other formats have none of these parts, and CSR has no steps. */
static void test_times(void **state)
{
	ek_convert_times t = {.size = sizeof t, .layout = -1};
	const ek_convert_options o = {.size = sizeof o, .times = &t};
	ek_matrix *A, *B;

	(void)state;
	expect_status(ek_matrix_generate(ctx, "rmat:scale=14,factor=16", EK_F64, EK_I32, &A),
	              EK_OK);
	expect_error(ek_matrix_convert(A, "csr6", &o, &B), EK_EINVAL, "csr6");
	assert_true(t.layout == -1);
	for (int in_place = 0; in_place < 2; in_place++) {
		if (in_place)
			expect_status(ek_matrix_convert_in_place(A, "csr5", &o), EK_OK);
		else
			expect_status(ek_matrix_convert(A, "csr5", &o, &B), EK_OK);
		assert_true(t.layout > 0 && t.pattern > 0);
		assert_true(t.tile_ptr > 0 && t.tile_desc > 0 && t.transposition > 0);
		assert_true((t.allocation > 0 && t.values > 0) == !in_place);
		assert_true(t.tile_ptr + t.tile_desc + t.transposition <=
		            1.001 * (t.pattern + t.values));
	}
	ek_matrix_destroy(B);
	expect_status(ek_matrix_convert(A, "sell", &o, &B), EK_OK);
	assert_true(t.layout > 0 && t.pattern > 0 && t.values > 0);
	assert_true(t.tile_ptr == 0 && t.tile_desc == 0 && t.transposition == 0);
	ek_matrix_destroy(B);
	expect_status(ek_matrix_convert(A, "csr", &o, &B), EK_OK);
	assert_true(t.layout == 0 && t.allocation == 0 && t.pattern == 0 && t.values == 0);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

/* Checks that a matrix with rows of every kind comes back from tiles of any height with the same
 * bits, with rows that begin at every step of a lane. test_formats.c does this for usual
 * heights. */
static void test_round_trip(void **state)
{
	static const char *const spec[] = {"arrow:n=300", "powerlaw:rows=700,cols=500",
	                                   "rmat:scale=9,factor=5",
	                                   "banded:n=333,lower=16,upper=16"};
	ek_matrix *A, *B, *C;
	char format[64];

	(void)state;
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++)
		for (int sigma = 1; sigma <= CSR5_MAX_SIGMA; sigma += sigma < 31 ? 6 : 1) {
			const int omega = 2 << sigma % 6;
			const ek_index index = (ek_index)(1 + sigma % 3);

			snprintf(format, sizeof format, "csr5:omega=%d,sigma=%d", omega, sigma);
			expect_status(ek_matrix_generate(ctx, spec[k], sigma % 2 ? EK_F64 : EK_F32,
			                                 index, &A),
			              EK_OK);
			expect_status(ek_matrix_convert(A, format, NULL, &B), EK_OK);
			expect_status(ek_matrix_check(B), EK_OK);
			expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
			for (int a = CSR_PTR; a <= CSR_VAL; a++) {
				const ek_store *s = &A->store, *t = &C->store;

				assert_int_equal(s->len[a], t->len[a]);
				assert_memory_equal(s->array[a], t->array[a],
				                    (size_t)s->len[a] *
				                            eki_elem_size(s->format->array[a].elem,
				                                          s->value, s->index));
			}
			ek_matrix_destroy(C);
			ek_matrix_destroy(B);
			ek_matrix_destroy(A);
		}
}

/* Checks that with omega = sigma = 32, doubles and no empty rows, CSR5 takes at most 3 % more bytes
 * than CSR. A tile with empty rows would take 4 more bytes for each nonempty row. */
static void test_extra_memory(void **state)
{
	static const char *const spec[] = {"poisson2d5:nx=300,ny=300",
	                                   "banded:n=9000,lower=20,upper=20",
	                                   "powerlaw:rows=30000,cols=30000"};
	ek_matrix *A, *B;

	(void)state;
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
		expect_status(ek_matrix_generate(ctx, spec[k], EK_F64, EK_I32, &A), EK_OK);
		expect_status(ek_matrix_convert(A, "csr5:omega=32,sigma=32", NULL, &B), EK_OK);
		assert_true((double)eki_store_bytes(&B->store) <=
		            1.03 * (double)eki_store_bytes(&A->store));
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors),  cmocka_unit_test(test_sigma),
		cmocka_unit_test(test_times),        cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_extra_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, context_setup, context_teardown);
}
