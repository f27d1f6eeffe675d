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

#endif
