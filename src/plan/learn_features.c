/* SPDX-License-Identifier: BSD-3-Clause
 * The features of a matrix that SMAT takes (Li, Tan, Chen and Sun 2013, Table 2): row lengths,
 * diagonals, how full DIA and ELL would be, and whether the row lengths follow a power law.
 *
 * Diagonals are counted in one pass over the columns, with a counter for each, which takes some
 * products; a matrix with far more diagonals than entries is none for DIA, and they are not
 * counted. The exponent of the power law is the slope of a straight line through the points (log k,
 * log of the rows with k entries), by least squares, where lengths are taken together in ranges
 * from a power of two to the next. */
#include <math.h>

#include "plan/plan.h"

enum { RANGES = 64 };

/* ---- Diagonals ------------------------------------------------------------------------------- */

/* Returns the length of the diagonal with that many columns to the right of the main one. */
static int64_t length_of(const ek_store *csr, int64_t right)
{
	const int64_t first = right < 0 ? -right : 0, rows = csr->rows - first;
	const int64_t cols = csr->cols - (right > 0 ? right : 0);

	return rows < cols ? rows : cols;
}

/* Sets the numbers of diagonals by counts, of which diagonal 1 - rows is the first. */
static void count(const ek_store *csr, int32_t *entries, double *feature)
{
	const int64_t most = csr->rows + csr->cols - 1;
	double used = 0, full = 0;

	for (int64_t i = 0; i < csr->rows; i++)
		for (int64_t k = eki_ptr_at(csr, i); k < eki_ptr_at(csr, i + 1); k++)
			entries[eki_col_at(csr, k) - csr->base - i + csr->rows - 1]++;
	for (int64_t d = 0; d < most; d++) {
		used += entries[d] > 0;
		full += entries[d] > 0 &&
		        2 * (int64_t)entries[d] >= length_of(csr, d + 1 - csr->rows);
	}
	feature[EKI_LEARN_diagonals] = used;
	feature[EKI_LEARN_true_diagonals] = full / used;
}

static ek_status diagonals(const ek_context *ctx, const ek_store *csr, double *feature)
{
	const int64_t most = csr->rows + csr->cols - 1;
	void *entries;

	feature[EKI_LEARN_diagonals] = (double)most;
	feature[EKI_LEARN_true_diagonals] = 0;
	if (most > 4 * csr->nnz + 4096)
		return EK_OK;
	EK_RETURN_IF(eki_calloc(ctx, most, sizeof(int32_t), &entries));
	count(csr, entries, feature);
	eki_free(ctx, entries, most, sizeof(int32_t));
	return EK_OK;
}

/* ---- The power law --------------------------------------------------------------------------- */

/* Returns r, where the number of rows with k entries falls as k^-r. */
static double power(const ek_store *csr)
{
	double rows[RANGES] = {0}, x = 0, y = 0, xx = 0, xy = 0, n = 0;

	for (int64_t i = 0; i < csr->rows; i++) {
		const int64_t length = eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i);

		if (length > 0)
			rows[ilogb((double)length)]++;
	}
	for (int range = 0; range < RANGES; range++) {
		const double at = range,
			     share = log2(rows[range]) - range; /* a range has 2^range */

		if (!(rows[range] > 0))
			continue;
		n++;
		x += at;
		y += share;
		xx += at * at;
		xy += at * share;
	}
	const double wide = n * xx - x * x;

	return n >= 3 ? fmax(0, -(n * xy - x * y) / wide) : 0;
}

ek_status eki_learn_features(const ek_context *ctx, const ek_store *csr, int64_t calls, int threads,
                             double feature[EKI_LEARN_FEATURES])
{
	const double rows = (double)csr->rows, nnz = (double)csr->nnz;
	eki_features f = {.threads = threads};

	EK_RETURN_IF(eki_row_stats(ctx, csr, &f));
	EK_RETURN_IF(diagonals(ctx, csr, feature));
	feature[EKI_LEARN_rows] = rows;
	feature[EKI_LEARN_cols] = (double)csr->cols;
	feature[EKI_LEARN_nnz] = nnz;
	feature[EKI_LEARN_row_mean] = f.stats.row_mean;
	feature[EKI_LEARN_row_max] = (double)f.stats.row_max;
	feature[EKI_LEARN_row_stddev] = f.stats.row_stddev;
	feature[EKI_LEARN_er_dia] = nnz / (feature[EKI_LEARN_diagonals] * rows);
	feature[EKI_LEARN_er_ell] = nnz / ((double)f.stats.row_max * rows);
	feature[EKI_LEARN_power] = power(csr);
	feature[EKI_LEARN_calls] = (double)calls;
	feature[EKI_LEARN_threads] = threads;
	feature[EKI_LEARN_value_bytes] = (double)eki_value_bytes(csr->value);
	return EK_OK;
}
