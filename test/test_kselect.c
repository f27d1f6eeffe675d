/* SPDX-License-Identifier: BSD-3-Clause
 * ek_kselect: every method against sorting, for each type, instruction set and number of threads, on
 * inputs that are hard for one method or another. Numbers are compared by their bits. */
#include "core/ek_core.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/heap.h"
#include "support/random.h"
#include "support/support.h"

static struct heap heap = HEAP_INIT;
static ek_context *context[MAX_LEVELS][MAX_COUNTS];
static int levels, counts;
static const ek_value types[] = {EK_INT32, EK_INT64, EK_F32, EK_F64};

static int setup(void **state)
{
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS];

	(void)state;
	levels = test_levels(level);
	counts = test_counts(count);
	for (int l = 0; l < levels; l++)
		for (int t = 0; t < counts; t++) {
			context[l][t] = heap_context(&heap, count[t], EK_ISA_LIMIT(level[l]));
			context[l][t]->small_work = 0;
		}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int l = 0; l < levels; l++)
		for (int t = 0; t < counts; t++)
			ek_context_destroy(context[l][t]);
	heap_close(&heap);
	return 0;
}

static const ek_method *method_next(const ek_method *m)
{
	while ((m = ek_method_next(m)) && ek_method_operation(m) != EK_KSELECT)
		;
	return m;
}

/* ---- Numbers as bits --------------------------------------------------------------------------- */

static uint64_t bits_at(ek_value type, const void *v, int64_t i)
{
	uint32_t b4;
	uint64_t b8;

	if (ek_value_size(type) == 4) {
		memcpy(&b4, (const char *)v + i * 4, 4);
		return b4;
	}
	memcpy(&b8, (const char *)v + i * 8, 8);
	return b8;
}

static void bits_set(ek_value type, void *v, int64_t i, uint64_t bits)
{
	uint32_t b4 = (uint32_t)bits;

	if (ek_value_size(type) == 4)
		memcpy((char *)v + i * 4, &b4, 4);
	else
		memcpy((char *)v + i * 8, &bits, 8);
}

/* The place of a number in the order, by its sign and its magnitude. */
static uint64_t rank_of(ek_value type, uint64_t bits)
{
	const int last = 8 * (int)ek_value_size(type) - 1;
	const uint64_t top = UINT64_C(1) << last, all = top | (top - 1);
	const bool floats = type == EK_F32 || type == EK_F64;

	if (!floats)
		return (bits + top) & all;
	return bits & top ? top - 1 - (bits & (top - 1)) : bits + top;
}

