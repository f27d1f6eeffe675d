/* SPDX-License-Identifier: BSD-3-Clause
 * The table of formats, the parser of format texts such as "sell:c=8,sigma=256" (a format and its
 * parameters), and the conversion of a store from CSR to a format and back. */
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "matrix/matrix.h"

#define FORMAT(f) extern const ek_format f;
#include "format/formats.def"
#undef FORMAT
static const ek_format *const table[] = {
#define FORMAT(f) &f,
#include "format/formats.def"
#undef FORMAT
};

const ek_format *ek_format_next(const ek_format *after)
{
	size_t count = sizeof table / sizeof *table, k = 0;

	if (after)
		while (k < count && table[k++] != after)
			;
	return k < count ? table[k] : NULL;
}

static const ek_format *find(const char *name, size_t length)
{
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		if (strncmp(table[k]->name, name, length) == 0 && !table[k]->name[length])
			return table[k];
	return NULL;
}

const ek_format *ek_format_find(const char *name)
{
	return name ? find(name, strlen(name)) : NULL;
}

const char *ek_format_name(const ek_format *f)
{
	return f ? f->name : NULL;
}

const char *ek_format_text(const ek_format *f)
{
	return f ? f->text : NULL;
}

const char *ek_format_source(const ek_format *f)
{
	return f ? f->source : NULL;
}

const ek_format_param *ek_format_get_param(const ek_format *f, int k)
{
	return f && k >= 0 && k < EKI_MAX_DIMS && f->param[k].name ? &f->param[k] : NULL;
}

const char *ek_format_array(const ek_format *f, int k)
{
	return f && k >= 0 && k < EKI_MAX_ARRAYS ? f->array[k].name : NULL;
}

/* ---- Reading and writing the text of a format ------------------------------------------------ */

static const char *format_name(const void *list, size_t k)
{
	const ek_format *f = ek_format_next(NULL);

	(void)list;
	while (f && k--)
		f = ek_format_next(f);
	return f ? f->name : NULL;
}

static ek_status no_such_format(const char *text, size_t length)
{
	return eki_fail_list(EK_EINVAL, format_name, NULL,
	                     "there is no format \"%.*s\"; these exist:", (int)length, text);
}

ek_status eki_format_parse(const char *text, const ek_format **format, int64_t dim[EKI_MAX_DIMS])
{
	size_t length = strcspn(text, ":");
	const ek_format *f = find(text, length);

	memset(dim, 0, EKI_MAX_DIMS * sizeof *dim);
	if (!f)
		return no_such_format(text, length);
	if (text[length]) {
		char owner[48];

		snprintf(owner, sizeof owner, "format %s", f->name);
		text += length + 1;
		EK_RETURN_IF(eki_params_parse(owner, f->param, text, strlen(text), dim));
	}
	*format = f;
	return EK_OK;
}

void eki_format_text(const ek_store *s, char *text, size_t size)
{
	const ek_format *f = s->columns ? &ek_format_csc : s->format;
	size_t used = (size_t)snprintf(text, size, "%s", f->name);

	for (int k = 0; k < EKI_MAX_DIMS && f->param[k].name && used < size; k++)
		used += (size_t)snprintf(text + used, size - used, "%s%s=%lld", k ? "," : ":",
		                         f->param[k].name, (long long)s->dim[k]);
}

void eki_format_ask(const ek_store *s, int64_t dim[EKI_MAX_DIMS])
{
	const ek_format_param *param = s->format->param;

	for (int k = 0; k < EKI_MAX_DIMS; k++)
		dim[k] = !param[k].name || (!s->dim[k] && param[k].min) ? 0
		         : s->dim[k]                                    ? s->dim[k]
		                                                        : EKI_ZERO;
}

/* ---- Conversion from CSR and back ------------------------------------------------------------ */

/* Writes a number of bytes as text for people: the exact number if it is below 10000 or if `exact`
 * is set, otherwise rounded to KiB, MiB and so on. */
