/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix in one format: its arrays, what a format is, and conversions. Part of core/ek_core.h. */
#ifndef EK_STORE_H
#define EK_STORE_H

#define EKI_MAX_ARRAYS  16
#define EKI_MAX_METHODS 4

/* ---- store.c: a matrix in one format ----------------------------------------------------------
 */

typedef enum eki_elem {
	EKI_NONE,
	EKI_VALUE,
	EKI_PTR,
	EKI_IDX,
	EKI_BYTE,
	EKI_HALF,
	EKI_WORD
} eki_elem;

typedef struct ek_array_desc {
	const char *name;
	eki_elem elem;
} ek_array_desc;

typedef struct ek_store ek_store;

/* Where a value lies: number k of an array. */
typedef struct eki_place {
	int array;
	int64_t k;
} eki_place;

/* A format is a named list of arrays and of whole numbers, with a check of their invariants, and
 * conversions from and to CSR, the hub. Freeing, saving, printing and counting bytes are written
 * once, in store.c, over the list.
 *
 * From CSR it goes in three steps, so that what would be too large is refused before memory is
 * taken, and new values on the same pattern need no new conversion:
 *   layout   finds dim (given: what the caller asked for, as from eki_format_parse) and len of all
 *            arrays
 *   pattern  fills all arrays but values, padding of values included
 *   values   fills the values of all entries; takes no memory, and if the format goes by columns,
 *            those of a row may now be in another order
 * All of them, to_csr too, may use threads and temporary memory, and are NULL for CSR. */
struct ek_format {
	const char *name, *text, *source;
	ek_format_param param[EKI_MAX_DIMS];
	ek_array_desc array[EKI_MAX_ARRAYS];
	ek_status (*check)(const ek_context *, const ek_store *);
	ek_status (*layout)(const ek_context *, const ek_store *csr, ek_store *out);
	ek_status (*pattern)(const ek_context *, const ek_store *csr, ek_store *out);
	ek_status (*values)(const ek_context *, const ek_store *csr, ek_store *out);
	/* Fills the arrays of a CSR store of the right lengths. */
	ek_status (*to_csr)(const ek_context *, const ek_store *in, ek_store *csr);
	/* The next place behind *at (array -1: the first) of an entry in row i and column j. */
	bool (*find)(const ek_store *s, int64_t i, int64_t j, eki_place *at);
	/* Turns the arrays of a CSR store that the library owns into those of `out`, which is laid
	 * out, where they are. NULL: by way of a copy. */
	ek_status (*adopt)(const ek_context *, ek_store *csr, ek_store *out);
	/* `values` reads the values of csr and none of its other arrays. */
	bool values_alone;
	/* Entries are placed by their columns: what comes from CSR is given with columns ascending
	 * in each row, without duplicates. */
	bool by_column;
	const ek_method *method[EKI_MAX_METHODS]; /* that multiply with it, the reference first */
};

struct ek_store {
	const ek_format *format;
	ek_value value;
	ek_index index;
	int64_t rows, cols, nnz;
	int64_t dim[EKI_MAX_DIMS];
	void *array[EKI_MAX_ARRAYS];
	int64_t len[EKI_MAX_ARRAYS];
	unsigned borrowed; /* bit k: array[k] belongs to the caller */
	bool columns;      /* CSR: the caller gave CSC, so messages say col_ptr and row_idx */
	/* 1: columns start at 1, since the caller's are used in place (EK_BASE1). Methods with
	 * EKI_BASE1_N or _T can read them; all else gets a copy from eki_format_csr. Row pointers
	 * start at 0 in any case, but for `check`, which sees the arrays as they were given. */
	int base;
	bool from1; /* the caller counts from 1, so messages do */
};

extern const ek_format ek_format_csr, ek_format_csc;
enum { CSR_PTR, CSR_COL, CSR_VAL }; /* arrays of the CSR format */
/* The least of what `fault` gives for pieces of [0, n): the first place that is wrong, or n. */
typedef int64_t eki_fault_fn(const ek_store *s, int64_t begin, int64_t end);
int64_t eki_first_fault(const ek_context *ctx, const ek_store *s, eki_fault_fn *fault, int64_t n);
/* EK_ERANGE if an array has another length. */
ek_status eki_len_check(const ek_store *s, const int64_t *len);
/* Copies `len` row pointers or columns of `size` bytes and takes `base` from each; in place too. */
void eki_idx_shift(const ek_context *ctx, const void *from, int64_t len, size_t size, int base,
                   void *to);
