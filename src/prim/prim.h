/* SPDX-License-Identifier: BSD-3-Clause
 * What the primitives on arrays share. A public function (ek_scan, say, in prim/scan.c) checks its
 * arguments, puts them into an eki_array and calls eki_array_call, which finds the row of the table
 * of methods and calls its `array` function. The row's file may rely on checked arguments; it
 * allocates what it needs before it writes any output. */
#ifndef EK_PRIM_H
#define EK_PRIM_H

#include "core/ek_core.h"

/* The arguments of every primitive; each uses what it needs. */
struct eki_array {
	ek_operation operation;
	ek_value type;     /* of the numbers, or of the keys */
	ek_monoid op;      /* reduce, scan, segmented scan */
	ek_scan_kind kind; /* scan, segmented scan */
	int64_t n;
	const void *in;
	void *out; /* reduce: one number; kselect: kth; sets: the result */
	ek_segments segments;
	ek_pairs a, b, c; /* sort: a; merge: a and b into c; sets: keys of a and b */
	int64_t batch;    /* merge */
	int64_t lists, k; /* kselect, with n as the length of a list */
	void *smallest;
	int64_t *count; /* sets */
	/* of the options, with defaults filled in */
	ek_isa isa;
	int threads;   /* 1 for small arrays */
	int64_t block; /* 0: the method's default */
	int arity;
	bool trusted;
	ek_heap_counts *counts;
};

/* Fills in what `options` say, chooses the method and calls it. `work` is the number of entries,
 * which decides whether threads are worth while; 0: there is nothing to do, so only the options are
 * checked. */
ek_status eki_array_call(const ek_context *ctx, const ek_array_options *options, int64_t work,
                         eki_array *a);

/* Checks of arguments; each returns EK_EINVAL with a message. */
ek_status eki_number_check(ek_value type); /* one of the four types */
ek_status eki_monoid_check(ek_monoid op, ek_value type);
ek_status eki_kind_check(ek_scan_kind kind);
ek_status eki_length_check(const char *name, int64_t n);
/* Arrays of `an` and `bn` entries of `size` bytes must not overlap. */
ek_status eki_overlap_check(const char *a_name, const void *a, int64_t an, const char *b_name,
                            const void *b, int64_t bn, size_t size);

/* Row of a type in tables by EK_BY_VALUE and EK_BY_INT. */
static inline int eki_value_row(ek_value type)
{
	return (int)type - 1;
}
/* i32 for types of 4 bytes, i64 for types of 8: for methods that treat floats as integers. */
static inline int eki_int_row(ek_value type)
{
	return ek_value_size(type) == 8;
}

#endif
