/* SPDX-License-Identifier: BSD-3-Clause
 * Tests each part of a cocktail: matrices whose entries must go to one part, or to two, and what
 * becomes of them in products, with new values, and with numbers that are not finite; and parts
 * that cannot be together, which files may have. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "format/cocktail_parts.h"
#include "format/coo.h"
#include "format/ell.h"
#include "format/sell.h"
#include "io/io.h"
#include "support/context.h"
#include "support/random.h"
#include "support/support.h"

enum { MOST_ROWS = 4101, MOST = 80, B = 4, RUN = 128 };

static struct rng draw = {5};
static int64_t ptr[MOST_ROWS + 1], col[MOST_ROWS * MOST];
static double val[2][MOST_ROWS * MOST];
static bool there[MOST_ROWS];

/* Rows and columns of all matrices, the second and third not multiples of any block, group or
 * vector, and how many rows and columns at either end are empty. */
static const struct shape {
	int64_t rows, cols, empty;
} shapes[] = {{4096, 4096, 0}, {4099, 4101, 0}, {4099, 4101, 5}};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static struct shape now;

/* Adds the entries of row i to `there`. */
typedef void add_row(int64_t i);

static void add_diagonals(int64_t i, const int64_t *offset, int n)
{
	for (int k = 0; k < n; k++)
		if (i + offset[k] >= 0 && i + offset[k] < now.cols)
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
		const int64_t q = (7 * (i / B) + k * 83) % ((now.cols + B - 1) / B);

		for (int64_t j = 0; j < B && q * B + j < now.cols; j++)
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
		there[(37 * i + 101 * k + 7 * k * k) % now.cols] = true;
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

	for (int64_t i = 0; i < now.rows; i++) {
		memset(there, 0, sizeof there);
		if (i >= now.empty && i < now.rows - now.empty)
			kinds[kind].add(i);
		ptr[i + 1] = ptr[i];
		for (int64_t j = now.empty; j < now.cols - now.empty; j++)
			if (there[j])
				col[ptr[i + 1]++] = j;
	}
	for (int64_t k = 0; k < ptr[now.rows]; k++) {
		val[0][k] = rng_integer(&draw, 5);
		val[1][k] = rng_integer(&draw, 5);
	}
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, now.rows, now.cols, ptr, col, val[0],
	                                 EK_BORROW, &wide),
	              EK_OK);
	expect_status(ek_matrix_convert(wide, "csr", &types, A), EK_OK);
	ek_matrix_destroy(wide);
}

enum { BLOCK_PARTS = 1u << PART_BCSR | 1u << PART_BELL | 1u << PART_SBELL };

/* Returns the parts that must have entries. On a processor, lanes take fewer bytes than BCSR only
 * if pointers are longer than columns. */
static unsigned parts_of(int kind, ek_index index)
{
	const unsigned lanes = 1u << PART_BELL | 1u << PART_SBELL, parts = kinds[kind].parts;

	return index != EK_I64_32 && parts & lanes ? (parts & ~lanes) | 1u << PART_BCSR : parts;
}

/* Checks which parts have entries. If rows are empty, lanes pad them, so that any part with blocks
 * may have the fewest bytes. */
static void check_parts(const ek_matrix *C, int kind)
{
	unsigned parts = parts_of(kind, C->store.index), found = 0;
	ek_store part[PARTS];

	eki_cocktail_parts(&C->store, part);
	for (int k = 0; k < PARTS; k++)
		if (part[k].nnz > C->store.nnz / 100)
			found |= 1u << k;
	if (now.empty > 0 && parts & BLOCK_PARTS && found & BLOCK_PARTS)
		parts = (parts & ~BLOCK_PARTS) | (found & BLOCK_PARTS);
	if (found != parts)
		fail_msg("%s, %lld x %lld, %lld empty, %s: parts 0x%x instead of 0x%x have entries",
		         kinds[kind].what, (long long)now.rows, (long long)now.cols,
		         (long long)now.empty, ek_index_name(C->store.index), found, parts);
}

