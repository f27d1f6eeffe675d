/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by forward segmented sum and scan, with 16-bit column indices. The entries are cut
 * evenly into sections, one for each thread; each section sums its rows forward, several rows in
 * flight; what is open at the ends of sections is handed on in order by a scan over the sections
 * (split.c). That is w - 1 additions for w entries, where the segmented scan does 2 (w - 1), and
 * the products never go to memory. The author kept columns as 16-bit numbers and so could not go
 * beyond 65,536 of them. Here
 *   up to 65,536 columns  the columns are copied to 16 bits, values are read where the caller has
 *                         them: 10 bytes an entry instead of 12, or 6 instead of 8 for floats;
 *   beyond                the matrix is rearranged into tiles of 65,536 rows and columns (panels.c),
 *                         own copies of values included. The parts of x and y that a tile names
 *                         fit a second-level cache, so a matrix whose columns are scattered reads
 *                         x once for each block of rows, not once for each entry.
 *
 * The tiles of a block of rows are taken by columns, one after the other, and each adds to y.
 * Rounding: a row of k entries in c pieces gets c terms alpha s. An entry of a piece of n entries
 * is rounded as a product, by n - 1 additions, by alpha, by at most c - 1 further pieces, and by
 * the addition of beta y; pieces are not empty, so n - 1 + c - 1 <= k - 1, and k + 2 roundings in
 * all. With alpha = 1 and beta = 0, k. The term beta y is rounded c + 1 <= k + 1 times.
 *
 * Zhang 2012, section 4; Blelloch, Heroux, Zagha 1993; tiles: Nishtala, Vuduc, Demmel, Yelick
 * 2007. */
#include "spmv/csr_vector.h"
#include "spmv/panels.h"
#define EK_FILE "spmv/csr_forward.c"
#include "core/for_each.h"

#include "spmv/finish.h"

/* n entries of a row, as W partial sums. */
static inline vec FN(forward_sums)(const uint16_t *c, const VAL *val, const VAL *x, int64_t n)
{
	const vmask all = vmask_n(W);
	vec a = vzero();

	if (n > 4 * W) {
		vec b = vzero(), d = vzero(), e = vzero();

		for (; n > 4 * W; n -= 4 * W, c += 4 * W, val += 4 * W) {
			EK_AHEAD(val);
			EK_AHEAD(val + W);
			EK_AHEAD(val + 2 * W);
			EK_AHEAD(val + 3 * W);
			EK_AHEAD(c);
			a = vfma(vload(val), vgather_u16(x, c, all), a);
			b = vfma(vload(val + W), vgather_u16(x, c + W, all), b);
			d = vfma(vload(val + 2 * W), vgather_u16(x, c + 2 * W, all), d);
			e = vfma(vload(val + 3 * W), vgather_u16(x, c + 3 * W, all), e);
		}
		a = vadd(vadd(a, b), vadd(d, e));
	}
	for (; n > W; n -= W, c += W, val += W) {
		EK_AHEAD(val);
		a = vfma(vload(val), vgather_u16(x, c, all), a);
	}
	EK_AHEAD(val);
	EK_AHEAD(c);

	vmask m = vmask_n(n);

	return vfma(vload_n(val, m), vgather_u16(x, c, m), a);
}

/* ---- Up to 65,536 columns: CSR whose columns have 16 bits ------------------------------------ */

static void FN(forward_rows)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const uint16_t *col = v->kept;
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const VAL *y0 = v->y0;
	VAL *y = v->y;
	int64_t i = begin;

	for (; i + W <= end; i += W) {
		vec row[W];

		EK_UNROLL
		for (int r = 0; r < W; r++)
			row[r] = FN(forward_sums)(col + row_ptr[i + r], val + row_ptr[i + r], x,
			                          row_ptr[i + r + 1] - row_ptr[i + r]);
		FN(finish_rows)(vsum_rows(row), alpha, beta, y0 + i, y + i);
	}
	for (; i < end; i++) {
		vec row = FN(forward_sums)(col + row_ptr[i], val + row_ptr[i], x,
		                           row_ptr[i + 1] - row_ptr[i]);

		FN(finish_row)(vsum(row), alpha, beta, y0 + i, y + i);
	}
}

/* ---- Beyond: tiles --------------------------------------------------------------------------- */

/* One tile: n words, its entries at val and c, y at the block's first row. */
static inline void FN(tile_all)(const uint16_t *length, int64_t n, const uint16_t *c,
                                const VAL *val, const VAL *x, VAL alpha, VAL beta, const VAL *y0,
                                VAL *y)
{
	int64_t i = 0;

	for (; i + W <= n; i += W) {
		vec row[W];

		EK_UNROLL
		for (int r = 0; r < W; r++) {
			row[r] = FN(forward_sums)(c, val, x, length[i + r]);
			c += length[i + r];
			val += length[i + r];
		}
		FN(finish_rows)(vsum_rows(row), alpha, beta, y0 + i, y + i);
	}
	for (; i < n; i++) {
		FN(finish_row)
		(vsum(FN(forward_sums)(c, val, x, length[i])), alpha, beta, y0 + i, y + i);
		c += length[i];
		val += length[i];
	}
}

