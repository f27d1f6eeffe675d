/* SPDX-License-Identifier: BSD-3-Clause
 * Computes y = alpha (A_1 + A_2 + ...) x + beta y0 part by part: first y = alpha A_1 x + beta y0,
 * then y = alpha A_p x + y for each further part p. Each part is multiplied by a child of the step.
 * A method that goes entry by entry touches only the rows in which its part has entries, so a part
 * of a few entries costs little.
 *
 * Rounding: let part p have k_p of the k entries of a row. A term of part p is rounded in at most
 * k_p - 1 additions within the part, in two multiplications, in the addition of beta y or of the y
 * so far, and in one addition for each later part with entries in the row. The number of such parts
 * is at most k - k_p; adding the 0 of other parts is exact. In total that is at most k + 2
 * roundings, as in one product. If alpha is Inf or NaN, or if alpha times the sum of a part
 * overflows, y may become NaN where a single product gives Inf. */
#include "spmv/compose.h"

#include "format/coo.h"

/* Counts the bytes of x and y that the product with a part moves. The first part moves all of x and
 * y. Each further part moves, for each of its entries, at most one value of x and two of y. */
static int64_t vector_bytes(const eki_step *step, int64_t nnz, bool first)
{
	const int64_t x = step->x_len < nnz || first ? step->x_len : nnz;
	const int64_t y = step->y_len < nnz || first ? step->y_len : nnz;

	return (x + (first ? y : 2 * y)) * (int64_t)ek_value_size(step->in[0]->value);
}

static ek_status prepare_part(eki_step *step, const ek_store *part)
{
	eki_step *child = eki_step_child(step, part, step->op[0]);

	child->bytes = eki_store_bytes(part) + vector_bytes(step, part->nnz, step->children == 1);
	EK_RETURN_IF(eki_step_choose(child));
	EK_RETURN_IF(eki_step_prepare(child));
	step->bytes += child->bytes;
	return eki_step_say(step, "         %-5s %12lld entries, %12lld bytes, %s\n",
	                    part->format->name, (long long)part->nnz, (long long)child->bytes,
	                    child->method->name);
}

ek_status eki_compose_prepare(eki_step *step, const ek_store *part, int count)
{
	ek_store *own;

	EK_RETURN_IF(eki_step_alloc(step, count, sizeof *own, &own));
	EK_RETURN_IF(eki_step_children(step, count));
	step->bytes = 0;
	for (int k = 0; k < count; k++) {
		own[k] = part[k];
		if (part[k].nnz > 0)
			EK_RETURN_IF(prepare_part(step, &own[k]));
	}
	return EK_OK;
}

double eki_compose_cost(const eki_features *f, const ek_store *part, int count, unsigned backend)
{
	double sum = 0;

	for (int k = 0; k < count; k++) {
		const bool csr = part[k].format == &ek_format_csr;
		eki_features one = *f;

		if (!part[k].format)
			continue;
		one.store = &part[k];
		one.stats.nnz = part[k].nnz ? part[k].nnz : (int64_t)eki_places(&one);
		/* A part in coordinates touches only the lines that its entries need. */
		if (part[k].format == &ek_format_coo) {
			const int64_t n = one.stats.nnz;
			const int64_t line = 64 / (int64_t)ek_value_size(f->value);

			one.stats.rows = one.stats.rows < n ? one.stats.rows : n;
			one.stats.cols = one.stats.cols / line < n ? one.stats.cols : n * line;
		}
		if (csr) {
			one.csr_bytes = eki_format_bytes(&one);
			one.store = NULL;
		}
		if (one.stats.nnz)
			sum += eki_least_cost(&one, EK_SPMV, backend);
	}
	return sum;
}

ek_status eki_compose_run(const eki_step *step, const eki_run *v)
{
	eki_run each = *v;

	for (int k = 0; k < step->children; k++) {
		EK_RETURN_IF(eki_step_run(&step->child[k], &each));
		each.beta = eki_real(1);
		each.y0 = each.y;
	}
	return EK_OK;
}
