/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the d-heap by comparing random operations with two models: a plain heap, with one loop for
 * each operation, which must have the same nodes in the same places and the same counts; and an
 * unordered bag, searched from end to end, which must have the same largest key. */
#include "support/heap.h"
#include "support/heap_model.h"
#include "support/random.h"
#include "support/support.h"

static struct heap heap = HEAP_INIT;
static const ek_value types[] = {EK_INT32, EK_INT64, EK_F32, EK_F64};

static union number {
	int32_t i4;
	int64_t i8;
	float f4;
	double f8;
} number_of(ek_value type, int64_t rank)
{
	static const double end[] = {-INFINITY, INFINITY};
	union number x = {.i8 = 0};

	switch (type) {
	case EK_INT32:
		x.i4 = rank == 501 ? INT32_MAX : rank == -501 ? INT32_MIN : (int32_t)rank;
		break;
	case EK_INT64:
		x.i8 = rank == 501    ? INT64_MAX
		       : rank == -501 ? INT64_MIN
		                      : rank * (INT64_C(1) << 33);
		break;
	case EK_F32:
		x.f4 = rank == 501    ? NAN
		       : rank == -501 ? -(float)NAN
		       : rank == 0    ? -0.0f /* -0 is less than +0 */
		       : rank == 1    ? 0.0f
		                      : (float)rank * 0.5f;
		break;
	case EK_F64:
		x.f8 = rank == 501 || rank == -501 ? end[rank > 0] : (double)rank * 1e-9;
		break;
	}
	return x;
}

