/* SPDX-License-Identifier: BSD-3-Clause
 * Windows of X for products by panels (spmm/csr_panels.c). If X must be packed, and the rows of A near
 * each other need rows of X near each other, each thread packs the rows that its next rows of A need
 * into a buffer that stays in its cache. As it goes on, the window slides along X: the rows that are
 * still needed move to the front of the buffer. So X is read from memory once, and the panel is never
 * written to memory.
 *
 * Whether it is so is estimated from a sample of chunks of rows. The next chunk is looked at just
 * before it is multiplied, when its columns are needed anyway. Source: own. */
#include <string.h>

#include "spmm/pack.h"
#include "spmm/window.h"
#define EK_FILE "spmm/window.c"
#include "base/for_each.h"

static eki_span FN(span)(const ek_store *A, int64_t begin, int64_t end)
{
	const IDX *col_idx = A->array[CSR_COL];
	IDX low = (IDX)A->cols, high = 0;

	if (begin == end)
		return (eki_span){A->cols + 1, 0};
	for (int64_t k = begin; k < end; k++) {
		low = col_idx[k] < low ? col_idx[k] : low;
		high = col_idx[k] > high ? col_idx[k] : high;
	}
	return (eki_span){low, (int64_t)high + 1};
}

#if EK_ONCE

eki_span_fn *const eki_span_of[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(span);

enum { SAMPLES = 256 }; /* maximum number of pairs of chunks that are looked at */

/* Largest share of the sampled chunks that may need more than a window, and largest number of rows
 * packed for each row of X. */
static const double FAR = 0.02, AGAIN = 2;

static eki_span chunk_span(const eki_step *step, int64_t chunk)
{
	const ek_store *A = step->in[0];
	const int64_t i = chunk * EKI_CHUNK;
	const int64_t end = i + EKI_CHUNK < A->rows ? i + EKI_CHUNK : A->rows;

	return eki_span_of[step->isa][eki_type(A->value, A->index)](A, eki_ptr_at(A, i),
	                                                            eki_ptr_at(A, end));
}

/* Returns the number of rows in `now` that are not in `before`. */
static int64_t added(eki_span before, eki_span now)
{
	const int64_t low = now.low > before.low ? now.low : before.low;
	const int64_t high = now.high < before.high ? now.high : before.high;
	const int64_t all = now.high > now.low ? now.high - now.low : 0;

	return high > low ? all - (high - low) : all;
}

int64_t eki_window_room(const eki_step *step, int width)
{
	const ek_store *A = step->in[0];
	const double row = (double)width * (double)ek_value_size(A->value);
	const double own = step->ctx->machine->core_bytes / 4 / row;
	const double shared = (double)eki_cpu_cache() / 4 / step->parts / row;
	const double most = own > shared ? own : shared;
	const int64_t chunks = A->rows / EKI_CHUNK, pairs = chunks / 2;
	const int64_t samples = pairs < SAMPLES ? pairs : SAMPLES;
	int64_t longest = 0, far = 0, packed = 0;

	/* In tests windows have room for half of X, so that they move, and chunks may not fit. */
	if (!step->ctx->small_work)
		return A->rows > EKI_CHUNK ? A->cols / 2 + 1 : 0;
	if (samples < 8 || (double)A->cols * row < (double)eki_cpu_cache() / 2)
		return 0;
	for (int64_t s = 0; s < samples; s++) {
		const int64_t chunk = 2 * eki_cut(pairs, (int)samples, (int)s);
		const eki_span a = chunk_span(step, chunk), b = chunk_span(step, chunk + 1);
		const int64_t length = b.high > b.low ? b.high - b.low : 0;

		if ((double)length > most) {
			far++;
			continue;
		}
		longest = length > longest ? length : longest;
		packed += added(a, b);
	}
	if ((double)far > FAR * (double)samples ||
	    (double)packed * (double)chunks > AGAIN * (double)samples * (double)A->cols)
		return 0;
	return (int64_t)(2 * (double)longest < own    ? own
	                 : 2 * (double)longest < most ? 2 * (double)longest
	                                              : most);
}

void eki_window_move(eki_window *w, const ek_store *A, ek_isa isa, const eki_run *v, eki_span need)
{
	const int64_t row = w->width * (int64_t)ek_value_size(A->value);
	eki_run part = {.x = v->x, .width = v->width};
	int64_t from = need.low;

	if (need.low >= w->span.low && need.low < w->span.high) {
		if (need.high - w->span.low > w->room) {
			if (w->span.high > need.low)
				memmove(w->buffer, w->buffer + (need.low - w->span.low) * row,
				        (size_t)((w->span.high - need.low) * row));
			w->span.low = need.low;
		}
		from = w->span.high;
	} else {
		w->span = (eki_span){need.low, need.low};
	}
	if (from >= need.high)
		return;
	part.y = (eki_dense){.data = w->buffer - w->span.low * row, .row = w->width, .col = 1};
	eki_pack[isa][eki_type(A->value, A->index)](&part, from, need.high, false);
	w->span.high = need.high;
}

#endif
