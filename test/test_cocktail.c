/* SPDX-License-Identifier: BSD-3-Clause
 * Tests each part of a cocktail: matrices whose entries must go to one part, or to two, and what
 * becomes of them in products, with new values, in files, and with numbers that are not finite. */
#include <math.h>
#include <string.h>

#include "format/cocktail.h"
#include "support/context.h"
#include "support/random.h"
#include "support/support.h"

enum { N = 4096, MOST = 80, B = 4, RUN = 128 };

static struct rng draw = {5};
static int64_t ptr[N + 1], col[N * MOST];
static double val[2][N * MOST];
static bool there[N];

/* Adds the entries of row i to `there`. */
typedef void add_row(int64_t i);

static void add_diagonals(int64_t i, const int64_t *offset, int n)
{
	for (int k = 0; k < n; k++)
		if (i + offset[k] >= 0 && i + offset[k] < N)
			there[i + offset[k]] = true;
}

static void add_band(int64_t i)
{
	add_diagonals(i, (const int64_t[]){-3, -2, -1, 0, 1, 2, 3, 700}, 8);
}

static void add_apart(int64_t i)
{
	add_diagonals(i, (const int64_t[]){-90, -40, 0, 1, 50, 120, 800}, 7);
}

/* Adds n blocks of block row i / B, no two of which are on one diagonal of blocks. */
static void add_blocks(int64_t i, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		const int64_t q = (7 * (i / B) + k * 83) % (N / B);

		for (int64_t j = 0; j < B; j++)
			there[q * B + j] = true;
	}
}

static void add_even_blocks(int64_t i)
{
	add_blocks(i, 3);
}

static void add_runs_of_blocks(int64_t i)
{
	add_blocks(i, 1 + i / B / RUN % 7);
}

static void add_uneven_blocks(int64_t i)
{
	add_blocks(i, i / B % 5 == 2 ? 12 : 1);
}

static void add_flat(int64_t i, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		there[(37 * i + 101 * k + 7 * k * k) % N] = true;
}

static void add_even_rows(int64_t i)
{
	add_flat(i, 7);
}

static void add_runs_of_rows(int64_t i)
{
	add_flat(i, 2 + 3 * (i / RUN % 9));
}

static void add_uneven_rows(int64_t i)
{
	add_flat(i, i % 5 == 2 ? 40 : 3);
}

static void add_few(int64_t i)
{
	add_flat(i, i % 50 == 0 ? 3 : 0);
}

/* Adds pairs of diagonals, which fill no block, and blocks. */
static void add_pairs_and_blocks(int64_t i)
{
	add_diagonals(i,
	              (const int64_t[]){-60, -59, -40, -39, -20, -19, 0, 1, 20, 21, 40, 41, 60, 61},
	              14);
	add_even_blocks(i);
}

static const struct {
	const char *what;
	add_row *add;
	unsigned
		parts; /* a bit for each part that must have more than one percent of the entries */
} kinds[] = {
	{"a band", add_band, 1u << PART_BDIA},
	{"diagonals that are apart", add_apart, 1u << PART_DIA},
	{"as many blocks in each block row", add_even_blocks, 1u << PART_BELL},
	{"runs of alike block rows", add_runs_of_blocks, 1u << PART_SBELL},
	{"block rows of all lengths", add_uneven_blocks, 1u << PART_BCSR},
	{"as many entries in each row", add_even_rows, 1u << PART_ELL},
	{"runs of alike rows", add_runs_of_rows, 1u << PART_SELL},
	{"rows of all lengths", add_uneven_rows, 1u << PART_CSR},
	{"a few rows", add_few, 1u << PART_COO},
	{"pairs of diagonals, and blocks", add_pairs_and_blocks, 1u << PART_BDIA | 1u << PART_BELL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void make(int kind, ek_value value, ek_index index, ek_matrix **A)
{
	const ek_convert_options types = {.size = sizeof types, .value = value, .index = index};
	ek_matrix *wide;

	for (int64_t i = 0; i < N; i++) {
		memset(there, 0, sizeof there);
		kinds[kind].add(i);
		ptr[i + 1] = ptr[i];
		for (int64_t j = 0; j < N; j++)
			if (there[j])
				col[ptr[i + 1]++] = j;
	}
	for (int64_t k = 0; k < ptr[N]; k++) {
		val[0][k] = rng_integer(&draw, 5);
		val[1][k] = rng_integer(&draw, 5);
	}
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I64, N, N, ptr, col, val[0], EK_BORROW, &wide),
		EK_OK);
	expect_status(ek_matrix_convert(wide, "csr", &types, A), EK_OK);
	ek_matrix_destroy(wide);
}

