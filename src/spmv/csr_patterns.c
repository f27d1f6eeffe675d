/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with fewer bytes: rows of the same shape share one list of column offsets.
 *
 * In meshes, stencils, bands and blocks of unknowns most rows repeat the columns of a row shortly
 * before, moved by some distance. So equal lists of 16-bit offsets are kept once, and rows are
 * taken in groups of eight, of three kinds:
 *   RUN   the rows have one list, and each begins a column after the one before, as along a grid
 *         line. Eight rows are eight lanes: values are transposed in registers, x is loaded, not
 *         gathered, and nothing is summed across lanes. 12 bytes for the group.
 *   EACH  every row has a list and a first column of its own, 8 bytes a row. The kernel is that of
 *         csr_vector.c.
 *   CSR   some row spans 2^16 columns or more, and the caller's columns are used.
 * Values are read where the caller has them. A matrix of doubles moves 8 bytes an entry and a
 * little, instead of 12; rows without a twin come down to 10.
 *
 * patterns.c finds the shapes; that takes about four products, and 2 bytes an entry at most, plus 8
 * a row.
 *
 * Work is cut by nonzeros; rows cut between threads and rows of more than 32,767 entries go through
 * CSR. The idea of repeating patterns: Belgin, Back, Ribbens 2009; of narrow offsets: Kourtis,
 * Goumas, Koziris 2008. */
#include "spmv/csr_vector.h"
#include "spmv/patterns.h"
#define EK_FILE "spmv/csr_patterns.c"
#include "core/for_each.h"

#include "spmv/finish.h"

/* A row whose list of n offsets is c; entries begin at k. */
static inline vec FN(shaped_sums)(const uint16_t *c, int64_t n, const VAL *val, const VAL *x)
{
	vec a = vzero(), b = vzero();
	const vmask all = vmask_n(W);

	for (; n > 2 * W; n -= 2 * W, c += 2 * W, val += 2 * W) {
		EK_AHEAD(val);
		EK_AHEAD(val + W);
		a = vfma(vload(val), vgather_u16(x, c, all), a);
		b = vfma(vload(val + W), vgather_u16(x, c + W, all), b);
	}
	EK_AHEAD(val);
	if (n > W) {
		EK_AHEAD(val + W);
		a = vfma(vload(val), vgather_u16(x, c, all), a);
		n -= W;
		c += W;
		val += W;
	}

	vmask m = vmask_n(n);

	return vadd(vfma(vload_n(val, m), vgather_u16(x, c, m), a), b);
}

/* A row of n entries in columns that follow each other. */
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

/* W rows of a RUN, each of n entries: lane r is row r. */
static inline vec FN(run_sums)(const uint16_t *c, int64_t n, const VAL *val, const VAL *x)
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
				sum[l % 2] = vfma(t[l], vload(x + c[j + l]), sum[l % 2]);
	}
	return vadd(sum[0], sum[1]);
}

/* The group of eight rows from row i on; val points at its entries. Returns where the next group's
 * are. */
static inline const VAL *FN(group)(const ek_args *v, const VAL *val, int64_t i, uint32_t group)
{
	const patterns *s = v->kept;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta, *x = v->x;
	const row_shape *shape = s->shape + (group & ~KIND);
	const VAL *y0 = (const VAL *)v->y0 + i;
	VAL *y = (VAL *)v->y + i;

	for (int h = 0; h < GROUP; h += W) {
		const uint16_t *list = s->list + shape->list;
		int64_t n = *list & LENGTH;
		vec row[W];

		if ((group & KIND) == RUN) {
			FN(finish_rows)
			(FN(run_sums)(list + 1, n, val, x + shape->first + h), alpha, beta, y0 + h,
			 y + h);
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

static void FN(csr_patterns)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const patterns *s = v->kept;
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
	return A->cols <= INT32_MAX && A->rows < (int64_t)EACH && A->rows + A->nnz < INT32_MAX;
}

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_patterns);
	int type = eki_type(p->store->value, p->store->index);
	patterns *s;

	EK_RETURN_IF(eki_patterns_find(p, &s));
	p->kept = s;
	return eki_split_prepare(p, EKI_SPLIT_NNZ, rows[p->isa][type], eki_csr_dot[p->isa][type]);
}

/* A row that is not of a RUN costs a look at its shape; and a gain that the model cannot vouch for
 * is not worth the preparation, hence the tenth on top. */
static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz, rows = (double)f->stats.rows,
	       narrow = f->narrow_share * nnz;
	double saved = narrow * (double)eki_idx_size(f->index) -
	               2 * (1 - f->repeat_share) * narrow +
	               rows * ((double)eki_ptr_size(f->index) - 0.5 - 8 * (1 - f->run_share));
	double work =
		eki_csr_vector_work(f) * (1 - 0.5 * f->run_share) + 0.8 * (1 - f->run_share) * rows;

	return 200 + (1.15 - 0.15 * f->repeat_share) * eki_cost(f, f->csr_bytes - saved, work) +
	       (4 * nnz + 4 * rows) / (double)f->calls;
}

const ek_method ek_spmv_csr_patterns = {
	.name = "spmv.csr.patterns",
	.text = "rows of the same shape share one list of 16-bit column offsets: fewer bytes than "
		"CSR",
	.source = "evenkeel; after Belgin, Back and Ribbens 2009 and Kourtis et al. 2008",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.applies = applies,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
