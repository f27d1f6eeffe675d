/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the merge of ranked pairs into a run in place (prim_body/merge.h), for all sizes of keys
 * and values, against a stable merge of two runs. */
#include "prim_body/merge.h"
#include "support/context.h"
#include "support/random.h"
#include "support/support.h"

enum { MOST = 30 };

static const eki_pair_kind kinds[] = {{.key = 4},
                                      {.key = 8},
                                      {.key = 4, .value = 4},
                                      {.key = 4, .value = 8},
                                      {.key = 8, .value = 4},
                                      {.key = 8, .value = 8}};

static int64_t key[2 * MOST + 1], value[2 * MOST + 1], more_key[MOST + 1], more_value[MOST + 1];
static int64_t want_key[2 * MOST + 1], want_value[2 * MOST + 1];

/* Writes n ascending keys with the values first, first + 1, .... */
static void make_run(eki_pair_at p, int64_t n, int first, eki_pair_kind of, struct rng *r)
{
	int64_t last = -2;

	for (int64_t k = 0; k < n; k++) {
		const int32_t narrow = (int32_t)(last += rng_below(r, 3)), number = first + (int)k;
		const int64_t wide = last;

		memcpy((char *)p.key + k * of.key, of.key == 4 ? (const void *)&narrow : &wide,
		       (size_t)of.key);
		if (of.value)
			memcpy(p.value + k * of.value, &number, sizeof number);
	}
}

static void check(int64_t an, int64_t bn, eki_pair_kind of, struct rng *r)
{
	const eki_pair_at p = {key, (char *)value}, more = {more_key, (char *)more_value};
	const eki_pair_at want = {want_key, (char *)want_value};
	int64_t rank[MOST + 1];

	make_run(p, an, 0, of, r);
	make_run(more, bn, 1000, of, r);
	eki_pairs_copy(bn, more, 0, p, an, of);
	eki_merge_runs(p, an, bn, want, of);
	for (int64_t k = 0; k < bn; k++) {
		rank[k] = 0;
		while (rank[k] < an && eki_key_at(p, rank[k], of) <= eki_key_at(more, k, of))
			rank[k]++;
	}
	eki_insert_ranked(p, an, more, rank, bn, of);
	assert_memory_equal(key, want_key, (size_t)((an + bn) * of.key));
	assert_memory_equal(value, want_value, (size_t)((an + bn) * of.value));
}

static void test_insert_ranked(void **state)
{
	struct rng r = {8};

	(void)state;
	for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
		for (int64_t an = 0; an <= MOST; an++)
			for (int64_t bn = 0; bn <= MOST; bn++) {
				memset(value, 0, sizeof value);
				memset(more_value, 0, sizeof more_value);
				check(an, bn, kinds[kind], &r);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_insert_ranked)};

	return run_all_tests(tests, context_setup, context_teardown);
}