static int by_rank(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void ranks_sorted(ek_value type, const void *v, int64_t n, uint64_t *rank)
{
	for (int64_t i = 0; i < n; i++)
		rank[i] = rank_of(type, bits_at(type, v, i));
	qsort(rank, (size_t)n, sizeof *rank, by_rank);
}

/* ---- Inputs ------------------------------------------------------------------------------------ */

static uint64_t special(ek_value type, struct rng *r)
{
	static const float f4[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN,
	                           -NAN, 1.0f,  1e-45f,   -1e-45f};
	const int last = 8 * (int)ek_value_size(type) - 1;
	const uint64_t top = UINT64_C(1) << last;
	const int which = (int)rng_below(r, 9);
	double f8 = (double)f4[which];
	uint64_t bits;
	uint32_t b4;

	if (type == EK_INT32 || type == EK_INT64)
		return (const uint64_t[]){
			0, 1, 2, (uint64_t)-1, top, top - 1, top + 1, top - 2, 77}[which];
	memcpy(&b4, &f4[which], 4);
	memcpy(&bits, &f8, 8);
	if (rng_below(r, 8) == 0) /* the ends of the order: every bit of a NaN set */
		return rng_below(r, 2) ? top - 1 : top | (top - 1);
	return type == EK_F32 ? b4 : bits;
}

enum input {
	BITS,  /* any bits */
	SMALL, /* 0 .. 99 */
	EQUAL,
	TWO,
	SORTED,
	REVERSED,
	ORGAN,  /* up and down */
	KILLER, /* of the median of three (Musser 1997) */
	SAWTOOTH,
	PERIOD,  /* of a power of two: the sample may meet few values */
	OUTLIER, /* all in one bucket of a radix method but one */
	CLOSE,   /* in the last digit of a radix method only */
	ENDS,    /* special values */
	UNIT,    /* uniform numbers, 0 <= x < 1, or scaled to integers */
	INPUTS
};

static void input_make(enum input kind, ek_value type, int64_t n, struct rng *r, void *v)
{
	const bool floats = type == EK_F32 || type == EK_F64;

	for (int64_t i = 0; i < n; i++) {
		double x = 0;

		switch (kind) {
		case SMALL: x = (double)rng_below(r, 100); break;
		case EQUAL: x = 5; break;
		case TWO: x = (double)rng_below(r, 2) - 1; break;
		case SORTED: x = (double)i; break;
		case REVERSED: x = (double)-i; break;
		case ORGAN: x = (double)(i < n / 2 ? i : n - i); break;
		case KILLER:
			x = (double)(i >= n / 2 ? 2 * (i - n / 2 + 1) : i % 2 ? n / 2 + i : i + 1);
			break;
		case SAWTOOTH: x = (double)(i % 37); break;
		case PERIOD: x = (double)(i % 64 ? i % 1024 : -i); break;
		case OUTLIER: x = i == n / 3 ? -1e9 : 1e6 + (double)rng_below(r, 3); break;
		case CLOSE: x = (double)(1000000 + rng_below(r, 1000)); break;
		case UNIT:
			x = (double)(rng_next(r) >> 11) * 0x1p-53;
			x = floats ? x : x * 2e9 - 1e9;
			break;
		default:
			bits_set(type, v, i, kind == BITS ? rng_next(r) : special(type, r));
			continue;
		}
		value_set(type, v, i, x);
	}
}

/* ---- One call ---------------------------------------------------------------------------------- */

struct call {
	ek_context *ctx;
	const char *method;
	ek_value type;
	int64_t lists, n, k;
	const void *in;
	const uint64_t *rank; /* of each list, sorted */
	void *kth, *smallest;
	uint64_t *found; /* room for k */
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
	r->in = malloc((size_t)(lists * n) * 8);
	r->kth = malloc((size_t)lists * 8);
	r->smallest = malloc((size_t)(lists * n) * 8);
	r->rank = malloc((size_t)(lists * n) * 8);
	r->found = malloc((size_t)n * 8);
	assert_true(r->in && r->kth && r->smallest && r->rank && r->found);
}

static void room_free(struct room *r)
{
	free(r->in);
	free(r->kth);
	free(r->smallest);
	free(r->rank);
	free(r->found);
}

/* ---- Tests ------------------------------------------------------------------------------------- */

/* All lengths, all inputs in turn, one to five lists. */
static void every_length(void **state)
{
	struct rng r = {1};
	struct room room;
	const int64_t step = test_tier() == TIER_FULL ? 1 : 3;

	(void)state;
	room_make(&room, 5, 300);
	for (int t = 0; t < 4; t++)
		for (int64_t n = 1; n <= 300; n += n < 70 ? 1 : step) {
			const int64_t lists = 1 + rng_below(&r, 5);
			const int64_t k[] = {1, n, 1 + rng_below(&r, n)};

			input_make((enum input)rng_below(&r, INPUTS), types[t], lists * n, &r,
			           room.in);
			for (int64_t j = 0; j < lists; j++)
				ranks_sorted(types[t],
				             room.in + j * n * (int64_t)ek_value_size(types[t]), n,
				             room.rank + j * n);
			for (const ek_method *m = NULL; (m = method_next(m));)
				for (int l = 0; l < levels; l++)
					for (int i = 0; i < 3; i++)
						call_check(
							&(struct call){context[l][(n + i) % counts],
						                       ek_method_name(m), types[t],
						                       lists, n, k[i], room.in,
						                       room.rank, room.kth,
						                       room.smallest, room.found},
							i != 1);
		}
	room_free(&room);
}

/* Longer lists, so that brackets, digits and heaps have something to do; one list for many threads. */
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
			for (int t = 0; t < 4; t++) {
				const int64_t n = lengths[s];
				const int64_t k[] = {1, n / 10 + 1, n / 2, n, 1 + rng_below(&r, n)};

				input_make((enum input)kind, types[t], n, &r, room.in);
				ranks_sorted(types[t], room.in, n, room.rank);
				for (const ek_method *m = NULL; (m = method_next(m));)
					for (int l = 0; l < levels; l++, turn++)
						call_check(
							&(struct call){context[l][turn % counts],
						                       ek_method_name(m), types[t],
						                       1, n, k[turn % 5], room.in,
						                       room.rank, room.kth,
						                       room.smallest, room.found},
							turn % 3 == 0);
			}
	room_free(&room);
}

/* Long enough for all threads to work on one list; several lists of it. */
static void long_lists(void **state)
{
	const int64_t n = 400000;
	struct rng r = {3};
	struct room room;

	(void)state;
	room_make(&room, 2, n);
	for (int kind = 0; kind < INPUTS; kind += 3)
		for (int t = 0; t < 4; t++) {
			const int64_t k[] = {n / 10, n - 7, 3};

			input_make((enum input)kind, types[t], 2 * n, &r, room.in);
			for (int64_t j = 0; j < 2; j++)
				ranks_sorted(types[t],
				             room.in + j * n * (int64_t)ek_value_size(types[t]), n,
				             room.rank + j * n);
			for (int c = 0; c < counts; c++)
				call_check(&(struct call){context[levels - 1][c], "auto", types[t],
				                          1 + c % 2, n, k[(c + kind) % 3], room.in,
				                          room.rank, room.kth, room.smallest,
				                          room.found},
				           true);
		}
	room_free(&room);
}

