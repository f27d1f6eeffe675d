/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by forward segmented sum and scan, with 16-bit column indices. The entries are cut
 * evenly into sections, one for each thread. Each section sums its rows in order, several rows at a
 * time. The sum of a row that continues in the next section is carried on by a scan over the
 * sections (split.c). This takes w - 1 additions for w entries, where the segmented scan takes
 * 2 (w - 1), and no products are stored in memory (csr_forward_published.c stores them, as the
 * paper does). Zhang stored columns as 16-bit numbers, which limits a matrix to 65,536 columns.
 * Here the method depends on the number of columns:
 *   up to 65,536   the columns are copied as 16-bit numbers, and values are read from the caller's
 *                  array: 10 bytes an entry instead of 12, or 6 instead of 8 for floats;
 *   more           the matrix is rearranged into tiles of 65,536 rows and columns (panels.c), with
 *                  copies of the values. The parts of x and y that a tile uses fit a second-level
 *                  cache, so a matrix whose columns are scattered reads x once for each block of
 *                  rows, not once for each entry.
 *
 * The tiles of a block of rows are multiplied one after the other, by ascending columns, and each
 * adds to y. Rounding: let a row of k entries be cut into c pieces; y gets a term alpha s from each
 * piece with sum s. An entry of a piece of n entries is rounded once as a product, n - 1 times by
 * additions, once by the factor alpha, at most c - 1 times by the additions of further pieces, and
 * once by the addition of beta y. Pieces are not empty, so n - 1 + c - 1 <= k - 1. That makes at
 * most k + 2 roundings, or k with alpha = 1 and beta = 0. The term beta y is rounded c + 1 <= k + 1
 * times.
 *
 * Zhang 2012, section 4; Blelloch, Heroux, Zagha 1993; tiles: Nishtala, Vuduc, Demmel, Yelick
 * 2007. */
#include "spmv/csr_vector.h"
#include "spmv/narrow.h"
#include "spmv/panels.h"
#define EK_FILE "spmv/csr_forward.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"

/* Returns W partial sums of the products of n entries of a row. From the first of them on, `left`
 * entries have their columns counted from x. */
static EK_ONE_OF_W vec FN(forward_sums)(const uint16_t *c, const VAL *val, const VAL *x, int64_t n,
                                        int64_t left)
{
	const uint16_t *last = c + left;
	vec a = vzero();

	if (n > 4 * W) {
		vec b = vzero(), d = vzero(), e = vzero();

		for (; n > 4 * W; n -= 4 * W, c += 4 * W, val += 4 * W) {
			EK_AHEAD(val);
			EK_AHEAD(val + W);
			EK_AHEAD(val + 2 * W);
			EK_AHEAD(val + 3 * W);
			EK_AHEAD(c);
			a = vfma(vload(val), vgather_u16(x, c), a);
			b = vfma(vload(val + W), vgather_u16(x, c + W), b);
			d = vfma(vload(val + 2 * W), vgather_u16(x, c + 2 * W), d);
			e = vfma(vload(val + 3 * W), vgather_u16(x, c + 3 * W), e);
		}
		a = vadd(vadd(a, b), vadd(d, e));
	}
	for (; n > W; n -= W, c += W, val += W) {
		EK_AHEAD(val);
		a = vfma(vload(val), vgather_u16(x, c), a);
	}
	EK_AHEAD(val);
	EK_AHEAD(c);

	vmask m = vmask_n(n);

	return vfma(vload_n(val, m), vgather_u16_within(x, c, m, last - c), a);
}

/* ---- Up to 65,536 columns: CSR whose columns have 16 bits ------------------------------------ */

static void FN(forward_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const uint16_t *col = v->aux;
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;
	int64_t i = begin;

	for (; i + W <= end; i += W) {
		vec row[W];

		EK_UNROLL
		for (int r = 0; r < W; r++)
			row[r] = FN(forward_sums)(col + row_ptr[i + r], val + row_ptr[i + r], x,
			                          row_ptr[i + r + 1] - row_ptr[i + r],
			                          A->nnz - row_ptr[i + r]);
		FN(finish_rows)(vsum_rows(row), alpha, beta, y0 + i, y + i);
	}
	for (; i < end; i++) {
		vec row = FN(forward_sums)(col + row_ptr[i], val + row_ptr[i], x,
		                           row_ptr[i + 1] - row_ptr[i], A->nnz - row_ptr[i]);

		FN(finish_row)(vsum(row), alpha, beta, y0 + i, y + i);
	}
}

/* ---- More than 65,536 columns: tiles --------------------------------------------------------- */

/* Multiplies a tile of the kind EKI_TILE_ALL with n rows. Its values begin at `val`, its columns at
 * `c` and end at `last`; `y` points to the first row of the block. */
