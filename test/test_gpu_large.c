/* SPDX-License-Identifier: BSD-3-Clause
 * Tests all methods of devices on matrices with hundreds of thousands of rows or entries, so that
 * many groups work on rows and on pieces of rows, each in several rounds. Data are integers, and
 * results are compared with those of the oracle. A new row of the table is tested without a change
 * here. Compiling takes most of the time, so the quick tier has one index type and one context for
 * each value type. */
#include "plan/plan.h"
#include "support/devices.h"
#include "support/random.h"
#include "support/support.h"

static const char *const spec[] = {
	"powerlaw:rows=30000,cols=20000,max=9000,values=integer",
	"denserow:rows=120000,cols=70000,k=2,values=integer",
	"emptyrows:rows=90000,cols=50000,k=5,values=integer",
	"hypersparse:rows=300000,cols=100000,mean=0.05,values=integer",
	"poisson2d9:nx=170,ny=150,values=integer",
	"fem:nx=7,ny=7,nz=40,dof=3,values=integer",
	"lp:rows=60,cols=9000,mean=4000,max=9000,values=integer",
};

static struct rng draw = {11};
static ek_context *cpu;

struct vectors {
	int64_t in, out;
	double alpha, beta;
	void *x, *y0, *y, *right;
};

static void *make_vector(ek_value value, int64_t n)
{
	void *v = malloc((size_t)n * ek_value_size(value));

	assert_non_null(v);
	for (int64_t i = 0; i < n; i++)
		value_set(value, v, i, rng_integer(&draw, 3));
	return v;
}

/* Makes the vectors. Computes the expected result by the oracle or, for op T, by
 * spmv.csr.transposed. */
static void make_vectors(const ek_matrix *A, ek_value value, int op, struct vectors *v)
{
	static const double pair[][2] = {{1, 0}, {2, 1}, {-1, 3}};
	const ek_hints hints = {.size = sizeof hints,
	                        .op = op ? EK_OP_T : EK_OP_N,
	                        .method = op ? "spmv.csr.transposed" : "spmv.csr.serial"};
	const int turn = (int)rng_below(&draw, 3);
	ek_matrix_info info = {.size = sizeof info};
	ek_plan *plan;

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	*v = (struct vectors){.in = op ? info.rows : info.cols,
	                      .out = op ? info.cols : info.rows,
	                      .alpha = pair[turn][0],
	                      .beta = pair[turn][1]};
	v->x = make_vector(value, v->in);
	v->y0 = make_vector(value, v->out);
	v->y = make_vector(value, v->out);
	v->right = make_vector(value, v->out);
	memcpy(v->right, v->y0, (size_t)v->out * ek_value_size(value));

	const ek_dense x = ek_vector(value, v->in, v->x), y = ek_vector(value, v->out, v->right);

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	expect_status(ek_spmv(plan, v->alpha, &x, v->beta, &y), EK_OK);
	ek_plan_destroy(plan);
}

static void free_vectors(struct vectors *v)
{
	free(v->x);
	free(v->y0);
	free(v->y);
	free(v->right);
}

/* Checks one product and returns 1, or 0 if the method refuses the matrix, because its format does
 * not support it or would be too large. */
static int check(const ek_matrix *A, ek_value value, int op, const char *method,
                 const struct vectors *v, const char *what)
{
	const ek_hints hints = {
		.size = sizeof hints, .method = method, .op = op ? EK_OP_T : EK_OP_N};
	const ek_dense x = ek_vector(value, v->in, v->x), y = ek_vector(value, v->out, v->y);
	ek_plan *plan;
	const ek_status status = ek_plan_create(EK_SPMV, A, &hints, &plan);

	if (status == EK_ELIMIT || status == EK_EUNSUPPORTED)
		return 0;
	if (status != EK_OK)
		fail_msg("%s op %c, %s: no plan: %s", method, op ? 'T' : 'N', what,
		         ek_error_text());
	memcpy(v->y, v->y0, (size_t)v->out * ek_value_size(value));
	expect_status(ek_spmv(plan, v->alpha, &x, v->beta, &y), EK_OK);
	for (int64_t i = 0; i < v->out; i++)
		if (value_at(value, v->y, i) != value_at(value, v->right, i))
			fail_msg("%s op %c, %s: y[%lld] is %g instead of %g", method,
			         op ? 'T' : 'N', what, (long long)i, value_at(value, v->y, i),
			         value_at(value, v->right, i));
	ek_plan_destroy(plan);
	return 1;
}

static void test_large(void **state)
{
	int done = 0, tried = 0;

	(void)state;
	need_device();
	for (int k = 0; k < (int)(sizeof spec / sizeof *spec); k++) {
		const ek_value value = k % 2 ? EK_F32 : EK_F64;
		const bool few = test_tier() <= TIER_QUICK;
		const ek_index index = (ek_index)(1 + (few ? k % 2 * 2 : k % 3));
		const struct device_context *on =
			&devices.of[few ? k % 2 * (devices.count - 1) : k % devices.count];
		ek_matrix *A, *B;

		expect_status(ek_matrix_generate(cpu, spec[k], value, index, &A), EK_OK);
		expect_status(ek_matrix_generate(on->ctx, spec[k], value, index, &B), EK_OK);
		for (int op = 0; op < 2; op++) {
			struct vectors v;

			make_vectors(A, value, op, &v);
			for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPMV));
			     tried++)
				if (ek_method_supports(m, op ? EK_OP_T : EK_OP_N, EK_REPRO_RUN))
					done += check(B, value, op, ek_method_name(m), &v, spec[k]);
			free_vectors(&v);
		}
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
	}
	print_message("  %d plans of %d\n", done, tried);
	assert_true(2 * done > tried);
}

static int setup(void **state)
{
	const ek_options o = {.size = sizeof o, .device = "cpu"};

	expect_status(ek_context_create(&o, &cpu), EK_OK);
	return devices_setup(state);
}

static int teardown(void **state)
{
	ek_context_destroy(cpu);
	return devices_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_large)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
