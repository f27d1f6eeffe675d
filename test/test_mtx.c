/* SPDX-License-Identifier: BSD-3-Clause
 * Tests bad and unusual Matrix Market text. Each refused case must give its status and message,
 * which starts with file and line, for any number of threads. No case may leak memory or allocate a
 * large block. */
#include <math.h>

#include "support/heap.h"
#include "support/support.h"

#define MM  "%%MatrixMarket matrix "
#define R   MM "coordinate real general\n"
#define I   MM "coordinate integer general\n"
#define P   MM "coordinate pattern general\n"
#define SYM MM "coordinate real symmetric\n"
#define SKW MM "coordinate real skew-symmetric\n"
#define VEC "%%MatrixMarket vector "

enum {
	NAN_OK = 1,
	MIRROR = 2,
	NO_DUPLICATES = 4,
	LAST = 8,
	SMALL_DIM = 16,
	WIDE = 32,
	SINGLE = 64
};

struct text_case {
	int number; /* number in the project's list of bad inputs */
	const char *text;
	size_t length; /* length of `text`, or 0 if a NUL ends it */
	unsigned how;
	ek_status status;
	const char *message;
};

static const struct text_case refused[] = {
	{1, "", 0, 0, EK_ETRUNCATED, "t:1: the file is empty"},
	{2, "%%MatrixMarkt matrix coordinate real general\n1 1 0\n", 0, 0, EK_ESYNTAX,
         "t:1: the file starts with \"%%MatrixMarkt\""},
	{2, "1 1 1\n", 0, 0, EK_ESYNTAX, "t:1: "},
	{2, "\n" R "1 1 0\n", 0, 0, EK_ESYNTAX, "t:1: "},
	{3, R, 0, 0, EK_ETRUNCATED, "t:2: the file ends before"},
	{3, MM "coordinate real general", 0, 0, EK_ETRUNCATED, "t:2: "},
	{5, VEC "coordinate real general\n", 0, 0, EK_ETRUNCATED, "t:2: the file ends before"},
	{5, VEC "coordinate real symmetric\n2 0\n", 0, 0, EK_ESYNTAX, "t:1: a vector is general"},
	{5, VEC "array complex general\n1\n1 1\n", 0, 0, EK_EUNSUPPORTED, "t:1: complex"},
	{5, VEC "array pattern general\n1\n1\n", 0, 0, EK_ESYNTAX, "t:1: pattern"},
	{5, VEC "array real general\n2 1\n1\n2\n", 0, 0, EK_ESYNTAX,
         "t:2: the size line goes on with \"1\"; expected is a number: rows"},
	{5, VEC "coordinate real general\n2\n1 1\n", 0, 0, EK_ESYNTAX,
         "t:2: the size line has no number of entries; expected are numbers: rows, entries"},
	{5, VEC "coordinate real general\n2 1 1\n1 1\n", 0, 0, EK_ESYNTAX, "goes on with \"1\""},
	{5, VEC "coordinate real general\n2 1\n1 1 5\n", 0, 0, EK_ESYNTAX,
         "t:3: entry 1: the line goes on with \"5\"; expected are a row and a value"},
	{5, VEC "coordinate real general\n2 1\n3 5\n", 0, 0, EK_ERANGE,
         "t:3: entry 1: row 3 is out of range; 1 to 2"},
	{5, VEC "coordinate pattern general\n2 1\n1 1\n", 0, 0, EK_ESYNTAX, "expected is a row"},
	{5, VEC "coordinate real general\n2 3\n1 1\n2 1\n", 0, 0, EK_ETRUNCATED, "t:5: "},
	{5, VEC "array real general\n3\n1\n2\n", 0, 0, EK_ETRUNCATED, "t:"},
	{5, "%%MatrixMarket graph coordinate real general\n", 0, 0, EK_EUNSUPPORTED, "\"graph\""},
	{5, "%%MatrixMarket tensor coordinate real general\n", 0, 0, EK_ESYNTAX, "\"tensor\""},
	{6, MM "list real general\n", 0, 0, EK_ESYNTAX, "the format is \"list\""},
	{7, MM "coordinate quaternion general\n", 0, 0, EK_ESYNTAX, "the field is \"quaternion\""},
	{8, MM "coordinate real symetric\n", 0, 0, EK_ESYNTAX, "the symmetry is \"symetric\""},
	{8, MM "coordinate real\n", 0, 0, EK_ESYNTAX, "no symmetry"},
	{8, MM "coordinate real general x\n", 0, 0, EK_ESYNTAX, "goes on with \"x\""},
	{9, MM "coordinate real hermitian\n1 1 0\n", 0, 0, EK_ESYNTAX, "t:1: hermitian"},
	{10, MM "array pattern general\n1 1\n", 0, 0, EK_ESYNTAX, "t:1: pattern"},
	{10, MM "coordinate pattern skew-symmetric\n1 1 0\n", 0, 0, EK_ESYNTAX, "t:1: pattern"},
	{11, R "% nothing else\n", 0, 0, EK_ETRUNCATED, "t:3: "},
	{12, R "2 2 ^\n", 0, 0, EK_ESYNTAX, "t:2: the number of entries is \"^\""},
	{13, R "2 2\n1 1 1\n", 0, 0, EK_ESYNTAX, "t:2: the size line has no number of entries"},
	{14, R "2 2 1 1\n1 1 1\n", 0, 0, EK_ESYNTAX, "t:2: the size line goes on"},
	{14, MM "array real general\n1 1 1\n1\n", 0, 0, EK_ESYNTAX, "t:2: the size line goes on"},
	{15, R "-1 2 0\n", 0, 0, EK_ERANGE, "t:2: the number of rows is -1"},
	{15, R "1 -2 0\n", 0, 0, EK_ERANGE, "t:2: the number of columns is -2"},
	{15, R "1 2 -1\n", 0, 0, EK_ERANGE, "t:2: the number of entries is -1"},
	{16, R "9223372036854775807 1 0\n", 0, WIDE, EK_ELIMIT, "t:2: 9223372036854775807 rows"},
	{16, R "1 1 9223372036854775807\n1 1 1\n", 0, 0, EK_ETRUNCATED,
         "t:2: 9223372036854775807 entries are announced"},
	{16, R "2 2 18446744073709551615\n1 1 1\n", 0, 0, EK_EOVERFLOW, "t:2: "},
	{16, R "2 2 9223372036854775808\n1 1 1\n", 0, 0, EK_EOVERFLOW, "t:2: "},
	{17, R "2 2 4611686018427387904\n1 1 1\n", 0, 0, EK_ETRUNCATED, "t:2: 4611686018427387904"},
	{17, R "2000 2000 1000000\n1 1 1\n", 0, 0, EK_ETRUNCATED, "t:2: 1000000"},
	{17, MM "array real general\n100000 100000\n1\n", 0, 0, EK_ETRUNCATED, "t:2: "},
	{17, MM "array real general\n4000000000 4000000000\n1\n", 0, WIDE, EK_EOVERFLOW, "t:2: "},
	{18, R "1000000000000 1 0\n", 0, 0, EK_ELIMIT, "t:2: 1000000000000 rows"},
	{18, R "1 1000000000000 0\n", 0, 0, EK_ELIMIT, "t:2: 1000000000000 columns"},
	{18, R "1 4000000000000 0\n", 0, WIDE, EK_ELIMIT, "max_dim allows 1099511627776"},
	{18, R "101 1 0\n", 0, SMALL_DIM, EK_ELIMIT, "max_dim allows 100"},
	{19, R "1 2 3\n1 1 1\n1 2 1\n1 1 1\n", 0, NO_DUPLICATES, EK_ERANGE, "t:2: 3 entries"},
	{20, R "2 2 2\n1 1 1\n0 1 1\n", 0, 0, EK_ERANGE,
         "t:4: entry 2: row 0; 1 to 2 are possible (is the file 0-based?)"},
	{20, R "2 2 1\n1 0 1\n", 0, 0, EK_ERANGE,
         "t:3: entry 1: column 0; 1 to 2 are possible (is the file 0-based?)"},
	{21, R "2 3 1\n3 1 1\n", 0, 0, EK_ERANGE,
         "t:3: entry 1: row 3 is out of range; 1 to 2 are possible"},
	{22, R "3 2 1\n1 3 1\n", 0, 0, EK_ERANGE,
         "t:3: entry 1: column 3 is out of range; 1 to 2 are possible"},
	{23, R "3 2 1\n-1 1 1\n", 0, 0, EK_ERANGE, "t:3: entry 1: row -1"},
	{23, R "3 2 1\n1 -1 1\n", 0, 0, EK_ERANGE, "t:3: entry 1: column -1"},
	{24, R "3 2 1\n4294967297 1 1\n", 0, 0, EK_ERANGE, "row 4294967297"},
	{24, R "3 2 1\n1 18446744073709551617 1\n", 0, 0, EK_ERANGE, "column 18446744073709551617"},
	{25, R "3 2 1\n1.0 1 1\n", 0, 0, EK_ESYNTAX,
         "t:3: entry 1: the row is \"1.0\"; an integer is expected, without point"},
	{25, R "3 2 1\n1 1e0 1\n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the column is \"1e0\""},
	{26, R "3 2 2\n1 1 1000000\n", 0, 0, EK_ETRUNCATED,
         "t:4: the file ends after 1 entries; 2 are announced"},
	{27, R "3 2 1\n1 1 1\n2 2 2\n", 0, 0, EK_ETRAILING, "t:4: entry 2: \"2 2 2\" follows"},
	{27, R "3 2 1\n1 1 1\nend\n", 0, 0, EK_ETRAILING, "t:4: entry 2: \"end\" follows"},
	{27, MM "array real general\n1 1\n1\n2\n", 0, 0, EK_ETRAILING,
         "t:4: entry 2: \"2\" follows"},
	{29, R "3 2 1\n1 1   \n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the value is missing"},
	{29, R "3 2 1\n1       \n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the column is missing"},
	{29, R "3 2 1\n1 1\n", 0, 0, EK_ESYNTAX,
         "t:3: entry 1: the value is missing; expected are"},
	{29, R "3 2 2\n1 1 1\n2 2\n", 0, 0, EK_ESYNTAX, "t:4: entry 2: the value is missing"},
	{29, R "3 2 2\n1 1\n2 2 1\n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the value is missing"},
	{29, R "3 2 2\n1 1 1\n2", 0, 0, EK_ETRUNCATED,
         "t:4: entry 2: the file ends here, the column is missing"},
	{29, R "3 2 2\n1 1 1\n2 2", 0, 0, EK_ETRUNCATED,
         "t:4: entry 2: the file ends here, the value is missing"},
	{29, R "3 2 2\n1 1\n2 2 1", 0, 0, EK_ESYNTAX, "t:3: entry 1: the value is missing"},
	{29, P "3 2 1\n1\n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the column is missing"},
	{29, R "3 2", 0, 0, EK_ETRUNCATED, "t:2: the size line has no number of entries"},
	{29, MM "coordinate real", 0, 0, EK_ETRUNCATED, "t:1: the banner has no symmetry"},
	{30, P "3 2 1\n1 1 1\n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the line goes on with \"1\""},
	{30, R "3 2 1\n1 1 1 1\n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the line goes on with \"1\""},
	{30, MM "array real general\n2 1\n1 2\n", 0, 0, EK_ESYNTAX,
         "t:3: entry 1: the line goes on with \"2\""},
	{31, MM "coordinate complex general\n1 1 1\n1 1 1\n", 0, 0, EK_EUNSUPPORTED,
         "t:1: complex"},
	{32, R "3 2 1\n1 1 1,5\n", 0, 0, EK_ESYNTAX,
         "t:3: entry 1: the value is \"1,5\"; the decimal point"},
	{33, R "3 2 1\n1 1 1.0junk\n", 0, 0, EK_ESYNTAX, "t:3: entry 1: the value is \"1.0junk\""},
	{33, R "3 2 1\n1 1 1e\n", 0, 0, EK_ESYNTAX, "the value is \"1e\""},
	{33, R "3 2 1\n1 1 --1\n", 0, 0, EK_ESYNTAX, "the value is \"--1\""},
	{33, R "3 2 1\n1 1 .\n", 0, 0, EK_ESYNTAX, "the value is \".\""},
	{34, R "3 2 1\n1 1 nan\n", 0, 0, EK_ERANGE, "t:3: entry 1: the value is nan"},
	{34, R "3 2 1\n1 1 -Inf\n", 0, 0, EK_ERANGE, "t:3: entry 1: the value is -Inf"},
	{34, R "3 2 1\n1 1 nanx\n", 0, NAN_OK, EK_ESYNTAX, "the value is \"nanx\""},
	{35, R "3 2 1\n1 1 1e999\n", 0, 0, EK_EOVERFLOW,
         "t:3: entry 1: the value 1e999 is too large for f64"},
	{35, R "3 2 1\n1 1 -1e39\n", 0, SINGLE, EK_EOVERFLOW, "too large for f32"},
	{35, R "3 2 1\n1 1 1e99999999999999999999\n", 0, 0, EK_EOVERFLOW, "too large for f64"},
	{37, R "3 2 1\n1 1 0x1p3\n", 0, 0, EK_ESYNTAX, "the value is \"0x1p3\""},
	{39, SYM "2 3 1\n1 1 1\n", 0, 0, EK_ESYNTAX, "t:2: 2 rows and 3 columns"},
	{40, SYM "2 2 1\n1 2 1\n", 0, 0, EK_ESYNTAX,
         "t:3: entry 1: row 1, column 2 is above the diagonal"},
	{41, SYM "2 2 2\n2 1 1\n1 2 1\n", 0, 0, EK_ESYNTAX,
         "t:4: entry 2: row 1, column 2 is above"},
	{41, SYM "2 2 2\n2 1 1\n1 2 1\n", 0, MIRROR, EK_ERANGE, "t:4: entry 2: "},
	{42, SKW "2 2 1\n2 2 1\n", 0, 0, EK_ESYNTAX,
         "t:3: entry 1: row 2, column 2 is on the diagonal"},
	{43, MM "coordinate complex hermitian\n1 1 1\n1 1 1 1\n", 0, 0, EK_EUNSUPPORTED,
         "t:1: complex"},
	{45, R "2 2 3\n1 1 1\n2 2 1\n1 1 2\n", 0, NO_DUPLICATES, EK_ERANGE,
         "t:5: entry 3: row 1, column 1 was given before, by entry 1"},
	{47, R "3 2 1\n1 1 1\0\n", sizeof(R "3 2 1\n1 1 1\0\n") - 1, 0, EK_ESYNTAX,
         "t:3: entry 1: the line has a NUL byte"},
	{47, R "%\0\n3 2 1\n1 1 1\n", sizeof(R "%\0\n3 2 1\n1 1 1\n") - 1, 0, EK_ESYNTAX,
         "t:2: the line has a NUL byte, so this is not text"},
	{47, R "3 2 1\n%\0\n1 1 1\n", sizeof(R "3 2 1\n%\0\n1 1 1\n") - 1, 0, EK_ESYNTAX,
         "t:3: entry 1: the line has a NUL byte"},
	{48, "\357\273\277" R "1 1 0\n", 0, 0, EK_ESYNTAX,
         "t:1: the file starts with a UTF-8 byte order mark"},
	{50, R "% and so on", 0, 0, EK_ETRUNCATED, "t:3: the file ends before"},
	{52, R "0 2 1\n1 1 1\n", 0, 0, EK_ERANGE, "t:2: 1 entries"},
	{53, I "3 2 1\n1 1 400000000000000000000000000000000000000\n", 0, SINGLE, EK_EOVERFLOW,
         "t:3: entry 1: the value 400000000000000000000000000000000000000 is too large for f32"},
	{53, I "3 2 1\n1 1 1.5\n", 0, 0, EK_ESYNTAX, "the value is \"1.5\"; an integer"},
	{53, MM "coordinate unsigned-integer general\n3 2 1\n1 1 -5\n", 0, 0, EK_ERANGE,
         "unsigned"},
};