/* Checks both products of a matrix that has values `which`. */
static void check_products(const ek_matrix *C, int which, const char *what)
{
	const ek_value value = C->store.value;
	double x[MOST_ROWS], want[MOST_ROWS], in[MOST_ROWS], out[MOST_ROWS];

	for (int64_t i = 0; i < MOST_ROWS; i++) {
		x[i] = rng_integer(&draw, 5);
		value_set(value, in, i, x[i]);
	}
	for (int op = 0; op < 2; op++) {
		const ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
		const int64_t nx = op ? now.rows : now.cols, ny = op ? now.cols : now.rows;
		const ek_dense X = ek_vector(value, nx, in), Y = ek_vector(value, ny, out);
		ek_plan *plan;

		for (int64_t i = 0; i < ny; i++) {
			want[i] = 3;
			value_set(value, out, i, 6);
		}
		for (int64_t i = 0; i < now.rows; i++)
			for (int64_t k = ptr[i]; k < ptr[i + 1]; k++)
				want[op ? col[k] : i] -= val[which][k] * x[op ? i : col[k]];
		expect_status(ek_plan_create(EK_SPMV, C, &hints, &plan), EK_OK);
		expect_status(ek_spmv(plan, -1, &X, 0.5, &Y), EK_OK);
		for (int64_t i = 0; i < ny; i++)
			if (value_at(value, out, i) != want[i])
				fail_msg("%s, op %d: y[%lld] is %g, not %g", what, op, (long long)i,
				         value_at(value, out, i), want[i]);
		ek_plan_destroy(plan);
	}
}

static void check_values(ek_matrix *C, const char *what)
{
	double *typed = malloc((size_t)ptr[now.rows] * sizeof *typed);

	for (int64_t k = 0; k < ptr[now.rows]; k++)
		value_set(C->store.value, typed, k, val[1][k]);
	expect_status(ek_matrix_set_values(C, ptr[now.rows], typed), EK_OK);
	free(typed);
	check_products(C, 1, what);
}

