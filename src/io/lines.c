/* SPDX-License-Identifier: BSD-3-Clause
 * Parses lines into coordinates. Reading a file spends most of its time in this loop. The parser
 * only detects that a line is wrong; explain.c finds out why. One thread parses one part of a
 * block. */
#include <string.h>

#include "io/mtx.h"
#include "io/number.h"
#define EK_TYPES_ONLY
#define EK_FILE "io/lines.c"
#include "base/for_each.h"

#ifndef EK_MTX_LINES
#define EK_MTX_LINES

static inline const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Skips the blanks that must follow a field. Returns NULL if there are none. */
static inline const char *next_field(const char *p)
{
	return *p == ' ' || *p == '\t' ? skip_blanks(p + 1) : NULL;
}

/* Skips the end of a line: any blanks, an optional carriage return, and a newline. Returns NULL if
 * any other character comes before the newline. */
static inline const char *next_line(const char *p)
{
	if (*p == '\n')
		return p + 1;
	p = skip_blanks(p);
	p += *p == '\r';
	return *p == '\n' ? p + 1 : NULL;
}

/* Counts a value that deserves a warning. Keeps the place of the first such value; `p` is the place
 * of this one. */
static void mark(struct mtx_mark *m, const char *p)
{
	if (m->count++ == 0)
		m->first = p;
}

/* Skips a blank line or a comment line. `p` is the line's first character that is not a blank.
 * Returns NULL if the line is neither, or is a comment that is too long or has a NUL byte. */
static const char *skip_line(const char *line, const char *p, const char *end)
{
	const char *newline;

	if (*p != '%')
		return next_line(p);
	newline = memchr(p, '\n', (size_t)(end - p));
	return newline - line > MTX_LINE_MAX || memchr(p, 0, (size_t)(newline - p)) ? NULL
	                                                                            : newline + 1;
}
#endif

#if EK_PER_TYPE

static inline int FN(nearest)(const eki_decimal *d, bool quick, VAL *value)
{
#if EK_VAL_F64
	return eki_nearest_f64(d, quick, value);
#else
	return eki_nearest_f32(d, quick, value);
#endif
}

/* Parses an integer and sets *value to the nearest value of the type. Returns the end of the
 * integer, or NULL if there is no integer or its value is not accepted. */
static const char *FN(take_integer)(const char *p, bool negative_allowed, struct mtx_part *part,
                                    VAL *value)
{
	eki_decimal d = {.negative = *p == '-'};
	const char *begin = p += *p == '-' || *p == '+';

	p = eki_take_digits(p, &d.w);
	if (p - begin > 18 || d.w >> (EK_VAL_F64 ? 53 : 24)) {
		d.digits = begin;
		d.digits_end = p;
		if (p - begin > 19)
			eki_decimal_cut(&d, 0);
		if (FN(nearest)(&d, false, value) == EKI_TOO_LARGE)
			return NULL;
		if (d.w && !eki_decimal_equals(&d, (double)*value))
			mark(&part->rounded, begin);
	} else {
		*value = d.negative ? -(VAL)d.w : (VAL)d.w;
	}
	return p == begin || (d.negative && !negative_allowed && d.w) ? NULL : p;
}

static inline const char *FN(take_real)(const char *p, struct mtx_part *part, bool allow_nan,
                                        VAL *value)
{
	eki_decimal d;
	const char *end = eki_take_decimal(p, &d);
	int fit;

	if (!end) {
		double special;

		end = allow_nan ? eki_take_special(p, &special) : NULL;
		if (end)
			*value = (VAL)special;
		return end;
	}
	fit = FN(nearest)(&d, part->quick, value);
	if (fit == EKI_TOO_SMALL)
		mark(&part->too_small, p);
	return fit == EKI_TOO_LARGE ? NULL : end;
}

static inline const char *FN(take_value)(const struct mtx_header *h, const char *p,
                                         struct mtx_part *part, VAL *value)
{
	return h->field == MTX_REAL ? FN(take_real)(p, part, h->allow_nan, value)
	                            : FN(take_integer)(p, h->field == MTX_INTEGER, part, value);
}

static void FN(mtx_lines)(void *arg, int number)
{
	struct mtx_block *b = arg;
	struct mtx_part *part = &b->part[number];
	const struct mtx_header *h = b->h;
	const uint64_t rows = (uint64_t)h->rows, cols = (uint64_t)h->cols;
	IDX *row = (IDX *)b->row + part->at, *col = (IDX *)b->col + part->at;
	VAL *val = b->val ? (VAL *)b->val + part->at : NULL;
	uint64_t last_i = UINT64_MAX, last_j = UINT64_MAX;
	int64_t n = 0, lines = 0, row_runs = 0, col_runs = 0;
	const char *line = part->begin;

	part->quick = eki_rounds_to_nearest();
	for (; line < part->end; lines++) {
		const char *p = skip_blanks(line);
		uint64_t i, j;

		if ((*p < '0' || *p > '9') && *p != '+') {
			p = skip_line(line, p, part->end);
			if (!p)
				break;
			line = p;
			continue;
		}
		p = eki_take_index(p, &i);
		j = 1;
		if (!p || (!h->vector && (!(p = next_field(p)) || !(p = eki_take_index(p, &j)))))
			break;
		if (val && (!(p = next_field(p)) || !(p = FN(take_value)(h, p, part, &val[n]))))
			break;
		p = next_line(p);
		i--;
		j--;
		if (!p || i >= rows || j >= cols || p - line > MTX_LINE_MAX + 1 || n == part->limit)
			break;
		if (h->symmetry != MTX_GENERAL && i <= j) {
			if ((i < j && !h->mirror) || (i == j && h->symmetry == MTX_SKEW))
				break;
			part->diagonal += i == j;
			if (i < j) { /* above the diagonal: keep the mirror image instead */
				uint64_t k = i;

				i = j;
				j = k;
				if (h->symmetry == MTX_SKEW)
					val[n] = -val[n];
			}
		}
		row_runs += i != last_i;
		col_runs += j != last_j;
		last_i = i;
		last_j = j;
		row[n] = (IDX)i;
		col[n] = (IDX)j;
		n++;
		line = p;
	}
	part->fault = line < part->end ? line : NULL;
	part->count = n;
	part->lines = lines;
	part->row_runs = row_runs;
	part->col_runs = col_runs;
}

static void FN(mtx_array_lines)(void *arg, int number)
{
	struct mtx_block *b = arg;
	struct mtx_part *part = &b->part[number];
	VAL *val = (VAL *)b->val + part->at;
	const char *line = part->begin;
	int64_t n = 0, lines = 0;

	part->quick = eki_rounds_to_nearest();
	for (; line < part->end; lines++) {
		const char *p = skip_blanks(line);

		if (*p == '%' || *p == '\r' || *p == '\n') {
			p = skip_line(line, p, part->end);
			if (!p)
				break;
			line = p;
			continue;
		}
		p = FN(take_value)(b->h, p, part, &val[n]);
		if (!p || !(p = next_line(p)) || p - line > MTX_LINE_MAX + 1 || n == part->limit)
			break;
		n++;
		line = p;
	}
	part->fault = line < part->end ? line : NULL;
	part->count = n;
	part->lines = lines;
}

#endif
#if EK_ONCE

eki_part_fn *const eki_mtx_lines[EK_NTYPE] = EK_BY_TYPE(mtx_lines);
eki_part_fn *const eki_mtx_array_lines[EK_NTYPE] = EK_BY_TYPE(mtx_array_lines);

#endif
