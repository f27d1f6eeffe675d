/* SPDX-License-Identifier: BSD-3-Clause
 * Reads dense vectors and blocks from Matrix Market files. An array file holds one value on each
 * line, column after column; a symmetric one holds only the lower triangle. A coordinate file with
 * one column is read as a vector. */
#include <string.h>

#include "io/mtx.h"

/* A place (row i, column j) in an array file, for visiting all places in the order of the file. */
struct walk {
	int64_t i, j;
};

static void walk_column(const struct mtx_header *h, struct walk *w)
{
	w->i = h->symmetry == MTX_GENERAL ? 0 : w->j + (h->symmetry == MTX_SKEW);
}

static void walk_next(const struct mtx_header *h, struct walk *w)
{
	w->i++;
	while (w->i >= h->rows && w->j < h->cols) {
		w->j++;
		walk_column(h, w);
	}
}

void eki_mtx_array_fill(const struct mtx_header *h, ek_value value, const struct mtx_segment *list,
                        void *data)
{
	size_t size = ek_value_size(value);
	struct walk w = {h->symmetry == MTX_SKEW, 0};
	char *to = data;

	if (h->symmetry == MTX_SKEW && h->rows)
		memset(data, 0, (size_t)(h->rows * h->cols) * size);
	for (const struct mtx_segment *s = list; s; s = s->next)
		for (int64_t k = 0; k < s->count; k++) {
			const char *from = (const char *)s->val + (size_t)k * size;
			int64_t at = w.j * h->rows + w.i, mirror = w.i * h->rows + w.j;

			memcpy(to + (size_t)at * size, from, size);
			if (h->symmetry != MTX_GENERAL && at != mirror) {
				memcpy(to + (size_t)mirror * size, from, size);
				if (h->symmetry == MTX_SKEW && value == EK_F64)
					((double *)data)[mirror] = -((double *)data)[mirror];
				else if (h->symmetry == MTX_SKEW)
					((float *)data)[mirror] = -((float *)data)[mirror];
			}
			walk_next(h, &w);
		}
}

ek_status eki_mtx_array_csr(const ek_context *ctx, const char *name, const struct mtx_header *h,
                            ek_value value, ek_index index, const void *data, ek_store *csr)
{
	int64_t nnz = h->rows * h->cols, k = 0;

	if (nnz >= eki_ptr_max(index))
		return eki_fail(EK_EOVERFLOW,
		                "%s:%lld: %lld entries are more than index type %s can count",
		                name, (long long)h->line, (long long)nnz, ek_index_name(index));
	EK_RETURN_IF(eki_csr_alloc(ctx, value, index, h->rows, h->cols, nnz, csr));
	for (int64_t i = 0; i < h->rows; i++) {
		eki_ptr_set(csr, i, k);
		for (int64_t j = 0; j < h->cols; j++, k++) {
			int64_t from = j * h->rows + i;

			if (index == EK_I64)
				((int64_t *)csr->array[CSR_COL])[k] = j;
			else
				((int32_t *)csr->array[CSR_COL])[k] = (int32_t)j;
			if (value == EK_F64)
				((double *)csr->array[CSR_VAL])[k] = ((const double *)data)[from];
			else
				((float *)csr->array[CSR_VAL])[k] = ((const float *)data)[from];
		}
	}
	eki_ptr_set(csr, h->rows, k);
	return EK_OK;
}

/* Stores the value `v` in element i of a dense vector, or adds it to that element, depending on
 * `policy`. If the element is 0, the bits of `v` are copied and not added: a value without
 * duplicates must not depend on the rounding mode or on flush-to-zero. */
static void column_put(ek_value value, unsigned policy, void *data, int64_t i, const void *v)
{
	static const double zero;
	const size_t size = ek_value_size(value);
	char *at = (char *)data + (size_t)i * size;

	if (policy == EK_DUP_LAST || memcmp(at, &zero, size) == 0)
		memcpy(at, v, size);
	else if (value == EK_F64)
		((double *)data)[i] += *(const double *)v;
	else
		((float *)data)[i] += *(const float *)v;
}