static const struct {
	struct text_case c;
	int64_t rows, cols, nnz;
	double first; /* value of the first entry */
} accepted[] = {
	{{4, "%%matrixmarket MATRIX Coordinate Real GENERAL\n2 2 1\n1 1 3\n", 0, 0, EK_OK, NULL},
         2,
         2,
         1,
         3},
	{{5, VEC "array real general\n3\n1\n2\n3\n", 0, 0, EK_OK, NULL}, 3, 1, 3, 1},
	{{5, VEC "array integer general\n0\n", 0, 0, EK_OK, NULL}, 0, 1, 0, 0},
	{{5, VEC "coordinate real general\n3 2\n2 5\n3 7\n", 0, 0, EK_OK, NULL}, 3, 1, 2, 5},
	{{5, VEC "coordinate pattern general\n3 2\n1\n3\n", 0, 0, EK_OK, NULL}, 3, 1, 2, 1},
	{{6, MM "array real general\n2 2\n1\n2\n3\n0\n", 0, 0, EK_OK, NULL}, 2, 2, 4, 1},
	{{6, MM "array integer symmetric\n2 2\n1\n2\n3\n", 0, 0, EK_OK, NULL}, 2, 2, 4, 1},
	{{6, MM "array real skew-symmetric\n2 2\n5\n", 0, 0, EK_OK, NULL}, 2, 2, 4, 0},
	{{19, R "1 1 3\n1 1 1\n1 1 2\n1 1 4\n", 0, 0, EK_OK, NULL}, 1, 1, 1, 7},
	{{28, R "2 2 1\n1 1 1.5", 0, 0, EK_OK, NULL}, 2, 2, 1, 1.5},
	{{34, R "2 2 1\n1 1 -Infinity\n", 0, NAN_OK, EK_OK, NULL}, 2, 2, 1, -(double)INFINITY},
	{{36, R "2 2 1\n1 1 1e-999\n", 0, 0, EK_OK, "t:3: 1 value is too small"}, 2, 2, 1, 0},
	{{36, R "2 2 1\n1 1 1e-99999999999999\n", 0, 0, EK_OK, "t:3: 1 value is too small"},
         2,
         2,
         1,
         0},
	{{36, R "2 2 1\n1 1 -1e-60\n", 0, SINGLE, EK_OK, "t:3: 1 value is too small for f32"},
         2,
         2,
         1,
         0},
	{{38, R "2 2 1\n1 1 1d3\n", 0, 0, EK_OK, NULL}, 2, 2, 1, 1000},
	{{38, R "2 2 1\n1 1 -1.5D-1\n", 0, 0, EK_OK, NULL}, 2, 2, 1, -0.15},
	{{40, SYM "2 2 1\n1 2 4\n", 0, MIRROR, EK_OK, NULL}, 2, 2, 2, 4},
	{{40, SKW "2 2 1\n1 2 4\n", 0, MIRROR, EK_OK, NULL}, 2, 2, 2, 4},
	{{40, SKW "2 2 1\n2 1 4\n", 0, 0, EK_OK, NULL}, 2, 2, 2, -4},
	{{45, R "2 2 3\n1 1 1\n2 2 1\n1 1 2\n", 0, 0, EK_OK,
          "t: 1 of 3 entries had places that came before; their values were added"},
         2,
         2,
         2,
         3},
	{{45, SYM "2 2 3\n2 1 1\n2 2 1\n2 1 2\n", 0, 0, EK_OK,
          "t: 2 of 5 entries, mirror images included, had places that came before"},
         2,
         2,
         3,
         3},
	{{45, R "2 2 3\n1 1 1\n2 2 1\n1 1 2\n", 0, LAST, EK_OK, NULL}, 2, 2, 2, 2},
	{{45, SYM "2 2 2\n2 1 1\n2 1 2\n", 0, 0, EK_OK, NULL}, 2, 2, 2, 3},
	{{49, R "\r\n% x\r\n2 2 2\r\n\t+1\t1  +5\r\n\n% c\n  \n2 2 1\r\n\n", 0, 0, EK_OK, NULL},
         2,
         2,
         2,
         5},
	{{51, R "0 5 0\n", 0, 0, EK_OK, NULL}, 0, 5, 0, 0},
	{{51, R "5 0 0\n", 0, 0, EK_OK, NULL}, 5, 0, 0, 0},
	{{51, SYM "0 0 0", 0, 0, EK_OK, NULL}, 0, 0, 0, 0},
	{{51, MM "array real general\n0 3\n", 0, 0, EK_OK, NULL}, 0, 3, 0, 0},
	{{53, I "2 2 1\n1 1 -9007199254740992\n", 0, 0, EK_OK, NULL}, 2, 2, 1, -9007199254740992.0},
	{{53, I "2 2 1\n1 1 9007199254740994\n", 0, 0, EK_OK, NULL}, 2, 2, 1, 9007199254740994.0},
	{{53, I "2 2 1\n1 1 9223372036854775807\n", 0, 0, EK_OK,
          "t:3: 1 integer does not fit f64 exactly and was rounded"},
         2,
         2,
         1,
         0x1p63},
	{{53, I "2 2 1\n1 1 -9223372036854775808\n", 0, 0, EK_OK, NULL}, 2, 2, 1, -0x1p63},
	{{53, I "2 2 1\n1 1 100000000000000000000\n", 0, 0, EK_OK, NULL}, 2, 2, 1, 1e20},
	{{53, I "2 2 1\n1 1 99999999999999999999\n", 0, 0, EK_OK, "t:3: 1 integer "},
         2,
         2,
         1,
         1e20},
	{{53, I "2 2 1\n1 1 9007199254740993\n", 0, 0, EK_OK,
          "t:3: 1 integer does not fit f64 exactly and was rounded"},
         2,
         2,
         1,
         9007199254740992.0},
	{{53, I "2 2 3\n1 1 16777216\n% 1\n1 2 16777217\n2 2 -16777219\n", 0, SINGLE, EK_OK,
          "t:5: 2 integers do not fit f32 exactly and were rounded, the first one here"},
         2,
         2,
         3,
         16777216},
	{{54, P "2 2 1\n1 1\n", 0, 0, EK_OK, NULL}, 2, 2, 1, 1},
	{{54, MM "coordinate pattern symmetric\n2 2 1\n2 1\n", 0, 0, EK_OK, NULL}, 2, 2, 2, 1},
	{{54, MM "coordinate double general\n2 2 1\n1 1 2e0\n", 0, 0, EK_OK, NULL}, 2, 2, 1, 2},
};

