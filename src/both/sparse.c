/* SPDX-License-Identifier: BSD-3-Clause
 * Decides which rows of a sparse product are the device's and which are the processor's.
 *
 * The work of a row is the number of its products. Both sides compute a sample, a sixteenth of the
 * work from the middle of the rows, and their times tell where the rows must be cut so that both
 * need the same time. Cost functions are not asked: how many products meet in an entry of C decides
 * how long its copy from the device takes, and they do not know that.
 *
 * If the caller has announced many runs, products of all rows are measured, too, since a sample may
 * miss what the other rows are like: by the faster side, by the other one unless the sample says
 * that it takes more than four times as long, and by both together. If both are not faster, the
 * faster side gets all rows, so the plan is never much slower than the better of both. That costs
 * up to nine products, three of which make C and six write its values. Otherwise the sample alone
 * decides, which costs six times a sixteenth of a product: a program that multiplies once would
 * lose more by the measurements than by a wrong choice.
 *
 * The processor has all rows without any sample if there is no work, if memory is limited, since
 * the parts of C are temporary copies of it, and if the device has too little memory even for
 * batches of rows and slices of B. With slices, a sample takes all of B to the device as a product
 * of all rows does, so it makes the device seem slower than it is; products of all rows do not.
 *
 * A plan keeps its cut. With hints.measure, runs move small pieces around it (balance.c). */
#include <stdio.h>

#include "base/pool.h"
#include "both/sparse.h"

#ifndef EK_NO_GPU

enum {
	TIMED_RUNS = 2,
	SAMPLE = 8, /* the sample has 8 of EKI_SHARES parts of the work */
	NEAR = 4,   /* a side is measured if the other is not so many times as fast */
	ALL = 1000
};

typedef struct times {
	double alone[EKI_SIDES], both; /* seconds of a product */
	bool measures;                 /* whether products of all rows are measured */
	unsigned measured;             /* the sides for which that was done */
} times;

/* ---- One side -------------------------------------------------------------------------------- */

