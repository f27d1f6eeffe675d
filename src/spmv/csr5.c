/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR5: a lane of a vector for each column of a tile, so that a step is a load, a gather
 * and a fused addition whatever the rows are.
 *
 * In each step the sums so far are stored, then those of lanes where a row begins are cleared. When
 * the tile is done the flags tell which of the stored sums are wanted: a flag ends the row before.
 * What a lane has at its end (blue in the thesis) belongs to the row that the next flag ends (red),
 * however many lanes behind, and is added to it lane after lane. The thesis takes differences of a
 * scan over the lanes with seg_offset for that, which loses digits behind lanes with large sums; it
 * also scatters rows within a lane (green) as they end, where here they are written in order. Tiles
 * within one row are a dot product. Where rows are empty, y is cleared from the tile's first row to
 * its last, then the others are written.
 *
 * Tiles are dealt out evenly; the rows that threads share are added up by the driver (drive.c).
 * Moves the bytes of the format. Rounding: every sum of a lane that is added to another has an
 * entry of the row, so a term of a row of k entries passes at most k - 1 additions.
 *
 * Liu 2015, section 8.5, Algorithm 32. */
#include "format/csr5.h"
#include "spmv/drive.h"
#define EK_FILE "spmv/csr5.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/row_sums.h"

/* Of one thread. */
struct FN(csr5_buffers) {
	/* sums[j omega + l]: that of lane l before step j, since its last flag; last[l]: at its
	 * end. */
	VAL sums[CSR5_MAX_OMEGA * CSR5_MAX_SIGMA], last[CSR5_MAX_OMEGA];
	/* Where among the sums entry p of the first lanes lies, as many as 64 flags cover. */
	uint16_t place[64];
	VAL none; /* written for lanes without flags */
};

/* The row that is open: its sum up to now. */
struct FN(open) {
	const ek_args *v;
	eki_carry *carry;
	int64_t row;
	VAL sum;
};

/* Finishes the open row. */
static inline void FN(close)(const struct FN(open) * o)
{
	if (o->row == o->carry->first)
		o->carry->first_sum[0] = o->sum;
	else
		FN(finish_row)
		(o->sum, (VAL)o->v->alpha, (VAL)o->v->beta, (const VAL *)o->v->y0 + o->row,
		 (VAL *)o->v->y + o->row);
}

/* Row `row` goes on; if it is not the open one, that is finished, and those between are empty. */
static inline void FN(go_on)(struct FN(open) * o, int64_t row)
{
	if (row == o->row)
		return;
	FN(close)(o);
	FN(finish_none)
	((VAL)o->v->beta, (const VAL *)o->v->y0 + o->row + 1, (VAL *)o->v->y + o->row + 1,
	 row - o->row - 1);
	o->row = row;
	o->sum = 0;
}

/* Fills sums and last. */
static inline void FN(csr5_lanes)(const csr5_shape *h, const uint32_t *word, const IDX *col_idx,
                                  const VAL *val, const VAL *x, struct FN(csr5_buffers) * b)
{
	for (int64_t l = 0; l < h->omega; l += W) {
		vwords flag = vwords_load(word + l);
		vec sum = vzero();

		for (int64_t j = l; j < h->tile; j += h->omega) {
			EK_AHEAD(val + j);
			EK_AHEAD(col_idx + j);
			vstore(b->sums + j, sum);
			sum = vfma(vload(val + j), vgather(x, col_idx + j), vclear(sum, flag));
			flag = vwords_next(flag);
		}
		vstore(b->last + l, sum);
	}
}

/* Adds what a lane has at its end to the sum that the next flag behind it ends; gives what is left,
 * the sum of the last row. */
static inline VAL FN(csr5_join)(const csr5_shape *h, const uint32_t *word,
                                struct FN(csr5_buffers) * b)
{
	VAL open = 0;

	for (int64_t l = 0; l < h->omega; l++) {
		const uint32_t flags = word[l] & h->flags;
		VAL *end = flags ? b->sums + __builtin_ctz(flags) * h->omega + l : &b->none;

		*end += open;
		open = flags ? b->last[l] : open + b->last[l];
	}
	return open;
}

/* The flags of the lanes from l on that one word has room for. */
static inline uint64_t FN(csr5_flags)(const csr5_shape *h, const uint32_t *word, int64_t l)
{
	uint64_t bits = 0;

	for (int64_t k = 0; k < h->lanes && l + k < h->omega; k++)
		bits |= (uint64_t)(word[l + k] & h->flags) << k * h->sigma;
	return bits;
}

