/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix in one format (ek_store), the description of a format (ek_format), and conversions. Part
 * of matrix/matrix.h. */
#ifndef EK_STORE_H
#define EK_STORE_H

#include "prim_body/search.h"

#define EKI_MAX_ARRAYS 40

/* ---- store.c: a matrix in one format --------------------------------------------------------- */

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

/* The place of a value in a store: element `k` of array number `array`. */
typedef struct eki_place {
	int array;
	int64_t k;
} eki_place;

/* A format: its name, lists of its arrays and integer parameters, a check of their invariants, and
 * conversions from and to CSR. All other conversions go through CSR. Functions that free, save,
 * print or count the bytes of a store go through the list of arrays, so a format needs none of its
 * own.
 *
 * A conversion from CSR takes three steps, so that a result that would be too large is refused
 * before memory is allocated, and new values on the same pattern need only the last step. The steps
 * are:
 *   layout   sets `len` of all arrays and the parameters in `dim`. Before the call, `dim` has the
 *            parameters that the caller asked for, as from eki_format_parse
 *   pattern  fills all arrays except the values of entries. It also fills padding among the values
 *   values   fills the values of all entries; allocates no arrays. If by_column is true, the order
 *            of the entries in a row may differ from their order in the call of `pattern`
 * The three steps and to_csr may use threads and temporary memory, and are NULL for CSR. */
struct ek_format {
	const char *name, *text, *source;
	ek_format_param param[EKI_MAX_DIMS];
	ek_array_desc array[EKI_MAX_ARRAYS];
	ek_status (*check)(const ek_context *, const ek_store *);
	/* Approximate cost of a conversion from CSR: the time of `products` products plus `us`
	 * microseconds. The microseconds matter if the matrix is small. If `products` is 0, the
	 * library never converts to the format for speed. */
	struct {
		double products, us;
	} convert;
	ek_status (*layout)(const ek_context *, const ek_store *csr, ek_store *out);
	/* Sets what `layout` sets, but the lengths are estimates from a sample of the entries. NULL
	 * if `layout` does not take much longer. */
	ek_status (*estimate)(const ek_context *, const ek_store *csr, ek_store *out);
	ek_status (*pattern)(const ek_context *, const ek_store *csr, ek_store *out);
	ek_status (*values)(const ek_context *, const ek_store *csr, ek_store *out);
	/* Fills the arrays of `csr`, which are allocated with the right lengths. */
	ek_status (*to_csr)(const ek_context *, const ek_store *in, ek_store *csr);
	/* Moves *at to the next place of an entry in row i and column j, or to the first one if
	 * at->array is -1. Returns false if there is none. */
	bool (*find)(const ek_store *s, int64_t i, int64_t j, eki_place *at);
	/* Converts the arrays of `csr`, which the library owns, in place into those of `out`.
	 * Before the call, dim and len of `out` are set (by `layout`). NULL if the format needs a
	 * copy. */
	ek_status (*adopt)(const ek_context *, ek_store *csr, ek_store *out);
	/* Whether `values` reads only the values of `csr`, and none of its other arrays. */
	bool values_alone;
	/* Whether the place of an entry depends on its column. Conversions then get a CSR store in
	 * which the columns of each row ascend, without duplicates. */
	bool by_column;
};

struct ek_store {
	const ek_format *format;
	ek_value value;
	ek_index index;
	int64_t rows, cols, nnz;
	int64_t dim[EKI_MAX_DIMS];
	void *array[EKI_MAX_ARRAYS];
	int64_t len[EKI_MAX_ARRAYS];
	uint64_t borrowed; /* bit k is 1 if array[k] belongs to the caller */
	/* whether the caller gave this CSR store as CSC, so that messages say col_ptr and
	 * row_idx */
	bool columns;
	/* The number of the first column in the column indices: 1 if the caller's array is used in
	 * place and counts from 1 (EK_BASE1), else 0. Methods with EKI_BASE1_N or EKI_BASE1_T can
	 * read columns that count from 1; all other code gets a copy from eki_format_csr. Row
	 * pointers always start at 0, except in `check`, which sees the arrays as the caller gave
	 * them. */
	int base;
	bool from1; /* the caller counts from 1, so messages do too */
	/* Whether the columns of each row of this CSR store are known to ascend, without
	 * duplicates. false if nobody has found out. */
	bool ascends;
	/* While a format makes this store: where its functions add what their own steps take. NULL
	 * if nobody asks. */
	ek_convert_times *times;
	/* Buffers of a device for the arrays that only the device has: there[k] takes the place of
	 * array[k], which is NULL. NULL if all arrays are on the host. */
	struct eki_buffer **there;
};

