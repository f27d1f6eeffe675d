/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the decisions that a context remembers: they lead to the same method and the same bits in
 * another context, by way of a file; decisions that cannot be followed; and those of other
 * machines. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <time.h>
#include <unistd.h>

#include "support/trials.h"
#include "tune/tune.h"

enum { MOST_TEXT = 1 << 14 };

static char path[64];

static int setup(void **state)
{
	snprintf(path, sizeof path, "/tmp/ek-wisdom-%ld", (long)getpid());
	return trials_setup(state);
}

static int teardown(void **state)
{
	unlink(path);
	return trials_teardown(state);
}

static void write_text(const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) == EOF || fclose(f) != 0)
		abort();
}

static void read_text(char text[MOST_TEXT])
{
	FILE *f = fopen(path, "r");

	if (!f)
		abort();
	text[fread(text, 1, MOST_TEXT - 1, f)] = 0;
	fclose(f);
}

/* ---- From one program to the next ------------------------------------------------------------ */

static void same_method_same_bits(void **state)
{
	static const ek_operation operations[] = {EK_SPMV, EK_SPMV, EK_SPMM};
	static const ek_op ops[] = {EK_OP_N, EK_OP_T, EK_OP_N};
	ek_plan *plan[3], *again;
	ek_context *before = ctx, *other;
	ek_matrix *mine = A, *B;
	char text[4096];

	(void)state;
	fake_reset();
	for (int k = 0; k < 3; k++)
		plan[k] = decide(operations[k], ops[k]);
	assert_int_equal(ek_wisdom_count(ctx), 3);
	expect_status(ek_wisdom_save(ctx, path), EK_OK);
	other = heap_context(&heap, 3, 0);
	trials_machine(other);
	expect_status(ek_wisdom_load(other, path), EK_OK);
	assert_int_equal(ek_wisdom_count(other), 3);
	expect_status(
		ek_matrix_generate(other, "uniform:rows=6000,cols=6000,k=9", EK_F64, EK_I32, &B),
		EK_OK);
	for (int k = 0; k < 3; k++) {
		again = make_plan(B, operations[k], ops[k], true, NULL, NULL);
		assert_true(again->trials->decided && again->trials->known);
		assert_string_equal(ek_plan_method(again), ek_plan_method(plan[k]));
		assert_string_equal(ek_plan_format(again), ek_plan_format(plan[k]));
		run(plan[k], 0, y);
		run(again, 0, z);
		assert_memory_equal(y, z, result_bytes(again));
		expect_status(ek_plan_explain(again, text, sizeof text), EK_OK);
		assert_non_null(strstr(text, "measured before"));
		ek_plan_destroy(again);
		/* Without the hint, decisions change nothing. */
		again = make_plan(B, operations[k], ops[k], false, NULL, NULL);
		assert_string_equal(ek_plan_method(again), plan[k]->trials->list[0].method->name);
		assert_string_not_equal(ek_plan_method(again), ek_plan_method(plan[k]));
		ek_plan_destroy(again);
		ek_plan_destroy(plan[k]);
	}
	expect_status(ek_wisdom_forget(other), EK_OK);
	assert_int_equal(ek_wisdom_count(other), 0);
	again = make_plan(B, EK_SPMV, EK_OP_N, true, NULL, NULL);
	assert_false(again->trials->known);
	ek_plan_destroy(again);
	ek_matrix_destroy(B);
	ek_context_destroy(other);
	ctx = before;
	A = mine;
}

