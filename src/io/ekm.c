/* SPDX-License-Identifier: BSD-3-Clause
 * Reads and writes the library's own binary form: a header, then the arrays of the matrix in its
 * storage format, copied as they are in memory. Nothing in a file is trusted. Sizes are compared
 * with the length of the file before anything is allocated. If that length is not known, memory
 * grows with the bytes read. Checksums cover every byte (checksum.c), and the arrays are checked
 * like arrays that a caller passes. Files of version 2, which differ only in the checksum, can be
 * read too. The header has room for 16 arrays; if the format has more, a second header follows.
 * Older files of cocktails, which had 16 arrays, have no second header, and older files of BCCOO
 * nothing for arrays of differences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io.h"

enum { EKM_ENDIAN = 0x01020304, EKM_STEP = 1 << 24 };

struct ekm_header {
	char magic[8];
	uint32_t version, endian, value, index, columns, more; /* 1 if a second header follows */
	char format[16];
	int64_t rows, cols, nnz; /* sizes of the transpose if `columns` is 1 */
	int64_t dim[EKI_FORMAT_DIMS], len[16];
	uint64_t sum[16];
	uint64_t header_sum; /* checksum of all members above */
};
enum { EKM_FIRST = 16, EKM_MORE = 24 }; /* arrays in the header and in the second one */
struct ekm_more {
	int64_t len[EKM_MORE];
	uint64_t sum[EKM_MORE];
	uint64_t header_sum;
};
_Static_assert(sizeof(struct ekm_header) == 368, "the header has no gaps");
_Static_assert(sizeof(struct ekm_more) == 392, "the second header has no gaps");
_Static_assert(EKI_FORMAT_DIMS == 4 && EKI_MAX_ARRAYS == EKM_FIRST + EKM_MORE,
               "the headers have room for all");

/* The arrays of a file, from both headers. */
struct ekm_arrays {
	int64_t bytes; /* of the headers */
	int64_t len[EKI_MAX_ARRAYS];
	uint64_t sum[EKI_MAX_ARRAYS];
};

/* ---- Reading --------------------------------------------------------------------------------- */

ek_status eki_ekm_supported(const char *name)
{
	if (eki_xxhash_version())
		return EK_OK;
	return eki_fail(EK_EUNSUPPORTED,
	                "%s: the binary form has checksums of xxHash, and this library was built "
	                "without its header xxhash.h (0.8.0 or later); use .mtx",
	                name);
}

static ek_status header_check(const eki_source *s, const struct ekm_header *h)
{
	int64_t max_dim = eki_max_dim(s->options);
	ek_index index = (ek_index)h->index;

	if (h->endian != EKM_ENDIAN)
		return eki_fail(h->endian == 0x04030201 ? EK_EUNSUPPORTED : EK_ESYNTAX,
		                "%s: the mark of the byte order is 0x%08x; 0x%08x is expected",
		                s->name, (unsigned)h->endian, (unsigned)EKM_ENDIAN);
	if (h->version != EKI_EKM_OLD && h->version != EKI_EKM_VERSION)
		return eki_fail(EK_EUNSUPPORTED,
		                "%s: version %u of the binary form; %d or %d is expected", s->name,
		                (unsigned)h->version, EKI_EKM_OLD, EKI_EKM_VERSION);
	if (h->version == EKI_EKM_VERSION)
		EK_RETURN_IF(eki_ekm_supported(s->name));
	if (h->header_sum != eki_checksum(h->version, h, offsetof(struct ekm_header, header_sum)))
		return eki_fail(EK_EIO, "%s: the checksum of the header is wrong", s->name);
	if (eki_type_check((ek_value)h->value, index) != EK_OK || h->columns > 1 || h->more > 1)
		return eki_fail(EK_ESYNTAX, "%s: the header has a type or flag that does not exist",
		                s->name);
	if (h->rows < 0 || h->cols < 0 || h->nnz < 0)
		return eki_fail(EK_ERANGE,
		                "%s: %lld rows, %lld columns, %lld entries; none can be "
		                "negative",
		                s->name, (long long)h->rows, (long long)h->cols, (long long)h->nnz);
	if (h->rows > max_dim || h->cols > max_dim || h->rows > eki_idx_max(index) ||
	    h->cols > eki_idx_max(index) || h->nnz >= eki_ptr_max(index))
		return eki_fail(EK_ELIMIT,
		                "%s: %lld rows, %lld columns and %lld entries are more than "
		                "max_dim or index type %s allow",
		                s->name, (long long)h->rows, (long long)h->cols, (long long)h->nnz,
		                ek_index_name(index));
	return EK_OK;
}

