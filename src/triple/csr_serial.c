/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products, the reference. For each row of C, one thread lists all products of three
 * entries, sorts them by column, stably, and adds up those of the same column in order. Cost: the
 * time to sort all products, and memory for those of one row. */
#include "prim_body/sort.h"
#include "spgemm/output.h"
#include "triple/triple.h"
#define EK_TYPES_ONLY
#define EK_FILE "triple/csr_serial.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Returns the number of products of the row of C that has the most. */
static int64_t FN(triple_most)(const eki_triple *t)
{
	const PTR *r_ptr = t->R->array[CSR_PTR], *a_ptr = t->A->array[CSR_PTR];
	const PTR *p_ptr = t->P->array[CSR_PTR];
	const IDX *r_col = t->R->array[CSR_COL], *a_col = t->A->array[CSR_COL];
	int64_t most = 0;

	for (int64_t i = 0; i < t->R->rows; i++) {
		int64_t n = 0;

		for (PTR k = r_ptr[i]; k < r_ptr[i + 1]; k++)
			for (PTR e = a_ptr[r_col[k]]; e < a_ptr[r_col[k] + 1]; e++)
				n += p_ptr[a_col[e] + 1] - p_ptr[a_col[e]];
		most = n > most ? n : most;
	}
	return most;
}

/* Lists the products of row i. Returns their number. */
static int64_t FN(triple_list)(const eki_triple *t, const eki_run *v, int64_t i, IDX *col, VAL *val)
{
	const PTR *r_ptr = t->R->array[CSR_PTR], *a_ptr = t->A->array[CSR_PTR];
	const PTR *p_ptr = t->P->array[CSR_PTR];
	const IDX *r_col = t->R->array[CSR_COL], *a_col = t->A->array[CSR_COL];
	const IDX *p_col = t->P->array[CSR_COL];
	const VAL *r_val = t->R->array[CSR_VAL], *a_val = t->A->array[CSR_VAL];
	const VAL *p_val = t->P->array[CSR_VAL], alpha = EK_SCALAR(v->alpha);
	const bool read = eki_reads_factors(v);
	int64_t n = 0;

	for (PTR k = r_ptr[i]; k < r_ptr[i + 1]; k++)
		for (PTR e = a_ptr[r_col[k]]; e < a_ptr[r_col[k] + 1]; e++) {
			const VAL a = read ? alpha * r_val[k] * a_val[e] : 0;

			for (PTR q = p_ptr[a_col[e]]; q < p_ptr[a_col[e] + 1]; q++) {
				col[n] = p_col[q];
				val[n++] = read ? a * p_val[q] : 0;
			}
		}
	return n;
}

static int64_t FN(triple_serial)(const eki_rows_task *task, const eki_triple *t, char *scratch,
                                 int64_t most)
{
	const eki_pair_kind kind = {.key = sizeof(IDX), .value = sizeof(VAL)};
	VAL *list_val = (VAL *)(void *)scratch, *val = task->val;
	IDX *list = (IDX *)(void *)(scratch + 2 * most * 8), *col = task->col;
	int64_t all = 0;

	for (int64_t i = task->begin; i < task->end; i++) {
		const int64_t count = FN(triple_list)(t, task->run, i, list, list_val);
		int64_t n = 0;

		eki_sort_pairs(count, (eki_pair_at){list, (char *)list_val},
		               (eki_pair_at){list + most, (char *)(list_val + most)}, kind);
		for (int64_t k = 0; k < count; n++) {
			const IDX j = list[k];
			VAL sum = 0;

			for (; k < count && list[k] == j; k++)
				sum += list_val[k];
			if (task->mode == EKI_ROWS_MAKE)
				col[all + n] = j;
			if (task->mode != EKI_ROWS_COUNT)
				val[all + n] = sum;
		}
		if (task->lengths)
			eki_ptr_set(task->lengths, i + 1, n);
		all += n;
	}
	return all;
}

#endif
#if EK_ONCE

typedef struct serial {
	eki_triple t;
	eki_batches batches;
	int64_t rows[2], most, list;
} serial;

typedef int64_t most_fn(const eki_triple *);
typedef int64_t rows_fn(const eki_rows_task *, const eki_triple *, char *, int64_t);

static int64_t rows(const eki_rows_task *t)
{
	static rows_fn *const fn[EK_NTYPE] = EK_BY_TYPE(triple_serial);
	const serial *s = t->step->state;

	return fn[eki_type(s->t.A->value, s->t.A->index)](t, &s->t, t->run->scratch + s->list,
	                                                  s->most);
}

static ek_status prepare(eki_step *step)
{
	static most_fn *const most[EK_NTYPE] = EK_BY_TYPE(triple_most);
	serial *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	EK_RETURN_IF(eki_triple_open(step, &s->t));
	step->state = s;
	step->in[0] = s->t.R; /* gives C its rows */
	step->in[1] = s->t.P; /* gives C its columns */
	s->most = most[eki_type(s->t.A->value, s->t.A->index)](&s->t);
	s->rows[1] = s->t.R->rows;
	s->batches = (eki_batches){.count = 1, .begin = s->rows};
	return eki_step_scratch(step, eki_times(s->most, 4), 8, &s->list);
}

static ek_status refresh(eki_step *step)
{
	serial *s = step->state;

	eki_triple_refresh(step, &s->t);
	return EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const serial *s = step->state;

	return eki_output(step, v, &s->batches, &(eki_batch_buffers){0}, rows);
}

const ek_method ek_triple_csr_serial = {
	.name = "triple.csr.serial",
	.text = "lists all products of a row, sorts and adds them, one thread: the reference",
	.source = "the definition",
	.operation = EK_TRIPLE,
	.format = {&ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
