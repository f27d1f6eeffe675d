/* SPDX-License-Identifier: BSD-3-Clause
 * Writes Matrix Market text. All threads format a batch of entries, each thread into its own
 * buffer. Then the buffers are written in order. Values are written with the fewest digits that
 * read back as the same bits. The file's field is `integer` if all values are integers that read
 * back as the same bits. */
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "io/number.h"

enum { PARTS = 64, BATCH = 1 << 14, LINE_BYTES = 2 * 21 + EKI_NUMBER_MAX + 1 };

struct writing {
	const ek_context *ctx;
	ek_value value;
	const void *val;
	const ek_store *csr; /* matrix, or NULL if only values are written */
	bool transposed;     /* whether `csr` holds the transpose */
	int64_t begin, end;  /* range of the entries of this batch */
	int parts;
	char *text[PARTS];
	size_t length[PARTS];
	bool integer[PARTS];
};

static char *put_value(const struct writing *w, char *p, int64_t k)
{
	return w->value == EK_F64 ? eki_put_f64(p, ((const double *)w->val)[k])
	                          : eki_put_f32(p, ((const float *)w->val)[k]);
}

static void format_part(void *arg, int part)
{
	struct writing *w = arg;
	int64_t n = w->end - w->begin, end = w->begin + eki_cut(n, w->parts, part + 1);
	int64_t k = w->begin + eki_cut(n, w->parts, part), i = 0, row_end = 0;
	char *p = w->text[part];

	if (w->csr && k < end) {
		i = eki_row_of(w->csr, k);
		row_end = eki_ptr_at(w->csr, i + 1);
	}
	for (; k < end; k++) {
		if (w->csr) {
			int64_t j = eki_col_at(w->csr, k);

			while (k >= row_end)
				row_end = eki_ptr_at(w->csr, ++i + 1);
			p = eki_put_int(p, (uint64_t)(w->transposed ? j : i) + 1);
			*p++ = ' ';
			p = eki_put_int(p, (uint64_t)(w->transposed ? i : j) + 1);
			*p++ = ' ';
		}
		p = put_value(w, p, k);
		*p++ = '\n';
	}
	w->length[part] = (size_t)(p - w->text[part]);
}

/* Tells whether a value is an integer of magnitude at most 2^24. `bits` is the encoding of the
 * value: a mantissa of `width` bits and an exponent with bias `bias`. -0 does not count, as text
 * has no negative integer 0. No floating-point comparison is used: it would treat subnormal values
 * as 0 if the caller has set denormals-are-zero. */
static bool is_integer(uint64_t bits, int width, int bias)
{
	uint64_t mantissa = bits & (((uint64_t)1 << width) - 1);
	int exponent = (int)(bits >> width & (uint64_t)(2 * bias + 1)) - bias;

	if (bits == 0)
		return true;
	if (exponent < 0 || exponent > 24 || (exponent == 24 && mantissa))
		return false;
	return exponent >= width || (mantissa & (((uint64_t)1 << (width - exponent)) - 1)) == 0;
}

/* Finds out whether all values of a part are integers that read back as the same bits. */
static void integer_part(void *arg, int part)
{
	struct writing *w = arg;
	int64_t end = eki_cut(w->end, w->parts, part + 1);

	w->integer[part] = false;
	for (int64_t k = eki_cut(w->end, w->parts, part); k < end; k++) {
		uint64_t bits;
		uint32_t bits32;

		if (w->value == EK_F64) {
			memcpy(&bits, (const char *)w->val + 8 * k, sizeof bits);
		} else {
			memcpy(&bits32, (const char *)w->val + 4 * k, sizeof bits32);
			bits = bits32;
		}
		if (!is_integer(bits, w->value == EK_F64 ? 52 : 23,
		                w->value == EK_F64 ? 1023 : 127))
			return;
	}
	w->integer[part] = true;
}

static bool all_integer(struct writing *w, int64_t count)
{
	bool all = true;

	w->end = count;
	eki_parallel(w->ctx, w->ctx->threads, w->parts, integer_part, w);
	for (int part = 0; part < w->parts; part++)
		all &= w->integer[part];
	return all;
}