/* Reads the second header, if there is one, and collects what both say about the arrays of
 * `format`, and about no others. */
static ek_status more_read(eki_source *s, const struct ekm_header *h, const ek_format *format,
                           struct ekm_arrays *a)
{
	struct ekm_more more = {0};
	int count = 0;
	size_t got;

	while (count < EKI_MAX_ARRAYS && format->array[count].name)
		count++;
	if (h->more && count <= EKM_FIRST)
		return eki_fail(EK_ESYNTAX, "%s: a second header, but %s has only %d arrays",
		                s->name, format->name, count);
	for (int k = 0; k < EKM_MORE; k++)
		more.sum[k] = eki_checksum(h->version, "", 0);
	if (h->more) {
		EK_RETURN_IF(eki_source_read(s, &more, sizeof more, &got));
		if (got < sizeof more)
			return eki_fail(EK_ETRUNCATED, "%s: the file ends in its second header",
			                s->name);
		if (more.header_sum !=
		    eki_checksum(h->version, &more, offsetof(struct ekm_more, header_sum)))
			return eki_fail(EK_EIO, "%s: the checksum of the second header is wrong",
			                s->name);
	}
	a->bytes = (int64_t)(sizeof *h + (h->more ? sizeof more : 0));
	memcpy(a->len, h->len, sizeof h->len);
	memcpy(a->len + EKM_FIRST, more.len, sizeof more.len);
	memcpy(a->sum, h->sum, sizeof h->sum);
	memcpy(a->sum + EKM_FIRST, more.sum, sizeof more.sum);
	for (int k = count; k < (h->more ? EKI_MAX_ARRAYS : EKM_FIRST); k++)
		if (a->len[k] || a->sum[k]) /* writers leave both 0 */
			return eki_fail(EK_ESYNTAX, "%s: array %d, but %s has only %d", s->name,
			                k + 1, format->name, count);
	return EK_OK;
}

/* Returns the format that the header names. If that format is not accepted, sets an error message
 * and returns NULL. A matrix in CSC is stored as the CSR of its transpose, so no file names CSC. */
static const ek_format *format_of(const eki_source *s, const struct ekm_header *h)
{
	char name[sizeof h->format + 1] = "";
	const ek_format *f;

	memcpy(name, h->format, sizeof h->format);
	f = ek_format_find(name);
	if (f && f != &ek_format_csc && (!h->columns || f == &ek_format_csr))
		return f;
	eki_fail(EK_EUNSUPPORTED, "%s: the matrix is in format \"%s\", which %s", s->name, name,
	         f ? "cannot be of the transpose" : "does not exist here");
	return NULL;
}

/* Reads an array of `bytes` bytes into new memory. If the length of the file is not known, the
 * memory grows with the bytes read. */
static ek_status array_read(eki_source *s, const char *what, int64_t bytes, void **out)
{
	int64_t left = eki_source_left(s), size = 0, filled = 0;
	void *block = NULL, *larger = NULL;
	size_t got;
	ek_status status = EK_OK;

	if (left >= 0 && bytes > left)
		return eki_fail(EK_ETRUNCATED,
		                "%s: %s needs %lld bytes, but only %lld bytes are there", s->name,
		                what, (long long)bytes, (long long)left);
	while (filled < bytes) {
		int64_t next = left >= 0 || bytes < EKM_STEP ? bytes : size ? 2 * size : EKM_STEP;

		next = next < bytes ? next : bytes;
		EK_TRY(eki_alloc(s->ctx, next, 1, &larger));
		if (filled)
			memcpy(larger, block, (size_t)filled);
		eki_free(s->ctx, block, size, 1);
		block = larger;
		size = next;
		while (filled < size) {
			size_t want = (size_t)(size - filled < EKM_STEP ? size - filled : EKM_STEP);

			EK_TRY(eki_source_read(s, (char *)block + filled, want, &got));
			filled += (int64_t)got;
			EK_TRY(eki_source_progress(s));
			if (got < want)
				EK_TRY(eki_fail(
					EK_ETRUNCATED,
					"%s: the file ends in %s, after %lld of its %lld bytes",
					s->name, what, (long long)filled, (long long)bytes));
		}
	}
	*out = block;
done:
	if (status != EK_OK)
		eki_free(s->ctx, block, size, 1);
	return status;
}

