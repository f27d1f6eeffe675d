/* SPDX-License-Identifier: BSD-3-Clause
 * Tests every method of ek_kselect against sorting, for each type, instruction set and number of
 * threads. Each kind of input is hard for some method. Numbers are compared by their bits. */
#include "plan/plan.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/inputs.h"
#include "support/random.h"
#include "support/support.h"

static const ek_value types[] = {EK_INT32, EK_INT64, EK_F32, EK_F64};

/* ---- One call -------------------------------------------------------------------------------- */

struct call {
	ek_context *ctx;
	const char *method;
	ek_value type;
	int64_t lists, n, k;
	const void *in;
	const uint64_t *rank; /* ranks of the entries, sorted for each list */
	void *kth, *smallest;
	uint64_t *found; /* room for the ranks of the k results */
};

static void call_check(const struct call *c, bool smallest)
{
	ek_array_options o = {.size = sizeof o, .method = c->method};

	memset(c->kth, 0xa5, (size_t)c->lists * ek_value_size(c->type));
	expect_status(ek_kselect(c->ctx, &o, c->type, c->lists, c->n, c->k, c->in, c->kth,
	                         smallest ? c->smallest : NULL),
	              EK_OK);
	for (int64_t j = 0; j < c->lists; j++) {
		const uint64_t *rank = c->rank + j * c->n;

		if (rank_of(c->type, bits_at(c->type, c->kth, j)) != rank[c->k - 1])
			fail_msg("%s %s: list %lld of %lld, n = %lld, k = %lld: wrong", c->method,
			         ek_value_name(c->type), (long long)j, (long long)c->lists,
			         (long long)c->n, (long long)c->k);
		if (!smallest)
			continue;
		ranks_sorted(c->type,
		             (const char *)c->smallest + j * c->k * (int64_t)ek_value_size(c->type),
		             c->k, c->found);
		if (memcmp(c->found, rank, (size_t)c->k * sizeof *rank) != 0)
			fail_msg("%s %s: the smallest of list %lld, n = %lld, k = %lld: wrong",
			         c->method, ek_value_name(c->type), (long long)j, (long long)c->n,
			         (long long)c->k);
	}
}

struct room {
	char *in, *kth, *smallest;
	uint64_t *rank, *found;
};

static void room_make(struct room *r, int64_t lists, int64_t n)
{
	const size_t all = (size_t)(lists * n) * 8;

	r->in = malloc(4 * all + (size_t)lists * 8);
	assert_non_null(r->in);
	r->smallest = r->in + all;
	r->kth = r->in + 4 * all;
	r->rank = (uint64_t *)(void *)(r->in + 2 * all);
	r->found = (uint64_t *)(void *)(r->in + 3 * all);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Checks every method with every instruction set, with one number of threads that `threads` selects
 * or, if `threads` is negative, with all. */
static void all_check(struct call c, int threads, bool smallest)
{
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_KSELECT));)
		for (int l = 0; l < contexts.levels; l++)
			for (int t = 0; t < contexts.counts; t++) {
				if (threads >= 0 && t != (threads + l) % contexts.counts)
					continue;
				c.ctx = contexts.of[l][t];
				c.method = ek_method_name(m);
				call_check(&c, smallest);
			}
}

static struct call call_of(const struct room *r, ek_value type, int64_t lists, int64_t n, int64_t k)
{
	return (struct call){NULL,  NULL,    type,   lists,       n,       k,
	                     r->in, r->rank, r->kth, r->smallest, r->found};
}

/* Tests all lengths, with random inputs and one to five lists. Lengths above `all` are tested with
 * only one type and one k. */
static void every_length(void **state)
{
	const int64_t most = 1100, all = test_tier() == TIER_FULL ? most : 70;
	struct rng r = {1};
	struct room room;

	(void)state;
	room_make(&room, 5, most);
	for (int t = 0; t < 4; t++)
		for (int64_t n = 1; n <= most; n++) {
			const int64_t lists = 1 + rng_below(&r, n < 70 ? 5 : 2);
			const int64_t k[] = {1, n, 1 + rng_below(&r, n)};

			if (n > all && (n + n / 16) % 4 != t)
				continue;
			input_make((enum input)rng_below(&r, INPUTS), types[t], lists * n, &r,
			           room.in);
			lists_ranks(types[t], room.in, lists, n, room.rank);
			for (int i = n > all ? 2 : 0; i < 3; i++)
				all_check(call_of(&room, types[t], lists, n, k[i]), (int)n + i,
				          i != 1);
		}
	free(room.in);
}

