/* SPDX-License-Identifier: BSD-3-Clause
 * Measures the costs of inner loops by running whole products, and solves for them. A group is a
 * method with unknown costs and patterns that tell these apart, such as short and long rows of one
 * length and rows of random lengths. What the unknowns contribute to a predicted time is taken from
 * the method's own cost function, by setting one of them to 1 and the others to 0. So the costs are
 * those with which predictions come nearest to the times, whatever else the function adds up.
 *
 * The data is in the caches, where work takes longer than moving bytes. Columns are near the
 * diagonal, except for tiles, so that hardly anything waits for x. Then only the share NEAR_OVERLAP
 * of the time for moving shows, and it is subtracted from the measured time. Predictions add the
 * machine's `overlap`, which is fitted to real matrices instead. Only the matrices with a scattered
 * x come from memory; what the function says of both is subtracted. */
#include <math.h>
#include <stdio.h>

#include "tune/tune.h"

enum { MOST_PATTERNS = 6, LEAST_SHARE = 5 };
/* Share of the time for moving that shows: 0.1 to 0.2 on a Xeon with rows of one length in the
 * last-level cache. */
#define NEAR_OVERLAP 0.2

/* Where the unknown costs of a group are in eki_machine. */
typedef enum unknown {
	OF_LOOP, /* row, entry and miss of a loop */
	OF_BLOCK,
	OF_ONE,
	OF_TWO, /* a member of two numbers */
	OF_THREE
} unknown;

typedef struct group {
	const char *method, *format;
	ek_op op;
	unknown kind;
	size_t at; /* kind of loop, or the offset of the member */
	const eki_pattern *patterns;
} group;

/* There are so many rows of random lengths that the branch predictor cannot learn all of them. */
static const eki_pattern rows[] = {{EKI_EVEN, 5000, 5000, 0, 3, 0},
                                   {EKI_EVEN, 2000, 2000, 0, 9, 0},
                                   {EKI_EVEN, 700, 700, 0, 27, 0},
                                   {EKI_EVEN, 240, 512, 0, 80, 0},
                                   {EKI_RANDOM, 60000, 60000, 0, 8, 0},
                                   {EKI_RANDOM, 20000, 20000, 1, 30, 0},
                                   {0}};
static const eki_pattern bands[] = {{EKI_BANDS, 4000, 4000, 1, 3, 0},
                                    {EKI_BANDS, 2000, 2000, 3, 9, 0},
                                    {EKI_BANDS, 700, 700, 1, 27, 0},
                                    {EKI_BANDS, 300, 300, 2, 60, 0},
                                    {0}};
static const eki_pattern squares[] = {
	{EKI_SQUARES, 2000, 2000, 0, 3, 2}, {EKI_SQUARES, 1500, 1500, 0, 6, 3},
	{EKI_SQUARES, 800, 800, 0, 9, 4},   {EKI_SQUARES, 480, 480, 0, 6, 6},
	{EKI_SQUARES, 960, 960, 0, 2, 8},   {0}};
static const eki_pattern mixed[] = {
	{EKI_RANDOM, 5000, 5000, 0, 6, 0}, {EKI_RANDOM, 2000, 2000, 1, 15, 0}, {0}};
static const eki_pattern tiny[] = {{EKI_EVEN, 4, 4, 0, 2, 0}, {0}};
/* A vector of 3 MB, and one that does not fit its share of the last-level cache. */
static const eki_pattern scattered[] = {
	{EKI_SCATTERED, 100000, 400000, 0, 8, 0}, {EKI_FAR, 0, 0, 0, 8, 0}, {0}};
/* Two tiles of single entries, two of segments of 24 and 12 entries, and rows in one tile. */
static const eki_pattern tiled[] = {{EKI_SCATTERED, 15000, 140000, 0, 4, 0},
                                    {EKI_SCATTERED, 1200, 140000, 0, 60, 0},
                                    {EKI_SCATTERED, 3000, 140000, 0, 24, 0},
                                    {EKI_EVEN, 4000, 70000, 0, 20, 0},
                                    {0}};

#define LOOP_OF(method, op, loop, patterns)                          \
	{                                                            \
		method, NULL, op, OF_LOOP, EKI_LOOP_##loop, patterns \
	}
