/* SPDX-License-Identifier: BSD-3-Clause
 * What plans with hints.measure say about themselves. They answer for the candidate that they have
 * so far, and ek_plan_explain adds the times of all. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

int64_t eki_trials_memory(const ek_plan *p)
{
	eki_trials *t = p->trials;
	int64_t bytes = 0;

	eki_lock_take(&t->lock);
	for (int k = 0; k < t->count; k++)
		bytes += t->list[k].plan ? ek_plan_memory(t->list[k].plan) : 0;
	for (int k = 0; k < EKI_TRIED_MOST; k++)
		bytes += t->loser[k] ? ek_plan_memory(t->loser[k]) : 0;
	eki_lock_give(&t->lock);
	return bytes;
}

ek_status eki_trials_predict(const ek_plan *p, int64_t calls, ek_prediction *prediction)
{
	eki_trials *t = p->trials;
	ek_status status;

	/* The lock keeps the decision, and so the end of the plan, waiting. */
	eki_lock_take(&t->lock);
	status = ek_plan_predict(atomic_load(&t->current), calls, prediction);
	eki_lock_give(&t->lock);
	return status;
}

/* ---- The text of ek_plan_explain ------------------------------------------------------------- */

typedef struct out {
	char *text;
	size_t size, used;
} out;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(out *o, const char *format, ...)
{
	va_list args;

	if (o->used >= o->size)
		return;
	va_start(args, format);
	o->used += (size_t)vsnprintf(o->text + o->used, o->size - o->used, format, args);
	va_end(args);
}

static void say_trial(out *o, const eki_trials *t, int k)
{
	const eki_trial *c = &t->list[k];

	say(o, "         %-24s on %s: ", c->method->name, c->format);
	if (c->runs)
		say(o, "%.3f us, the least of %d", c->least * 1e-3, c->runs);
	else
		say(o, "not timed");
	if (c->prepared > 0)
		say(o, ", prepared in %.3f us", c->prepared * 1e-3);
	if (c->out)
		say(o, "; given up, %s", c->out);
	else if (atomic_load(&t->now) == k && atomic_load(&t->decided))
		say(o, "; chosen");
	say(o, "\n");
}

/* Tells whether another method than the predicted one was timed. */
static bool compared(const eki_trials *t)
{
	for (int k = 1; k < t->count; k++)
		if (t->list[k].runs > 0)
			return true;
	return false;
}

ek_status eki_trials_explain(const ek_plan *p, char *text, size_t size)
{
	eki_trials *t = p->trials;
	out o = {.text = text, .size = size};
	ek_status status;

	eki_lock_take(&t->lock);
	status = ek_plan_explain(atomic_load(&t->current), text, size);
	o.used = strlen(text);
	if (t->note)
		say(&o, "measured nothing: %s\n", t->note);
	else if (t->known)
		say(&o, "measured before: a decision that the context remembers\n");
	else
		say(&o, "measured %s; trials took %.2f products (limit %g)\n",
		    !atomic_load(&t->decided) ? "so far, undecided"
		    : compared(t)             ? "and decided"
		                              : "no other method, so the prediction stands",
		    t->list[0].runs ? eki_trials_spent(t) : 0,
		    eki_trial_limit(p, &t->list[t->count - 1]));
	if (t->compiled > 0)
		say(&o, "         kernels were compiled and loaded in %.3f ms\n",
		    t->compiled * 1e-6);
	for (int k = 0; k < t->count && !t->note && !t->known; k++)
		say_trial(&o, t, k);
	if (atomic_load(&t->decided) && eki_trial_beside(t, eki_trials_now(p)) && t->list[0].plan)
		say(&o, "         %s stays for vectors on the device\n", t->list[0].method->name);
	if (t->lost)
		say(&o, "         there was no memory to remember the decision\n");
	if (p->why.data)
		say(&o, "%s", p->why.data);
	eki_lock_give(&t->lock);
	return status;
}