static void bytes_text(int64_t bytes, bool exact, char text[32])
{
	static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
	double n = (double)bytes / 1024;
	size_t k = 0;

	if (exact || bytes < 10000) {
		snprintf(text, 32, "%lld bytes", (long long)bytes);
		return;
	}
	for (; n >= 1024 && k + 1 < sizeof unit / sizeof *unit; k++)
		n /= 1024;
	snprintf(text, 32, "%.1f %s", n, unit[k]);
}

ek_status eki_format_limit(const ek_store *csr, const ek_store *out, int64_t max_bytes)
{
	const int64_t own = eki_store_bytes(csr), need = eki_store_bytes(out);
	const int64_t limit = max_bytes < 0          ? INT64_MAX - 1
	                      : max_bytes > 0        ? max_bytes
	                      : own < INT64_MAX / 16 ? 8 * own + (1 << 20)
	                                             : INT64_MAX - 1;

	char needs[32], has[32], most[32];

	if (need <= limit)
		return EK_OK;
	bytes_text(need, false, needs);
	bytes_text(limit, false, most);
	if (strcmp(needs, most) == 0) {
		bytes_text(need, true, needs);
		bytes_text(limit, true, most);
	}
	bytes_text(own, false, has);
	return eki_fail(EK_ELIMIT, "format %s would take %s%s, CSR takes %s; the limit is %s",
	                out->format->name, need == INT64_MAX ? "more than " : "", needs, has, most);
}

/* Sets *use to `csr`. If the format needs ascending columns in each row and `csr` does not have
 * them, makes a sorted copy in *copy and sets *use to that copy. */
static ek_status in_order(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                          ek_store *copy, const ek_store **use)
{
	*use = csr;
	return format->by_column ? eki_ascending(ctx, csr, format, copy, use) : EK_OK;
}

/* Returns a store without arrays for the matrix `csr`. */
static ek_store without_arrays(const ek_store *csr, const ek_format *format)
{
	return (ek_store){.format = format,
	                  .value = csr->value,
	                  .index = csr->index,
	                  .rows = csr->rows,
	                  .cols = csr->cols,
	                  .nnz = csr->nnz};
}

ek_status eki_format_estimate(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                              ek_store *out)
{
	*out = without_arrays(csr, format);
	return format->estimate(ctx, csr, out);
}

/* Computes the lengths of the arrays of `out`, without allocating them, and checks that their bytes
 * are within the limit `max_bytes`. */
static ek_status lay_out(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                         const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes, ek_store *out)
{
	*out = without_arrays(csr, format);
	memcpy(out->dim, dim, sizeof out->dim);
	EK_RETURN_IF(format->layout(ctx, csr, out));
	return eki_format_limit(csr, out, max_bytes);
}

ek_status eki_row_lengths_check(const ek_store *csr, const ek_format *format)
{
	const int64_t most = eki_idx_max(csr->index);

	for (int64_t i = 0; csr->nnz > most && i < csr->rows; i++)
		if (eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i) > most)
			return eki_fail(EK_EOVERFLOW,
			                "format %s: row %lld has more than %lld entries, which "
			                "only EK_I64 can count",
			                format->name, (long long)i + csr->from1, (long long)most);
	return EK_OK;
}

ek_status eki_format_look(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                          const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes, ek_store *out)
{
	ek_store copy = {0};
	ek_status status;

	EK_TRY(in_order(ctx, csr, format, &copy, &csr));
	EK_TRY(lay_out(ctx, csr, format, dim, max_bytes, out));
done:
	eki_store_free(ctx, &copy);
	return status;
}

double eki_lap(int64_t *since)
{
	const int64_t before = *since;

	*since = eki_now_ns();
	return 1e-9 * (double)(*since - before);
}

ek_status eki_format_make(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                          const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes, ek_store *out)
{
	ek_convert_times times;

	return eki_format_make_timed(ctx, csr, format, dim, max_bytes, &times, out);
}