/* Groups that are measured for each value type and each level. */
static const group loops[] = {
	LOOP_OF("spmv.csr.serial", EK_OP_N, SERIAL, rows),
	LOOP_OF("spmv.csr.rows", EK_OP_N, ROWS, rows),
	LOOP_OF("spmv.csr.merge", EK_OP_N, MERGE, rows),
	LOOP_OF("spmv.csr.vector", EK_OP_N, GATHER, rows),
	LOOP_OF("spmv.csr.stream", EK_OP_N, STREAM, rows),
	LOOP_OF("spmv.csr.strict", EK_OP_N, STRICT, rows),
	LOOP_OF("spmv.csr.segsum", EK_OP_N, SEGMENTS, rows),
	LOOP_OF("spmv.csr.transposed", EK_OP_T, SCATTER, rows),
	LOOP_OF("spmv.csr5", EK_OP_N, TILES, rows),
	LOOP_OF("spmv.ell", EK_OP_N, LANES, rows),
	{"spmv.sell", "sell:sigma=1", EK_OP_N, OF_LOOP, EKI_LOOP_CHUNKS, rows},
	LOOP_OF("spmv.brc", EK_OP_N, PIECES, rows),
	LOOP_OF("spmv.coo", EK_OP_N, RUNS, rows),
	LOOP_OF("spmv.scoo", EK_OP_N, SLICES, rows),
	LOOP_OF("spmv.dia", EK_OP_N, DIAGONALS, bands),
	{"spmv.bcsr", "bcsr:r=%d,c=%d", EK_OP_N, OF_BLOCK, 0, squares},
};
#undef LOOP_OF
#define ONE_OF(method, member, patterns)                                               \
	{                                                                              \
		method, NULL, EK_OP_N, OF_ONE, offsetof(eki_machine, member), patterns \
	}
/* Groups of single numbers, which are measured with doubles at the best level, after the loops. */
static const group ones[] = {
	ONE_OF("spmv.csr.merge", call, tiny),
	ONE_OF("spmv.csr.patterns", pattern_row, rows),
	ONE_OF("spmv.csr.patterns", pattern_run, bands),
	{"spmv.sell", "sell:sigma=4096", EK_OP_N, OF_ONE, offsetof(eki_machine, sorted_row), mixed},
	{"spmv.csr.forward", NULL, EK_OP_N, OF_TWO, offsetof(eki_machine, narrow_work), rows},
	{"spmv.csr.rows", NULL, EK_OP_N, OF_TWO, offsetof(eki_machine, far), scattered},
	{"spmv.csr.forward", NULL, EK_OP_N, OF_THREE, offsetof(eki_machine, tile), tiled},
};
#undef ONE_OF

enum { LOOP_GROUPS = sizeof loops / sizeof *loops, ONE_GROUPS = sizeof ones / sizeof *ones };

/* A group at one level, with one value type. */
typedef struct task {
	const group *g;
	ek_value value;
	ek_isa isa;
	double ns[MOST_PATTERNS];
} task;

/* Returns the unknown costs of a task in `m`, and sets *count to how many there are. */
static double *costs(eki_machine *m, const task *t, int *count)
{
	const int v = eki_value_types[t->value].matrix - 1, level = eki_isa_row(t->isa);

	*count = t->g->kind == OF_ONE ? 1 : t->g->kind == OF_TWO ? 2 : 3;
	if (t->g->kind == OF_LOOP)
		return &m->speed[t->g->at][v][level].row;
	if (t->g->kind == OF_BLOCK)
		return &m->block[v][level].row;
	return (double *)(void *)((char *)m + t->g->at);
}

/* Takes the time for moving data out of a machine's predictions. */
static void move_nothing(eki_machine *m)
{
	const double never = 1e30; /* GB/s at which moving takes no time */

	m->overlap = 0;
	m->core_gbps = m->cache_gbps = m->memory_gbps = never;
	m->cache_all_gbps = m->memory_all_gbps = 0;
}

/* Writes the equation of a product: its measured time without what is known, and how often it has
 * each of the unknown costs. */
static ek_status equation(const task *t, const eki_timed *timed, double ns, const eki_machine *m,
                          eki_equation *e)
{
	eki_machine work = *m, move = *m;
	int count;
	double *cost = costs(&work, t, &count), known, moved;

	work.overlap = NEAR_OVERLAP;
	if (t->g->patterns != scattered)
		move_nothing(&work);
	for (int u = 0; u < count; u++)
		cost[u] = 0;
	EK_RETURN_IF(eki_timed_predict(timed, &work, &known));
	for (int u = 0; u < count; u++) {
		cost[u] = 1;
		EK_RETURN_IF(eki_timed_predict(timed, &work, &e->count[u]));
		e->count[u] = fmax(0, e->count[u] - known);
		cost[u] = 0;
	}
	move.overlap = 1;
	for (int u = 0; u < count; u++)
		costs(&move, t, &count)[u] = 0;
	EK_RETURN_IF(eki_timed_predict(timed, &move, &moved));
	if (t->g->patterns != scattered)
		known += NEAR_OVERLAP * fmax(0, moved - known);
	e->time = fmax(ns / LEAST_SHARE, ns - known);
	return EK_OK;
}

