/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmm: Y = alpha op(A) X + beta Y with blocks of vectors, method by method, for each
 * width and order of the blocks. A block is compared with one product for each of its k columns,
 * which are then in separate vectors: k products of plain CSR, which are the unit of the ratios,
 * and k products of what auto chooses. The bound is the time of reading A, X and Y once, as for
 * spmv. */
#include "spmv.h"

/* Measures all shapes with a matrix. A wrong result does not end this; any other failure does. */
static int matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	const struct list *widths = &b->o.columns, *orders = &b->o.order;
	int code = TOOL_OK;

	for (int k = 0; k < orders->count * widths->count; k++) {
		const int64_t order = orders->value[k / widths->count];
		const struct shape shape = {
			.width = widths->value[k % widths->count],
			.x_order = order & X_BY_ROWS ? EK_ROW_MAJOR : EK_COL_MAJOR,
			.y_order = order & Y_BY_ROWS ? EK_ROW_MAJOR : EK_COL_MAJOR};
		const int this = product_measure(b, source, A, &shape);

		code = this ? this : code;
		if (this && this != TOOL_FAILED)
			break;
	}
	return code;
}

const struct operation bench_spmm = {
	.name = "spmm",
	.text = "Y = alpha op(A) X + beta Y with dense blocks, the same way",
	.help = "Times the product Y = alpha op(A) X + beta Y with dense blocks, method by method, "
		"in turn and in rounds of under a second, and compares it with one product for "
		"each column, with other libraries and with the read bandwidth of the memory. "
		"Every result is checked first.\v"
		"Example: ek bench spmm cant.mtx --columns 1,8,32 --order row,col --peers\n"
		"k*spmv.csr.rows, the unit of the ratios, and k*spmv.auto multiply the columns "
		"one by one, in vectors of their own. Exit status 1: a result was wrong.",
	.options = PRODUCT_OPTIONS " k_best columns order",
	.defaults = "time=3 columns=8 order=row",
	.children = product_children,
	.check = check_matrices,
	.fields = PRODUCT_FIELDS " columns order",
	.problem = "cases",
	.traits = BLOCKS,
	PRODUCT_MEASURED,
	PRODUCT_SHOWN,
	.matrix = matrix,
	.operation = EK_SPMM,
	.heading = "Sparse matrix times dense blocks, method by method",
};
