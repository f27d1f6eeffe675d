/* SPDX-License-Identifier: BSD-3-Clause
 * What the kernels of SpGEMM by bins share (csr_bins.c): a line #include "spgemm_gpu/bins_rows.cl"
 * in a kernel is replaced by this text (gpu/prelude.c). */
#ifndef EK_BINS_ROWS_CL
#define EK_BINS_ROWS_CL

/* What a launch writes: bits of the parameter `make` of all kernels. */
#define MAKE_COL    1
#define MAKE_VAL    2
#define MAKE_LENGTH 4

/* Further parameters of the kernels for the rows of a bin, which are row[first] ... row[first +
 * count - 1]. The entries of row i of C go to places at[i] ... of `col` and `val`, and their number
 * to length[i]. */
#define EK_BIN_PARAMETERS                                                                         \
	ek_i64 first, ek_i64 count, const EK_GLOBAL ek_i64 *EK_RESTRICT row,                      \
		const EK_GLOBAL ek_i64 *EK_RESTRICT at, int make, EK_GLOBAL IDX *EK_RESTRICT col, \
		EK_GLOBAL VAL *EK_RESTRICT val, EK_GLOBAL ek_i64 *EK_RESTRICT length

#endif
