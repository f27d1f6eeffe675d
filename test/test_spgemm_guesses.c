/* SPDX-License-Identifier: BSD-3-Clause
 * Tests SpGEMM by bins with rooms of temporary rows that are guessed: how close estimates are,
 * which rows grow, the bytes; and the limits on memory of all memory methods. */
#include "plan/plan.h"
#include "spgemm/bins_rooms.h"
#include "spgemm/bins_rows.h"
#include "support/bins.h"
#include "support/exhaust.h"
#include "support/held.h"
#include "support/rows.h"
#include "support/support.h"

static struct exhaust e;

static int setup(void **state)
{
	(void)state;
	exhaust_open(&e, 3, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	exhaust_close(&e);
	return 0;
}

/* ---- Rows whose rooms are guessed ------------------------------------------------------------ */

/* Squares a matrix with rooms that are guessed. Checks the rooms, what a run says of its temporary
 * bytes, and that they are within the limit that the plan needs. */
static void check_guesses(const char *spec, int memory)
{
	ek_matrix *A, *C = NULL;
	ek_matrix_info info = {.size = sizeof info};
	char method[64], text[4096];
	int64_t grow = 0;
	eki_bins b;

	snprintf(method, sizeof method, "spgemm.csr.bins:memory=%d", memory);
	expect_status(ek_matrix_generate(e.ctx, spec, EK_F64, EK_I32, &A), EK_OK);
	bins_check(A, A, method, 1, text, sizeof text);

	ek_plan *plan = bins_plan(A, A, "spgemm.csr.serial");

	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_status(ek_matrix_get_info(C, &info), EK_OK);
	expect_status(eki_bins_make(&plan->root, &b), EK_OK);
	expect_status(eki_bins_rooms(&plan->root, &b, (eki_bin_memory)memory), EK_OK);
	for (int64_t i = 0; i < info.rows; i++) {
		const int64_t n = eki_ptr_at(&C->store, i + 1) - eki_ptr_at(&C->store, i);
		const int64_t most =
			b.at[i] < EKI_PROGRESSIVE_FIRST ? b.at[i] : EKI_PROGRESSIVE_FIRST;

		assert_in_range(b.room[i], b.at[i] > 0, b.at[i]);
		assert_true(memory == EKI_MEMORY_PROBABILISTIC || b.room[i] == most);
		assert_int_equal(b.row[b.rank[i]], i);
		grow += n > b.room[i];
	}
	const long long bytes = number_after(text, "last new C: ");
	const int64_t states = (info.rows - b.begin[2]) * (int64_t)sizeof(eki_long_row);

	assert_int_equal(number_after(text, ", which takes "), 12 * b.room_first + states);
	assert_in_range(bytes, 12 * b.room_first + states, 12 * b.room_most + states);
	assert_true((bytes > 12 * b.room_first + states) == (grow > 0));
	print_message("  %s: %lld entries, rooms for %lld, %lld of %lld rows grow\n", method,
	              (long long)info.nnz, (long long)b.room_first, (long long)grow,
	              (long long)info.rows);
	if (memory == EKI_MEMORY_PROBABILISTIC) {
		/* a quarter more than the entries on average, where bounds do not cut it */
		assert_in_range(b.room_first, info.nnz - info.nnz / 20,
		                info.nnz + info.nnz / 2 + info.rows);
		assert_in_range(grow, 0, info.rows / 3);
	}
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* Checks products with rooms that are guessed in all types, with and without D. */
static void test_types(void **state)
{
	(void)state;
	for (int k = 0; k < 24; k++) {
		const ek_value value = k % 2 ? EK_F64 : EK_F32;
		const ek_index index = (ek_index)(EK_I32 + k / 2 % 3);
		ek_matrix *A, *C = NULL, *ref = NULL;
		ek_hints hints = {.size = sizeof hints, .method = "spgemm.csr.serial"};
		ek_plan *plan;

		expect_status(ek_matrix_generate(e.ctx, "rmat:scale=8,factor=6", value, index, &A),
		              EK_OK);
		hints.B = A;
		hints.D = k / 6 % 2 ? A : NULL;
		expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
		expect_status(ek_spgemm(plan, 2, 0.5, &ref), EK_OK);
		ek_plan_destroy(plan);
		hints.method = k < 12 ? "spgemm.csr.bins:memory=4" : "spgemm.csr.bins:memory=5";
		expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
		for (int again = 0; again < 2; again++) {
			expect_status(ek_spgemm(plan, 2, 0.5, &C), EK_OK);
			assert_null(different_array(C, ref));
		}
		ek_plan_destroy(plan);
		ek_matrix_destroy(C);
		ek_matrix_destroy(ref);
		ek_matrix_destroy(A);
	}
}

static void test_guesses(void **state)
{
	(void)state;
	for (int memory = EKI_MEMORY_PROBABILISTIC; memory <= EKI_MEMORY_PROGRESSIVE; memory++) {
		check_guesses("rmat:scale=10,factor=8", memory);
		check_guesses("uniform:rows=3000,cols=3000,nnz=60000", memory);
		check_guesses("banded:n=2000,lower=30,upper=30", memory);
		check_guesses("emptyrows:rows=2000,cols=2000", memory);
	}
	/* Rooms of one entry still grow. */
	assert_int_equal(eki_bins_grown(EKI_MEMORY_PROGRESSIVE, 1, 9), 2);
	assert_int_equal(eki_bins_grown(EKI_MEMORY_PROGRESSIVE, 32, 90), 48);
	assert_int_equal(eki_bins_grown(EKI_MEMORY_PROGRESSIVE, 80, 90), 90);
	assert_int_equal(eki_bins_grown(EKI_MEMORY_PROGRESSIVE, INT64_MAX - 1, INT64_MAX),
	                 INT64_MAX);
	assert_int_equal(eki_bins_grown(EKI_MEMORY_HYBRID, 256, 600), 512);
	assert_int_equal(eki_bins_grown(EKI_MEMORY_HYBRID, 512, 600), 600);
}

/* Checks that a plan keeps nothing of the estimate but the rooms, which every guess has. */
static void test_held(void **state)
{
	int64_t held[2];
	ek_matrix *A;

	(void)state;
	expect_status(ek_matrix_generate(e.ctx, "rmat:scale=10,factor=8", EK_F64, EK_I32, &A),
	              EK_OK);
	for (int k = 0; k < 2; k++) {
		ek_plan *plan = bins_plan(
			A, A, k ? "spgemm.csr.bins:memory=5" : "spgemm.csr.bins:memory=4");

		held[k] = ek_plan_memory(plan);
		ek_plan_destroy(plan);
	}
	assert_int_equal(held[0], held[1]);
	ek_matrix_destroy(A);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

/* Checks that each memory method keeps the least limit that it accepts, and refuses less. */
static void test_least(void **state)
{
	static const int64_t length[] = {0,  1,   2,   31,  32,  33,  64,
	                                 65, 129, 257, 512, 513, 700, 2049};
	ek_matrix *A = rows_of_lengths(e.ctx, sizeof length / sizeof *length, 2049, NULL, length);
	ek_matrix *B = rows_stairs(e.ctx, 2049, 3, 3);

	(void)state;
	for (int memory = 1; memory <= EKI_MEMORY_METHODS; memory++) {
		ek_hints hints = {.size = sizeof hints, .B = B, .memory = 1};
		ek_matrix *C = NULL;
		ek_plan *plan = NULL;
		char name[64];

		snprintf(name, sizeof name, "spgemm.csr.bins:memory=%d", memory);
		hints.method = name;
		/* An estimate that does not fit is refused first. */
		for (ek_status status; (status = ek_plan_create(EK_SPGEMM, A, &hints, &plan));) {
			const char *text = ek_error_text(), *least = strstr(text, "least ");

			expect_status(status, EK_ELIMIT);
			hints.memory =
				strtoll(least ? least + 6 : strstr(text, "takes ") + 6, NULL, 10);
		}
		ek_plan_destroy(plan);
		const long long before = atomic_load(&e.heap.bytes);

		atomic_store(&e.heap.peak, before);
		expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
		expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
		ek_plan_destroy(plan);
		const long long of_c = atomic_load(&e.heap.bytes) - before;
		const long long besides = atomic_load(&e.heap.peak) - before - of_c;

		if (besides > hints.memory)
			fail_msg("%s: limit %lld, %lld besides C", name, (long long)hints.memory,
			         besides);
		ek_matrix_destroy(C);
		hints.memory--;
		plan = NULL;
		expect_error(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_ELIMIT, "takes");
		assert_null(plan);
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_guesses),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_least),
	};

	return run_all_tests(tests, setup, teardown);
}
