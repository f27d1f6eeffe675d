/* SPDX-License-Identifier: BSD-3-Clause
 * Reads the first line of a Matrix Market file, its comments and its size line (Boisvert, Pozo,
 * Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935, 1996). A number of
 * entries that is too large for the rest of the file is refused here, before memory is allocated
 * for the entries. */
#include <stdio.h>
#include <string.h>

#include "io/mtx.h"
#include "io/product.h"

struct mtx_quote eki_mtx_quote(const char *begin, const char *end)
{
	struct mtx_quote q;
	size_t n = 0;

	for (; begin < end && n < 40; begin++)
		q.text[n++] = *begin >= ' ' && *begin <= '~' ? *begin : '?';
	if (begin < end) {
		memcpy(q.text + n, "...", 3);
		n += 3;
	}
	q.text[n] = '\0';
	return q;
}

bool eki_mtx_word(const char **p, const char **begin, const char **end)
{
	while (**p == ' ' || **p == '\t' || **p == '\r')
		++*p;
	if (**p == '\n')
		return false;
	*begin = *p;
	while (**p != ' ' && **p != '\t' && **p != '\r' && **p != '\n')
		++*p;
	*end = *p;
	return true;
}

/* Returns the status for a missing word in the line that ends at text->begin: EK_ETRUNCATED if the
 * file was cut off there, else EK_ESYNTAX. */
static ek_status missing(const struct mtx_text *text)
{
	return text->cut && text->begin == text->end ? EK_ETRUNCATED : EK_ESYNTAX;
}

/* Takes the next line of the text, without its newline. *more is false at the end of the file. */
static ek_status next_line(struct mtx_text *text, const char **begin, const char **end, bool *more)
{
	EK_RETURN_IF(eki_mtx_text_fill(text));
	*more = text->begin < text->end;
	if (!*more)
		return EK_OK;
	*begin = text->buffer + text->begin;
	*end = memchr(*begin, '\n', (size_t)(text->end - text->begin));
	if (*end - *begin > MTX_LINE_MAX)
		return eki_fail(EK_ESYNTAX,
		                "%s:%lld: the line is longer than %d bytes; "
		                "longer ones are not read",
		                text->source->name, (long long)text->line, MTX_LINE_MAX);
	if (memchr(*begin, 0, (size_t)(*end - *begin)))
		return eki_fail(
			EK_ESYNTAX,
			"%s:%lld: the line has a NUL byte, so this is not text; Matrix Market "
			"text is expected, or .ekm",
			text->source->name, (long long)text->line);
	text->begin += *end - *begin + 1;
	text->line++;
	return EK_OK;
}

/* ---- Banner ---------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	int value;
	const char *refused; /* reason to refuse the word with EK_EUNSUPPORTED, or NULL */
} banner_word[4][9] = {
	{{"matrix", false, NULL},
         {"vector", true, NULL},
         {"graph", 0, "only matrices and vectors can be read"},
         {NULL, 0, NULL}},
	{{"coordinate", false, NULL}, {"array", true, NULL}, {NULL, 0, NULL}},
	{{"real", MTX_REAL, NULL},
         {"double", MTX_REAL, NULL},
         {"integer", MTX_INTEGER, NULL},
         {"unsigned-integer", MTX_UNSIGNED, NULL},
         {"pattern", MTX_PATTERN, NULL},
         {"complex", MTX_REAL, "complex values are not supported"},
         {NULL, 0, NULL}},
	{{"general", MTX_GENERAL, NULL},
         {"symmetric", MTX_SYMMETRIC, NULL},
         {"skew-symmetric", MTX_SKEW, NULL},
         {"hermitian", -1, NULL},
         {NULL, 0, NULL}},
};

static bool same_word(const char *begin, const char *end, const char *word)
{
	for (; begin < end && *word; begin++, word++)
		if ((*begin >= 'A' && *begin <= 'Z' ? *begin | 0x20 : *begin) != *word)
			return false;
	return begin == end && !*word;
}