static char logged[512];

static void keep_log(void *user, ek_log_level level, const char *text)
{
	(void)user;
	assert_int_equal(level, EK_LOG_WARNING);
	snprintf(logged, sizeof logged, "%s", text);
}

static struct heap heap = HEAP_INIT;

static ek_context *context(int threads)
{
	ek_options o = heap_options(&heap, threads);
	ek_context *ctx;

	heap.limit = 256LL << 20;
	o.log = keep_log;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	return ctx;
}

static void close_context(ek_context *ctx)
{
	ek_context_destroy(ctx);
	assert_int_equal(atomic_load(&heap.refused), 0);
	heap_close(&heap);
}

static ek_status read_case(ek_context *ctx, const struct text_case *c, ek_matrix **A)
{
	ek_read_options o = {.size = sizeof o,
	                     .allow_nan = (c->how & NAN_OK) != 0,
	                     .mirror = (c->how & MIRROR) != 0,
	                     .duplicates = c->how & NO_DUPLICATES ? EK_DUP_ERROR
	                                   : c->how & LAST        ? EK_DUP_LAST
	                                                          : 0,
	                     .max_dim = c->how & SMALL_DIM ? 100 : 0};

	return ek_matrix_read_memory(ctx, "t", c->text, c->length ? c->length : strlen(c->text),
	                             c->how & SINGLE ? EK_F32 : EK_F64,
	                             c->how & WIDE ? EK_I64 : EK_I32, &o, A);
}

