/* SPDX-License-Identifier: BSD-3-Clause
 * SpAdd on CSR: each row of C is the merge of a row of A and a row of B, entry after entry, with a
 * comparison for each (Gustavson 1978). "spadd.csr.serial", the reference, counts the entries of C,
 * then fills it, on one thread. In "spadd.csr.batches" threads take batches of rows, and C is made
 * in one pass (spgemm/output.c). */
#include <string.h>

#include "spgemm/output.h"
#define EK_TYPES_ONLY
#define EK_FILE "spadd/csr_serial.c"
#include "base/for_each.h"

#if EK_PER_TYPE
#include "spgemm/scaled.h"

/* Merges the columns of two rows. Returns the number of different columns. `col` may be NULL. */
static int64_t FN(merge_columns)(const IDX *a, int64_t a_n, const IDX *b, int64_t b_n, IDX *col)
{
	int64_t i = 0, j = 0, n = 0;

	for (; i < a_n && j < b_n; n++) {
		const IDX p = a[i], q = b[j];

		if (col)
			col[n] = p < q ? p : q;
		i += p <= q;
		j += q <= p;
	}
	if (col && a_n > i)
		memcpy(col + n, a + i, (size_t)(a_n - i) * sizeof *col);
	if (col && b_n > j)
		memcpy(col + n, b + j, (size_t)(b_n - j) * sizeof *col);
	return n + (a_n - i) + (b_n - j);
}

/* Writes the values of a row of n entries, whose columns are known: the sums of the values of both
 * rows. */
static void FN(add_values)(const IDX *col, int64_t n, SCALED a, SCALED b, VAL *val)
{
	int64_t i = 0, j = 0;

	for (int64_t k = 0; k < n; k++) {
		const bool in_a = i < a.n && a.col[i] == col[k];
		const bool in_b = j < b.n && b.col[j] == col[k];
		const VAL p = in_a && a.val ? a.a * a.val[i] : 0;
		const VAL q = in_b && b.val ? b.a * b.val[j] : 0;

		val[k] = p + q;
		i += in_a;
		j += in_b;
	}
}

static int64_t FN(merge_rows)(const eki_rows_task *t)
{
	const ek_store *A = t->step->in[0], *B = t->step->in[1];
	const VAL alpha = EK_SCALAR(t->run->alpha), beta = EK_SCALAR(t->run->beta);
	int64_t all = 0;

	for (int64_t i = t->begin; i < t->end; i++) {
		const SCALED a = FN(scaled_of)(A, i, alpha, alpha != 0);
		const SCALED b = FN(scaled_of)(B, i, beta, beta != 0);
		IDX *col = t->mode == EKI_ROWS_COUNT ? NULL : (IDX *)t->col + all;
		int64_t n;

		if (t->mode == EKI_ROWS_VALUES)
			n = eki_ptr_at(t->run->C, i + 1) - eki_ptr_at(t->run->C, i);
		else
			n = FN(merge_columns)(a.col, a.n, b.col, b.n, col);
		if (t->mode != EKI_ROWS_COUNT)
			FN(add_values)(col, n, a, b, (VAL *)t->val + all);
		if (t->lengths)
			eki_ptr_set(t->lengths, i + 1, n);
		all += n;
	}
	return all;
}

#undef SCALED
#endif
#if EK_ONCE

enum { ENTRIES = 1 << 15 }; /* maximum number of entries of a batch */

typedef struct merge {
	eki_batches batches;
	eki_batch_buffers buffers;
} merge;

static int64_t rows(const eki_rows_task *t)
{
	static eki_rows_fn *const fn[EK_NTYPE] = EK_BY_TYPE(merge_rows);
	const ek_store *A = t->step->in[0];

	return fn[eki_type(A->value, A->index)](t);
}

static ek_status prepare(eki_step *step)
{
	merge *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	s->buffers = (eki_batch_buffers){0};
	step->state = s;
	return eki_batches_make(step, EKI_SUM, ENTRIES, &s->batches);
}

/* Prepares buffers too, so that C is made in one pass. */
static ek_status prepare_buffers(eki_step *step)
{
	merge *s;

	EK_RETURN_IF(prepare(step));
	s = step->state;
	step->parts = eki_output_parts(step, &s->batches);
	return eki_output_buffers(step, &s->batches, &s->buffers);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const merge *s = step->state;

	return eki_output(step, v, &s->batches, &s->buffers, rows);
}

/* Predicts the time of one pass over A and B and one over C. */
static double cost(const eki_features *f)
{
	return eki_work_csr(f, EKI_LOOP_MERGE);
}

const ek_method ek_spadd_csr_serial = {
	.name = "spadd.csr.serial",
	.text = "merges the rows of A and B, one thread: the reference",
	.source = "Gustavson 1978",
	.operation = EK_SPADD,
	.format = {&ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL,
	.prepare = prepare,
	.run = run,
};

const ek_method ek_spadd_csr_batches = {
	.name = "spadd.csr.batches",
	.text = "merges the rows of A and B in batches, and makes C in one pass",
	.source = "Gustavson 1978; Liu 2015, section 2.3.3",
	.operation = EK_SPADD,
	.format = {&ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.cost = cost,
	.prepare = prepare_buffers,
	.run = run,
};

#endif
