/* SPDX-License-Identifier: BSD-3-Clause
 * Tests files of decisions that are damaged: each is refused with the line, and the context keeps
 * the decisions that it had; so it does when memory runs out. */
#include <unistd.h>

#include "support/exhaust.h"
#include "support/support.h"
#include "tune/tune.h"

enum { MOST_TEXT = 1 << 12 };

static struct exhaust e;
static char path[64], good[MOST_TEXT];

static int setup(void **state)
{
	char here[sizeof e.ctx->wisdom.machine];

	(void)state;
	snprintf(path, sizeof path, "/tmp/ek-wisdom-file-%ld", (long)getpid());
	exhaust_open(&e, 2, NULL);
	eki_wisdom_machine(e.ctx, here);
	snprintf(good, sizeof good,
	         "evenkeel wisdom 1\n"
	         "machine 9.9.9 Some Other Processor\n"
	         "decision 0000000000000abc 0000000000000001 spmv9 h f16 128 sve 4 1 -1 4 csr9:c=8 "
	         "spmv9.new csr9 1000\n"
	         "machine %s\n"
	         "decision 00000000000000aa 0123456789abcdef spmv n f64 32 scalar 2 1 0 4 - "
	         "spmv.csr.rows csr 1000\n"
	         "decision 00000000000000ab 0123456789abcdef spmm t f32 64 avx2 3 8 -1 4 ell "
	         "spmm.columns ell:order=1 1000\n"
	         "end 3\n",
	         here);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	exhaust_close(&e);
	return 0;
}

static void write_bytes(const char *text, size_t bytes)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, bytes, f) != bytes || fclose(f) != 0)
		abort();
}

/* Expects that a text is refused with a status and a message, and changes nothing. */
static void expect_refused(const char *text, ek_status status, const char *why)
{
	const int64_t before = ek_wisdom_count(e.ctx);

	write_bytes(text, strlen(text));
	expect_error(ek_wisdom_load(e.ctx, path), status, why);
	assert_non_null(strstr(ek_error_text(), path));
	assert_int_equal(ek_wisdom_count(e.ctx), before);
}

static void damaged(void **state)
{
	static const struct {
		const char *from, *to;
		ek_status status;
		const char *why;
	} edits[] = {
		{"wisdom 1", "wisdom 2", EK_ESYNTAX, "line 1: \"evenkeel wisdom 2\""},
		{"machine 9", "engine 9", EK_ESYNTAX, "line 2: \"engine"},
		{"machine 9.9.9 Some Other Processor\n", "", EK_ESYNTAX, "line 2: \"decision\""},
		{"machine 9", "machine \t9", EK_ESYNTAX, "line 2: \"\t9.9.9"},
		{"decision 0000000000000abc", "decision 000000000000abc", EK_ESYNTAX, "line 3: "},
		{"decision 0000000000000abc", "decision 0000000000000abC", EK_ESYNTAX, "line 3: "},
		{"decision 0000000000000abc", "decision 0000000000000000", EK_ESYNTAX, "line 3: "},
		{"sve 4 ", "sve 0 ", EK_ESYNTAX, "line 3: \"0\"; a number of threads"},
		{"sve 4 1 ", "sve 4 x ", EK_ESYNTAX, "line 3: \"x\"; a number of columns"},
		{" -1 4 csr9", " -2 4 csr9", EK_ESYNTAX, "line 3: \"-2\"; a number of bytes"},
		{" -1 4 csr9", " -1 20 csr9", EK_ESYNTAX, "line 3: \"20\"; a number of digits"},
		{" spmv9.new csr9", " spmv9.new", EK_ESYNTAX, "15 words"},
		{" spmv9.new csr9", " spmv9.new csr9 more", EK_ESYNTAX, "15 words"},
		{"csr9 1000", "csr9 0", EK_ESYNTAX, "line 3: \"0\"; a number of calls"},
		{"0abc 0000000000000001", "0abc 000000000000001", EK_ESYNTAX, "line 3: \"0000"},
		{"ef spmv n", "ef spmx n", EK_ESYNTAX, "line 5: \"spmx\"; an operation"},
		{"ef spmv n", "ef spadd n", EK_ESYNTAX, "line 5: \"spadd\"; an operation"},
		{"ef spmv n", "ef spmv c", EK_ESYNTAX, "line 5: \"c\"; n or t"},
		{"n f64 32", "n f16 32", EK_ESYNTAX, "line 5: \"f16\""},
		{"n f64 32", "n f64 33", EK_ESYNTAX, "line 5: \"33\""},
		{"32 scalar", "32 vector", EK_ESYNTAX, "line 5: \"vector\"; an instruction set"},
		{"4 - spmv", "4 what spmv", EK_ESYNTAX, "line 5: there is no format \"what\""},
		{"spmv.csr.rows csr ", "spmv.csr.row csr ", EK_ESYNTAX,
	         "line 5: there is no method"},
		{"spmv.csr.rows csr ", "spmv.csr.rows cs ", EK_ESYNTAX,
	         "line 5: there is no format"},
		{"spmv.csr.rows csr ", "spmv.csr.rows ell ", EK_ESYNTAX, "line 5: \"ell\""},
		{"spmm.columns", "spmv.csr.rows", EK_ESYNTAX, "line 6: "},
		{"ell:order=1", "ell:order=7", EK_ESYNTAX, "line 6: "},
		{"end 3\n", "end 2\n", EK_ESYNTAX, "line 7: \"end 2\""},
		{"end 3\n", "", EK_ETRUNCATED, "line 6: the file ends here"},
		{"end 3\n", "end 3", EK_ETRUNCATED, "line 7: the file ends within it"},
		{"end 3\n", "end 3\n\n", EK_ETRAILING, "line 8: there is more"},
	};
	static char text[MOST_TEXT];

	(void)state;
	for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
		const char *at = strstr(good, edits[k].from);

		assert_non_null(at);
		snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, edits[k].to,
		         at + strlen(edits[k].from));
		expect_refused(text, edits[k].status, edits[k].why);
	}
	for (size_t n = 0; n < strlen(good); n++) { /* cut anywhere, it is not complete */
		write_bytes(good, n);
		if (ek_wisdom_load(e.ctx, path) == EK_OK)
			fail_msg("a file of %zu of %zu bytes was accepted", n, strlen(good));
	}
	assert_int_equal(ek_wisdom_count(e.ctx), 0);
	write_bytes("evenkeel wisdom 1\n\0end 0\n", 25);
	expect_error(ek_wisdom_load(e.ctx, path), EK_ESYNTAX, "byte 19 is 0");
	write_bytes(good, strlen(good));
	expect_status(ek_wisdom_load(e.ctx, path), EK_OK);
	assert_int_equal(ek_wisdom_count(e.ctx), 3);
	expect_refused("evenkeel wisdom 1\n", EK_ETRUNCATED, "line 1");
	expect_refused("", EK_ETRUNCATED, "is empty");
	expect_status(ek_wisdom_forget(e.ctx), EK_OK);
}

