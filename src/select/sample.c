/* SPDX-License-Identifier: BSD-3-Clause
 * What a sample of the columns tells about shared shapes of rows and about locality: 64 stretches
 * of 32 consecutive rows, at most some 200,000 entries, so that choosing stays far below one
 * product. A row counts as repeating if its columns are those of one of the four rows before it,
 * moved. The stretches lie evenly, so the answer is the same on every machine. */
#include "core/ek_core.h"
#define EK_TYPES_ONLY
#define EK_FILE "select/sample.c"
#include "core/for_each.h"

#ifndef EK_SAMPLE_STATE
#define EK_SAMPLE_STATE
enum { STRETCHES = 64, STRETCH = 32, BACK = 4, MOST_ENTRIES = 200000, FAR = 16384 };

typedef struct sample {
	int64_t entries, repeated, run, narrow, far;
} sample;
#endif

#if EK_PER_TYPE

static bool FN(moved)(const IDX *a, const IDX *b, int64_t n)
{
	for (int64_t k = 1; k < n; k++)
		if (b[k] - b[0] != a[k] - a[0])
			return false;
	return true;
}

static void FN(sample_rows)(const ek_store *A, int64_t begin, int64_t end, sample *s)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];

	for (int64_t i = begin; i < end && s->entries < MOST_ENTRIES; i++) {
		int64_t n = row_ptr[i + 1] - row_ptr[i];
		int64_t diagonal = (int64_t)((double)i / (double)A->rows * (double)A->cols);
		bool repeated = false, run = false;

		if (n == 0) /* then col_idx may be NULL */
			continue;
		const IDX *col = col_idx + row_ptr[i];

		for (int64_t b = i - 1; b >= 0 && b >= i - BACK && !repeated; b--)
			repeated = row_ptr[b + 1] - row_ptr[b] == n &&
			           FN(moved)(col_idx + row_ptr[b], col, n);
		if (i > 0 && repeated && row_ptr[i] - row_ptr[i - 1] == n)
			run = col[0] == col_idx[row_ptr[i - 1]] + 1;
		for (int64_t k = 0; k < n; k++)
			s->far += col[k] - diagonal > FAR || diagonal - col[k] > FAR;
		s->entries += n;
		s->run += run ? n : 0;
		s->repeated += repeated ? n : 0;
		s->narrow += col[n - 1] >= col[0] && col[n - 1] - col[0] <= UINT16_MAX ? n : 0;
	}
}

#endif
#if EK_ONCE

typedef void sample_fn(const ek_store *, int64_t, int64_t, sample *);

void eki_sample_shapes(const ek_store *csr, eki_features *f)
{
	static sample_fn *const rows[EK_NTYPE] = EK_BY_TYPE(sample_rows);
	sample_fn *fn = rows[eki_type(csr->value, csr->index)];
	sample s = {0};

	if (csr->rows <= STRETCHES * STRETCH)
		fn(csr, 0, csr->rows, &s);
	else
		for (int k = 0; k < STRETCHES; k++) {
			int64_t begin = (csr->rows - STRETCH) / (STRETCHES - 1) * k;

			fn(csr, begin, begin + STRETCH, &s);
		}
	if (s.entries) {
		double entries = (double)s.entries;

		f->repeat_share = (double)s.repeated / entries;
		f->run_share = (double)s.run / entries;
		f->narrow_share = (double)s.narrow / entries;
		f->far_share = (double)s.far / entries;
	}
}

#endif