/* Puts the entries of a coordinate file with one column into a dense vector of zeros. There are no
 * mirror images, since a symmetric file with one column is 1 x 1. `seen` has one byte for each row
 * if duplicates are errors (EK_DUP_ERROR), else it is NULL. */
static ek_status column_fill(const struct mtx_content *content, const char *name, ek_value value,
                             uint8_t *seen, void *data)
{
	const double one = 1;
	const float one32 = 1;
	const size_t size = ek_value_size(value);
	const unsigned policy = content->h.duplicates;

	for (const struct mtx_segment *s = content->list; s; s = s->next) {
		const int64_t *major = s->major, *minor = s->minor;

		for (int64_t r = 0, k = 0; r < s->runs; r++) {
			int64_t end = s->run ? s->run[r] : r + 1;

			for (; k < end; k++) {
				int64_t i = s->by_row ? major[r] : minor[k];
				const void *v = s->val ? (const char *)s->val + (size_t)k * size
				                : value == EK_F64 ? (const void *)&one
				                                  : &one32;

				if (seen && seen[i])
					return eki_fail(
						EK_ERANGE,
						"%s:%lld: entry %lld: row %lld was given "
						"before",
						name,
						(long long)(s->line + (s->lines_known ? k : 0)),
						(long long)(s->first + k), (long long)i + 1);
				column_put(value, policy, data, i, v);
				if (seen)
					seen[i] = 1;
			}
		}
	}
	return EK_OK;
}

ek_status ek_dense_read(ek_context *ctx, const char *path, ek_value value,
                        const ek_read_options *given, int64_t *rows, int64_t *cols, void **data)
{
	struct mtx_content content = {0};
	const struct mtx_header *h = &content.h;
	size_t size = ek_value_size(value);
	ek_read_options options;
	eki_source *source = NULL;
	void *out = NULL, *seen = NULL;
	const char *name;
	ek_status status;

	EK_RETURN_IF(eki_context_check(ctx));
	EK_RETURN_IF(eki_type_check(value, EK_I64));
	if (!path || !*path || !rows || !cols || !data)
		return eki_fail(EK_EINVAL, "%s is NULL or empty",
		                !path || !*path ? "path"
		                : !rows         ? "rows"
		                : !cols         ? "cols"
		                                : "data");
	name = strcmp(path, "-") == 0 ? "<stdin>" : path;
	EK_RETURN_IF(eki_read_options(given, &options));
	EK_RETURN_IF(eki_source_open(ctx, path, NULL, 0, name, &options, &source));
	EK_TRY(eki_source_peek(source, 8));
	if (eki_content_is_ekm(source))
		EK_TRY(eki_fail(EK_EUNSUPPORTED,
		                "%s: this is a matrix in the binary form of evenkeel; a vector is "
		                "Matrix Market text",
		                name));
	EK_TRY(eki_mtx_read(ctx, source, value, EK_I64, &content));
	if (!h->array && h->cols != 1)
		EK_TRY(eki_fail(EK_EUNSUPPORTED,
		                "%s:1: a coordinate file of %lld columns; an array, or one column, "
		                "is expected for a dense operand",
		                name, (long long)h->cols));
	if (h->array) {
		EK_TRY(eki_alloc(ctx, h->rows * h->cols, size, &out));
		eki_mtx_array_fill(h, value, content.list, out);
	} else {
		EK_TRY(eki_mtx_dims_check(source, h));
		EK_TRY(eki_calloc(ctx, h->rows, size, &out));
		if (h->duplicates == EK_DUP_ERROR)
			EK_TRY(eki_calloc(ctx, h->rows, 1, &seen));
		EK_TRY(column_fill(&content, name, value, seen, out));
	}
	*rows = h->rows;
	*cols = h->cols;
	*data = out;
done:
	if (status != EK_OK && out)
		eki_free(ctx, out, h->rows * h->cols, size);
	eki_free(ctx, seen, h->rows, 1);
	eki_mtx_segments_free(ctx, content.list);
	eki_source_close(source);
	return status;
}
