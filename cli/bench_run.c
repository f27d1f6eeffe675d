/* SPDX-License-Identifier: BSD-3-Clause
 * One matrix, all contenders: our methods, the peers, the bare loop and the read probe, or on a
 * device that of copies, are prepared, checked, and timed in the same rounds; then each gets its
 * record.
 *
 * Ratios are medians of the ratios of single rounds: a machine whose speed drifts changes both
 * sides alike. Plain CSR, the unit of prepare_calls and vs_csr, is the row loop over threads; on a
 * device, CSR-vector. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_field.h"

#define SMALL_NNZ    20000   /* below it, the overhead over the bare loop is what counts */
#define SMALL_BYTES  1000000 /* below it, waking the threads takes longer than reading */
#define CACHE_FACTOR 1.3     /* reads this much faster than memory come from a cache */

static int candidate(struct field *f, void (*run)(void *, int64_t),
                     double (*clocked)(void *, int64_t), void *state, struct contender *c)
{
	f->candidate[f->candidates] =
		(struct candidate){.run = run, .clocked = clocked, .state = state};
	f->of[f->candidates] = c;
	return f->candidates++;
}

/* What no product can be faster than, if it moves what CSR does: reads, or copies on a device. */
static int line_up_probe(struct field *f)
{
	const struct problem *p = f->problem;

	if (f->device.ctx) {
		f->probe_bytes = 2 * f->device.bytes;
		f->probe = candidate(f, device_run_copy, device_clocked_copy, f, NULL);
		return TOOL_OK;
	}
	if (!read_probe_make(&f->read, p->csr_bytes, p->threads))
		return tool_fail(TOOL_FAILED, "out of memory for the bandwidth probe");
	f->probe_bytes = f->read.bytes;
	f->probe = candidate(f, read_probe_run, NULL, &f->read, NULL);
	return TOOL_OK;
}

static int line_up_contender(struct field *f, struct contender *c)
{
	if (c->peer)
		return candidate(f, run_peer, c->peer->elapsed ? device_clocked_peer : NULL, c, c);
	return candidate(f, run_ours, c->on_device ? device_clocked_ours : NULL, c, c);
}

/* Those whose results were right, and what they are measured with. */
static int line_up(struct field *f)
{
	struct problem *p = f->problem;
	const char *csr = plain_csr(f);

	f->csr = f->bare = -1;
	for (int k = 0; k < f->contenders; k++) {
		struct contender *c = &f->contender[k];

		if (c->record.failed || c->record.refused)
			continue;
		int at = line_up_contender(f, c);

		if (c->plan && strcmp(c->record.method, csr) == 0)
			f->csr = at;
	}
	if (!f->device.ctx && p->nnz < SMALL_NNZ && p->op == EK_OP_N && p->alpha == 1 &&
	    p->beta == 0) {
		f->loop = (struct bare_loop){p->value,   p->index, p->rows, p->row_ptr,
		                             p->col_idx, p->val,   p->x,    p->y};
		f->bare = candidate(f, bare_loop_run, NULL, &f->loop, NULL);
	}
	return line_up_probe(f);
}

/* The K-best time of each, one after the other, as the scheme has it. */
static void k_best(struct field *f)
{
	int runs;

	for (int k = 0; k < f->candidates; k++)
		if (f->of[k])
			f->of[k]->record.ms_kbest = 1e3 * measure_kbest(&f->candidate[k], &runs);
}

/* ---- Records --------------------------------------------------------------------------------- */

static double median_ms(const struct candidate *c, int rounds)
{
	return 1e3 * measure_quantile(c->sample, rounds, 0.5);
}

static const struct candidate *best_peer(const struct field *f, int rounds)
{
	const struct candidate *best = NULL;

	for (int k = 0; k < f->candidates; k++)
		if (f->of[k] && f->of[k]->peer &&
		    (!best || median_ms(&f->candidate[k], rounds) < median_ms(best, rounds)))
			best = &f->candidate[k];
	return best;
}

/* The median over the rounds of how much longer `c` took than the bare loop. */
static double overhead_ns(const struct field *f, const struct candidate *c, int rounds)
{
	for (int r = 0; r < rounds; r++)
		f->overhead[r] = 1e9 * (c->sample[r] - f->candidate[f->bare].sample[r]);
	return measure_quantile(f->overhead, rounds, 0.5);
}