static inline void FN(tile_segments)(const uint16_t *word, int64_t n, const uint16_t *c,
                                     const VAL *val, const VAL *x, VAL alpha, VAL *y)
{
	const uint16_t *end = word + n;

	for (; end - word >= 2 * W; word += 2 * W) {
		vec row[W];
		VAL sum[W];

		EK_AHEAD(word);
		EK_UNROLL
		for (int r = 0; r < W; r++) {
			row[r] = FN(forward_sums)(c, val, x, word[2 * r + 1]);
			c += word[2 * r + 1];
			val += word[2 * r + 1];
		}
		vstore(sum, vmul(vset1(alpha), vsum_rows(row)));
		for (int r = 0; r < W; r++)
			y[word[2 * r]] += sum[r];
	}
	for (; word < end; word += 2) {
		y[word[0]] += alpha * vsum(FN(forward_sums)(c, val, x, word[1]));
		c += word[1];
		val += word[1];
	}
}

static inline void FN(tile_entries)(const uint16_t *row, int64_t n, const uint16_t *c,
                                    const VAL *val, const VAL *x, VAL alpha, VAL *y)
{
	const vmask all = vmask_n(W);
	VAL term[2 * W];

	for (; n >= 2 * W; n -= 2 * W, row += 2 * W, c += 2 * W, val += 2 * W) {
		EK_AHEAD(val);
		EK_AHEAD(val + W);
		EK_AHEAD(c);
		EK_AHEAD(row);
		vstore(term, vmul(vset1(alpha), vmul(vload(val), vgather_u16(x, c, all))));
		vstore(term + W,
		       vmul(vset1(alpha), vmul(vload(val + W), vgather_u16(x, c + W, all))));
		for (int r = 0; r < 2 * W; r++)
			y[row[r]] += term[r];
	}
	for (; n > 0; n--)
		y[*row++] += alpha * (*val++ * x[*c++]);
}

static void FN(forward_block)(const eki_panels *s, const eki_block *b, const ek_args *v)
{
	const VAL alpha = (VAL)v->alpha, *x0 = v->x, *val0 = s->val;
	const VAL *y0 = (const VAL *)v->y0 + b->begin;
	const int64_t rows = b->end - b->begin;
	VAL beta = (VAL)v->beta, *y = (VAL *)v->y + b->begin;
	const eki_tile *t = s->tile + b->tile, *end = s->tile + b[1].tile;

	/* A tile that names every row writes y, others can only add to it. */
	if (t == end || t->kind != EKI_TILE_ALL) {
		for (int64_t i = 0; i < rows; i++)
			y[i] = beta == 0 ? 0 : beta * y0[i];
	}
	for (; t < end; t++) {
		const uint16_t *word = s->word + t->word, *c = s->col + t->entry;
		const VAL *val = val0 + t->entry, *x = x0 + (int64_t)t->panel * PANEL;
		int64_t words = t[1].word - t->word;

		if (t->kind == EKI_TILE_ALL)
			FN(tile_all)(word, rows, c, val, x, alpha, beta, y0, y);
		else if (t->kind == EKI_TILE_SEGMENTS)
			FN(tile_segments)(word, words, c, val, x, alpha, y);
		else
			FN(tile_entries)(word, words, c, val, x, alpha, y);
		beta = 1;
		y0 = y;
	}
}

/* Rows [begin, end), which are those of whole blocks. */
static void FN(forward_tiles)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const eki_panels *s = v->kept;
	int64_t low = 0, high = s->blocks; /* the first block that does not begin before `begin` */

	(void)A;
	while (low < high) {
		int64_t mid = low + (high - low) / 2;

		if (s->block[mid].begin < begin)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < s->blocks && s->block[low].begin < end; low++)
		FN(forward_block)(s, &s->block[low], v);
}

#if EK_PER_TYPE

static void FN(forward_narrow)(const ek_store *A, uint16_t *out, int64_t begin, int64_t end)
{
	const IDX *col_idx = A->array[CSR_COL];

	for (int64_t k = begin; k < end; k++)
		out[k] = (uint16_t)col_idx[k];
}

#endif
#if EK_ONCE

typedef void narrow_fn(const ek_store *, uint16_t *, int64_t, int64_t);

enum { PADDING = 16, MAX_PANELS = 4096 };

struct narrow_job {
	const ek_plan *plan;
	uint16_t *col;
};