/* Returns a value as the heap stores it, in `size` bytes. */
static union number value_of(size_t size, uint64_t value)
{
	return size == 4 ? (union number){.i4 = (int32_t)value}
	                 : (union number){.i8 = (int64_t)value};
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static void expect_node(const ek_heap *h, const struct model *m, ek_value type, size_t value_size,
                        int64_t i)
{
	const union number right = number_of(type, m->node[i].rank);
	const union number stored = value_of(value_size, m->node[i].value);
	union number key = {.i8 = 0};
	union number value = {.i8 = 0};

	expect_status(ek_heap_node(h, i, &key, &value), EK_OK);
	if (memcmp(&key, &right, ek_value_size(type)) != 0)
		fail_msg("%s, d = %d, %lld nodes: the key of node %lld", ek_value_name(type), m->d,
		         (long long)m->n, (long long)i);
	assert_memory_equal(&value, &stored, value_size);
	if (i > 0)
		assert_true(m->node[(i - 1) / m->d].rank >= m->node[i].rank);
}

static void expect_heap(const ek_heap *h, const struct model *m, ek_value type, size_t value_size)
{
	ek_heap_counts c = {.size = sizeof c};

	assert_int_equal(ek_heap_size(h), m->n);
	for (int64_t i = 0; i < m->n; i++)
		expect_node(h, m, type, value_size, i);
	expect_status(ek_heap_get_counts(h, &c), EK_OK);
	assert_memory_equal(&c.update_key, &m->c.update_key,
	                    sizeof c - offsetof(ek_heap_counts, update_key));
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void insert(ek_heap *h, struct model *m, ek_value type, size_t value_size, struct pair p)
{
	const union number key = number_of(type, p.rank);
	const union number value = value_of(value_size, p.value);

	expect_status(ek_heap_insert(h, &key, &value), EK_OK);
	m->bag[m->n] = p;
	m->n++;
	model_up(m, m->n - 1, p);
}

static void delete_max(ek_heap *h, struct model *m, ek_value type, size_t value_size)
{
	const struct pair root = m->node[0];
	const union number right = number_of(type, root.rank);
	const union number stored = value_of(value_size, root.value);
	union number key = {.i8 = 0};
	union number value = {.i8 = 0};

	for (int64_t i = 0; i < m->n; i++)
		assert_true(m->bag[i].rank <= root.rank);
	expect_status(ek_heap_delete_max(h, &key, &value), EK_OK);
	assert_memory_equal(&key, &right, ek_value_size(type));
	assert_memory_equal(&value, &stored, value_size);
	*bag_find(m, root.value) = m->bag[m->n - 1];
	m->n--;
	if (m->n)
		model_down(m, 0, m->node[m->n]);
}

static void update_key(ek_heap *h, struct model *m, ek_value type, size_t value_size, int64_t i,
                       struct pair p)
{
	const union number key = number_of(type, p.rank);
	const union number value = value_of(value_size, p.value);
	const struct pair old = m->node[i];

	expect_status(ek_heap_update_key(h, i, &key, &value), EK_OK);
	*bag_find(m, old.value) = p;
	if (p.rank > old.rank)
		model_up(m, i, p);
	else
		model_down(m, i, p);
}

static void build(ek_heap *h, struct model *m, ek_value type, size_t value_size, int64_t n,
                  struct rng *r)
{
	static struct pair p[MOST];
	static char keys[MOST * 8], values[MOST * 8];
	const size_t size = ek_value_size(type);

	for (int64_t i = 0; i < n; i++) {
		const union number key = number_of(type, p[i].rank = rng_below(r, 1003) - 501);

		p[i].value = (uint64_t)i;
		const union number value = value_of(value_size, p[i].value);

		memcpy(keys + (size_t)i * size, &key, size);
		memcpy(values + (size_t)i * value_size, &value, value_size);
	}
	expect_status(ek_heap_build(h, n, keys, value_size ? values : NULL), EK_OK);
	model_build(m, p, n);
}

static void operations(ek_context *ctx, ek_value type, size_t value_size, int d, int64_t size,
                       int steps)
{
	static struct model m;
	struct rng r = {(uint64_t)(d + steps)};
	ek_heap *h = NULL;

	memset(&m, 0, sizeof m);
	m.d = d;
	expect_status(ek_heap_create(ctx, type, value_size, d, d % 3 ? 0 : 40, &h), EK_OK);
	expect_heap(h, &m, type, value_size);
	for (int64_t n = 0; n < 40; n++)
		insert(h, &m, type, value_size, (struct pair){n % 7 - 3, (uint64_t)n});
	expect_heap(h, &m, type, value_size);
	build(h, &m, type, value_size, size, &r);
	expect_heap(h, &m, type, value_size);
	for (int s = 0; s < steps; s++) {
		const struct pair p = {rng_below(&r, 1003) - 501, (uint64_t)(10000 + s)};
		const int what = (int)rng_below(&r, 3);

		if (what == 0 && m.n < MOST)
			insert(h, &m, type, value_size, p);
		else if (what == 1 && m.n > 0)
			delete_max(h, &m, type, value_size);
		else if (m.n > 0)
			update_key(h, &m, type, value_size, rng_below(&r, m.n), p);
		if (s % 16 == 0)
			expect_heap(h, &m, type, value_size);
	}
	while (m.n > 0)
		delete_max(h, &m, type, value_size);
	expect_error(ek_heap_delete_max(h, NULL, NULL), EK_ERANGE, "empty");
	expect_heap(h, &m, type, value_size);
	ek_heap_destroy(h);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void random_operations(void **state)
{
	static const int arity[] = {2, 3, 4, 5, 7, 8, 16, 17, 32, 64, 1000};
	ek_isa level[MAX_LEVELS];
	const int levels = test_levels(level), full = test_tier() == TIER_FULL;

	(void)state;
	for (int l = 0; l < levels; l++) {
		ek_context *ctx = heap_context(&heap, 1, EK_ISA_LIMIT(level[l]));

		for (int t = 0; t < 4; t++)
			for (size_t value_size = 0; value_size <= 8; value_size += 4)
				for (size_t k = 0; k < sizeof arity / sizeof *arity; k++)
					operations(ctx, types[t], value_size, arity[k],
					           arity[k] == 1000 ? 1200 : 150 + (int)value_size,
					           full ? 1500 : 150);
		ek_context_destroy(ctx);
	}
}

/* Builds heaps of all sizes up to 100. The last group of children may be incomplete. */
static void every_size(void **state)
{
	static struct model m;
	struct rng r = {9};
	ek_isa level[MAX_LEVELS];
	const int levels = test_levels(level);

	(void)state;
	for (int l = 0; l < levels; l++)
		for (int t = 0; t < 4; t++) {
			ek_context *ctx = heap_context(&heap, 1, EK_ISA_LIMIT(level[l]));

			for (int d = 2; d <= 40; d += d < 9 ? 1 : 7)
				for (int64_t n = 0; n <= 100; n++) {
					ek_heap *h = NULL;

					memset(&m, 0, sizeof m);
					m.d = d;
					expect_status(ek_heap_create(ctx, types[t], 4, d, 0, &h),
					              EK_OK);
					build(h, &m, types[t], 4, n, &r);
					expect_heap(h, &m, types[t], 4);
					ek_heap_destroy(h);
				}
			ek_context_destroy(ctx);
		}
}

static void arguments(void **state)
{
	ek_context *ctx = heap_context(&heap, 1, 0);
	ek_heap *h = NULL;
	const int32_t key[3] = {1, 2, 3};
	const uint64_t value = 7;
	int32_t out = -1;

	(void)state;
	expect_error(ek_heap_create(NULL, EK_F32, 0, 8, 0, &h), EK_EINVAL, "ctx");
	expect_error(ek_heap_create(ctx, (ek_value)0, 0, 8, 0, &h), EK_EINVAL, "type");
	expect_error(ek_heap_create(ctx, EK_F32, 3, 8, 0, &h), EK_EINVAL, "value_size");
	expect_error(ek_heap_create(ctx, EK_F32, 0, 1, 0, &h), EK_EINVAL, "arity");
	expect_error(ek_heap_create(ctx, EK_F32, 0, 1025, 0, &h), EK_EINVAL, "arity");
	expect_error(ek_heap_create(ctx, EK_F32, 0, 8, -1, &h), EK_EINVAL, "capacity");
	expect_error(ek_heap_create(ctx, EK_F32, 0, 8, 0, NULL), EK_EINVAL, "heap");
	assert_null(h);
	expect_status(ek_heap_create(ctx, EK_INT32, 8, 8, 0, &h), EK_OK);
	expect_error(ek_heap_insert(NULL, key, &value), EK_EINVAL, "heap");
	expect_error(ek_heap_insert(h, NULL, &value), EK_EINVAL, "key");
	expect_error(ek_heap_insert(h, key, NULL), EK_EINVAL, "value");
	expect_error(ek_heap_build(h, -1, key, &value), EK_EINVAL, "n is -1");
	expect_error(ek_heap_build(h, 3, key, NULL), EK_EINVAL, "value");
	expect_error(ek_heap_node(h, 0, &out, NULL), EK_ERANGE, "node is 0");
	expect_error(ek_heap_delete_max(h, &out, NULL), EK_ERANGE, "empty");
	expect_status(ek_heap_insert(h, key, &value), EK_OK);
	expect_error(ek_heap_node(h, 1, &out, NULL), EK_ERANGE, "node is 1");
	expect_error(ek_heap_node(h, -1, &out, NULL), EK_ERANGE, "node is -1");
	expect_error(ek_heap_update_key(h, 1, key, &value), EK_ERANGE, "node is 1");
	expect_error(ek_heap_update_key(h, 0, key, NULL), EK_EINVAL, "value");
	expect_error(ek_heap_get_counts(h, NULL), EK_EINVAL, "counts");
	assert_int_equal(out, -1);
	assert_int_equal(ek_heap_size(h), 1);
	assert_int_equal(ek_heap_size(NULL), 0);
	expect_status(ek_heap_build(h, 0, NULL, NULL), EK_OK);
	assert_int_equal(ek_heap_size(h), 0);
	ek_heap_destroy(h);
	ek_heap_destroy(NULL);
	ek_context_destroy(ctx);
}

/* Checks that a heap that cannot grow because memory is refused stays as it was. */
static void no_memory(void **state)
{
	static struct model m;
	struct heap hooks = HEAP_INIT;
	ek_context *ctx = heap_context(&hooks, 1, 0);
	ek_heap *h = NULL;

	(void)state;
	for (int n = 0; n < 3; n++) {
		heap_fail(&hooks, n, true);
		expect_status(ek_heap_create(ctx, EK_INT64, 8, 4, 10, &h), EK_ENOMEM);
		assert_null(h);
		heap_fail(&hooks, -1, false);
	}
	m.d = 4;
	expect_status(ek_heap_create(ctx, EK_INT64, 8, 4, 10, &h), EK_OK);
	for (int64_t n = 0; n < 10; n++)
		insert(h, &m, EK_INT64, 8, (struct pair){n, (uint64_t)n});
	for (int n = 0; n < 2; n++) {
		const int64_t keys[20] = {99, 98};

		heap_fail(&hooks, n, true);
		expect_status(ek_heap_insert(h, keys, keys), EK_ENOMEM);
		heap_fail(&hooks, n, true);
		expect_status(ek_heap_build(h, 20, keys, keys), EK_ENOMEM);
		heap_fail(&hooks, -1, false);
		expect_heap(h, &m, EK_INT64, 8);
	}
	insert(h, &m, EK_INT64, 8, (struct pair){40, 40});
	expect_heap(h, &m, EK_INT64, 8);
	ek_heap_destroy(h);
	ek_context_destroy(ctx);
	heap_close(&hooks);
}

static int finish(void **state)
{
	(void)state;
	heap_close(&heap);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations),
		cmocka_unit_test(every_size),
		cmocka_unit_test(arguments),
		cmocka_unit_test(no_memory),
	};

	return run_all_tests(tests, NULL, finish);
}
