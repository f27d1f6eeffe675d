/* SPDX-License-Identifier: BSD-3-Clause
 * Converts matrices from one format to another, by way of CSR, and gets or sets single entries in
 * any format. Types are changed in CSR too. A matrix in CSC is stored as the CSR of its
 * transpose. */
#include <string.h>

#include "matrix/matrix.h"

ek_status eki_matrix_csr(const ek_matrix *A, bool columns, ek_store *copy, const ek_store **csr)
{
	ek_store by_rows = {0};
	ek_status status;

	if (A->transposed == columns)
		return eki_format_csr(A->ctx, &A->store, copy, csr);
	EK_TRY(eki_format_csr(A->ctx, &A->store, &by_rows, csr));
	EK_TRY(eki_transpose(A->ctx, *csr, copy, NULL));
	copy->columns = columns;
	copy->from1 = A->store.from1;
	*csr = copy;
done:
	eki_store_free(A->ctx, &by_rows);
	return status;
}

ek_status eki_matrix_csr_limit(const ek_matrix *A, ek_value value, ek_index index, bool columns,
                               int64_t max_bytes)
{
	const bool transposed = A->transposed;
	ek_store csr = {.format = &ek_format_csr,
	                .value = value,
	                .index = index,
	                .rows = transposed ? A->store.cols : A->store.rows,
	                .nnz = A->store.nnz};
	ek_store out = csr;

	memcpy(csr.len, (int64_t[]){csr.rows + 1, csr.nnz, csr.nnz}, 3 * sizeof *csr.len);
	memcpy(out.len, csr.len, sizeof out.len);
	if (columns) {
		out.len[CSR_PTR] = (transposed ? A->store.rows : A->store.cols) + 1;
		out.format = &ek_format_csc;
	}
	return eki_format_limit(&csr, &out, max_bytes);
}

/* A conversion that the caller asks for. */
typedef struct request {
	const ek_format *format;
	const char *name; /* name of a file, for warnings, or NULL */
	int64_t dim[EKI_MAX_DIMS], max_bytes;
	ek_value value;
	ek_index index;
	bool columns;
	ek_convert_times *times; /* of the caller, or NULL */
} request;

static ek_status request_read(const ek_matrix *A, const char *format,
                              const ek_convert_options *options, request *r)
{
	ek_convert_options o;

	EK_RETURN_IF(eki_matrix_check(A));
	*r = (request){.value = A->store.value, .index = A->store.index};
	if (!format)
		return eki_fail(EK_EINVAL, "format is NULL");
	EK_RETURN_IF(eki_format_parse(format, &r->format, r->dim));
	r->columns = r->format == &ek_format_csc;
	if (!options)
		return EK_OK;
	EK_RETURN_IF(EKI_STRUCT_IN("options", ek_convert_options, options, &o));
	if (o.max_bytes < -1)
		return eki_fail(EK_EINVAL, "options.max_bytes is %lld; -1, 0 or more is expected",
		                (long long)o.max_bytes);
	if (o.times)
		EK_RETURN_IF(EKI_STRUCT_CHECK("options.times", ek_convert_times, o.times));
	r->times = o.times;
	r->max_bytes = o.max_bytes;
	r->value = o.value ? o.value : r->value;
	r->index = o.index ? o.index : r->index;
	return eki_type_check(r->value, r->index);
}

static int64_t csr_bytes(const ek_store *s, int64_t rows, ek_value value, ek_index index)
{
	const int64_t entry = (int64_t)(ek_value_size(value) + eki_idx_size(index));
	const int64_t pointers = eki_times(rows + 1, (int64_t)eki_ptr_size(index));

	return eki_plus(pointers, eki_times(s->nnz, entry));
}

/* Fails with EK_ELIMIT if intermediate matrices (A in CSR, transposed, or of other types) would
 * take too much memory. The limit is the larger of two: the memory that the caller allows for the
 * result, and four times the memory of A, since CSR can be much larger than A: a matrix in
 * coordinates, for example, has no array with an element for each row. If r->max_bytes is 0 or -1,
 * there is no limit. */
