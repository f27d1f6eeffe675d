/* SPDX-License-Identifier: BSD-3-Clause
 * Tests all classes of rows that "spgemm.csr.hash.gpu" has on a GPU, on any device: the library is
 * told that the device is one, so there are up to five sizes of tables, each with groups of its
 * own. A plan says how large the tables are; then each gets rows that fill it to the last place,
 * with one entry less and with one more, by bounds on their entries and by their entries. The rows
 * must be in the classes that the rule says, and results must have the bits of the processor's
 * reference. Compiling takes most of the time, so the quick tier has little local memory, in which
 * there are three sizes, and the brief one, with which .ci/run tests a driver that has warps, one
 * type of values. */
#include "spgemm_gpu/hash.h"
#include "support/devices.h"
#include "support/entries.h"
#include "support/operands.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* Columns of rows for hash tables are APART from each other, from column FAR on; those of rows for
 * windows begin at column NEAR. */
enum { APART = 100, FAR = 7, NEAR = 1000, ROWS = 64 };

static struct rng draw = {17};

/* A row of C: n entries, each of them the sum of `times` products, in `span` columns. */
static struct row {
	int64_t n, times, span;
} row[ROWS];
static int rows;

/* The rows of B, in this order: single entries, then three entries each; of far columns, then of
 * near ones. The numbers are those of the first rows of each kind, and of all. */
static struct {
	int64_t far_three, near_one, near_three, all;
} of_b;

/* ---- Rows ------------------------------------------------------------------------------------ */

static int64_t capacity(const eki_hash_size *size)
{
	return size->slots - size->slots / 4;
}

/* The number of rows of three entries that leave the last of `span` columns free. */
static int64_t threes(int64_t span)
{
	return span < 8 ? 0 : (span - 8) / 9 + 1;
}

static void add_far(int64_t n, int64_t times)
{
	assert_true(rows < ROWS);
	row[rows++] = (struct row){n, times, n > 0 ? APART * (n - 1) + 1 : 0};
}

/* Adds a row in which every third column has an entry. */
static void add_near(int64_t span)
{
	assert_true(rows < ROWS);
	row[rows++] = (struct row){3 * threes(span) + 1, 1, span};
}

static bool is_near(const struct row *r)
{
	return r->n > 0 && r->span < APART * (r->n - 1) + 1;
}

/* Returns the least number of columns of a full row that has too many columns for a window and too
 * many entries for a hash table. */
static int64_t beyond(const eki_hash_size *last)
{
	return 1 + (capacity(last) > last->columns ? capacity(last) : last->columns);
}

/* Adds a row in which every column has an entry. */
static void add_full(int64_t span)
{
	assert_true(rows < ROWS);
	row[rows++] = (struct row){span, 1, span};
}

/* Lists rows for all tables, with rows without entries and of one list. */
static void list_rows(const eki_hash_rows *h)
{
	rows = 0;
	add_far(0, 1);
	for (int k = 0; k < h->sizes; k++) {
		for (int64_t more = -1; more <= 1; more++) {
			add_far(capacity(&h->size[k]) + more, 1);
			add_near(h->size[k].columns + more);
		}
		add_far(capacity(&h->size[k]), 2); /* its bound is twice as large */
	}
	add_full(beyond(&h->size[h->sizes - 1]));
	add_far(1, 1);
	add_far(0, 1);
}

/* ---- Operands -------------------------------------------------------------------------------- */

static void make_b(const eki_hash_rows *h, struct shape *b)
{
	const eki_hash_size *last = &h->size[h->sizes - 1];
	const int64_t most = capacity(last) + 1, span = beyond(last);
	int64_t i = 0;

	of_b.far_three = most;
	of_b.near_one = of_b.far_three + most / 3;
	of_b.near_three = of_b.near_one + span;
	of_b.all = of_b.near_three + threes(span);
	shape_open(b, "B", of_b.all, FAR + APART * most, 3 * of_b.all);
	for (; i < of_b.all; shape_end_row(b, i++)) {
		const bool near = i >= of_b.near_one;
		const bool three = near ? i >= of_b.near_three : i >= of_b.far_three;
		const int64_t first = near ? (three ? of_b.near_three : of_b.near_one)
		                           : (three ? of_b.far_three : 0);
		const int64_t step = near ? (three ? 3 : 1) : APART;

		for (int64_t k = 0; k < (three ? 3 : 1); k++)
			shape_put(b,
			          (near ? NEAR : FAR) + step * ((three ? 3 : 1) * (i - first) + k),
			          &draw);
	}
}

/* Makes the lists of a row: rows of three entries first, unless it is full, then single ones. */
static void put_lists(struct shape *a, const struct row *r)
{
	const bool near = is_near(r);
	const bool full = near && r->n == r->span;
	const int64_t count = full ? 0 : near ? threes(r->span) : r->n / 3;

	for (int64_t k = 0; k < count; k++)
		shape_put(a, (near ? of_b.near_three : of_b.far_three) + k, &draw);
	for (int64_t k = full ? 0 : r->span - 1; near && k < r->span; k++)
		shape_put(a, of_b.near_one + k, &draw);
	for (int64_t k = 3 * count; !near && k < r->n; k++)
		shape_put(a, k, &draw);
}