static int64_t elem_size(const ek_store *store, int k)
{
	return (int64_t)eki_elem_size(store->format->array[k].elem, store->value, store->index);
}

/* Checks the lengths of the arrays. Tells the source the total length of the headers and the
 * arrays. */
static ek_status lengths_check(eki_source *s, const struct ekm_arrays *h, const ek_store *store)
{
	int64_t bytes = h->bytes;

	for (int k = 0; k < EKI_MAX_ARRAYS && store->format->array[k].name; k++) {
		if (h->len[k] < 0 || h->len[k] > INT64_MAX / 16)
			return eki_fail(EK_EOVERFLOW,
			                "%s: %s has %lld entries, which do not fit memory", s->name,
			                store->format->array[k].name, (long long)h->len[k]);
		bytes = eki_plus(bytes, eki_times(h->len[k], elem_size(store, k)));
	}
	return eki_source_announce(s, bytes);
}

static ek_status arrays_read(eki_source *s, const struct ekm_header *h, ek_store *store)
{
	const ek_format *format = format_of(s, h);
	struct ekm_arrays arrays = {0};

	if (!format)
		return EK_EUNSUPPORTED;
	*store = (ek_store){.format = format,
	                    .value = (ek_value)h->value,
	                    .index = (ek_index)h->index,
	                    .rows = h->rows,
	                    .cols = h->cols,
	                    .nnz = h->nnz,
	                    .columns = h->columns};
	memcpy(store->dim, h->dim, sizeof h->dim);
	EK_RETURN_IF(more_read(s, h, format, &arrays));
	EK_RETURN_IF(lengths_check(s, &arrays, store));
	for (int k = 0; k < EKI_MAX_ARRAYS && format->array[k].name; k++) {
		const char *name = format->array[k].name;
		const int64_t len = arrays.len[k], size = elem_size(store, k);

		store->len[k] = len;
		EK_RETURN_IF(array_read(s, name, len * size, &store->array[k]));
		if (!len && !arrays.sum[k])
			continue; /* from before the format had this array */
		if (eki_checksum(h->version, store->array[k], (size_t)(len * size)) !=
		    arrays.sum[k])
			return eki_fail(EK_EIO, "%s: the checksum of %s is wrong", s->name, name);
	}
	EK_RETURN_IF(eki_source_peek(s, 1));
	if (s->end > s->begin)
		return eki_fail(EK_ETRAILING, "%s: bytes follow the end of the matrix", s->name);
	return eki_source_drain(s);
}

/* f64_fault and f32_fault return the position of the first entry in [begin, end) that is not a
 * finite number, or `end` if all entries are finite. */
static int64_t f64_fault(const ek_store *s, int64_t begin, int64_t end)
{
	const double *val = s->array[0];

	while (begin < end && isfinite(val[begin]))
		begin++;
	return begin;
}

static int64_t f32_fault(const ek_store *s, int64_t begin, int64_t end)
{
	const float *val = s->array[0];

	while (begin < end && isfinite(val[begin]))
		begin++;
	return begin;
}

static ek_status values_check(const eki_source *s, const ek_store *store)
{
	const ek_array_desc *array = store->format->array;
	const bool wide = store->value == EK_F64;

	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name && !s->options->allow_nan; k++) {
		const ek_store one = {.array = {store->array[k]}};
		int64_t at = store->len[k];

		if (array[k].elem == EKI_VALUE)
			at = eki_first_fault(s->ctx, &one, wide ? f64_fault : f32_fault, at);
		if (at == store->len[k])
			continue;

		const double v = wide ? ((const double *)store->array[k])[at]
		                      : (double)((const float *)store->array[k])[at];

		return eki_fail(EK_ERANGE,
		                "%s: %s[%lld] is %s; a finite number is expected, as allow_nan is "
		                "not given",
		                s->name, array[k].name, (long long)at,
		                isnan(v) ? "nan"
		                : v > 0  ? "inf"
		                         : "-inf");
	}
	return EK_OK;
}

