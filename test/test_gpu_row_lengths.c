/* SPDX-License-Identifier: BSD-3-Clause
 * Tests methods of devices whose work depends on row lengths: CSR-Stream, CSR-Adaptive, ACSR,
 * segmented sum and segSpMV. Row lengths give their special cases: rows that fill a block to the
 * last entry, rows far longer than their neighbours, rows that several groups share. Parameters are
 * at their limits and between them. Sums are exact. Each plan runs several times and must give the
 * same result, so it must leave its counters at zero. */
#include "plan/plan.h"
#include "support/devices.h"
#include "support/random.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* Patterns of row lengths. A pattern is the list `length`, which ends at a 0 or at the end of the
 * array, repeated `times` times. */
static const struct pattern {
	const char *name;
	int times;
	int64_t length[12];
} pattern[] = {
	{"pieces of one row", 1, {100003}},
	{"pieces of rows and blocks in turn", 3, {1, 4096, 3, 4097, 1, 8193, 2, 20000, 1}},
	{"full blocks", 5, {256, 1024, 1023, 1, 2047, 1, 2048, 2049, 512, 512, 1}},
	{"a long row among short ones", 9, {1, 1, 1, 1, 1, 900, 1, 1, 1, 2, 1}},
	{"long rows in a block of few", 8, {40, 30, 50, 700, 20, 60, 33, 35, 32, 31}},
	{"rows that begin in one bank", 100, {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16}},
	{"rows of 33", 60, {33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33}},
	{"single entries", 500, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	{"both ends of bins", 4, {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64}},
	{"both ends of longer bins", 2, {65, 128, 129, 256, 257, 512, 513, 1024, 1025, 2048, 4097}},
	{"a row of a million entries", 1, {1000000}},
};

static const char *const method[] = {
	"spmv.csr.stream.gpu",
	"spmv.csr.stream.gpu:block=300",
	"spmv.csr.stream.gpu:block=2049",
	"spmv.csr.stream.gpu:block=8192",
	"spmv.csr.adaptive.gpu",
	"spmv.csr.adaptive.gpu:block=256,small=1",
	"spmv.csr.adaptive.gpu:block=1000,small=30",
	"spmv.csr.adaptive.gpu:block=2048,small=256",
	"spmv.csr.adaptive.gpu:block=8192",
	"spmv.csr.adaptive.gpu:block=5000,small=30",
	"spmv.csr.adaptive.gpu:block=1024,whole=1",
	"spmv.csr.classes.gpu",
	"spmv.csr.classes.gpu:s=20",
	"spmv.csr.merge.gpu",
	"spmv.csr.panels.gpu",
	"spmv.csr.panels.gpu:panels=50,width=64",
	"spmv.csr.acsr.gpu",
	"spmv.csr.acsr.gpu:each=1,long=256",
	"spmv.csr.acsr.gpu:each=16,long=65536",
	"spmv.csr.ps.gpu",
	"spmv.csr.ps_published.gpu",
	"spmv.csr.segsum.gpu",
	"spmv.csr.segspmv.gpu",
	"spmv.csr.segspmv.gpu:s=1",
	"spmv.csr.segspmv.gpu:s=200",
	"spmv.csr.segspmv_r.gpu",
	"spmv.csr.segspmv_r.gpu:s=2",
	"spmv.csr.segspmv_gather.gpu",
	"spmv.csr.segspmv_gather.gpu:s=1",
	"spmv.csr.segspmv_gather.gpu:s=256",
};

enum { COLS = 5000, RUNS = 4 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct rng draw = {5};

/* A matrix in CSR, x, and the expected result A x in `right`. */
struct sample {
	int64_t rows, nnz;
	int64_t *ptr, *col;
	double *val, x[COLS], *right;
};

/* Makes a matrix with the row lengths of the pattern. Repetition t = 0, 1, ... of the list is
 * followed by t empty rows. */
static void make_sample(struct sample *s, const struct pattern *p)
{
	int64_t entries = 0, rows = 0;

	*s = (struct sample){0};
	for (int k = 0; k < 12 && p->length[k]; k++, rows++)
		entries += p->length[k];
	rows = (rows + p->times) * p->times;
	s->ptr = calloc((size_t)rows + 1, sizeof *s->ptr);
	s->col = malloc((size_t)(entries * p->times) * sizeof *s->col);
	s->val = malloc((size_t)(entries * p->times) * sizeof *s->val);
	s->right = calloc((size_t)rows, sizeof *s->right);
	for (int64_t j = 0; j < COLS; j++)
		s->x[j] = rng_integer(&draw, 3);
	for (int t = 0; t < p->times; t++) {
		for (int k = 0; k < 12 && p->length[k]; k++) {
			for (int64_t n = 0; n < p->length[k]; n++, s->nnz++) {
				s->col[s->nnz] = rng_below(&draw, COLS);
				s->val[s->nnz] = rng_integer(&draw, 3);
				s->right[s->rows] += s->val[s->nnz] * s->x[s->col[s->nnz]];
			}
			s->ptr[++s->rows] = s->nnz;
		}
		for (int k = 0; k < t; k++)
			s->ptr[++s->rows] = s->nnz;
	}
}

static void free_sample(struct sample *s)
{
	free(s->ptr);
	free(s->col);
	free(s->val);
	free(s->right);
}

static void *typed_copy(ek_value value, const double *from, int64_t n)
{
	void *to = malloc((size_t)n * ek_value_size(value));

	for (int64_t k = 0; k < n; k++)
		value_set(value, to, k, from[k]);
	return to;
}

static void check_plan(ek_plan *plan, const struct sample *s, ek_value value, const char *what)
{
	void *x = typed_copy(value, s->x, COLS), *y = typed_copy(value, s->right, s->rows);
	const ek_dense in = ek_vector(value, COLS, x), out = ek_vector(value, s->rows, y);

	for (int run = 0; run < RUNS; run++) {
		const double alpha = run % 2 ? -1 : 0.5, beta = run < 2 ? 0 : 2;

		for (int64_t i = 0; i < s->rows; i++)
			value_set(value, y, i, beta == 0 ? NAN : (double)(i % 5));
		expect_status(ek_spmv(plan, alpha, &in, beta, &out), EK_OK);
		for (int64_t i = 0; i < s->rows; i++) {
			const double want = alpha * s->right[i] + beta * (double)(i % 5);

			if (value_at(value, y, i) != want)
				fail_msg("%s, run %d: y[%lld] is %g instead of %g", what, run,
				         (long long)i, value_at(value, y, i), want);
		}
	}
	free(x);
	free(y);
}

static void check_pattern(const struct pattern *p, unsigned turn, unsigned type)
{
	const ek_value value = type % 2 ? EK_F32 : EK_F64;
	const ek_index index = (ek_index)(1 + type % 3);
	const struct device_context *on = &devices.of[turn % (unsigned)devices.count];
	struct sample s;
	ek_matrix *wide, *A;
	ek_plan *plan;
	char what[200];

	make_sample(&s, p);
	expect_status(ek_matrix_from_csr(on->ctx, EK_F64, EK_I64, s.rows, COLS, s.ptr, s.col, s.val,
	                                 EK_BORROW, &wide),
	              EK_OK);
	expect_status(convert_types(wide, value, index, &A), EK_OK);
	for (size_t m = 0; m < COUNT(method); m++) {
		const ek_hints hints = {.size = sizeof hints, .method = method[m]};

		snprintf(what, sizeof what, "%s, %s %s, on %s, %s", method[m], ek_value_name(value),
		         ek_index_name(index), on->text, p->name);
		expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
		check_plan(plan, &s, value, what);
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(wide);
	free_sample(&s);
}

static void test_patterns(void **state)
{
	/* Test few pairs of types, since each pair is compiled separately for each context, which
	 * takes most of the time. */
	const enum tier tier = test_tier();
	const unsigned types = tier == TIER_BRIEF ? 1 : tier == TIER_QUICK ? 2 : 6;
	const unsigned turns = tier == TIER_LONG ? 6 : 1;
	const unsigned contexts = tier == TIER_BRIEF ? 1 : (unsigned)devices.count;

	(void)state;
	need_device();
	for (unsigned turn = 0; turn < turns; turn++)
		for (unsigned k = 0; k < COUNT(pattern); k++)
			check_pattern(&pattern[k], (turn + k) % contexts, (turn + k) % types);
}

/* Checks that ACSR launches one kernel for each bin that has rows and none for the others, and says
 * so; rows without entries are left alone if beta is 1. */
static void test_bins(void **state)
{
	static const struct {
		struct pattern pattern;
		int launches; /* with beta other than 1 */
		const char *said;
	} of[] = {
		{{"", 1, {2, 1, 2}}, 1, "bin: to 2: 3\n"},
		{{"", 2, {1, 2, 3}}, 3, "bin: to 0: 1 to 2: 4 to 4: 2\n"},
		{{"", 1, {4096, 5, 4097}}, 3, "bin: to 8: 1 to 4096: 1 more than 4096: 1\n"},
	};
	static double y[64];
	char text[4000];

	(void)state;
	need_device();
	for (size_t k = 0; k < COUNT(of); k++)
		for (int beta = 0; beta < 2; beta++) {
			const ek_hints hints = {.size = sizeof hints,
			                        .method = "spmv.csr.acsr.gpu"};
			ek_context *ctx = devices.of[0].ctx;
			ek_device_counters before = {.size = sizeof before}, after = before;
			struct sample s;
			ek_matrix *A;
			ek_plan *plan;

			make_sample(&s, &of[k].pattern);
			const ek_dense in = ek_vector(EK_F64, COLS, s.x);
			const ek_dense out = ek_vector(EK_F64, s.rows, y);

			expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, s.rows, COLS, s.ptr,
			                                 s.col, s.val, EK_BORROW, &A),
			              EK_OK);
			expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
			expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
			assert_non_null(strstr(text, of[k].said));
			expect_status(ek_device_get_counters(ctx, &before), EK_OK);
			expect_status(ek_spmv(plan, 1, &in, beta, &out), EK_OK);
			expect_status(ek_device_get_counters(ctx, &after), EK_OK);
			assert_int_equal(after.launches - before.launches,
			                 of[k].launches - (beta == 1 && k == 1));
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
			free_sample(&s);
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_bins),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
