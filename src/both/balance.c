/* SPDX-License-Identifier: BSD-3-Clause
 * The rule that moves pieces of a product between device and processor. A run tells how long it
 * took, and how long the processor waited for the device in the end. If it waited, the device has
 * too much to do, else too little (or the balance is perfect). So the next number to try is one
 * less or one more. The search ends at the first number that is slower than the one before, or that
 * points back to it. Times are least times of a few runs, since other programs only make a run
 * longer.
 *
 * Runs until then: at most EKI_BALANCE_RUNS times one more than the number of movable pieces. The
 * pieces are few and fixed, since each must be prepared before it can be moved. */
#include <stdio.h>

#include "both/both.h"

#ifndef EK_NO_GPU

/* The processor waited for the device if it did so for more than this part of the time. */
#define WAITED 0.02

void eki_balance_note(eki_balance *b, double seconds, double waited)
{
	int best = b->now, next;

	if (b->settled)
		return;
	if (b->at[b->now].runs == 0 || seconds < b->at[b->now].seconds) {
		b->at[b->now].seconds = seconds;
		b->at[b->now].waited = waited;
	}
	if (++b->at[b->now].runs < EKI_BALANCE_RUNS)
		return;
	for (int k = b->least; k <= b->most; k++)
		if (b->at[k].runs && b->at[k].seconds < b->at[best].seconds)
			best = k;
	next = best + (b->at[best].waited > WAITED * b->at[best].seconds ? -1 : 1);
	b->settled = best != b->now || next < b->least || next > b->most || b->at[next].runs;
	b->now = b->settled ? best : next;
}

static int64_t row_of(const int64_t *bound, int cut)
{
	return bound[cut < 0 ? 0 : cut > EKI_SHARES ? EKI_SHARES : cut];
}

enum { STEP = 5 }; /* work of a movable piece: 5 of EKI_SHARES parts, that is 4 percent */

/* Returns the cut below the chunks, which is negative if there is no room for all of the movable
 * pieces. */
static int below_chunks(int at, bool moves)
{
	return moves ? at - STEP * (EKI_MOVABLE / 2) : at;
}

int eki_balance_fixed(int at, bool moves)
{
	const int fixed = below_chunks(at, moves);

	return fixed > 1 ? fixed : 1;
}

int eki_balance_cut(const int64_t *bound, int at, int64_t rows, bool moves, int chunks,
                    int64_t *begin, eki_balance *b)
{
	const int movable = moves ? EKI_MOVABLE : 0, fixed = below_chunks(at, moves);
	int pieces;

	if (moves && chunks > eki_balance_fixed(at, moves))
		chunks = eki_balance_fixed(at, moves);
	pieces = chunks + movable + 1;
	begin[0] = 0;
	for (int k = 1; k <= chunks; k++)
		begin[k] = row_of(bound, fixed * k / chunks);
	for (int k = 1; k <= movable; k++)
		begin[chunks + k] = row_of(bound, fixed + STEP * k);
	begin[pieces] = rows;
	*b = (eki_balance){.least = chunks, .most = pieces - 1, .now = chunks + movable / 2};
	return pieces;
}

double eki_balance_timed(const eki_step *step, const ek_method *m, bool waits, int64_t ns)
{
	return step->ctx->timing ? step->ctx->timing(m, waits, (double)ns) : (double)ns;
}

void eki_balance_run(const eki_step *step, eki_balance *b, int64_t ns, int64_t waited)
{
	const double all = eki_balance_timed(step, step->method, false, ns);
	const double idle = eki_balance_timed(step, step->method, true, waited);

	eki_balance_note(b, all, idle);
}

void eki_balance_report(const eki_step *step, const eki_balance *b, int pieces, char *text,
                        size_t size)
{
	pthread_mutex_lock(&step->gpu->lock); /* a run may be moving pieces */
	snprintf(text, size, "moved    the device does %d of %d pieces, %s\n", b->now, pieces,
	         b->settled ? "and nothing moves any more" : "so far");
	pthread_mutex_unlock(&step->gpu->lock);
}

#endif