/* Puts the file's name in front of the last error message, unless the message starts with that name
 * already. Returns `status`. */
static ek_status named(const eki_source *s, ek_status status)
{
	char text[900];
	size_t n = strlen(ek_error_text()), prefix = strlen(s->name);

	if (strncmp(ek_error_text(), s->name, prefix) == 0)
		return status;
	n = n < sizeof text - 1 ? n : sizeof text - 1;
	memcpy(text, ek_error_text(), n);
	text[n] = '\0';
	return eki_fail(status, "%s: %s", s->name, text);
}

ek_status eki_ekm_read(ek_context *ctx, eki_source *s, ek_value value, ek_index index,
                       ek_matrix **A)
{
	struct ekm_header h;
	ek_store store = {0};
	ek_matrix *own = NULL, *converted;
	size_t got;
	ek_status status;

	EK_TRY(eki_source_read(s, &h, sizeof h, &got));
	if (got < sizeof h)
		EK_TRY(eki_fail(EK_ETRUNCATED,
		                "%s: the header has %zu bytes, but the file only %zu", s->name,
		                sizeof h, got));
	EK_TRY(header_check(s, &h));
	EK_TRY(arrays_read(s, &h, &store));
	if (!s->options->max_dim)
		EK_TRY(eki_dims_check(s, s->name, store.rows, store.cols));
	EK_TRY(store.format->check(ctx, &store));
	EK_TRY(values_check(s, &store));
	EK_TRY(eki_matrix_from_store(ctx, &store, &own));
	own->transposed = h.columns;
	value = value ? value : store.value;
	index = index ? index : store.index;
	if (value == store.value && index == store.index) {
		*A = own;
		own = NULL;
	} else {
		EK_TRY(eki_matrix_retype(own, s->name, value, index, &converted));
		*A = converted;
	}
done:
	if (own)
		ek_matrix_destroy(own);
	else if (status != EK_OK)
		eki_store_free(ctx, &store);
	return status == EK_OK ? EK_OK : named(s, status);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static ek_status store_write(const ek_matrix *A, const ek_store *s, eki_sink *sink)
{
	const ek_array_desc *array = s->format->array;
	struct ekm_header h = {.magic = EKI_EKM_MAGIC,
	                       .version = EKI_EKM_VERSION,
	                       .endian = EKM_ENDIAN,
	                       .value = s->value,
	                       .index = s->index,
	                       .columns = A->transposed,
	                       .rows = s->rows,
	                       .cols = s->cols,
	                       .nnz = s->nnz};
	struct ekm_more more = {0};
	size_t bytes[EKI_MAX_ARRAYS];

	snprintf(h.format, sizeof h.format, "%s", s->format->name);
	memcpy(h.dim, s->dim, sizeof h.dim);
	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++) {
		int64_t *len = k < EKM_FIRST ? &h.len[k] : &more.len[k - EKM_FIRST];
		uint64_t *sum = k < EKM_FIRST ? &h.sum[k] : &more.sum[k - EKM_FIRST];

		*len = s->len[k];
		bytes[k] = (size_t)s->len[k] * eki_elem_size(array[k].elem, s->value, s->index);
		*sum = eki_checksum(h.version, s->array[k], bytes[k]);
		h.more = k >= EKM_FIRST;
	}
	more.header_sum = eki_checksum(h.version, &more, offsetof(struct ekm_more, header_sum));
	h.header_sum = eki_checksum(h.version, &h, offsetof(struct ekm_header, header_sum));
	EK_RETURN_IF(eki_sink_write(sink, &h, sizeof h));
	if (h.more)
		EK_RETURN_IF(eki_sink_write(sink, &more, sizeof more));
	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++)
		EK_RETURN_IF(eki_sink_write(sink, s->array[k], bytes[k]));
	return EK_OK;
}

ek_status eki_ekm_write(const ek_matrix *A, eki_sink *sink)
{
	const ek_store *s = &A->store;
	ek_store copy = {0};
	ek_status status;

	if (s->base)
		EK_RETURN_IF(eki_format_csr(A->ctx, s, &copy, &s));
	status = store_write(A, s, sink);
	eki_store_free(A->ctx, &copy);
	return status;
}