ek_status eki_format_make_timed(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                                const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes,
                                ek_convert_times *times, ek_store *out)
{
	int64_t len[EKI_MAX_ARRAYS], since = eki_now_ns();
	ek_convert_times t = {.size = sizeof t};
	ek_store copy = {0}, s = {0};
	ek_status status;

	EK_TRY(in_order(ctx, csr, format, &copy, &csr));
	EK_TRY(lay_out(ctx, csr, format, dim, max_bytes, &s));
	t.layout = eki_lap(&since);
	memcpy(len, s.len, sizeof len);
	EK_TRY(eki_store_alloc(ctx, &s, len));
	t.allocation = eki_lap(&since);
	s.times = &t;
	EK_TRY(format->pattern(ctx, csr, &s));
	t.pattern = eki_lap(&since);
	EK_TRY(format->values(ctx, csr, &s));
	t.values = eki_lap(&since);
	s.times = NULL;
	*times = t;
	*out = s;
done:
	if (status != EK_OK)
		eki_store_free(ctx, &s);
	eki_store_free(ctx, &copy);
	return status;
}

ek_status eki_format_adopt(const ek_context *ctx, ek_store *csr, const ek_format *format,
                           const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes,
                           ek_convert_times *times, ek_store *out)
{
	int64_t since = eki_now_ns();
	ek_convert_times t = {.size = sizeof t};
	ek_store s;

	EK_RETURN_IF(lay_out(ctx, csr, format, dim, max_bytes, &s));
	t.layout = eki_lap(&since);
	s.times = &t;
	EK_RETURN_IF(format->adopt(ctx, csr, &s));
	t.pattern = eki_lap(&since);
	s.times = NULL;
	*times = t;
	*out = s;
	return EK_OK;
}

ek_status eki_format_values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	return out->format->values(ctx, csr, out);
}

/* Copies `s`, a CSR store whose columns are numbered from 1, to *copy, and sets *csr to `copy`. The
 * copy has its own array of columns, numbered from 0, and borrows all other arrays of `s`. */
static ek_status columns_from_0(const ek_context *ctx, const ek_store *s, ek_store *copy,
                                const ek_store **csr)
{
	const size_t size = eki_idx_size(s->index);
	void *col;

	EK_RETURN_IF(eki_alloc(ctx, s->nnz, size, &col));
	eki_idx_shift(ctx, s->array[CSR_COL], s->nnz, size, s->base, col);
	*copy = *s;
	copy->array[CSR_COL] = col;
	copy->borrowed = ~(UINT64_C(1) << CSR_COL);
	copy->base = 0;
	*csr = copy;
	return EK_OK;
}

ek_status eki_format_csr(const ek_context *ctx, const ek_store *s, ek_store *copy,
                         const ek_store **csr)
{
	ek_status status;

	if (s->format == &ek_format_csr && !s->base) {
		*csr = s;
		return EK_OK;
	}
	if (s->format == &ek_format_csr)
		return columns_from_0(ctx, s, copy, csr);
	EK_TRY(eki_csr_alloc(ctx, s->value, s->index, s->rows, s->cols, s->nnz, copy));
	EK_TRY(s->format->to_csr(ctx, s, copy));
	*csr = copy;
done:
	if (status != EK_OK)
		eki_store_free(ctx, copy);
	return status;
}

ek_status eki_format_set_values(const ek_context *ctx, const void *val, ek_store *out)
{
	ek_store copy = {0}, csr = {.format = &ek_format_csr,
	                            .value = out->value,
	                            .index = out->index,
	                            .rows = out->rows,
	                            .cols = out->cols,
	                            .nnz = out->nnz};
	const ek_store *pattern = &csr;
	ek_status status;

	if (!out->format->values_alone)
		EK_RETURN_IF(eki_format_csr(ctx, out, &copy, &pattern));
	csr = *pattern;
	csr.array[CSR_VAL] = (void *)(uintptr_t)val;
	status = eki_format_values(ctx, &csr, out);
	eki_store_free(ctx, &copy);
	return status;
}

bool eki_row_find(const ek_store *s, int64_t k, int64_t end, int64_t step, int64_t j, eki_place *at)
{
	if (at->array >= 0)
		k = at->k + step;
	for (; k < end; k += step)
		if (eki_idx_at(s, CSR_COL, k) == j) {
			*at = (eki_place){CSR_VAL, k};
			return true;
		}
	return false;
}