static ek_status make_timed(const task *t, int k, ek_context *ctx, eki_timed *timed)
{
	const eki_pattern *p = &t->g->patterns[k];
	char format[32];

	if (t->g->format)
		snprintf(format, sizeof format, t->g->format, p->block, p->block);
	return eki_timed_make(ctx, p, t->value, t->g->method, t->g->format ? format : NULL,
	                      t->g->op, timed);
}

/* Times all patterns of a task, and keeps the least times of all passes. */
static ek_status pass(task *t, double budget)
{
	ek_context *ctx = NULL;
	eki_timed timed = {0};
	ek_status status;

	EK_TRY(eki_tune_context(1, t->isa, &ctx));
	for (int k = 0; t->g->patterns[k].length; k++) {
		EK_TRY(make_timed(t, k, ctx, &timed));
		EK_TRY(eki_timed_run(&timed, budget));
		t->ns[k] = fmin(t->ns[k], timed.ns);
		eki_timed_free(&timed);
	}
done:
	eki_timed_free(&timed);
	ek_context_destroy(ctx);
	return status;
}

static ek_status solve(const task *t, eki_machine *m)
{
	eki_equation e[MOST_PATTERNS] = {0};
	ek_context *ctx = NULL;
	eki_timed timed = {0};
	int equations = 0, count;
	double *cost = costs(m, t, &count);
	ek_status status;

	EK_TRY(eki_tune_context(1, t->isa, &ctx));
	for (; t->g->patterns[equations].length; equations++) {
		EK_TRY(make_timed(t, equations, ctx, &timed));
		EK_TRY(equation(t, &timed, t->ns[equations], m, &e[equations]));
		eki_timed_free(&timed);
	}
	eki_fit(e, equations, count, cost);
done:
	eki_timed_free(&timed);
	ek_context_destroy(ctx);
	return status;
}

static void add_tasks(const group *g, int groups, ek_value value, ek_isa isa, task *list,
                      int *count)
{
	for (int k = 0; k < groups; k++) {
		task *t = &list[(*count)++];

		*t = (task){.g = &g[k], .value = value, .isa = isa};
		for (int i = 0; i < MOST_PATTERNS; i++)
			t->ns[i] = INFINITY;
	}
}

enum { MOST_TASKS = EK_NLEVEL * EK_NVALUE * LOOP_GROUPS + ONE_GROUPS };

int eki_tune_steps(const eki_effort *e, ek_isa most)
{
	return e->rounds *
	       ((eki_isa_row(most) + 1) * EK_NVALUE * LOOP_GROUPS + ONE_GROUPS + EKI_BANDWIDTHS);
}

ek_status eki_tune_costs(eki_effort *effort, int threads, ek_isa most, eki_machine *m)
{
	double wake = INFINITY;

	task list[MOST_TASKS];
	int count = 0;

	for (int level = 0; level <= eki_isa_row(most); level++) {
		const ek_isa isa = eki_isa_gather(
			level == eki_isa_row(most) ? most : (ek_isa)level, m->loads);

		add_tasks(loops, LOOP_GROUPS, EK_F32, isa, list, &count);
		add_tasks(loops, LOOP_GROUPS, EK_F64, isa, list, &count);
	}
	add_tasks(ones, ONE_GROUPS, EK_F64, eki_isa_gather(most, m->loads), list, &count);
	m->core_gbps = m->cache_gbps = m->memory_gbps = 0;
	m->cache_all_gbps = m->memory_all_gbps = 0;
	for (int r = 0; r < effort->rounds; r++) {
		EK_RETURN_IF(eki_tune_bandwidths(effort, threads, most, m, &wake));
		for (int k = 0; k < count; k++) {
			EK_RETURN_IF(pass(&list[k], effort->budget));
			eki_effort_step(effort);
		}
	}
	m->wake = wake < INFINITY ? wake : m->wake;
	for (int k = 0; k < count; k++)
		EK_RETURN_IF(solve(&list[k], m));
	return EK_OK;
}