extern const ek_format ek_format_csr, ek_format_csc;
enum { CSR_PTR, CSR_COL, CSR_VAL }; /* indices of the arrays of the CSR format */
/* Returns the first position in [begin, end) where `s` is wrong, or `end` if there is none. */
typedef int64_t eki_fault_fn(const ek_store *s, int64_t begin, int64_t end);
/* Returns the first position in [0, n) where `s` is wrong, or n if there is none. Calls `fault` for
 * pieces of the range, on all threads. */
int64_t eki_first_fault(const ek_context *ctx, const ek_store *s, eki_fault_fn *fault, int64_t n);
/* Checks the lengths of all arrays. Returns EK_ERANGE unless each array k has len[k] elements. */
ek_status eki_len_check(const ek_store *s, const int64_t *len);
/* Copies `len` row pointers or column indices of `size` bytes each and subtracts `base` from each.
 * `from` and `to` may be the same array. */
void eki_idx_shift(const ek_context *ctx, const void *from, int64_t len, size_t size, int base,
                   void *to);
/* The name of a position for messages: "col_idx[7]" or, if the caller counts from 1 as in Fortran,
 * "col_idx(8)". */
typedef struct eki_place_text {
	char text[48];
} eki_place_text;
eki_place_text eki_place_of(const char *array, int64_t k, int base);
/* Checks the nnz column indices. Returns the position of the first index outside [base, base +
 * cols), or nnz if there is none. Does not read row pointers. */
int64_t eki_col_fault(const ek_context *ctx, const ek_store *s);

size_t eki_elem_size(eki_elem elem, ek_value value, ek_index index);
size_t eki_ptr_size(ek_index index); /* bytes of a row pointer */
/* Returns the type of a row pointer as a number. */
static inline ek_value eki_ptr_type(ek_index index)
{
	return index == EK_I32 ? EK_INT32 : EK_INT64;
}
size_t eki_idx_size(ek_index index); /* bytes of a column index */
/* Returns the bytes of an entry in CSR: its column and its value. */
static inline int64_t eki_entry_bytes(const ek_store *csr)
{
	return (int64_t)(eki_idx_size(csr->index) + ek_value_size(csr->value));
}
int64_t eki_ptr_max(ek_index index); /* largest row pointer: INT32_MAX or INT64_MAX */
int64_t eki_idx_max(ek_index index);
/* Allocates all arrays of a store, array k with len[k] elements. After an error, nothing is
 * allocated. */
ek_status eki_store_alloc(const ek_context *ctx, ek_store *store, const int64_t *len);
void eki_store_free(const ek_context *ctx, ek_store *store);
int64_t eki_store_bytes(const ek_store *store); /* bytes of all arrays; INT64_MAX on overflow */
int64_t eki_store_held(const ek_store *store);  /* bytes of the arrays that are not borrowed */
/* Multiplies or adds two numbers that are not negative. Returns INT64_MAX on overflow. */
int64_t eki_times(int64_t a, int64_t b);
int64_t eki_plus(int64_t a, int64_t b);
/* Allocates a CSR store with space for `nnz` entries. */
ek_status eki_csr_alloc(const ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                        int64_t cols, int64_t nnz, ek_store *csr);

/* Returns row pointer i, whatever its type. This function and those below are for code that reads
 * few elements. */
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
/* Returns element k of array number `array`, an array of column indices. */
static inline int64_t eki_idx_at(const ek_store *s, int array, int64_t k)
{
	const void *p = s->array[array];
	return s->index == EK_I64 ? ((const int64_t *)p)[k] : ((const int32_t *)p)[k];
}
/* Returns the first position in [begin, end) at which the index is at least v, or `end` if there is
 * none. The indices are in array number `array`, in ascending order. */
static inline int64_t eki_idx_lower_bound(const ek_store *s, int array, int64_t begin, int64_t end,
                                          int64_t v)
{
	return s->index == EK_I64
	               ? eki_lower_bound((const int64_t *)s->array[array], begin, end, v)
	               : eki_lower_bound((const int32_t *)s->array[array], begin, end, v);
}
static inline double eki_val_at(const ek_store *csr, int64_t k)
{
	const void *p = csr->array[CSR_VAL];
	return csr->value == EK_F64 ? ((const double *)p)[k] : eki_widen(((const float *)p)[k]);
}

