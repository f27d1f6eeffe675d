/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with fewer bytes: rows of the same shape share one list of column offsets.
 *
 * In matrices from meshes and stencils, in band matrices, and where unknowns form blocks, most rows
 * repeat the columns of a row shortly before them, shifted by some distance. So equal lists of
 * 16-bit offsets are stored once, and rows are multiplied in groups of eight. There are four kinds
 * of groups:
 *   RUN   all rows share one list, and each row begins one column after the row before, as along a
 *         grid line. Eight rows are eight lanes: values are transposed in registers, x is loaded,
 *         not gathered, and nothing is summed across lanes. A group takes 12 bytes.
 *   WIDE_RUN  the same with 32-bit offsets, for rows that span 2^16 columns or more, as in boxes of
 *         more than 180 x 180 x n points. The list is shared, so its size does not matter.
 *   EACH  every row has a list and a first column of its own, which take 8 bytes a row. Rows are
 *         summed as in csr_vector.c.
 *   CSR   the columns of CSR are used, since the group is no run and some row spans 2^16 columns or
 *         more or does not begin with its least column, or since some row is too long.
 * Values are read from the caller's array. A product with a matrix of doubles moves little more
 * than 8 bytes an entry, instead of 12, and 10 bytes an entry in rows whose shape occurs only once.
 *
 * patterns.c finds the shapes, which takes as long as about four products. The lists take at most 2
 * bytes an entry, plus 8 a row.
 *
 * Work is cut by nonzeros. Rows that are cut between threads and rows of more than 32,767 entries
 * are multiplied from CSR. The idea of repeating patterns is from Belgin, Back, Ribbens 2009; the
 * idea of narrow offsets is from Kourtis, Goumas, Koziris 2008. */
#include "spmv/csr_vector.h"
#include "spmv/patterns.h"
#define EK_FILE "spmv/csr_patterns.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"

/* Returns W partial sums of a row of n entries. `c` is the row's list of column offsets. */
static inline vec FN(shaped_sums)(const uint16_t *c, int64_t n, const VAL *val, const VAL *x)
{
	vec a = vzero(), b = vzero();

	for (; n > 2 * W; n -= 2 * W, c += 2 * W, val += 2 * W) {
		EK_AHEAD(val);
		EK_AHEAD(val + W);
		a = vfma(vload(val), vgather_u16(x, c), a);
		b = vfma(vload(val + W), vgather_u16(x, c + W), b);
	}
	EK_AHEAD(val);
	if (n > W) {
		EK_AHEAD(val + W);
		a = vfma(vload(val), vgather_u16(x, c), a);
		n -= W;
		c += W;
		val += W;
	}

	vmask m = vmask_n(n);

	return vadd(vfma(vload_n(val, m), vgather_u16_n(x, c, m), a), b);
}

/* Returns W partial sums of a row of n entries in consecutive columns. */
static inline vec FN(straight_sums)(int64_t n, const VAL *val, const VAL *x)
{
	vec a = vzero(), b = vzero();

	for (; n > 2 * W; n -= 2 * W, x += 2 * W, val += 2 * W) {
		EK_AHEAD(val);
		EK_AHEAD(val + W);
		a = vfma(vload(val), vload(x), a);
		b = vfma(vload(val + W), vload(x + W), b);
	}
	for (; n > 0; n -= W, x += W, val += W) {
		vmask m = vmask_n(n < W ? n : W);

		a = vfma(vload_n(val, m), vload_n(x, m), a);
	}
	return vadd(a, b);
}

/* Returns offset k of a list of one word or two for each. */
static inline int64_t FN(offset)(const uint16_t *c, int64_t k, bool two_words)
{
	int32_t wide;

	if (!two_words)
		return c[k];
	memcpy(&wide, c + 2 * k, sizeof wide);
	return wide;
}

/* Returns the sums of W rows of a RUN or WIDE_RUN, each of n entries: lane r is row r. */
static inline __attribute__((always_inline)) vec FN(run_sums)(const uint16_t *c, int64_t n,
                                                              const VAL *val, const VAL *x,
                                                              bool two_words)
{
	vec sum[2] = {vzero(), vzero()};

	for (int64_t j = 0; j < n; j += W) {
		int m = n - j < W ? (int)(n - j) : W;
		vec t[W];

		for (int r = 0; r < W; r++)
			EK_AHEAD(val + j + r * n);
		vtranspose(val + j, n, m, t);
		EK_UNROLL
		for (int l = 0; l < W; l++)
			if (l < m)
				sum[l % 2] = vfma(t[l], vload(x + FN(offset)(c, j + l, two_words)),
				                  sum[l % 2]);
	}
	return vadd(sum[0], sum[1]);
}