static inline void FN(tile_all)(const uint16_t *length, int64_t n, const uint16_t *c,
                                const uint16_t *last, const VAL *val, const VAL *x, VAL alpha,
                                VAL beta, const VAL *y0, VAL *y)
{
	int64_t i = 0;

	for (; i + W <= n; i += W) {
		vec row[W];

		EK_UNROLL
		for (int r = 0; r < W; r++) {
			row[r] = FN(forward_sums)(c, val, x, length[i + r], last - c);
			c += length[i + r];
			val += length[i + r];
		}
		FN(finish_rows)(vsum_rows(row), alpha, beta, y0 + i, y + i);
	}
	for (; i < n; i++) {
		const VAL sum = vsum(FN(forward_sums)(c, val, x, length[i], last - c));

		FN(finish_row)(sum, alpha, beta, y0 + i, y + i);
		c += length[i];
		val += length[i];
	}
}

static inline void FN(tile_segments)(const uint16_t *word, int64_t n, const uint16_t *c,
                                     const uint16_t *last, const VAL *val, const VAL *x, VAL alpha,
                                     VAL *y)
{
	const uint16_t *end = word + n;

	for (; end - word >= 2 * W; word += 2 * W) {
		vec row[W];
		VAL sum[W];

		EK_AHEAD(word);
		EK_UNROLL
		for (int r = 0; r < W; r++) {
			row[r] = FN(forward_sums)(c, val, x, word[2 * r + 1], last - c);
			c += word[2 * r + 1];
			val += word[2 * r + 1];
		}
		vstore(sum, vmul(vset1(alpha), vsum_rows(row)));
		for (int r = 0; r < W; r++)
			y[word[2 * r]] += sum[r];
	}
	for (; word < end; word += 2) {
		y[word[0]] += alpha * vsum(FN(forward_sums)(c, val, x, word[1], last - c));
		c += word[1];
		val += word[1];
	}
}

static inline void FN(tile_entries)(const uint16_t *row, int64_t n, const uint16_t *c,
                                    const VAL *val, const VAL *x, VAL alpha, VAL *y)
{
	VAL term[2 * W];

	for (; n >= 2 * W; n -= 2 * W, row += 2 * W, c += 2 * W, val += 2 * W) {
		EK_AHEAD(val);
		EK_AHEAD(val + W);
		EK_AHEAD(c);
		EK_AHEAD(row);
		vstore(term, vmul(vset1(alpha), vmul(vload(val), vgather_u16(x, c))));
		vstore(term + W, vmul(vset1(alpha), vmul(vload(val + W), vgather_u16(x, c + W))));
		for (int r = 0; r < 2 * W; r++)
			y[row[r]] += term[r];
	}
	for (; n > 0; n--)
		y[*row++] += alpha * (*val++ * x[*c++]);
}

static void FN(forward_block)(const eki_panels *s, const eki_block *b, const eki_run *v)
{
	const VAL alpha = EK_SCALAR(v->alpha), *x0 = v->x.data, *val0 = s->val;
	const VAL *y0 = (const VAL *)v->y0.data + b->begin;
	const int64_t rows = b->end - b->begin;
	VAL beta = EK_SCALAR(v->beta), *y = (VAL *)v->y.data + b->begin;
	const eki_tile *t = s->tile + b->tile, *end = s->tile + b[1].tile;

	/* A first tile of kind EKI_TILE_ALL has a word for every row and writes every y_i itself.
	 * Tiles of other kinds only add to y, so y is first set to beta y0. */
	if (t == end || t->kind != EKI_TILE_ALL) {
		for (int64_t i = 0; i < rows; i++)
			y[i] = beta == 0 ? 0 : beta * y0[i];
	}
	for (; t < end; t++) {
		const uint16_t *word = s->word + t->word, *c = s->col + t->entry;
		const uint16_t *last = s->col + t[1].entry;
		const VAL *val = val0 + t->entry, *x = x0 + (int64_t)t->panel * PANEL;
		int64_t words = t[1].word - t->word;

		if (t->kind == EKI_TILE_ALL)
			FN(tile_all)(word, rows, c, last, val, x, alpha, beta, y0, y);
		else if (t->kind == EKI_TILE_SEGMENTS)
			FN(tile_segments)(word, words, c, last, val, x, alpha, y);
		else
			FN(tile_entries)(word, words, c, val, x, alpha, y);
		beta = 1;
		y0 = y;
	}
}

struct FN(forward_from) {
	const eki_panels *s;
	int64_t row;
};

static bool FN(forward_before)(const void *of, int64_t block)
{
	const struct FN(forward_from) *from = of;

	return from->s->block[block].begin < from->row;
}

