/* SPDX-License-Identifier: BSD-3-Clause
 * What kernels of sparse products share: a line #include "spgemm_gpu/operands.cl" in a kernel is
 * replaced by this text (gpu/prelude.c). Compile-time parameters: VAL, PTR, IDX; HAS_D, 1 if a
 * matrix D is added.
 *
 * A row of C is a sum of lists: the row of D times beta, unless it is empty, and then the rows of B
 * that the entries of the row of A name, each times alpha and that entry. */
#ifndef EK_OPERANDS_CL
#define EK_OPERANDS_CL

/* The parameters of a kernel for the operands. Values of A and B are not read if alpha is 0, nor
 * those of D if beta is 0: then they count as 0. */
#define EK_PRODUCT_PARAMETERS                                                             \
	ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT a_ptr,                              \
		const EK_GLOBAL IDX *EK_RESTRICT a_col,                                   \
		const EK_GLOBAL VAL *EK_RESTRICT a_val,                                   \
		const EK_GLOBAL PTR *EK_RESTRICT b_ptr,                                   \
		const EK_GLOBAL IDX *EK_RESTRICT b_col,                                   \
		const EK_GLOBAL VAL *EK_RESTRICT b_val,                                   \
		const EK_GLOBAL PTR *EK_RESTRICT d_ptr,                                   \
		const EK_GLOBAL IDX *EK_RESTRICT d_col,                                   \
		const EK_GLOBAL VAL *EK_RESTRICT d_val, VAL alpha, VAL beta
/* The same as arguments, for functions with these parameters. */
#define EK_PRODUCT_ARGUMENTS \
	rows, a_ptr, a_col, a_val, b_ptr, b_col, b_val, d_ptr, d_col, d_val, alpha, beta

/* One list of a row. */
typedef struct ek_list {
	ek_i64 begin, n; /* its entries in the arrays of B, or of D */
	VAL factor;      /* 0 if values are not read */
	int of_d, reads; /* whether the entries are those of D; whether values are read */
} ek_list;

/* Returns the number of lists of row i. List 0 is that of D, which may be empty. */
EK_FN ek_i64 ek_lists(EK_PRODUCT_PARAMETERS, ek_i64 i)
{
	return a_ptr[i + 1] - a_ptr[i] + HAS_D;
}

/* Returns list k of row i. Values are not read unless `values` is true. */
EK_FN ek_list ek_list_at(EK_PRODUCT_PARAMETERS, ek_i64 i, ek_i64 k, int values)
{
	ek_list l;

	l.of_d = HAS_D && k == 0;
	if (l.of_d) {
		l.begin = d_ptr[i];
		l.n = d_ptr[i + 1] - l.begin;
		l.reads = values && !EK_IS_ZERO(beta);
		l.factor = l.reads ? beta : (VAL)0;
	} else {
		const ek_i64 e = a_ptr[i] + k - HAS_D;
		const IDX j = a_col[e];

		l.begin = b_ptr[j];
		l.n = b_ptr[j + 1] - l.begin;
		l.reads = values && !EK_IS_ZERO(alpha);
		l.factor = l.reads ? EK_MUL(alpha, a_val[e]) : (VAL)0;
	}
	return l;
}

/* Returns the column of entry e of a list. */
EK_FN IDX ek_list_col(EK_PRODUCT_PARAMETERS, ek_list l, ek_i64 e)
{
	return l.of_d ? d_col[l.begin + e] : b_col[l.begin + e];
}

/* Returns the product of entry e of a list and the list's factor. */
EK_FN VAL ek_list_product(EK_PRODUCT_PARAMETERS, ek_list l, ek_i64 e)
{
	if (!l.reads)
		return (VAL)0;
	return EK_MUL(l.factor, l.of_d ? d_val[l.begin + e] : b_val[l.begin + e]);
}

#endif
