/* SPDX-License-Identifier: BSD-3-Clause
 * ACSR on a device: CSR stays as it is, a list sorts the rows into bins by length, and each bin has
 * a launch of its own, of a kernel made for that length.
 *
 * Bin 0 has the rows without entries. Bin b has rows of up to `each` 2^(b-1) entries, more than the
 * bin before; its kernel has 2^(b-1) lanes for each row, at most a group of 256, and each lane
 * loads at most `each` entries, all at once and without a loop. Rows of more entries than that are
 * read by a whole group, which has a loop. Only bins that have rows are launched. Within a bin rows
 * are in ascending order.
 *
 * Rows of more than `long` entries are in the last bin, where several groups share a row. The
 * published method launches a child grid for each of these rows, from the kernel itself (dynamic
 * parallelism), as wide as the row asks for. Here one launch has the groups of all of them: how
 * long a row is does not change from run to run, so preparation cuts it into pieces, and needs no
 * kernel to find that out. This works with OpenCL 1.2 too, which has no launches from kernels. The
 * group that finishes a row last adds up its pieces in their order (prim_body/pieces.cl), where the
 * published method adds atomically, so the bits are the same in each run.
 *
 * Cost: a run reads CSR once, and a row number and two row pointers for each row. Neighbouring rows
 * of a bin are apart in CSR if other rows are between them, so loads are less coalesced than those
 * of methods that go row by row (Liu 2015, section 8.5.2, finds the same). A run has as many
 * launches as there are bins with rows. Preparation reads row_ptr twice, with all threads.
 *
 * Liu 2015, section 5.4.7; Ashari, Sedaghati, Eisenlohr, Parthasarathy, Sadayappan 2014. */
#include <stdio.h>
#include <string.h>

#include "prim/counters.h"
#include "spmv_gpu/csr_narrow.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_acsr, "spmv_gpu/csr_acsr.cl");

enum {
	WG = 256,
	LOG_WG = 8,
	MOST_BINS = 20, /* more than there are with each = 1 and long = 65536 */
	PER_PIECE = 3 /* numbers that describe a piece, or a row in pieces */
};
enum { EACH, LONG }; /* parameters */

typedef struct state {
	int64_t each, longest;
	int bins; /* number of bins; the last one has the rows that are cut into pieces */
	int64_t begin[MOST_BINS + 1]; /* where bins begin in the list */
	int64_t pieces;
	eki_buffer *list, *piece, *many, *partial, *arrived;
	void *kernel[MOST_BINS];
} state;

/* ---- Bins ------------------------------------------------------------------------------------ */

static int bin_of(const state *s, int64_t n)
{
	int b = 1;

	if (n == 0)
		return 0;
	while (b < s->bins - 1 && n > s->each << (b - 1))
		b++;
	return b;
}

static int64_t length(const ek_store *A, int64_t i)
{
	return eki_ptr_at(A, i + 1) - eki_ptr_at(A, i);
}

typedef struct job {
	const ek_store *A;
	const state *s;
	eki_counters counters;
	void *list;
} job;

static void count_part(void *arg, int part)
{
	const job *j = arg;
	const int64_t end = eki_cut(j->A->rows, j->counters.parts, part + 1);
	int64_t *count = eki_counters_clear(&j->counters, part);

	for (int64_t i = eki_cut(j->A->rows, j->counters.parts, part); i < end; i++)
		count[bin_of(j->s, length(j->A, i))]++;
}

static void list_part(void *arg, int part)
{
	const job *j = arg;
	const int64_t end = eki_cut(j->A->rows, j->counters.parts, part + 1);
	int64_t *at = eki_counters_of(&j->counters, part);

	for (int64_t i = eki_cut(j->A->rows, j->counters.parts, part); i < end; i++)
		csr_number_set(j->A->index, j->list, at[bin_of(j->s, length(j->A, i))]++, i);
}