static ek_status banner_read(const struct mtx_text *text, const char *p, struct mtx_header *h)
{
	static const char *const part[4] = {"object", "format", "field", "symmetry"};
	const char *name = text->source->name;
	const char *begin = p, *end = p, *refused = NULL, *complex = NULL;
	int value[4] = {0};
	struct mtx_quote q;

	if (memcmp(p, "\357\273\277", 3) == 0)
		return eki_fail(EK_ESYNTAX,
		                "%s:1: the file starts with a UTF-8 byte order mark; "
		                "remove it: %%%%MatrixMarket must come first",
		                name);
	if (!eki_mtx_word(&p, &begin, &end))
		return eki_fail(EK_ESYNTAX,
		                "%s:1: the file starts with an empty line; %%%%MatrixMarket is "
		                "expected",
		                name);
	if (!same_word(begin, end, "%%matrixmarket"))
		return eki_fail(EK_ESYNTAX,
		                "%s:1: the file starts with \"%s\"; %%%%MatrixMarket is expected",
		                name, eki_mtx_quote(begin, end).text);
	for (int k = 0; k < 4; k++) {
		int w = 0;

		if (!eki_mtx_word(&p, &begin, &end))
			return eki_fail(missing(text),
			                "%s:1: the banner has no %s; expected is: "
			                "%%%%MatrixMarket OBJECT FORMAT FIELD SYMMETRY",
			                name, part[k]);
		q = eki_mtx_quote(begin, end);
		while (banner_word[k][w].word && !same_word(begin, end, banner_word[k][w].word))
			w++;
		if (!banner_word[k][w].word)
			return eki_fail(
				EK_ESYNTAX,
				"%s:1: the %s is \"%s\"; expected is matrix or vector, then "
				"coordinate or array, then real, integer or pattern, then general, "
				"symmetric, skew-symmetric or hermitian",
				name, part[k], q.text);
		value[k] = banner_word[k][w].value;
		if (banner_word[k][w].refused && k == 0)
			return eki_fail(EK_EUNSUPPORTED, "%s:1: the object is \"%s\"; %s", name,
			                q.text, banner_word[k][w].refused);
		if (banner_word[k][w].refused)
			refused = complex = banner_word[k][w].refused;
	}
	if (eki_mtx_word(&p, &begin, &end))
		return eki_fail(EK_ESYNTAX,
		                "%s:1: the banner goes on with \"%s\" after the symmetry", name,
		                eki_mtx_quote(begin, end).text);
	if (value[3] < 0 && !complex)
		return eki_fail(EK_ESYNTAX,
		                "%s:1: hermitian goes with complex values only; real "
		                "ones are symmetric",
		                name);
	if (value[0] && value[3] != MTX_GENERAL)
		return eki_fail(EK_ESYNTAX, "%s:1: a vector is general; it has no symmetry", name);
	if (value[2] == MTX_PATTERN && (value[1] || value[3] == MTX_SKEW))
		return eki_fail(EK_ESYNTAX, "%s:1: pattern does not go with %s", name,
		                value[1] ? "array" : "skew-symmetric");
	if (refused)
		return eki_fail(EK_EUNSUPPORTED, "%s:1: %s; expected is real, integer or pattern",
		                name, refused);
	h->vector = value[0];
	h->array = value[1];
	h->field = value[2];
	h->symmetry = value[3];
	return EK_OK;
}

/* ---- Size line ------------------------------------------------------------------------------- */

/* Parses a size, which may have a sign. All other characters must be digits, even in a number that
 * does not fit int64_t. */