static ek_status write_lines(struct writing *w, int64_t count, eki_sink *sink)
{
	size_t bytes = (size_t)BATCH * LINE_BYTES;
	void *block;
	ek_status status = EK_OK;

	EK_RETURN_IF(eki_alloc(w->ctx, w->parts, bytes, &block));
	for (int part = 0; part < w->parts; part++)
		w->text[part] = (char *)block + (size_t)part * bytes;
	for (w->begin = 0; w->begin < count; w->begin = w->end) {
		w->end = count - w->begin < (int64_t)BATCH * w->parts
		                 ? count
		                 : w->begin + (int64_t)BATCH * w->parts;
		eki_parallel(w->ctx, w->ctx->threads, w->parts, format_part, w);
		for (int part = 0; part < w->parts; part++)
			EK_TRY(eki_sink_write(sink, w->text[part], w->length[part]));
	}
done:
	eki_free(w->ctx, block, w->parts, bytes);
	return status;
}

static int parts_for(const ek_context *ctx, int64_t count)
{
	int parts = ctx->threads < PARTS ? ctx->threads : PARTS;

	return count / BATCH < parts ? (int)(count / BATCH) + 1 : parts;
}

static ek_status mtx_write(const ek_matrix *A, eki_sink *sink)
{
	ek_store copy = {0};
	const ek_store *csr;
	char head[160];
	ek_status status;

	EK_RETURN_IF(eki_format_csr(A->ctx, &A->store, &copy, &csr));
	struct writing w = {.ctx = A->ctx,
	                    .value = csr->value,
	                    .val = csr->array[CSR_VAL],
	                    .csr = csr,
	                    .transposed = A->transposed,
	                    .parts = parts_for(A->ctx, csr->nnz)};
	int n = snprintf(head, sizeof head,
	                 "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n",
	                 all_integer(&w, csr->nnz) ? "integer" : "real",
	                 (long long)(A->transposed ? csr->cols : csr->rows),
	                 (long long)(A->transposed ? csr->rows : csr->cols), (long long)csr->nnz);

	EK_TRY(eki_sink_write(sink, head, (size_t)n));
	EK_TRY(write_lines(&w, csr->nnz, sink));
done:
	eki_store_free(A->ctx, &copy);
	return status;
}

ek_status ek_matrix_write(const ek_matrix *A, const char *path, const char *form)
{
	bool binary;
	eki_sink *sink;

	EK_RETURN_IF(eki_matrix_check(A));
	if (!path || !*path)
		return eki_fail(EK_EINVAL, "path is %s", path ? "empty" : "NULL");
	if (form && strcmp(form, "mtx") != 0 && strcmp(form, "ekm") != 0)
		return eki_fail(EK_EINVAL, "form is \"%s\"; \"mtx\", \"ekm\" or NULL is expected",
		                form);
	binary = form ? strcmp(form, "ekm") == 0 : eki_path_ends(path, ".ekm");
	if (binary)
		EK_RETURN_IF(eki_ekm_supported(path));
	EK_RETURN_IF(eki_sink_open(A->ctx, path, &sink));
	eki_sink_dims(sink, A->store.rows, A->store.cols);
	return eki_sink_finish(sink, binary ? eki_ekm_write(A, sink) : mtx_write(A, sink));
}

ek_status ek_dense_write(ek_context *ctx, const char *path, ek_value value, int64_t rows,
                         int64_t cols, const void *data)
{
	struct writing w = {.ctx = ctx, .value = value, .val = data};
	char head[120];
	eki_sink *sink;
	ek_status status;

	EK_RETURN_IF(eki_context_check(ctx));
	EK_RETURN_IF(eki_type_check(value, EK_I64));
	if (!path || !*path)
		return eki_fail(EK_EINVAL, "path is %s", path ? "empty" : "NULL");
	if (rows < 0 || cols < 0 || (cols && rows > INT64_MAX / 16 / cols))
		return eki_fail(EK_EINVAL, "rows is %lld, cols is %lld: no such array fits memory",
		                (long long)rows, (long long)cols);
	if (!data && rows * cols > 0)
		return eki_fail(EK_EINVAL, "data is NULL");
	w.parts = parts_for(ctx, rows * cols);
	int n = snprintf(head, sizeof head,
	                 "%%%%MatrixMarket matrix array real general\n%lld %lld\n", (long long)rows,
	                 (long long)cols);

	EK_RETURN_IF(eki_sink_open(ctx, path, &sink));
	status = eki_sink_write(sink, head, (size_t)n);
	if (status == EK_OK)
		status = write_lines(&w, rows * cols, sink);
	return eki_sink_finish(sink, status);
}
