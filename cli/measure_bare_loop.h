/* SPDX-License-Identifier: BSD-3-Clause
 * The text of the bare loop, included by measure_bare.c once for each type: NAME, VAL, PTR and IDX
 * are defined before and forgotten after. */

static void NAME(const struct bare_loop *b)
{
	const PTR *row_ptr = b->row_ptr;
	const IDX *col_idx = b->col_idx;
	const VAL *val = b->val, *x = b->x;
	VAL *y = b->y;

	for (int64_t i = 0; i < b->rows; i++) {
		VAL sum = 0;

		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			sum += val[k] * x[col_idx[k]];
		y[i] = sum;
	}
}

#undef NAME
#undef VAL
#undef PTR
#undef IDX
