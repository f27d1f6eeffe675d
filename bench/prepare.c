/* SPDX-License-Identifier: BSD-3-Clause
 * Preparations in rounds of their own, after those of the products: in each round every entrant,
 * ours and peers alike, makes its plan or handle once more, in a new order, and the unit makes its
 * product. So `prepare_ms` is a median of warm preparations, `prepare_calls` that of the quotients
 * of single rounds, and `first_ms` the first preparation of all, when memory and tables were
 * cold. */
#include <math.h>
#include <stdlib.h>

#include "run.h"

enum { MOST_ROUNDS = 9 };

/* Makes one preparation, whatever `calls` is: batches of `single` candidates have one call. */
static void prepare(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;

	(void)calls;
	e->unprepared |= !e->prepare(e, &e->spare);
}

static void drop(void *entrant)
{
	struct entrant *e = entrant;

	if (e->spare)
		e->drop(e, e->spare);
	e->spare = NULL;
}

static bool takes_part(const struct entrant *e)
{
	return e->prepare && e->calls.sample && !e->record.failed;
}

/* Returns how many rounds fit into half of the time for the products, at least one. */
static int rounds_in(const struct field *f, double seconds)
{
	double first = 0;

	for (const struct entrant *e = f->entrant; e < f->entrant + f->entrants; e++)
		first += takes_part(e) ? 1e-3 * e->record.v[V_FIRST_MS] : 0;
	const int most = f->bench->o.rounds && f->bench->o.rounds < MOST_ROUNDS ? f->bench->o.rounds
	                                                                        : MOST_ROUNDS;

	return first * most <= seconds / 2 ? most : (int)fmax(1, seconds / 2 / first);
}

/* Stores the times of an entrant whose preparations were timed as `at`. */
static void store(struct entrant *e, const struct candidate *at, const struct candidate *unit,
                  int rounds)
{
	double *v = e->record.v;

	if (e->unprepared) /* as without memory for a second one: the first one counts */
		return;
	v[V_PREPARE_MS] = 1e3 * measure_quantile(at->sample, rounds, 0.5);
	v[V_PREPARE_ROUNDS] = rounds;
	v[V_PREPARE_DISTURBED] = measure_disturbed((double)at->disturbed / rounds);
	for (int k = 0; k < SPREAD_VALUES && unit->sample; k++)
		v[V_PREPARE_CALLS + k] = measure_ratio(at, unit, rounds, spread_at[k]);
}

void field_prepare(struct field *f, double seconds)
{
	struct candidate *all = need(calloc((size_t)f->entrants + 1, sizeof *all), "the times");
	struct candidate **timed =
		need(calloc((size_t)f->entrants + 1, sizeof(struct candidate *)), "the times");
	const struct entrant *unit = field_unit(f);
	struct candidate *product = &all[f->entrants];
	int count = 0, ours = 0;

	for (int k = 0; k < f->entrants; k++) {
		all[k] = (struct candidate){
			.run = prepare, .after = drop, .state = &f->entrant[k], .single = true};
		if (takes_part(&f->entrant[k]))
			timed[count++] = &all[k];
		ours += takes_part(&f->entrant[k]) && f->entrant[k].record.kind != RECORD_PEER;
	}
	if (ours && unit) {
		*product = unit->calls;
		product->sample = NULL;
		timed[count++] = product;
	}
	if (ours) { /* peers alone prepare only where each call of ours makes everything */
		const int rounds =
			measure_rounds(timed, count, seconds, rounds_in(f, seconds), f->progress);

		for (int k = 0; k < f->entrants; k++)
			if (all[k].sample)
				store(&f->entrant[k], &all[k], product, rounds);
	}
	for (int k = 0; k <= f->entrants; k++)
		free(all[k].sample);
	free(all);
	free(timed);
}
