/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by segmented sum, as published: (1) a flag for each entry that begins a row, (2) an
 * array of all products, (3) the segmented sum of the products, whose results stay where the
 * segments begin, (4) a gather of these results to y, and zero for empty rows.
 *
 * Entries are cut evenly between the threads whatever the rows are. A part sums its segments on its
 * own; what it finds before its first flag belongs to the segment that is open at its left end, and
 * is handed over when all parts are done, from left to right. Flags depend on the pattern alone and
 * are made when the plan is.
 *
 * Cost: the products go to memory and back twice, and with the flags 33 bytes an entry (floats: 17)
 * come on top of CSR's 12 (8): what the thesis finds, and why later methods fuse the steps.
 * Rounding: a row in c parts has at least c - 1 entries outside the first, so a term passes at most
 * k - 1 additions.
 *
 * Blelloch, Heroux, Zagha 1993; Liu 2015, Algorithms 12 and 30. */
#include "spmv/segments.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/csr_segsum.c"
#include "core/for_each.h"

#if EK_PER_TYPE

/* Step 3 for one part: Algorithm 12, with the bound of the array tested before the flag. */
static void FN(segsum_sum)(eki_segments *s, int part, int64_t begin, int64_t end)
{
	const uint8_t *flag = s->bit_flag;
	VAL *product = s->product, head = 0;
	int64_t k = begin, last = -1;

	for (; k < end && !flag[k]; k++)
		head += product[k];
	while (k < end) {
		VAL sum = product[k];

		last = k;
		for (k++; k < end && !flag[k]; k++)
			sum += product[k];
		product[last] = sum;
	}
	((VAL *)s->open)[part] = head;
	s->flag[part] = last;
}

/* Hands what parts found before their first flag to the segment that was open there. */
static void FN(segsum_join)(eki_segments *s, int parts)
{
	VAL *product = s->product, *head = s->open;
	int64_t open = -1;

	for (int part = 0; part < parts; part++) {
		if (open >= 0)
			product[open] += head[part];
		if (s->flag[part] >= 0)
			open = s->flag[part];
	}
}

#endif
#if EK_ONCE

typedef void join_fn(eki_segments *, int);

static ek_status run(const ek_plan *p, const ek_args *args)
{
	static eki_segments_fn *const sum[EK_NTYPE] = EK_BY_TYPE(segsum_sum);
	static join_fn *const join[EK_NTYPE] = EK_BY_TYPE(segsum_join);
	int type = eki_type(p->store->value, p->store->index);

	eki_segments_multiply(p, args);
	eki_segments_each(p, sum[type]);
	join[type](p->state, p->parts);
	eki_segments_collect(p, args, false);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz;

	return eki_cost(f, f->csr_bytes + (1 + 4.0 * (double)ek_value_size(f->value)) * nnz,
	                2.5 * nnz + 1.5 * (double)f->stats.rows);
}

const ek_method ek_spmv_csr_segsum = {
	.name = "spmv.csr.segsum",
	.text = "segmented sum over flags and products, as published",
	.source = "Liu 2015, Algorithm 30; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = eki_segments_prepare,
	.run = run,
};

#endif
