/* SPDX-License-Identifier: BSD-3-Clause
 * The transpose of a shape, and the arrays of a shape in the types of the library. These arrays are
 * read-only and between guard pages, so that a write by the library crashes the program. */
#include "support/support.h"
#include "support/shapes.h"

void shape_transpose(const struct shape *s, struct shape *out)
{
	*out = (struct shape){.rows = s->cols, .cols = s->rows, .nnz = s->nnz, .room = s->nnz};
	memcpy(out->name, s->name, sizeof out->name);
	out->ptr = calloc((size_t)s->cols + 2, sizeof *out->ptr);
	out->col = calloc((size_t)s->nnz + 1, sizeof *out->col);
	out->val = calloc((size_t)s->nnz + 1, sizeof *out->val);
	out->val2 = calloc((size_t)s->nnz + 1, sizeof *out->val2);
	for (int64_t k = 0; k < s->nnz; k++)
		out->ptr[s->col[k] + 2]++;
	for (int64_t j = 0; j < s->cols; j++)
		out->ptr[j + 2] += out->ptr[j + 1];
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
			int64_t p = out->ptr[s->col[k] + 1]++;

			out->col[p] = i;
			out->val[p] = s->val[k];
			out->val2[p] = s->val2[k];
		}
}

bool shape_ascending(const struct shape *s)
{
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t k = s->ptr[i] + 1; k < s->ptr[i + 1]; k++)
			if (s->col[k] < s->col[k - 1])
				return false;
	return true;
}

bool shape_repeats(const struct shape *s)
{
	/* For each column, 1 + the last row in which it was found, or 0 if there was none yet. */
	int64_t *row = calloc((size_t)s->cols + 1, sizeof *row);
	bool repeats = false;

	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
			repeats |= row[s->col[k]] == i + 1;
			row[s->col[k]] = i + 1;
		}
	free(row);
	return repeats;
}

static void *lay(struct guard *g, size_t bytes, int at_end)
{
	guard_make(g, bytes);
	return at_end ? guard_at_end(g, bytes) : guard_at_begin(g, bytes);
}

static void integers(void *to, size_t size, const int64_t *from, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		if (size == 4)
			((int32_t *)to)[k] = (int32_t)from[k];
		else
			((int64_t *)to)[k] = from[k];
}

void typed_make(struct typed *t, const struct shape *s, ek_value value, ek_index index, int at_end)
{
	size_t psize = index == EK_I32 ? 4 : 8, isize = index == EK_I64 ? 8 : 4;

	*t = (struct typed){.value = value,
	                    .index = index,
	                    .rows = s->rows,
	                    .cols = s->cols,
	                    .nnz = s->nnz,
	                    .ptr_bytes = ((size_t)s->rows + 1) * psize,
	                    .idx_bytes = (size_t)s->nnz * isize,
	                    .val_bytes = (size_t)s->nnz * ek_value_size(value)};
	t->ptr = lay(&t->guard[0], t->ptr_bytes, at_end);
	t->idx = lay(&t->guard[1], t->idx_bytes, at_end);
	t->val = lay(&t->guard[2], t->val_bytes, at_end);
	integers(t->ptr, psize, s->ptr, s->rows + 1);
	integers(t->idx, isize, s->col, s->nnz);
	guard_read_only(&t->guard[0], true);
	guard_read_only(&t->guard[1], true);
	typed_values(t, s->val);
}

void typed_values(struct typed *t, const double *val)
{
	guard_read_only(&t->guard[2], false);
	for (int64_t k = 0; k < t->nnz; k++)
		value_set(t->value, t->val, k, val[k]);
	guard_read_only(&t->guard[2], true);
}

void typed_free(struct typed *t)
{
	for (int k = 0; k < 3; k++)
		guard_free(&t->guard[k]);
}

int64_t typed_ptr(const struct typed *t, int64_t i)
{
	return t->index == EK_I32 ? ((const int32_t *)t->ptr)[i] : ((const int64_t *)t->ptr)[i];
}

int64_t typed_idx(const struct typed *t, int64_t k)
{
	return t->index == EK_I64 ? ((const int64_t *)t->idx)[k] : ((const int32_t *)t->idx)[k];
}

ek_status typed_csr(ek_context *ctx, const struct typed *t, unsigned flags, ek_matrix **A)
{
	return ek_matrix_from_csr(ctx, t->value, t->index, t->rows, t->cols, t->ptr, t->idx, t->val,
	                          flags, A);
}

ek_status typed_csc(ek_context *ctx, const struct typed *t, unsigned flags, ek_matrix **A)
{
	return ek_matrix_from_csc(ctx, t->value, t->index, t->cols, t->rows, t->ptr, t->idx, t->val,
	                          flags, A);
}
