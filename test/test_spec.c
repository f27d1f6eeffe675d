/* SPDX-License-Identifier: BSD-3-Clause
 * Tests texts that specify a matrix to generate: refused ones, with their messages, and those only
 * just accepted. */
#include "support/support.h"

static void test_bad_specs(void **state)
{
	static const struct {
		const char *spec;
		ek_status status;
		const char *message;
	} bad[] = {
		{"", EK_EINVAL, "there is no generator \"\""},
		{"poison", EK_EINVAL, "poisson2d5"},
		{"Dense", EK_EINVAL, "these exist"},
		{"dense:rows", EK_EINVAL, "rows=2000"},
		{"dense:row=3", EK_EINVAL, "no parameter \"row=3\""},
		{"dense:rows=3,", EK_EINVAL, "comma"},
		{"dense:,rows=3", EK_EINVAL, "no parameter \"\""},
		{"dense:rows=3,,cols=4", EK_EINVAL, "no parameter \"\""},
		{"dense:rows=3,rows=4", EK_EINVAL, "dense: rows is given twice"},
		{"dense:rows=3,cols=4,seed=1,rows=3", EK_EINVAL, "rows is given twice"},
		{"dense:seed=1,seed=1", EK_EINVAL, "seed is given twice"},
		{"dense:rows=", EK_EINVAL, "whole number"},
		{"dense:rows=-1", EK_EINVAL, "rows is \"-1\""},
		{"dense:rows=1.5", EK_EINVAL, "whole number"},
		{"dense:rows=1e10", EK_EINVAL, "from 0 to 1e+09"},
		{"dense:rows=1e99", EK_EINVAL, "rows is \"1e99\""},
		{"dense:rows=1e", EK_EINVAL, "rows is \"1e\""},
		{"dense:rows=0x10", EK_EINVAL, "rows is \"0x10\""},
		{"dense:rows=nan", EK_EINVAL, "rows is \"nan\""},
		{"dense:rows=12345678901234567890", EK_EINVAL, "whole number"},
		{"dense:seed=-3", EK_EINVAL, "seed is \"-3\""},
		{"dense:values=complex", EK_EINVAL, "\"complex\"; integer or real"},
		{"dense:values=stencil", EK_EINVAL, "\"stencil\"; integer or real"},
		{"poisson2d5:values=rea", EK_EINVAL, "stencil, integer or real"},
		{"dense:name=x", EK_EINVAL, "no parameter \"name=x\""},
		{"banded:density=1.5", EK_EINVAL, "from 0 to 1"},
		{"uniform:cols=5,k=6", EK_EINVAL, "one entry for each column"},
		{"powerlaw:min=9,max=8", EK_EINVAL, "minimum"},
		{"powerlaw:cols=10,max=11", EK_EINVAL, "max is 11"},
		{"rmat:a=0.9,b=0.9", EK_EINVAL, "at most 1"},
		{"circuit:n=10,longest=11", EK_EINVAL, "longest is 11"},
		{"circuit:n=4,mean=3,longest=1", EK_EINVAL, "mean is 3"},
		{"lp:mean=9,max=10", EK_EINVAL, "mean is 9"},
		{"emptyrows:leading=0.6,trailing=0.6", EK_EINVAL, "leading is 0.6"},
		{"arrow:n=3,width=4", EK_EINVAL, "width is 4"},
		{"denserow:cols=5,k=6", EK_EINVAL, "k is 6"},
		{"random:min=5,mean=4", EK_EINVAL, "mean is 4"},
		{"random:cols=5,max=6,mean=1", EK_EINVAL, "max is 6"},
		{"uniform:rows=5,k=6", EK_EINVAL, "k is 6; at most one entry for each column"},
		{"twin", EK_EINVAL, "twin: name is missing, for example twin:name=webbase-1M"},
		{"twin:seed=2", EK_EINVAL, "ek list twins (ek_twin_next) has all"},
		{"twin:name=", EK_EINVAL, "webbase-1M"},
		{"twin:name=webbase-2M", EK_EINVAL, "TSOPF_RS_b300_c2"},
		{"twin:rows=3", EK_EINVAL, "no parameter \"rows=3\""},
		{"diagonal:n=3000000000", EK_EOVERFLOW, "3000000000 rows"},
		{"dense:rows=50000,cols=50000", EK_EOVERFLOW, "2147483646 entries"},
		{"rmat:scale=30,factor=2", EK_EOVERFLOW, "edges"},
		{"fem:nx=1e9,ny=1e9", EK_EOVERFLOW, "rows"},
	};
	ek_context *ctx = NULL;
	ek_matrix *A = NULL;
	char text[1000];

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		expect_error(ek_matrix_generate(ctx, bad[k].spec, EK_F64, EK_I32, &A),
		             bad[k].status, bad[k].message);
		assert_null(A);
	}
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	expect_error(ek_matrix_generate(ctx, text, EK_F64, EK_I32, &A), EK_EINVAL,
	             "999 characters");
	memcpy(text, "twin:name=", 10);
	text[200] = 0;
	expect_error(ek_matrix_generate(ctx, text, EK_F64, EK_I32, &A), EK_EINVAL, "shorter name");
	expect_error(ek_matrix_generate(NULL, "dense", EK_F64, EK_I32, &A), EK_EINVAL, "ctx");
	expect_error(ek_matrix_generate(ctx, NULL, EK_F64, EK_I32, &A), EK_EINVAL, "spec");
	expect_error(ek_matrix_generate(ctx, "dense", EK_F64, EK_I32, NULL), EK_EINVAL, "A");
	expect_error(ek_matrix_generate(ctx, "dense", (ek_value)9, EK_I32, &A), EK_EINVAL, "value");
	expect_error(ek_matrix_generate(ctx, "dense", EK_F64, (ek_index)9, &A), EK_EINVAL, "index");
	assert_null(A);
	ek_context_destroy(ctx);
}

