/* SPDX-License-Identifier: BSD-3-Clause
 * The library's own binary form: a header, then row pointers, columns and values as they lie in
 * memory. Nothing in it is believed: sizes are compared with what is there before they are allocated
 * (or memory grows with what was read), a checksum covers every byte, and the arrays are checked like
 * those of any caller.
 *
 * The checksum takes eight words at a time, each into a lane of its own: xor, rotation, multiplication
 * by an odd number. Each step is one to one in the lane and in the word, so a single changed word
 * always changes the sum. It runs at about the speed of memory. */
#include <string.h>

#include "io/io.h"

enum { EKM_VERSION = 1, EKM_ENDIAN = 0x01020304, EKM_ARRAYS = 3, EKM_STEP = 1 << 24 };

struct ekm_header {
	char magic[8];
	uint32_t version, endian, value, index, columns, reserved;
	int64_t rows, cols, nnz; /* of the CSR: of the transpose where columns is 1 */
	uint64_t sum[EKM_ARRAYS];
	uint64_t header_sum; /* of all above */
};
_Static_assert(sizeof(struct ekm_header) == 88, "the header has no gaps");

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

static ek_status arrays_read(eki_source *s, const struct ekm_header *h, ek_store *csr)
{
	const int64_t len[EKM_ARRAYS] = {h->rows + 1, h->nnz, h->nnz};

	*csr = (ek_store){.format = &ek_format_csr,
	                  .value = (ek_value)h->value,
	                  .index = (ek_index)h->index,
	                  .rows = h->rows,
	                  .cols = h->cols,
	                  .nnz = h->nnz,
	                  .columns = h->columns};
	for (int k = 0; k < EKM_ARRAYS; k++) {
		const char *name = csr->format->array[k].name;
		int64_t size =
			(int64_t)eki_elem_size(csr->format->array[k].elem, csr->value, csr->index);

		if (len[k] > INT64_MAX / 16)
			return eki_fail(EK_EOVERFLOW,
			                "%s: %s has %lld entries, which do not fit memory", s->name,
			                name, (long long)len[k]);
		csr->len[k] = len[k];
		EK_RETURN_IF(array_read(s, name, len[k] * size, &csr->array[k]));
		if (eki_checksum(csr->array[k], (size_t)(len[k] * size)) != h->sum[k])
			return eki_fail(EK_EIO, "%s: the checksum of %s is wrong", s->name, name);
	}
	EK_RETURN_IF(eki_source_peek(s, 1));
	if (s->end > s->begin)
		return eki_fail(EK_ETRAILING, "%s: bytes follow the end of the matrix", s->name);
	return eki_source_drain(s);
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
	ek_store csr = {0};
	ek_matrix *own = NULL, *converted;
	size_t got;
	ek_status status;

	EK_TRY(eki_source_read(s, &h, sizeof h, &got));
	if (got < sizeof h)
		EK_TRY(eki_fail(EK_ETRUNCATED,
		                "%s: the header has %zu bytes, but the file only %zu", s->name,
		                sizeof h, got));
	EK_TRY(header_check(s, &h));
	EK_TRY(arrays_read(s, &h, &csr));
	EK_TRY(csr.format->check(ctx, &csr));
	EK_TRY(eki_matrix_from_store(ctx, &csr, &own));
	own->transposed = h.columns;
	if (value == csr.value && index == csr.index) {
		*A = own;
		own = NULL;
	} else {
		EK_TRY(ek_matrix_convert(own, value, index, &converted));
		*A = converted;
	}
done:
	if (own)
		ek_matrix_destroy(own);
	else if (status != EK_OK)
		eki_store_free(ctx, &csr);
	return status == EK_OK ? EK_OK : named(s, status);
}

/* ---- Writing --------------------------------------------------------------------------------- */

ek_status eki_ekm_write(const ek_matrix *A, eki_sink *sink)
{
	const ek_store *csr = &A->store;
	struct ekm_header h = {.magic = EKI_EKM_MAGIC,
	                       .version = EKM_VERSION,
	                       .endian = EKM_ENDIAN,
	                       .value = csr->value,
	                       .index = csr->index,
	                       .columns = A->transposed,
	                       .rows = csr->rows,
	                       .cols = csr->cols,
	                       .nnz = csr->nnz};
	const int64_t len[EKM_ARRAYS] = {csr->rows + 1, csr->nnz, csr->nnz};
	size_t bytes[EKM_ARRAYS];

	for (int k = 0; k < EKM_ARRAYS; k++) {
		bytes[k] = (size_t)len[k] *
		           eki_elem_size(csr->format->array[k].elem, csr->value, csr->index);
		h.sum[k] = eki_checksum(csr->array[k], bytes[k]);
	}
	h.header_sum = eki_checksum(&h, offsetof(struct ekm_header, header_sum));
	EK_RETURN_IF(eki_sink_write(sink, &h, sizeof h));
	for (int k = 0; k < EKM_ARRAYS; k++)
		EK_RETURN_IF(eki_sink_write(sink, csr->array[k], bytes[k]));
	return EK_OK;
}