static void test_parts(void **state)
{
	(void)state;
	for (int turn = 0; turn < 2 * SHAPES * KINDS; turn++) {
		const int kind = turn % KINDS;
		const char *what = kinds[kind].what;
		ek_matrix *A, *C;

		now = shapes[turn / KINDS / 2];
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

/* ---- Parts that other programs may put into a file ------------------------------------------- */

enum { FOUR_ROWS = 2, FOUR_COLS = 4 };

/* Makes a cocktail that has an entry in its last row for each of n parts, in column[k] for part
 * part[k]. */
static ek_matrix *make_parts(const int *part, const int32_t *column, int n)
{
	ek_store s = {.format = &ek_format_cocktail,
	              .value = EK_F64,
	              .index = EK_I32,
	              .rows = FOUR_ROWS,
	              .cols = FOUR_COLS,
	              .nnz = n};
	const int64_t lanes[] = {FOUR_ROWS, ell_stride(FOUR_ROWS), ell_stride(FOUR_ROWS)};
	const int64_t rows[] = {FOUR_ROWS + 1, 1, 1}, entries[] = {1, 1, 1};
	const int64_t c = cocktail_lanes(EK_F64), chunks[] = {2, c, c, FOUR_ROWS, 0};
	int64_t len[EKI_MAX_ARRAYS] = {0};
	ek_matrix *A;

	for (int k = 0; k < n; k++) {
		const int p = part[k];
		const int64_t *of = p == PART_ELL    ? lanes
		                    : p == PART_SELL ? chunks
		                    : p == PART_CSR  ? rows
		                                     : entries;

		memcpy(len + eki_cocktail_kind[p].first, of,
		       p == PART_SELL ? sizeof chunks : sizeof rows);
		s.dim[COCKTAIL_WIDTH] += p == PART_ELL;
	}
	expect_status(eki_store_alloc(ctx, &s, len), EK_OK);
	for (int a = 0; a < EKI_MAX_ARRAYS && s.format->array[a].name; a++)
		if (len[a])
			memset(s.array[a], 0,
			       (size_t)len[a] *
			               eki_elem_size(s.format->array[a].elem, EK_F64, EK_I32));
	for (int k = 0; k < n; k++) {
		void **const array = s.array + eki_cocktail_kind[part[k]].first;
		const int at = part[k] == PART_ELL || part[k] == PART_SELL ? FOUR_ROWS - 1 : 0;

		/* The columns and values of each of these parts are its second and third arrays. */
		((int32_t *)array[CSR_COL])[at] = column[k];
		((double *)array[CSR_VAL])[at] = 1;
		if (part[k] == PART_ELL)
			((int32_t *)array[ELL_LEN])[FOUR_ROWS - 1] = 1;
		if (part[k] == PART_CSR)
			((int32_t *)array[CSR_PTR])[FOUR_ROWS] = 1;
		if (part[k] == PART_COO)
			((int32_t *)array[COO_ROW])[0] = FOUR_ROWS - 1;
		if (part[k] == PART_SELL) {
			((int32_t *)array[SELL_PTR])[1] = (int32_t)c;
			((int32_t *)array[SELL_LEN])[FOUR_ROWS - 1] = 1;
		}
	}
	expect_status(eki_matrix_from_store(ctx, &s, &A), EK_OK);
	return A;
}

/* Tests that cocktails whose entries cannot be found by bisection are refused, in memory and in
 * files, and that others take new values. */
static void test_mixtures(void **state)
{
	static const struct {
		int part[2];
		int32_t column[2];
		const char *fault;
	} mixtures[] = {
		{{PART_ELL, PART_COO}, {1, 2}, NULL},
		{{PART_ELL, PART_CSR}, {1, 2}, NULL},
		{{PART_SELL, PART_COO}, {1, 2}, NULL},
		{{PART_SELL, PART_CSR}, {1, 2}, NULL},
		{{PART_ELL, PART_COO}, {2, 1}, "row 1: columns do not ascend"},
		{{PART_ELL, PART_CSR}, {1, 1}, "row 1: columns do not ascend"},
		{{PART_SELL, PART_COO}, {3, 0}, "row 1: columns do not ascend"},
		{{PART_SELL, PART_CSR}, {1, 0}, "row 1: columns do not ascend"},
		{{PART_ELL, PART_SELL}, {1, 2}, "ell and sell"},
		{{PART_CSR, PART_COO}, {1, 2}, "csr and coo"},
	};
	const double next[] = {5, 7};
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/tmp/ek-cocktail-%ld.ekm", (long)getpid());
	for (size_t k = 0; k < sizeof mixtures / sizeof *mixtures; k++) {
		ek_matrix *A = make_parts(mixtures[k].part, mixtures[k].column, 2), *read = NULL;

		if (mixtures[k].fault) {
			expect_error(ek_matrix_check(A), EK_ERANGE, mixtures[k].fault);
			if (eki_xxhash_version()) {
				expect_status(ek_matrix_write(A, path, NULL), EK_OK);
				expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &read),
				             EK_ERANGE, mixtures[k].fault);
				unlink(path);
			}
		} else {
			expect_status(ek_matrix_check(A), EK_OK);
			expect_status(ek_matrix_set_values(A, 2, next), EK_OK);
			for (int e = 0; e < 2; e++) {
				double value;

				expect_status(ek_matrix_get(A, FOUR_ROWS - 1, mixtures[k].column[e],
				                            &value),
				              EK_OK);
				assert_true(value == next[e]);
			}
		}
		assert_null(read);
		ek_matrix_destroy(A);
	}
}

/* Checks that an entry of a diagonal may not be in the rest, too. */
static void test_one_place(void **state)
{
	const int64_t len[EKI_MAX_ARRAYS] = {1, 32, 1, [13] = 1, 1, 1};
	ek_store s = {&ek_format_cocktail, EK_F64, EK_I32, .rows = 2, .cols = 4, .nnz = 2};
	ek_matrix *A;

	(void)state;
	expect_status(eki_store_alloc(ctx, &s, len), EK_OK);
	memset(s.array[1], 0, 32 * sizeof(double));
	*(int32_t *)s.array[0] = 0;
	((double *)s.array[1])[1] = 1;
	*(uint32_t *)s.array[2] = 2;
	*(int32_t *)s.array[13] = *(int32_t *)s.array[14] = 1;
	*(double *)s.array[15] = 1;
	expect_status(eki_matrix_from_store(ctx, &s, &A), EK_OK);
	expect_error(ek_matrix_check(A), EK_ERANGE, "two parts have an entry in the same row");
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts),
	                                   cmocka_unit_test(test_mixtures),
	                                   cmocka_unit_test(test_one_place)};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, context_setup_cut, context_teardown);
}