static ek_status size_word(const char *name, int64_t line, const char *what, const char *begin,
                           const char *end, int64_t *value)
{
	bool negative = *begin == '-', large = false;
	const char *p = begin + (*begin == '-' || *begin == '+');
	struct mtx_quote q = eki_mtx_quote(begin, end);
	int64_t v = 0;

	for (const char *d = p; d < end; d++)
		if (*d < '0' || *d > '9')
			p = end;
	if (p == end)
		return eki_fail(EK_ESYNTAX,
		                "%s:%lld: the number of %s is \"%s\"; an integer is expected", name,
		                (long long)line, what, q.text);
	for (; p < end; p++) {
		large |= v > (INT64_MAX - (*p - '0')) / 10;
		v = large ? v : v * 10 + (*p - '0');
	}
	if (negative && (v || large))
		return eki_fail(EK_ERANGE,
		                "%s:%lld: the number of %s is %s; it must not be negative", name,
		                (long long)line, what, q.text);
	if (large)
		return eki_fail(EK_EOVERFLOW,
		                "%s:%lld: the number of %s is %s; at most %lld can be counted",
		                name, (long long)line, what, q.text, (long long)INT64_MAX);
	*value = v;
	return EK_OK;
}

static ek_status dimensions_check(const struct mtx_text *text, ek_index index,
                                  const struct mtx_header *h)
{
	const int64_t dim[2] = {h->rows, h->cols}, max_dim = eki_max_dim(text->source->options);
	const char *name = text->source->name;
	long long line = text->line - 1;

	for (int k = 0; k < 2; k++) {
		const char *what = k ? "columns" : "rows";

		if (dim[k] > max_dim)
			return eki_fail(EK_ELIMIT, "%s:%lld: %lld %s; max_dim allows %lld", name,
			                line, (long long)dim[k], what, (long long)max_dim);
		if (dim[k] > eki_idx_max(index))
			return eki_fail(EK_ELIMIT, "%s:%lld: %lld %s; index type %s allows %lld%s",
			                name, line, (long long)dim[k], what, ek_index_name(index),
			                (long long)eki_idx_max(index),
			                index == EK_I64 ? "" : "; EK_I64 has room");
	}
	if (h->symmetry != MTX_GENERAL && h->rows != h->cols)
		return eki_fail(EK_ESYNTAX,
		                "%s:%lld: %lld rows and %lld columns; a symmetric matrix "
		                "must be square",
		                name, line, (long long)h->rows, (long long)h->cols);
	return EK_OK;
}

/* Returns a * b, or INT64_MAX if a * b is larger. No number of entries exceeds INT64_MAX. */
static int64_t product(int64_t a, int64_t b)
{
	eki_u128 p = eki_mul((uint64_t)a, (uint64_t)b);

	return p.high || p.low > INT64_MAX ? INT64_MAX : (int64_t)p.low;
}

/* Returns the number of places below the diagonal of an n x n matrix, n (n - 1) / 2, plus the n
 * places on it if `diagonal` is true. Returns INT64_MAX if the number is larger. */
static int64_t triangle(int64_t n, bool diagonal)
{
	int64_t below = n % 2 ? product(n, (n - 1) / 2) : product(n / 2, n > 0 ? n - 1 : 0);
	int64_t on = diagonal ? n : 0;

	return below > INT64_MAX - on ? INT64_MAX : below + on;
}

int64_t eki_mtx_least_bytes(const struct mtx_header *h)
{
	return (h->field != MTX_PATTERN ? 2 : 0) + (h->array ? 0 : h->vector ? 2 : 4);
}

/* Sets the number of entries of an array file. For every file, checks that the matrix and the rest
 * of the file have room for the entries. The words of each line are checked later, when the lines
 * are read. */
static ek_status entries_check(const struct mtx_text *text, struct mtx_header *h)
{
	int64_t places = product(h->rows, h->cols);
	int64_t left = eki_source_left(text->source);
	const char *name = text->source->name;
	long long line = text->line - 1;

	if (h->symmetry != MTX_GENERAL)
		places = triangle(h->rows, h->symmetry != MTX_SKEW);
	if (h->array && places > INT64_MAX / 16)
		return eki_fail(EK_EOVERFLOW, "%s:%lld: %lld x %lld values do not fit memory", name,
		                line, (long long)h->rows, (long long)h->cols);
	if (h->array)
		h->entries = places;
	if (h->entries > places && (places == 0 || h->duplicates == EK_DUP_ERROR))
		return eki_fail(EK_ERANGE,
		                "%s:%lld: %lld entries; %lld rows and %lld columns have "
		                "places for fewer",
		                name, line, (long long)h->entries, (long long)h->rows,
		                (long long)h->cols);
	if (left >= 0 && text->fault == EK_OK) {
		left += text->filled - text->begin;
		if (h->entries > (left + 1) / 2)
			return eki_fail(
				EK_ETRUNCATED,
				"%s:%lld: %lld entries are announced, but the %lld bytes that "
				"follow cannot hold so many lines",
				name, line, (long long)h->entries, (long long)left);
	}
	return EK_OK;
}

