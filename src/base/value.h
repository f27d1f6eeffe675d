/* SPDX-License-Identifier: BSD-3-Clause
 * The table of value types, and the indices of types in tables of functions. Part of base/base.h.
 * To add a value type for matrices, add a row here, an enumerator of ek_value, a block in
 * for_each_type.h and a case in the vector headers. */
#ifndef EK_VALUE_H
#define EK_VALUE_H

/* Numbers of value types that matrices can have, of index types, of pairs of the two, and of
 * instruction sets. */
enum { EK_NVALUE = 2, EK_NINDEX = 3, EK_NTYPE = EK_NVALUE * EK_NINDEX, EK_NISA = 6, EK_NLEVEL = 3 };

typedef struct eki_value_type {
	const char *name;
	unsigned char size; /* in bytes */
	/* position among the value types that matrices can have, counted from 1; 0 if matrices
	 * cannot have this type */
	unsigned char matrix;
} eki_value_type;

/* Table of the value types, indexed by ek_value. */
static const eki_value_type eki_value_types[] = {
	[EK_F32] = {"f32", 4, 1},
	[EK_F64] = {"f64", 8, 2},
	[EK_INT32] = {"i32", 4, 0},
	[EK_INT64] = {"i64", 8, 0},
};

/* Returns the table row of a value type, or NULL if there is no such type. */
static inline const eki_value_type *eki_value_type_of(ek_value value)
{
	const size_t count = sizeof eki_value_types / sizeof *eki_value_types;

	return (size_t)value < count && eki_value_types[value].name ? &eki_value_types[value]
	                                                            : NULL;
}

/* Returns the size of a value in bytes. The type must exist. */
static inline int64_t eki_value_bytes(ek_value value)
{
	return eki_value_types[value].size;
}

/* Returns the position of this pair of types in tables of EK_NTYPE functions. */
static inline int eki_type(ek_value value, ek_index index)
{
	return (eki_value_types[value].matrix - 1) * EK_NINDEX + ((int)index - 1);
}

/* A number of any value type. `im` is its imaginary part, which is 0 for real types. EK_SCALAR
 * (base/for_each.h) rounds the number to the type VAL. */
typedef struct eki_scalar {
	double re, im;
} eki_scalar;

static inline eki_scalar eki_real(double re)
{
	return (eki_scalar){re, 0};
}

/* Tells whether a scalar equals the real number `re`. */
static inline bool eki_is(eki_scalar s, double re)
{
	return s.re == re && s.im == 0;
}

#endif