/* Generates matrices without rows, columns or entries. */
static void test_empty(void **state)
{
	static const char *const spec[] = {
		"dense:rows=0",
		"dense:cols=0",
		"diagonal:n=0",
		"banded:n=0",
		"uniform:rows=0",
		"uniform:cols=0,k=0",
		"powerlaw:cols=0,min=0,max=0",
		"lp:rows=0",
		"hypersparse:rows=0",
		"emptyrows:leading=1,trailing=0,rows=10",
		"rmat:scale=0",
		"rmat:factor=0,scale=3",
		"denserow:rows=1,cols=1,k=0",
		"densecol:rows=1,cols=1,k=1",
		"circuit:n=2,mean=1,longest=2,hubs=24",
		"random:rows=5,cols=0,max=0,mean=0",
	};
	ek_context *ctx = NULL;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
		ek_matrix *A = NULL;

		expect_status(ek_matrix_generate(ctx, spec[k], EK_F64, EK_I64_32, &A), EK_OK);
		expect_status(ek_matrix_check(A), EK_OK);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

/* Tests pairs of texts that give the same matrix: numbers in another notation, names in another
 * letter case, and defaults written out. Defaults depend on given parameters: if the generator's
 * example is square, `cols` is by default `rows`, and default row lengths are at most `cols`. */
static void test_same(void **state)
{
	static const char *const same[][2] = {
		{"dense:rows=20,cols=2", "dense:cols=2,values=real,rows=2e1,seed=1"},
		{"dense:rows=20,cols=2", "dense:rows=200e-1,cols=2.0"},
		{"banded:n=50,density=0.25", "banded:n=50,density=2.5E-1"},
		{"twin:name=pde2961", "twin:name=PDE2961"},
		{"twin:name=conf5_4-8x8-20", "twin:name=Qcd"},
		{"powerlaw:rows=10", "powerlaw:rows=10,cols=10,max=10"},
		{"powerlaw:cols=10,rows=20", "powerlaw:rows=20,cols=10,max=10"},
		{"powerlaw:rows=9,max=0", "powerlaw:rows=9,cols=9,min=0,max=0"},
		{"uniform:rows=10", "uniform:rows=10,cols=10,k=10"},
		{"circuit:n=10", "circuit:n=10,longest=10,mean=5"},
		{"lp:rows=10,cols=10", "lp:rows=10,cols=10,max=10,mean=5"},
		{"lp:rows=10", "lp:rows=10,cols=1000000"},
		{"random:rows=10", "random:rows=10,cols=10,max=10,mean=5"},
		{"random:rows=10,cols=50", "random:rows=10,cols=50,max=50,mean=10"},
		{"random:rows=10,cols=50,max=4", "random:rows=10,cols=50,max=4,mean=2"},
		{"denserow:rows=5", "denserow:rows=5,cols=5,k=5"},
		{"densecol:rows=5", "densecol:rows=5,cols=5,k=5"},
		{"emptyrows:rows=10", "emptyrows:rows=10,cols=10,k=10"},
		{"dense:rows=3", "dense:rows=3,cols=3"},
	};
	ek_context *ctx = NULL;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
		ek_matrix *A[2];
		ek_view view[2] = {{.size = sizeof(ek_view)}, {.size = sizeof(ek_view)}};

		for (int side = 0; side < 2; side++)
			expect_status(
				ek_matrix_generate(ctx, same[k][side], EK_F64, EK_I32, &A[side]),
				EK_OK);
		for (int array = 0; array < 3; array++) {
			static const char *const name[] = {"row_ptr", "col_idx", "val"};

			for (int side = 0; side < 2; side++)
				expect_status(ek_matrix_array(A[side], name[array], &view[side]),
				              EK_OK);
			assert_int_equal(view[0].len, view[1].len);
			assert_memory_equal(view[0].data, view[1].data,
			                    (size_t)view[0].len * view[0].elem_size);
		}
		ek_matrix_destroy(A[0]);
		ek_matrix_destroy(A[1]);
	}
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_specs),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
