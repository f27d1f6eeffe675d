/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by forward segmented sum and scan, as published: (1) V, the array of all products,
 * with columns as 16-bit numbers, (2) F, a flag for each entry that begins a row, (3) the segmented
 * sum: each thread goes forward over its section of V, and a sum is written once, at the last entry
 * of its row or of the section, (4) the segmented scan over the sections: from left to right, what
 * a section leaves open is added to the end of that row in the next section, (5) y_i from v[d_i],
 * d_i = row_ptr[i + 1] - 1. As in the author's code, D is not stored, and nothing is written to V
 * that is already there. F and the 16-bit columns depend on the pattern alone and are made with the
 * plan. For an empty row, d_i is an entry of another row, so the sum of an empty row is set to 0.
 *
 * A section of n entries takes at most n - 1 additions, and a section after the first one more to
 * take over what is open: w - 1 in all for w entries, where csr_segscan.c takes up to 2 (w - 1).
 * Columns of 16 bits limit A to 65,536 columns; those of the paper have fewer rows and columns.
 *
 * Cost: the products are once written to memory and once read back, which with the flags adds 17
 * bytes an entry (floats: 9) to the 10 (6) of CSR with 16-bit columns, and the chain of additions
 * uses only one lane of a vector. csr_forward.c avoids both. Rounding: let a row of k entries be in
 * c sections. Each of its products passes through the additions in its own section and through
 * c - 1 carries; each of the other sections has an entry of the row, so these are fewer than k
 * additions.
 *
 * Zhang 2012, section 4; Blelloch, Heroux, Zagha 1993. */
#include "spmv/narrow.h"
#include "spmv/panels.h"
#include "spmv/segments.h"
#define EK_FILE "spmv/csr_forward_published.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

/* Does step 1 for a part of the entries. */
static void FN(published_products)(const ek_store *A, const eki_run *v, eki_segments *s,
                                   int64_t begin, int64_t end)
{
	const uint16_t *col = v->aux;
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	VAL *product = s->product;
	int64_t k = begin;

	for (; end - k >= W; k += W)
		vstore(product + k, vmul(vload(val + k), vgather_u16(x, col + k)));
	for (; k < end; k++)
		product[k] = val[k] * x[col[k]];
}

#if EK_PER_TYPE

#include "prim_body/segmented.h"

/* Does step 3 for one section. */
static void FN(published_sum)(eki_segments *s, int part, int64_t begin, int64_t end)
{
	const uint8_t *flag = s->bit_flag;
	VAL *v = s->product;
	int64_t first = -1;

	for (int64_t k = begin; k < end;) {
		const int64_t at = k++;
		const VAL sum = FN(sum_to_flag)(v, flag, &k, end, v[at]);

		if (first < 0 && flag[at])
			first = at;
		if (k - 1 > at)
			v[k - 1] = sum;
	}
	s->flag[part] = first;
}

/* Does step 4 between two sections. The first ends, and the second begins, at entry `begin`; the
 * row that begins before it ends in the second section before its first flag, at `first`, or goes
 * on to the end of the section. */
static void FN(published_carry)(eki_segments *s, int64_t begin, int64_t first)
{
	VAL *v = s->product;

	if (first > begin)
		v[first - 1] = v[begin - 1] + v[first - 1];
}

#endif
#if EK_ONCE

typedef void carry_fn(eki_segments *, int64_t, int64_t);

static bool applies(const ek_store *A, ek_op op)
{
	(void)op;
	return A->cols <= PANEL;
}

static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0];

	EK_RETURN_IF(eki_segments_prepare(step));
	step->bytes -= 2 * A->nnz * (int64_t)ek_value_size(A->value);
	return eki_narrow_columns(step);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static eki_segments_pass_fn *const multiply[EK_NISA][EK_NTYPE] =
		EK_BY_ISA_AND_TYPE(published_products);
	static eki_segments_fn *const sum[EK_NTYPE] = EK_BY_TYPE(published_sum);
	static carry_fn *const carry[EK_NTYPE] = EK_BY_TYPE(published_carry);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index), parts = step->parts;

	eki_segments s = eki_segments_multiply(step, v, multiply[step->isa][type]);

	eki_segments_each(step, &s, sum[type]);
	for (int part = 1; part < parts; part++)
		carry[type](&s, eki_cut(A->nnz, parts, part),
		            s.flag[part] < 0 ? eki_cut(A->nnz, parts, part + 1) : s.flag[part]);
	eki_segments_collect(step, v, &s, true);
	return EK_OK;
}

const ek_method ek_spmv_csr_forward_published = {
	.name = "spmv.csr.forward_published",
	.text = "forward segmented sum and scan over flags and products, as published; up to "
		"65,536 columns",
	.source = "Zhang 2012, section 4; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N,
	.applies = applies,
	.prepare = prepare,
	.run = run,
};

#endif
