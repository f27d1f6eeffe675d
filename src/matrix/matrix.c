/* SPDX-License-Identifier: BSD-3-Clause
 * The matrix object. It has a store of A or, for matrices in CSC, a CSR store of the transpose of
 * A. It knows who owns the arrays, and has a state number that changes with the values. */
#include <string.h>

#include "matrix/matrix.h"

#define OWNER_MASK  0x3u
#define DUP_MASK    0x300u
#define KNOWN_FLAGS (OWNER_MASK | EK_TRUSTED | EK_BASE1 | EK_KEEP_ORDER | DUP_MASK)

ek_status eki_type_check(ek_value value, ek_index index)
{
	if (value != EK_F32 && value != EK_F64)
		return eki_fail(EK_EINVAL, "value is %d; EK_F32 or EK_F64 is expected", (int)value);
	if (!ek_index_name(index))
		return eki_fail(EK_EINVAL, "index is %d; EK_I32, EK_I64_32 or EK_I64 is expected",
		                (int)index);
	return EK_OK;
}

static ek_status matrix_new(const ek_context *ctx, const ek_store *store, ek_matrix **A)
{
	void *block;

	EK_RETURN_IF(eki_calloc(ctx, 1, sizeof **A, &block));
	*A = block;
	(*A)->life.magic = EKI_MATRIX_MAGIC;
	atomic_init(&(*A)->life.holders, 1);
	atomic_store(&(*A)->state, eki_new_state());
	eki_context_hold(ctx);
	(*A)->ctx = ctx;
	(*A)->store = *store;
	(*A)->value_count = store->nnz;
	return EK_OK;
}

ek_status eki_matrix_from_store(ek_context *ctx, ek_store *store, ek_matrix **A)
{
	return matrix_new(ctx, store, A);
}

/* ---- Checks of arguments --------------------------------------------------------------------- */

static ek_status arguments_check(const ek_context *ctx, ek_value value, ek_index index,
                                 int64_t rows, int64_t cols, unsigned flags, ek_matrix *const *A)
{
	EK_RETURN_IF(eki_context_check(ctx));
	if (!A)
		return eki_fail(EK_EINVAL, "A, where the result goes, is NULL");
	EK_RETURN_IF(eki_type_check(value, index));
	if (rows < 0 || cols < 0)
		return eki_fail(EK_EINVAL, "%s is %lld; it must not be negative",
		                rows < 0 ? "rows" : "cols", (long long)(rows < 0 ? rows : cols));
	if (rows > eki_idx_max(index) || cols > eki_idx_max(index))
		return eki_fail(EK_EOVERFLOW,
		                "%lld rows and %lld columns do not fit the index type %s",
		                (long long)rows, (long long)cols, ek_index_name(index));
	if (flags & ~KNOWN_FLAGS)
		return eki_fail(EK_EINVAL, "flags has unknown bits 0x%x", flags & ~KNOWN_FLAGS);
	if ((flags & OWNER_MASK) == (EK_COPY | EK_ADOPT))
		return eki_fail(EK_EINVAL, "flags: EK_COPY and EK_ADOPT exclude each other");
	return EK_OK;
}

ek_status eki_array_check(const char *name, const void *array, int64_t len, size_t size)
{
	if (!array && len > 0)
		return eki_fail(EK_EINVAL, "%s is NULL, but %lld %s expected", name, (long long)len,
		                len == 1 ? "entry is" : "entries are");
	if ((uintptr_t)array % eki_alignment(size))
		return eki_fail(EK_EINVAL,
		                "%s lies at %p, which is not aligned to its type of %zu bytes",
		                name, array, size);
	return EK_OK;
}

/* ---- From compressed rows or columns --------------------------------------------------------- */

/* Copies an index array, and subtracts 1 from each index if `base1` is true. */
static ek_status copy_indices(const ek_context *ctx, const void *from, int64_t len, size_t size,
                              bool base1, void **out)
{
	void *to;

	EK_RETURN_IF(eki_alloc(ctx, len, size, &to));
	eki_idx_shift(ctx, from, len, size, base1, to);
	*out = to;
	return EK_OK;
}