/* Returns the parts that must have entries. On a processor, lanes take fewer bytes than BCSR only
 * if pointers are longer than columns. */
static unsigned parts_of(int kind, ek_index index)
{
	const unsigned lanes = 1u << PART_BELL | 1u << PART_SBELL, parts = kinds[kind].parts;

	return index != EK_I64_32 && parts & lanes ? (parts & ~lanes) | 1u << PART_BCSR : parts;
}

static void check_parts(const ek_matrix *C, int kind)
{
	const unsigned parts = parts_of(kind, C->store.index);
	ek_store part[PARTS];

	eki_cocktail_parts(&C->store, part);
	for (int k = 0; k < PARTS; k++) {
		const bool many = part[k].nnz > C->store.nnz / 100;

		if (many != (parts >> k & 1))
			fail_msg("%s: part %d has %lld entries", kinds[kind].what, k,
			         (long long)part[k].nnz);
	}
}

/* Checks both products of a matrix that has values `which`. */
static void check_products(const ek_matrix *C, int which, const char *what)
{
	const ek_value value = C->store.value;
	double x[N], want[N], in[N], out[N];

	for (int64_t i = 0; i < N; i++) {
		x[i] = rng_integer(&draw, 5);
		value_set(value, in, i, x[i]);
	}
	for (int op = 0; op < 2; op++) {
		const ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
		const ek_dense X = ek_vector(value, N, in), Y = ek_vector(value, N, out);
		ek_plan *plan;

		for (int64_t i = 0; i < N; i++) {
			want[i] = 3;
			value_set(value, out, i, 6);
		}
		for (int64_t i = 0; i < N; i++)
			for (int64_t k = ptr[i]; k < ptr[i + 1]; k++)
				want[op ? col[k] : i] -= val[which][k] * x[op ? i : col[k]];
		expect_status(ek_plan_create(EK_SPMV, C, &hints, &plan), EK_OK);
		expect_status(ek_spmv(plan, -1, &X, 0.5, &Y), EK_OK);
		for (int64_t i = 0; i < N; i++)
			if (value_at(value, out, i) != want[i])
				fail_msg("%s, op %d: y[%lld] is %g, not %g", what, op, (long long)i,
				         value_at(value, out, i), want[i]);
		ek_plan_destroy(plan);
	}
}

static void check_values(ek_matrix *C, const char *what)
{
	double *typed = malloc((size_t)ptr[N] * sizeof *typed);

	for (int64_t k = 0; k < ptr[N]; k++)
		value_set(C->store.value, typed, k, val[1][k]);
	expect_status(ek_matrix_set_values(C, ptr[N], typed), EK_OK);
	free(typed);
	check_products(C, 1, what);
}

static void test_parts(void **state)
{
	(void)state;
	for (int turn = 0; turn < 6 * KINDS; turn++) {
		const int kind = turn % KINDS;
		const char *what = kinds[kind].what;
		ek_matrix *A, *C;

		make(kind, turn / KINDS % 2 ? EK_F32 : EK_F64, (ek_index)(1 + turn % 3), &A);
		expect_status(ek_matrix_convert(A, "cocktail", NULL, &C), EK_OK);
		expect_status(ek_matrix_check(C), EK_OK);
		check_parts(C, kind);
		check_products(C, 0, what);
		if (C->store.value == EK_F64)
			check_leak(A, C, turn % 2 ? EK_OP_T : EK_OP_N,
			           turn / 2 % 2 ? (double)NAN : -(double)INFINITY, 397, what);
		check_values(C, what);
		ek_matrix_destroy(C);
		ek_matrix_destroy(A);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts)};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, context_setup_cut, context_teardown);
}
