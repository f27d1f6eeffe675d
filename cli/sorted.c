/* SPDX-License-Identifier: BSD-3-Clause
 * Sorts the rows of a copy of a result: as the library reads arrays of others, not as it sorts its
 * own, so that a mistake of the latter is seen. */
#include "sorted.h"

ek_status sorted_copy(ek_context *ctx, const ek_matrix *C, ek_matrix **copy, int64_t *twice)
{
	static const char *const names[] = {"row_ptr", "col_idx", "val"};
	ek_matrix_info info = {.size = sizeof info}, now = {.size = sizeof now};
	ek_view view[3];
	ek_status status = ek_matrix_get_info(C, &info);

	for (int k = 0; k < 3 && status == EK_OK; k++) {
		view[k] = (ek_view){.size = sizeof *view};
		status = ek_matrix_array(C, names[k], &view[k]);
	}
	if (status == EK_OK)
		status = ek_matrix_from_csr(ctx, info.value, info.index, info.rows, info.cols,
		                            view[0].data, view[1].data, view[2].data,
		                            EK_COPY | EK_DUP_SUM, copy);
	if (status == EK_OK && (status = ek_matrix_get_info(*copy, &now)) == EK_OK)
		*twice = info.nnz - now.nnz;
	return status;
}
