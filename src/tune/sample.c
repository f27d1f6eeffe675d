/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices to measure with. Columns are near the diagonal, at random, so that x comes from the
 * core's cache but no two rows have the same shape; or anywhere, where waits for x are measured. */
#include <math.h>

#include "tune/tune.h"

enum { WINDOW = 256 }; /* columns around the diagonal */

/* Returns the next random number below n (a linear congruential generator, Knuth's constants). */
static int draw(uint64_t *state, int n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int)((*state >> 33) % (uint64_t)n);
}

/* Fills `col` with `n` ascending columns of [begin, begin + width): one in each nth of the
 * range. */
static void spread(uint64_t *state, int begin, int width, int n, int32_t *col)
{
	for (int k = 0; k < n; k++) {
		const int from = (int)((int64_t)width * k / n),
			  to = (int)((int64_t)width * (k + 1) / n);

		col[k] = begin + from + draw(state, to - from);
	}
}

static int window_begin(const eki_pattern *p, int i, int width)
{
	const int at = (int)((int64_t)i * p->cols / p->rows) - width / 2, last = p->cols - width;

	return at < 0 ? 0 : at > last ? last : at;
}

static int row_even(const eki_pattern *p, int i, uint64_t *state, int32_t *col)
{
	const int width = p->cols < WINDOW ? p->cols : WINDOW;

	spread(state, window_begin(p, i, width), width, p->length, col);
	return p->length;
}

static int row_random(const eki_pattern *p, int i, uint64_t *state, int32_t *col)
{
	const int n = p->least + draw(state, p->length - p->least + 1);
	const int width = p->cols < WINDOW ? p->cols : WINDOW;

	spread(state, window_begin(p, i, width), width, n, col);
	return n;
}

static int row_bands(const eki_pattern *p, int i, uint64_t *state, int32_t *col)
{
	const int apart = p->least;
	int n = 0;

	(void)state;
	for (int k = 0; k < p->length; k++) {
		const int j = i + (k - p->length / 2) * apart;

		if (j >= 0 && j < p->cols)
			col[n++] = j;
	}
	return n;
}

/* All rows of a block row draw from the same state, and so have the same columns. */
static int row_squares(const eki_pattern *p, int i, uint64_t *state, int32_t *col)
{
	const int b = p->block, first = i / b * b;
	const int blocks = WINDOW / b < p->cols / b ? WINDOW / b : p->cols / b;
	uint64_t same = (uint64_t)first;
	int32_t block[WINDOW];

	(void)state;
	draw(&same, 2);
	spread(&same, window_begin(p, first, blocks * b) / b, blocks, p->length, block);
	for (int k = 0; k < p->length; k++)
		for (int c = 0; c < b; c++)
			col[k * b + c] = block[k] * b + c;
	return p->length * b;
}

static int row_scattered(const eki_pattern *p, int i, uint64_t *state, int32_t *col)
{
	(void)i;
	spread(state, 0, p->cols, p->length, col);
	return p->length;
}

static int (*const make_row[EKI_SHAPES])(const eki_pattern *, int, uint64_t *, int32_t *) = {
	[EKI_EVEN] = row_even,       [EKI_RANDOM] = row_random,       [EKI_BANDS] = row_bands,
	[EKI_SQUARES] = row_squares, [EKI_SCATTERED] = row_scattered, [EKI_FAR] = row_scattered,
};

/* Sets the size of a pattern whose vector does not fit its share (x_share) of the last-level cache:
 * half as large again as that cache, up to 128 MiB, with an entry for each line on average. */
static void set_far_size(eki_pattern *p, const eki_machine *m, size_t size)
{
	const double bytes = fmin(1.5 * m->cache_bytes, 128 << 20);

	p->cols = (int)(bytes / (double)size);
	p->rows = (int)(bytes / 64) / p->length;
}

ek_status eki_pattern_make(ek_context *ctx, const eki_pattern *pattern, ek_value value,
                           ek_matrix **A)
{
	const size_t size = ek_value_size(value);
	eki_pattern sized = *pattern, *p = &sized;

	if (p->shape == EKI_FAR)
		set_far_size(p, ctx->machine, size);
	const int64_t most = (int64_t)p->length * (p->block ? p->block : 1) * p->rows;
	void *row_ptr = NULL, *col_idx = NULL, *val = NULL;
	uint64_t state = 1;
	ek_status status;

	EK_TRY(eki_alloc(ctx, (int64_t)p->rows + 1, sizeof(int32_t), &row_ptr));
	EK_TRY(eki_alloc(ctx, most, sizeof(int32_t), &col_idx));
	EK_TRY(eki_alloc(ctx, most, size, &val));
	int32_t *ptr = row_ptr, *col = col_idx;

	ptr[0] = 0;
	for (int i = 0; i < p->rows; i++)
		ptr[i + 1] = ptr[i] + make_row[p->shape](p, i, &state, col + ptr[i]);
	for (int64_t k = 0; k < ptr[p->rows]; k++)
		if (value == EK_F64)
			((double *)val)[k] = 1;
		else
			((float *)val)[k] = 1;
	EK_TRY(ek_matrix_from_csr(ctx, value, EK_I32, p->rows, p->cols, ptr, col, val, EK_COPY, A));
done:
	eki_free(ctx, row_ptr, (int64_t)p->rows + 1, sizeof(int32_t));
	eki_free(ctx, col_idx, most, sizeof(int32_t));
	eki_free(ctx, val, most, size);
	return status;
}