static ek_status way_limit(const ek_matrix *A, const request *r)
{
	const ek_store *s = &A->store;
	const bool hub = r->format == &ek_format_csr || r->columns;
	const int64_t own = eki_times(4, eki_store_bytes(s));
	const int64_t most = own > r->max_bytes ? own : r->max_bytes;
	int64_t way = 0;

	if (s->format != &ek_format_csr)
		way = csr_bytes(s, s->rows, s->value, s->index);
	if (A->transposed != r->columns)
		way = eki_plus(way, csr_bytes(s, s->cols, s->value, s->index));
	if (!hub && (r->value != s->value || r->index != s->index))
		way = eki_plus(way,
		               csr_bytes(s, A->transposed ? s->cols : s->rows, r->value, r->index));
	if (r->max_bytes <= 0 || way <= most)
		return EK_OK;
	return eki_fail(
		EK_ELIMIT,
		"format %s, from format %s by way of csr, would take %lld bytes on the way; "
		"max_bytes allows %lld",
		r->format->name, s->format->name, (long long)way, (long long)most);
}

static ek_status convert(const ek_matrix *A, const request *r, ek_convert_times *times,
                         ek_store *out)
{
	const bool same = r->value == A->store.value && r->index == A->store.index;
	ek_store copy = {0}, typed = {0};
	const ek_store *csr;
	ek_status status;

	if (r->format == &ek_format_csr || r->columns)
		EK_RETURN_IF(eki_matrix_csr_limit(A, r->value, r->index, r->columns, r->max_bytes));
	EK_RETURN_IF(way_limit(A, r));
	EK_TRY(eki_matrix_csr(A, r->columns, &copy, &csr));
	if (r->format == &ek_format_csr || r->columns) {
		if (same && csr == &copy && !copy.borrowed)
			*out = copy;
		else
			EK_TRY(eki_convert_types(A->ctx, r->name, csr, r->value, r->index, out));
		if (csr == &copy && same && !copy.borrowed)
			copy = (ek_store){0};
		out->columns = r->columns;
	} else {
		if (!same) {
			EK_TRY(eki_convert_types(A->ctx, r->name, csr, r->value, r->index, &typed));
			csr = &typed;
		}
		EK_TRY(eki_format_make_timed(A->ctx, csr, r->format, r->dim, r->max_bytes, times,
		                             out));
	}
done:
	eki_store_free(A->ctx, &copy);
	eki_store_free(A->ctx, &typed);
	return status;
}

static void give_times(const request *r, const ek_convert_times *times)
{
	if (r->times)
		EKI_STRUCT_OUT(ek_convert_times, times, r->times);
}

static ek_status convert_to_new(const ek_matrix *A, const request *r, ek_matrix **B)
{
	ek_convert_times times = {0};
	ek_store out = {0};
	ek_matrix *new;
	ek_status status;

	EK_TRY(convert(A, r, &times, &out));
	EK_TRY(eki_matrix_from_store((ek_context *)(uintptr_t)A->ctx, &out, &new));
	new->transposed = r->columns;
	give_times(r, &times);
	*B = new;
done:
	if (status != EK_OK)
		eki_store_free(A->ctx, &out);
	return status;
}

ek_status ek_matrix_convert(const ek_matrix *A, const char *format,
                            const ek_convert_options *options, ek_matrix **B)
{
	request r;

	EK_RETURN_IF(request_read(A, format, options, &r));
	if (!B)
		return eki_fail(EK_EINVAL, "B, where the result goes, is NULL");
	return convert_to_new(A, &r, B);
}

ek_status eki_matrix_retype(const ek_matrix *A, const char *name, ek_value value, ek_index index,
                            ek_matrix **B)
{
	request r = {.format = A->transposed ? &ek_format_csc : A->store.format,
	             .name = name,
	             .max_bytes = -1,
	             .value = value,
	             .index = index,
	             .columns = A->transposed};

	eki_format_ask(&A->store, r.dim);
	return convert_to_new(A, &r, B);
}