/* "col_idx[7]", or, where the caller counts from 1 as Fortran does, "col_idx(8)". */
typedef struct eki_place_text {
	char text[48];
} eki_place_text;
eki_place_text eki_place_of(const char *array, int64_t k, int base);
/* First of the nnz columns that is not in [base, base + cols), or nnz; row pointers are not read.
 */
int64_t eki_col_fault(const ek_context *ctx, const ek_store *s);

size_t eki_elem_size(eki_elem elem, ek_value value, ek_index index);
size_t eki_ptr_size(ek_index index); /* bytes of a row pointer */
size_t eki_idx_size(ek_index index); /* bytes of a column index */
int64_t eki_ptr_max(ek_index index); /* largest row pointer: INT32_MAX or INT64_MAX */
int64_t eki_idx_max(ek_index index);
/* Allocates arrays of the given lengths (len[k] entries); a failure leaves nothing allocated. */
ek_status eki_store_alloc(const ek_context *ctx, ek_store *store, const int64_t *len);
void eki_store_free(const ek_context *ctx, ek_store *store);
int64_t eki_store_bytes(const ek_store *store); /* INT64_MAX if they are more */
int64_t eki_store_held(const ek_store *store);  /* the same, without arrays that are borrowed */
/* a * b and a + b of numbers that are not negative, or INT64_MAX if that is more. */
int64_t eki_times(int64_t a, int64_t b);
int64_t eki_plus(int64_t a, int64_t b);
/* An empty CSR store with room for `nnz` entries. */
ek_status eki_csr_alloc(const ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                        int64_t cols, int64_t nnz, ek_store *csr);

/* Row pointers and columns of any width, for code that looks at few of them. */
static inline int64_t eki_ptr_at(const ek_store *csr, int64_t i)
{
	const void *p = csr->array[CSR_PTR];
	return csr->index == EK_I32 ? ((const int32_t *)p)[i] : ((const int64_t *)p)[i];
}
static inline void eki_ptr_set(ek_store *csr, int64_t i, int64_t v)
{
	if (csr->index == EK_I32)
		((int32_t *)csr->array[CSR_PTR])[i] = (int32_t)v;
	else
		((int64_t *)csr->array[CSR_PTR])[i] = v;
}
static inline int64_t eki_col_at(const ek_store *csr, int64_t k)
{
	const void *p = csr->array[CSR_COL];
	return csr->index == EK_I64 ? ((const int64_t *)p)[k] : ((const int32_t *)p)[k];
}
/* Entry k of an array of column indices. */
static inline int64_t eki_idx_at(const ek_store *s, int array, int64_t k)
{
	const void *p = s->array[array];
	return s->index == EK_I64 ? ((const int64_t *)p)[k] : ((const int32_t *)p)[k];
}
/* The first k of [begin, end) whose entry in an array of indices is v or more, if they ascend; or
 * end. */
