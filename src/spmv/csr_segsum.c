/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by segmented sum, as published: (1) a flag for each entry that begins a row, (2) an
 * array of all products, (3) the segmented sum of the products, which leaves each sum in the place
 * where its segment begins, (4) a gather of these sums to y, with zero for empty rows.
 *
 * Entries are cut evenly between the threads, however long the rows are. A part sums its segments
 * on its own. The sum before its first flag belongs to a segment that began in an earlier part.
 * When all parts are done, such sums are added to their segments, from left to right. Flags depend
 * on the pattern alone and are made with the plan.
 *
 * Cost: the products are twice written to memory and twice read back. With the flags, this adds 33
 * bytes an entry (floats: 17) to the 12 (8) of CSR. The thesis finds the same, and later methods
 * fuse the steps for this reason. Rounding: a row of k entries in c parts has at least c - 1
 * entries outside its first part, so each of its products passes through at most k - 1 additions.
 *
 * Blelloch, Heroux, Zagha 1993; Liu 2015, Algorithms 12 and 30. */
#include "spmv/segments.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/csr_segsum.c"
#include "base/for_each.h"

#if EK_PER_TYPE

#include "prim_body/segmented.h"

/* Does step 3, the segmented sum, for one part. This is Algorithm 12, except that the end of the
 * array is tested before the flag. */
static void FN(segsum_sum)(eki_segments *s, int part, int64_t begin, int64_t end)
{
	const uint8_t *flag = s->bit_flag;
	VAL *product = s->product;
	int64_t k = begin, last = -1;
	const VAL head = FN(sum_to_flag)(product, flag, &k, end, 0);

	while (k < end) {
		last = k++;
		product[last] = FN(sum_to_flag)(product, flag, &k, end, product[last]);
	}
	((VAL *)s->open)[part] = head;
	s->flag[part] = last;
}

/* Adds the sum that each part has before its first flag to the segment that continues into the
 * part. */
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

static ek_status run(const eki_step *step, const eki_run *v)
{
	static eki_segments_fn *const sum[EK_NTYPE] = EK_BY_TYPE(segsum_sum);
	static join_fn *const join[EK_NTYPE] = EK_BY_TYPE(segsum_join);
	int type = eki_type(step->in[0]->value, step->in[0]->index);

	eki_segments s = eki_segments_multiply(step, v, NULL);

	eki_segments_each(step, &s, sum[type]);
	join[type](&s, step->parts);
	eki_segments_collect(step, v, &s, false);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz;

	return eki_cost(f, f->csr_bytes + (1 + 4.0 * (double)ek_value_size(f->value)) * nnz,
	                eki_work_csr(f, EKI_LOOP_SEGMENTS));
}

static double memory(const eki_features *f)
{
	return (double)f->stats.nnz * (1 + (double)ek_value_size(f->value));
}

const ek_method ek_spmv_csr_segsum = {
	.name = "spmv.csr.segsum",
	.text = "segmented sum over flags and products, as published",
	.source = "Liu 2015, Algorithm 30; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.memory = memory,
	.prepare = eki_segments_prepare,
	.run = run,
};

#endif