static void refuse(ek_context *ctx, const struct text_case *c)
{
	ek_matrix *A = NULL;
	ek_status status = read_case(ctx, c, &A);

	if (status != c->status || !strstr(ek_error_text(), c->message) ||
	    strncmp(ek_error_text(), "t:", 2) != 0 || A)
		fail_msg("case %d, %.80s: status %d, message %s", c->number, c->text, (int)status,
		         ek_error_text());
	assert_int_equal(atomic_load(&heap.live), 1);
}

static void test_refused(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 3; threads += 2) {
		ek_context *ctx = context(threads);

		for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
			refuse(ctx, &refused[k]);
		close_context(ctx);
	}
}

static void test_accepted(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 3; threads += 2) {
		ek_context *ctx = context(threads);

		for (size_t k = 0; k < sizeof accepted / sizeof *accepted; k++) {
			ek_matrix_info info = {.size = sizeof info};
			ek_matrix *A = NULL;
			ek_view v = {.size = sizeof v};

			logged[0] = '\0';
			expect_status(read_case(ctx, &accepted[k].c, &A), EK_OK);
			expect_status(ek_matrix_check(A), EK_OK);
			expect_status(ek_matrix_get_info(A, &info), EK_OK);
			expect_status(ek_matrix_array(A, "val", &v), EK_OK);
			if (info.rows != accepted[k].rows || info.cols != accepted[k].cols ||
			    info.nnz != accepted[k].nnz ||
			    (info.nnz && value_at(info.value, v.data, 0) != accepted[k].first) ||
			    !strstr(logged, accepted[k].c.message ? accepted[k].c.message : ""))
				fail_msg("case %d: %lld x %lld, %lld entries, log \"%s\"",
				         accepted[k].c.number, (long long)info.rows,
				         (long long)info.cols, (long long)info.nnz, logged);
			ek_matrix_destroy(A);
			assert_int_equal(atomic_load(&heap.live), 1);
		}
		close_context(ctx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