static void fill(const struct field *f, int k, int rounds, const struct candidate *peer)
{
	const struct candidate *c = &f->candidate[k], *probe = &f->candidate[f->probe];
	struct record *r = &f->of[k]->record;
	double bytes = (double)f->problem->csr_bytes;

	r->runs = c->runs;
	r->ms = median_ms(c, rounds);
	r->ms_min = 1e3 * measure_quantile(c->sample, rounds, 0);
	r->ms_p10 = 1e3 * measure_quantile(c->sample, rounds, 0.1);
	r->ms_p90 = 1e3 * measure_quantile(c->sample, rounds, 0.9);
	r->gflops = 2e-6 * (double)f->problem->nnz / r->ms;
	r->gbps = 1e-6 * (double)r->bytes / r->ms;
	r->csr_gbps = 1e-6 * bytes / r->ms;
	if (f->problem->csr_bytes >= SMALL_BYTES)
		r->of_bound = bytes / (double)f->probe_bytes * measure_ratio(probe, c, rounds);
	if (f->csr >= 0) {
		r->vs_csr = measure_ratio(&f->candidate[f->csr], c, rounds);
		r->prepare_calls = r->prepare_ms / median_ms(&f->candidate[f->csr], rounds);
	}
	if (peer)
		r->vs_best_peer = measure_ratio(peer, c, rounds);
	if (f->bare >= 0)
		r->overhead_ns = overhead_ns(f, c, rounds);
}

static int collect(struct field *f, struct bench_case *c, int rounds)
{
	const struct candidate *peer = best_peer(f, rounds);
	int code = TOOL_OK;

	f->overhead = malloc((size_t)rounds * sizeof *f->overhead);
	c->record = calloc((size_t)f->contenders + 1, sizeof *c->record);
	if (!f->overhead || !c->record)
		return tool_fail(TOOL_FAILED, "out of memory for records");
	for (int k = 0; k < f->candidates; k++)
		if (f->of[k] && contender_check(f->of[k]))
			fill(f, k, rounds, peer);
	for (int k = 0; k < f->contenders; k++) {
		const struct record *r = &f->contender[k].record;

		if (r->failed) {
			tool_fail(TOOL_FAILED, "%s: %s: %s", c->matrix, r->method, r->why);
			code = r->kind == RECORD_PEER ? code : TOOL_FAILED;
		}
		if (!f->contender[k].hidden)
			c->record[c->count++] = *r;
	}
	for (int k = 0; k < f->candidates; k++)
		c->disturbed += (double)f->candidate[k].disturbed / rounds / f->candidates;
	c->rounds = rounds;
	c->unit = plain_csr(f);
	c->csr_bytes = f->problem->csr_bytes;
	c->csr_ms = f->csr >= 0 ? median_ms(&f->candidate[f->csr], rounds) : NAN;
	c->bound_gbps = 1e-6 * (double)f->probe_bytes / median_ms(&f->candidate[f->probe], rounds);
	c->in_cache = c->csr_bytes < SMALL_BYTES ||
	              c->bound_gbps > CACHE_FACTOR * f->run->report->memory_gbps;
	return code;
}

static void release(struct field *f)
{
	for (int k = 0; k < f->contenders; k++) {
		struct contender *c = &f->contender[k];

		ek_plan_destroy(c->plan);
		if (c->peer && c->state)
			c->peer->release(c->state);
	}
	device_free(f);
	measure_free(f->candidate, f->candidates);
	read_probe_free(&f->read);
	free(f->contender);
	free(f->candidate);
	free(f->of);
	free(f->overhead);
}

int run_case(const struct bench_run *run, struct problem *p, struct bench_case *c)
{
	struct field f = {.run = run, .problem = p};
	struct measure_limits limits = {run->options->seconds, run->options->rounds};
	const struct tool_options *common = &run->options->common;
	struct tool_progress *progress = tool_progress_start(
		common, tool_on_device(run->ctx) ? tool_preparing(run->ctx) : c->matrix);
	int rounds, code;

	f.contender = calloc(MAX_CONTENDER, sizeof *f.contender);
	f.candidate = calloc(MAX_CONTENDER + 2, sizeof *f.candidate);
	f.of = calloc(MAX_CONTENDER + 2, sizeof *f.of);
	code = f.contender && f.candidate && f.of ? device_make(&f)
	                                          : tool_fail(TOOL_FAILED, "out of memory");
	if (!code)
		code = enter_all(&f);
	if (!code)
		code = line_up(&f);
	tool_progress_end(progress);
	progress = tool_progress_start(common, c->matrix);
	if (!code) {
		rounds = measure_rounds(f.candidate, f.candidates, &limits, progress);
		if (rounds && run->options->k_best)
			k_best(&f);
		tool_progress_end(progress);
		progress = NULL;
		code = rounds ? collect(&f, c, rounds)
		              : tool_fail(TOOL_FAILED, "out of memory for the times");
	}
	tool_progress_end(progress);
	release(&f);
	return code;
}
