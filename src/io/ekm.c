/* SPDX-License-Identifier: BSD-3-Clause
 * The library's own binary form: a header, then the arrays of the matrix, in whatever format it is,
 * as they lie in memory. Nothing in it is believed: sizes are compared with what is there before
 * they are allocated (or memory grows with what was read), a checksum covers every byte, and the
 * arrays are checked like those of any caller.
 *
 * The checksum takes eight words at a time, each into a lane of its own: xor, rotation,
 * multiplication by an odd number. Each step is one to one in the lane and in the word, so a single
 * changed word always changes the sum. It runs at about the speed of memory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io.h"

enum { EKM_VERSION = 2, EKM_ENDIAN = 0x01020304, EKM_STEP = 1 << 24 };

struct ekm_header {
	char magic[8];
	uint32_t version, endian, value, index, columns, reserved;
	char format[16];
	int64_t rows, cols, nnz; /* of the transpose where columns is 1 */
	int64_t dim[4], len[16];
	uint64_t sum[16];
	uint64_t header_sum; /* of all above */
};
_Static_assert(sizeof(struct ekm_header) == 368, "the header has no gaps");
_Static_assert(EKI_MAX_DIMS == 4 && EKI_MAX_ARRAYS == 16, "the header has room for all");

static inline uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

uint64_t eki_checksum(const void *data, size_t bytes)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	uint64_t lane[8], sum = bytes, w[8];
	const char *p = data;

	for (int k = 0; k < 8; k++)
		lane[k] = odd * (uint64_t)(k + 1);
	while (bytes > 0) {
		size_t n = bytes < sizeof w ? bytes : sizeof w;

		if (n < sizeof w)
			memset(w, 0, sizeof w);
		memcpy(w, p, n);
		for (int k = 0; k < 8; k++)
			lane[k] = rotate(lane[k] ^ w[k], 29) * odd;
		p += n;
		bytes -= n;
	}
	for (int k = 0; k < 8; k++)
		sum = rotate(sum ^ lane[k], 29) * odd;
	return sum ^ sum >> 32;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static ek_status header_check(const eki_source *s, const struct ekm_header *h)
{
	int64_t max_dim = eki_max_dim(s->options);
	ek_index index = (ek_index)h->index;

	if (h->endian != EKM_ENDIAN)
		return eki_fail(h->endian == 0x04030201 ? EK_EUNSUPPORTED : EK_ESYNTAX,
		                "%s: the mark of the byte order is 0x%08x; 0x%08x is expected",
		                s->name, (unsigned)h->endian, (unsigned)EKM_ENDIAN);
	if (h->version != EKM_VERSION)
		return eki_fail(EK_EUNSUPPORTED,
		                "%s: version %u of the binary form; %d is expected", s->name,
		                (unsigned)h->version, EKM_VERSION);
	if (h->header_sum != eki_checksum(h, offsetof(struct ekm_header, header_sum)))
		return eki_fail(EK_EIO, "%s: the checksum of the header is wrong", s->name);
	if (eki_type_check((ek_value)h->value, index) != EK_OK || h->columns > 1 || h->reserved)
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

/* CSR has an array as long as its rows. What takes memory for rows or columns of other formats, as
 * their way to CSR does, must not do so because of a number in the header. */
static ek_status dims_check(const eki_source *s, const ek_store *store)
{
	const int64_t most = store->rows > store->cols ? store->rows : store->cols;
	const int64_t allowed = eki_dim_of_bytes(s->given);

	if (most <= allowed || s->options->max_dim || store->format == &ek_format_csr)
		return EK_OK;
	return eki_fail(EK_ELIMIT,
	                "%s: %lld rows and %lld columns, but only %lld bytes; %lld of each are "
	                "accepted in format %s where max_dim is not given",
	                s->name, (long long)store->rows, (long long)store->cols,
	                (long long)s->given, (long long)allowed, store->format->name);
}

/* NULL with a message if there is none of that name. CSC is held as the CSR of the transpose. */
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

/* Reads an array; where the length of the file is not known memory grows with what is read. */
static ek_status array_read(eki_source *s, const char *what, int64_t bytes, void **out)
{
	int64_t left = eki_source_left(s), room = 0, filled = 0;
	void *block = NULL, *larger = NULL;
	size_t got;
	ek_status status = EK_OK;

	if (left >= 0 && bytes > left)
		return eki_fail(EK_ETRUNCATED,
		                "%s: %s needs %lld bytes, but only %lld bytes are there", s->name,
		                what, (long long)bytes, (long long)left);
	while (filled < bytes) {
		int64_t next = left >= 0 || bytes < EKM_STEP ? bytes : room ? 2 * room : EKM_STEP;

		next = next < bytes ? next : bytes;
		EK_TRY(eki_alloc(s->ctx, next, 1, &larger));
		if (filled)
			memcpy(larger, block, (size_t)filled);
		eki_free(s->ctx, block, room, 1);
		block = larger;
		room = next;
		while (filled < room) {
			size_t want = (size_t)(room - filled < EKM_STEP ? room - filled : EKM_STEP);

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
		eki_free(s->ctx, block, room, 1);
	return status;
}

static ek_status arrays_read(eki_source *s, const struct ekm_header *h, ek_store *store)
{
	const ek_format *format = format_of(s, h);

	if (!format)
		return EK_EUNSUPPORTED;
	*store = (ek_store){.format = format,
	                    .value = (ek_value)h->value,
	                    .index = (ek_index)h->index,
	                    .rows = h->rows,
	                    .cols = h->cols,
	                    .nnz = h->nnz,
	                    .columns = h->columns};
	memcpy(store->dim, h->dim, sizeof store->dim);
	for (int k = 0; k < EKI_MAX_ARRAYS && format->array[k].name; k++) {
		const char *name = format->array[k].name;
		const int64_t len = h->len[k],
			      size = (int64_t)eki_elem_size(format->array[k].elem, store->value,
		                                            store->index);

		if (len < 0 || len > INT64_MAX / 16)
			return eki_fail(EK_EOVERFLOW,
			                "%s: %s has %lld entries, which do not fit memory", s->name,
			                name, (long long)len);
		store->len[k] = len;
		EK_RETURN_IF(array_read(s, name, len * size, &store->array[k]));
		if (eki_checksum(store->array[k], (size_t)(len * size)) != h->sum[k])
			return eki_fail(EK_EIO, "%s: the checksum of %s is wrong", s->name, name);
	}
	EK_RETURN_IF(eki_source_peek(s, 1));
	if (s->end > s->begin)
		return eki_fail(EK_ETRAILING, "%s: bytes follow the end of the matrix", s->name);
	return eki_source_drain(s);
}

/* The first of entries [begin, end) that is not a finite number. */
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

/* Puts the file's name in front of a message that does not have it. */
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
	EK_TRY(dims_check(s, &store));
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
		EK_TRY(eki_matrix_retype(own, value, index, &converted));
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
	                       .version = EKM_VERSION,
	                       .endian = EKM_ENDIAN,
	                       .value = s->value,
	                       .index = s->index,
	                       .columns = A->transposed,
	                       .rows = s->rows,
	                       .cols = s->cols,
	                       .nnz = s->nnz};
	size_t bytes[EKI_MAX_ARRAYS];

	snprintf(h.format, sizeof h.format, "%s", s->format->name);
	memcpy(h.dim, s->dim, sizeof h.dim);
	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++) {
		h.len[k] = s->len[k];
		bytes[k] = (size_t)s->len[k] * eki_elem_size(array[k].elem, s->value, s->index);
		h.sum[k] = eki_checksum(s->array[k], bytes[k]);
	}
	h.header_sum = eki_checksum(&h, offsetof(struct ekm_header, header_sum));
	EK_RETURN_IF(eki_sink_write(sink, &h, sizeof h));
	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++)
		EK_RETURN_IF(eki_sink_write(sink, s->array[k], bytes[k]));
	return EK_OK;
}

ek_status eki_ekm_write(const ek_matrix *A, eki_sink *sink)
{
	const ek_store *s = &A->store;
	ek_store room = {0};
	ek_status status;

	if (s->base)
		EK_RETURN_IF(eki_format_csr(A->ctx, s, &room, &s));
	status = store_write(A, s, sink);
	eki_store_free(A->ctx, &room);
	return status;
}