/* Multiplies the group of rows i .. i + 7, whose values begin at `val`. Returns where the values of
 * the next group begin. */
static inline const VAL *FN(group)(const eki_run *v, const VAL *val, int64_t i, uint32_t group)
{
	const patterns *s = v->aux;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta), *x = v->x.data;
	const row_shape *shape = s->shape + (group & ~KIND);
	const VAL *y0 = (const VAL *)v->y0.data + i;
	VAL *y = (VAL *)v->y.data + i;

	for (int h = 0; h < GROUP; h += W) {
		const uint16_t *list = s->list + shape->list;
		int64_t n = *list & LENGTH;
		vec row[W];

		if ((group & KIND) == RUN || (group & KIND) == WIDE_RUN) {
			const VAL *xr = x + shape->first + h;
			const vec sums = (group & KIND) == RUN
			                         ? FN(run_sums)(list + 1, n, val, xr, false)
			                         : FN(run_sums)(list + 1, n, val, xr, true);

			FN(finish_rows)(sums, alpha, beta, y0 + h, y + h);
			val += n * W;
			continue;
		}
		EK_UNROLL
		for (int r = 0; r < W; r++) {
			const VAL *xr = x + shape[h + r].first;

			list = s->list + shape[h + r].list;
			n = *list & LENGTH;
			row[r] = *list & STRAIGHT ? FN(straight_sums)(n, val, xr)
			                          : FN(shaped_sums)(list + 1, n, val, xr);
			val += n;
		}
		FN(finish_rows)(vsum_rows(row), alpha, beta, y0 + h, y + h);
	}
	return val;
}

static void FN(csr_patterns)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const patterns *s = v->aux;
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL *val = A->array[CSR_VAL];
	int64_t i = (begin + GROUP - 1) / GROUP * GROUP;

	if (i > end)
		i = end;
	if (begin < i)
		EK_PASS_OF(eki_csr_vector)(A, v, begin, i);
	val += row_ptr[i];
	for (; i + GROUP <= end; i += GROUP) {
		uint32_t group = s->group[i / GROUP];

		if ((group & KIND) == CSR) {
			EK_PASS_OF(eki_csr_vector)(A, v, i, i + GROUP);
			val = (const VAL *)A->array[CSR_VAL] + row_ptr[i + GROUP];
		} else {
			val = FN(group)(v, val, i, group);
		}
	}
	if (i < end)
		EK_PASS_OF(eki_csr_vector)(A, v, i, end);
}

#if EK_ONCE

static bool applies(const ek_store *A, ek_op op)
{
	(void)op;
	return A->cols <= INT32_MAX && A->rows < (int64_t)EACH &&
	       A->rows + A->nnz < INT32_MAX - MAX_PARTS;
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_patterns);
	int type = eki_type(step->in[0]->value, step->in[0]->index);
	patterns *s;

	EK_RETURN_IF(eki_patterns_find(step, &s));
	step->aux = s;
	return eki_split_prepare(step, EKI_SPLIT_NNZ, rows[step->isa][type],
	                         eki_csr_dot[step->isa][type]);
}

/* Predicts the time. Each row that is not in a RUN costs a look-up of its shape. The factor of up
 * to 1.15 keeps the method from being chosen for a small, uncertain gain, which is not worth the
 * preparation. */
static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz, rows = (double)f->stats.rows,
	       narrow = f->narrow_share * nnz;
	double saved = narrow * (double)eki_idx_size(f->index) -
	               2 * (1 - f->repeat_share) * narrow +
	               rows * ((double)eki_ptr_size(f->index) - 0.5 - 8 * (1 - f->run_share));
	double work = eki_csr_vector_work(f) *
	                      (1 - f->run_share + f->machine->pattern_run * f->run_share) +
	              f->machine->pattern_row * (1 - f->run_share) * rows;

	return 2 * f->machine->call +
	       (1.15 - 0.15 * f->repeat_share) * eki_cost(f, f->csr_bytes - saved, work) +
	       f->machine->patterns_entry * (nnz + rows) / (double)f->calls;
}

/* Predicts the bytes of two things: the column offsets, which rows of the same shape share, and the
 * shapes of the rows. */
static double memory(const eki_features *f)
{
	return 2 * (1 - f->repeat_share) * (double)f->stats.nnz + 8 * (double)f->stats.rows;
}

const ek_method ek_spmv_csr_patterns = {
	.name = "spmv.csr.patterns",
	.text = "rows of the same shape share one list of column offsets: fewer bytes than CSR",
	.source = "evenkeel; after Belgin, Back and Ribbens 2009 and Kourtis et al. 2008",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.applies = applies,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
