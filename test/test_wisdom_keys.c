/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the keys by which decisions are found: each part of a question changes its key, and the
 * hash of a pattern depends on all that it should, and on nothing else. */
#include "support/trials.h"

/* Returns the key of the question that a plan asks. */
static eki_wisdom_key key_of(const ek_matrix *M, ek_operation operation, int width)
{
	ek_hints h = {.size = sizeof h, .calls = 100, .measure = 1, .width = width};
	eki_wisdom_key key;
	ek_plan *plan;

	expect_status(ek_plan_create(operation, M, &h, &plan), EK_OK);
	assert_true(eki_wisdom_key_of(&plan->root, NULL, &key));
	ek_plan_destroy(plan);
	return key;
}

static void expect_known(const eki_wisdom_key *key, bool known, const char *what)
{
	eki_decision d;

	if (eki_wisdom_find(ctx, key, &d) != known)
		fail_msg("%s: a decision was%s found", what, known ? " not" : "");
}

/* A decision is found by its key only: each byte counts, and each thing that the key is made of
 * changes it. */
static void parts_of_keys(void **state)
{
	const double gbps = ctx->machine->memory_gbps;
	eki_machine *machine = (eki_machine *)(uintptr_t)ctx->machine;
	const ek_isa isa = ctx->isa;
	eki_wisdom_key key, other;
	ek_matrix *B;

	(void)state;
	fake_reset();
	ek_plan_destroy(decide(EK_SPMV, EK_OP_N));
	key = key_of(A, EK_SPMV, 0);
	expect_known(&key, true, "the same question");
	for (size_t k = 0; k < sizeof key; k++) {
		char what[40];

		other = key;
		((char *)&other)[k] ^= 1;
		snprintf(what, sizeof what, "byte %d of the key", (int)k);
		expect_known(&other, false, what);
	}
	other = key_of(A, EK_SPMM, 2);
	expect_known(&other, false, "SpMM");
	ek_plan_destroy(decide(EK_SPMM, EK_OP_N));
	other = key_of(A, EK_SPMM, WIDTH);
	expect_known(&other, true, "SpMM of the same width");
	other = key_of(A, EK_SPMM, WIDTH + 1);
	expect_known(&other, false, "SpMM of another width");
	expect_status(convert_types(A, EK_F32, EK_I32, &B), EK_OK);
	other = key_of(B, EK_SPMV, 0);
	assert_true(other.pattern == key.pattern);
	expect_known(&other, false, "other values");
	ek_matrix_destroy(B);
	if (isa != EK_ISA_SCALAR) {
		ctx->isa = EK_ISA_SCALAR;
		other = key_of(A, EK_SPMV, 0);
		expect_known(&other, false, "another instruction set");
		ctx->isa = isa;
	}
	if (isa == EK_ISA_AVX2 || isa == EK_ISA_AVX2_LOADS) {
		ctx->isa = isa == EK_ISA_AVX2 ? EK_ISA_AVX2_LOADS : EK_ISA_AVX2;
		other = key_of(A, EK_SPMV, 0);
		expect_known(&other, false, "another way to gather");
		ctx->isa = isa;
	}
	machine->memory_gbps *= 2;
	other = key_of(A, EK_SPMV, 0);
	expect_known(&other, false, "another profile");
	machine->memory_gbps = gbps;
	other = key_of(A, EK_SPMV, 0);
	expect_known(&other, true, "all as before");
}

/* The hash of a pattern is another one in each format, the same for a second copy, and does not
 * depend on values. */
