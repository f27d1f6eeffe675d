/* SPDX-License-Identifier: BSD-3-Clause
 * What the primitives on arrays share. A public function, such as ek_scan in prim/scan.c, checks
 * its arguments, puts them into an eki_array and calls eki_array_call, which chooses a method and
 * runs it with the eki_array. The method may rely on checked arguments; it allocates what it needs
 * before it writes any output. */
#ifndef EK_PRIM_H
#define EK_PRIM_H

#include "plan/plan.h"
#include "prim_body/pair.h"

/* The arguments of a primitive on arrays; each primitive uses those that it needs. */
struct eki_array {
	ek_operation operation;
	ek_value type;     /* type of the numbers, or of the keys */
	ek_monoid op;      /* used by reduce, scan and segmented scan */
	ek_scan_kind kind; /* used by scan and segmented scan */
	int64_t n;
	const void *in;
	void *out; /* result; for reduce one number, for kselect the k-th of each list */
	ek_segments segments;
	/* Sort uses `a`. Merge merges `a` and `b` into `c`. Sets use the keys of `a` and `b`. */
	ek_pairs a, b, c;
	int64_t batch;    /* number of merges; used by merge only */
	int64_t lists, k; /* used by kselect, with n as the length of a list */
	void *smallest;
	/* The updates that ek_adheap_replay does again; `replay` tells that kselect is to do so. */
	bool replay;
	int64_t updates;
	const int64_t *first, *path;
	int64_t *count; /* gets the size of the result of a set operation or of an addition */
	/* The operations on sparse vectors (vec/) use these. Their indices have type x.index, their
	 * values type `type`. Sets of pairs are x, y and z, too, with keys as indices. */
	ek_sparse x, y, z;
	void *dense;        /* the values of the dense vector */
	eki_dense block_of; /* the dense matrix of gemvi, which has n rows */
	eki_scalar alpha, beta;
	/* Conversions between coordinates and CSR (coo/) use these, with n entries. `in` and `out`
	 * are values, and row pointers and rows if rows are expanded. */
	ek_index index;
	int64_t rows, cols;
	const void *row_idx, *col_idx;
	void *row_ptr, *out_col;
	/* The members from here on come from the options, with defaults filled in. */
	const ek_context *ctx;
	ek_isa isa;
	int threads;   /* number of threads, 1 for small arrays */
	int64_t block; /* number of entries in a block, 0 for the method's default */
	int arity;
	bool trusted;
	ek_heap_counts *counts;
	int where; /* 0, or EK_ON_DEVICE if the arrays are on the device */
	char *note; /* what eki_array_note adds to, or NULL */
	/* The public functions that have methods on devices set this: whether the arrays are
	 * handles of a device, which say nothing about addresses. */
	bool handles;
};

/* Copies the options to `a`, with defaults filled in, chooses the method and runs it. `work` is the
 * number of entries, which decides whether several threads are worthwhile. If `work` is 0, there is
 * nothing to do, and only the options are checked. */
ek_status eki_array_call(const ek_context *ctx, const ek_array_options *options, int64_t work,
                         eki_array *a);

/* Methods call this for each parameter that they work with, which options.parameters shows. */
void eki_array_note(const eki_array *a, const char *name, int64_t value);

/* Runs the scan that `a` describes (scan_blocked.c). `a` must be complete and already checked.
 * Allocates no memory. */
void eki_scan_into(const eki_array *a);

/* Returns how many pairs the scratch memory of eki_sort_into must hold. */
int64_t eki_sort_scratch_pairs(const eki_array *a);
/* Sorts the pairs a->a (sort_merge.c). Not stable. `a` must be complete and already checked.
 * `scratch` has room for eki_sort_scratch_pairs(a) pairs, so no memory is allocated. */
void eki_sort_into(const eki_array *a, eki_pair_at scratch);

/* Each of these four functions checks one argument. They fail with a message and EK_EINVAL, or
 * EK_EOVERFLOW if a length is too large. */
ek_status eki_number_check(ek_value type); /* must be one of the four types */
ek_status eki_monoid_check(ek_monoid op, ek_value type);
ek_status eki_kind_check(ek_scan_kind kind);
ek_status eki_length_check(const char *name, int64_t n);
/* Checks the size of the values of pairs, 0, 4 or 8; `name` is that of the size. */
ek_status eki_value_size_check(const char *name, size_t size);
/* Checks that pairs called `name` have the types of those called `of_name`. */
ek_status eki_pairs_alike(const char *of_name, const ek_pairs *of, const char *name,
                          const ek_pairs *pairs);
/* Checks that array `a`, which has `an` entries, does not overlap array `b`, which has `bn`
 * entries. Entries have `size` bytes. */
ek_status eki_overlap_check(const char *a_name, const void *a, int64_t an, const char *b_name,
                            const void *b, int64_t bn, size_t size);
/* Does the same for arrays that may be handles of a device: of these it is only known whether they
 * are the same. */
ek_status eki_array_overlap(bool handles, const char *a_name, const void *a, int64_t an,
                            const char *b_name, const void *b, int64_t bn, size_t size);
/* Tells whether the options say that arrays are on a device whose memory has handles. Returns false
 * for arguments that are not valid, which eki_array_call reports. */
bool eki_array_handles(const ek_context *ctx, const ek_array_options *options);

/* Tells whether to write results with non-temporal stores. `bytes` is half the number of bytes that
 * are read and written. The limit is half the cache, but at most 32 MiB: a large cache is shared by
 * many cores, and a process gets only a part of it. Measurements show that non-temporal stores are
 * faster from 32 MiB on. */
static inline bool eki_array_streams(int64_t bytes)
{
	const int64_t half = eki_cpu_cache() / 2, most = (int64_t)32 << 20;

	return bytes > (half < most ? half : most);
}

/* Returns the row for a type in tables made by EK_BY_VALUE. */
static inline int eki_value_row(ek_value type)
{
	return (int)type - 1;
}
/* Returns the row for a type in tables made by EK_BY_INT, for methods that treat floats as
 * integers: i32 for types of 4 bytes, i64 for types of 8. */
static inline int eki_int_row(ek_value type)
{
	return ek_value_size(type) == 8;
}

#endif
