/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by forward segmented scan, as published: (1) V, the array of all products, (2) F, a
 * flag for each entry that begins a row, (3) the segmented scan of V, forward, which leaves the sum
 * of a row at its last entry, (4) y_i from v[d_i], d_i = row_ptr[i + 1] - 1. The array D of the d_i
 * is not stored; as in the author's code, each d_i is computed together with y_i. For an empty row,
 * d_i is an entry of another row, so the sum of an empty row is set to 0.
 *
 * The scan passes over V twice. In the first pass, each part of the entries is scanned forward on
 * its own. Then the open sums are carried on from left to right; an open sum is that of the row
 * that continues beyond the end of a part. In the second pass, each part adds the sum that is open
 * at its left end to its entries before its first flag. That is at most 2 (w - 1) additions for w
 * entries, of which w - 1 give sums that are never read; csr_forward_published.c avoids those.
 *
 * Cost: like the segmented sum, it moves 33 bytes an entry (floats: 17) in addition to the 12 (8)
 * of CSR, and its chain of additions uses only one lane of a vector. Rounding: let a row of k
 * entries be in c parts. Each of its products passes through the additions in its own part, and
 * through c - 1 carries. Each of the other parts has an entry of the row, so these are fewer than k
 * additions.
 *
 * Zhang 2012, section 4; Blelloch, Heroux, Zagha 1993; the operator is that of Schwartz 1980. */
#include "spmv/segments.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/csr_segscan.c"
#include "base/for_each.h"

#if EK_PER_TYPE

#include "prim_body/segmented.h"

/* Does the first pass: scans a part on its own. */
static void FN(segscan_scan)(eki_segments *s, int part, int64_t begin, int64_t end)
{
	const uint8_t *flag = s->bit_flag;
	VAL *v = s->product, sum = 0;
	int64_t first = -1;

	for (int64_t k = begin; k < end; k++) {
		if (flag[k]) {
			sum = v[k];
			if (first < 0)
				first = k;
		} else {
			sum += v[k];
		}
		v[k] = sum;
	}
	((VAL *)s->open)[part] = sum;
	s->flag[part] = first;
}

/* Changes `open` between the passes. Before the call, open[part] is the sum that is open at the
 * right end of the part; after it, the sum that is open at the left end. */
static void FN(segscan_carry)(eki_segments *s, int parts)
{
	VAL *open = s->open, left = 0;

	for (int part = 0; part < parts; part++) {
		VAL right = FN(section_join)(EK_SUM, left, open[part], s->flag[part] >= 0);

		open[part] = left;
		left = right;
	}
}

/* Does the second pass: adds the open sum to the entries before the first flag of a part. */
static void FN(segscan_add)(eki_segments *s, int part, int64_t begin, int64_t end)
{
	const VAL open = ((VAL *)s->open)[part];
	const int64_t stop = s->flag[part] < 0 ? end : s->flag[part];

	FN(section_add)(EK_SUM, open, s->product, begin, stop);
}

#endif
#if EK_ONCE

typedef void carry_fn(eki_segments *, int);

static ek_status run(const eki_step *step, const eki_run *v)
{
	static eki_segments_fn *const scan[EK_NTYPE] = EK_BY_TYPE(segscan_scan);
	static eki_segments_fn *const add[EK_NTYPE] = EK_BY_TYPE(segscan_add);
	static carry_fn *const carry[EK_NTYPE] = EK_BY_TYPE(segscan_carry);
	int type = eki_type(step->in[0]->value, step->in[0]->index);

	eki_segments s = eki_segments_multiply(step, v, NULL);

	eki_segments_each(step, &s, scan[type]);
	carry[type](&s, step->parts);
	eki_segments_each(step, &s, add[type]);
	eki_segments_collect(step, v, &s, true);
	return EK_OK;
}

const ek_method ek_spmv_csr_segscan = {
	.name = "spmv.csr.segscan",
	.text = "forward segmented scan over flags and products, as published",
	.source = "Zhang 2012, section 4; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.prepare = eki_segments_prepare,
	.run = run,
};

#endif
