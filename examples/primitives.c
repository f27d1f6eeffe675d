/* SPDX-License-Identifier: BSD-3-Clause
 * Shows uses of the primitives on arrays: finds the odd columns of a sparse matrix (Liu 2015,
 * section 4.4.1) with a scan, the sums of its rows with a segmented sum, and the three rows with
 * the largest sums with a sort. */
#include <evenkeel/ek.h>
#include <stdio.h>

enum { ROWS = 6, NNZ = 17 };

static const int32_t row_ptr[ROWS + 1] = {0, 3, 8, 10, 12, 13, 17};
static const int32_t col_idx[NNZ] = {1, 2, 3, 0, 2, 3, 4, 5, 0, 4, 1, 2, 5, 1, 2, 3, 4};
static const double val[NNZ] = {3, 6, 10, 1, 7, 11, 14, 15, 2, 13, 4, 8, 16, 5, 9, 12, 17};

/* Prints the entries in odd columns. keep[k] is 1 for an entry to keep, else 0; the exclusive scan
 * of `keep` gives the new position of each kept entry. */
static ek_status odd_columns(ek_context *ctx)
{
	int32_t keep[NNZ], to[NNZ], kept_col[NNZ];
	double kept_val[NNZ];

	for (int k = 0; k < NNZ; k++)
		keep[k] = col_idx[k] % 2;

	ek_status status = ek_scan(ctx, NULL, EK_INT32, EK_SUM, EK_EXCLUSIVE, NNZ, keep, to);

	if (status != EK_OK)
		return status;
	for (int k = 0; k < NNZ; k++)
		if (keep[k]) {
			kept_col[to[k]] = col_idx[k] / 2;
			kept_val[to[k]] = val[k];
		}
	printf("odd columns:");
	for (int k = 0; k < to[NNZ - 1] + keep[NNZ - 1]; k++)
		printf(" %g@%d", kept_val[k], (int)kept_col[k]);
	printf("\n");
	return EK_OK;
}

/* Computes and prints the sum of each row. The row pointers serve as offsets of the segments. */
static ek_status row_sums(ek_context *ctx, double sum[ROWS])
{
	ek_segments rows = ek_segment_offsets(ROWS, EK_INT32, row_ptr);
	ek_status status = ek_segmented_sum(ctx, NULL, EK_F64, NNZ, val, &rows, sum);

	for (int i = 0; status == EK_OK && i < ROWS; i++)
		printf("%s%g", i ? " " : "row sums: ", sum[i]);
	return status;
}

/* Prints the three rows with the largest sums. The sort's keys are the sums; its values, which move
 * with the keys, are the row numbers. */
static ek_status largest_rows(ek_context *ctx, double sum[ROWS])
{
	int32_t row[ROWS];

	for (int32_t i = 0; i < ROWS; i++)
		row[i] = i;

	ek_pairs pairs = ek_key_value(EK_F64, sizeof *row, ROWS, sum, row);
	ek_status status = ek_sort(ctx, NULL, &pairs);

	printf("\nlargest rows:");
	for (int i = ROWS - 1; status == EK_OK && i >= ROWS - 3; i--)
		printf(" %d", (int)row[i]);
	printf("\n");
	return status;
}

int main(void)
{
	ek_context *ctx = NULL;
	double sum[ROWS];
	ek_status status = ek_context_create(NULL, &ctx);

	if (status == EK_OK)
		status = odd_columns(ctx);
	if (status == EK_OK)
		status = row_sums(ctx, sum);
	if (status == EK_OK)
		status = largest_rows(ctx, sum);
	if (status != EK_OK)
		fprintf(stderr, "%s\n", ek_error_text());
	ek_context_destroy(ctx);
	return status != EK_OK;
}
