/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by forward segmented scan, as published: (1) V, the array of all products, (2) F, a
 * flag for each entry that begins a row, (3) the segmented scan of V, forward, so that the sum of a
 * row comes to lie at its last entry, (4) y_i from v[d_i], d_i = row_ptr[i + 1] - 1. The array D of
 * the d_i is not kept: as the author did, its computation is merged with that of y. For an empty
 * row d_i belongs to another row, so it gets 0.
 *
 * The scan passes over V twice. Each part of the entries is scanned forward on its own; what is
 * open at the end of a part is handed on from left to right; then each part adds what is open at
 * its left end to its entries before its first flag. That is 2 (w - 1) additions for w entries at
 * most, of which w - 1 give sums that nobody collects: csr_forward.c does without them.
 *
 * Cost: as the segmented sum, 33 bytes an entry (floats: 17) on top of CSR's 12 (8), and a chain of
 * additions that leaves one lane of a vector busy. Rounding: an entry of a row in c parts takes
 * part in the sums of its own part and in c - 1 hand-overs, and each of those parts has another
 * entry of the row, so it passes at most k - 1 additions.
 *
 * Zhang 2012, section 4; Blelloch, Heroux, Zagha 1993; Schwartz 1980 for the operator. */
#include "spmv/segments.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/csr_segscan.c"
#include "core/for_each.h"

#if EK_PER_TYPE

/* First pass: the part on its own. */
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

/* Between the passes: open[part] becomes what is open at the left end of the part. */
static void FN(segscan_hand_on)(eki_segments *s, int parts)
{
	VAL *open = s->open, left = 0;

	for (int part = 0; part < parts; part++) {
		VAL right = s->flag[part] < 0 ? left + open[part] : open[part];

		open[part] = left;
		left = right;
	}
}

/* Second pass: up to the first flag of the part. */
static void FN(segscan_add)(eki_segments *s, int part, int64_t begin, int64_t end)
{
	VAL *v = s->product, open = ((VAL *)s->open)[part];
	int64_t stop = s->flag[part] < 0 ? end : s->flag[part];

	for (int64_t k = begin; k < stop; k++)
		v[k] += open;
}

#endif
#if EK_ONCE

typedef void hand_on_fn(eki_segments *, int);

static ek_status run(const ek_plan *p, const ek_args *args)
{
	static eki_segments_fn *const scan[EK_NTYPE] = EK_BY_TYPE(segscan_scan);
	static eki_segments_fn *const add[EK_NTYPE] = EK_BY_TYPE(segscan_add);
	static hand_on_fn *const hand_on[EK_NTYPE] = EK_BY_TYPE(segscan_hand_on);
	int type = eki_type(p->store->value, p->store->index);

	eki_segments_multiply(p, args);
	eki_segments_each(p, scan[type]);
	hand_on[type](p->state, p->parts);
	eki_segments_each(p, add[type]);
	eki_segments_collect(p, args, true);
	return EK_OK;
}

const ek_method ek_spmv_csr_segscan = {
	.name = "spmv.csr.segscan",
	.text = "forward segmented scan over flags and products, as published",
	.source = "Zhang 2012, section 4; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.prepare = eki_segments_prepare,
	.run = run,
};

#endif