/* Tests longer lists. Methods that use brackets, digits or heaps take several steps for them. */
static void hard_inputs(void **state)
{
	const int64_t lengths[] = {1025, 5000, 40000, 300000};
	const int longest = test_tier() == TIER_FULL ? 4 : 3;
	struct rng r = {2};
	struct room room;
	int turn = 0;

	(void)state;
	room_make(&room, 1, lengths[3]);
	for (int s = 0; s < longest; s++)
		for (int kind = 0; kind < INPUTS; kind++)
			for (int t = 0; t < 4; t++, turn++) {
				const int64_t n = lengths[s];
				const int64_t k[] = {1, n / 10 + 1, n / 2, n, 1 + rng_below(&r, n)};

				input_make((enum input)kind, types[t], n, &r, room.in);
				lists_ranks(types[t], room.in, 1, n, room.rank);
				all_check(call_of(&room, types[t], 1, n, k[turn % 5]), turn,
				          turn % 3 == 0);
			}
	free(room.in);
}

/* Tests one or two lists, long enough for several threads to work on one list. */
static void long_lists(void **state)
{
	const int64_t n = 150000;
	struct rng r = {3};
	struct room room;

	(void)state;
	room_make(&room, 2, n);
	for (int kind = 0; kind < INPUTS; kind += 3)
		for (int t = 0; t < 4; t++) {
			const int64_t k[] = {n / 10, n - 7, 3};

			input_make((enum input)kind, types[t], 2 * n, &r, room.in);
			lists_ranks(types[t], room.in, 2, n, room.rank);
			for (int c = 0; c < contexts.counts; c++) {
				struct call one =
					call_of(&room, types[t], 1 + c % 2, n, k[(c + kind) % 3]);

				one.ctx = contexts.of[contexts.levels - 1][c];
				one.method = "auto";
				call_check(&one, true);
			}
		}
	free(room.in);
}

/* Tests arrays that end before a guard page or begin after one. The input is read-only. */
static void guarded(void **state)
{
	enum { MOST = 2100, LISTS = 2 };
	struct rng r = {4};
	struct guard g[3];
	struct room whole, room;

	(void)state;
	room_make(&whole, LISTS, MOST);
	for (int i = 0; i < 3; i++)
		guard_make(&g[i], (size_t)LISTS * MOST * 8);
	for (int at_end = 0; at_end < 2; at_end++)
		for (int t = 0; t < 4; t++)
			for (int64_t n = 1; n <= MOST; n += n < 40 ? 1 : n < 1000 ? 97 : 211) {
				void *(*const lay)(const struct guard *, size_t) =
					at_end ? guard_at_end : guard_at_begin;
				const size_t size = LISTS * ek_value_size(types[t]);
				const int64_t k = 1 + rng_below(&r, n);

				room = whole;
				room.in = lay(&g[0], size * (size_t)n);
				room.kth = lay(&g[1], size);
				room.smallest = lay(&g[2], size * (size_t)k);
				guard_read_only(&g[0], false);
				input_make((enum input)rng_below(&r, INPUTS), types[t], LISTS * n,
				           &r, room.in);
				guard_read_only(&g[0], true);
				lists_ranks(types[t], room.in, LISTS, n, room.rank);
				all_check(call_of(&room, types[t], LISTS, n, k), 0, true);
			}
	for (int i = 0; i < 3; i++)
		guard_free(&g[i]);
	free(whole.in);
}

/* Tests four alignments of the input with four of the output. Lists have 67 entries, a prime. */
static void alignments(void **state)
{
	struct rng r = {5};
	struct room whole, room;

	(void)state;
	room_make(&whole, 40, 70);
	for (int t = 0; t < 4; t++)
		for (int offset = 0; offset < 16; offset++) {
			const size_t size = ek_value_size(types[t]);

			room = whole;
			room.in += (size_t)(offset % 4) * 16 / size * size + size;
			room.smallest += (size_t)(offset / 4) * 16 / size * size + size;
			input_make(BITS, types[t], 30 * 67, &r, room.in);
			lists_ranks(types[t], room.in, 30, 67, room.rank);
			all_check(call_of(&room, types[t], 30, 67, 9), offset ? offset : -1, true);
		}
	free(whole.in);
}

/* Checks that kselect.heap, with any instruction set and number of threads, counts as many
 * replacements of the root as a heap that takes one entry at a time, one for each entry less than
 * the root. */
