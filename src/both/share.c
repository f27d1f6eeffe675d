/* SPDX-License-Identifier: BSD-3-Clause
 * Decides which rows of a product are the device's and which are the processor's.
 *
 * First each side multiplies the whole matrix, and the times of both are measured, with the copies
 * of x and y that the device needs. If few runs are expected, the cost functions of the methods
 * predict the products instead, and only the copies are measured. Then the rows are cut where both
 * sides would need the same time; the copies of x that the rows above a cut need are counted in
 * lines (lines.c). If both together are not predicted to be faster than the faster side alone, that
 * side gets all. Otherwise the pieces are made, and a few runs measure what they really take: both
 * sides want the same memory or, if the device is a processor, the same cores. If that is not
 * faster, the faster side gets all, too. So the plan is never much slower than the better of both,
 * and the text of ek_plan_explain says which it is.
 *
 * The device may do its rows in chunks, so that copies run beside kernels (cut.c), also if it does
 * all rows. If chunks that the rule expects to help do not pay, or if the device has too little
 * memory for them, the same is tried without. A that went to the device in one piece does not go
 * there in batches then, unless that was measured: its time alone says nothing of them.
 *
 * A plan keeps its cut, so that its runs give the same bits. With hints.measure, there are some
 * small pieces around the cut, which runs move from one side to the other (balance.c). */
#include "both/both.h"

#ifndef EK_NO_GPU

enum { ALL = 1000 };

/* ---- Cuts ------------------------------------------------------------------------------------ */

/* Finds the lines of x that the parts read. */
static ek_status find_lines(eki_step *step, const int64_t *begin, int parts)
{
	eki_both *s = step->state;

	eki_lines_size(step, &s->lines);
	if (!s->lines.first)
		EK_RETURN_IF(eki_step_alloc(step, s->lines.count, sizeof *s->lines.first,
		                            &s->lines.first));
	eki_lines_find(step, step->in[0], begin, parts, &s->lines);
	return EK_OK;
}

/* Makes pieces around cut number `at`, above which there are `chunks` of them. */
static ek_status make_pieces(eki_step *step, const int64_t bound[EKI_SHARES + 1], int at,
                             int chunks)
{
	eki_both *s = step->state;
	int64_t begin[EKI_MOST_PIECES + 1];
	const int pieces =
		eki_balance_cut(bound, at, step->in[0]->rows, s->moves, chunks, begin, &s->balance);

	EK_RETURN_IF(eki_pieces_make(step, begin, pieces, s->balance.least));
	EK_RETURN_IF(find_lines(step, begin, pieces));
	s->first = s->balance.now;
	s->chunks = s->balance.least;
	return EK_OK;
}

/* ---- The choice ------------------------------------------------------------------------------ */

static const char slower[] = "both together would not be faster";

/* Makes pieces for one side, which does all rows: the device in `chunks` chunks. */
static ek_status make_alone(eki_step *step, bool host, int chunks)
{
	eki_both *s = step->state;
	int64_t begin[EKI_CHUNKS + 1];

	eki_partition_rows(step->in[0], chunks, begin);
	EK_RETURN_IF(eki_pieces_make(step, begin, chunks, host ? 0 : chunks));
	if (chunks > 1)
		EK_RETURN_IF(find_lines(step, begin, chunks));
	s->moves = false;
	s->first = host ? 0 : chunks;
	s->chunks = chunks > 1 ? chunks : 0;
	return EK_OK;
}

/* Sets which numbers of chunks are possible. Nothing overlaps if there are no copies, or if these
 * take the cores that kernels use. In batches, copies of A overlap with kernels already. */
static void allow_chunks(const eki_step *step, eki_speeds *speeds)
{
	const eki_both *s = step->state;
	const bool overlap = step->ctx->device->memory != EKI_MEMORY_SHARED &&
	                     !eki_device_is_processor(step->ctx) && !s->streams;
	const int asked = (int)step->param[EKI_CHUNKS_PARAM];

	speeds->early = !step->ctx->device->driver->beside;
	speeds->least = asked ? asked : 1;
	speeds->most = asked ? asked : overlap ? EKI_CHUNKS : 1;
}