static inline int64_t eki_idx_lower_bound(const ek_store *s, int array, int64_t begin, int64_t end,
                                          int64_t v)
{
	while (begin < end) {
		const int64_t middle = begin + (end - begin) / 2;

		if (eki_idx_at(s, array, middle) < v)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}
static inline double eki_val_at(const ek_store *csr, int64_t k)
{
	const void *p = csr->array[CSR_VAL];
	return csr->value == EK_F64 ? ((const double *)p)[k] : eki_widen(((const float *)p)[k]);
}

/* Part of a conversion: pieces [begin, end) of whatever it counts - rows, entries, chunks,
 * blocks. */
typedef void eki_fill_fn(const ek_store *in, ek_store *out, int64_t begin, int64_t end);
/* fn[type of in] for all pieces of [0, n), by all threads of the context, some pieces for each in
 * turn so that long rows in one place do not keep one thread busy; `work`: entries touched in
 * all. */
void eki_fill(const ek_context *ctx, eki_fill_fn *const fn[EK_NTYPE], const ek_store *in,
              ek_store *out, int64_t n, int64_t work);
/* Row pointers of `csr` from what stands there: row_ptr[i + 1] is the length of row i. */
void eki_ptr_sum(ek_store *csr);
/* The same from an array of s with the length of each row. */
void eki_ptr_of_lengths(const ek_store *s, int array, ek_store *csr);
/* The sum of an array of indices modulo 2^64, so they may be any numbers. */
int64_t eki_idx_sum(const ek_store *s, int array);

/* Are the columns so many, beside the entries and the rows, that memory must not go with them? */
static inline bool eki_many_columns(const ek_store *csr)
{
	return csr->cols > 65536 + 4 * (csr->rows + csr->nnz);
}

/* ---- reshape/sort_rows.c --------------------------------------------------------------------- */

/* Sorts each row of a CSR store that the library owns by column; repeated places are merged as
 * `policy` says, or for EK_DUP_ERROR *first is the first entry that repeats the one before it, else
 * -1. Stable. */
ek_status eki_sort_rows(const ek_context *ctx, unsigned policy, ek_store *csr, int64_t *first);
/* A copy of that, with rows sorted and nothing merged. */
ek_status eki_sorted_copy(const ek_context *ctx, const ek_store *csr, ek_store *copy,
                          int64_t *first);

/* ---- reshape/distinct.c ---------------------------------------------------------------------- */

/* The different columns of a CSR store, or with `diagonals` the different j - i, ascending: *count
 * of them, in a block of nnz. Takes memory for the entries, and none for the columns. */
ek_status eki_distinct(const ek_context *ctx, const ek_store *csr, bool diagonals, int64_t **list,
                       int64_t *count);

/* ---- reshape/ascending.c --------------------------------------------------------------------- */

/* For formats that place entries by their columns: *use is `csr` itself if columns ascend in each
 * row, else a copy in `room` of which that is true; release it by eki_store_free(ctx, room), of
 * which {0} is none. EK_EUNSUPPORTED, with the row, if two entries have one place; `format` is who
 * asks. */
ek_status eki_ascending(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                        ek_store *room, const ek_store **use);

/* ---- format/format.c ------------------------------------------------------------------------- */

/* What the text "sell:c=8" asks for; dim is 0 where it says nothing, EKI_ZERO where it says 0. */
ek_status eki_format_parse(const char *text, const ek_format **format, int64_t dim[EKI_MAX_DIMS]);
/* "sell:c=8,sigma=64": what eki_format_parse reads. */
void eki_format_text(const ek_store *s, char *text, size_t size);
/* What asks for the parameters that a store has. */
void eki_format_ask(const ek_store *s, int64_t dim[EKI_MAX_DIMS]);
/* The store of a CSR store in another format, CSR excluded. max_bytes as in ek_convert_options. */
ek_status eki_format_make(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                          const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes, ek_store *out);
/* The same, where the arrays of `csr` are, by `adopt` of the format; after an error `csr` is as it
 * was. */
ek_status eki_format_adopt(const ek_context *ctx, ek_store *csr, const ek_format *format,
                           const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes, ek_store *out);
/* EK_ELIMIT if `out`, of which only the lengths are there, takes more than max_bytes; `csr` is the
 * same matrix in CSR. */
ek_status eki_format_limit(const ek_store *csr, const ek_store *out, int64_t max_bytes);
/* New values on the pattern that `out` was made of. */
ek_status eki_format_values(const ek_context *ctx, const ek_store *csr, ek_store *out);
/* The same from nnz values in the order of CSR, which do not lie in `out`. */
ek_status eki_format_set_values(const ek_context *ctx, const void *val, ek_store *out);
/* For `find` of a format whose rows have their entries at places k, k + step and so on, below end:
 * the next in column j. */
bool eki_row_find(const ek_store *s, int64_t k, int64_t end, int64_t step, int64_t j,
                  eki_place *at);
/* The CSR of a store in any format, with columns from 0: *csr is `s` itself if that is such a one,
 * else `room`, filled, which may borrow arrays of `s`; release it by eki_store_free(ctx, room), of which {0} is none. */
ek_status eki_format_csr(const ek_context *ctx, const ek_store *s, ek_store *room,
                         const ek_store **csr);
/* The same of A, whatever it is held in, or, with `columns`, of its transpose. */
ek_status eki_matrix_csr(const ek_matrix *A, bool columns, ek_store *room, const ek_store **csr);
/* EK_ELIMIT if that, with these types, takes more than max_bytes (as in ek_convert_options): what it
 * takes is known before it is made. */
ek_status eki_matrix_csr_limit(const ek_matrix *A, ek_value value, ek_index index, bool columns,
                               int64_t max_bytes);
/* A copy of A with other types, in the same format; `name` as in eki_convert_types. */
ek_status eki_matrix_retype(const ek_matrix *A, const char *name, ek_value value, ek_index index,
                            ek_matrix **B);
/* A copy of a CSR store with other types. The log has a warning, which begins with `name` and a
 * colon if it is not NULL, of values that became 0. */
ek_status eki_convert_types(const ek_context *ctx, const char *name, const ek_store *in,
                            ek_value value, ek_index index, ek_store *out);

#endif
