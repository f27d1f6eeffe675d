/* SPDX-License-Identifier: BSD-3-Clause
 * Tests structs of callers that were compiled with another version of the header. Each struct that
 * the library reads is tested at every length, right before a guard page. test_struct_out.c tests
 * the structs that the library fills. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include "support/guard.h"
#include "support/support.h"

enum { MOST = 4096 }; /* largest size of a struct in bytes, as ek.h says */

static ek_context *ctx;
static ek_matrix *A;
static ek_plan *plan;
static struct guard guard;

static double x[2] = {1, 2}, y[2];
static int32_t numbers[4] = {3, 1, 2, 0}, sum;
static const int32_t one_two[2] = {1, 2};
static const int64_t offset[] = {0, 1, 4};

static ek_status with_options(const void *given)
{
	ek_context *c = NULL;
	ek_status status = ek_context_create(given, &c);

	ek_context_destroy(c);
	return status;
}

static ek_status with_read_options(const void *given)
{
	static const char text[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n";
	ek_matrix *B = NULL;
	ek_status status = ek_matrix_read_memory(ctx, "text", text, sizeof text - 1, EK_F64, EK_I32,
	                                         given, &B);

	ek_matrix_destroy(B);
	return status;
}

static ek_status with_convert_options(const void *given)
{
	ek_matrix *B = NULL;
	ek_status status = ek_matrix_convert(A, "coo", given, &B);

	ek_matrix_destroy(B);
	return status;
}

static ek_status with_hints(const void *given)
{
	ek_plan *p = NULL;
	ek_status status = ek_plan_create(EK_SPMV, A, given, &p);

	ek_plan_destroy(p);
	return status;
}

static ek_status with_array_options(const void *given)
{
	return ek_reduce(ctx, given, EK_INT32, EK_SUM, 4, numbers, &sum);
}

static ek_status with_x(const void *given)
{
	const ek_dense to = ek_vector(EK_F64, 2, y);

	return ek_spmv(plan, 1, given, 0, &to);
}

static ek_status with_y(const void *given)
{
	const ek_dense from = ek_vector(EK_F64, 2, x);

	return ek_spmv(plan, 1, &from, 0, given);
}

static ek_status with_segments(const void *given)
{
	int32_t out[4];

	return ek_segmented_sum(ctx, NULL, EK_INT32, 4, numbers, given, out);
}

static ek_status with_pairs(const void *given)
{
	return ek_sort(ctx, NULL, given);
}

static ek_status with_merged(const void *given)
{
	const ek_pairs none = ek_key_value(EK_INT32, 0, 0, NULL, NULL);
	int32_t out[8];
	const ek_pairs to = ek_key_value(EK_INT32, 0, 0, out, NULL);

	return ek_merge(ctx, NULL, 1, given, &none, &to);
}

static ek_status with_sparse(const void *given)
{
	return ek_sparse_dot(ctx, NULL, given, given, &sum);
}

static ek_status with_sparse_dense(const void *given)
{
	const ek_sparse none = ek_sparse_vector(EK_F64, EK_INT32, 2, 0, NULL, NULL);

	return ek_scatter(ctx, NULL, &none, given);
}

static ek_status with_set(const void *given)
{
	const ek_pairs none = ek_key_value(EK_INT32, 4, 0, NULL, NULL);
	int32_t key[2], value[2];
	const ek_pairs to = ek_key_value(EK_INT32, 4, 2, key, value);
	int64_t count;

	return ek_pairs_union(ctx, NULL, EK_INT32, EK_SUM, given, &none, &count, &to);
}

static ek_dense dense;
static ek_sparse sparse;
static ek_pairs pairs, set;
static ek_segments segments;
static const ek_options options = {.size = sizeof options, .threads = 1};
static const ek_read_options read_options = {.size = sizeof read_options};
static const ek_convert_options convert_options = {.size = sizeof convert_options};
static const ek_hints hints = {.size = sizeof hints};
static const ek_array_options array_options = {.size = sizeof array_options};

static const struct input {
	const char *name, *type;
	ek_status (*call)(const void *given);
	const void *good;
	size_t size;
	/* least size that works; shorter structs lack a member that has no default */
	size_t least;
} inputs[] = {
	{"options", "ek_options", with_options, &options, sizeof options, 8},
	{"options", "ek_read_options", with_read_options, &read_options, sizeof read_options, 8},
	{"options", "ek_convert_options", with_convert_options, &convert_options,
         sizeof convert_options, 8},
	{"hints", "ek_hints", with_hints, &hints, sizeof hints, 8},
	{"options", "ek_array_options", with_array_options, &array_options, sizeof array_options,
         8},
	{"x", "ek_dense", with_x, &dense, sizeof dense, offsetof(ek_dense, where)},
	{"y", "ek_dense", with_y, &dense, sizeof dense, offsetof(ek_dense, where)},
	{"segments", "ek_segments", with_segments, &segments, sizeof segments, sizeof segments},
	{"pairs", "ek_pairs", with_pairs, &pairs, sizeof pairs, offsetof(ek_pairs, value)},
	{"a", "ek_pairs", with_merged, &pairs, sizeof pairs, offsetof(ek_pairs, value)},
	{"a", "ek_pairs", with_set, &set, sizeof set, sizeof set},
	{"x", "ek_sparse", with_sparse, &sparse, sizeof sparse, sizeof sparse},
	{"y", "ek_dense", with_sparse_dense, &dense, sizeof dense, offsetof(ek_dense, where)},
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

/* Returns a copy of the first `bytes` bytes of a good struct, with member `size` set to `size`,
 * right before a guard page. If the struct has fewer bytes, zeros follow. */
static void *laid(const struct input *in, size_t bytes, size_t size)
{
	char *at = guard_at_end(&guard, (bytes + 7) / 8 * 8);

	memset(at, 0, (bytes + 7) / 8 * 8);
	memcpy(at, in->good, bytes < in->size ? bytes : in->size);
	memcpy(at, &size, sizeof size);
	return at;
}

static void expect_refused(const struct input *in, const void *given, const char *part)
{
	char text[100];

	snprintf(text, sizeof text, "%s.size is ", in->name);
	expect_error(in->call(given), EK_EINVAL, text);
	expect_error(in->call(given), EK_EINVAL, part);
}

static void test_shorter(void **state)
{
	(void)state;
	for (const struct input *in = inputs; in < inputs + INPUTS; in++)
		for (const ek_layout *row = NULL; (row = ek_layout_next(row));) {
			const size_t size = (size_t)row->offset;

			if (strcmp(row->type, in->type) != 0 || size < sizeof(size_t))
				continue;
			if (size >= in->least)
				expect_status(in->call(laid(in, size, size)), EK_OK);
			else if (in->call(laid(in, size, size)) != EK_OK)
				assert_null(strstr(ek_error_text(), ".size"));
			if (row->size > 1) {
				expect_refused(in, laid(in, size + 1, size + 1), row->member);
				expect_refused(in, laid(in, size + 1, size + 1), in->type);
			}
		}
}

/* Checks that members that begin after `size` bytes count as zero, whatever memory holds there. */
static void test_not_read(void **state)
{
	ek_hints h = {.size = offsetof(ek_hints, op), .op = (ek_op)77, .threads = -1};
	ek_dense v = ek_vector(EK_F64, 2, x);

	(void)state;
	expect_status(with_hints(&h), EK_OK);
	h.size = sizeof h;
	expect_error(with_hints(&h), EK_EINVAL, "hints.op is 77");
	v.where = 99;
	v.size = offsetof(ek_dense, where);
	expect_status(with_x(&v), EK_OK);
	assert_true(y[0] == 1 && y[1] == 2);
	v.size = sizeof v;
	expect_error(with_x(&v), EK_EINVAL, "x.where is 99");
}

static void test_longer(void **state)
{
	(void)state;
	for (const struct input *in = inputs; in < inputs + INPUTS; in++)
		for (size_t more = 1; in->size + more <= MOST; more += more < 20 ? 1 : 509) {
			const size_t size = in->size + more;
			char part[40], *at = laid(in, size, size);

			expect_status(in->call(at), EK_OK);
			at[size - 1] = (char)0xff;
			snprintf(part, sizeof part, "byte %zu is 255", size - 1);
			expect_refused(in, at, part);
			snprintf(part, sizeof part, "knows %zu bytes of %s", in->size, in->type);
			expect_refused(in, at, part);
			at[in->size] = 1;
			snprintf(part, sizeof part, "byte %zu is %s", in->size,
			         more == 1 ? "1" : "1;");
			expect_refused(in, at, part);
		}
}

static void test_no_size(void **state)
{
	static const size_t bad[] = {0, 1, sizeof(size_t) - 1, MOST + 1, SIZE_MAX / 2, SIZE_MAX};

	(void)state;
	for (const struct input *in = inputs; in < inputs + INPUTS; in++)
		for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
			char part[40];

			snprintf(part, sizeof part, "is %zu;", bad[k]);
			expect_refused(in, laid(in, sizeof(size_t), bad[k]), part);
			snprintf(part, sizeof part, ", %zu in this library", in->size);
			expect_refused(in, laid(in, sizeof(size_t), bad[k]), part);
		}
}

/* ---- Set-up and main ------------------------------------------------------------------------- */

static int setup(void **state)
{
	static const int32_t ptr[] = {0, 1, 2}, col[] = {0, 1};
	static const double val[] = {1, 1};
	const ek_options one = {.size = sizeof one, .threads = 1};
	int bad = 0;

	(void)state;
	unsetenv("EK_METHOD");
	unsetenv("EK_DEVICE");
	bad |= ek_context_create(&one, &ctx);
	bad |= ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, col, val, 0, &A);
	bad |= ek_plan_create(EK_SPMV, A, NULL, &plan);
	dense = ek_vector(EK_F64, 2, bad ? NULL : x);
	dense.data = calloc(2, sizeof(double)); /* x of some calls and y of others */
	pairs = ek_key_value(EK_INT32, 0, 4, numbers, NULL);
	set = ek_key_value(EK_INT32, 4, 2, one_two, numbers);
	sparse = ek_sparse_vector(EK_INT32, EK_INT32, 3, 2, one_two, numbers);
	segments = ek_segment_offsets(2, EK_INT64, offset);
	guard_make(&guard, MOST);
	return bad || !dense.data;
}

static int teardown(void **state)
{
	(void)state;
	guard_free(&guard);
	free(dense.data);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shorter),
		cmocka_unit_test(test_not_read),
		cmocka_unit_test(test_longer),
		cmocka_unit_test(test_no_size),
	};

	return run_all_tests(tests, setup, teardown);
}