/* Finds the lines of x that the rows above each cut need. */
static ek_status find_above(eki_step *step, int64_t bound[EKI_SHARES + 1],
                            eki_above above[EKI_SHARES + 1])
{
	const eki_both *s = step->state;

	eki_partition_rows(step->in[0], EKI_SHARES, bound);
	EK_RETURN_IF(find_lines(step, bound, EKI_SHARES));
	eki_lines_above(&s->lines, step->in[0], bound, above);
	return EK_OK;
}

/* Lets the device, which is faster alone, do all rows in chunks if that is faster than in one
 * piece. Otherwise sets *whole; then there are several pieces, of which one must be made, or the
 * one piece as it was. */
static ek_status try_chunks(eki_step *step, eki_times_found *t, bool *whole)
{
	eki_speeds speeds = t->speeds;
	int64_t bound[EKI_SHARES + 1];
	eki_above above[EKI_SHARES + 1];
	const eki_both *s = step->state;
	int chunks;
	ek_status status;

	*whole = true;
	allow_chunks(step, &speeds);
	if (speeds.most == 1)
		return EK_OK;
	EK_RETURN_IF(find_above(step, bound, above));
	chunks = eki_chunks(&speeds, above, EKI_SHARES);
	if (chunks == 1 ||
	    !eki_both_pays(eki_chunk_time(&speeds, above, EKI_SHARES, chunks), t->device))
		return EK_OK;
	status = make_alone(step, false, chunks);
	if (status == EK_ENOMEM || (status == EK_OK && s->streams))
		return EK_OK;
	EK_RETURN_IF(status);
	if (t->measured)
		EK_RETURN_IF(eki_times_pieces(step, chunks, &t->chunks));
	*whole = t->measured && !eki_both_pays(t->chunks, t->device);
	return EK_OK;
}

/* Gives all rows to the side that is faster alone, and says why. */
static ek_status one_side(eki_step *step, eki_times_found *t, const char *why)
{
	const bool host = t->host <= t->device;
	eki_both *s = step->state;
	bool whole = true;

	if (!host)
		EK_RETURN_IF(try_chunks(step, t, &whole));
	if (whole && s->pieces > 1)
		EK_RETURN_IF(make_alone(step, host, 1));
	else if (whole && !host)
		eki_pieces_drop_host(step);
	s->moves = false;
	s->first = host ? 0 : s->pieces;
	EK_RETURN_IF(eki_step_say(step, "         the %s alone, since %s\n",
	                          host ? "processor" : "device", why));
	EK_RETURN_IF(eki_both_say_chunks(step));
	return eki_both_say_times(step, t);
}

static ek_status decide(eki_step *step, eki_times_found *t);

/* Decides once more, with no more chunks than were asked for. */
static ek_status without_chunks(eki_step *step, eki_times_found *t)
{
	eki_both *s = step->state;

	s->streams = false; /* as before the pieces, so that batches are noticed again */
	t->speeds.most = t->speeds.least;
	t->both_measured = false;
	return decide(step, t);
}

/* Decides between both sides and the faster one alone, after each was alone. */
static ek_status decide(eki_step *step, eki_times_found *t)
{
	const double alone = t->host < t->device ? t->host : t->device;
	const double least = t->speeds.device * t->host / (t->speeds.device + t->host);
	const eki_both *s = step->state;
	const bool streamed = s->streams;
	int64_t bound[EKI_SHARES + 1];
	eki_above above[EKI_SHARES + 1];
	int at, chunks;
	ek_status status;

	/* Without any copies, both together would take `least` seconds. */
	t->both = least;
	if (!eki_both_pays(least, alone))
		return one_side(step, t, slower);
	EK_RETURN_IF(find_above(step, bound, above));
	at = eki_best_cut(&t->speeds, above, &t->both);
	if (!eki_both_pays(t->both, alone))
		return one_side(step, t, slower);
	chunks = eki_chunks(&t->speeds, above, eki_balance_fixed(at, s->moves));
	status = make_pieces(step, bound, at, chunks);
	if (status == EK_ENOMEM || (status == EK_OK && s->streams && !streamed)) {
		if (chunks > t->speeds.least)
			return without_chunks(step, t); /* for which there may be memory */
		if (status != EK_OK || !t->measured)
			return one_side(step, t, "the device has too little memory for both");
	}
	EK_RETURN_IF(status);
	if (t->measured) {
		EK_RETURN_IF(eki_times_pieces(step, s->first, &t->both));
		t->both_measured = true;
		if (!eki_both_pays(t->both, alone))
			return chunks > t->speeds.least ? without_chunks(step, t)
			                                : one_side(step, t, slower);
	}
	EK_RETURN_IF(eki_both_say_share(step, t->measured ? "by the speeds measured"
	                                                  : "by the speeds predicted"));
	return eki_both_say_times(step, t);
}

