/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of the estimate of mispredicted row lengths (cost/foresee.c): by the length of a row, and
 * by the number of its vectors. */
#include <stdlib.h>

#include "cost/cost.h"
#include "support/support.h"

enum { ROWS = 6000 };

/* Sets f's shares for a matrix with these row lengths. */
static void look(int64_t rows, const int *length, ek_isa isa, eki_features *f)
{
	int32_t *ptr = malloc((size_t)(rows + 1) * sizeof *ptr);
	ek_store A = {.format = &ek_format_csr, .value = EK_F64, .index = EK_I32, .rows = rows};

	*f = (eki_features){.value = EK_F64, .index = EK_I32, .isa = isa};
	ptr[0] = 0;
	for (int64_t i = 0; i < rows; i++) {
		ptr[i + 1] = ptr[i] + length[i];
		if (length[i] > f->stats.row_max)
			f->stats.row_max = length[i];
	}
	A.nnz = ptr[rows];
	A.array[CSR_PTR] = ptr;
	eki_unforeseen_rows(&A, f);
	free(ptr);
}

/* Fills `length` with numbers from least to most at random. */
static void draw(int *length, int64_t rows, int least, int most)
{
	uint64_t state = 1;

	for (int64_t i = 0; i < rows; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		length[i] = least + (int)((state >> 33) % (uint64_t)(most - least + 1));
	}
}

static void regular_lengths_are_foreseen(void **state)
{
	static int length[ROWS];
	eki_features f;

	(void)state;
	for (int i = 0; i < ROWS; i++)
		length[i] = 9;
	look(ROWS, length, EK_ISA_AVX512, &f);
	assert_true(f.unforeseen_share == 0 && f.unforeseen_steps == 0);
	for (int i = 0; i < ROWS; i++)
		length[i] = i % 3 * 10;
	look(ROWS, length, EK_ISA_AVX512, &f);
	assert_true(f.unforeseen_share < 0.01 && f.unforeseen_steps < 0.01);
	look(0, length, EK_ISA_AVX512, &f);
	assert_true(f.unforeseen_share == 0 && f.unforeseen_steps == 0);
}

static void rows_of_one_vector_are_alike(void **state)
{
	static int length[ROWS];
	eki_features f;

	(void)state;
	draw(length, ROWS, 0, 8);
	look(ROWS, length, EK_ISA_AVX512, &f);
	assert_true(f.unforeseen_share > 0.5 && f.unforeseen_steps == 0);
	length[ROWS / 2] = 100; /* one long row, and empty rows among the short ones */
	look(ROWS, length, EK_ISA_AVX512, &f);
	assert_true(f.unforeseen_share > 0.5 && f.unforeseen_steps < 0.01);
	look(ROWS, length, EK_ISA_AVX2, &f); /* four lanes: rows of one vector and of two */
	assert_true(f.unforeseen_steps > 0.2 && f.unforeseen_steps < f.unforeseen_share);
}

static void random_lengths_are_not_foreseen(void **state)
{
	static int length[4 * ROWS];
	eki_features f;

	(void)state;
	draw(length, 4 * ROWS, 0, 28);
	look(4 * ROWS, length, EK_ISA_AVX512, &f);
	assert_true(f.unforeseen_share > 0.9 && f.unforeseen_steps > 0.5);
	look(4 * ROWS, length, EK_ISA_SCALAR, &f);
	assert_true(f.unforeseen_steps == f.unforeseen_share);
}

static void parts_that_differ_are_all_seen(void **state)
{
	enum { PART = 16384, PARTS = 4 };
	static int length[PARTS * PART];
	eki_features f;

	(void)state;
	for (int part = 0; part < PARTS; part++) { /* a sample has the rows around its middle */
		for (int i = 0; i < PARTS * PART; i++)
			length[i] = 12;
		draw(length + part * PART, PART, 1, 28);
		look(PARTS * PART, length, EK_ISA_AVX512, &f);
		assert_true(f.unforeseen_share > 0.2 && f.unforeseen_share < 0.3);
		assert_true(f.unforeseen_steps > 0.1);
	}
}

static void guesses_know_short_rows(void **state)
{
	eki_features f = {.isa = EK_ISA_AVX512, .value = EK_F64, .mixed_share = 0.8};

	(void)state;
	f.short_share = 1;
	eki_unforeseen_guess(&f);
	assert_true(f.unforeseen_share == 0.8 && f.unforeseen_steps == 0);
	f.short_share = 0.25;
	eki_unforeseen_guess(&f);
	assert_true(f.unforeseen_steps == 0.2);
	f.isa = EK_ISA_SCALAR;
	eki_unforeseen_guess(&f);
	assert_true(f.unforeseen_steps == 0.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regular_lengths_are_foreseen),
		cmocka_unit_test(rows_of_one_vector_are_alike),
		cmocka_unit_test(random_lengths_are_not_foreseen),
		cmocka_unit_test(parts_that_differ_are_all_seen),
		cmocka_unit_test(guesses_know_short_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