/* Sorts the rows into bins: fills `list` and s->begin. */
static ek_status sort_rows(const eki_step *step, state *s, void *list)
{
	const ek_store *A = step->in[0];
	job j = {A, s, {.n = s->bins, .size = sizeof *s->begin, .begin = s->begin}, list};

	j.counters.parts = eki_parts(step->ctx, A->rows);
	EK_RETURN_IF(eki_alloc(step->ctx, eki_counters_len(&j.counters), sizeof *s->begin,
	                       &j.counters.own));
	s->begin[0] = 0;
	eki_parallel(step->ctx, step->ctx->threads, j.counters.parts, count_part, &j);
	eki_counters_scan(step->ctx, &j.counters, step->ctx->threads);
	eki_parallel(step->ctx, step->ctx->threads, j.counters.parts, list_part, &j);
	eki_free(step->ctx, j.counters.own, eki_counters_len(&j.counters), sizeof *s->begin);
	return EK_OK;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Describes the rows of the last bin and their pieces, in the layout that acsr_pieces reads. */
static void cut_rows(const ek_store *A, const state *s, void *list, void *many, void *piece)
{
	const int64_t first = s->begin[s->bins - 1], rows = s->begin[s->bins] - first;
	int64_t pieces = 0;

	for (int64_t r = 0; r < rows; r++) {
		const int64_t i = csr_number_at(A->index, list, first + r), n = length(A, i);
		const int64_t own = eki_groups(n, s->longest);

		csr_number_set(A->index, many, PER_PIECE * r, i);
		csr_number_set(A->index, many, PER_PIECE * r + 1, pieces);
		csr_number_set(A->index, many, PER_PIECE * r + 2, own);
		for (int64_t k = 0; k < own; k++, pieces++) {
			const int64_t begin = eki_cut(n, (int)own, (int)k);

			csr_number_set(A->index, piece, PER_PIECE * pieces, r);
			csr_number_set(A->index, piece, PER_PIECE * pieces + 1,
			               eki_ptr_at(A, i) + begin);
			csr_number_set(A->index, piece, PER_PIECE * pieces + 2,
			               eki_cut(n, (int)own, (int)k + 1) - begin);
		}
	}
}

static ek_status make_pieces(eki_step *step, state *s, void *list)
{
	const ek_store *A = step->in[0];
	const int64_t first = s->begin[s->bins - 1], rows = s->begin[s->bins] - first;
	const size_t size = eki_ptr_size(A->index);
	void *many = NULL, *piece = NULL;
	ek_status status;

	if (rows == 0)
		return EK_OK;
	for (int64_t r = 0; r < rows; r++)
		s->pieces +=
			eki_groups(length(A, csr_number_at(A->index, list, first + r)), s->longest);
	EK_TRY(eki_alloc(step->ctx, PER_PIECE * rows, size, &many));
	EK_TRY(eki_alloc(step->ctx, PER_PIECE * s->pieces, size, &piece));
	cut_rows(A, s, list, many, piece);
	EK_TRY(eki_gpu_buffer(step, PER_PIECE * rows, size, false, many, &s->many));
	EK_TRY(eki_gpu_buffer(step, PER_PIECE * s->pieces, size, false, piece, &s->piece));
	EK_TRY(eki_gpu_buffer(step, s->pieces, ek_value_size(A->value), false, NULL, &s->partial));
	EK_TRY(eki_gpu_buffer(step, rows, sizeof(int32_t), false, NULL, &s->arrived));
	EK_TRY(step->gpu->device->driver->clear(step->gpu->device, s->arrived));
	step->bytes += PER_PIECE * (rows + s->pieces) * (int64_t)size;
done:
	eki_free(step->ctx, many, PER_PIECE * rows, size);
	eki_free(step->ctx, piece, PER_PIECE * s->pieces, size);
	return status;
}

static ek_status make_lists(eki_step *step, state *s)
{
	const ek_store *A = step->in[0];
	const size_t size = eki_ptr_size(A->index);
	void *list;
	ek_status status;

	EK_RETURN_IF(eki_alloc(step->ctx, A->rows, size, &list));
	EK_TRY(sort_rows(step, s, list));
	EK_TRY(eki_gpu_buffer(step, A->rows, size, false, list, &s->list));
	EK_TRY(make_pieces(step, s, list));
	step->bytes += A->rows * (int64_t)size;
done:
	eki_free(step->ctx, list, A->rows, size);
	return status;
}

/* ---- The method ------------------------------------------------------------------------------ */

/* Returns the number of lanes for each row of bin b, which is neither the first bin nor the
 * last. */
static int lanes_of(int b)
{
	return 1 << (b - 1 < LOG_WG ? b - 1 : LOG_WG);
}

static int64_t rows_of(const state *s, int b)
{
	return s->begin[b + 1] - s->begin[b];
}

/* Gets the kernels of the bins that have rows, and says which these are. */
static ek_status kernels(eki_step *step, state *s)
{
	EK_RETURN_IF(eki_step_say(step, "rows of each bin:"));
	for (int b = 0; b < s->bins; b++) {
		char name[32] = "acsr_none";

		if (rows_of(s, b) == 0)
			continue;
		if (b == s->bins - 1)
			strcpy(name, "acsr_pieces");
		else if (b > 0)
			snprintf(name, sizeof name, "acsr_%d", lanes_of(b));
		EK_RETURN_IF(eki_gpu_kernel(step, name, &s->kernel[b]));
		EK_RETURN_IF(eki_step_say(
			step, b < s->bins - 1 ? " to %lld: %lld" : " more than %lld: %lld",
			(long long)(b == 0            ? 0
		                    : b < s->bins - 1 ? s->each << (b - 1)
		                                      : s->longest),
			(long long)rows_of(s, b)));
	}
	return eki_step_say(step, "\n");
}

static ek_status prepare(eki_step *step)
{
	char defines[64];
	state *s;

	EK_RETURN_IF(eki_gpu_power_of_two(step, EACH));
	EK_RETURN_IF(eki_gpu_power_of_two(step, LONG));
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	s->each = eki_gpu_param(step, EACH, 2);
	s->longest = eki_gpu_param(step, LONG, 4096);
	step->param[EACH] = s->each;
	step->param[LONG] = s->longest;
	s->bins = 3; /* the rows without entries, those of up to `each` entries, the longest */
	while (s->each << (s->bins - 3) < s->longest)
		s->bins++;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define EACH %d\n", WG, (int)s->each);
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_acsr", defines, eki_cl_csr_acsr));
	EK_RETURN_IF(eki_gpu_mirror(step));
	EK_RETURN_IF(make_lists(step, s));
	return kernels(step, s);
}

static ek_status launch(const eki_step *step, int b, const eki_run *v, const eki_gpu_vectors *on)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_arg first = eki_arg_i64(s->begin[b]), rows = eki_arg_i64(rows_of(s, b));
	const eki_arg list = eki_arg_buffer(s->list), y = eki_arg_buffer(&on->y);
	const eki_arg alpha = eki_arg_val(A->value, v->alpha), x = eki_arg_buffer(&on->x);
	const eki_arg beta = eki_arg_val(A->value, v->beta);
	const eki_arg row_ptr = eki_arg_buffer(step->gpu->array[CSR_PTR]);
	const eki_arg col_idx = eki_arg_buffer(step->gpu->array[CSR_COL]);
	const eki_arg val = eki_arg_buffer(step->gpu->array[CSR_VAL]);

	if (b == 0)
		return eki_gpu_launch(step, s->kernel[b], eki_groups(rows_of(s, b), WG), WG,
		                      (eki_arg[]){first, rows, list, beta, y}, 5);
	if (b == s->bins - 1)
		return eki_gpu_launch(step, s->kernel[b], s->pieces, WG,
		                      (eki_arg[]){eki_arg_buffer(s->piece), eki_arg_buffer(s->many),
		                                  row_ptr, col_idx, val, alpha, x, beta, y,
		                                  eki_arg_buffer(s->partial),
		                                  eki_arg_buffer(s->arrived)},
		                      11);
	return eki_gpu_launch(
		step, s->kernel[b], eki_groups(rows_of(s, b), WG / lanes_of(b)), WG,
		(eki_arg[]){first, rows, list, row_ptr, col_idx, val, alpha, x, beta, y}, 10);
}

/* Launches the bins that have rows, the longest rows first. */
static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	for (int b = s->bins - 1; b >= 0; b--)
		if (rows_of(s, b) > 0 && (b > 0 || !eki_is(v->beta, 1)))
			EK_RETURN_IF(launch(step, b, v, &on));
	return eki_gpu_leave(step, v, &on);
}

const ek_method ek_spmv_gpu_csr_acsr = {
	.name = "spmv.csr.acsr.gpu",
	.text = "ACSR: a list of rows in bins by length, a launch for each bin, the longest rows "
                "in "
		"pieces",
	.source = "Liu 2015, section 5.4.7; Ashari et al. 2014",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = {{"each", 1, 16, "entries that a lane loads at once"},
                  {"long", 256, 65536, "entries from which on several groups share a row"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
