/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the fault in a line that lines.c refused. The same rules are applied again, word by word
 * and without regard to speed. So a message can say which number is wrong, what was found and what
 * was expected. */
#include <string.h>

#include "io/mtx.h"
#include "io/number.h"

struct suspect {
	const struct mtx_header *h;
	ek_value value;
	const char *name;
	long long line, entry;
	ek_status missing; /* status to return if a word is missing */
	const char *p;     /* first character not examined yet */
};

#define AT       "%s:%lld: entry %lld: "
#define WHERE(s) (s)->name, (s)->line, (s)->entry

static bool all_digits(const char *p, const char *end)
{
	if (p == end)
		return false;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p == end;
}

/* Tells whether a word is a decimal number. Messages treat "1.5" differently from "abc". */
static bool is_number(const char *p, const char *end)
{
	eki_decimal d;

	return eki_take_decimal(p, &d) == end;
}

/* Returns "the file ends here, " if the file was cut off where a word is missing, else "". Messages
 * about missing words contain this text. */
static const char *ends(const struct suspect *s)
{
	return s->missing == EK_ETRUNCATED ? "the file ends here, " : "";
}

/* Returns the part of a message that lists the words expected on a line. */
static const char *expected(const struct mtx_header *h)
{
	static const char *const text[2][2] = {
		{"are a row, a column and a value", "are a row and a column"},
		{"are a row and a value", "is a row"}};

	return h->array ? "is one value" : text[h->vector][h->field == MTX_PATTERN];
}

static ek_status index_fault(struct suspect *s, const char *what, int64_t limit, int64_t *index)
{
	const char *begin, *end, *p;
	uint64_t v = 0;

	if (!eki_mtx_word(&s->p, &begin, &end))
		return eki_fail(s->missing, AT "%sthe %s is missing; expected %s", WHERE(s),
		                ends(s), what, expected(s->h));
	struct mtx_quote q = eki_mtx_quote(begin, end);

	p = begin + (*begin == '+' || *begin == '-');
	if (!all_digits(p, end))
		return eki_fail(EK_ESYNTAX, AT "the %s is \"%s\"; an integer is expected%s",
		                WHERE(s), what, q.text,
		                is_number(begin, end) ? ", without point or exponent" : "");
	for (const char *d = p; d < end; d++)
		v = v > UINT64_MAX / 10 - 9 ? UINT64_MAX / 10 : v * 10 + (uint64_t)(*d - '0');
	if (v == 0)
		return eki_fail(EK_ERANGE, AT "%s 0; 1 to %lld are possible (is the file 0-based?)",
		                WHERE(s), what, (long long)limit);
	if (*begin == '-' || v > (uint64_t)limit)
		return eki_fail(EK_ERANGE, AT "%s %s is out of range; 1 to %lld are possible",
		                WHERE(s), what, q.text, (long long)limit);
	if (end - p > 18)
		return eki_fail(EK_ERANGE, AT "%s %s has more than 18 digits", WHERE(s), what,
		                q.text);
	*index = (int64_t)v;
	return EK_OK;
}

/* Fails with EK_EOVERFLOW if a number is larger than the value type can hold. */
static ek_status too_large(const struct suspect *s, const char *begin, const char *end)
{
	eki_decimal d;
	double v;
	float f;

	eki_take_decimal(begin, &d);
	if ((s->value == EK_F64 ? eki_decimal_f64(&d, &v) : eki_decimal_f32(&d, &f)) !=
	    EKI_TOO_LARGE)
		return EK_OK;
	return eki_fail(EK_EOVERFLOW, AT "the value %s is too large for %s", WHERE(s),
	                eki_mtx_quote(begin, end).text, ek_value_name(s->value));
}

static ek_status integer_fault(const struct suspect *s, const char *begin, const char *end)
{
	struct mtx_quote q = eki_mtx_quote(begin, end);
	const char *p = begin + (*begin == '+' || *begin == '-');

	if (!all_digits(p, end))
		return eki_fail(EK_ESYNTAX,
		                AT
		                "the value is \"%s\"; an integer is expected, as the field of the "
		                "file is integer",
		                WHERE(s), q.text);
	while (p < end && *p == '0')
		p++;
	if (s->h->field == MTX_UNSIGNED && *begin == '-' && p < end)
		return eki_fail(EK_ERANGE,
		                AT "the value is %s; the field of the file is "
		                   "unsigned-integer",
		                WHERE(s), q.text);
	return too_large(s, begin, end);
}

