/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with fewer bytes: rows of the same shape share one list of column offsets.
 *
 * In meshes, stencils, bands and blocks of unknowns most rows repeat the columns of a row shortly before, moved by some
 * distance. So equal lists of 16-bit offsets are kept once, and rows are taken in groups of eight, of three kinds:
 *   RUN   the rows have one list, and each begins a column after the one before, as along a grid line. Eight rows are
 *         eight lanes: x is loaded, not gathered, and nothing is summed across lanes. 12 bytes for the group.
 *   EACH  every row has a list and a first column of its own, 8 bytes a row. The kernel is that of csr_vector.c.
 *   CSR   some row spans 2^16 columns or more, and the caller's columns are used.
 * Values are read where the caller has them. A matrix of doubles moves 8 bytes an entry and a little, instead of 12; rows
 * without a twin come down to 10.
 *
 * Preparation: each part of the rows looks for earlier rows of the same shape through a table of 4096 places, indexed by
 * a hash of a few offsets, and compares in full; one pass counts, one writes. About four products, and 2 bytes an entry at
 * most, plus 8 a row.
 *
 * Work is cut by nonzeros; rows cut between threads and rows of more than 65,535 entries go through CSR. The idea of
 * repeating patterns: Belgin, Back, Ribbens 2009; of narrow offsets: Kourtis, Goumas, Koziris 2008. */
#include <string.h>

#include "spmv/csr_vector.h"
#define EK_FILE "spmv/csr_patterns.c"
#include "core/for_each.h"

#include "spmv/finish.h"

#ifndef EK_PATTERNS_STATE
#define EK_PATTERNS_STATE
/* Where a row's list begins, counted in uint16_t: its length, then the offsets. WIDE: none, use CSR. */
#define WIDE UINT32_MAX
typedef struct row_shape {
	uint32_t list;
	int32_t first; /* column that the offsets count from */
} row_shape;

enum { GROUP = 8, TABLE = 4096, PADDING = 16, LONGEST_RUN_ROW = 12 };
/* Kinds of groups, in the highest two bits. */
#define RUN  (UINT32_C(0) << 30)
#define EACH (UINT32_C(1) << 30)
#define CSR  (UINT32_C(2) << 30)
#define KIND (UINT32_C(3) << 30)

typedef struct patterns {
	uint32_t
		*group; /* kind, and where the shapes of the group begin: 1 for a RUN, 8 for EACH */
	row_shape *shape;
	uint16_t *list;
} patterns;

/* What one part of the preparation knows; parts have whole groups. */
typedef struct part {
	int64_t begin, end;    /* groups */
	int64_t shapes, lists; /* how many shapes, how long the lists; then where they begin */
	int64_t saved;         /* bytes of CSR that runs will not read */
	int64_t *table;        /* TABLE places: the last row of that hash, plus one */
	row_shape *of_row;     /* shapes of all rows, until groups are made */
} part;
#endif

/* A row whose list of n offsets is c; entries begin at k. */
static inline vec FN(shaped_sums)(const uint16_t *c, int64_t n, const VAL *val, const VAL *x)
{
	vec a = vzero(), b = vzero();
	const vmask all = vmask_n(W);

	for (; n > 2 * W; n -= 2 * W, c += 2 * W, val += 2 * W) {
		a = vfma(vload(val), vgather_u16(x, c, all), a);
		b = vfma(vload(val + W), vgather_u16(x, c + W, all), b);
	}
	if (n > W) {
		a = vfma(vload(val), vgather_u16(x, c, all), a);
		n -= W;
		c += W;
		val += W;
	}

	vmask m = vmask_n(n);

	return vadd(vfma(vload_n(val, m), vgather_u16(x, c, m), a), b);
}

/* W rows of a RUN: lane r is row r. */
static inline vec FN(run_sums)(const uint16_t *c, int64_t n, const VAL *val, const VAL *x)
{
	const vindex stride = vstride(n);
	vec sum = vzero();

	for (int64_t j = 0; j < n; j++)
		sum = vfma(vgather_at(val + j, stride), vload(x + c[j]), sum);
	return sum;
}