/* EK_METHOD and names come before decisions; decisions that cannot be followed are passed over. */
static void not_followed(void **state)
{
	ek_context *forced;
	ek_matrix *B;
	eki_decision wrong;
	ek_plan *plan;

	(void)state;
	fake_reset();
	ek_plan_destroy(decide(EK_SPMV, EK_OP_N));
	expect_status(ek_wisdom_save(ctx, path), EK_OK);
	plan = make_plan(A, EK_SPMV, EK_OP_N, true, "csr.merge", NULL);
	assert_string_equal(ek_plan_method(plan), "spmv.csr.merge");
	ek_plan_destroy(plan);
	plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	wrong = (eki_decision){.key = plan->trials->key, .calls = 100};
	ek_plan_destroy(plan);
	strcpy(wrong.method, "spmv.csr.transposed"); /* for op T only */
	strcpy(wrong.format, "csr");
	expect_status(eki_wisdom_add(ctx, &wrong, 1), EK_OK);
	assert_int_equal(ek_wisdom_count(ctx), 1);
	plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	assert_false(plan->trials->known || plan->trials->decided);
	ek_plan_destroy(plan);
	setenv("EK_METHOD", "spmv.csr.rows", 1);
	forced = heap_context(&heap, 3, 0);
	unsetenv("EK_METHOD");
	expect_status(ek_wisdom_load(forced, path), EK_OK);
	expect_status(
		ek_matrix_generate(forced, "uniform:rows=6000,cols=6000,k=9", EK_F64, EK_I32, &B),
		EK_OK);
	plan = make_plan(B, EK_SPMV, EK_OP_N, true, NULL, NULL);
	assert_string_equal(ek_plan_method(plan), "spmv.csr.rows");
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	ek_context_destroy(forced);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Decisions of other machines are kept, in their order, and one with a known key is replaced. */
static void other_machines(void **state)
{
	static char text[MOST_TEXT], back[MOST_TEXT];
	char here[sizeof ctx->wisdom.machine];

	(void)state;
	fake_reset();
	eki_wisdom_machine(ctx, here);
	snprintf(text, sizeof text,
	         "evenkeel wisdom 1\n"
	         "machine 9.9.9 Some Other Processor\n"
	         "decision 0000000000000abc 0000000000000001 spmv9 h f16 128 sve 4 1 -1 4 csr9:c=8 "
	         "spmv9.new csr9 1000\n"
	         "decision 0000000000000abd 00000000000000ff spmv n f64 32 avx2 4 1 0 4 - "
	         "spmv.csr.rows "
	         "csr 1000\n"
	         "machine %s\n"
	         "decision 00000000000000aa 0123456789abcdef spmm t f32 64/32 scalar 2 8 4096 7 "
	         "sell:c=8 "
	         "spmm.columns sell:c=8,sigma=64 1234567\n"
	         "end 3\n",
	         here);
	write_text(text);
	for (int k = 0; k < 2; k++) {
		expect_status(ek_wisdom_load(ctx, path), EK_OK);
		assert_int_equal(ek_wisdom_count(ctx), 3);
	}
	expect_status(ek_wisdom_save(ctx, path), EK_OK);
	read_text(back);
	assert_string_equal(back, text);
	expect_status(ek_wisdom_forget(ctx), EK_OK);
	expect_status(ek_wisdom_save(ctx, path), EK_OK);
	read_text(back);
	assert_string_equal(back, "evenkeel wisdom 1\nend 0\n");
	expect_status(ek_wisdom_load(ctx, path), EK_OK);
}

/* Many decisions, so that the table grows, each of which is found. */
static void many(void **state)
{
	enum { MANY = 3000 };
	eki_decision d = {.calls = 100, .method = "spmv.csr.rows", .format = "csr"}, found;
	struct timespec begin, end;
	double ns, least = 0;
	volatile bool all = true;

	(void)state;
	fake_reset();
	ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);

	d.key = plan->trials->key;
	ek_plan_destroy(plan);
	for (int k = 0; k < MANY; k++) {
		d.key.pattern = 77 + (uint64_t)k * 4096;
		d.key.threads = 1 + k % 5;
		expect_status(eki_wisdom_add(ctx, &d, 1), EK_OK);
	}
	expect_status(ek_wisdom_save(ctx, path), EK_OK);
	expect_status(ek_wisdom_forget(ctx), EK_OK);
	expect_status(ek_wisdom_load(ctx, path), EK_OK);
	assert_int_equal(ek_wisdom_count(ctx), MANY);
	for (int round = 0; round < 9; round++) {
		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (int k = 0; k < MANY; k++) {
			d.key.pattern = 77 + (uint64_t)k * 4096;
			d.key.threads = 1 + k % 5;
			all &= eki_wisdom_find(ctx, &d.key, &found);
		}
		clock_gettime(CLOCK_MONOTONIC, &end);
		ns = ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
		      (double)(end.tv_nsec - begin.tv_nsec)) /
		     MANY;
		least = round == 0 || ns < least ? ns : least;
	}
	assert_true(all);
	d.key.threads = 6;
	assert_false(eki_wisdom_find(ctx, &d.key, &found));
	print_message("  a decision is found in %.0f ns\n", least);
	fake_reset();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_method_same_bits),
		cmocka_unit_test(not_followed),
		cmocka_unit_test(other_machines),
		cmocka_unit_test(many),
	};

	return run_all_tests(tests, setup, teardown);
}