ek_status ek_matrix_convert_in_place(ek_matrix *A, const char *format,
                                     const ek_convert_options *options)
{
	request r;
	ek_convert_times times = {0};
	ek_store out = {0};

	EK_RETURN_IF(request_read(A, format, options, &r));
	const int64_t plans = eki_matrix_plans(A);

	if (plans)
		return eki_fail(EK_EINVAL,
		                "A has %lld live plan%s, so its arrays cannot be given up: destroy "
		                "%s first, or use ek_matrix_convert",
		                (long long)plans, plans == 1 ? "" : "s",
		                plans == 1 ? "it" : "them");
	if (A->store.borrowed)
		return eki_fail(EK_EINVAL, "the arrays are borrowed, so they cannot be rearranged: "
		                           "copy or adopt them, or use ek_matrix_convert");
	if (A->store.format == &ek_format_csr && !A->transposed && r.format->adopt &&
	    r.value == A->store.value && r.index == A->store.index) {
		EK_RETURN_IF(eki_format_adopt(A->ctx, &A->store, r.format, r.dim, r.max_bytes,
		                              &times, &out));
	} else {
		EK_RETURN_IF(convert(A, &r, &times, &out));
		eki_store_free(A->ctx, &A->store);
	}
	eki_matrix_restore(A, &out, r.columns);
	give_times(&r, &times);
	return EK_OK;
}

/* ---- Entries --------------------------------------------------------------------------------- */

static ek_status place_check(const ek_matrix *A, int64_t *i, int64_t *j)
{
	EK_RETURN_IF(eki_matrix_check(A));
	const int64_t rows = A->transposed ? A->store.cols : A->store.rows;
	const int64_t cols = A->transposed ? A->store.rows : A->store.cols;
	const int64_t row = *i;

	if (*i < 0 || *i >= rows || *j < 0 || *j >= cols)
		return eki_fail(EK_EINVAL, "entry (%lld, %lld) of a matrix of %lld x %lld",
		                (long long)*i, (long long)*j, (long long)rows, (long long)cols);
	if (A->transposed) {
		*i = *j;
		*j = row;
	}
	return EK_OK;
}

static void *value_of(const ek_store *s, const eki_place *at)
{
	return (char *)s->array[at->array] + (size_t)at->k * ek_value_size(s->value);
}

ek_status ek_matrix_get(const ek_matrix *A, int64_t i, int64_t j, double *value)
{
	eki_place at = {-1, -1};
	double sum = 0;

	EK_RETURN_IF(place_check(A, &i, &j));
	if (!value)
		return eki_fail(EK_EINVAL, "value, where the result goes, is NULL");
	for (bool first = true; A->store.format->find(&A->store, i, j, &at); first = false) {
		const void *v = value_of(&A->store, &at);
		const double x = A->store.value == EK_F64 ? *(const double *)v
		                                          : eki_widen(*(const float *)v);

		sum = first ? x : sum + x;
	}
	*value = sum;
	return EK_OK;
}

ek_status ek_matrix_set(ek_matrix *A, int64_t i, int64_t j, double value)
{
	const int64_t row = i, col = j;
	eki_place at = {-1, -1}, next;

	EK_RETURN_IF(place_check(A, &i, &j));
	if (A->store.borrowed)
		return eki_fail(EK_EINVAL, "the values are borrowed: change them in place and call "
		                           "ek_matrix_values_changed");
	if (!A->store.format->find(&A->store, i, j, &at))
		return eki_fail(EK_EINVAL, "no entry is stored in row %lld and column %lld",
		                (long long)row, (long long)col);
	next = at;
	if (A->store.format->find(&A->store, i, j, &next))
		return eki_fail(EK_EINVAL, "several entries are stored in row %lld and column %lld",
		                (long long)row, (long long)col);
	if (A->store.value == EK_F32 && eki_f32_over(value))
		return eki_fail(EK_EOVERFLOW,
		                "the value %g for row %lld and column %lld is too large for f32",
		                value, (long long)row, (long long)col);
	if (A->store.value == EK_F64)
		*(double *)value_of(&A->store, &at) = value;
	else
		*(float *)value_of(&A->store, &at) = eki_narrow(value);
	return ek_matrix_values_changed(A);
}
