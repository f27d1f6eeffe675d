/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on CSR, the reference. For each row of C, one thread lists all products, sorts them by
 * column, stably, and adds up those of the same column in order. Cost: the time to sort all
 * products, and memory for those of one row, for any number of columns. Gustavson 1978. */
#include "prim_body/sort.h"
#include "spgemm/output.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/csr_serial.c"
#include "base/for_each.h"

#if EK_PER_TYPE
#include "spgemm/scaled.h"

#define LISTED FN(listed)

/* Products with their columns. */
typedef struct LISTED {
	IDX *col;
	VAL *val;
	int64_t n;
} LISTED;

static void FN(list_add)(LISTED *to, SCALED row)
{
	for (int64_t k = 0; k < row.n; k++) {
		to->col[to->n] = row.col[k];
		to->val[to->n++] = row.val ? row.a * row.val[k] : 0;
	}
}

/* Lists the entries of row i of beta D, then the products of row i. */
static void FN(list_row)(LISTED *list, const eki_rows_task *t, int64_t i)
{
	const ek_store *A = t->step->in[0], *B = t->step->in[1], *D = t->step->in[2];
	const PTR *a_ptr = A->array[CSR_PTR];
	const IDX *a_col = A->array[CSR_COL];
	const VAL *a_val = A->array[CSR_VAL];
	const VAL alpha = EK_SCALAR(t->run->alpha), beta = EK_SCALAR(t->run->beta);
	const bool read = eki_reads_factors(t->run);

	list->n = 0;
	if (D)
		FN(list_add)(list, FN(scaled_of)(D, i, beta, eki_reads_addend(t->run)));
	for (PTR k = a_ptr[i]; k < a_ptr[i + 1]; k++) {
		const VAL a = read ? alpha * a_val[k] : 0;

		FN(list_add)(list, FN(scaled_of)(B, a_col[k], a, read));
	}
}

static int64_t FN(serial_rows)(const eki_rows_task *t, char *scratch, int64_t most)
{
	const eki_pair_kind kind = {.key = sizeof(IDX), .value = sizeof(VAL)};
	LISTED list = {.val = (VAL *)scratch, .col = (IDX *)(scratch + 2 * most * 8)};
	const eki_pair_at pairs = {list.col, (char *)list.val};
	const eki_pair_at other = {list.col + most, (char *)(list.val + most)};
	IDX *col = t->col;
	VAL *val = t->val;
	int64_t all = 0;

	for (int64_t i = t->begin; i < t->end; i++) {
		int64_t n = 0;

		FN(list_row)(&list, t, i);
		eki_sort_pairs(list.n, pairs, other, kind);
		for (int64_t k = 0; k < list.n; n++) {
			const IDX j = list.col[k];
			VAL sum = 0;

			for (; k < list.n && list.col[k] == j; k++)
				sum += list.val[k];
			if (t->mode == EKI_ROWS_MAKE)
				col[all + n] = j;
			if (t->mode != EKI_ROWS_COUNT)
				val[all + n] = sum;
		}
		if (t->lengths)
			eki_ptr_set(t->lengths, i + 1, n);
		all += n;
	}
	return all;
}

#undef LISTED
#undef SCALED
#endif
#if EK_ONCE

typedef struct serial {
	eki_batches batches;
	int64_t list;
} serial;

typedef int64_t rows_fn(const eki_rows_task *, char *, int64_t);

static int64_t rows(const eki_rows_task *t)
{
	static rows_fn *const fn[EK_NTYPE] = EK_BY_TYPE(serial_rows);
	const serial *s = t->step->state;
	const ek_store *A = t->step->in[0];

	return fn[eki_type(A->value, A->index)](t, t->run->scratch + s->list,
	                                        s->batches.row_products);
}

static ek_status prepare(eki_step *step)
{
	serial *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_batches_make(step, EKI_PRODUCT, INT64_MAX / 16, &s->batches));
	step->state = s;
	return eki_step_scratch(step, eki_times(s->batches.row_products, 4), 8, &s->list);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const serial *s = step->state;

	return eki_output(step, v, &s->batches, &(eki_batch_buffers){0}, rows);
}

const ek_method ek_spgemm_csr_serial = {
	.name = "spgemm.csr.serial",
	.text = "lists the products of a row, sorts and adds them, one thread: the reference",
	.source = "Gustavson 1978",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL,
	.prepare = prepare,
	.run = run,
};

#endif
