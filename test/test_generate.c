/* SPDX-License-Identifier: BSD-3-Clause
 * Tests generators. A matrix must be the same for any number of threads and in every type; a table
 * of hashes shows changes from version to version. Also tests the sizes and row lengths of twins,
 * and failing allocations. */
#include "gen/gen.h"
#include "support/support.h"
#include "support/heap.h"

/* Small cases, at least one for each generator, and hashes of their f64 matrices. If a hash
 * changes, benchmarks with the generator cannot be compared with earlier ones. */
static const struct {
	const char *spec;
	uint64_t hash;
} golden[] = {
	{"dense:rows=40,cols=30", 0x8dbdadcfe2b7b757},
	{"diagonal:n=1000", 0x8f96607078ea98b2},
	{"poisson2d5:nx=30,ny=20", 0x1b09553a24533353},
	{"poisson2d5:nx=30,ny=20,values=real", 0x815ee2f2f3f5f230},
	{"poisson2d9:nx=13,ny=9", 0xc21060c2dddf805b},
	{"poisson2d9:nx=1,ny=50,values=integer", 0x8d68f413659c2dc1},
	{"poisson3d7:nx=10,ny=9,nz=8", 0xa62225e09a7360a7},
	{"poisson3d7:nx=10,ny=9,nz=8,values=real", 0x4300c0a0c647c977},
	{"poisson3d27:nx=8,ny=9,nz=10", 0x4195e06cdfc07bd5},
	{"poisson3d27:nx=8,ny=9,nz=10,values=real", 0x4c74d7f46bfa8d17},
	{"fem:nx=6,ny=5,nz=4,dof=3", 0x2fa6e72eefa6064d},
	{"banded:n=2000,lower=7,upper=3,density=0.4,seed=5", 0xeacc7b64de79d29f},
	{"uniform:rows=900,cols=1100,k=12", 0x83337524007ffe97},
	{"uniform:rows=100,cols=20,nnz=1777,seed=2", 0x49a55eae7d8fc329},
	{"rmat:scale=9,factor=8", 0xe743b01bf8492e6a},
	{"rmat:scale=5,shuffle=0,seed=9", 0xfd170d217d680c5a},
	{"powerlaw:rows=3000,cols=2500,max=900,exponent=1.8", 0x9c171ab4923974d1},
	{"circuit:n=5000,mean=4,longest=4500,hubs=5", 0x4eabe8483055287e},
	{"lp:rows=60,cols=9000,mean=200,max=3000", 0xb1a5009b3cc6d2e3},
	{"hypersparse:rows=30000,cols=20000", 0xcdc67f3c9a71c153},
	{"emptyrows:rows=3000,cols=1e3,k=7,leading=0.25,trailing=0.125", 0xd0380665746800ef},
	{"arrow:n=700,width=2", 0xbedd111a118869f0},
	{"denserow:rows=400,cols=600,k=3", 0x34b61085d8ce8bff},
	{"densecol:rows=400,cols=600,k=5", 0xdd1e8d58cce60e85},
	{"random:rows=2000,cols=900,mean=8.5,max=700", 0xf6d3c85ea3515fe8},
	{"twin:name=pde2961", 0xf68a48b7052d27e9},
	{"twin:name=sme3Da", 0xb86afd12cb20458e},
	{"twin:name=qcd,values=integer", 0xf727b73b64b6b4e0},
	{"twin:name=Dc2,seed=3", 0xb2e92e7970c6b663},
	{"twin:name=Poisson3Da", 0x01d8b845e327ff77},
	{"twin:name=Patents_main", 0xef9e046a3ff9865e},
};
enum { GOLDEN = sizeof golden / sizeof *golden };

