/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR5: each column of a tile is a lane of a vector, so that each step is a load, a gather
 * and a fused multiply-add, however long the rows are.
 *
 * Each step stores the sums so far, then clears the sums of lanes where a row begins. When the tile
 * is done, the flags tell which of the stored sums are sums of rows: a flag marks the first entry
 * of a row, and so ends the row before it. The sum that a lane holds at its end (blue in the
 * thesis) belongs to the row that the next flag ends (red), which may be several lanes further on.
 * These sums are added to their rows lane after lane. The thesis instead takes differences of a
 * scan over the lanes with seg_offset, which loses digits after lanes with large sums. It also
 * scatters each row within a lane (green) as soon as it ends; here all rows are written in order. A
 * tile whose entries are all in one row is a dot product. If there are empty rows between the first
 * and the last row of a tile, y is first set to beta y for all rows between these two; then the
 * rows with entries are written.
 *
 * Threads get the same number of tiles; the driver (drive.c) adds up the sums of rows that threads
 * share. A product reads the arrays of the format once. Rounding: if the sum of one lane is added
 * to that of another, it includes at least one entry of the row. So in a row of k entries each
 * product passes through at most k - 1 additions.
 *
 * Liu 2015, section 8.5, Algorithm 32. */
#include "format/csr5.h"
#include "drive/drive.h"
#define EK_FILE "spmv/csr5.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "drive/row_sums.h"

/* Buffers in which one thread sums a tile. */
struct FN(csr5_buffers) {
	/* sums[j omega + l] is the sum of lane l before step j, since the lane's last flag; last[l]
	 * is the sum of lane l at its end */
	VAL sums[CSR5_MAX_OMEGA * CSR5_MAX_SIGMA], last[CSR5_MAX_OMEGA];
	/* place[p] is the index in `sums` for bit p of a word of csr5_flags: step p % sigma of lane
	 * p / sigma */
	uint16_t place[64];
	VAL none; /* dummy to which lanes without flags add */
};

/* The open row, that is, the row whose sum is not complete, and its sum so far. */
struct FN(open) {
	const eki_run *v;
	eki_carry *carry;
	int64_t row;
	VAL sum;
};

/* Finishes the open row: writes its y or, if it is the part's first row, stores its sum in the
 * carry. */
static inline void FN(close)(const struct FN(open) * o)
{
	const VAL alpha = EK_SCALAR(o->v->alpha), beta = EK_SCALAR(o->v->beta);
	const VAL *y0 = (const VAL *)o->v->y0.data + o->row;
	VAL *y = (VAL *)o->v->y.data + o->row;

	if (o->row == o->carry->first)
		*(VAL *)o->carry->first_sum = o->sum;
	else
		FN(finish_row)(o->sum, alpha, beta, y0, y);
}

/* Makes `row` the open row. If another row was open, finishes that row and the empty rows between
 * the two. */
static inline void FN(go_on)(struct FN(open) * o, int64_t row)
{
	const int64_t next = o->row + 1;
	const VAL *y0 = (const VAL *)o->v->y0.data + next;
	VAL *y = (VAL *)o->v->y.data + next;

	if (row == o->row)
		return;
	FN(close)(o);
	FN(finish_none)(EK_SCALAR(o->v->beta), y0, y, row - next);
	o->row = row;
	o->sum = 0;
}

/* Multiplies the entries of W lanes, from place j up to place `end` of the tile, and stores the
 * sums before each step. `flag` has the flags of these steps, the lowest bits first. Returns the
 * sums after the last step; `sum` are those before the first. */
static inline vec FN(csr5_steps)(int64_t omega, int64_t j, int64_t end, vwords flag,
                                 const IDX *col_idx, const VAL *val, const VAL *x, vec sum,
                                 VAL *sums)
{
	for (; j < end; j += omega) {
		EK_AHEAD(val + j);
		EK_AHEAD(col_idx + j);
		vstore(sums + j, sum);
		sum = vfma(vload(val + j), vgather(x, col_idx + j), vclear(sum, flag));
		flag = vwords_next(flag);
	}
	return sum;
}

/* Multiplies the entries of a tile, and fills the buffers `sums` and `last`. */
static inline void FN(csr5_lanes)(const csr5_shape *h, const uint32_t *word, const IDX *col_idx,
                                  const VAL *val, const VAL *x, struct FN(csr5_buffers) * b)
{
	const int64_t half =
		h->flag_words > 1 ? 32 * h->omega : h->tile; /* end of a word's steps */

	for (int64_t l = 0; l < h->omega; l += W) {
		vec sum = FN(csr5_steps)(h->omega, l, half, vwords_load(word + l), col_idx, val, x,
		                         vzero(), b->sums);

		if (h->flag_words > 1)
			sum = FN(csr5_steps)(h->omega, half + l, h->tile,
			                     vwords_load(word + h->omega + l), col_idx, val, x, sum,
			                     b->sums);
		vstore(b->last + l, sum);
	}
}

