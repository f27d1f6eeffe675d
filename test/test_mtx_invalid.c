/* SPDX-License-Identifier: BSD-3-Clause
 * Tests files that a reader must refuse although most of their text is right. The cases are those
 * of the folders `invalid` and `overflow` in the tests of fast_matrix_market (A. Lugowski,
 * BSD-2-Clause), rewritten. Each case must give its status and message, which starts with file and
 * line, for any number of threads. */
#include "support/heap.h"
#include "support/support.h"

#define MM  "%%MatrixMarket matrix "
#define R   MM "coordinate real general\n"
#define I   MM "coordinate integer general\n"
#define P   MM "coordinate pattern general\n"
#define SYM MM "coordinate real symmetric\n"
#define SKW MM "coordinate real skew-symmetric\n"

enum { WIDE = 1, SINGLE = 2 };

struct text_case {
	const char *text;
	unsigned how;
	ek_status status;
	const char *message;
};

static const struct text_case refused[] = {
	/* Banners */
	{"\n", 0, EK_ESYNTAX, "t:1: the file starts with an empty line"},
	{"%", 0, EK_ESYNTAX, "t:1: the file starts with \"%\""},
	{"%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 0, EK_ESYNTAX,
         "t:1: the file starts with \"%MatrixMarket\""},
	{"%%MatrixMarketmatrix coordinate real general\n1 1 1\n1 1 1\n", 0, EK_ESYNTAX, "t:1: "},
	{"%%MatrixMarket\n1 1 1\n1 1 1\n", 0, EK_ESYNTAX, "t:1: the banner has no object"},
	{"%%MatrixMarket matrix\n1 1 1\n1 1 1\n", 0, EK_ESYNTAX, "no format"},
	{"%%MatrixMarket matrix coordinate\n1 1 1\n1 1 1\n", 0, EK_ESYNTAX, "no field"},
	{"%%MatrixMarket matrices coordinate real general\n1 1 0\n", 0, EK_ESYNTAX,
         "the object is \"matrices\"; expected is matrix or vector"},
	{MM "coordinates real general\n1 1 0\n", 0, EK_ESYNTAX, "\"coordinates\""},
	{MM "real coordinate general\n1 1 0\n", 0, EK_ESYNTAX, "the format is \"real\""},
	{MM "coordinate float general\n1 1 0\n", 0, EK_ESYNTAX, "the field is \"float\""},
	{MM "coordinate real skew\n1 1 0\n", 0, EK_ESYNTAX, "the symmetry is \"skew\""},
	{MM "coordinate integer hermitian\n1 1 0\n", 0, EK_ESYNTAX, "t:1: hermitian"},
	{MM "array pattern symmetric\n1 1\n", 0, EK_ESYNTAX, "t:1: pattern"},
	/* Size lines */
	{R, 0, EK_ETRUNCATED, "t:2: the file ends before"},
	{R "%\n%\n\n", 0, EK_ETRUNCATED, "t:5: the file ends before"},
	{R "x 2 1\n1 1 1\n", 0, EK_ESYNTAX, "t:2: the number of rows is \"x\""},
	{R "2 1.5 1\n1 1 1\n", 0, EK_ESYNTAX, "t:2: the number of columns is \"1.5\""},
	{R "2 2 1e1\n1 1 1\n", 0, EK_ESYNTAX, "t:2: the number of entries is \"1e1\""},
	{R "2 2 0x1\n1 1 1\n", 0, EK_ESYNTAX, "t:2: the number of entries is \"0x1\""},
	{R "+ 2 1\n1 1 1\n", 0, EK_ESYNTAX, "t:2: the number of rows is \"+\""},
	{R "2\n1 1 1\n", 0, EK_ESYNTAX, "t:2: the size line has no number of columns"},
	{MM "array real general\n2\n1\n2\n", 0, EK_ESYNTAX, "no number of columns"},
	{R "2 2 1 % one\n1 1 1\n", 0, EK_ESYNTAX, "t:2: the size line goes on with \"%\""},
	{MM "array real general\n-1 1\n1\n", 0, EK_ERANGE, "t:2: the number of rows is -1"},
	{SKW "3 2 0\n", 0, EK_ESYNTAX, "t:2: 3 rows and 2 columns"},
	{MM "array real symmetric\n2 3\n1\n2\n3\n", 0, EK_ESYNTAX, "t:2: 2 rows"},
	/* Too few and too many lines */
	{R "2 2 2\n", 0, EK_ETRUNCATED, "t:2: 2 entries are announced"},
	{P "2 2 2\n1 1\n", 0, EK_ETRUNCATED, "t:4: the file ends after 1 entries"},
	{R "2 2 2\n1 1 1\n%\n\n", 0, EK_ETRUNCATED, "t:6: the file ends after 1 entries"},
	{MM "array real general\n2 2\n1.5\n2.5\n3.5\n", 0, EK_ETRUNCATED,
         "t:6: the file ends after 3 entries; 4 are announced"},
	{MM "array real symmetric\n2 2\n1.5\n2.5\n", 0, EK_ETRUNCATED,
         "t:5: the file ends after 2 entries; 3 are announced"},
	{P "2 2 1\n1 1\n2 2\n", 0, EK_ETRAILING, "t:4: entry 2: \"2 2\" follows"},
	{R "2 2 0\n1 1 1\n", 0, EK_ETRAILING, "t:3: entry 1: \"1 1 1\" follows"},
	{MM "array real skew-symmetric\n2 2\n1\n2\n", 0, EK_ETRAILING, "t:4: entry 2"},
	/* Rows and columns of entries */
	{P "2 2 1\n0 1\n", 0, EK_ERANGE, "t:3: entry 1: row 0"},
	{SYM "2 2 1\n0 0 1\n", 0, EK_ERANGE, "t:3: entry 1: row 0"},
	{P "2 2 1\n3 1\n", 0, EK_ERANGE, "row 3 is out of range; 1 to 2 are possible"},
	{I "2 2 2\n1 1 1\n1 3 1\n", 0, EK_ERANGE, "t:4: entry 2: column 3 is out of range"},
	{I "2 2 1\n-2 1 1\n", 0, EK_ERANGE, "t:3: entry 1: row -2"},
	{R "2 2 1\n9223372036854775808 1 1\n", 0, EK_ERANGE, "row 9223372036854775808"},
	{R "2 2 1\n1 340282366920938463463374607431768211457 1\n", 0, EK_ERANGE,
         "column 340282366920938463463374607431768211457 is out of range"},
	{R "2 2 1\nx 1 1\n", 0, EK_ESYNTAX, "t:3: entry 1: the row is \"x\""},
	{R "2 2 1\n1 y 1\n", 0, EK_ESYNTAX, "t:3: entry 1: the column is \"y\""},
	{R "2 2 1\n1,1,1\n", 0, EK_ESYNTAX, "t:3: entry 1: the row is \"1,1,1\""},
	{MM "coordinate integer skew-symmetric\n2 2 1\n1 1 0\n", 0, EK_ESYNTAX,
         "t:3: entry 1: row 1, column 1 is on the diagonal"},
	/* Values */
	{I "2 2 1\n1 1 1 0\n", 0, EK_ESYNTAX, "t:3: entry 1: the line goes on with \"0\""},
	{MM "array integer general\n1 2\n1 2\n", 0, EK_ESYNTAX, "goes on with \"2\""},
	{I "2 2 1\n1 1 five\n", 0, EK_ESYNTAX, "the value is \"five\"; an integer"},
	{R "2 2 1\n1 1 1.2.3\n", 0, EK_ESYNTAX, "the value is \"1.2.3\""},
	{R "2 2 1\n1 1 1e+\n", 0, EK_ESYNTAX, "the value is \"1e+\""},
	{MM "array real general\n1 1\nx\n", 0, EK_ESYNTAX, "t:3: entry 1: the value is \"x\""},
	{I "2 2 1\n1 1 1e2\n", 0, EK_ESYNTAX, "the value is \"1e2\"; an integer"},
	{I "2 2 1\n1 1 -\n", 0, EK_ESYNTAX, "the value is \"-\""},
	/* Overflow. Integers of more than 53 bits are rounded, not refused: see `accepted` in
	 * test_mtx.c. */
	{R "2 340282366920938463463374607431768211456 1\n1 1 1\n", WIDE, EK_EOVERFLOW,
         "t:2: the number of columns is 340282366920938463463374607431768211456; at most "
         "9223372036854775807"},
	{MM "array real general\n9223372036854775808 1\n1\n", 0, EK_EOVERFLOW, "rows is 9"},
	{R "2147483648 1 0\n", 0, EK_ELIMIT,
         "t:2: 2147483648 rows; index type 32 allows 2147483647; EK_I64 has room"},
	{R "2 2 1\n1 1 1.7976931348623159e308\n", 0, EK_EOVERFLOW, "too large for f64"},
	{R "2 2 1\n1 1 3.4028236e38\n", SINGLE, EK_EOVERFLOW, "too large for f32"},
	{MM "array real general\n1 1\n-1e400\n", 0, EK_EOVERFLOW, "t:3: entry 1"},
	{MM "coordinate unsigned-integer general\n1 1 1\n1 1 -18446744073709551616\n", 0, EK_ERANGE,
         "the value is -18446744073709551616; the field"},
};

static struct heap heap = HEAP_INIT;

static void test_refused(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 3; threads += 2) {
		ek_context *ctx = heap_context(&heap, threads, 0);

		for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
			const struct text_case *c = &refused[k];
			ek_matrix *A = NULL;
			ek_status status =
				ek_matrix_read_memory(ctx, "t", c->text, strlen(c->text),
			                              c->how & SINGLE ? EK_F32 : EK_F64,
			                              c->how & WIDE ? EK_I64 : EK_I32, NULL, &A);

			if (status != c->status || !strstr(ek_error_text(), c->message) ||
			    strncmp(ek_error_text(), "t:", 2) != 0 || A)
				fail_msg("row %zu, %s: status %d, message %s", k, c->text,
				         (int)status, ek_error_text());
			assert_int_equal(atomic_load(&heap.live), 1);
		}
		ek_context_destroy(ctx);
	}
	heap_close(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