static void arguments(void **state)
{
	(void)state;
	expect_error(ek_wisdom_load(NULL, path), EK_EINVAL, "ctx is NULL");
	expect_error(ek_wisdom_save(NULL, path), EK_EINVAL, "ctx is NULL");
	expect_error(ek_wisdom_forget(NULL), EK_EINVAL, "ctx is NULL");
	expect_error(ek_wisdom_load(e.ctx, NULL), EK_EINVAL, "path is NULL");
	expect_error(ek_wisdom_save(e.ctx, NULL), EK_EINVAL, "path is NULL");
	expect_error(ek_wisdom_load(e.ctx, "/nowhere/file"), EK_EIO, "/nowhere/file");
	expect_error(ek_wisdom_save(e.ctx, "/nowhere/file"), EK_EIO, "/nowhere/file");
	expect_error(ek_wisdom_load(e.ctx, "/"), EK_EIO, "no file");
	assert_int_equal(ek_wisdom_count(NULL), 0);
}

static ek_status load(struct exhaust *x)
{
	const ek_status status = ek_wisdom_load(x->ctx, path);

	if (status == EK_OK)
		x->out = NULL;
	return status;
}

static ek_status save(struct exhaust *x)
{
	const ek_status status = ek_wisdom_save(x->ctx, path);

	if (status == EK_OK)
		x->out = NULL;
	return status;
}

static void forget(struct exhaust *x)
{
	expect_status(ek_wisdom_forget(x->ctx), EK_OK);
}

static void memory_runs_out(void **state)
{
	char text[MOST_TEXT] = "";
	FILE *f;

	(void)state;
	write_bytes(good, strlen(good));
	assert_true(exhaust(&e, "ek_wisdom_load", load, forget) > 2);
	expect_status(ek_wisdom_load(e.ctx, path), EK_OK);
	assert_true(exhaust(&e, "ek_wisdom_save", save, NULL) > 1);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	assert_string_equal(text, good);
}

/* Checks that a file is not compressed, whatever its name ends in, since nobody would read it. */
static void ending(void **state)
{
	char packed[sizeof path + 3];

	(void)state;
	snprintf(packed, sizeof packed, "%s.gz", path);
	expect_status(ek_wisdom_save(e.ctx, packed), EK_OK);
	expect_status(ek_wisdom_load(e.ctx, packed), EK_OK);
	unlink(packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged),
		cmocka_unit_test(arguments),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(ending),
	};

	return run_all_tests(tests, setup, teardown);
}