static void narrow_part(void *arg, int part)
{
	static narrow_fn *const narrow[EK_NTYPE] = EK_BY_TYPE(forward_narrow);
	const struct narrow_job *job = arg;
	const ek_plan *p = job->plan;
	const ek_store *A = p->store;

	narrow[eki_type(A->value, A->index)](A, job->col, eki_cut(A->nnz, p->parts, part),
	                                     eki_cut(A->nnz, p->parts, part + 1));
}

static ek_status prepare_narrow(ek_plan *p)
{
	const ek_store *A = p->store;
	struct narrow_job job = {.plan = p};

	EK_RETURN_IF(eki_plan_alloc(p, A->nnz + PADDING, sizeof *job.col, &job.col));
	for (int k = 0; k < PADDING; k++)
		job.col[A->nnz + k] = 0;
	eki_parallel(p->threads, p->parts, narrow_part, &job);
	p->kept = job.col;
	p->bytes += A->nnz * (2 - (int64_t)eki_idx_size(A->index));
	return EK_OK;
}

static ek_status prepare_tiles(ek_plan *p)
{
	eki_panels *panels;

	EK_RETURN_IF(eki_panels_make(p, &panels));
	p->kept = panels;
	return EK_OK;
}

/* Pieces of rows that are cut between parts, two for each part at most, are summed with the columns
 * of the matrix. */
static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const narrow[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(forward_rows);
	static eki_rows_fn *const tiles[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(forward_tiles);
	int type = eki_type(p->store->value, p->store->index);
	bool wide = p->store->cols > PANEL;

	EK_RETURN_IF(eki_split_prepare(p, EKI_SPLIT_NNZ, (wide ? tiles : narrow)[p->isa][type],
	                               eki_csr_dot[p->isa][type]));
	return wide ? prepare_tiles(p) : prepare_narrow(p);
}

static ek_status refresh(ek_plan *p)
{
	if (p->store->cols > PANEL)
		eki_panels_refresh(p, p->kept);
	return EK_OK;
}

/* Tiles without entries cost no memory, but a look when they are made. */
static bool applies(const ek_store *A, ek_op op)
{
	int64_t panels = A->cols / PANEL + 1, blocks = A->rows / PANEL + 1;

	(void)op;
	return A->cols <= PANEL || (panels <= MAX_PANELS && blocks * panels <= PANEL + A->nnz);
}

/* Of n things thrown into `places`, the share that falls on a place for the first time. */
static double first_share(double n, double places)
{
	return n > 0 ? places / n * (1 - exp(-n / places)) : 1;
}

/* Tiles: far entries lie evenly, so a row meets so many panels, and a tile meets a line of x for
 * the first time so often; the others make one segment of a row. Where a row's entries begin is
 * known only when those before are read, hence the work for each row. */
static double cost_of_tiles(const eki_features *f)
{
	double nnz = (double)f->stats.nnz, rows = (double)f->stats.rows,
	       size = (double)ek_value_size(f->value);
	double panels = (double)f->stats.cols / PANEL, tiles = panels * (rows / PANEL + 1);
	double far = f->far_share * nnz, in_row = rows > 0 ? far / rows : 0;
	double segments = fmin(rows, nnz - far) * (1 + 0.2 * (1 - f->far_share)) +
	                  far * first_share(in_row, panels);
	double lines = fmin(PANEL, (double)f->stats.cols) * size / 64;
	bool few = nnz < 5 * segments;
	double words = few ? nnz : fmin(2 * segments, rows * panels);
	double work = few ? 1.1 * nnz
	                  : eki_csr_vector_work(f) + 1.5 * rows + 2.0 * fmax(0, segments - rows);
	eki_features t = *f;

	t.far_share *= first_share(far / tiles, lines);
	return 500 + 15 * nnz / (double)f->calls +
	       eki_cost(&t,
	                f->csr_bytes - ((double)eki_idx_size(f->index) - 2) * nnz -
	                        (double)eki_ptr_size(f->index) * rows + 2 * words,
	                work);
}

/* Preparation of 16-bit columns: half a product. */
static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz;

	if (f->stats.cols > PANEL)
		return cost_of_tiles(f);
	return 150 + 0.5 * nnz / (double)f->calls +
	       eki_cost(f, f->csr_bytes - ((double)eki_idx_size(f->index) - 2) * nnz,
	                eki_csr_vector_work(f));
}

const ek_method ek_spmv_csr_forward = {
	.name = "spmv.csr.forward",
	.text = "forward segmented sum and scan with 16-bit columns; beyond 65,536 columns in "
		"tiles",
	.source = "Zhang 2012, section 4; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N,
	.applies = applies,
	.cost = cost,
	.prepare = prepare,
	.refresh = refresh,
	.run = eki_split_run,
};

#endif