static ek_status real_fault(const struct suspect *s, const char *begin, const char *end)
{
	struct mtx_quote q = eki_mtx_quote(begin, end);
	const char *stop;
	eki_decimal d;
	double v;

	stop = eki_take_special(begin, &v);
	if (stop == end)
		return s->h->allow_nan
		               ? EK_OK
		               : eki_fail(EK_ERANGE,
		                          AT "the value is %s; a finite number is expected (or "
		                             "allow_nan)",
		                          WHERE(s), q.text);
	stop = eki_take_decimal(begin, &d);
	if (stop != end && memchr(begin, ',', (size_t)(end - begin)))
		return eki_fail(EK_ESYNTAX, AT "the value is \"%s\"; the decimal point is a point",
		                WHERE(s), q.text);
	if (stop != end)
		return eki_fail(EK_ESYNTAX, AT "the value is \"%s\"; a decimal number is expected",
		                WHERE(s), q.text);
	return too_large(s, begin, end);
}

static ek_status value_fault(struct suspect *s)
{
	const char *begin, *end;

	if (!eki_mtx_word(&s->p, &begin, &end))
		return eki_fail(s->missing, AT "%sthe value is missing; expected %s", WHERE(s),
		                ends(s), expected(s->h));
	return s->h->field == MTX_REAL ? real_fault(s, begin, end) : integer_fault(s, begin, end);
}

static ek_status triangle_fault(const struct suspect *s, int64_t i, int64_t j)
{
	if (s->h->symmetry == MTX_SKEW && i == j)
		return eki_fail(EK_ESYNTAX,
		                AT
		                "row %lld, column %lld is on the diagonal, which a skew-symmetric "
		                "file must not store",
		                WHERE(s), (long long)i, (long long)j);
	if (s->h->symmetry != MTX_GENERAL && i < j && !s->h->mirror)
		return eki_fail(EK_ESYNTAX,
		                AT "row %lld, column %lld is above the diagonal; symmetric files "
		                   "store the lower triangle (or mirror)",
		                WHERE(s), (long long)i, (long long)j);
	return EK_OK;
}

ek_status eki_mtx_explain(const struct mtx_header *h, ek_value value, const struct mtx_text *text,
                          const char *begin, int64_t line, int64_t entry)
{
	const char *newline = memchr(begin, '\n', (size_t)MTX_LINE_MAX + 1), *rest, *rest_end;
	const bool cut = text->cut && newline == text->buffer + text->end - 1;
	struct suspect s = {.h = h,
	                    .value = value,
	                    .name = text->source->name,
	                    .line = line,
	                    .entry = entry,
	                    .missing = cut ? EK_ETRUNCATED : EK_ESYNTAX,
	                    .p = begin};
	int64_t i, j = 1;

	if (!newline)
		return eki_fail(EK_ESYNTAX,
		                AT "the line is longer than %d bytes; longer ones are not read",
		                WHERE(&s), MTX_LINE_MAX);
	if (memchr(begin, 0, (size_t)(newline - begin)))
		return eki_fail(EK_ESYNTAX, AT "the line has a NUL byte; text is expected",
		                WHERE(&s));
	if (entry > h->entries)
		return eki_fail(EK_ETRAILING,
		                AT "\"%s\" follows, but the file announces %lld entries", WHERE(&s),
		                eki_mtx_quote(begin, newline).text, (long long)h->entries);
	if (!h->array) {
		EK_RETURN_IF(index_fault(&s, "row", h->rows, &i));
		if (!h->vector)
			EK_RETURN_IF(index_fault(&s, "column", h->cols, &j));
	}
	if (h->field != MTX_PATTERN)
		EK_RETURN_IF(value_fault(&s));
	if (eki_mtx_word(&s.p, &rest, &rest_end))
		return eki_fail(EK_ESYNTAX, AT "the line goes on with \"%s\"; expected %s",
		                WHERE(&s), eki_mtx_quote(rest, rest_end).text, expected(h));
	if (!h->array)
		EK_RETURN_IF(triangle_fault(&s, i, j));
	return eki_fail(EK_ESYNTAX, AT "the line \"%s\" is not understood", WHERE(&s),
	                eki_mtx_quote(begin, newline).text);
}