/* Arrays that end, or begin, at a page that nobody may touch; the input may not be written. */
static void guarded(void **state)
{
	enum { MOST = 2100, LISTS = 2 };
	struct rng r = {4};
	struct guard in, kth, smallest;
	uint64_t *rank = malloc((size_t)LISTS * MOST * 8), *found = malloc((size_t)MOST * 8);

	(void)state;
	guard_make(&in, (size_t)LISTS * MOST * 8);
	guard_make(&kth, (size_t)LISTS * 8);
	guard_make(&smallest, (size_t)LISTS * MOST * 8);
	for (int at_end = 0; at_end < 2; at_end++)
		for (int t = 0; t < 4; t++)
			for (int64_t n = 1; n <= MOST; n += n < 40 ? 1 : n < 1000 ? 97 : 211) {
				void *(*const lay)(const struct guard *, size_t) =
					at_end ? guard_at_end : guard_at_begin;
				const size_t size = ek_value_size(types[t]),
					     all = (size_t)(LISTS * n) * size;
				const int64_t k = 1 + rng_below(&r, n);
				char *numbers = lay(&in, all);

				guard_read_only(&in, false);
				input_make((enum input)rng_below(&r, INPUTS), types[t], LISTS * n,
				           &r, numbers);
				guard_read_only(&in, true);
				for (int64_t j = 0; j < LISTS; j++)
					ranks_sorted(types[t], numbers + (size_t)(j * n) * size, n,
					             rank + j * n);
				for (const ek_method *m = NULL; (m = method_next(m));)
					for (int l = 0; l < levels; l++)
						call_check(
							&(struct call){
								context[l][0], ek_method_name(m),
								types[t], LISTS, n, k, numbers,
								rank, lay(&kth, LISTS * size),
								lay(&smallest,
						                    (size_t)(LISTS * k) * size),
								found},
							true);
			}
	guard_free(&in);
	guard_free(&kth);
	guard_free(&smallest);
	free(rank);
	free(found);
}

/* Lists of a length that puts each at another alignment; outputs beside each other stay whole. */
static void alignments(void **state)
{
	struct rng r = {5};
	struct room room;

	(void)state;
	room_make(&room, 40, 70);
	for (int t = 0; t < 4; t++)
		for (int offset = 0; offset < 16; offset += 5) {
			const size_t size = ek_value_size(types[t]), shift = (size_t)offset * size;

			input_make(BITS, types[t], 30 * 67, &r, room.in + shift);
			for (int64_t j = 0; j < 30; j++)
				ranks_sorted(types[t], room.in + shift + (size_t)j * 67 * size, 67,
				             room.rank + j * 67);
			for (const ek_method *m = NULL; (m = method_next(m));)
				for (int l = 0; l < levels; l++)
					for (int c = 0; c < counts; c++)
						call_check(
							&(struct call){context[l][c],
						                       ek_method_name(m), types[t],
						                       30, 67, 9, room.in + shift,
						                       room.rank, room.kth,
						                       room.smallest + 7 * shift % 64,
						                       room.found},
							true);
		}
	room_free(&room);
}

static void arguments(void **state)
{
	const int32_t in[6] = {5, 3, 9, 1, 7, 2};
	int32_t kth[2] = {-1, -1}, smallest[6] = {-1, -1, -1, -1, -1, -1};
	ek_context *ctx = context[0][0];
	ek_array_options o = {.size = sizeof o, .method = "kselect.none"};

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
	for (const ek_method *m = NULL; (m = method_next(m));) {
		o.method = ek_method_name(m);
		expect_status(ek_kselect(ctx, &o, EK_INT32, 0, 0, 0, NULL, NULL, NULL), EK_OK);
		expect_status(ek_kselect(ctx, &o, EK_INT32, 0, 5, 0, NULL, NULL, NULL), EK_OK);
	}
}

/* ---- Failing allocations ----------------------------------------------------------------------- */

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

static void release_small(struct exhaust *e)
{
	e->out = NULL;
}

static void no_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = method_next(m));)
		for (int threads = 1; threads <= 2; threads++) {
			struct exhaust e = {.heap = HEAP_INIT, .arg = ek_method_name(m)};

			e.ctx = heap_context(&e.heap, threads, 0);
			e.ctx->small_work = 0;
			assert_true(exhaust(&e, ek_method_name(m), call_small, release_small) > 0);
			ek_context_destroy(e.ctx);
			heap_close(&e.heap);
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length), cmocka_unit_test(hard_inputs),
		cmocka_unit_test(long_lists),   cmocka_unit_test(guarded),
		cmocka_unit_test(alignments),   cmocka_unit_test(arguments),
		cmocka_unit_test(no_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests_name("kselect", tests, setup, teardown);
}