/* Finishes rows of a tile from the stored sums: those that flags behind the first two end. `place`:
 * NULL, or how far each row is from the first; rows between them are done. Flags of several lanes
 * make one word, so that a loop over its bits has one end that the processor cannot foresee, not
 * one for each lane. */
static inline __attribute__((always_inline)) void
FN(csr5_rows)(const csr5_shape *h, const uint32_t *word, struct FN(open) * o,
              const struct FN(csr5_buffers) * b, const IDX *place, bool add)
{
	const VAL alpha = (VAL)o->v->alpha, beta = (VAL)o->v->beta, *sums = b->sums;
	const uint16_t *at = b->place;
	VAL *y = (VAL *)o->v->y + o->row + !place;
	const VAL *y0 = (const VAL *)o->v->y0 + o->row + 1; /* without `place` */
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

/* Functions of their own, for the sake of registers in that loop. */
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
	const VAL *val = (const VAL *)A->array[CSR5_VAL] + t * h->tile, *x = o->v->x;
	const int64_t row = csr5_row(A, t), n = csr5_rows_of(h, word);
	const double beta = o->v->beta;
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

		FN(finish_none)
		((VAL)beta, (const VAL *)o->v->y0 + row + 1, (VAL *)o->v->y + row + 1,
		 some[n - 1] - 1);
		(beta == 0 ? FN(csr5_write_some) : FN(csr5_add_some))(h, word, some + 1, o, b);
		o->row = row + some[n - 1];
	} else {
		(beta == 0 ? FN(csr5_write) : FN(csr5_add))(h, word, NULL, o, b);
		o->row = row + n - 1;
	}
	o->sum = last;
}

/* What is behind the tiles. */
static void FN(csr5_rest)(const ek_store *A, int64_t k, struct FN(open) * o)
{
	const PTR *row_ptr = A->array[CSR5_PTR];
	const IDX *col_idx = A->array[CSR5_COL];
	const VAL *val = A->array[CSR5_VAL], *x = o->v->x;

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

static void FN(csr5_multiply)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
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
		carry->first_sum[0] = o.sum;
	else
		carry->last_sum[0] = o.sum;
}

#if EK_PER_TYPE

/* Adds alpha A^T x of unit t to sum[j - first]: lane after lane, in each its rows' parts. */
static inline void FN(csr5_scatter_unit)(const ek_store *A, const csr5_shape *h, const ek_args *v,
                                         int64_t t, int64_t first, VAL *sum)
{
	const PTR *row_ptr = A->array[CSR5_PTR];
	const IDX *col_idx = A->array[CSR5_COL];
	const VAL *val = A->array[CSR5_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha;
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

static void FN(csr5_scatter)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                             int64_t first, void *sum)
{
	const csr5_shape h = csr5_shape_of(A);

	for (int64_t t = begin; t < end; t++)
		FN(csr5_scatter_unit)(A, &h, v, t, first, sum);
}

#endif
#if EK_ONCE

/* The best instruction set whose vectors do not have more lanes than a tile. */
static ek_isa isa_for(const ek_plan *p, int64_t omega)
{
	ek_isa isa = p->isa;

	while (isa != EK_ISA_SCALAR && omega < eki_lanes(isa, p->store->value))
		isa--;
	return isa;
}

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const int64_t tile = csr5_shape_of(A).tile;

	eki_span(A, CSR5_COL, begin * tile, end * tile < A->nnz ? end * tile : A->nnz, span);
}

static ek_status prepare(ek_plan *p)
{
	static eki_carry_fn *const multiply[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr5_multiply);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(csr5_scatter);
	const csr5_shape h = csr5_shape_of(p->store);
	const int type = eki_type(p->store->value, p->store->index);

	return eki_drive_prepare(p,
	                         &(eki_drive){.units = h.tiles + (h.tiles * h.tile < p->store->nnz),
	                                      .carry = multiply[isa_for(p, h.omega)][type],
	                                      .scatter = scatter[type],
	                                      .span = span});
}

const ek_method ek_spmv_csr5 = {
	.name = "spmv.csr5",
	.text = "a lane for each column of a tile, rows by flags",
	.source = "Liu 2015, section 8.5, Algorithm 32",
	.operation = EK_SPMV,
	.format = &ek_format_csr5,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