/* The numbers on the size line of one kind of file. */
struct size_words {
	int count;
	const char *text;
	const char *what[3];
	int at[3]; /* meaning of each number: 0 for rows, 1 for columns, 2 for entries */
};

static const struct size_words size_words[2][2] =
	{/* indexed by [vector][array] */
         {{3, "rows, columns, entries", {"rows", "columns", "entries"}, {0, 1, 2}},
          {2, "rows, columns", {"rows", "columns"}, {0, 1}}},
         {{2, "rows, entries", {"rows", "entries"}, {0, 2}}, {1, "rows", {"rows"}, {0}}}};

static ek_status size_read(struct mtx_text *text, const char *p, ek_index index,
                           struct mtx_header *h)
{
	const struct size_words *w = &size_words[h->vector][h->array];
	int64_t *const value[3] = {&h->rows, &h->cols, &h->entries};
	const char *begin, *end, *name = text->source->name;
	long long line = text->line - 1;

	h->line = line;
	h->cols = 1; /* a vector's size line has no number of columns */
	for (int k = 0; k < w->count; k++) {
		if (!eki_mtx_word(&p, &begin, &end))
			return eki_fail(missing(text),
			                "%s:%lld: the size line has no number of %s; expected %s: "
			                "%s",
			                name, line, w->what[k],
			                w->count == 1 ? "is a number" : "are numbers", w->text);
		EK_RETURN_IF(size_word(name, line, w->what[k], begin, end, value[w->at[k]]));
	}
	if (eki_mtx_word(&p, &begin, &end))
		return eki_fail(EK_ESYNTAX,
		                "%s:%lld: the size line goes on with \"%s\"; expected %s: %s", name,
		                line, eki_mtx_quote(begin, end).text,
		                w->count == 1 ? "is a number" : "are numbers", w->text);
	EK_RETURN_IF(dimensions_check(text, index, h));
	return entries_check(text, h);
}

ek_status eki_mtx_header_read(struct mtx_text *text, ek_index index, struct mtx_header *h)
{
	const char *name = text->source->name, *p, *end;
	bool more;

	EK_RETURN_IF(next_line(text, &p, &end, &more));
	if (!more)
		return eki_fail(EK_ETRUNCATED,
		                "%s:1: the file is empty; %%%%MatrixMarket is expected", name);
	EK_RETURN_IF(banner_read(text, p, h));
	for (;;) {
		const char *begin, *word_end, *line;

		EK_RETURN_IF(next_line(text, &p, &end, &more));
		if (!more)
			return eki_fail(
				EK_ETRUNCATED,
				"%s:%lld: the file ends before the line with the numbers of "
				"rows and columns",
				name, (long long)text->line);
		line = p;
		if (eki_mtx_word(&p, &begin, &word_end) && *begin != '%')
			return size_read(text, line, index, h);
	}
}

ek_status eki_mtx_dims_check(const eki_source *source, const struct mtx_header *h)
{
	char where[MTX_MESSAGE];

	if (source->options->max_dim)
		return EK_OK;
	snprintf(where, sizeof where, "%s:%lld", source->name, (long long)h->line);
	return eki_dims_check(source, where, h->rows, h->cols);
}

bool eki_mtx_expanded(const struct mtx_header *h, int64_t diagonal, ek_index index, int64_t *nnz)
{
	const int64_t more = h->symmetry != MTX_GENERAL ? h->entries - diagonal : 0;

	if (h->entries >= eki_ptr_max(index) - more)
		return false;
	*nnz = h->entries + more;
	return true;
}