static void patterns_of_formats(void **state)
{
	enum { MOST = 40 };
	uint64_t seen[MOST];
	ek_matrix *banded, *scaled;
	int count = 0;

	(void)state;
	expect_status(ek_matrix_generate(ctx, "banded:n=500,lower=2,upper=3,seed=1", EK_F64, EK_I32,
	                                 &banded),
	              EK_OK);
	expect_status(ek_matrix_generate(ctx, "banded:n=500,lower=2,upper=3,seed=2", EK_F64, EK_I32,
	                                 &scaled),
	              EK_OK);
	for (const ek_format *f = NULL; (f = ek_format_next(f)) && count < MOST; count++) {
		const ek_matrix *from[] = {banded, banded, scaled};
		uint64_t key[3];

		for (int k = 0; k < 3; k++) {
			ek_matrix *B;

			expect_status(ek_matrix_convert(from[k], ek_format_name(f), NULL, &B),
			              EK_OK);
			key[k] = eki_matrix_pattern(B);
			ek_matrix_destroy(B);
		}
		assert_true(key[0] == key[1] && key[0] == key[2]);
		for (int k = 0; k < count; k++)
			if (seen[k] == key[0])
				fail_msg("%s: hash of another format", ek_format_name(f));
		seen[count] = key[0];
	}
	assert_true(count > 10);
	ek_matrix_destroy(banded);
	ek_matrix_destroy(scaled);
}

/* A decision holds for its question only. */
static void keys_differ(void **state)
{
	ek_hints h = {.size = sizeof h, .calls = 100, .measure = 1};
	ek_matrix *B, *C;
	ek_plan *plan;

	(void)state;
	fake_reset();
	ek_plan_destroy(decide(EK_SPMV, EK_OP_N));
	expect_status(ek_plan_create(EK_SPMV, A, &h, &plan), EK_OK);
	assert_true(plan->trials->known);
	ek_plan_destroy(plan);
	for (int k = 0; k < 6; k++) {
		ek_hints other = h;

		other.op = k == 0 ? EK_OP_T : 0;
		other.calls = k == 1 ? 1000 : 999;
		other.threads = k == 2 ? 1 : 0;
		other.memory = k == 3 ? 1 << 20 : 0;
		other.format = k == 4 ? "csr" : NULL;
		expect_status(ek_plan_create(EK_SPMV, A, &other, &plan), EK_OK);
		if (plan->trials->known != (k == 5))
			fail_msg("hints %d: a decision was%s found", k, k == 5 ? " not" : "");
		ek_plan_destroy(plan);
	}
	expect_status(convert_types(A, EK_F64, EK_I64, &B), EK_OK);
	expect_status(ek_matrix_generate(ctx, "uniform:rows=6000,cols=6000,k=9,seed=5", EK_F64,
	                                 EK_I32, &C),
	              EK_OK);
	assert_true(eki_matrix_pattern(A) == eki_matrix_pattern(A));
	assert_true(eki_matrix_pattern(A) != eki_matrix_pattern(C));
	expect_status(ek_plan_create(EK_SPMV, B, &h, &plan), EK_OK);
	assert_false(plan->trials->known);
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	ek_matrix_destroy(C);
}

/* The hash does not depend on threads, and changes with each index. */
static void patterns(void **state)
{
	enum { ROWS = 2000, EACH = 200 };
	static int32_t ptr[ROWS + 1], col[ROWS * EACH];
	static double val[ROWS * EACH];
	ek_context *one = heap_context(&heap, 1, 0), *cut = heap_context(&heap, 3, 0);
	uint64_t first = 0;

	(void)state;
	for (int i = 0; i < ROWS * EACH; i++)
		col[i] = i % EACH;
	for (int i = 0; i <= ROWS; i++)
		ptr[i] = i * EACH;
	for (int k = 0; k < 40; k++) {
		uint64_t key[2];
		const int at = k * 1499 % (ROWS * EACH);

		for (int c = 0; c < 2; c++) {
			ek_matrix *B;

			expect_status(ek_matrix_from_csr(c ? one : cut, EK_F64, EK_I32, ROWS,
			                                 EACH + 1, ptr, col, val, EK_BORROW, &B),
			              EK_OK);
			key[c] = eki_matrix_pattern(B);
			ek_matrix_destroy(B);
		}
		assert_true(key[0] == key[1]);
		first = k ? first : key[0];
		assert_true((k == 0) == (key[0] == first));
		if (k)
			col[(k - 1) * 1499 % (ROWS * EACH)] = (k - 1) * 1499 % EACH;
		col[at] = EACH;
	}
	ek_context_destroy(one);
	ek_context_destroy(cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_differ),
		cmocka_unit_test(parts_of_keys),
		cmocka_unit_test(patterns_of_formats),
		cmocka_unit_test(patterns),
	};

	return run_all_tests(tests, trials_setup, trials_teardown);
}
