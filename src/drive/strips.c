/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the columns of strips, in which the parts of drive.c add up transposed products, and
 * predicts whether strips are worth their time. */
#include "drive/drive.h"
#define EK_TYPES_ONLY
#define EK_FILE "drive/strips.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(strip_span)(const void *index, int64_t begin, int64_t end, int64_t span[2])
{
	const IDX *col_idx = index;
	IDX low = begin < end ? col_idx[begin] : 0, high = begin < end ? low : -1;

	for (int64_t k = begin; k < end; k++) {
		low = col_idx[k] < low ? col_idx[k] : low;
		high = col_idx[k] > high ? col_idx[k] : high;
	}
	span[0] = low;
	span[1] = (int64_t)high + 1;
}

#endif
#if EK_ONCE

typedef void range_fn(const void *, int64_t, int64_t, int64_t *);

void eki_span(const ek_store *A, int array, int64_t begin, int64_t end, int64_t span[2])
{
	static range_fn *const range[EK_NTYPE] = EK_BY_TYPE(strip_span);

	range[eki_type(A->value, A->index)](A->array[array], begin, end, span);
	if (begin < end) {
		span[0] -= A->base;
		span[1] -= A->base;
	}
}

bool eki_strips_are_long(const eki_step *step, double columns)
{
	const eki_machine *m = step->ctx->machine;
	const ek_store *A = step->in[0];
	const int type = eki_value_types[A->value].matrix - 1;
	const double entry = m->speed[EKI_LOOP_SCATTER][type][eki_isa_row(step->isa)].entry;

	return step->ctx->small_work > 0 &&
	       3 * m->strip * columns > (step->parts - 1) * entry * (double)A->nnz;
}

double eki_cost_strips(const eki_features *f, double bytes, double rows, double places)
{
	const double strips = (double)f->stats.cols * (f->threads > 1 ? 3 * f->threads : 1);

	return eki_cost(f, bytes + strips * (double)ek_value_size(f->value),
	                eki_work(f, EKI_LOOP_SCATTER, rows, places) + f->machine->strip * strips);
}

double eki_cost_units(const eki_features *f, eki_loop loop)
{
	const double rows = (double)f->stats.rows, places = eki_places(f);
	const double bytes = eki_format_bytes(f);

	return f->machine->call +
	       (f->op == EK_OP_N ? eki_cost(f, bytes, eki_work(f, loop, rows, places))
	                         : eki_cost_strips(f, bytes, rows, places));
}

#endif