/* Multiplies rows [begin, end), which are all rows of one or more blocks. */
static void FN(forward_tiles)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const eki_panels *s = v->aux;
	int64_t low =
		eki_search(0, s->blocks, FN(forward_before), &(struct FN(forward_from)){s, begin});

	(void)A;
	for (; low < s->blocks && s->block[low].begin < end; low++)
		FN(forward_block)(s, &s->block[low], v);
}

#if EK_ONCE

enum { MAX_PANELS = 4096 };

static ek_status prepare_tiles(eki_step *step)
{
	eki_panels *panels;

	EK_RETURN_IF(eki_panels_make(step, &panels));
	step->aux = panels;
	return EK_OK;
}

/* Chooses the kernels and makes the 16-bit columns or the tiles. Pieces of rows that are cut
 * between parts, at most two for each part, are summed with the column indices of CSR. */
static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const narrow[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(forward_rows);
	static eki_rows_fn *const tiles[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(forward_tiles);
	int type = eki_type(step->in[0]->value, step->in[0]->index);
	bool wide = step->in[0]->cols > PANEL;

	EK_RETURN_IF(eki_split_prepare(step, EKI_SPLIT_NNZ,
	                               (wide ? tiles : narrow)[step->isa][type],
	                               eki_csr_dot[step->isa][type]));
	return wide ? prepare_tiles(step) : eki_narrow_columns(step);
}

static ek_status refresh(eki_step *step)
{
	if (step->in[0]->cols > PANEL)
		eki_panels_refresh(step, step->aux);
	return EK_OK;
}

/* Tells whether A would have few enough tiles for this method. Empty tiles take no memory, but
 * making them takes time. */
static bool applies(const ek_store *A, ek_op op)
{
	int64_t panels = A->cols / PANEL + 1, blocks = A->rows / PANEL + 1;

	(void)op;
	return A->cols <= PANEL || (panels <= MAX_PANELS && blocks * panels <= PANEL + A->nnz);
}

/* Predicts the time with tiles. Entries far from the diagonal are assumed to be spread evenly. This
 * gives the number of panels that a row meets, and how often a tile meets a cache line of x for the
 * first time. The other entries of a row are assumed to make one segment. Each row has a cost of
 * its own, since the position of its entries is known only when the rows before it have been
 * read. */
static double cost_of_tiles(const eki_features *f)
{
	const eki_machine *m = f->machine;
	double nnz = (double)f->stats.nnz, rows = (double)f->stats.rows,
	       size = (double)ek_value_size(f->value);
	double panels = (double)f->stats.cols / PANEL, tiles = panels * (rows / PANEL + 1);
	double far = f->far_share * nnz, in_row = rows > 0 ? far / rows : 0;
	double segments = fmin(rows, nnz - far) * (1 + 0.2 * (1 - f->far_share)) +
	                  far * eki_first_share(in_row, panels);
	double lines = fmin(PANEL, (double)f->stats.cols) * size / 64;
	bool few = nnz < 5 * segments;
	double words = few ? nnz : fmin(2 * segments, rows * panels);
	double work = few ? m->tile.entry * nnz
	                  : eki_csr_vector_work(f) + m->tile.row * rows +
	                              m->tile.segment * fmax(0, segments - rows);
	eki_features t = *f;

	t.in_order = true;
	t.far_share *= eki_first_share(far / tiles, lines);
	return 5 * m->call + m->tiles_entry * nnz / (double)f->calls +
	       eki_cost(&t,
	                f->csr_bytes - ((double)eki_idx_size(f->index) - 2) * nnz -
	                        (double)eki_ptr_size(f->index) * rows + 2 * words,
	                work);
}

/* Predicts the time. Preparing 16-bit columns takes half as long as a product. */
static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz;

	if (f->stats.cols > PANEL)
		return cost_of_tiles(f);
	return 1.5 * f->machine->call + f->machine->narrow_entry * nnz / (double)f->calls +
	       eki_cost(f, f->csr_bytes - ((double)eki_idx_size(f->index) - 2) * nnz,
	                eki_csr_vector_work(f) +
	                        f->machine->narrow_work[0] * (double)f->stats.rows +
	                        f->machine->narrow_work[1] * nnz);
}

static double memory(const eki_features *f)
{
	const double each = 2 + (f->stats.cols > PANEL ? 2 + (double)ek_value_size(f->value) : 0);

	return each * (double)f->stats.nnz;
}

const ek_method ek_spmv_csr_forward = {
	.name = "spmv.csr.forward",
	.text = "forward segmented sum and scan with 16-bit columns; beyond 65,536 columns in "
		"tiles",
	.source = "Zhang 2012, section 4; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N,
	.applies = applies,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.refresh = refresh,
	.run = eki_split_run,
};

#endif