/* The group of eight rows from row i on; val points at its entries. Returns where the next group's are. */
static inline const VAL *FN(group)(const ek_args *v, const VAL *val, int64_t i, uint32_t group)
{
	const patterns *s = v->kept;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta, *x = v->x;
	const row_shape *shape = s->shape + (group & ~KIND);
	VAL *y = (VAL *)v->y + i;

	for (int h = 0; h < GROUP; h += W) {
		const uint16_t *list = s->list + shape->list;
		vec row[W];

		if ((group & KIND) == RUN) {
			FN(finish_rows)
			(FN(run_sums)(list + 1, *list, val, x + shape->first + h), alpha, beta,
			 y + h);
			val += (int64_t)*list * W;
			continue;
		}
		EK_UNROLL
		for (int r = 0; r < W; r++) {
			list = s->list + shape[h + r].list;
			row[r] = FN(shaped_sums)(list + 1, *list, val, x + shape[h + r].first);
			val += *list;
		}
		FN(finish_rows)(vsum_rows(row), alpha, beta, y + h);
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

#if EK_PER_TYPE

static uint32_t FN(shape_hash)(const IDX *col, int64_t n)
{
	uint32_t h = (uint32_t)n * 0x9e3779b1u;

	h = (h ^ (uint32_t)(col[n - 1] - col[0])) * 0x85ebca6bu;
	h = (h ^ (uint32_t)(col[n / 2] - col[0])) * 0xc2b2ae35u;
	h = (h ^ (uint32_t)(col[n / 4] - col[0])) * 0x9e3779b1u;
	return (h ^ h >> 15) % TABLE;
}

static bool FN(same_shape)(const IDX *a, const IDX *b, int64_t n)
{
	const IDX move = b[0] - a[0];
	IDX differ = 0;

	for (int64_t k = 0; k < n; k++)
		differ |= (b[k] - a[k]) ^ move;
	return differ == 0;
}

/* Can the offsets be unsigned 16-bit numbers? Columns may be in any order, so all are looked at. */
static bool FN(narrow)(const IDX *col, int64_t n)
{
	IDX low = col[0], high = col[0];

	for (int64_t k = 1; k < n; k++) {
		low = col[k] < low ? col[k] : low;
		high = col[k] > high ? col[k] : high;
	}
	return low == col[0] && high - low <= UINT16_MAX && n <= UINT16_MAX;
}

/* First pass: the shapes of the rows of a part, and how many shapes its groups will keep. */
static void FN(find_shapes)(const ek_store *A, part *p)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	row_shape *shape = p->of_row;

	p->lists = 1; /* a list of length 0, for empty rows */
	for (int64_t i = p->begin * GROUP; i < p->end * GROUP; i++) {
		const IDX *col = col_idx + row_ptr[i];
		int64_t n = row_ptr[i + 1] - row_ptr[i];

		shape[i] = (row_shape){0, 0};
		if (n == 0)
			continue;

		int64_t *place = &p->table[FN(shape_hash)(col, n)], other = *place - 1;

		shape[i].first = (int32_t)col[0];
		if (other >= 0 && row_ptr[other + 1] - row_ptr[other] == n &&
		    FN(same_shape)(col_idx + row_ptr[other], col, n)) {
			shape[i].list = shape[other].list;
		} else if (FN(narrow)(col, n)) {
			*place = i + 1;
			shape[i].list = (uint32_t)p->lists;
			p->lists += n + 1;
		} else {
			shape[i].list = WIDE;
		}
	}
}

/* Writes the lists of a part, from base on. */
static void FN(write_lists)(const ek_store *A, const part *p, uint16_t *list)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	int64_t next = 1; /* behind the empty list */

	list += p->lists;
	list[0] = 0;
	for (int64_t i = p->begin * GROUP; i < p->end * GROUP; i++) {
		if (p->of_row[i].list != next)
			continue;

		const IDX *col = col_idx + row_ptr[i];
		int64_t n = row_ptr[i + 1] - row_ptr[i];

		list[next] = (uint16_t)n;
		for (int64_t k = 0; k < n; k++)
			list[next + 1 + k] = (uint16_t)(col[k] - col[0]);
		next += n + 1;
	}
}

#endif
#if EK_ONCE

typedef void find_fn(const ek_store *, part *);
typedef void write_fn(const ek_store *, const part *, uint16_t *);

struct patterns_job {
	const ek_store *A;
	patterns *s;
	part *parts;
};

static uint32_t kind_of(const ek_store *A, const row_shape *shape, int64_t i)
{
	bool run = eki_ptr_at(A, i + 1) - eki_ptr_at(A, i) <= LONGEST_RUN_ROW;

	for (int r = 0; r < GROUP; r++) {
		if (shape[r].list == WIDE)
			return CSR;
		run &= shape[r].list == shape[0].list && shape[r].first == shape[0].first + r;
	}
	return run ? RUN : EACH;
}

static int64_t shapes_of(uint32_t kind)
{
	return kind == RUN ? 1 : kind == EACH ? GROUP : 0;
}