/* Converts units [begin, end) of `in` to `out`. A unit is a row, an entry, a chunk or a block,
 * depending on the conversion. */
typedef void eki_fill_fn(const ek_store *in, ek_store *out, int64_t begin, int64_t end);
/* Calls the function fn[t], where t is the eki_type of `in`, for all units [0, n), on all threads
 * of the context. Each thread gets several pieces, so that long rows in one place do not keep one
 * thread busy while others wait. `work` is the total number of entries that the calls handle. */
void eki_fill(const ek_context *ctx, eki_fill_fn *const fn[EK_NTYPE], const ek_store *in,
              ek_store *out, int64_t n, int64_t work);
/* Returns the sum, modulo 2^64, of all column indices in array number `array`. The indices may be
 * out of range. */
int64_t eki_idx_sum(const ek_store *s, int array);

/* Tells whether a matrix has so many columns, compared with its rows and entries, that memory must
 * not be allocated in proportion to the columns. */
static inline bool eki_many_columns(const ek_store *csr)
{
	return csr->cols > 65536 + 4 * (csr->rows + csr->nnz);
}

/* ---- reshape/row_ptr.c ----------------------------------------------------------------------- */

/* Computes the prefix sums of n counts, of the row pointer type, in place. Each count is replaced
 * by the sum of all counts up to and including it (EK_INCLUSIVE), or of all before it
 * (EK_EXCLUSIVE). */
void eki_ptr_scan(const ek_context *ctx, ek_index index, ek_scan_kind kind, int64_t n, void *count);
/* Turns row lengths into the row pointers of `csr`, in place. Before the call, row_ptr[i + 1] is
 * the length of row i. */
void eki_ptr_sum(const ek_context *ctx, ek_store *csr);
/* Converts units [0, n) of `in` to `csr`: calls `lengths`, which stores the length of row i in
 * row_ptr[i + 1], makes row pointers, and then calls `entries`. */
void eki_fill_csr(const ek_context *ctx, eki_fill_fn *const lengths[EK_NTYPE],
                  eki_fill_fn *const entries[EK_NTYPE], const ek_store *in, ek_store *csr,
                  int64_t n);
/* Makes the row pointers of `csr` from the row lengths in array number `array` of `s`. */
void eki_ptr_of_lengths(const ek_context *ctx, const ek_store *s, int array, ek_store *csr);

/* ---- reshape/sort_rows.c --------------------------------------------------------------------- */

/* Sorts the entries of each row by column, stably, in a CSR store that the library owns. Entries
 * with the same place are merged as `policy` says. EK_DUP_ERROR merges nothing and sets *first to
 * the first entry that repeats the place of the one before it, or to -1 if there is none. */
ek_status eki_sort_rows(const ek_context *ctx, unsigned policy, ek_store *csr, int64_t *first);
/* Makes a copy of `csr` with sorted rows and nothing merged. *first is set as by eki_sort_rows with
 * EK_DUP_ERROR. */
ek_status eki_sorted_copy(const ek_context *ctx, const ek_store *csr, ek_store *copy,
                          int64_t *first);

/* ---- reshape/distinct.c ---------------------------------------------------------------------- */

/* Finds the distinct columns of the entries of a CSR store or, with `diagonals`, their distinct
 * diagonals j - i. Sets *list to an allocated array of nnz numbers. Its first *count numbers are
 * the result, in ascending order. Takes memory in proportion to the entries, not to the columns. */
ek_status eki_distinct(const ek_context *ctx, const ek_store *csr, bool diagonals, int64_t **list,
                       int64_t *count);

/* ---- reshape/ascending.c --------------------------------------------------------------------- */

/* Sets *use to a store with the entries of `csr` and ascending columns in each row. This is `csr`
 * itself if its columns ascend, else *copy, a sorted copy. *copy must be {0} before, and the caller
 * releases it with eki_store_free. Errors: EK_EUNSUPPORTED if two entries have the same place. The
 * message names the row and `format`, which allows no such entries. */
ek_status eki_ascending(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                        ek_store *copy, const ek_store **use);

/* Tells whether the columns of each row of a CSR store ascend, without duplicates. */
bool eki_ascends_strictly(const ek_context *ctx, const ek_store *csr);

/* ---- format/format.c ------------------------------------------------------------------------- */