static int64_t index_at(const ek_view *v, int64_t k)
{
	return v->elem_size == 8 ? ((const int64_t *)v->data)[k] : ((const int32_t *)v->data)[k];
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

struct arrays {
	ek_matrix_info info;
	ek_view ptr, col, val;
};

static void arrays_of(const ek_matrix *A, struct arrays *a)
{
	a->info.size = sizeof a->info;
	a->ptr.size = a->col.size = a->val.size = sizeof a->ptr;
	expect_status(ek_matrix_get_info(A, &a->info), EK_OK);
	expect_status(ek_matrix_array(A, "row_ptr", &a->ptr), EK_OK);
	expect_status(ek_matrix_array(A, "col_idx", &a->col), EK_OK);
	expect_status(ek_matrix_array(A, "val", &a->val), EK_OK);
}

/* Returns a hash of sizes, row pointers, columns and, if they are f64, the bits of the values. */
static uint64_t hash_of(const ek_matrix *A)
{
	struct arrays a;
	uint64_t hash = 1, bits;

	arrays_of(A, &a);
	hash = mixed(mixed(hash, (uint64_t)a.info.rows), (uint64_t)a.info.cols);
	for (int64_t i = 0; i <= a.info.rows; i++)
		hash = mixed(hash, (uint64_t)index_at(&a.ptr, i));
	for (int64_t k = 0; k < a.info.nnz; k++) {
		hash = mixed(hash, (uint64_t)index_at(&a.col, k));
		if (a.info.value == EK_F64) {
			memcpy(&bits, (const double *)a.val.data + k, sizeof bits);
			hash = mixed(hash, bits);
		}
	}
	return hash;
}

/* Tells whether the spec has values=stencil, the default of the poisson generators. */
static bool is_stencil(const char *spec)
{
	return strncmp(spec, "poisson", 7) == 0 && !strstr(spec, "values=real") &&
	       !strstr(spec, "values=integer");
}

/* Checks that A is valid, that the columns of each row ascend without repetition, and that the
 * values are as the spec asks. */
static void well_formed(const ek_matrix *A, const char *spec)
{
	struct arrays a;

	expect_status(ek_matrix_check(A), EK_OK);
	arrays_of(A, &a);
	for (int64_t i = 0; i < a.info.rows; i++)
		for (int64_t k = index_at(&a.ptr, i) + 1; k < index_at(&a.ptr, i + 1); k++)
			if (index_at(&a.col, k - 1) >= index_at(&a.col, k))
				fail_msg("%s: row %lld, entry %lld: columns do not ascend", spec,
				         (long long)i, (long long)k);
	for (int64_t k = 0; k < a.info.nnz && !is_stencil(spec); k++) {
		double v = value_at(a.info.value, a.val.data, k);

		if (v == 0 || !(v >= -4 && v <= 4) ||
		    (strstr(spec, "integer") ? v != (double)(int64_t)v : v < -1 || v > 1))
			fail_msg("%s: value %lld is %g", spec, (long long)k, v);
	}
}

static ek_context *context(int threads)
{
	ek_options options = {.size = sizeof options, .threads = threads};
	ek_context *ctx = NULL;

	expect_status(ek_context_create(&options, &ctx), EK_OK);
	return ctx;
}

static void test_golden(void **state)
{
	int count[MAX_COUNTS], counts = test_counts(count), changed = 0;

	(void)state;
	for (int c = 0; c < counts; c++) {
		ek_context *ctx = context(count[c]);

		for (int k = 0; k < GOLDEN; k++) {
			ek_matrix *A = NULL;

			expect_status(ek_matrix_generate(ctx, golden[k].spec, EK_F64, EK_I32, &A),
			              EK_OK);
			well_formed(A, golden[k].spec);
			if (hash_of(A) != golden[k].hash) {
				print_error("%d threads: {\"%s\", 0x%016llx},\n", count[c],
				            golden[k].spec, (unsigned long long)hash_of(A));
				changed++;
			}
			ek_matrix_destroy(A);
		}
		ek_context_destroy(ctx);
	}
	assert_int_equal(changed, 0);
}

static bool has_case(const ek_generator *g)
{
	size_t length = strlen(g->name);

	for (int k = 0; k < GOLDEN; k++)
		if (strncmp(golden[k].spec, g->name, length) == 0 && golden[k].spec[length] == ':')
			return true;
	return false;
}

/* Checks that examples start with the generator's name, and give every parameter in the table a
 * value within its limits, since these values are the defaults. */
static void test_table(void **state)
{
	int generators = 0;

	(void)state;
	for (const ek_generator *g = NULL; (g = ek_generator_next(g)); generators++) {
		size_t length = strlen(ek_generator_name(g));
		const char *example = ek_generator_example(g);

		assert_true(strlen(ek_generator_text(g)) > 10);
		assert_memory_equal(example, ek_generator_name(g), length);
		assert_true(example[length] == ':');
		assert_non_null(strstr(example, is_stencil(example) ? "seed=1,values=stencil"
		                                                    : "seed=1,values=real"));
		for (int k = 0; k < EKI_GEN_PARAMS && g->limit[k].name; k++) {
			char key[40];

			snprintf(key, sizeof key, "%c%s=", k ? ',' : ':', g->limit[k].name);
			if (!strstr(example, key))
				fail_msg("%s lacks %s", example, key);
		}
		if (!has_case(g))
			fail_msg("no case for %s", g->name);
	}
	assert_true(generators >= 20);
	assert_null(ek_generator_name(NULL));
	assert_null(ek_generator_text(NULL));
	assert_null(ek_generator_example(NULL));
}

/* Checks that each example generates a valid matrix, at full size, and in the full tier that the
 * bare name of the generator gives the same matrix with another number of threads. */
static void test_examples(void **state)
{
	ek_context *one = context(1), *three = context(3);

	(void)state;
	for (const ek_generator *g = NULL; (g = ek_generator_next(g));) {
		ek_matrix *A = NULL, *B = NULL;

		expect_status(ek_matrix_generate(three, g->example, EK_F32, EK_I32, &A), EK_OK);
		well_formed(A, g->example);
		if (test_tier() >= TIER_FULL) {
			expect_status(ek_matrix_generate(one, g->name, EK_F32, EK_I32, &B), EK_OK);
			assert_true(hash_of(A) == hash_of(B));
		}
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
	}
	ek_context_destroy(one);
	ek_context_destroy(three);
}

static void test_types(void **state)
{
	ek_context *ctx = context(2);

	(void)state;
	for (int k = 0; k < GOLDEN; k++) {
		ek_matrix *A, *B;
		struct arrays a, b;

		expect_status(ek_matrix_generate(ctx, golden[k].spec, EK_F64, EK_I32, &A), EK_OK);
		arrays_of(A, &a);
		for (ek_index index = EK_I32; index <= EK_I64; index++) {
			expect_status(ek_matrix_generate(ctx, golden[k].spec, EK_F32, index, &B),
			              EK_OK);
			arrays_of(B, &b);
			assert_int_equal(a.info.nnz, b.info.nnz);
			for (int64_t i = 0; i <= a.info.rows; i++)
				assert_true(index_at(&a.ptr, i) == index_at(&b.ptr, i));
			for (int64_t e = 0; e < a.info.nnz; e++)
				assert_true(index_at(&a.col, e) == index_at(&b.col, e) &&
				            (float)value_at(EK_F64, a.val.data, e) ==
				                    (float)value_at(EK_F32, b.val.data, e));
			ek_matrix_destroy(B);
		}
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

/* Checks that stencils have one value on the diagonal, -1 elsewhere, and row sums of 0 or more. */
static void test_stencils(void **state)
{
	static const struct {
		const char *spec;
		double diagonal;
	} stencil[] = {{"poisson2d5:nx=5,ny=7", 4},
	               {"poisson2d9:nx=5,ny=7", 8},
	               {"poisson3d7:nx=5,ny=4,nz=6", 6},
	               {"poisson3d27:nx=5,ny=4,nz=6,values=stencil", 26}};
	ek_context *ctx = context(2);

	(void)state;
	for (int k = 0; k < 4; k++) {
		ek_matrix *A;
		struct arrays a;

		expect_status(ek_matrix_generate(ctx, stencil[k].spec, EK_F32, EK_I32, &A), EK_OK);
		arrays_of(A, &a);
		for (int64_t i = 0; i < a.info.rows; i++) {
			int64_t begin = index_at(&a.ptr, i), end = index_at(&a.ptr, i + 1);

			assert_true(end - begin <= (int64_t)stencil[k].diagonal + 1);
			for (int64_t e = begin; e < end; e++)
				assert_true(value_at(EK_F32, a.val.data, e) ==
				            (index_at(&a.col, e) == i ? stencil[k].diagonal : -1));
		}
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

/* ---- Twins ----------------------------------------------------------------------------------- */

static void check_twin(ek_context *ctx, const ek_twin *t, const char *name)
{
	char spec[128];
	ek_matrix *A = NULL;
	struct arrays a;
	int64_t shortest = INT64_MAX, longest = 0;

	snprintf(spec, sizeof spec, "twin:name=%s", name);
	expect_status(ek_matrix_generate(ctx, spec, EK_F32, EK_I32, &A), EK_OK);
	well_formed(A, spec);
	arrays_of(A, &a);
	for (int64_t i = 0; i < a.info.rows; i++) {
		int64_t n = index_at(&a.ptr, i + 1) - index_at(&a.ptr, i);

		shortest = n < shortest ? n : shortest;
		longest = n > longest ? n : longest;
	}
	if (a.info.rows != t->rows || a.info.cols != t->cols || a.info.nnz != t->nnz ||
	    shortest != t->row_min || longest != t->row_max)
		fail_msg("%s: %lld x %lld, %lld entries, rows of %lld to %lld", spec,
		         (long long)a.info.rows, (long long)a.info.cols, (long long)a.info.nnz,
		         (long long)shortest, (long long)longest);
	ek_matrix_destroy(A);
}

/* Tells whether a twin's matrix is in a table of the works, such as " II ". */
static bool in_table(const ek_twin *t, const char *table)
{
	char works[64];

	snprintf(works, sizeof works, " %s ", t->works);
	return strstr(works, table) != NULL;
}

static void test_twins(void **state)
{
	int64_t most = test_tier() >= TIER_FULL ? INT64_MAX : 2000000;
	ek_context *ctx = context(2);
	int twins = 0, thesis = 0, speculative = 0, adaptive = 0, segspmv = 0, scan = 0;

	(void)state;
	for (const ek_twin *t = NULL; (t = ek_twin_next(t)); twins++) {
		thesis += in_table(t, " A.1 ");
		speculative += in_table(t, " 3 ");
		adaptive += in_table(t, " I ");
		segspmv += in_table(t, " II ");
		scan += in_table(t, " 1 ");
		assert_true(t->structure[0] != 0);
		for (const ek_twin *other = t; (other = ek_twin_next(other));)
			assert_string_not_equal(t->name, other->name);
		if (t->nnz <= most)
			check_twin(ctx, t, t->name);
		if (t->nnz <= most / 4)
			check_twin(ctx, t, t->paper_name);
	}
	assert_int_equal(twins, 46);
	assert_int_equal(thesis, 38);
	assert_int_equal(speculative, 20);
	assert_int_equal(adaptive, 20);
	assert_int_equal(segspmv, 12);
	assert_int_equal(scan, 8);
	ek_context_destroy(ctx);
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static void test_allocations(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);

	(void)state;
	for (int k = 0; k < GOLDEN; k++)
		for (int persistent = 0; persistent < 2; persistent++) {
			ek_status status = EK_ENOMEM;

			for (long n = 0; status != EK_OK; n++) {
				ek_matrix *A = NULL;

				heap_fail(&heap, n, persistent);
				status =
					ek_matrix_generate(ctx, golden[k].spec, EK_F64, EK_I32, &A);
				heap_fail(&heap, -1, false);
				if (status == EK_OK) {
					well_formed(A, golden[k].spec);
				} else {
					assert_int_equal(status, EK_ENOMEM);
					assert_null(A);
				}
				ek_matrix_destroy(A);
				assert_true(n < 100);
			}
		}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),       cmocka_unit_test(test_golden),
		cmocka_unit_test(test_types),       cmocka_unit_test(test_examples),
		cmocka_unit_test(test_stencils),    cmocka_unit_test(test_twins),
		cmocka_unit_test(test_allocations),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