/* Gives all rows to one side. */
static ek_status one_side(eki_step *step, int side, const char *why)
{
	const int64_t whole[] = {0, step->in[0]->rows};
	eki_sparse_both *s = step->state;

	s->moves = false;
	s->first = side == EKI_DEVICE_SIDE;
	EK_RETURN_IF(eki_sparse_make(step, whole, 1, 1u << side));
	return eki_step_say(step, "         the %s alone%s, by %s\n",
	                    side == EKI_DEVICE_SIDE ? "device" : "processor", why,
	                    s->piece[0].step[side]->method->name);
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Sets *best to the seconds of the fastest of TIMED_RUNS runs with the pieces that there are. The
 * run before these does not count. It makes C, and the others write its values if `keep` is true,
 * as most of many runs will; otherwise each makes a new C. Times are those of method `as`. */
static ek_status time_runs(const eki_step *step, int first, const ek_method *as, bool keep,
                           double *best)
{
	eki_sparse_both *s = step->state;
	const int64_t bytes = step->plan->scratch_bytes;
	const bool moves = s->moves;
	ek_store C = {0};
	eki_run v = {.alpha = eki_real(1), .beta = eki_real(step->in[2] != NULL), .C = &C};
	void *scratch;
	ek_status status;

	EK_RETURN_IF(eki_alloc(step->ctx, bytes, 1, &scratch));
	eki_scratch_clear(step->plan, scratch);
	v.scratch = scratch;
	s->first = first;
	s->moves = false; /* these runs must all be alike */
	for (int k = 0; k <= TIMED_RUNS; k++) {
		const int64_t start = eki_now_ns();
		double ns;

		EK_TRY(eki_sparse_both_run(step, &v));
		ns = eki_balance_timed(step, as, false, eki_now_ns() - start);
		*best = k <= 1 || 1e-9 * ns < *best ? 1e-9 * ns : *best;
		if (!keep)
			eki_store_free(step->ctx, &C);
	}
done:
	eki_store_free(step->ctx, &C);
	s->moves = moves;
	eki_free(step->ctx, scratch, bytes, 1);
	return status;
}

/* Times one side, or both sides, with rows [begin, end) as one piece, prepared for them. */
static ek_status time_piece(eki_step *step, int64_t begin, int64_t end, unsigned sides, times *t)
{
	const int64_t rows[] = {begin, end};
	const eki_sparse_both *s = step->state;

	EK_RETURN_IF(eki_sparse_make(step, rows, 1, sides));
	for (int side = 0; side < EKI_SIDES; side++)
		if (sides >> side & 1)
			EK_RETURN_IF(time_runs(step, side == EKI_DEVICE_SIDE,
			                       s->piece[0].step[side]->method, t->measures,
			                       &t->alone[side]));
	return EK_OK;
}

/* Returns the side that is faster alone. */
static int faster(const times *t)
{
	return t->alone[EKI_DEVICE_SIDE] < t->alone[EKI_HOST_SIDE] ? EKI_DEVICE_SIDE
	                                                           : EKI_HOST_SIDE;
}

/* Tells whether the time of the slower side may decide the choice, too. */
static bool is_near(const times *t)
{
	return t->alone[!faster(t)] <= NEAR * t->alone[faster(t)];
}

/* Times products of all rows: by the faster side until that is one that was measured, and by the
 * other one if it is near and has the memory. */
static ek_status time_all(eki_step *step, times *t)
{
	for (;;) {
		const unsigned fast = 1u << faster(t), slow = is_near(t) ? 1u << !faster(t) : 0;
		const unsigned next = fast & ~t->measured ? fast : slow & ~t->measured;

		if (!next)
			return EK_OK;
		const ek_status status = time_piece(step, 0, step->in[0]->rows, next, t);

		if (status == EK_ENOMEM && next != fast)
			return EK_OK;
		EK_RETURN_IF(status);
		t->measured |= next;
	}
}

/* ---- The choice ------------------------------------------------------------------------------ */

static const char *how(const times *t, int side)
{
	return t->measured >> side & 1 ? "" : " (by a sample)";
}

/* Says what a product takes. `timed` tells whether both sides together were measured. */
static ek_status say_times(eki_step *step, const times *t, bool timed)
{
	return eki_step_say(step,
	                    "         a product takes: the device %.6f ms%s, the processor %.6f "
	                    "ms%s, both together %.6f ms%s\n",
	                    1e3 * t->alone[EKI_DEVICE_SIDE], how(t, EKI_DEVICE_SIDE),
	                    1e3 * t->alone[EKI_HOST_SIDE], how(t, EKI_HOST_SIDE), 1e3 * t->both,
	                    timed ? "" : " (predicted)");
}

/* Says which rows are whose, and by which methods. `share` is that of the device. */
static ek_status say_share(eki_step *step, double share, const char *how)
{
	const eki_sparse_both *s = step->state;
	const ek_method *name[EKI_SIDES] = {0};

	for (int k = 0; k < s->pieces; k++)
		for (int side = 0; side < EKI_SIDES; side++)
			if (s->piece[k].step[side])
				name[side] = s->piece[k].step[side]->method;
	EK_RETURN_IF(eki_step_say(step,
	                          "         both at once, %s: the device does rows 0 to %lld (%.0f "
	                          "of 1000 parts of the products), the processor those below\n",
	                          how, (long long)s->piece[s->first].begin, ALL * share));
	for (int side = 0; side < EKI_SIDES; side++)
		if (name[side])
			EK_RETURN_IF(eki_step_say(step, "         on the %s: %s\n",
			                          side == EKI_DEVICE_SIDE ? "device" : "processor",
			                          name[side]->name));
	return s->moves ? eki_step_say(step,
	                               "         runs move %d pieces of the rows between the two "
	                               "until they take the least time\n",
	                               EKI_MOVABLE)
	                : EK_OK;
}

/* Makes two pieces around cut number `at`, above which is `share` of the work, or, if runs may move
 * them, some more. */
static ek_status make_cut(eki_step *step, const int64_t bound[EKI_SHARES + 1], int at, double share)
{
	const int64_t rest = ALL - (int64_t)(ALL * share + 0.5);
	eki_sparse_both *s = step->state;
	int64_t begin[EKI_PIECES + 1];
	const int pieces =
		eki_balance_cut(bound, at, step->in[0]->rows, s->moves, 1, begin, &s->balance);

	s->first = s->balance.now;
	s->share = rest < 1 ? 1 : rest >= ALL ? ALL - 1 : rest;
	return eki_sparse_make(step, begin, pieces, 0);
}

/* Finds the best cut, and the time of both sides together from the times of each. Returns the
 * number of the cut. */
static int find_cut(const eki_above above[EKI_SHARES + 1], times *t)
{
	const eki_speeds speeds = {.device = t->alone[EKI_DEVICE_SIDE],
	                           .host = t->alone[EKI_HOST_SIDE]};

	return eki_best_cut(&speeds, above, &t->both);
}

static bool pays(const times *t)
{
	return eki_both_pays(t->both, t->alone[faster(t)]);
}

/* Compares both sides with the faster one alone. The times in `t` are those of a sample. */
static ek_status decide(eki_step *step, const int64_t bound[EKI_SHARES + 1],
                        const eki_above above[EKI_SHARES + 1], times *t)
{
	const eki_sparse_both *s = step->state;
	int at = find_cut(above, t);
	bool timed = false;

	if (t->measures && (is_near(t) || pays(t))) {
		EK_RETURN_IF(time_all(step, t));
		at = find_cut(above, t);
	}
	if (pays(t)) {
		EK_RETURN_IF(make_cut(step, bound, at, above[at].work));
		if (t->measures)
			EK_RETURN_IF(time_runs(step, s->first, step->method, true, &t->both));
		timed = t->measures;
	}
	if (!pays(t))
		EK_RETURN_IF(
			one_side(step, faster(t), ", since both together would not be faster"));
	else
		EK_RETURN_IF(say_share(step, above[at].work, "by the speeds measured"));
	return say_times(step, t, timed);
}

/* Cuts the rows where a sample says. */
static ek_status cut_by_sample(eki_step *step)
{
	enum { BEGIN = (EKI_SHARES - SAMPLE) / 2, END = BEGIN + SAMPLE };
	double edge[EKI_SHARES + 1], share[EKI_SHARES + 1];
	int64_t bound[EKI_SHARES + 1];
	eki_above above[EKI_SHARES + 1];
	const eki_problem *problem = step->problem;
	times t = {.measures = problem->announced && problem->calls >= EKI_TRIAL_CALLS};
	int64_t terms;
	int begin = BEGIN;
	double part;

	for (int k = 0; k <= EKI_SHARES; k++)
		edge[k] = (double)k / EKI_SHARES;
	EK_RETURN_IF(eki_sparse_cut(step, edge, EKI_SHARES, bound, share, &terms));
	if (terms == 0)
		return one_side(step, EKI_HOST_SIDE, ", since C has no entries");
	for (int k = 0; k <= EKI_SHARES; k++)
		above[k] = (eki_above){.work = share[k]};
	/* The row that passes BEGIN may be longer than the sample, which then contains it. */
	while (bound[begin] == bound[END])
		begin--;
	part = share[END] - share[begin];
	EK_RETURN_IF(time_piece(step, bound[begin], bound[END], EKI_SPARSE_DEVICE | EKI_SPARSE_HOST,
	                        &t));
	for (int side = 0; side < EKI_SIDES; side++)
		t.alone[side] /= part;
	return decide(step, bound, above, &t);
}

/* Cuts the rows so that the processor gets `thousandths` of the work. */
static ek_status cut_as_asked(eki_step *step, int64_t thousandths)
{
	const double edge[] = {0, 1 - (double)thousandths / ALL, 1};
	eki_sparse_both *s = step->state;
	int64_t bound[EKI_COUNT(edge)], terms;
	double share[EKI_COUNT(edge)];

	EK_RETURN_IF(eki_sparse_cut(step, edge, 2, bound, share, &terms));
	s->first = 1;
	s->share = thousandths;
	EK_RETURN_IF(eki_sparse_make(step, bound, 2, 0));
	return say_share(step, share[1], "as asked for");
}

/* Tells whether all operands fit the device, with half of its memory left for rows of C, which
 * methods may take, and a tenth for their other arrays. */
static bool fits(const eki_step *step)
{
	double bytes = 0;

	for (int m = 0; m < EKI_MAX_MATRICES && step->in[m]; m++)
		bytes += (double)eki_store_bytes(step->in[m]);
	return bytes <= 0.4 * (double)step->ctx->device->info.memory;
}

static ek_status divide(eki_step *step)
{
	eki_sparse_both *s = step->state;

	if (step->param[EKI_SPARSE_SIDE_PARAM])
		return one_side(step,
		                step->param[EKI_SPARSE_SIDE_PARAM] == 1 ? EKI_DEVICE_SIDE
		                                                        : EKI_HOST_SIDE,
		                ", as asked for");
	if (step->param[EKI_SPARSE_SHARE_PARAM])
		return cut_as_asked(step, step->param[EKI_SPARSE_SHARE_PARAM]);
	s->moves = step->problem->balances && step->problem->calls >= EKI_TRIAL_CALLS;
	return cut_by_sample(step);
}

/* Divides the rows, by batches on the device if it has too little memory otherwise. */
static ek_status choose(eki_step *step)
{
	eki_sparse_both *s = step->state;
	const bool asked =
		step->param[EKI_SPARSE_SHARE_PARAM] || step->param[EKI_SPARSE_SIDE_PARAM];
	ek_status status;

	if (step->problem->memory > 0 && step->param[EKI_SPARSE_SIDE_PARAM] == 0)
		return one_side(step, EKI_HOST_SIDE,
		                ", since the parts of C would not count as C does under "
		                "hints.memory");
	s->batch = step->param[EKI_SPARSE_BATCH_PARAM];
	s->streams = s->batch || !fits(step);
	status = divide(step);
	if (status == EK_ENOMEM && !s->streams) {
		s->streams = true;
		status = divide(step);
	}
	if (status == EK_ENOMEM && !asked)
		return one_side(step, EKI_HOST_SIDE, ", since the device has too little memory");
	return status;
}

/* Leaves the parameters that make the choice: the side that does all, or the processor's share. */
static void note(eki_step *step)
{
	const eki_sparse_both *s = step->state;
	const bool device = s->first == s->pieces, host = s->first == 0;
	const eki_step *on = NULL;

	for (int k = 0; k < s->first && !on; k++)
		on = s->piece[k].step[EKI_DEVICE_SIDE];
	step->param[EKI_SPARSE_SHARE_PARAM] = device || host ? 0 : s->share;
	step->param[EKI_SPARSE_SIDE_PARAM] = device ? 1 : host ? 2 : 0;
	step->param[EKI_SPARSE_BATCH_PARAM] = s->streams && on ? on->param[EKI_BATCHED_BATCH] : 0;
}

/* ---- The method ------------------------------------------------------------------------------ */

ek_status eki_sparse_both_prepare(eki_step *step, const ek_method *batches)
{
	eki_sparse_both *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	s->batches = batches;
	step->state = s;
	EK_RETURN_IF(eki_gpu_open(step));
	s->mark = eki_step_mark(step);
	EK_RETURN_IF(choose(step));
	note(step);
	if (!step->param[EKI_SPARSE_BATCH_PARAM])
		return EK_OK;
	return eki_step_say(step, "         A goes to the device in batches, %s\n",
	                    s->batch ? "as asked for" : "since it does not fit there");
}

void eki_sparse_both_report(const eki_step *step, char *text, size_t size)
{
	const eki_sparse_both *s = step->state;

	if (s->moves)
		eki_balance_report(step, &s->balance, s->pieces, text, size);
}

#endif