static void find_part(void *arg, int k)
{
	static find_fn *const find[EK_NTYPE] = EK_BY_TYPE(find_shapes);
	const struct patterns_job *job = arg;
	const ek_store *A = job->A;
	part *p = &job->parts[k];

	memset(p->table, 0, TABLE * sizeof *p->table);
	find[eki_type(A->value, A->index)](A, p);
	p->shapes = 0;
	for (int64_t g = p->begin; g < p->end; g++) {
		job->s->group[g] = kind_of(A, p->of_row + g * GROUP, g * GROUP);
		p->shapes += shapes_of(job->s->group[g]);
		if (job->s->group[g] != CSR)
			p->saved += GROUP * (int64_t)eki_ptr_size(A->index) +
			            (eki_ptr_at(A, (g + 1) * GROUP) - eki_ptr_at(A, g * GROUP)) *
			                    (int64_t)eki_idx_size(A->index);
	}
}

static void write_part(void *arg, int k)
{
	static write_fn *const write[EK_NTYPE] = EK_BY_TYPE(write_lists);
	const struct patterns_job *job = arg;
	const ek_store *A = job->A;
	const part *p = &job->parts[k];
	patterns *s = job->s;
	int64_t at = p->shapes;

	write[eki_type(A->value, A->index)](A, p, s->list);
	for (int64_t g = p->begin; g < p->end; g++) {
		int64_t n = shapes_of(s->group[g]);

		s->group[g] |= (uint32_t)at;
		for (int64_t r = 0; r < n; r++, at++) {
			s->shape[at] = p->of_row[g * GROUP + r];
			s->shape[at].list += (uint32_t)p->lists;
		}
	}
}

static bool applies(const ek_store *A, ek_op op)
{
	(void)op;
	return A->cols <= INT32_MAX && A->rows < (int64_t)EACH && A->rows + A->nnz < INT32_MAX;
}

/* Cuts groups between parts, runs both passes, and makes room between them. `work` has the tables and the shapes of all
 * rows, which are not needed after that. */
static ek_status find_patterns(ek_plan *plan, patterns *s, part *parts, int count, char *work)
{
	const ek_store *A = plan->store;
	struct patterns_job job = {A, s, parts};
	int64_t shapes = 0, lists = 0, groups = A->rows / GROUP;

	for (int k = 0; k < count; k++)
		parts[k] =
			(part){.begin = eki_cut(groups, count, k),
		               .end = eki_cut(groups, count, k + 1),
		               .table = (int64_t *)work + (int64_t)k * TABLE,
		               .of_row = (row_shape *)((int64_t *)work + (int64_t)count * TABLE)};
	eki_parallel(plan->threads, count, find_part, &job);
	for (int k = 0; k < count; k++) {
		int64_t part_shapes = parts[k].shapes, part_lists = parts[k].lists;

		parts[k].shapes = shapes;
		parts[k].lists = lists;
		plan->bytes -= parts[k].saved;
		shapes += part_shapes;
		lists += part_lists;
	}
	EK_RETURN_IF(eki_plan_alloc(plan, shapes, sizeof *s->shape, &s->shape));
	EK_RETURN_IF(eki_plan_alloc(plan, lists + PADDING, sizeof *s->list, &s->list));
	memset(s->list + lists, 0, PADDING * sizeof *s->list);
	eki_parallel(plan->threads, count, write_part, &job);
	plan->bytes += groups * 4 + shapes * (int64_t)sizeof *s->shape + lists * 2;
	return EK_OK;
}

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_patterns);
	const ek_store *A = p->store;
	int type = eki_type(A->value, A->index), count = p->threads < 64 ? p->threads : 64;
	int64_t work_bytes = (int64_t)count * TABLE * (int64_t)sizeof(int64_t) +
	                     A->rows * (int64_t)sizeof(row_shape);
	part parts[64];
	void *work;
	patterns *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_plan_alloc(p, A->rows / GROUP, sizeof *s->group, &s->group));
	EK_RETURN_IF(eki_alloc(p->ctx, work_bytes, 1, &work));

	ek_status status = find_patterns(p, s, parts, count, work);

	eki_free(p->ctx, work, work_bytes, 1);
	p->kept = s;
	if (status != EK_OK)
		return status;
	return eki_split_prepare(p, EKI_SPLIT_NNZ, rows[p->isa][type], eki_csr_dot[p->isa][type]);
}

static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz, rows = (double)f->stats.rows,
	       narrow = f->narrow_share * nnz;
	double saved = narrow * (double)eki_idx_size(f->index) -
	               2 * (1 - f->repeat_share) * narrow +
	               rows * ((double)eki_ptr_size(f->index) - 0.5 - 8 * (1 - f->run_share));
	double run = f->stats.row_mean <= LONGEST_RUN_ROW ? f->run_share : 0;
	double work = (eki_csr_vector_work(f) + 0.5 * rows) * (1 - 0.5 * run);

	return 200 + eki_cost(f, f->csr_bytes - saved, work) +
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
	.traits = EKI_OP_N,
	.applies = applies,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
