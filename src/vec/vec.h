/* SPDX-License-Identifier: BSD-3-Clause
 * What the operations on sparse vectors share: checks of their arguments, and pieces of two sparse
 * vectors. A public function, such as ek_sparse_add in vec/add.c, checks its arguments, puts them
 * into an eki_array and calls eki_array_call, as the primitives on arrays do. Then the row of the
 * operation checks the indices (`contents`), and the method runs. */
#ifndef EK_VEC_H
#define EK_VEC_H

#include "prim/prim.h"

/* ---- vec.c: checks --------------------------------------------------------------------------- */

/* Copies the caller's sparse vector to `own` and checks its types, lengths and addresses. */
ek_status eki_sparse_in(const char *name, const ek_sparse *given, ek_sparse *own);
/* Checks that v has the types and the length of x, which is called "x" in messages. */
ek_status eki_sparse_like(const char *name, const ek_sparse *v, const ek_sparse *x);
/* Copies the caller's dense vector to `own` and checks that it fits the sparse vector x. */
ek_status eki_sparse_dense_in(const char *name, const ek_dense *given, const ek_sparse *x,
                              const char *of, ek_dense *own);
/* Checks the length n of the arrays of an argument, which is member `member` of the argument
 * `name`: "x" and "->nnz", for example. eki_member_check checks the address of such an array. The
 * names are put together only for messages. */
ek_status eki_member_length(const char *name, const char *member, int64_t n);
ek_status eki_member_check(const char *name, const char *member, const void *array, int64_t n,
                           size_t size);
/* Rounds a factor to the type of the values. Errors: EK_EINVAL if the values are integers and the
 * factor is no integer of that type. */
ek_status eki_factor_in(const char *name, double given, ek_value type, eki_scalar *own);

/* Memory that an argument occupies. */
typedef struct eki_region {
	const char *name;
	const void *at;
	int64_t bytes;
} eki_region;
/* Checks that no output overlaps another output or an input. Of handles of a device, it is only
 * known whether they are the same. */
ek_status eki_regions_apart(bool handles, int outputs, const eki_region *output, int inputs,
                            const eki_region *input);
/* Return the memory that the indices or the values of v occupy. */
eki_region eki_idx_region(const char *name, const ek_sparse *v);
eki_region eki_val_region(const char *name, const ek_sparse *v);

/* Check that the indices of x, or of x and y, ascend strictly and are in 0 .. n - 1, on all
 * threads. Errors: EK_ERANGE. They are the `contents` of operations. */
ek_status eki_contents_of_x(const eki_array *a);
ek_status eki_contents_of_x_and_y(const eki_array *a);

/* Returns the row of the index type in tables made by EK_BY_VECTOR. */
static inline int eki_index_row(const eki_array *a)
{
	return a->x.index == EK_INT64;
}

/* ---- ranges.c -------------------------------------------------------------------------------- */

/* Handles entries begin .. end - 1 of x and the entries of the dense vector at their indices. */
typedef void eki_range_fn(const eki_array *a, int64_t begin, int64_t end);
/* Calls fn for a range of the entries of x on each thread. */
ek_status eki_ranges(const eki_array *a, eki_range_fn *fn);

/* ---- pieces.c: pieces of two sparse vectors -------------------------------------------------- */

/* Two sparse vectors x and y, or pieces of them, that a kernel combines. Results go to z. No index
 * outside the pieces equals one inside them. */
typedef struct eki_two {
	const eki_array *array; /* the whole call */
	const void *xi, *xv, *yi, *yv;
	int64_t xn, yn;
	void *zi, *zv;
	/* whether z of an intersection has space for as many entries as x has; else as y has */
	bool by_x;
	eki_scalar alpha, beta; /* the factors of x and y; not used by sets of pairs */
	ek_monoid op;           /* combines two values at the same index; EK_SUM for vectors */
	char *scratch;          /* scratch of this piece; NULL if the method asked for none */
	int64_t block;          /* parameter of the method */
} eki_two;

/* Scratch memory for pieces: `bytes` bytes for each, from `at` on, a->threads times. */
typedef struct eki_scratch {
	char *at;
	int64_t bytes;
	int64_t block; /* eki_two.block of all pieces */
} eki_scratch;

/* Returns both vectors of a call as one piece. */
eki_two eki_two_of(const eki_array *a);

/* Writes the result of a piece to z, and returns the number of its entries. */
typedef int64_t eki_two_fn(const eki_two *t);
/* Does a whole operation with a sparse result in at most a->threads pieces, and stores *a->count.
 * `scratch` may be NULL. */
ek_status eki_two_pieces(const eki_array *a, const eki_scratch *scratch, eki_two_fn *fn);

/* Stores the dot product of two pieces in *sum, a number of the type of the values. */
typedef void eki_two_sum_fn(const eki_two *t, void *sum);
/* Stores the sum of the products of all pieces in a->out. The vectors are cut into `pieces` pieces,
 * which must not depend on the threads. */
ek_status eki_two_sums(const eki_array *a, int64_t pieces, eki_two_sum_fn *fn);

#endif
