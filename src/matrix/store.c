/* SPDX-License-Identifier: BSD-3-Clause
 * Functions for stores of all formats. They loop over the arrays that a format lists. */
#include "matrix/matrix.h"

size_t ek_value_size(ek_value value)
{
	const eki_value_type *type = eki_value_type_of(value);

	return type ? type->size : 0;
}

const char *ek_value_name(ek_value value)
{
	const eki_value_type *type = eki_value_type_of(value);

	return type ? type->name : NULL;
}

const char *ek_index_name(ek_index index)
{
	static const char *const name[] = {"32", "64/32", "64"};

	return index >= EK_I32 && index <= EK_I64 ? name[index - 1] : NULL;
}

size_t eki_ptr_size(ek_index index)
{
	return index == EK_I32 ? 4 : 8;
}

size_t eki_idx_size(ek_index index)
{
	return index == EK_I64 ? 8 : 4;
}

int64_t eki_ptr_max(ek_index index)
{
	return index == EK_I32 ? INT32_MAX : INT64_MAX;
}

int64_t eki_idx_max(ek_index index)
{
	return index == EK_I64 ? INT64_MAX - 1 : INT32_MAX; /* rows + 1 must fit in 64 bits */
}

size_t eki_elem_size(eki_elem elem, ek_value value, ek_index index)
{
	switch (elem) {
	case EKI_VALUE: return ek_value_size(value);
	case EKI_PTR: return eki_ptr_size(index);
	case EKI_IDX: return eki_idx_size(index);
	case EKI_BYTE: return 1;
	case EKI_HALF: return 2;
	case EKI_WORD: return 4;
	case EKI_NONE: break;
	}
	return 0;
}

static size_t array_elem_size(const ek_store *s, int k)
{
	return eki_elem_size(s->format->array[k].elem, s->value, s->index);
}

ek_status eki_store_alloc(const ek_context *ctx, ek_store *s, const int64_t *len)
{
	ek_status status = EK_OK;

	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++) {
		s->len[k] = len[k];
		EK_TRY(eki_alloc(ctx, len[k], array_elem_size(s, k), &s->array[k]));
	}
done:
	if (status != EK_OK)
		eki_store_free(ctx, s);
	return status;
}

void eki_store_free(const ek_context *ctx, ek_store *s)
{
	for (int k = 0; s->format && k < EKI_MAX_ARRAYS && s->format->array[k].name; k++) {
		if (!(s->borrowed >> k & 1))
			eki_free(ctx, s->array[k], s->len[k], array_elem_size(s, k));
		s->array[k] = NULL;
	}
}

int64_t eki_times(int64_t a, int64_t b)
{
	return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

int64_t eki_plus(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static int64_t bytes_of(const ek_store *s, uint64_t leave_out)
{
	int64_t bytes = 0;

	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (!(leave_out >> k & 1))
			bytes = eki_plus(bytes,
			                 eki_times(s->len[k], (int64_t)array_elem_size(s, k)));
	return bytes;
}

int64_t eki_store_bytes(const ek_store *s)
{
	return bytes_of(s, 0);
}

int64_t eki_store_held(const ek_store *s)
{
	return bytes_of(s, s->borrowed);
}

ek_status eki_csr_alloc(const ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                        int64_t cols, int64_t nnz, ek_store *csr)
{
	*csr = (ek_store){.format = &ek_format_csr,
	                  .value = value,
	                  .index = index,
	                  .rows = rows,
	                  .cols = cols,
	                  .nnz = nnz};
	return eki_store_alloc(ctx, csr, (int64_t[]){rows + 1, nnz, nnz});
}

ek_status eki_len_check(const ek_store *s, const int64_t *len)
{
	const ek_array_desc *array = s->columns ? ek_format_csc.array : s->format->array;

	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++)
		if (s->len[k] != len[k])
			return eki_fail(EK_ERANGE, "%s has %lld entries; %lld are expected",
			                array[k].name, (long long)s->len[k], (long long)len[k]);
	return EK_OK;
}