/* Returns EK_EOVERFLOW if a row of `csr` has more entries than a column index can count. */
ek_status eki_row_lengths_check(const ek_store *csr, const ek_format *format);
/* Parses the name and the parameters of a format, such as "sell:c=8". dim[k] becomes 0 if the text
 * does not give parameter k, and EKI_ZERO if it gives 0. */
ek_status eki_format_parse(const char *text, const ek_format **format, int64_t dim[EKI_MAX_DIMS]);
/* Writes the format of a store as text that eki_format_parse reads, such as "sell:c=8,sigma=64". */
void eki_format_text(const ek_store *s, char *text, size_t size);
/* Sets `dim` to the values for which eki_format_make makes a store with the same parameters as
 * `s`. */
void eki_format_ask(const ek_store *s, int64_t dim[EKI_MAX_DIMS]);
/* Converts a CSR store to `format`, which is not CSR. `dim` is a result of eki_format_parse, and
 * max_bytes is as in ek_convert_options. */
ek_status eki_format_make(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                          const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes, ek_store *out);
/* Does the same, and sets the members of *times. */
ek_status eki_format_make_timed(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                                const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes,
                                ek_convert_times *times, ek_store *out);
/* Sets the parameters and the lengths of arrays in `out` to those that `csr` would have in
 * `format`, but allocates no arrays. Errors as for eki_format_make. */
ek_status eki_format_look(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                          const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes, ek_store *out);
/* Sets the parameters and the lengths of arrays in `out` by format->estimate, which must not be
 * NULL. */
ek_status eki_format_estimate(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                              ek_store *out);
/* Does the same as eki_format_make_timed, but in place: format->adopt turns the arrays of `csr`
 * into those of `out`. After an error `csr` is unchanged. */
ek_status eki_format_adopt(const ek_context *ctx, ek_store *csr, const ek_format *format,
                           const int64_t dim[EKI_MAX_DIMS], int64_t max_bytes,
                           ek_convert_times *times, ek_store *out);
/* Returns the seconds since *since, in nanoseconds of eki_now_ns, and sets *since to now. */
double eki_lap(int64_t *since);
/* Checks the size of `out`, where only the lengths of the arrays need to be set. Returns EK_ELIMIT
 * if the arrays would take more than max_bytes (as in ek_convert_options). `csr` is the same matrix
 * in CSR. */
ek_status eki_format_limit(const ek_store *csr, const ek_store *out, int64_t max_bytes);
/* Writes the values of `csr` to `out`, which was made from a store with the same pattern. */
ek_status eki_format_values(const ek_context *ctx, const ek_store *csr, ek_store *out);
/* Writes nnz values, in the order of CSR, to `out`. `val` must not be an array of `out`. */
ek_status eki_format_set_values(const ek_context *ctx, const void *val, ek_store *out);
/* Does the work of ek_format.find for formats in which the entries of a row are at positions k, k +
 * step, k + 2 * step and so on, below `end`. Moves *at to the next entry in column j. */
bool eki_row_find(const ek_store *s, int64_t k, int64_t end, int64_t step, int64_t j,
                  eki_place *at);
/* Sets *csr to a CSR store of the matrix in `s`, with columns that start at 0. That is `s` itself
 * if it is such a store, else *copy, which is filled in and may borrow arrays of `s`. *copy must be
 * {0} before, and the caller releases it with eki_store_free. */
ek_status eki_format_csr(const ek_context *ctx, const ek_store *s, ek_store *copy,
                         const ek_store **csr);
/* Does what eki_format_csr does, but for the matrix A or, if `columns` is true, for the transpose
 * of A. */
ek_status eki_matrix_csr(const ek_matrix *A, bool columns, ek_store *copy, const ek_store **csr);
/* Checks the size of the store that eki_matrix_csr would make, in the given types, without making
 * it. Returns EK_ELIMIT if the size is more than max_bytes (as in ek_convert_options). */
ek_status eki_matrix_csr_limit(const ek_matrix *A, ek_value value, ek_index index, bool columns,
                               int64_t max_bytes);
/* Makes B, a copy of A in the same format with other types. `name` is as in eki_convert_types. */
ek_status eki_matrix_retype(const ek_matrix *A, const char *name, ek_value value, ek_index index,
                            ek_matrix **B);
/* Copies a CSR store with other types of values and indices. If values became 0, the log gets a
 * warning, whose text begins with `name` and a colon unless `name` is NULL. */
ek_status eki_convert_types(const ek_context *ctx, const char *name, const ek_store *in,
                            ek_value value, ek_index index, ek_store *out);

#endif