static ek_status copy_store(const ek_context *ctx, const ek_store *from, ek_store *to)
{
	size_t psize = eki_ptr_size(from->index), isize = eki_idx_size(from->index);
	ek_status status;

	*to = *from;
	to->borrowed = 0;
	to->base = 0;
	memset(to->array, 0, sizeof to->array);
	EK_TRY(copy_indices(ctx, from->array[CSR_PTR], from->len[CSR_PTR], psize, from->base,
	                    &to->array[CSR_PTR]));
	EK_TRY(copy_indices(ctx, from->array[CSR_COL], from->len[CSR_COL], isize, from->base,
	                    &to->array[CSR_COL]));
	EK_TRY(eki_copy(ctx, from->array[CSR_VAL], from->len[CSR_VAL], ek_value_size(from->value),
	                &to->array[CSR_VAL]));
done:
	if (status != EK_OK)
		eki_store_free(ctx, to);
	return status;
}

struct expand_job {
	const ek_store *s;
	void *row;
	int parts;
};

static void expand_part(void *arg, int part)
{
	const struct expand_job *job = arg;
	const ek_store *s = job->s;
	int64_t end = eki_cut(s->rows, job->parts, part + 1);

	for (int64_t i = eki_cut(s->rows, job->parts, part); i < end; i++)
		for (int64_t k = eki_ptr_at(s, i); k < eki_ptr_at(s, i + 1); k++)
			if (s->index == EK_I64)
				((int64_t *)job->row)[k] = i;
			else
				((int32_t *)job->row)[k] = (int32_t)i;
}

/* Merges the duplicates of a store that the library owns. Converts the store to coordinates and
 * assembles these, which also sorts the columns. With EK_DUP_ERROR, only looks for duplicates; the
 * store, which may then be borrowed, is not changed. */
static ek_status merge_duplicates(const ek_context *ctx, unsigned policy, ek_store *s)
{
	unsigned words = (s->from1 ? EK_BASE1 : 0) | (s->columns ? EKI_COLUMNS : 0);
	size_t isize = eki_idx_size(s->index);
	int64_t nnz = s->nnz;
	ek_store merged, copy = {0};
	const ek_store *csr;
	void *row = NULL;
	ek_status status;

	EK_TRY(eki_format_csr(ctx, s, &copy, &csr));
	EK_TRY(eki_alloc(ctx, nnz, isize, &row));
	eki_parallel(ctx, ctx->threads, ctx->threads, expand_part,
	             &(struct expand_job){s, row, ctx->threads});
	EK_TRY(eki_assemble(ctx, s->value, s->index, s->rows, s->cols, s->nnz, row,
	                    csr->array[CSR_COL], s->array[CSR_VAL], policy | words, &merged, NULL));
	merged.columns = s->columns;
	merged.from1 = s->from1;
	eki_store_free(ctx, policy == EK_DUP_ERROR ? &merged : s);
	if (policy != EK_DUP_ERROR)
		*s = merged;
done:
	eki_free(ctx, row, nnz, isize);
	eki_store_free(ctx, &copy);
	return status;
}

/* Replaces row pointers that start at 1 by a copy that starts at 0, as all code expects. The
 * columns are not copied (ek_store.base). */
static ek_status copy_ptr(const ek_context *ctx, ek_store *s)
{
	void *ptr;

	EK_RETURN_IF(copy_indices(ctx, s->array[CSR_PTR], s->len[CSR_PTR], eki_ptr_size(s->index),
	                          s->base, &ptr));
	s->array[CSR_PTR] = ptr;
	s->borrowed &= ~(UINT64_C(1) << CSR_PTR);
	return EK_OK;
}

/* Changes adopted arrays in place so that they count from 0. `ptr` is the array of row pointers
 * that the caller gave. It replaces the copy in `s`, which is freed. */
static void adopt_base1(const ek_context *ctx, void *ptr, ek_store *s)
{
	const size_t psize = eki_ptr_size(s->index);

	eki_free(ctx, s->array[CSR_PTR], s->len[CSR_PTR], psize);
	s->array[CSR_PTR] = ptr;
	eki_idx_shift(ctx, ptr, s->len[CSR_PTR], psize, s->base, ptr);
	eki_idx_shift(ctx, s->array[CSR_COL], s->nnz, eki_idx_size(s->index), s->base,
	              s->array[CSR_COL]);
	s->base = 0;
}

/* Passes the caller's arrays on to the new matrix, borrowed or adopted as `owner` says. Called when
 * nothing can fail any more. */
static void take_over(ek_matrix *new, const ek_store *in, unsigned owner)
{
	if (owner == EK_BORROW && in->base)
		new->given_ptr = in->array[CSR_PTR];
	if (owner == EK_ADOPT && in->base)
		adopt_base1(new->ctx, in->array[CSR_PTR], &new->store);
	if (owner == EK_ADOPT)
		new->store.borrowed = 0;
}