/* Adds the sum that each lane holds at its end to the row to which it belongs. The stored sum of
 * that row is the one at the next flag. Returns the sum of the tile's last row, which no flag
 * ends. */
static inline VAL FN(csr5_join)(const csr5_shape *h, const uint32_t *word,
                                struct FN(csr5_buffers) * b)
{
	VAL open = 0;

	for (int64_t l = 0; l < h->omega; l++) {
		const uint64_t flags = csr5_flags_of(h, word, l);
		VAL *end = flags ? b->sums + __builtin_ctzll(flags) * h->omega + l : &b->none;

		*end += open;
		open = flags ? b->last[l] : open + b->last[l];
	}
	return open;
}

/* Returns a word with the flags of lane l and of as many following lanes as fit the word. */
static inline uint64_t FN(csr5_flags)(const csr5_shape *h, const uint32_t *word, int64_t l)
{
	uint64_t bits = 0;

	for (int64_t k = 0; k < h->lanes && l + k < h->omega; k++)
		bits |= csr5_flags_of(h, word, l + k) << k * h->sigma;
	return bits;
}

/* Finishes the rows of a tile from the stored sums. The first flag only begins the tile's first
 * row. The second flag ends that row, which is the open row, and each further flag ends another
 * row. If the tile has empty rows, they are already finished, and `place` is the distance of each
 * other row from the tile's first row; otherwise `place` is NULL. The flags of several lanes are
 * joined in one word, and one loop goes through its bits. The processor cannot predict the end of
 * such a loop, and with a loop for each lane there would be more ends. */
static inline __attribute__((always_inline)) void
FN(csr5_rows)(const csr5_shape *h, const uint32_t *word, struct FN(open) * o,
              const struct FN(csr5_buffers) * b, const IDX *place, bool add)
{
	const VAL alpha = EK_SCALAR(o->v->alpha), beta = EK_SCALAR(o->v->beta), *sums = b->sums;
	const uint16_t *at = b->place;
	VAL *y = (VAL *)o->v->y.data + o->row + !place;
	const VAL *y0 = (const VAL *)o->v->y0.data + o->row + 1; /* used only if `place` is NULL */
	uint64_t bits = FN(csr5_flags)(h, word, 0);
	int64_t l = 0;

	for (bits &= bits - 1; !bits; sums += h->lanes) {
		l += h->lanes;
		bits = FN(csr5_flags)(h, word, l);
	}
	o->sum += sums[at[__builtin_ctzll(bits)]];
	FN(close)(o);
	for (bits &= bits - 1;; sums += h->lanes) {
		for (; bits; bits &= bits - 1) {
			const VAL sum = alpha * sums[at[__builtin_ctzll(bits)]];
			VAL *to = place ? y + *place++ : y++;

			*to = !add ? sum : place ? sum + *to : sum + beta * *y0++;
		}
		if ((l += h->lanes) >= h->omega)
			break;
		bits = FN(csr5_flags)(h, word, l);
	}
}

/* Defines a copy of csr5_rows for each of the four cases. In a separate function the loop has more
 * registers. */
#define ROWS(name, place, add)                                                                   \
	static __attribute__((noinline)) void FN(csr5_##name)(                                   \
		const csr5_shape *h, const uint32_t *word, const IDX *some, struct FN(open) * o, \
		const struct FN(csr5_buffers) * b)                                               \
	{                                                                                        \
		(void)some;                                                                      \
		FN(csr5_rows)(h, word, o, b, place, add);                                        \
	}
ROWS(write, NULL, false)
ROWS(add, NULL, true)
ROWS(write_some, some, false)
ROWS(add_some, some, true)
#undef ROWS

static inline void FN(csr5_tile)(const ek_store *A, const csr5_shape *h, int64_t t,
                                 struct FN(open) * o, struct FN(csr5_buffers) * b)
{
	const uint32_t *word = (const uint32_t *)A->array[CSR5_DESC] + t * h->words * h->omega;
	const IDX *col_idx = (const IDX *)A->array[CSR5_COL] + t * h->tile;
	const VAL *val = (const VAL *)A->array[CSR5_VAL] + t * h->tile, *x = o->v->x.data;
	const int64_t row = csr5_row(A, t), n = csr5_rows_of(h, word);
	const VAL beta = EK_SCALAR(o->v->beta);
	VAL last;

	FN(go_on)(o, row);
	if (n == 1) {
		o->sum += vsum(FN(row_sums)(col_idx, val, x, 0, h->tile));
		return;
	}
	FN(csr5_lanes)(h, word, col_idx, val, x, b);
	last = FN(csr5_join)(h, word, b);
	if (csr5_has_empty(A, t)) {
		const IDX *some = (const IDX *)A->array[CSR5_EMPTY] +
		                  ((const PTR *)A->array[CSR5_EMPTY_PTR])[t];
		const VAL *y0 = (const VAL *)o->v->y0.data + row + 1;
		VAL *y = (VAL *)o->v->y.data + row + 1;

		FN(finish_none)(beta, y0, y, some[n - 1] - 1);
		(beta == 0 ? FN(csr5_write_some) : FN(csr5_add_some))(h, word, some + 1, o, b);
		o->row = row + some[n - 1];
	} else {
		(beta == 0 ? FN(csr5_write) : FN(csr5_add))(h, word, NULL, o, b);
		o->row = row + n - 1;
	}
	o->sum = last;
}