/* Cuts the rows so that the processor gets `share` thousandths of the work. */
static ek_status cut_as_asked(eki_step *step, int64_t share)
{
	const int chunks = step->param[EKI_CHUNKS_PARAM] ? (int)step->param[EKI_CHUNKS_PARAM] : 1;
	const ek_store *A = step->in[0];
	const int64_t all = A->rows + A->nnz;
	const int64_t above = all - (int64_t)((double)all * (double)share / ALL);
	int64_t bound[EKI_SHARES + 1] = {0}, entry;

	for (int k = 1; k <= chunks; k++)
		eki_merge_search(A, (int64_t)((double)above * k / chunks), &bound[k], &entry);
	EK_RETURN_IF(make_pieces(step, bound, chunks, chunks));
	return eki_both_say_share(step, "as asked for");
}

static ek_status choose(eki_step *step)
{
	static const int64_t whole[] = {0};
	const int asked = (int)step->param[EKI_CHUNKS_PARAM];
	eki_both *s = step->state;
	eki_times_found t = {.measured = step->problem->calls >= EKI_TRIAL_CALLS};

	if (step->param[EKI_SIDE_PARAM]) {
		const bool host = step->param[EKI_SIDE_PARAM] == 2;
		const int chunks = host || !asked ? 1 : asked;

		EK_RETURN_IF(make_alone(step, host, chunks));
		EK_RETURN_IF(eki_both_say_chunks(step));
		return eki_both_say_methods(step);
	}
	if (step->param[EKI_SHARE_PARAM]) {
		EK_RETURN_IF(cut_as_asked(step, step->param[EKI_SHARE_PARAM]));
		return eki_both_say_methods(step);
	}
	s->moves = step->problem->balances && t.measured;
	EK_RETURN_IF(eki_pieces_make(step, whole, 1, 0));
	if (step->in[0]->nnz == 0) { /* runs do nothing, or only scale y */
		s->moves = false;
		return eki_both_say_methods(step);
	}
	EK_RETURN_IF(eki_times_alone(step, &t));
	allow_chunks(step, &t.speeds);
	EK_RETURN_IF(decide(step, &t));
	return eki_both_say_methods(step);
}

/* Leaves the parameters that make the choice: the side that does all, or the processor's share and
 * the chunks of the device's. */
static void note(eki_step *step)
{
	const eki_both *s = step->state;
	const ek_store *A = step->in[0];
	const bool device = s->first == s->pieces, host = s->first == 0;
	const eki_step *first = NULL;
	int64_t share = step->param[EKI_SHARE_PARAM];

	for (int k = 0; k < s->pieces && !first; k++) /* some may have no rows */
		first = s->piece[k].step[EKI_DEVICE_SIDE];
	if (!device && !host && !share) {
		const int64_t row = s->piece[s->first].begin;

		share = ALL - ALL * (row + eki_ptr_at(A, row)) / (A->rows + A->nnz);
		share = share < 1 ? 1 : share >= ALL ? ALL - 1 : share;
	}
	step->param[EKI_SHARE_PARAM] = device || host ? 0 : share;
	step->param[EKI_SIDE_PARAM] = device ? 1 : host ? 2 : 0;
	if (s->chunks > 1)
		step->param[EKI_CHUNKS_PARAM] = s->chunks;
	else if (device || host)
		step->param[EKI_CHUNKS_PARAM] = 0;
	step->param[EKI_BATCH_PARAM] = s->streams && first && !host ? first->param[0] : 0;
}

ek_status eki_share_choose(eki_step *step)
{
	EK_RETURN_IF(choose(step));
	note(step);
	return EK_OK;
}

#endif