static ek_status from_compressed(ek_context *ctx, ek_store *in, unsigned flags, bool transposed,
                                 ek_matrix **A)
{
	unsigned owner = flags & OWNER_MASK, policy = flags & DUP_MASK;
	bool merged = policy == EK_DUP_SUM || policy == EK_DUP_LAST;
	ek_store store = *in; /* its arrays count as borrowed until nothing can fail */
	ek_matrix *new = NULL;
	ek_status status = EK_OK;

	if (owner != EK_COPY && merged)
		return eki_fail(EK_EINVAL, "flags: EK_DUP_SUM or EK_DUP_LAST needs EK_COPY, as "
		                           "borrowed and adopted arrays are used in place");
	if (flags & EK_KEEP_ORDER)
		return eki_fail(
			EK_EINVAL,
			"flags: EK_KEEP_ORDER is for COO; CSR and CSC keep the order anyway");
	if (!(flags & EK_TRUSTED))
		EK_RETURN_IF(in->format->check(ctx, in));
	if (owner == EK_COPY)
		EK_RETURN_IF(copy_store(ctx, in, &store));
	else if (in->base)
		EK_RETURN_IF(copy_ptr(ctx, &store));
	if (policy)
		EK_TRY(merge_duplicates(ctx, policy, &store));
	EK_TRY(matrix_new(ctx, &store, &new));
	new->transposed = transposed;
	new->merged = merged;
	take_over(new, in, owner);
	*A = new;
done:
	if (status != EK_OK)
		eki_store_free(ctx, &store);
	return status;
}

/* Refuses more entries than row pointers can hold or memory can have. */
static ek_status entries_check(int64_t nnz, ek_index index)
{
	if (nnz < eki_ptr_max(index) && nnz < INT64_MAX / 16)
		return EK_OK;
	return eki_fail(EK_EOVERFLOW, "%lld entries do not fit the row pointer type of index %s%s",
	                (long long)nnz, ek_index_name(index),
	                nnz < INT64_MAX / 16 ? "" : ", or memory");
}

/* Wraps the caller's arrays in a CSR store of `major` rows and `minor` columns. */
static ek_status wrap_arrays(ek_value value, ek_index index, int64_t major, int64_t minor,
                             const void *ptr, const void *idx, const void *val, unsigned flags,
                             bool columns, ek_store *s)
{
	void *const array[] = {(void *)(uintptr_t)ptr, (void *)(uintptr_t)idx,
	                       (void *)(uintptr_t)val};

	EK_RETURN_IF(eki_array_check(columns ? "col_ptr" : "row_ptr", ptr, major + 1,
	                             eki_ptr_size(index)));
	*s = (ek_store){.format = &ek_format_csr,
	                .value = value,
	                .index = index,
	                .rows = major,
	                .cols = minor,
	                .borrowed = UINT64_MAX,
	                .columns = columns,
	                .base = flags & EK_BASE1 ? 1 : 0,
	                .from1 = flags & EK_BASE1};
	memcpy(s->array, array, sizeof array);
	s->nnz = eki_ptr_at(s, major);
	if (s->nnz < s->base)
		return eki_fail(EK_ERANGE, "%s, the number of entries%s, is %lld",
		                eki_place_of(columns ? "col_ptr" : "row_ptr", major, s->base).text,
		                s->base ? " and 1 with EK_BASE1" : "", (long long)s->nnz);
	s->nnz -= s->base;
	EK_RETURN_IF(entries_check(s->nnz, index));
	memcpy(s->len, (int64_t[]){major + 1, s->nnz, s->nnz}, 3 * sizeof *s->len);
	EK_RETURN_IF(
		eki_array_check(columns ? "row_idx" : "col_idx", idx, s->nnz, eki_idx_size(index)));
	return eki_array_check("val", val, s->nnz, ek_value_size(value));
}

ek_status ek_matrix_from_csr(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, const void *row_ptr, const void *col_idx,
                             const void *val, unsigned flags, ek_matrix **A)
{
	ek_store s;

	EK_RETURN_IF(arguments_check(ctx, value, index, rows, cols, flags, A));
	EK_RETURN_IF(
		wrap_arrays(value, index, rows, cols, row_ptr, col_idx, val, flags, false, &s));
	return from_compressed(ctx, &s, flags, false, A);
}