/* Multiplies the entries after the last tile, from entry k on. */
static void FN(csr5_rest)(const ek_store *A, int64_t k, struct FN(open) * o)
{
	const PTR *row_ptr = A->array[CSR5_PTR];
	const IDX *col_idx = A->array[CSR5_COL];
	const VAL *val = A->array[CSR5_VAL], *x = o->v->x.data;

	for (int64_t i = eki_row_of(A, k); k < A->nnz; i++) {
		VAL sum = 0;

		if (row_ptr[i + 1] <= k)
			continue;
		for (; k < row_ptr[i + 1]; k++)
			sum += val[k] * x[col_idx[k]];
		FN(go_on)(o, i);
		o->sum += sum;
	}
}

static void FN(csr5_multiply)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                              eki_carry *carry)
{
	const csr5_shape h = csr5_shape_of(A);
	struct FN(csr5_buffers) b;
	struct FN(open) o = {.v = v, .carry = carry, .row = eki_row_of(A, begin * h.tile)};

	for (int p = 0; p < 64; p++)
		b.place[p] = (uint16_t)(p % h.sigma * h.omega + p / h.sigma);
	b.none = 0;
	carry->first = o.row;
	for (int64_t t = begin; t < end && t < h.tiles; t++)
		FN(csr5_tile)(A, &h, t, &o, &b);
	if (end > h.tiles)
		FN(csr5_rest)(A, h.tiles * h.tile, &o);
	carry->last = o.row;
	if (o.row == carry->first)
		*(VAL *)carry->first_sum = o.sum;
	else
		*(VAL *)carry->last_sum = o.sum;
}

#if EK_PER_TYPE

/* Multiplies unit t by alpha x for op T. The result of column j is added to sum[j - first]. Takes
 * the unit lane by lane, and each lane row by row. */
static inline void FN(csr5_scatter_unit)(const ek_store *A, const csr5_shape *h, const eki_run *v,
                                         int64_t t, int64_t first, VAL *sum)
{
	const PTR *row_ptr = A->array[CSR5_PTR];
	const IDX *col_idx = A->array[CSR5_COL];
	const VAL *val = A->array[CSR5_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	const int64_t begin = t * h->tile, end = t < h->tiles ? begin + h->tile : A->nnz;
	const int64_t steps = t < h->tiles ? h->sigma : end - begin;
	const int64_t apart = t < h->tiles ? h->omega : 1;
	int64_t i = eki_row_of(A, begin), k = begin;

	for (int64_t lane = begin; k < end; lane++) {
		const int64_t lane_end = k + steps;

		for (int64_t at = lane; k < lane_end; i += k == row_ptr[i + 1]) {
			const int64_t stop = row_ptr[i + 1] < lane_end ? row_ptr[i + 1] : lane_end;
			const VAL xi = alpha * x[i];

			for (; k < stop; k++, at += apart)
				sum[col_idx[at] - first] += val[at] * xi;
		}
	}
}

static void FN(csr5_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                             int64_t first, void *sum)
{
	const csr5_shape h = csr5_shape_of(A);

	for (int64_t t = begin; t < end; t++)
		FN(csr5_scatter_unit)(A, &h, v, t, first, sum);
}

#endif
#if EK_ONCE

/* Returns the highest instruction set, up to that of the step, whose vectors have no more lanes
 * than a tile has columns. */
static ek_isa isa_for(const eki_step *step, int64_t omega)
{
	ek_isa level = eki_isa_level(step->isa);
	const bool loads = level != step->isa;

	while (level != EK_ISA_SCALAR && omega < eki_lanes(level, step->in[0]->value))
		level = eki_isa_below(level);
	return eki_isa_gather(level, loads);
}

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const int64_t tile = csr5_shape_of(A).tile;

	eki_span(A, CSR5_COL, begin * tile, end * tile < A->nnz ? end * tile : A->nnz, span);
}

static ek_status prepare(eki_step *step)
{
	static eki_carry_fn *const multiply[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr5_multiply);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(csr5_scatter);
	const csr5_shape h = csr5_shape_of(step->in[0]);
	const int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_drive_prepare(
		step, &(eki_drive){.units = h.tiles + (h.tiles * h.tile < step->in[0]->nnz),
	                           .carry = multiply[isa_for(step, h.omega)][type],
	                           .scatter = scatter[type],
	                           .span = span});
}

static double cost(const eki_features *f)
{
	return eki_cost_units(f, EKI_LOOP_TILES);
}

const ek_method ek_spmv_csr5 = {
	.name = "spmv.csr5",
	.text = "a lane for each column of a tile, rows by flags",
	.source = "Liu 2015, section 8.5, Algorithm 32",
	.operation = EK_SPMV,
	.format = {&ek_format_csr5},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