static void heap_counts(void **state)
{
	enum { N = 3000, K = 100, LISTS = 6 };
	struct rng r = {6};
	static int32_t in[N * LISTS], kth[LISTS];
	int64_t replaced = 0;

	(void)state;
	input_make(SMALL, EK_INT32, N * LISTS, &r, in);
	for (int j = 0; j < LISTS; j++) {
		static int32_t sorted[N];
		const int32_t *list = in + j * N;
		int64_t n = 0;

		for (int i = 0; i < N; i++) { /* inserts entry i into the K smallest so far */
			if (n == K && list[i] >= sorted[K - 1])
				continue;
			replaced += n == K;
			n += n < K;
			int64_t p = n - 1;

			for (; p > 0 && sorted[p - 1] > list[i]; p--)
				sorted[p] = sorted[p - 1];
			sorted[p] = list[i];
		}
	}
	for (int d = 2; d <= 33; d++) {
		ek_heap_counts first = {0};

		for (int l = 0; l < contexts.levels; l++)
			for (int t = 0; t < contexts.counts; t++) {
				ek_heap_counts c;
				ek_array_options o = {.size = sizeof o,
				                      .method = "kselect.heap",
				                      .arity = d,
				                      .counts = &c};

				memset(&c, 0xff, sizeof c); /* to be overwritten */
				c.size = sizeof c;

				expect_status(ek_kselect(contexts.of[l][t], &o, EK_INT32, LISTS, N,
				                         K, in, kth, NULL),
				              EK_OK);
				if (l == 0 && t == 0)
					first = c;
				assert_memory_equal(&c, &first, sizeof c);
				assert_int_equal(c.update_key,
				                 replaced + LISTS * ((K - 2) / d + 1));
				assert_int_equal(c.find_maxchild, c.compare);
				assert_true(c.swap <= c.compare);
			}
	}
}

static void arguments(void **state)
{
	const int32_t in[6] = {5, 3, 9, 1, 7, 2};
	int32_t kth[2] = {-1, -1}, smallest[6] = {-1, -1, -1, -1, -1, -1};
	ek_context *ctx = contexts.of[0][0];
	ek_array_options o = {.size = sizeof o, .method = "nothing-like-it"};

	(void)state;
	expect_error(ek_kselect(ctx, NULL, (ek_value)9, 2, 3, 1, in, kth, smallest), EK_EINVAL,
	             "type");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, -1, 3, 1, in, kth, smallest), EK_EINVAL,
	             "lists");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, -3, 1, in, kth, smallest), EK_EINVAL,
	             "length");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, 3, 0, in, kth, smallest), EK_EINVAL,
	             "k is 0");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, 3, 4, in, kth, smallest), EK_EINVAL,
	             "k is 4");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, 0, 1, in, kth, smallest), EK_EINVAL,
	             "k is 1");
	expect_error(
		ek_kselect(ctx, NULL, EK_INT32, INT64_MAX / 32, INT64_MAX / 32, 1, in, kth, NULL),
		EK_EOVERFLOW, "lists");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, 3, 1, NULL, kth, NULL), EK_EINVAL, "in");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, 3, 1, in, NULL, NULL), EK_EINVAL, "kth");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, 3, 1, kth, kth, NULL), EK_EINVAL,
	             "overlap");
	expect_error(ek_kselect(ctx, NULL, EK_INT32, 2, 3, 1, in, kth, kth), EK_EINVAL, "overlap");
	expect_error(ek_kselect(ctx, &o, EK_INT32, 2, 3, 1, in, kth, smallest), EK_EINVAL,
	             "kselect.sample");
	for (int i = 0; i < 6; i++)
		assert_int_equal(smallest[i], -1);
	assert_int_equal(kth[0], -1);
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_KSELECT));) {
		o.method = ek_method_name(m);
		expect_status(ek_kselect(ctx, &o, EK_INT32, 0, 0, 0, NULL, NULL, NULL), EK_OK);
		expect_status(ek_kselect(ctx, &o, EK_INT32, 0, 5, 0, NULL, NULL, NULL), EK_OK);
	}
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static ek_status call_small(struct exhaust *e)
{
	static const int32_t in[6] = {5, 3, 9, 1, 7, 2};
	ek_array_options o = {.size = sizeof o, .method = e->arg};
	int32_t *to = (int32_t *)(void *)e->room;
	ek_status status = ek_kselect(e->ctx, &o, EK_INT32, e->ctx->threads == 2 ? 1 : 2, 3, 2, in,
	                              to, to + 4);

	if (status == EK_OK)
		e->out = to;
	return status;
}

static void no_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_KSELECT));)
		for (int threads = 1; threads <= 2; threads++) {
			struct exhaust e = {0};

			exhaust_open(&e, threads, ek_method_name(m));
			assert_true(exhaust(&e, ek_method_name(m), call_small, NULL) > 0);
			exhaust_close(&e);
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length), cmocka_unit_test(hard_inputs),
		cmocka_unit_test(long_lists),   cmocka_unit_test(guarded),
		cmocka_unit_test(alignments),   cmocka_unit_test(heap_counts),
		cmocka_unit_test(arguments),    cmocka_unit_test(no_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
