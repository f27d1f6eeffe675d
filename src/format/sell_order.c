/* SPDX-License-Identifier: BSD-3-Clause
 * SELL-C-sigma: the order of the rows, the places that chunks take, and the choice of sigma.
 *
 * Rows are sorted window by window, by counting, a byte of their lengths at a time: time and memory
 * do not depend on what the lengths are. The first row of a chunk is then its longest.
 *
 * Of a few sigma the choice is the first that leaves next to no padding; else a larger one has to
 * save a twentieth of the bytes, because sorted rows read x less in order, and write y out of
 * order. Matrices with rows of nearly one length are so looked at once, and never sorted. */
#include "format/sell_order.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/sell_order.c"
#include "core/for_each.h"

#ifndef EK_SELL_RADIX
#define EK_SELL_RADIX
enum { RADIX = 256 };
#endif

#if EK_PER_TYPE

/* Sorts rows 0 .. n - 1 of row_ptr, the longest first, rows of one length in their order. `a` and
 * `b` have room for n; one of them is returned. */
static int32_t *FN(sell_sort)(const PTR *row_ptr, int64_t n, int32_t *a, int32_t *b)
{
	uint64_t longest = 0;

	for (int64_t i = 0; i < n; i++) {
		const uint64_t len = (uint64_t)(row_ptr[i + 1] - row_ptr[i]);

		longest = len > longest ? len : longest;
		a[i] = (int32_t)i;
	}
	for (int shift = 0; longest; shift += 8, longest /= RADIX) {
		int32_t at[RADIX] = {0}, *swap = a, before = 0;

		for (int64_t i = 0; i < n; i++)
			at[(uint64_t)(row_ptr[i + 1] - row_ptr[i]) >> shift & (RADIX - 1)]++;
		for (int digit = RADIX - 1; digit >= 0; digit--) {
			const int32_t count = at[digit];

			at[digit] = before;
			before += count;
		}
		for (int64_t i = 0; i < n; i++) {
			const PTR *row = row_ptr + a[i];

			b[at[(uint64_t)(row[1] - row[0]) >> shift & (RADIX - 1)]++] = a[i];
		}
		a = b;
		b = swap;
	}
	return a;
}

/* Sorts the rows of windows [begin, end) of sigma rows and keeps their numbers, if `out` has an
 * array for them; places that their chunks take. */
static int64_t FN(sell_sorted)(const ek_store *csr, const ek_store *out, int64_t begin, int64_t end,
                               int32_t *room)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const int64_t c = out->dim[SELL_C], sigma = out->dim[SELL_SIGMA];
	IDX *perm = out->array[SELL_PERM];
	int64_t places = 0;

	for (int64_t i = begin * sigma; i < end * sigma && i < csr->rows; i += sigma) {
		const int64_t n = csr->rows - i < sigma ? csr->rows - i : sigma;
		const int32_t *order = FN(sell_sort)(row_ptr + i, n, room, room + sigma);

		for (int64_t p = 0; p < n; p += c)
			places += c * (int64_t)(row_ptr[i + order[p] + 1] - row_ptr[i + order[p]]);
		for (int64_t p = 0; perm && p < n; p++)
			perm[i + p] = (IDX)(i + order[p]);
	}
	return places;
}

/* The same of chunks [begin, end) of rows in their order. */
static int64_t FN(sell_unsorted)(const ek_store *csr, const ek_store *out, int64_t begin,
                                 int64_t end, int32_t *room)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	int64_t places = 0;

	(void)room;
	for (int64_t k = begin; k < end; k++) {
		PTR longest = 0;

		for (int64_t i = sell_first(out, k); i < sell_first(out, k + 1); i++)
			longest = row_ptr[i + 1] - row_ptr[i] > longest
			                  ? row_ptr[i + 1] - row_ptr[i]
			                  : longest;
		places += out->dim[SELL_C] * (int64_t)longest;
	}
	return places;
}

#endif
#if EK_ONCE

typedef int64_t order_fn(const ek_store *csr, const ek_store *out, int64_t begin, int64_t end,
                         int32_t *room);

enum { MOST_PARTS = 64 };

struct order_job {
	order_fn *fn;
	const ek_store *csr, *out;
	int64_t pieces, room_len;
	int32_t *room; /* room_len for each part */
	int parts;
	int64_t places[MOST_PARTS];
};

static void order_part(void *arg, int part)
{
	struct order_job *job = arg;

	job->places[part] = job->fn(job->csr, job->out, eki_cut(job->pieces, job->parts, part),
	                            eki_cut(job->pieces, job->parts, part + 1),
	                            job->room + part * job->room_len);
}

ek_status eki_sell_order(const ek_context *ctx, const ek_store *csr, const ek_store *out,
                         int64_t *places)
{
	static order_fn *const sorted[EK_NTYPE] = EK_BY_TYPE(sell_sorted);
	static order_fn *const unsorted[EK_NTYPE] = EK_BY_TYPE(sell_unsorted);
	const int64_t sigma = out->dim[SELL_SIGMA];
	const int type = eki_type(csr->value, csr->index), parts = eki_parts(ctx, csr->rows);
	struct order_job job = {
		.fn = sigma > 1 ? sorted[type] : unsorted[type],
		.csr = csr,
		.out = out,
		.pieces = sigma > 1 ? (csr->rows + sigma - 1) / sigma : sell_chunks(out),
		.room_len = 2 * sigma,
		.parts = parts < MOST_PARTS ? parts : MOST_PARTS,
	};

	if (job.parts > job.pieces)
		job.parts = job.pieces > 1 ? (int)job.pieces : 1;
	EK_RETURN_IF(
		eki_alloc(ctx, job.parts * job.room_len, sizeof *job.room, (void **)&job.room));
	eki_parallel(ctx->threads, job.parts, order_part, &job);
	eki_free(ctx, job.room, job.parts * job.room_len, sizeof *job.room);
	*places = 0;
	for (int part = 0; part < job.parts; part++)
		*places += job.places[part];
	return EK_OK;
}

/* Bytes of columns, values and numbers of rows. */
static double bytes_of(const ek_store *s, int64_t places)
{
	const double idx = (double)eki_idx_size(s->index);

	return (double)places * ((double)ek_value_size(s->value) + idx) +
	       (s->dim[SELL_SIGMA] > 1 ? (double)s->rows * idx : 0);
}

ek_status eki_sell_sigma(const ek_context *ctx, const ek_store *csr, ek_store *out, int64_t *places)
{
	static const int64_t tried[] = {1, 256, 4096, SELL_MAX_SIGMA};
	ek_store best = *out;

	for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
		int64_t now;

		out->dim[SELL_SIGMA] = sell_sigma(tried[k], out->dim[SELL_C]);
		EK_RETURN_IF(eki_sell_order(ctx, csr, out, &now));
		if (k == 0 || bytes_of(out, now) < 0.95 * bytes_of(&best, *places)) {
			best = *out;
			*places = now;
		}
		if ((double)*places <= 1.02 * (double)csr->nnz || tried[k] >= csr->rows)
			break;
	}
	*out = best;
	return EK_OK;
}

#endif