ek_status ek_matrix_from_csc(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, const void *col_ptr, const void *row_idx,
                             const void *val, unsigned flags, ek_matrix **A)
{
	ek_store s;

	EK_RETURN_IF(arguments_check(ctx, value, index, rows, cols, flags, A));
	EK_RETURN_IF(wrap_arrays(value, index, cols, rows, col_ptr, row_idx, val, flags, true, &s));
	return from_compressed(ctx, &s, flags, true, A);
}

/* ---- From coordinates ------------------------------------------------------------------------ */

ek_status eki_coordinates_check(const ek_context *ctx, const char *name, const void *array,
                                ek_index index, int64_t nnz, int64_t n, int base)
{
	ek_store s = {.value = EK_F64, .index = index, .cols = n, .nnz = nnz, .base = base};
	int64_t k;

	s.array[CSR_COL] = (void *)(uintptr_t)array;
	k = eki_col_fault(ctx, &s);
	if (k < nnz)
		return eki_fail(EK_ERANGE, "%s is %lld; %d to %lld are possible",
		                eki_place_of(name, k, base).text, (long long)eki_col_at(&s, k),
		                base, (long long)n - 1 + base);
	return EK_OK;
}

ek_status ek_matrix_from_coo(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, int64_t nnz, const void *row_idx, const void *col_idx,
                             const void *val, unsigned flags, ek_matrix **A)
{
	unsigned policy = flags & DUP_MASK ? flags & DUP_MASK : EK_DUP_SUM;
	void *row = (void *)(uintptr_t)row_idx, *col = (void *)(uintptr_t)col_idx, *order = NULL;
	bool base1 = flags & EK_BASE1;
	size_t isize = eki_idx_size(index);
	ek_store store = {0};
	ek_matrix *new;
	ek_status status;

	EK_RETURN_IF(arguments_check(ctx, value, index, rows, cols, flags, A));
	if ((flags & OWNER_MASK) == EK_ADOPT)
		return eki_fail(
			EK_EINVAL,
			"flags: COO arrays are assembled into CSR, so they cannot be adopted");
	if (nnz < 0)
		return eki_fail(EK_EINVAL, "nnz is %lld; it must not be negative", (long long)nnz);
	EK_RETURN_IF(entries_check(nnz, index));
	EK_RETURN_IF(eki_array_check("row_idx", row_idx, nnz, isize));
	EK_RETURN_IF(eki_array_check("col_idx", col_idx, nnz, isize));
	EK_RETURN_IF(eki_array_check("val", val, nnz, ek_value_size(value)));
	if (!(flags & EK_TRUSTED)) {
		EK_RETURN_IF(
			eki_coordinates_check(ctx, "row_idx", row_idx, index, nnz, rows, base1));
		EK_RETURN_IF(
			eki_coordinates_check(ctx, "col_idx", col_idx, index, nnz, cols, base1));
	}
	if (base1) {
		row = col = NULL;
		EK_TRY(copy_indices(ctx, row_idx, nnz, isize, true, &row));
		EK_TRY(copy_indices(ctx, col_idx, nnz, isize, true, &col));
	}
	EK_TRY(eki_assemble(ctx, value, index, rows, cols, nnz, row, col, val,
	                    policy | (flags & EK_BASE1), &store,
	                    flags & EK_KEEP_ORDER ? &order : NULL));
	EK_TRY(matrix_new(ctx, &store, &new));
	new->store.from1 = base1;
	new->value_count = nnz;
	new->merged = !(flags & EK_KEEP_ORDER);
	new->order = order;
	new->order_len = order ? nnz : 0;
	*A = new;
done:
	if (base1) {
		eki_free(ctx, row, nnz, isize);
		eki_free(ctx, col, nnz, isize);
	}
	if (status != EK_OK) {
		eki_store_free(ctx, &store);
		eki_free(ctx, order, nnz, eki_ptr_size(index));
	}
	return status;
}

void eki_matrix_given(const ek_matrix *A, ek_store *s)
{
	*s = A->store;
	if (A->given_ptr)
		s->array[CSR_PTR] = (void *)(uintptr_t)A->given_ptr;
}

void eki_matrix_forget_order(ek_matrix *A)
{
	eki_free(A->ctx, A->order, A->order_len, eki_ptr_size(A->store.index));
	A->order = NULL;
	A->order_len = 0;
}

void eki_matrix_restore(ek_matrix *A, const ek_store *store, bool transposed)
{
	eki_matrix_forget_order(A); /* must be first: it reads the index type of the old store */
	A->store = *store;
	A->transposed = transposed;
	A->merged = false;
	A->value_count = store->nnz;
	A->maker = 0;
	atomic_store(&A->pattern, 0);
	atomic_store(&A->ascends, false);
}
