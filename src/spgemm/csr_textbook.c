/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on CSR as textbooks have it: for each row of C, a dense array with one sum for each
 * column, and a list of the columns that the row has; the list is sorted, and the sums are read in
 * its order. The entries of C are counted first. Each thread has sums and marks for all columns.
 * Many libraries are slower than this, so it is measured beside the other methods.
 *
 * Gustavson 1978; Davis 2006, Direct Methods for Sparse Linear Systems, section 2.8. */
#include "prim_body/sort.h"
#include "spgemm/output.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/csr_textbook.c"
#include "base/for_each.h"

#if EK_PER_TYPE
#include "spgemm/scaled.h"
#define SUMS FN(sums)

/* Sums for all columns. mark[j] is 1 + the last row that has column j. */
typedef struct SUMS {
	VAL *sum;
	int64_t *mark;
	IDX *list;
	int64_t n, row;
} SUMS;

static inline void FN(sums_add)(SUMS *s, SCALED row)
{
	for (int64_t k = 0; k < row.n; k++) {
		const IDX j = row.col[k];

		if (s->mark[j] != s->row) {
			s->mark[j] = s->row;
			s->sum[j] = 0;
			s->list[s->n++] = j;
		}
		if (row.val)
			s->sum[j] += row.a * row.val[k];
	}
}

static void FN(sums_row)(SUMS *s, const eki_rows_task *t, int64_t i)
{
	const ek_store *A = t->step->in[0], *B = t->step->in[1], *D = t->step->in[2];
	const PTR *a_ptr = A->array[CSR_PTR];
	const IDX *a_col = A->array[CSR_COL];
	const VAL *a_val = A->array[CSR_VAL];
	const VAL alpha = EK_SCALAR(t->run->alpha), beta = EK_SCALAR(t->run->beta);
	const bool values = t->mode != EKI_ROWS_COUNT, read = values && eki_reads_factors(t->run);
	const bool read_d = values && eki_reads_addend(t->run);

	s->n = 0;
	s->row = i + 1;
	if (D)
		FN(sums_add)(s, FN(scaled_of)(D, i, beta, read_d));
	for (PTR k = a_ptr[i]; k < a_ptr[i + 1]; k++) {
		const VAL a = read ? alpha * a_val[k] : 0;

		FN(sums_add)(s, FN(scaled_of)(B, a_col[k], a, read));
	}
}

/* Computes rows with scratch for `cols` sums, `cols` marks and two lists of `most` columns. */
static int64_t FN(textbook_rows)(const eki_rows_task *t, char *scratch, int64_t cols, int64_t most)
{
	const eki_pair_kind kind = {.key = sizeof(IDX)};
	int64_t *mark = (int64_t *)scratch;
	FN(sums)
	s = {.mark = mark, .sum = (VAL *)(mark + cols), .list = (IDX *)(scratch + 16 * cols)};
	IDX *col = t->col;
	VAL *val = t->val;
	int64_t all = 0;

	if (t->fresh)
		memset(mark, 0, (size_t)cols * sizeof *mark);
	for (int64_t i = t->begin; i < t->end; i++) {
		FN(sums_row)(&s, t, i);
		if (t->mode != EKI_ROWS_COUNT) {
			eki_sort_pairs(s.n, (eki_pair_at){s.list, NULL},
			               (eki_pair_at){s.list + most, NULL}, kind);
			for (int64_t k = 0; k < s.n; k++) {
				if (t->mode == EKI_ROWS_MAKE)
					col[all + k] = s.list[k];
				val[all + k] = s.sum[s.list[k]];
			}
		}
		if (t->lengths)
			eki_ptr_set(t->lengths, i + 1, s.n);
		all += s.n;
	}
	return all;
}

#undef SUMS
#undef SCALED
#endif
#if EK_ONCE

typedef struct textbook {
	eki_batches batches;
	int64_t at, bytes; /* scratch, and its bytes for each thread */
} textbook;

typedef int64_t rows_fn(const eki_rows_task *, char *, int64_t, int64_t);

static int64_t rows(const eki_rows_task *t)
{
	static rows_fn *const fn[EK_NTYPE] = EK_BY_TYPE(textbook_rows);
	const textbook *s = t->step->state;
	const ek_store *A = t->step->in[0];

	return fn[eki_type(A->value, A->index)](
		t, t->run->scratch + s->at + (int64_t)t->part * s->bytes, t->step->in[1]->cols,
		s->batches.row_bound);
}

static ek_status prepare(eki_step *step)
{
	textbook *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_batches_make(step, EKI_PRODUCT, INT64_MAX / 16, &s->batches));
	step->state = s;
	s->bytes = eki_times(eki_plus(step->in[1]->cols, s->batches.row_bound), 16);
	return eki_step_scratch(step, eki_times(step->parts, s->bytes), 1, &s->at);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const textbook *s = step->state;

	return eki_output(step, v, &s->batches, &(eki_batch_buffers){0}, rows);
}

const ek_method ek_spgemm_csr_textbook = {
	.name = "spgemm.csr.textbook",
	.text = "sums for all columns, and a list of the columns of a row, which is sorted",
	.source = "Gustavson 1978; Davis 2006, section 2.8",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.prepare = prepare,
	.run = run,
};

#endif