static void make_a(struct shape *a)
{
	int64_t room = 1;

	for (int i = 0; i < rows; i++)
		room += row[i].n * row[i].times;
	shape_open(a, "A", rows, of_b.all, room);
	for (int i = 0; i < rows; shape_end_row(a, i++))
		for (int64_t t = 0; t < row[i].times; t++)
			put_lists(a, &row[i]);
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Returns the class of a row of up to n entries: a window where that needs no larger table, or has
 * an entry for every fourth column; else a hash table; the largest window if nothing is enough, or,
 * for more than four windows of eight entries on average, the class whose windows are shared
 * out. */
static int class_for(const eki_hash_rows *h, int64_t n, int64_t span)
{
	const int64_t last = h->size[h->sizes - 1].columns;
	int hash = 0, window = 0;

	while (hash < h->sizes && capacity(&h->size[hash]) < n)
		hash++;
	while (window < h->sizes && h->size[window].columns < span)
		window++;
	if (window < h->sizes && (window <= hash || span <= 4 * n))
		return EKI_HASH_TABLE + h->sizes + window;
	if (hash < h->sizes)
		return EKI_HASH_TABLE + hash;
	return EKI_HASH_TABLE + 2 * h->sizes - (span <= 4 * last || 8 * span > n * last);
}

/* Checks which rows are in which class, and that no class is without rows, unless a smaller window
 * has as many columns. */
static void check_lists(const ek_plan *plan, ek_index index, bool by_length)
{
	const eki_hash_rows *h = plan->root.state;
	const eki_hash_list *list = by_length ? &h->by_length : &h->by_bound;
	int64_t place[ROWS];
	int32_t narrow[ROWS];
	void *to = index == EK_I64 ? (void *)place : (void *)narrow;

	expect_status(eki_buffer_read(plan->root.gpu->device, list->row, to,
	                              rows * (int64_t)eki_idx_size(index)),
	              EK_OK);
	for (int class = 0; class < h->classes; class ++) {
		const int window = class - EKI_HASH_TABLE - h->sizes;

		for (int64_t k = list->first[class]; k < list->first[class + 1]; k++) {
			const int64_t i = index == EK_I64 ? place[k] : narrow[k];
			const struct row *r = &row[i];
			const int64_t n = r->n * (by_length ? 1 : r->times);
			const int expected = n < 2 ? (int)n : class_for(h, n, r->span);

			if (class != expected)
				fail_msg("row %lld of %lld entries in %lld columns is in class %d, "
				         "not %d",
				         (long long)i, (long long)n, (long long)r->span, class,
				         expected);
		}
		if (list->first[class] == list->first[class + 1] &&
		    !(window > 0 && window < h->sizes - 1 &&
		      h->size[window].columns == h->size[window - 1].columns))
			fail_msg("class %d has no rows", class);
	}
}

/* ---- The test -------------------------------------------------------------------------------- */

/* Finds the tables of a plan with these types. */
static eki_hash_rows tables_of(ek_context *ctx, const char *method, ek_value value, ek_index index)
{
	struct operands p;
	struct shape s;
	eki_hash_rows h;
	ek_plan *plan;

	shape_open(&s, "one entry", 1, 1, 1);
	shape_put(&s, 0, &draw);
	shape_end_row(&s, 0);
	operands_make(&p, &s, &s, NULL, value, index, ctx);
	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	h = *(const eki_hash_rows *)plan->root.state;
	ek_plan_destroy(plan);
	operands_free(&p);
	shape_free(&s);
	return h;
}

/* Checks a plan that makes C in one phase, and later in one pass, and one that counts C first, and
 * makes it in batches. */
static void check_classes(const struct device_context *on, const char *method, ek_value value)
{
	const ek_index index = value == EK_F32 ? EK_I64 : EK_I32;
	const ek_device_info info = on->ctx->device->info;
	struct shape a, b;
	struct operands p;
	ek_plan *plan = NULL;

	call_device(on->ctx, "gpu");
	snprintf(product_where, sizeof product_where, "%s %s on %s", method, ek_value_name(value),
	         on->text);
	const eki_hash_rows h = tables_of(on->ctx, method, value, index);

	print_message("  %s: %d sizes of tables\n", product_where, h.sizes);
	assert_true(h.sizes > 1);
	list_rows(&h);
	make_b(&h, &b);
	make_a(&a);
	operands_make(&p, &a, &b, NULL, value, index, on->ctx);
	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	check_lists(plan, index, false);
	operands_check(&p, plan);
	check_lists(plan, index, true);
	ek_plan_destroy(plan);
	expect_status(operands_plan(&p, method, 1, &plan), EK_ELIMIT);
	expect_status(operands_plan(&p, method, operands_least(), &plan), EK_OK);
	operands_check(&p, plan);
	ek_plan_destroy(plan);
	operands_free(&p);
	shape_free(&a);
	shape_free(&b);
	on->ctx->device->info = info;
}

static void test_classes(void **state)
{
	static const struct {
		const char *method;
		ek_value value;
		enum tier tier; /* that has no others, but longer tiers have all */
	} of[] = {{"spgemm.csr.hash.gpu", EK_F64, TIER_BRIEF},
	          {"spgemm.csr.hash.gpu:local=16", EK_F32, TIER_QUICK},
	          {"spgemm.csr.hash.gpu", EK_F32, TIER_FULL},
	          {"spgemm.csr.hash.gpu:local=16", EK_F64, TIER_FULL}};

	(void)state;
	need_device();
	for (int k = 0; k < EKI_COUNT(of); k++)
		if (of[k].tier == test_tier() || test_tier() > TIER_QUICK)
			check_classes(&devices.of[k % devices.count], of[k].method, of[k].value);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
